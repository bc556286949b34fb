// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import PackageDescription

// A package that also uses swift-certificates, which checks whether a module Security exists. All
// modules of a build are in one folder, so this package gives ours another name, and the target
// that uses it declares the alias. The target's source doesn't change.
let package = Package(
    name: "certificates",
    dependencies: [
        .package(name: "llavero", path: "../.."),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    ],
    targets: [
        .executableTarget(
            name: "both",
            dependencies: [
                .product(
                    name: "LlaveroSecurity", package: "llavero",
                    condition: .when(platforms: [.linux])),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: [
                .unsafeFlags(
                    ["-module-alias", "Security=LlaveroSecurity"], .when(platforms: [.linux]))
            ]),
        .executableTarget(
            name: "alone", dependencies: [.product(name: "X509", package: "swift-certificates")]),
    ],
    swiftLanguageModes: [.v6]
)
