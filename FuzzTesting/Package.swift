// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import PackageDescription

/// One fuzzer for all decoders of untrusted bytes: its first argument names the decoder. The code
/// that it runs is in `Tests/FuzzEntries`.
///
/// It builds with `--sanitize=fuzzer` only (`Scripts/fuzz`), and with LLAVERO_FUZZING set, which
/// makes the root package export its entries.
let package = Package(
    name: "llavero-fuzzing",
    dependencies: [.package(name: "llavero", path: "..")],
    targets: [
        .executableTarget(
            name: "LlaveroFuzzer",
            dependencies: [.product(name: "FuzzEntries", package: "llavero")],
            // libFuzzer defines the main function.
            swiftSettings: [.unsafeFlags(["-parse-as-library"])])
    ],
    swiftLanguageModes: [.v6]
)
