// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import PackageDescription

// A separate package, as an application's would be. To run on Linux, a program for the Mac needs
// only the conditional dependency: its source doesn't change.
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
