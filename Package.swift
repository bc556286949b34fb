// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import PackageDescription

/// One list for every target, so that no target can be laxer than another.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    // Existentials are spelled `any P`: a boxed call is visible where it happens.
    .enableUpcomingFeature("ExistentialAny"),
    // A member is usable only where its module is imported: the import table of TidyTests means something.
    .enableUpcomingFeature("MemberImportVisibility"),
    // Imports don't leak into a module's public face unless they say so.
    .enableUpcomingFeature("InternalImportsByDefault"),
    // Async functions run on their caller's executor unless they say otherwise.
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // Every use of a raw pointer is marked `unsafe`.
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")

/// A library of ours.
func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// An executable of ours.
func executable(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

/// A test target of ours.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
    name: "llavero",
    products: [
        .library(name: "Security", targets: ["Security"]),
        .library(name: "Keychain", targets: ["Keychain", "SecurityWire", "SecretBytes"]),
        .executable(name: "securityd", targets: ["securityd"]),
        .executable(name: "enclaved", targets: ["enclaved"]),
        .executable(name: "security", targets: ["SecurityTool"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(
            url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // C that Swift has no other way to call; no logic.
        .target(name: "CLinuxSupport"),
        .systemLibrary(
            name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(
            name: "CSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),

        library("SecretBytes", ["CLinuxSupport"]),
        library("IPC", ["SecretBytes", "CLinuxSupport"]),
        library(
            "SecurityWire",
            [
                "IPC", "SecretBytes",
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ]),
        library("EnclaveWire", ["IPC", "SecretBytes"]),

        library("Keychain", ["SecurityWire", "IPC", "SecretBytes", "CLinuxSupport", crypto]),
        library("Security", ["Keychain", "SecurityWire", "SecretBytes"]),

        library("CodeIdentity", ["IPC"]),
        library(
            "ItemStore",
            [
                "CLinuxSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        library(
            "SecurityDaemon",
            [
                "SecurityWire", "EnclaveWire", "IPC", "CodeIdentity", "ItemStore", "SecretBytes",
                "CLinuxSupport", crypto, .product(name: "Logging", package: "swift-log"),
            ]),
        library("Supervision", ["IPC", "CLinuxSupport"]),

        library("Enclave", ["EnclaveWire", "SecretBytes", crypto]),
        library("EnclaveState", ["SecretBytes", "IPC", "CLinuxSupport", "Enclave", crypto]),
        library("PasscodeDeriver", ["SecretBytes", "IPC", "CArgon2", "Enclave"]),
        library("Sandbox", ["CLinuxSupport", "CSeccomp"]),

        executable(
            "securityd",
            [
                "SecurityDaemon", "Supervision", "ItemStore", "IPC", "Sandbox", "SecretBytes",
                "CLinuxSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        executable(
            "enclaved",
            [
                "Enclave", "EnclaveState", "PasscodeDeriver", "EnclaveWire", "Sandbox", "IPC",
                "SecretBytes", "CLinuxSupport", crypto,
            ]),
        executable(
            "SecurityTool",
            ["Keychain", "SecurityWire", "SecretBytes", "CLinuxSupport"]),

        // Never part of a release: what tests share, and a program that tests run.
        .target(
            name: "TestSupport",
            dependencies: [
                "Keychain", "SecurityWire", "IPC", "SecretBytes", "Supervision", "CLinuxSupport",
                "Sandbox",
            ], path: "Tests/TestSupport", swiftSettings: settings),
        executable(
            "TestLauncher", ["Sandbox", "CLinuxSupport", "CSeccomp", "SecretBytes"],
            path: "Tests/Launcher"),

        tests(
            "EnclaveTests",
            [
                "Enclave", "EnclaveWire", "EnclaveState", "PasscodeDeriver", "Sandbox", "CArgon2",
                "CSeccomp",
                "CLinuxSupport", "IPC", "SecretBytes", crypto,
            ]),
        tests("EnclaveWireTests", ["EnclaveWire", "IPC", "SecretBytes"]),
        tests("SecurityTests", ["Security", "Keychain", "SecurityWire"]),
        tests("CommandTests", ["TestSupport", "SecurityWire"]),
        tests(
            "ServiceTests",
            [
                "TestSupport", "Keychain", "Security", "SecurityWire", "EnclaveWire", "Enclave",
                "EnclaveState", "ItemStore", "IPC", "SecretBytes", "Supervision", "Sandbox",
                "CLinuxSupport", crypto, .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        tests("SecretBytesTests", ["SecretBytes"]),
        tests("IPCTests", ["IPC"]),
        tests("SecurityWireTests", ["SecurityWire", "IPC", "SecretBytes"]),
        tests("ItemStoreTests", ["ItemStore", .product(name: "GRDB", package: "GRDB.swift")]),
        tests("SupervisionTests", ["Supervision"]),
        tests("TidyTests", []),
    ]
)
