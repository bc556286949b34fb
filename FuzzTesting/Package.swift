// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import PackageDescription

/// A fuzzer for each decoder of bytes from outside; what it runs is in `Tests/FuzzEntries`.
///
/// It builds with `--sanitize=fuzzer` only (`Scripts/fuzz`), and with LLAVERO_FUZZING set, which
/// makes the root package offer its entries.
let fuzzed = [
    "ClientRequest",
    "ServiceReply",
    "ItemAttributes",
    "Certificate",
    "Key",
    "PersistentReference",
    "Netrc",
    "GitCredentials",
    "AuditRecord",
    "Keybag",
    "ReleaseList",
    "EnclaveRequest",
    "EnclaveReply",
    "RowBlob",
    "TablePage",
    "TPMResponses",
    "TPMRecord",
    "TPMRegisters",
    "TPMEntropy",
    "Program",
    "Entitlements",
    "SignedDocuments",
    "ClientIdentity",
    "SealedFile",
]

let package = Package(
    name: "llavero-fuzzing",
    dependencies: [.package(name: "llavero", path: "..")],
    targets: fuzzed.map { name in
        .executableTarget(
            name: "Fuzz\(name)",
            dependencies: [.product(name: "FuzzEntries", package: "llavero")],
            // libFuzzer has the main function.
            swiftSettings: [.unsafeFlags(["-parse-as-library"])])
    },
    swiftLanguageModes: [.v6]
)
