// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import PackageDescription

// A package of its own, as an application's would be. The one thing that a program for the Mac
// needs in order to run on Linux is the conditional dependency: its source stays as it is.
let package = Package(
    name: "llavero-examples",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "llavero", path: "..")],
    targets: [
        .executableTarget(
            name: "logins",
            dependencies: [
                .product(
                    name: "Security", package: "llavero", condition: .when(platforms: [.linux]))
            ]),
        .executableTarget(
            name: "background",
            dependencies: [
                .product(
                    name: "Security", package: "llavero", condition: .when(platforms: [.linux]))
            ]),
        .executableTarget(
            name: "session",
            dependencies: [
                .product(
                    name: "Security", package: "llavero", condition: .when(platforms: [.linux]))
            ]),
        .executableTarget(
            name: "signer",
            dependencies: [
                .product(
                    name: "Security", package: "llavero", condition: .when(platforms: [.linux]))
            ]),
        // These two are written for Linux.
        .executableTarget(
            name: "tokens", dependencies: [.product(name: "Keychain", package: "llavero")]),
        .executableTarget(
            name: "database", dependencies: [.product(name: "Keychain", package: "llavero")]),
    ],
    swiftLanguageModes: [.v6]
)
