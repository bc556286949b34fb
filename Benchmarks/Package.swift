// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import PackageDescription

// A package of its own, so that the root build stays small.
let package = Package(
    name: "llavero-benchmarks",
    dependencies: [
        .package(name: "llavero", path: ".."),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // Named unlike the root package's target, since target names are unique in the whole
        // package graph.
        .systemLibrary(name: "CArgon2Benchmark", pkgConfig: "libargon2"),
        .executableTarget(
            name: "KeychainBenchmarks",
            dependencies: [
                "CArgon2Benchmark",
                .product(name: "Keychain", package: "llavero"),
                .product(name: "Security", package: "llavero"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
    ]
)
