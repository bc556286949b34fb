// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

@Suite struct TidyTests {
    /// The modules that each target's sources may import, besides the standard library. A line here
    /// is a decision about the dependencies between targets.
    private static let allowedImports: [String: Set<String>] = [
        "SecretBytes": ["CLinuxSupport", "Glibc", "Synchronization"],
        "IPC": ["CLinuxSupport", "Glibc", "SecretBytes"],
        "KeychainVocabulary": [],
        "SecurityWire": [
            "IPC", "SecretBytes", "KeychainVocabulary", "SwiftProtobuf", "FoundationEssentials",
            "Glibc",
        ],
        "EnclaveWire": ["IPC", "SecretBytes", "KeychainVocabulary", "CLinuxSupport", "Glibc"],
        "TrustWire": ["IPC"],
        "TranscodingWire": ["IPC", "SecretBytes"],
        "BackupArchive": ["IPC", "Crypto", "FoundationEssentials"],
        "Transcoding": ["CTranscoding", "TranscodingWire", "TrustWire", "SecretBytes", "Glibc"],
        "transcoder": [
            "Transcoding", "TranscodingWire", "SecretBytes", "Sandbox", "IPC", "CLinuxSupport",
            "Glibc",
        ],
        "FetchRules": [],
        "trustfetcher": [
            "CFetching", "FetchRules", "TrustWire", "Sandbox", "IPC", "CLinuxSupport", "Glibc",
        ],
        "TrustEvaluation": ["TrustWire", "CPathChecks", "CPublicSuffix", "Glibc"],
        "trustd": [
            "TrustEvaluation", "TrustWire", "Sandbox", "IPC", "CLinuxSupport", "Glibc",
            "Synchronization",
        ],
        "Keychain": [
            "SecurityWire", "IPC", "SecretBytes", "KeychainVocabulary", "CLinuxSupport", "Crypto",
            "FoundationEssentials", "Glibc", "Synchronization", "TrustWire", "TranscodingWire",
        ],
        "Security": ["LlaveroSecurity"],
        "LlaveroSecurity": [
            "Keychain", "SecurityWire", "SecretBytes", "KeychainVocabulary", "Foundation",
            "CoreFoundation", "Dispatch", "Glibc", "Crypto", "CryptoExtras", "SwiftASN1",
            "Synchronization", "TrustWire", "TranscodingWire", "CertificateRequests",
        ],
        "CertificateRequests": [],
        "SecurityCInterface": ["CSecurityObjects", "LlaveroSecurity", "Foundation"],
        "KeychainItemWrapper": [
            "LlaveroSecurity", "Keychain", "SecurityWire", "SecretBytes", "Foundation",
        ],
        "JNKeychain": [
            "LlaveroSecurity", "Keychain", "SecurityWire", "SecretBytes", "Foundation",
        ],
        "SFHFKeychainUtils": [
            "LlaveroSecurity", "Keychain", "SecurityWire", "SecretBytes", "Foundation",
        ],
        "LocalAuthentication": [
            "LlaveroSecurity", "Keychain", "SecretBytes", "Dispatch", "Foundation",
            "Synchronization",
        ],
        "CodeIdentity": [
            "IPC", "CLinuxSupport", "Crypto", "FoundationEssentials", "Glibc", "Synchronization",
        ],
        "CodeSigning": ["CodeIdentity", "IPC", "Crypto", "FoundationEssentials", "Glibc"],
        "ItemStore": ["FoundationEssentials", "Glibc", "GRDB", "GRDBSQLite", "Synchronization"],
        "SecurityDaemon": [
            "SecurityWire", "EnclaveWire", "IPC", "CodeIdentity", "ItemStore", "SecretBytes",
            "KeychainVocabulary", "CLinuxSupport", "Crypto", "Foundation", "Glibc", "Logging",
            "Synchronization", "TrustWire", "TranscodingWire", "BackupArchive",
        ],
        "Supervision": ["IPC", "CLinuxSupport", "Foundation", "Glibc"],
        "Enclave": [
            "EnclaveWire", "SecretBytes", "KeychainVocabulary", "IPC", "Crypto",
            "FoundationEssentials",
        ],
        "EnclaveState": [
            "SecretBytes", "IPC", "CLinuxSupport", "Enclave", "EnclaveWire", "Crypto", "Glibc",
            "FoundationEssentials", "TPMClient",
        ],
        "TPMClient": ["SecretBytes", "Crypto", "CryptoExtras", "Glibc"],
        "PasscodeDeriver": [
            "SecretBytes", "IPC", "CArgon2", "Enclave", "EnclaveWire", "CLinuxSupport", "Glibc",
        ],
        "Sandbox": ["CLinuxSupport", "CSeccomp", "Glibc"],
        "CredentialFiles": ["SecretBytes"],
        "ConversionWire": ["IPC", "SecretBytes", "Glibc"],
        "PasswordConversion": [
            "ConversionWire", "SecretBytes", "CArgon2", "CZlib", "Crypto", "CryptoExtras", "Glibc",
        ],
        "PasswordConverter": [
            "PasswordConversion", "ConversionWire", "Sandbox", "IPC", "CLinuxSupport", "Glibc",
        ],
        "Diagnosis": ["Keychain", "SecurityWire", "IPC", "CLinuxSupport", "Glibc"],
        "SecurityTool": [
            "Keychain", "SecurityWire", "SecretBytes", "KeychainVocabulary", "CLinuxSupport",
            "CredentialFiles", "Diagnosis", "Glibc", "TrustWire", "TranscodingWire",
            "BackupArchive",
            "CertificateRequests", "Crypto", "CryptoExtras", "FoundationEssentials",
        ],
        "ExportTrust": ["Keychain", "SecurityWire", "TrustWire", "Foundation", "Glibc"],
        "AgentPrompts": [
            "EnclaveWire", "IPC", "SecretBytes", "KeychainVocabulary", "CLinuxSupport", "Crypto",
            "FoundationEssentials", "Glibc",
        ],
        "AgentFront": ["AgentPrompts", "IPC", "SecretBytes", "Sandbox", "Glibc"],
        "CodeSignTool": [
            "ArgumentParser", "CodeIdentity", "CodeSigning", "FoundationEssentials", "Glibc",
        ],
        "DeveloperTool": [
            "ArgumentParser", "CodeIdentity", "CodeSigning", "Crypto", "FoundationEssentials",
        ],
        "MachineBus": ["CSystemdBus", "Glibc"],
        "FingerprintFront": ["MachineBus", "Sandbox", "Glibc"],
        "SecretService": [
            "CSystemdBus", "IPC", "SecretBytes", "CLinuxSupport", "Crypto", "CryptoExtras",
            "FoundationEssentials", "Glibc", "Synchronization",
        ],
        "SecretChannels": [
            "SecretService", "Keychain", "SecurityWire", "IPC", "SecretBytes", "CLinuxSupport",
            "Glibc", "Synchronization",
        ],
        "SecretServiceFront": [
            "SecretChannels", "SecretService", "Keychain", "IPC", "SecretBytes", "Sandbox", "Glibc",
        ],
        "SessionRules": ["SecretBytes"],
        "SessionFront": [
            "MachineBus", "SessionRules", "Keychain", "SecurityWire", "IPC", "Sandbox", "Glibc",
        ],
        "LoginHelper": [
            "SessionRules", "Keychain", "SecurityWire", "SecretBytes", "IPC", "Sandbox",
            "CLinuxSupport", "Glibc",
        ],
        "securityd": [
            "SecurityDaemon", "Supervision", "ItemStore", "IPC", "Sandbox", "SecretBytes",
            "CLinuxSupport", "CodeIdentity", "FetchRules", "Foundation", "Logging",
            "Synchronization",
        ],
        "peerinspector": ["CodeIdentity", "Sandbox", "IPC", "CLinuxSupport", "Glibc"],
        "enclaved": [
            "Enclave", "EnclaveState", "PasscodeDeriver", "EnclaveWire", "Sandbox", "IPC",
            "TPMClient", "SecretBytes", "CLinuxSupport", "KeychainVocabulary", "Crypto", "Glibc",
        ],
    ]

