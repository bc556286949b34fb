// swift-tools-version: 5.9
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import PackageDescription

// Written as for Apple's platforms: nothing here says where Security comes from.
let package = Package(
    name: "untouched",
    targets: [
        .executableTarget(name: "untouched"),
        .testTarget(name: "untouchedTests"),
    ])
