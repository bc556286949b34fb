// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import PackageDescription

/// One list of settings for every target, so that no target can be laxer than another.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    // Existentials are spelled `any P`, so that a boxed call is visible where it happens.
    .enableUpcomingFeature("ExistentialAny"),
    // A member is usable only where its module is imported, so that the import table of TidyTests
    // is complete.
    .enableUpcomingFeature("MemberImportVisibility"),
    // Imports don't leak into a module's public interface unless they are marked.
    .enableUpcomingFeature("InternalImportsByDefault"),
    // Async functions run on their caller's executor unless they are marked.
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

/// Where a target's code runs: its folder below `Sources` and `Tests`.
enum Group: String {
    case ground = "Ground"
    case wire = "Wire"
    case application = "Application"
    case wrappers = "Application/Wrappers"
    case service = "Service"
    case enclave = "Enclave"
    case trust = "Trust"
    case tools = "Tools"
    case front = "Front"

    /// The folder of one of its targets.
    func path(_ name: String) -> String { "Sources/\(rawValue)/\(name)" }
}

/// Our own C code, or a module map of a system library.
func c(_ name: String, in group: Group) -> Target {
    .target(name: name, path: group.path(name))
}

func systemLibrary(
    _ name: String, in group: Group, pkgConfig: String, package: String
) -> Target {
    .systemLibrary(
        name: name, path: group.path(name), pkgConfig: pkgConfig, providers: [.apt([package])])
}

/// One of our libraries.
func library(_ name: String, in group: Group, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies, path: group.path(name), swiftSettings: settings)
}

/// A program that is part of a release.
func program(_ name: String, in group: Group, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: group.path(name), swiftSettings: settings)
}

/// Never part of a release: code that tests share.
func testLibrary(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: settings)
}

/// Never part of a release: a program that tests run.
func testProgram(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Tests/Programs/\(name)",
        swiftSettings: settings)
}

/// Tests of a target, or without a group if they test several.
func tests(_ name: String, in group: Group? = nil, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name, dependencies: dependencies,
        path: group.map { "Tests/\($0.rawValue)/\(name)" } ?? "Tests/\(name)",
        swiftSettings: settings)
}

