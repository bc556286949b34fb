// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import TestSupport
import Testing

/// The support of the symbols in `Tests/Vectors/api-symbols.tsv` and `api-symbols-keychains.tsv`.
/// The compiled module shows which are declared, and calls show which work. The page
/// Documentation/api-coverage.md must say the same. With `LLAVERO_WRITE_COVERAGE` set the test
/// writes the page.
@Suite(.serialized) struct SurfaceTests {
    struct Symbol {
        let area: String
        let kind: String
        let name: String
        let swiftName: String
    }

    enum Standing: String {
        case works = "works"
        /// It is declared, but its purpose isn't implemented.
        case declared = "declared"
        /// A function that returns that it isn't implemented.
        case unimplemented = "answers -4 or nothing"
        case missing = "missing"
    }

    init() throws { _ = try EphemeralKeychain.shared.get() }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func symbols(_ list: String = "api-symbols") throws -> [Symbol] {
        let file = Self.root.appendingPathComponent("Tests/Vectors/\(list).tsv")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .map { line in
                let fields = line.split(separator: "\t").map(String.init)
                guard fields.count == 4 else { throw CocoaError(.fileReadCorruptFile) }
                return Symbol(
                    area: fields[0], kind: fields[1], name: fields[2], swiftName: fields[3])
            }
    }

    /// The names of all public declarations of the compiled module, from the compiler.
    private func declared() throws -> Set<String> {
        let program = URL(fileURLWithPath: CommandLine.arguments[0])
        let modules = program.deletingLastPathComponent().appendingPathComponent("Modules")
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("llavero-symbols-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = TestProcess.Options()
        options.environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""]
        let extraction = try TestProcess.run(
            "/usr/bin/env",
            [
                "swift-symbolgraph-extract", "-module-name", "LlaveroSecurity",
                "-I", modules.path, "-target", "\(Self.architecture)-unknown-linux-gnu",
                "-minimum-access-level", "public",
                "-output-dir", folder.path,
            ], options, within: .seconds(300))
        #expect(extraction.ending == .exit(0), "\(extraction.errors)")
        struct Graph: Decodable {
            struct Entry: Decodable { let pathComponents: [String] }
            let symbols: [Entry]
        }
        let file = folder.appendingPathComponent("LlaveroSecurity.symbols.json")
        let data = try Data(contentsOf: file)
        let graph = try JSONDecoder().decode(Graph.self, from: data)
        return Set(
            graph.symbols.map { entry in
                entry.pathComponents.joined(separator: ".").prefix { $0 != "(" }
            }.map(String.init))
    }

    #if arch(arm64)
        private static let architecture = "aarch64"
    #else
        private static let architecture = "x86_64"
    #endif

    @Test func everyPublicSymbolIsDeclared() throws {
        let declared = try declared()
        let missing = try symbols().filter { !declared.contains($0.swiftName) }
        #expect(missing.map(\.name) == [])
        // The control: the extraction doesn't match arbitrary names.
        #expect(!declared.contains("SecKeyNoSuchFunction") && declared.count > 1000)
    }

    // MARK: - Functions

    @Test func everyFunctionIsCalledOnce() throws {
        let calls = try SurfaceCalls()
        let tables = [
            Set(calls.working.keys), Set(calls.statuses.keys), Set(calls.refusals.keys),
        ]
        let functions = Set(try symbols().filter { $0.kind == "function" }.map(\.name))
        #expect(tables.reduce(0) { $0 + $1.count } == functions.count)
        #expect(tables.reduce(Set()) { $0.union($1) } == functions)
    }