    /// `Documentation/attack-list.md` explains the numbers with which names of tests begin.
    @Test func eachNumberedAttackIsATestAndIsExplained() throws {
        let files = try SourceTree.files(in: "Tests", endingIn: ".swift")
        let named = Set(
            files.flatMap(\.lines).compactMap { line -> String? in
                guard let match = line.firstMatch(of: /func ([acfhstx][0-9]{2})[A-Z]/) else {
                    return nil
                }
                return String(match.1)
            })
        let explained = try SourceTree.file("Documentation/attack-list.md").lines.compactMap {
            line in line.firstMatch(of: /^\| ([a-z][0-9]{2}) \|/).map { String($0.1) }
        }
        #expect(explained.count == Set(explained).count)
        #expect(explained.count > 50)
        #expect(named.subtracting(explained) == [])
        #expect(Set(explained).subtracting(named) == [])
    }

    @Test func noTargetImportsMoreThanItsList() throws {
        let files = try SourceTree.files(in: "Sources", endingIn: ".swift")
        var offenses: [String] = []
        for file in files where !file.isGenerated {
            guard let allowed = Self.allowedImports[file.target] else {
                offenses.append("\(file.path): its target is not in the list")
                continue
            }
            for line in file.lines {
                var words = line.split(separator: " ")
                while let first = words.first, first != "import",
                    ["public", "package", "internal", "@_exported", "@preconcurrency"].contains(
                        first)
                {
                    words.removeFirst()
                }
                guard words.first == "import", let module = words.dropFirst().first else {
                    continue
                }
                let name = String(module.split(separator: ".")[0])
                if !allowed.contains(name) { offenses.append("\(file.path): imports \(name)") }
            }
        }
        #expect(offenses == [])
    }

