// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// What lies on the disk.
    @Suite struct AtRest {
        /// Every value that a test item has, by what it is.
        private static let values = [
            "account": "Wilhelmine Zwickelbart",
            "service": "xyloglyphe.example.org",
            "label": "Passwort für Xyloglyphe",
            "comment": "kept since Quasimodogeniti 1987",
            "description": "quizzaciously guarded password",
            "generic": "generic-zugzwang-attribute",
            "alias": "alias-flibbertigibbet",
            "secret": "sëcret of the Wobbegong 9431",
            "passcode": "jabberwocky-passcode-77",
        ]

        @Test func noStoredValueIsOnTheDiskInAnyEncoding() throws {
            try TestService.run { service in
                let reference = try Self.store(service)
                // The item can be found by each of them: they are indexed, not left out.
                for (attribute, name) in Self.indexed {
                    var query = ItemQuery.password()
                    query.attributes[attribute] = .text(Self.values[name] ?? "")
                    #expect(try service.keychain.find(query).count == 1, "\(name)")
                }
                var needles: [String: [UInt8]] = [:]
                for (name, value) in Self.values {
                    for (encoding, bytes) in Self.encodings(of: value) {
                        needles["\(name) as \(encoding)"] = bytes
                    }
                }
                for (encoding, bytes) in Self.encodings(of: Self.group) {
                    needles["access group as \(encoding)"] = bytes
                }
                try service.keychain.lock()
                #expect(try Self.findings(service, needles, reference) == [])
                // The same once the log has been moved into the database, and after a deletion.
                for number in 0..<600 {
                    try service.keychain.add(.password("filler \(number)", accessibility: .always))
                }
                try service.keychain.delete(.password(Self.values["account"]))
                #expect(
                    try FileScan.find(needles, below: service.stateDirectory) == [])
            }
        }

        @Test func theControlIsFoundInEveryEncoding() throws {
            try TemporaryDirectory.lend { directory in
                for (number, (_, bytes)) in Self.encodings(of: "Zwickelbart").enumerated() {
                    let content = Data("before".utf8) + Data(bytes) + Data("after".utf8)
                    try content.write(to: URL(fileURLWithPath: "\(directory)/\(number)"))
                }
                let encodings = Self.encodings(of: "Zwickelbart")
                let found = try FileScan.find(
                    Dictionary(uniqueKeysWithValues: encodings), below: directory)
                #expect(found.count == encodings.count)
            }
        }

        @Test func equalValuesLookDifferentInEachColumnAndEachKeychain() throws {
            func blobs() throws -> [Data] {
                try TestService.run { service in
                    // The same value in several columns.
                    var item = NewItem.password("same", service: "same", secret: "same")
                    item.attributes[.label] = .text("same")
                    item.attributes[.comment] = .text("same")
                    try service.keychain.add(item)
                    return try StoredRows.blobs(service.stateDirectory)
                }
            }
            let first = try blobs()
            let second = try blobs()
            // UUID, key, group, sync, account, service, label, comment, metadata, secret.
            #expect(first.count == 10)
            #expect(Set(first).count == first.count)
            #expect(Set(first).isDisjoint(with: second))
        }

        @Test func filesAreTheUsersAlone() throws {
            try TestService.run { service in
                try service.keychain.add(.password("anna"))
                try service.keychain.setPasscode(SecretBytes(passcode: "passcode"))
                for file in try FileScan.files(below: service.stateDirectory)
                where !file.hasSuffix("/passcode.pub") {
                    var status = stat()
                    #expect(unsafe lstat(service.stateDirectory + "/" + file, &status) == 0)
                    #expect(status.st_mode & 0o077 == 0, "\(file)")
                }
                for directory in ["", "/enclave"] {
                    var status = stat()
                    #expect(unsafe lstat(service.stateDirectory + directory, &status) == 0)
                    #expect(status.st_mode & 0o777 == 0o700)
                }
            }
        }

        // MARK: - Helpers

        private static let group = "unsigned.\(geteuid())"
        private static let indexed: [(Attribute, String)] = [
            (.account, "account"), (.service, "service"), (.label, "label"),
            (.comment, "comment"), (.description, "description"), (.generic, "generic"),
            (.alias, "alias"),
        ]

        private static func store(_ service: TestService) throws -> PersistentReference {
            let passcode = SecretBytes(passcode: values["passcode"] ?? "")
            try service.keychain.setPasscode(passcode)
            var item = NewItem.password("")
            for (attribute, name) in indexed {
                item.attributes[attribute] = .text(values[name] ?? "")
            }
            item.secret = Secret(text: values["secret"] ?? "")
            item.returning = [.persistentReference]
            return try #require(try service.keychain.add(item).persistentReference)
        }

        /// What the scan finds; the control, the row's UUID, must be among it and is taken out.
        private static func findings(
            _ service: TestService, _ needles: [String: [UInt8]], _ reference: PersistentReference
        ) throws -> [String] {
            var needles = needles
            needles["control"] = reference.uuid
            let found = try FileScan.find(needles, below: service.stateDirectory)
            #expect(found.contains { $0.hasPrefix("control in keychain.db") })
            let files = try FileScan.files(below: service.stateDirectory)
            #expect(files.contains("keychain.db"))
            #expect(files.contains("keychain.db-wal"))
            #expect(files.contains { $0.hasPrefix("enclave/keybag.") })
            return found.filter { !$0.hasPrefix("control ") }
        }

        private static func encodings(of text: String) -> [(String, [UInt8])] {
            let bytes = [UInt8](text.utf8)
            // Half a digest would tell as much.
            let sha1 = [UInt8](Insecure.SHA1.hash(data: bytes).prefix(10))
            let sha256 = [UInt8](SHA256.hash(data: bytes).prefix(16))
            let littleEndian = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            let bigEndian = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            func hex(_ bytes: [UInt8], _ format: String) -> [UInt8] {
                bytes.flatMap { [UInt8](String(format: format, $0).utf8) }
            }
            var result = [
                ("UTF-8", bytes), ("UTF-16LE", littleEndian), ("UTF-16BE", bigEndian),
                ("SHA-1", sha1), ("SHA-256", sha256),
                ("base64", [UInt8](Data(bytes).base64EncodedString().utf8.prefix { $0 != 0x3D })),
            ]
            for (name, content) in [("UTF-8", bytes), ("SHA-1", sha1), ("SHA-256", sha256)] {
                result.append(("\(name) in hex", hex(content, "%02x")))
                result.append(("\(name) in capital hex", hex(content, "%02X")))
            }
            return result
        }
    }
}