    @Test func whatIsNotBuiltSaysSo() throws {
        let calls = try SurfaceCalls()
        for (name, call) in calls.statuses { #expect(call() == errSecUnimplemented, "\(name)") }
        for (name, call) in calls.refusals { #expect(call(), "\(name)") }
        #expect(calls.statuses.count > 10)
    }

    // MARK: - Constants

    /// Algorithms that some key supports.
    private func workingAlgorithms() throws -> Set<String> {
        let calls = try SurfaceCalls()
        let uses: [(SecKey, SecKeyOperationType)] = [
            (calls.key, .sign), (calls.rsaKey, .sign), (calls.publicKey, .encrypt),
            (calls.rsaPublicKey, .encrypt), (calls.key, .keyExchange),
        ]
        return Set(
            SurfaceConstants.algorithms.filter { entry in
                uses.contains { SecKeyIsAlgorithmSupported($0.0, $0.1, entry.1) }
            }.map(\.0))
    }

    /// Valid values of query keys; a key that accepts one of them is known.
    private static var samples: [Any] {
        [
            "text", Data([1]), 1, true, NSDate(timeIntervalSinceReferenceDate: 0),
            SecPolicyCreateBasicX509(), ["text"], [Data([1])], NSNull(),
        ]
    }

    private static var classes: [CFString] {
        [
            kSecClassGenericPassword, kSecClassInternetPassword, kSecClassCertificate, kSecClassKey,
            kSecClassIdentity,
        ]
    }

    private func isTaken(_ query: [CFString: Any]) -> Bool {
        let status = SecItemCopyMatching(query as CFDictionary, nil)
        return [errSecSuccess, errSecItemNotFound].contains(status)
    }

    /// Whether a query succeeds with a constant as a key, or as a value of the key with which its
    /// name begins.
    private func isTaken(_ name: String, _ constant: CFString) -> Bool {
        let valueOf: [(String, CFString)] = [
            ("kSecAttrAccessible", kSecAttrAccessible), ("kSecAttrProtocol", kSecAttrProtocol),
            ("kSecAttrAuthenticationType", kSecAttrAuthenticationType),
            ("kSecAttrKeyClass", kSecAttrKeyClass), ("kSecAttrKeyType", kSecAttrKeyType),
            ("kSecAttrTokenID", kSecAttrTokenID), ("kSecMatchLimit", kSecMatchLimit),
            ("kSecAttrSynchronizable", kSecAttrSynchronizable),
            ("kSecUseAuthenticationUI", kSecUseAuthenticationUI), ("kSecClass", kSecClass),
        ]
        for (prefix, key) in valueOf where name.hasPrefix(prefix) && name != prefix {
            return Self.classes.contains { itemClass in
                isTaken([kSecClass: itemClass].merging([key: constant]) { $1 })
            }
        }
        return Self.classes.contains { itemClass in
            Self.samples.contains { isTaken([kSecClass: itemClass, constant: $0]) }
        }
    }

    /// Constants that don't belong in a query, or that have no effect there.
    private static let known: [String: Standing] = [
        "kSecClass": .works, "kSecAttrAccessControl": .works, "kSecAttrAccessGroup": .works,
        "kSecAttrAccessGroupToken": .declared, "kSecAttrAccessible": .works,
        "kSecMatchLimit": .works, "kSecAttrSynchronizable": .works, "kSecValueRef": .works,
        "kSecValuePersistentRef": .works, "kSecMatchItemList": .works,
        "kSecMatchSearchList": .works,
        "kSecMatchPolicy": .works, "kSecUseAuthenticationContext": .works,
        "kSecUseKeychain": .works, "kSecUseItemList": .works,
        "kSecUseUserIndependentKeychain": .declared, "kSecUseOperationPrompt": .works,
        "kSecUseNoAuthenticationUI": .works, "kSecUseAuthenticationUI": .works,
        "kSecUseAuthenticationUIAllow": .works, "kSecUseAuthenticationUIFail": .works,
        "kSecUseAuthenticationUISkip": .works, "kSecUseDataProtectionKeychain": .works,
        "kSecAttrKeyTypeDSA": .declared, "kSecAttrSyncViewHint": .works,
    ]

    /// Types of keys that are made.
    private static var symmetricTypes: [String: CFString] {
        [
            "kSecAttrKeyType3DES": kSecAttrKeyType3DES, "kSecAttrKeyTypeCAST": kSecAttrKeyTypeCAST,
            "kSecAttrKeyTypeDES": kSecAttrKeyTypeDES, "kSecAttrKeyTypeRC2": kSecAttrKeyTypeRC2,
            "kSecAttrKeyTypeRC4": kSecAttrKeyTypeRC4, "kSecAttrKeyTypeAES": kSecAttrKeyTypeAES,
        ]
    }

    /// Parameters of a derivation from a password: each changes the key.
    private static func derivation(_ name: String) -> Bool? {
        let functions: [String: CFString] = [
            "kSecAttrPRFHmacAlgSHA1": kSecAttrPRFHmacAlgSHA1,
            "kSecAttrPRFHmacAlgSHA224": kSecAttrPRFHmacAlgSHA224,
            "kSecAttrPRFHmacAlgSHA256": kSecAttrPRFHmacAlgSHA256,
            "kSecAttrPRFHmacAlgSHA384": kSecAttrPRFHmacAlgSHA384,
            "kSecAttrPRFHmacAlgSHA512": kSecAttrPRFHmacAlgSHA512,
        ]
        func key(_ more: [CFString: Any]) -> SecKey? {
            let parameters: [CFString: Any] = [
                kSecAttrSalt: Data([1]), kSecAttrRounds: 1, kSecAttrPRF: kSecAttrPRFHmacAlgSHA1,
            ]
            return SecKeyDeriveFromPassword(
                "p" as CFString, parameters.merging(more) { $1 } as CFDictionary, nil)
        }
        let changes: [String: [CFString: Any]] = [
            "kSecAttrSalt": [kSecAttrSalt: Data([2])], "kSecAttrRounds": [kSecAttrRounds: 2],
            "kSecAttrPRF": [kSecAttrPRF: kSecAttrPRFHmacAlgSHA512],
        ]
        if let change = changes[name] { return key(change) != nil && key(change) != key([:]) }
        return functions[name].map { function in
            let others = functions.values.filter { $0 != function }
            let made = key([kSecAttrPRF: function])
            return made != nil && others.allSatisfy { key([kSecAttrPRF: $0]) != made }
        }
    }

    /// Cases of enumerations: those that a working function accepts.
    private static let workingCases: Set<String> = [
        "kSecAccessControlAnd", "kSecAccessControlOr", "kSecAccessControlPrivateKeyUsage",
        "kSecAccessControlApplicationPassword", "kSecAccessControlBiometryAny",
        "kSecAccessControlBiometryCurrentSet", "kSecAccessControlDevicePasscode",
        "kSecAccessControlTouchIDAny", "kSecAccessControlTouchIDCurrentSet",
        "kSecAccessControlUserPresence", "kSecRevocationCRLMethod", "kSecRevocationOCSPMethod",
        "kSecRevocationRequirePositiveResponse", "kSecRevocationUseAnyAvailableMethod",
        "kSecKeyOperationTypeDecrypt", "kSecKeyOperationTypeEncrypt",
        "kSecKeyOperationTypeKeyExchange", "kSecKeyOperationTypeSign",
        "kSecKeyOperationTypeVerify", "kSecPaddingNone", "kSecPaddingOAEP", "kSecPaddingPKCS1",
        "kSecPaddingPKCS1SHA1", "kSecPaddingPKCS1SHA256", "kSecPaddingPKCS1SHA384",
        "kSecPaddingPKCS1SHA224", "kSecPaddingPKCS1SHA512", "kSecPaddingSigRaw",
        "kSecAES128", "kSecAES192", "kSecAES256", "kSec3DES192",
        "kSecKeyUsageAll", "kSecKeyUsageCRLSign", "kSecKeyUsageContentCommitment",
        "kSecKeyUsageCritical", "kSecKeyUsageDataEncipherment", "kSecKeyUsageDecipherOnly",
        "kSecKeyUsageDigitalSignature", "kSecKeyUsageEncipherOnly", "kSecKeyUsageKeyAgreement",
        "kSecKeyUsageKeyCertSign", "kSecKeyUsageKeyEncipherment", "kSecKeyUsageNonRepudiation",
        "kSecKeyUsageUnspecified", "kSecDefaultKeySize", "kSecp256r1",
        "kSecp384r1", "kSecp521r1", "kSecRSAMax", "kSecTrustOptionAllowExpired",
        "kSecTrustOptionAllowExpiredRoot", "kSecTrustOptionImplicitAnchors",
        "kSecTrustOptionRequireRevPerCert", "kSecTrustResultFatalTrustFailure",
        "kSecTrustResultInvalid", "kSecTrustResultProceed",
        "kSecTrustResultRecoverableTrustFailure", "kSecTrustResultUnspecified",
        "kSecTrustResultDeny", "kSecTrustSettingsDomainAdmin", "kSecTrustSettingsDomainUser",
        "kSecTrustSettingsResultDeny", "kSecTrustSettingsResultTrustAsRoot",
        "kSecTrustSettingsResultTrustRoot", "kSecTrustSettingsResultInvalid",
        "kSecTrustSettingsKeyUseAny", "kSecTrustSettingsKeyUseEnDecryptData",
        "kSecTrustSettingsKeyUseEnDecryptKey", "kSecTrustSettingsKeyUseKeyExchange",
        "kSecTrustSettingsKeyUseSignCert", "kSecTrustSettingsKeyUseSignRevocation",
        "kSecTrustSettingsKeyUseSignature",
    ]

    /// Keys of results that an evaluation gives.
    private static let resultKeys: Set<String> = [
        "kSecTrustEvaluationDate", "kSecTrustResultValue", "kSecTrustRevocationChecked",
        "kSecTrustRevocationValidUntilDate", "kSecPropertyTypeTitle", "kSecPropertyTypeError",
    ]

    /// Parameter types of functions of which none works.
    private static let idleTypes: Set<String> = [
        "SecCredentialType"
    ]

    /// Of import and export: formats that have no reader, and options of keychain files and of a
    /// question to the person.
    private static let idleInFiles: Set<String> = [
        "kSecFormatBSAFE", "kSecFormatWrappedLSH", "kSecKeySecurePassphrase",
        "kSecKeyNoAccessControl", "kSecImportExportKeychain", "kSecImportExportAccess",
    ]

    private func standing(
        _ symbol: Symbol, _ calls: SurfaceCalls, _ algorithms: Set<String>
    ) -> Standing {
        switch symbol.kind {
        case "function":
            if let call = calls.working[symbol.name] { return call() ? .works : .missing }
            return .unimplemented
        // A named number.
        case "status": return .works
        case "case" where symbol.area == "import and export",
            "constant" where symbol.area == "import and export":
            return Self.idleInFiles.contains(symbol.name) ? .declared : .works
        case "type": return Self.idleTypes.contains(symbol.name) ? .declared : .works
        case "case": return Self.workingCases.contains(symbol.name) ? .works : .declared
        default: break
        }
        switch symbol.area {
        case "keys" where symbol.name.hasPrefix("kSecKeyAlgorithm"):
            return algorithms.contains(symbol.name) ? .works : .declared
        case "keys", "random", "identities": return .works
        case "certificates":
            // Keys and types of properties; no property is a judgement.
            return symbol.name.hasSuffix("Success") || symbol.name.hasSuffix("Warning")
                ? .declared : .works
        case "items":
            if let known = Self.known[symbol.name] { return known }
            if let type = Self.symmetricTypes[symbol.name] {
                let parameters = [kSecAttrKeyType: type] as CFDictionary
                return SecKeyGenerateSymmetric(parameters, nil) == nil ? .declared : .works
            }
            if let works = Self.derivation(symbol.name) { return works ? .works : .declared }
            let constant = SurfaceConstants.items.first { $0.0 == symbol.name }?.1
            return constant.map { isTaken(symbol.name, $0) } == true ? .works : .declared
        case "trust": return Self.resultKeys.contains(symbol.name) ? .works : .declared
        case "policies":
            // Names and properties that `SecPolicyCreateWithProperties` accepts.
            return symbol.name.hasPrefix("kSecPolicyKU_") ? .declared : .works
        default: return .declared
        }
    }

    @Test func theFileKeychainsInterfaceHasWhatIsSaidOfIt() throws {
        let symbols = try symbols("api-symbols-keychains")
        let names = Set(symbols.map(\.name))
        #expect(names.count == symbols.count)
        #expect(KeychainProofs.names.allSatisfy(names.contains))
        let declared = try declared()
        let there = symbols.filter { declared.contains($0.swiftName) && $0.kind == "function" }
        let identifiers = symbols.filter { $0.area == "certificate OIDs" }
        #expect(identifiers.count == 122)
        #expect(identifiers.allSatisfy { declared.contains($0.swiftName) })
        #expect(Set(there.map(\.name)) == KeychainProofs.names)
    }

    @Test(.usesSharedCertificate) func theCoveragePageIsTrue() throws {
        let calls = try SurfaceCalls()
        let algorithms = try workingAlgorithms()
        let declared = try declared()
        let main = Areas(try symbols()) { symbol in
            declared.contains(symbol.swiftName) ? standing(symbol, calls, algorithms) : .missing
        }
        let keychains = Areas(try symbols("api-symbols-keychains")) { symbol in
            guard declared.contains(symbol.swiftName) else { return .missing }
            // `CertificateValuesTests` compares the texts of the identifiers.
            let works =
                symbol.kind == "function" || symbol.area == "certificate OIDs"
                || KeychainProofs.constants.contains { symbol.swiftName.hasPrefix($0) }
            return works ? .works : .declared
        }
        let page = Self.page(main, keychains)
        let file = Self.root.appendingPathComponent("Documentation/api-coverage.md")
        if ProcessInfo.processInfo.environment["LLAVERO_WRITE_COVERAGE"] != nil {
            try page.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == page)
    }

    /// Symbols with their support, in the order of their list.
    private struct Areas {
        private(set) var names: [String] = []
        private(set) var entries: [String: [(symbol: Symbol, standing: Standing)]] = [:]

        init(_ symbols: [Symbol], _ standing: (Symbol) -> Standing) {
            for symbol in symbols {
                if entries[symbol.area] == nil { names.append(symbol.area) }
                entries[symbol.area, default: []].append((symbol, standing(symbol)))
            }
        }

        var count: Int { entries.values.reduce(0) { $0 + $1.count } }

        func count(_ standing: Standing, in area: String? = nil) -> Int {
            names.filter { area == nil || $0 == area }.reduce(0) { sum, name in
                sum + (entries[name] ?? []).count { $0.standing == standing }
            }
        }

        var table: String {
            var text = """
                | Area | Symbols | Work | Declared | Answer -4 or nothing | Missing |
                |---|---|---|---|---|---|

                """
            for area in names {
                let counts = [Standing.works, .declared, .unimplemented, .missing].map {
                    "\(count($0, in: area))"
                }
                text += "| \(area) | \(entries[area]?.count ?? 0) | "
                text += counts.joined(separator: " | ") + " |\n"
            }
            return text
        }

        var lists: String {
            var text = ""
            for area in names {
                text += "\n## \(area)\n"
                for standing in [Standing.works, .declared, .unimplemented, .missing] {
                    let names = (entries[area] ?? []).filter {
                        $0.standing == standing && $0.symbol.kind != "status"
                    }
                    guard !names.isEmpty else { continue }
                    text += "\n**\(standing.rawValue)**:\n\n```text\n"
                    text += names.map(\.symbol.swiftName).joined(separator: ", ") + "\n```\n"
                }
            }
            return text
        }
    }

    private static func page(_ main: Areas, _ keychains: Areas) -> String {
        """
        # The public interface: what is there

        A test (`SurfaceTests`) writes this page with `LLAVERO_WRITE_COVERAGE=1`. Each run compares it with the compiled
        module, and calls the functions. The lists of symbols are `Tests/Vectors/api-symbols.tsv` and
        `Tests/Vectors/api-symbols-keychains.tsv`.

        **\(main.count(.works)) of \(main.count) work.** \(main.count - main.count(.missing)) are declared in Swift with their
        signatures.

        - *Declared* are constants and types of what isn't built, and those that have no effect.
        - Functions that aren't built answer -4 (`errSecUnimplemented`), nil with an error of that code, or nothing
          where there is no error.
        - No transparency logs and no extended validation.

        \(main.table)
        **\(keychains.count(.missing)) of \(keychains.count) symbols are missing** of file keychains, access objects and
        CMS. A program that names one of these doesn't compile.

        \(keychains.table)\(main.lists)\(keychains.lists)
        """
    }
}
