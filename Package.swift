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
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")

let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")

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

// What is fuzzed is offered to the fuzzers' package alone.
let fuzzed: [Product] =
    Context.environment["LLAVERO_FUZZING"] == nil
    ? [] : [.library(name: "FuzzEntries", targets: ["FuzzEntries"])]

let package = Package(
    name: "llavero",
    products: fuzzed + [
        .library(name: "Security", targets: ["Security"]),
        .library(name: "LlaveroSecurity", targets: ["LlaveroSecurity"]),
        .library(name: "LocalAuthentication", targets: ["LocalAuthentication"]),
        .library(name: "KeychainItemWrapper", targets: ["KeychainItemWrapper"]),
        .library(name: "JNKeychain", targets: ["JNKeychain"]),
        .library(name: "SFHFKeychainUtils", targets: ["SFHFKeychainUtils"]),
        .library(name: "Keychain", targets: ["Keychain", "SecurityWire", "SecretBytes"]),
        .executable(name: "securityd", targets: ["securityd"]),
        .executable(name: "enclaved", targets: ["enclaved"]),
        .executable(name: "peerinspector", targets: ["peerinspector"]),
        .executable(name: "security", targets: ["SecurityTool"]),
        .executable(name: "llavero-codesign", targets: ["CodeSignTool"]),
        .executable(name: "llavero-developer", targets: ["DeveloperTool"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(
            url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
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
        library(
            "LlaveroSecurity",
            ["Keychain", "SecurityWire", "SecretBytes", crypto, cryptoExtras, asn1]),

        // The C interface: libSecurity.so is linked of these by Scripts/make-c-library.
        .target(name: "CSecurityObjects"),
        library("SecurityCInterface", ["CSecurityObjects", "LlaveroSecurity"]),

        // The name alone: a build that finds a module Security may take it for Apple's.
        library("Security", ["LlaveroSecurity"]),
        library("LocalAuthentication", ["LlaveroSecurity", "Keychain"]),

        // For code that is written for one of these; whoever starts afresh takes Keychain.
        library(
            "KeychainItemWrapper",
            ["LlaveroSecurity", "Keychain", "SecurityWire", "SecretBytes"]),
        library("JNKeychain", ["LlaveroSecurity", "Keychain", "SecurityWire", "SecretBytes"]),
        library(
            "SFHFKeychainUtils", ["LlaveroSecurity", "Keychain", "SecurityWire", "SecretBytes"]),

        library("CodeIdentity", ["IPC", "CLinuxSupport", crypto]),
        // What makes signatures, apart from the daemons that check them.
        library("CodeSigning", ["CodeIdentity", "IPC", crypto]),
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
        library("TPMClient", ["SecretBytes", crypto, cryptoExtras]),
        library(
            "EnclaveState",
            ["SecretBytes", "IPC", "CLinuxSupport", "Enclave", "TPMClient", crypto]),
        library("PasscodeDeriver", ["SecretBytes", "IPC", "CArgon2", "Enclave", "EnclaveWire"]),
        library("Sandbox", ["CLinuxSupport", "CSeccomp"]),

        executable(
            "securityd",
            [
                "SecurityDaemon", "Supervision", "ItemStore", "IPC", "Sandbox", "SecretBytes",
                "CLinuxSupport", "CodeIdentity",
                .product(name: "Logging", package: "swift-log"),
            ]),
        executable(
            "enclaved",
            [
                "Enclave", "EnclaveState", "PasscodeDeriver", "EnclaveWire", "Sandbox", "IPC",
                "TPMClient", "SecretBytes", "CLinuxSupport", crypto,
            ]),
        // Looks into processes for a securityd that has no right to.
        executable("peerinspector", ["CodeIdentity", "Sandbox", "IPC", "CLinuxSupport"]),
        // Parsers of outside data, apart from what could act on it.
        library("CredentialFiles", ["SecretBytes"]),
        executable(
            "SecurityTool",
            ["Keychain", "SecurityWire", "SecretBytes", "CLinuxSupport", "CredentialFiles"]),

        executable("CodeSignTool", ["CodeIdentity", "CodeSigning", argumentParser]),
        executable("DeveloperTool", ["CodeIdentity", "CodeSigning", crypto, argumentParser]),

        // Never part of a release: what tests share, and a program that tests run.
        .target(
            name: "TestSupport",
            dependencies: [
                "Keychain", "SecurityWire", "IPC", "SecretBytes", "Supervision", "CLinuxSupport",
                "Sandbox", "SecurityDaemon", "CodeIdentity", "ItemStore", "Enclave",
                "EnclaveState", "EnclaveWire", crypto,
                .product(name: "Logging", package: "swift-log"),
            ], path: "Tests/TestSupport", swiftSettings: settings),
        // What fuzzers and tests feed bytes to.
        .target(
            name: "FuzzEntries",
            dependencies: [
                "SecurityWire", "Security", "SecurityDaemon", "CredentialFiles", "SecretBytes",
                "Keychain", "Enclave", "EnclaveWire", "ItemStore", "IPC", crypto, "TPMClient",
                "CodeIdentity", "CodeSigning",
            ], path: "Tests/FuzzEntries", swiftSettings: settings),
        executable(
            "TestLauncher", ["Sandbox", "CLinuxSupport", "CSeccomp", "SecretBytes"],
            path: "Tests/Programs/TestLauncher"),

        executable(
            "TestApplication", ["Keychain", "SecurityWire", "SecretBytes", "IPC", "CLinuxSupport"],
            path: "Tests/Programs/TestApplication"),

        executable("TestTask", ["Security"], path: "Tests/Programs/TestTask"),
        executable(
            "TestWrappers",
            ["Keychain", "Security", "KeychainItemWrapper", "JNKeychain", "SFHFKeychainUtils"],
            path: "Tests/Programs/TestWrappers"),
        // The code of the documentation's pages, compiled as a reader's own is.
        .executableTarget(
            name: "DocumentationSamples",
            dependencies: [
                "Security", "Keychain", "KeychainItemWrapper", "JNKeychain", "SFHFKeychainUtils",
            ],
            path: "Tests/Programs/DocumentationSamples",
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),

        tests(
            "EnclaveTests",
            [
                "Enclave", "EnclaveWire", "EnclaveState", "PasscodeDeriver", "Sandbox", "CArgon2",
                "CSeccomp",
                "CLinuxSupport", "IPC", "SecretBytes", "TPMClient", "TestSupport", crypto,
            ]),
        tests(
            "KeychainTests",
            ["Keychain", "SecurityWire", "SecretBytes", "IPC", "TestSupport"]),
        tests("EnclaveWireTests", ["EnclaveWire", "IPC", "SecretBytes"]),
        tests(
            "SecurityTests",
            ["Security", "Keychain", "SecurityWire", "SecretBytes", "TestSupport", crypto]),
        tests("LocalAuthenticationTests", ["LocalAuthentication", "Security", "TestSupport"]),
        tests("CommandTests", ["TestSupport"]),
        tests("CodeIdentityTests", ["CodeIdentity", "CodeSigning", "IPC", crypto]),
        tests("CredentialFilesTests", ["CredentialFiles", "SecretBytes"]),
        tests(
            "ServiceTests",
            [
                "TestSupport", "Keychain", "Security", "SecurityWire", "EnclaveWire", "Enclave",
                "EnclaveState", "ItemStore", "IPC", "SecretBytes", "Supervision", "Sandbox",
                "CodeIdentity", "CodeSigning", "CLinuxSupport", "FuzzEntries", crypto,
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        tests(
            "ConformanceTests",
            [
                "TestSupport", "Security", "LocalAuthentication", "Keychain", "SecurityWire",
                "CodeIdentity", "SecretBytes",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        tests(
            "ModelTests", ["Security", "Keychain", "CodeIdentity", "FuzzEntries", "TestSupport"]),
        tests(
            "SecurityDaemonTests",
            ["SecurityDaemon", "SecurityWire", "SecretBytes", "TestSupport", crypto]),
        tests("SecretBytesTests", ["SecretBytes"]),
        tests(
            "TPMClientTests",
            ["TPMClient", "SecretBytes", "IPC", "TestSupport", crypto, cryptoExtras]),
        tests("IPCTests", ["IPC"]),
        tests(
            "SecurityWireTests",
            [
                "SecurityWire", "IPC", "SecretBytes", "TestSupport",
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ]),
        tests("ItemStoreTests", ["ItemStore", .product(name: "GRDB", package: "GRDB.swift")]),
        tests("SupervisionTests", ["Supervision"]),
        tests("CInterfaceTests", ["TestSupport", "Security"]),
        tests("TidyTests", []),
    ]
)