    /// Foundation's `Process` copies entries of /proc/self/fd as if each had 256 bytes. In a process with
    /// many descriptors the last one reaches beyond its page, and the tests crash.
    @Test func testsStartProgramsWithoutFoundation() throws {
        let files = try SourceTree.files(in: "Tests", endingIn: ".swift")
        let call = "= Process" + "()"
        #expect(SourceTree.matches(files) { $0.contains(call) } == [])
    }

    @Test func sqlIsInTheItemStoreAlone() throws {
        let files = try SourceTree.files(in: "Sources", endingIn: ".swift")
        let sql = ["SELECT ", "INSERT INTO", "DELETE FROM", "PRAGMA ", "CREATE TABLE"]
        let isSQL: (Substring) -> Bool = { line in sql.contains { line.contains($0) } }
        #expect(SourceTree.matches(files.filter { $0.target != "ItemStore" }, isSQL) == [])
        // The control: the store's own SQL is found.
        #expect(!SourceTree.matches(files.filter { $0.target == "ItemStore" }, isSQL).isEmpty)
    }

    @Test func securitydRefusesCallersInItsAuthorizationAlone() throws {
        let files = try SourceTree.files(
            in: "Sources/Service/SecurityDaemon", endingIn: ".swift")
        let refusals = [
            ".groupNotHeld", ".noKeychain", ".restricted", ".ownerNotProven",
            ".administratorNeeded", ".tierNotMet",
        ]
        let isRefusal: (Substring) -> Bool = { line in
            refusals.contains { line.hasSuffix("throw \($0)") || line.contains("throw \($0) ") }
        }
        let inside = files.filter { $0.path.contains("/Authorization/") }
        let outside = files.filter { !$0.path.contains("/Authorization/") }
        #expect(SourceTree.matches(outside, isRefusal) == [])
        // The control: the table's own refusals are found.
        #expect(SourceTree.matches(inside, isRefusal).count > 5)
    }