// The fuzz entries are exported to the fuzzers' package only.
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
        .executable(name: "trustd", targets: ["trustd"]),
        .executable(name: "transcoder", targets: ["transcoder"]),
        .executable(name: "trustfetcher", targets: ["trustfetcher"]),
        .executable(name: "security", targets: ["SecurityTool"]),
        .executable(name: "llavero-convert", targets: ["PasswordConverter"]),
        .executable(name: "llavero-export-trust", targets: ["ExportTrust"]),
        .executable(name: "llavero-codesign", targets: ["CodeSignTool"]),
        .executable(name: "llavero-developer", targets: ["DeveloperTool"]),
        .executable(name: "llavero-session", targets: ["SessionFront"]),
        .executable(name: "llavero-pam", targets: ["LoginHelper"]),
        .executable(name: "llavero-agent", targets: ["AgentFront"]),
        .executable(name: "llavero-fingerprint", targets: ["FingerprintFront"]),
        .executable(name: "llavero-secretservice", targets: ["SecretServiceFront"]),
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
        // MARK: Ground: what everything stands on
        // C headers of Linux that Swift can't see otherwise; no logic.
        c("CLinuxSupport", in: .ground),
        // Argon2id, for passcodes and files of other programs.
        systemLibrary("CArgon2", in: .ground, pkgConfig: "libargon2", package: "libargon2-dev"),
        // Packed files of other programs.
        systemLibrary("CZlib", in: .ground, pkgConfig: "zlib", package: "zlib1g-dev"),
        // System call filters.
        systemLibrary("CSeccomp", in: .ground, pkgConfig: "libseccomp", package: "libseccomp-dev"),
        // Memory for secrets: locked, wiped, never printed.
        library("SecretBytes", in: .ground, ["CLinuxSupport"]),
        // The rights that a process gives up: seccomp, Landlock, limits.
        library("Sandbox", in: .ground, ["CLinuxSupport", "CSeccomp"]),

        // MARK: Wire: what crosses a socket
        // The words that both wires use.
        library("KeychainVocabulary", in: .wire, []),
        // Sockets, descriptors, pollers, bounded readers and writers, the peer's process.
        library("IPC", in: .wire, ["CLinuxSupport", "SecretBytes"]),
        // Between an application and securityd.
        library(
            "SecurityWire", in: .wire,
            [
                "IPC", "SecretBytes", "KeychainVocabulary",
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ]),
        // Between securityd and enclaved.
        library("EnclaveWire", in: .wire, ["IPC", "SecretBytes", "KeychainVocabulary"]),

        // Between a client and trustd; securityd forwards it.
        library("TrustWire", in: .wire, ["IPC"]),
        // Which addresses may be connected to.
        library("FetchRules", in: .wire, []),
        // Between a client and transcoder; securityd forwards it.
        library("TranscodingWire", in: .wire, ["IPC", "SecretBytes"]),
        // The form of an archive of a backup: securityd makes and reads it, the tool looks for damage.
        library("BackupArchive", in: .wire, ["IPC", crypto]),

        // Between the command `security` and its converter.
        library("ConversionWire", in: .wire, ["IPC", "SecretBytes"]),

        // MARK: Application: what a program links
        // The typed client.
        library(
            "Keychain", in: .application,
            [
                "SecurityWire", "IPC", "SecretBytes", "KeychainVocabulary", "CLinuxSupport", crypto,
                "TrustWire", "TranscodingWire",
            ]),
        // What requests and certificates say, in DER; no key is here.
        library("CertificateRequests", in: .application, []),
        // Apple's calls, on Keychain.
        library(
            "LlaveroSecurity", in: .application,
            [
                "Keychain", "SecurityWire", "SecretBytes", "KeychainVocabulary", crypto,
                cryptoExtras, asn1, "TrustWire", "TranscodingWire", "CertificateRequests",
            ]),
        // Exports LlaveroSecurity under Apple's name: a build that finds a module Security may take
        // it for Apple's.
        library("Security", in: .application, ["LlaveroSecurity"]),
        // LAContext and its errors.
        library(
            "LocalAuthentication", in: .application,
            ["LlaveroSecurity", "Keychain", "SecretBytes", "SecurityWire"]),
        // The objects of the C interface; Scripts/install-c-library links libSecurity.so.
        c("CSecurityObjects", in: .application),
        // The functions of the C interface, generated.
        library(
            "SecurityCInterface", in: .application, ["CSecurityObjects", "LlaveroSecurity"]),
        // For code that is written for one of these wrappers; new code uses Keychain.
        library(
            "KeychainItemWrapper", in: .wrappers,
            ["LlaveroSecurity", "Keychain", "SecurityWire", "SecretBytes"]),
        library(
            "JNKeychain", in: .wrappers,
            ["LlaveroSecurity", "Keychain", "SecurityWire", "SecretBytes"]),
        library(
            "SFHFKeychainUtils", in: .wrappers,
            ["LlaveroSecurity", "Keychain", "SecurityWire", "SecretBytes"]),

        // MARK: Service: who asks, and for which items
        // Which application a process is, and its access groups.
        library("CodeIdentity", in: .service, ["IPC", "CLinuxSupport", crypto]),
        // The database.
        library(
            "ItemStore", in: .service,
            [
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        // The path of a request, from a connection to its reply.
        library(
            "SecurityDaemon", in: .service,
            [
                "SecurityWire", "EnclaveWire", "IPC", "CodeIdentity", "ItemStore", "SecretBytes",
                "KeychainVocabulary", "CLinuxSupport", crypto,
                .product(name: "Logging", package: "swift-log"), "TrustWire", "TranscodingWire",
                "BackupArchive",
            ]),
        // Starts the daemons, and restarts them.
        library("Supervision", in: .service, ["IPC", "CLinuxSupport"]),
        // Keeps Foundation's tables of languages out of securityd.
        c("CNoLanguageData", in: .service),
        program(
            "securityd", in: .service,
            [
                "CNoLanguageData", "SecurityDaemon", "Supervision", "ItemStore", "IPC", "Sandbox",
                "SecretBytes",
                "CLinuxSupport", "CodeIdentity", "FetchRules",
                .product(name: "Logging", package: "swift-log"),
            ]),
        // Inspects processes for a securityd that has no right to do so.
        program(
            "peerinspector", in: .service, ["CodeIdentity", "Sandbox", "IPC", "CLinuxSupport"]),

        // MARK: Enclave: whether a key may be used now
        // Keybags, class keys, row keys, private keys, the count of wrong passcodes.
        library(
            "Enclave", in: .enclave,
            ["EnclaveWire", "SecretBytes", "KeychainVocabulary", "IPC", crypto]),
        // The TPM's commands over a descriptor.
        library("TPMClient", in: .enclave, ["SecretBytes", crypto, cryptoExtras]),
        // The enclave's state files.
        library(
            "EnclaveState", in: .enclave,
            [
                "SecretBytes", "IPC", "CLinuxSupport", "Enclave", "EnclaveWire", "TPMClient",
                crypto,
            ]),
        // The child process that derives a key from a passcode.
        library(
            "PasscodeDeriver", in: .enclave,
            ["SecretBytes", "IPC", "CArgon2", "Enclave", "EnclaveWire"]),
        program(
            "enclaved", in: .enclave,
            [
                "Enclave", "EnclaveState", "PasscodeDeriver", "EnclaveWire", "Sandbox", "IPC",
                "TPMClient", "SecretBytes", "CLinuxSupport", "KeychainVocabulary", crypto,
            ]),

        // MARK: Trust: whether a certificate is what it claims
        systemLibrary("COpenSSL", in: .trust, pkgConfig: "libcrypto", package: "libssl-dev"),
        systemLibrary("CPublicSuffix", in: .trust, pkgConfig: "libpsl", package: "libpsl-dev"),
        // libcrypto's part; the only code that calls it.
        .target(
            name: "CPathChecks", dependencies: ["COpenSSL"], path: Group.trust.path("CPathChecks")),
        // Searches paths and judges them.
        library("TrustEvaluation", in: .trust, ["TrustWire", "CPathChecks", "CPublicSuffix"]),
        program(
            "trustd", in: .trust,
            ["TrustEvaluation", "TrustWire", "Sandbox", "IPC", "CLinuxSupport"]),
        // libcrypto's part of formats; the only other code that calls it.
        .target(
            name: "CTranscoding", dependencies: ["COpenSSL"],
            path: Group.trust.path("CTranscoding")),
        // Reads and writes the formats of other programs.
        library(
            "Transcoding", in: .trust,
            ["CTranscoding", "TranscodingWire", "TrustWire", "SecretBytes"]),
        program(
            "transcoder", in: .trust,
            ["Transcoding", "TranscodingWire", "SecretBytes", "Sandbox", "IPC", "CLinuxSupport"]),
        systemLibrary("CCurl", in: .trust, pkgConfig: "libcurl", package: "libcurl4-openssl-dev"),
        // libcurl's part of fetching; the only code that calls it.
        .target(
            name: "CFetching", dependencies: ["CCurl"], path: Group.trust.path("CFetching")),
        program(
            "trustfetcher", in: .trust,
            ["CFetching", "FetchRules", "TrustWire", "Sandbox", "IPC", "CLinuxSupport"]),

        // MARK: Tools
        // Parsers of foreign files, apart from what could act on them.
        library("CredentialFiles", in: .tools, ["SecretBytes"]),
        // Files of other password managers: bytes in, bytes out.
        library(
            "PasswordConversion", in: .tools,
            ["ConversionWire", "SecretBytes", "CArgon2", "CZlib", crypto, cryptoExtras]),
        // The program `llavero-convert`: reads or writes one such file, without any right.
        program(
            "PasswordConverter", in: .tools,
            ["PasswordConversion", "ConversionWire", "Sandbox", "IPC", "CLinuxSupport"]),
        // The checks of `security device doctor`; none can hold a secret.
        library("Diagnosis", in: .tools, ["Keychain", "IPC", "CLinuxSupport"]),
        // The command `security`.
        program(
            "SecurityTool", in: .tools,
            [
                "Keychain", "SecurityWire", "SecretBytes", "KeychainVocabulary", "CLinuxSupport",
                "CredentialFiles", "Diagnosis", "TrustWire", "TranscodingWire", "BackupArchive",
                "CertificateRequests", crypto, cryptoExtras,
            ]),
        // The command `llavero-export-trust`.
        program("ExportTrust", in: .tools, ["Keychain", "SecurityWire", "TrustWire"]),
        // Makes signatures, apart from the daemons that check them.
        library("CodeSigning", in: .tools, ["CodeIdentity", "IPC", crypto]),
        // The command `llavero-codesign`.
        program("CodeSignTool", in: .tools, ["CodeIdentity", "CodeSigning", argumentParser]),
        // The command `llavero-developer`.
        program(
            "DeveloperTool", in: .tools, ["CodeIdentity", "CodeSigning", crypto, argumentParser]),

        // MARK: Front: between the machine and the service; without keys and without rights
        // D-Bus, in processes of this group alone.
        systemLibrary(
            "CSystemdBus", in: .front, pkgConfig: "libsystemd", package: "libsystemd-dev"),
        library("MachineBus", in: .front, ["CSystemdBus"]),
        // The program `llavero-fingerprint`: asks the machine's reader of fingerprints.
        program("FingerprintFront", in: .front, ["MachineBus", "Sandbox"]),
        // org.freedesktop.secrets on a session bus, over any store.
        library(
            "SecretService", in: .front,
            ["CSystemdBus", "IPC", "SecretBytes", "CLinuxSupport", crypto, cryptoExtras]),
        // The store of the Secret Service that securityd keeps; nothing of the bus is here.
        library(
            "SecretChannels", in: .front,
            [
                "SecretService", "Keychain", "SecurityWire", "IPC", "SecretBytes", "CLinuxSupport",
            ]),
        // The program `llavero-secretservice`.
        program(
            "SecretServiceFront", in: .front,
            ["SecretChannels", "SecretService", "Keychain", "IPC", "SecretBytes", "Sandbox"]),
        // What follows from a session's events and options; no input or output.
        library("SessionRules", in: .front, ["SecretBytes"]),
        // The program `llavero-session`: locks with the machine.
        program(
            "SessionFront", in: .front,
            ["MachineBus", "SessionRules", "Keychain", "SecurityWire", "IPC", "Sandbox"]),
        // The program `llavero-pam`: unlocks at a login.
        program(
            "LoginHelper", in: .front,
            [
                "SessionRules", "Keychain", "SecurityWire", "SecretBytes", "IPC", "Sandbox",
                "CLinuxSupport",
            ]),
        // The module that PAM loads; `make build` links it. A target, so that tests and fuzzers reach
        // what it does with others' input.
        .target(
            name: "PAMModule", path: Group.front.path("PAMModule"),
            linkerSettings: [.linkedLibrary("pam")]),
        // Asks persons, for securityd.
        library(
            "AgentPrompts", in: .front,
            [
                "EnclaveWire", "IPC", "SecretBytes", "KeychainVocabulary", "CLinuxSupport", crypto,
            ]),
        // The program `llavero-agent`.
        program("AgentFront", in: .front, ["AgentPrompts", "IPC", "SecretBytes", "Sandbox"]),

        // MARK: Tests
        testLibrary(
            "TestSupport",
            [
                "Keychain", "SecurityWire", "IPC", "SecretBytes", "Supervision", "CLinuxSupport",
                "SecurityDaemon", "CodeIdentity", "ItemStore", "Enclave", "EnclaveState",
                "EnclaveWire", "TrustWire", crypto, .product(name: "Logging", package: "swift-log"),
            ]),
        // The decoders that fuzzers and tests feed bytes to.
        testLibrary(
            "FuzzEntries",
            [
                "SecurityWire", "Security", "SecurityDaemon", "CredentialFiles", "SecretBytes",
                "Keychain", "Enclave", "EnclaveWire", "ItemStore", "IPC", crypto, "TPMClient",
                "CodeIdentity", "CodeSigning", "SessionRules", "PAMModule", "AgentPrompts",
                "KeychainVocabulary", "TrustEvaluation", "TrustWire", "Transcoding",
                "TranscodingWire", "PasswordConversion", "ConversionWire",
            ]),
        // Starts a program with some rights or calls removed, or with an environment that is faked.
        testProgram("TestLauncher", ["Sandbox", "CLinuxSupport", "CSeccomp"]),
        // An application of the typed client, and a naive service for comparison.
        testProgram(
            "TestApplication",
            [
                "Keychain", "KeychainVocabulary", "SecurityWire", "SecretBytes", "IPC",
                "CLinuxSupport",
            ]),
        // The daemons' code and a client of it, for counting instructions.
        testProgram("CountedFinds", ["TestSupport", "Keychain", "Sandbox"]),
        // A front without a bus.
        testProgram("TestFront", ["TestSupport", "SecurityWire", "SecretBytes", "CLinuxSupport"]),
        // An application of Apple's calls.
        testProgram("TestTask", ["Security"]),
        // An application with protected items, and a person.
        testProgram(
            "TestPerson", ["Keychain", "Security", "LocalAuthentication", "CLinuxSupport"]),
        // An application of the old wrappers.
        testProgram(
            "TestWrappers",
            ["Keychain", "Security", "KeychainItemWrapper", "JNKeychain", "SFHFKeychainUtils"]),
        // The code of the documentation's pages, compiled as in a reader's own package.
        .executableTarget(
            name: "DocumentationSamples",
            dependencies: [
                "Security", "Keychain", "KeychainItemWrapper", "JNKeychain", "SFHFKeychainUtils",
            ],
            path: "Tests/Programs/DocumentationSamples",
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),

        tests("SecretBytesTests", in: .ground, ["SecretBytes"]),
        tests("IPCTests", in: .wire, ["IPC"]),
        tests(
            "SecurityWireTests", in: .wire,
            [
                "SecurityWire", "IPC", "SecretBytes", "TestSupport", "KeychainVocabulary",
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ]),
        tests(
            "EnclaveWireTests", in: .wire,
            ["EnclaveWire", "IPC", "KeychainVocabulary", "SecretBytes"]),
        tests(
            "KeychainTests", in: .application,
            ["Keychain", "SecurityWire", "SecretBytes", "IPC", "TestSupport"]),
        tests(
            "SecurityTests", in: .application,
            ["Security", "SecurityWire", "SecretBytes", "TestSupport", "TrustWire", crypto]),
        tests("LocalAuthenticationTests", in: .application, ["LocalAuthentication", "Security"]),
        tests("CInterfaceTests", in: .application, ["TestSupport", "Security"]),
        tests(
            "CodeIdentityTests", in: .service,
            ["CodeIdentity", "CodeSigning", "TestSupport", crypto]),
        tests(
            "ItemStoreTests", in: .service,
            ["ItemStore", .product(name: "GRDB", package: "GRDB.swift")]),
        tests(
            "SecurityDaemonTests", in: .service,
            [
                "SecurityDaemon", "SecurityWire", "EnclaveWire", "CodeIdentity", "IPC",
                "KeychainVocabulary", "SecretBytes", "TestSupport", crypto,
            ]),
        tests("SupervisionTests", in: .service, ["Supervision"]),
        tests(
            "EnclaveTests", in: .enclave,
            [
                "Enclave", "EnclaveWire", "EnclaveState", "PasscodeDeriver", "Sandbox", "IPC",
                "SecretBytes", "TPMClient", "TestSupport", "KeychainVocabulary", crypto,
            ]),
        tests(
            "TPMClientTests", in: .enclave,
            ["TPMClient", "SecretBytes", "IPC", "TestSupport", crypto, cryptoExtras]),
        tests("SessionRulesTests", in: .front, ["SessionRules", "SecretBytes", "PAMModule"]),
        tests("AgentPromptsTests", in: .front, ["AgentPrompts"]),
        tests(
            "SecretServiceTests", in: .front,
            ["SecretService", "SecretBytes", "IPC", "TestSupport", crypto]),
        tests("TrustWireTests", in: .wire, ["TrustWire"]),
        tests("BackupArchiveTests", in: .wire, ["BackupArchive", crypto]),
        tests("FetchRulesTests", in: .wire, ["FetchRules"]),
        tests(
            "TranscodingTests", in: .trust,
            ["Transcoding", "TranscodingWire", "SecretBytes", "FuzzEntries", "TestSupport"]),
        tests(
            "TrustEvaluationTests", in: .trust,
            ["CPathChecks", "TrustEvaluation", "TrustWire", "TestSupport"]),
        tests("CredentialFilesTests", in: .tools, ["CredentialFiles", "SecretBytes"]),
        tests("ConversionWireTests", in: .wire, ["ConversionWire", "SecretBytes"]),
        tests(
            "PasswordConversionTests", in: .tools,
            ["PasswordConversion", "ConversionWire", "SecretBytes"]),
        tests(
            "DiagnosisTests", in: .tools,
            ["Diagnosis", "Keychain", "SecurityWire", "IPC", "TestSupport"]),
        // The API's contract, in process and over real daemons.
        tests(
            "ConformanceTests",
            [
                "TestSupport", "Security", "LlaveroSecurity", "LocalAuthentication", "Keychain",
                "SecurityWire", "CodeIdentity", "SecretBytes",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        // Random calls against a model.
        tests(
            "ModelTests", ["Security", "Keychain", "CodeIdentity", "FuzzEntries", "TestSupport"]),
        // Real processes.
        tests(
            "ServiceTests",
            [
                "TestSupport", "Keychain", "Security", "SecurityWire", "EnclaveWire", "Enclave",
                "EnclaveState", "ItemStore", "IPC", "SecretBytes", "CodeIdentity", "CodeSigning",
                "KeychainVocabulary", "CLinuxSupport", "FuzzEntries", crypto, "TrustWire",
                "TranscodingWire", "BackupArchive", "ConversionWire",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        // Transcripts of the commands.
        tests("CommandTests", ["TestSupport", "BackupArchive"]),
        // The source tree itself.
        tests("TidyTests", ["TestSupport"]),
    ]
)
