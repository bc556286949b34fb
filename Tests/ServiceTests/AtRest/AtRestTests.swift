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
    /// The contents of the disk.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct AtRest {
        /// Every value of a test item, by its kind.
        private static let values = [
            "account": "Wilhelmine Zwickelbart",
            "service": "xyloglyphe.example.org",
            "label": "Passwort für Xyloglyphe",
            "comment": "kept since Quasimodogeniti 1987",
            "description": "quizzaciously guarded password",
            "generic": "generic-zugzwang-attribute",
            "alias": "alias-flibbertigibbet",
            "domain": "domain of Kuddelmuddel",
            "authentication": "authenticated by Zwiebelfisch",
            "path": "/path/to/the/Quetzalcoatlus",
            "issuer": "issued by Zuckerwatte Trust",
            "serial": "serial-number-84612345",
            "subject": "subject Pumpernickel GmbH",
            "key identifier": "identifier-of-a-key-7731",
            "hash": "hash-of-a-public-key-5529",
            "tag": "org.example.Tausendsassa.tag",
            "secret": "sëcret of the Wobbegong 9431",
            "passcode": "jabberwocky-passcode-77",
        ]

        /// Every class of item: existing, changed, deleted and as a tombstone. In the log, in the
        /// database, in the quarantine, in a kept database, and after a crash.
        @Test func f01NoStoredValueIsOnTheDiskInAnyEncoding() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let needles = Self.needles
                var reference: PersistentReference?
                try TestService.run(options) { service in
                    let passcode = SecretBytes(passcode: Self.values["passcode"] ?? "")
                    try service.keychain.setPasscode(passcode)
                    reference = try Self.store(service)
                    let control = try #require(reference)
                    for itemClass in Self.classes { try Self.expectIndexed(itemClass, service) }
                    try service.keychain.lock()
                    #expect(try Self.findings(service, needles, control) == [])
                    try service.keychain.unlock(passcode: passcode)
                    try Self.changeAndDelete(service)
                    #expect(try Self.findings(service, needles, control) == [])
                    try service.crash(try service.worker())
                    try service.keychain.unlock(passcode: passcode)
                    try Self.quarantineOne(service)
                    #expect(try Self.findings(service, needles, control) == [])
                    // After the log was checkpointed into the database.
                    try service.add(
                        (0..<600).map { .password("filler \($0)", accessibility: .always) })
                    try StoredRows.checkpoint(service.stateDirectory)
                    #expect(try FileScan.find(needles, below: service.stateDirectory) == [])
                }
                // Also of a database that was damaged, and so kept.
                let path = StoredRows.path(directory + "/llavero")
                let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
                try file.write(contentsOf: Data(repeating: 0, count: 100))
                try file.close()
                try TestService.run(options) { service in
                    #expect(status { try service.keychain.find(.password()) } == -25300)
                    let files = try FileScan.files(below: service.stateDirectory)
                    #expect(files.contains { $0.hasPrefix("keychain-damaged-") })
                    #expect(try FileScan.find(needles, below: service.stateDirectory) == [])
                }
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
            (.alias, "alias"), (.server, "service"), (.securityDomain, "domain"),
            (.authenticationType, "authentication"), (.path, "path"), (.issuer, "issuer"),
            (.serialNumber, "serial"),
            (.subject, "subject"), (.subjectKeyID, "key identifier"),
            (.publicKeyHash, "hash"), (.applicationLabel, "hash"), (.applicationTag, "tag"),
        ]

        private static let classes: [ItemClass] = [
            .genericPassword, .internetPassword, .certificate, .key,
        ]

        private static var needles: [String: [UInt8]] {
            var needles: [String: [UInt8]] = [:]
            for (name, value) in values {
                for (encoding, bytes) in encodings(of: value) {
                    needles["\(name) as \(encoding)"] = bytes
                }
            }
            for (encoding, bytes) in encodings(of: group) {
                needles["access group as \(encoding)"] = bytes
            }
            return needles
        }

        /// An item with each value that its class can contain.
        private static func item(_ itemClass: ItemClass) -> NewItem {
            var item = NewItem(itemClass)
            for (attribute, name) in indexed where attribute.isKnown(in: itemClass) {
                item.attributes[attribute] = .text(values[name] ?? "")
            }
            item.secret = Secret(text: values["secret"] ?? "")
            item.returning = [.persistentReference]
            return item
        }

        /// One item of each class.
        /// - Returns: The first one's reference.
        private static func store(_ service: TestService) throws -> PersistentReference? {
            let references = try classes.map { itemClass in
                try service.keychain.add(item(itemClass)).persistentReference
            }
            return references.first ?? nil
        }

        /// The item can be found by each of its values: they are indexed, not left out.
        private static func expectIndexed(_ itemClass: ItemClass, _ service: TestService) throws {
            for (attribute, name) in indexed where attribute.isKnown(in: itemClass) {
                var query = ItemQuery(itemClass)
                query.attributes[attribute] = .text(values[name] ?? "")
                #expect(try service.keychain.find(query).count == 1, "\(name) of \(itemClass)")
            }
        }

        /// Writes each item again, and leaves traces of other ones of each class: a synchronizing
        /// one, deleted, and a plain one, deleted.
        private static func changeAndDelete(_ service: TestService) throws {
            for itemClass in classes {
                var query = ItemQuery(itemClass)
                query.attributes[.label] = .text(values["label"] ?? "")
                try service.keychain.update(
                    query, applying: .setting([.label: .text(values["label"] ?? "")]))
                var other = item(itemClass)
                other.attributes[.synchronizable] = .integer(1)
                try service.keychain.add(other)
                query.synchronizable = .yes
                try service.keychain.delete(query)
            }
            let tables = try StoredRows.itemTables.map {
                try StoredRows.rows($0, service.stateDirectory).map { $0["tombstone"] }
            }
            #expect(tables.allSatisfy { $0 == [.integer(0), .integer(1)] })
            var gone = item(.genericPassword)
            gone.attributes[.creator] = .integer(1)
            gone.attributes[.service] = .text("another")
            try service.keychain.add(gone)
            try service.keychain.delete(.password(service: "another"))
        }

        private static func quarantineOne(_ service: TestService) throws {
            try service.keychain.add(item(.internetPassword, path: "a path"))
            var row = try #require(try StoredRows.rows("inet", service.stateDirectory).last)
            var bytes = try #require(row["metadata"]?.bytes)
            bytes[40] ^= 1
            row["metadata"] = .blob(bytes)
            try StoredRows.put(row, "inet", service.stateDirectory)
            var query = ItemQuery(.internetPassword)
            query.attributes[.path] = .text("a path")
            #expect(status { try service.keychain.find(query) } == -25300)
            try Waiting.until("the quarantine") {
                try StoredRows.rows("quarantine", service.stateDirectory).count == 1
            }
        }

        private static func item(_ itemClass: ItemClass, path: String) -> NewItem {
            var item = item(itemClass)
            item.attributes[.path] = .text(path)
            return item
        }

        /// The scan's findings; the control, the row's UUID, must be among them and is removed.
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
            // Half a digest would reveal as much.
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