    @Test func daemonsNeitherTrapOnPurposeNorPrint() throws {
        let quiet = [
            "SecretBytes", "IPC", "SecurityWire", "EnclaveWire", "CodeIdentity", "ItemStore",
            "SecurityDaemon", "Supervision", "Enclave", "EnclaveState", "PasscodeDeriver",
            "TPMClient", "Sandbox", "securityd", "enclaved", "peerinspector", "SessionRules",
            "SessionFront", "MachineBus", "FingerprintFront", "LoginHelper", "TrustWire",
            "TrustEvaluation", "trustd", "TranscodingWire", "Transcoding", "transcoder",
            "FetchRules", "trustfetcher", "BackupArchive", "ConversionWire", "PasswordConversion",
            "PasswordConverter", "SecretService", "SecretChannels", "SecretServiceFront",
        ]
        let files = try SourceTree.files(in: "Sources", endingIn: ".swift")
            .filter { quiet.contains($0.target) && !$0.isGenerated }
        let offenses = SourceTree.matches(files) { line in
            line.contains("fatalError(") || line.contains(" print(") || line.contains("try!")
        }
        #expect(offenses == [])
    }

    /// Types whose thread safety the compiler can't check, each with the reason in its file.
    private static let uncheckedSendable: Set<String> = [
        "Sources/Ground/SecretBytes/SecretBytes.swift",
        "Sources/Ground/SecretBytes/ForkAwareMutex.swift",
    ]

    @Test func uncheckedSendableIsUsedWhereItIsListed() throws {
        let files = try SourceTree.files(in: "Sources", endingIn: ".swift")
            .filter { !$0.isGenerated && $0.target != "LlaveroSecurity" }
        let found = Set(
            SourceTree.matches(files) { $0.contains("@unchecked Sendable") }
                .map { String($0.prefix { $0 != ":" }) })
        #expect(found == Self.uncheckedSendable)
    }

    @Test func nothingIsLeftForLater() throws {
        for folder in [
            "Sources", "Tests", "Examples", "Benchmarks/Sources", "Scripts", "FuzzTesting",
        ] {
            let files = try SourceTree.files(in: folder, endingIn: "")
            let marks = ["FIX" + "ME", "TO" + "DO", "XX" + "X:"]
            let offenses = files.filter { $0.path != "Tests/TidyTests/TidyTests.swift" }
                .flatMap { file in
                    file.lines.filter { line in marks.contains { line.contains($0) } }
                        .map { "\(file.path): \($0)" }
                }
            #expect(offenses == [])
        }
    }

    @Test func filesStayWithinSixHundredLines() throws {
        let tables = ["Constants", "StatusCodes", "ModuleStatusCodes", "SecurityStatus"]
        for folder in ["Sources", "Tests"] {
            for file in try SourceTree.files(in: folder, endingIn: ".swift") {
                if file.isGenerated || tables.contains(where: { file.path.contains($0) }) {
                    continue
                }
                #expect(file.lines.count <= 600, "\(file.path)")
            }
        }
    }

    /// So a name leads to one file. SwiftPM prescribes the two names that are left out.
    @Test func noFileNameOccursTwice() throws {
        var paths: [Substring: [String]] = [:]
        for folder in [
            "Sources", "Tests", "Examples", "Benchmarks", "FuzzTesting", "Interop", "Overlays",
        ] {
            for file in try SourceTree.files(in: folder, endingIn: ".swift") {
                let name = file.path.split(separator: "/").last ?? ""
                if name != "main.swift" && name != "Package.swift" {
                    paths[name, default: []].append(file.path)
                }
            }
        }
        #expect(paths.values.filter { $0.count > 1 } == [])
    }

    /// The packages have the version that the programs report.
    @Test func aReleaseHasOneVersion() throws {
        let packages = try SourceTree.file("VERSION").lines.joined()
        let numbers = packages.split(separator: ".").compactMap { UInt32($0) }
        try #require(numbers.count == 3)
        let number = numbers[0] * 1_000_000 + numbers[1] * 1000 + numbers[2]
        let lines = try SourceTree.file("Sources/Wire/IPC/Release.swift").lines
        let line = try #require(lines.first { $0.contains("static let own") })
        #expect(UInt32(line.filter(\.isNumber)) == number)
    }

    @Test func contributingNamesEveryMakeTarget() throws {
        let makefile = try SourceTree.file("Makefile").lines
        let list = try #require(makefile.first { $0.hasPrefix(".PHONY: ") })
        let targets = list.split(separator: " ").dropFirst()
        #expect(targets.count > 10)
        let page = try SourceTree.file("CONTRIBUTING.md").lines.joined(separator: "\n")
        for target in targets {
            #expect(page.contains("`make \(target)"), "make \(target)")
        }
    }

    @Test func everySwiftFileHasItsLicense() throws {
        for folder in ["Sources", "Tests", "Examples", "Benchmarks", "FuzzTesting"] {
            for file in try SourceTree.files(in: folder, endingIn: ".swift") where !file.isGenerated
            {
                let head = file.lines.prefix(3)
                #expect(
                    head.contains("// SPDX-License-Identifier: Apache-2.0"), "\(file.path)")
            }
        }
    }

    @Test func everyMarkdownLinkLeadsToAFile() throws {
        var offenses: [String] = []
        let names = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
        var files = try SourceTree.files(in: "Documentation", endingIn: ".md")
        for name in names {
            let text = try String(
                contentsOf: SourceTree.root.appendingPathComponent(name), encoding: .utf8)
            files.append(.init(path: name, lines: text.split(separator: "\n")))
        }
        for file in files {
            let folder = SourceTree.root.appendingPathComponent(file.path)
                .deletingLastPathComponent()
            for line in file.lines {
                for part in line.split(separator: "](").dropFirst() {
                    let target = part.prefix { $0 != ")" && $0 != "#" }
                    if target.isEmpty || target.contains("://") { continue }
                    let path = folder.appendingPathComponent(String(target)).path
                    if !FileManager.default.fileExists(atPath: path) {
                        offenses.append("\(file.path): \(target)")
                    }
                }
            }
        }
        #expect(offenses == [])
    }

    /// `Scripts/generate-red-team >Documentation/RED-TEAM.md` generates it again.
    @Test func redTeamPageIsThatOfTheTests() throws {
        let made = try TestProcess.run(
            SourceTree.root.path + "/Scripts/generate-red-team", [], within: .seconds(120))
        let page = try String(
            contentsOf: SourceTree.root.appendingPathComponent("Documentation/RED-TEAM.md"),
            encoding: .utf8)
        #expect(made.ending == .exit(0))
        #expect(made.output == page, "Scripts/generate-red-team >Documentation/RED-TEAM.md")
    }

    @Test func everyPackageDeclarationIsDocumented() throws {
        let files = try SourceTree.files(in: "Sources", endingIn: ".swift")
        var offenses: [String] = []
        for file in files where !file.isGenerated {
            for (number, line) in file.lines.enumerated() {
                let text = line.drop { $0 == " " }
                guard text.hasPrefix("package ") || text.hasPrefix("public "),
                    !text.contains(" import "), Self.needsComment(text)
                else { continue }
                var above = number - 1
                while above >= 0, file.lines[above].drop(while: { $0 == " " }).hasPrefix("@") {
                    above -= 1
                }
                let before = above >= 0 ? file.lines[above].drop { $0 == " " } : ""
                if !before.hasPrefix("///") {
                    offenses.append("\(file.path):\(number + 1): \(text)")
                }
            }
        }
        #expect(offenses == [])
    }

    /// Initializers and protocol requirements that add nothing to their type's comment need none.
    /// Neither do stored properties whose name is their whole description.
    private static func needsComment(_ line: Substring) -> Bool {
        !["init(", "init?(", " let ", " var ", "func ==", "func <"].contains { line.contains($0) }
    }
}
