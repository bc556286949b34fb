// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Rows that an attacker changed in the database of a running service. F1 is with ``AtRest``.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct Format {
        private static let passcode = "correct horse"
        private static let secret = "secret of anna"

        // MARK: - Mixed rows

        @Test(arguments: TestedDeviceKey.allCases)
        func f02SwappedHalvesOfTwoRowsAreNobodysSecret(
            _ deviceKey: TestedDeviceKey
        ) throws {
            for columns in [["metadata"], ["secret"], ["metadata", "secret"]] {
                try Self.withTwoRows(deviceKey) { service, anna, berta in
                    var first = anna
                    var second = berta
                    for column in columns {
                        first[column] = berta[column]
                        second[column] = anna[column]
                    }
                    try StoredRows.putPastTheLedger(first, "genp", service.stateDirectory)
                    try StoredRows.putPastTheLedger(second, "genp", service.stateDirectory)
                    for account in ["anna", "berta"] {
                        #expect(Self.isGone(service, .password(account)), "\(columns)")
                    }
                    #expect(Self.isGone(service, .password(limit: nil)))
                }
            }
        }

        @Test(arguments: TestedDeviceKey.allCases)
        func f03HalvesOfTwoRowsOrTwoWritesDoNotOpenTogether(
            _ deviceKey: TestedDeviceKey
        ) throws {
            // Metadata of one row and secret of another.
            try Self.withTwoRows(deviceKey) { service, anna, berta in
                var mixed = anna
                mixed["secret"] = berta["secret"]
                try StoredRows.putPastTheLedger(mixed, "genp", service.stateDirectory)
                #expect(Self.isGone(service, .password("anna")))
                #expect(reads(service, "berta") == 0)
            }
            // Halves of two writes of one row, in either order.
            for column in ["metadata", "secret"] {
                try Self.withTwoRows(deviceKey) { service, before, _ in
                    try service.keychain.update(
                        .password("anna"), applying: .setting(secret: "second secret"))
                    var mixed = try #require(
                        try StoredRows.rows("genp", service.stateDirectory).first)
                    mixed[column] = before[column]
                    try StoredRows.putPastTheLedger(mixed, "genp", service.stateDirectory)
                    #expect(Self.isGone(service, .password("anna")), "an old \(column)")
                    #expect(reads(service, "berta") == 0)
                }
            }
        }

        // MARK: - Changed bytes

        @Test func f04FlippedBitInEitherHalfIsNeverAnItem() throws {
            try Self.expectFlipsFound(.file, every: 1)
        }

        @Test func f04FlippedBitInEveryEighthByteIsNeverAnItemWithASoftwareTPM() throws {
            try Self.expectFlipsFound(.swtpm, every: 8)
        }

        private static func expectFlipsFound(
            _ deviceKey: TestedDeviceKey, every step: Int
        ) throws {
            try Self.withTwoRows(deviceKey) { service, anna, _ in
                let worker = try service.worker()
                for column in ["metadata", "secret"] {
                    let bytes = try #require(anna[column]?.bytes)
                    for index in stride(from: 0, to: bytes.count, by: step) {
                        var flipped = bytes
                        flipped[index] ^= 1 << (index / step % 8)
                        try Self.expectGone(service, anna, column, .blob(flipped))
                    }
                    for count in [0, 1, 29, 44, 72, bytes.count - 1] {
                        let short = Array(bytes.prefix(count))
                        try Self.expectGone(service, anna, column, .blob(short))
                    }
                    try Self.expectGone(service, anna, column, .blob(bytes + [0]))
                    try Self.expectGone(service, anna, column, .null)
                }
                #expect(try service.worker() == worker)
                try Self.expectBack(service, anna)
            }
        }

        @Test(arguments: TestedDeviceKey.allCases)
        func f05RowOfAnotherClassThanItWasSealedForIsCorrupt(
            _ deviceKey: TestedDeviceKey
        ) throws {
            try Self.withTwoRows(deviceKey) { service, anna, _ in
                let worker = try service.worker()
                #expect(anna["keyclass"] == .integer(6))
                // Each class has a metadata key, so a missing key isn't the reason.
                for accessibility in Accessibility.allCases {
                    _ = try? service.keychain.add(
                        .password(
                            accessibility.code, service: "other", accessibility: accessibility))
                }
                let numbers = [7, 8, 9, 10, 11, 12, 0, 5, 13, 99, 134, 255, 262, -1, .max, .min]
                for number in numbers {
                    try Self.expectGone(service, anna, "keyclass", .integer(Int64(number)))
                }
                try Self.expectGone(service, anna, "keyclass", .other("six"))
                try Self.expectGone(service, anna, "keyclass", .blob([6]))
                #expect(try service.worker() == worker)
                try Self.expectBack(service, anna)
            }
        }

        @Test(arguments: StoredRows.itemTables)
        func f06ChangedClearOrIndexColumnMakesARowCorruptOrNotFound(table: String) throws {
            try Self.expectChangesFound(.file, table)
        }

        @Test func f06ChangedColumnOfAPasswordMakesItCorruptOrNotFoundWithASoftwareTPM() throws {
            try Self.expectChangesFound(.swtpm, "genp")
        }

        private static func expectChangesFound(
            _ deviceKey: TestedDeviceKey, _ table: String
        ) throws {
            try Self.withService(deviceKey) { service in
                let worker = try service.worker()
                let kept = Self.item(table, 1)
                let victim = Self.item(table, 2)
                try service.keychain.add(kept)
                try service.keychain.add(victim)
                let rows = try StoredRows.rows(table, service.stateDirectory)
                let row = rows[1]
                var byLabel = ItemQuery(victim.itemClass)
                byLabel.attributes[.label] = victim.attributes[.label]
                var all = ItemQuery(victim.itemClass)
                all.limit = nil
                let covered = row.keys.filter { !["rowid", "metadata", "secret"].contains($0) }
                #expect(covered.count > 12)
                var changeCount = 0
                for column in covered.sorted() {
                    // Two rows can't have the same of these.
                    let other = ["uuid", "pk"].contains(column) ? nil : rows[0][column]
                    for value in Self.changes(of: try #require(row[column]), other) {
                        var changed = row
                        changed[column] = value
                        do {
                            try StoredRows.putPastTheLedger(changed, table, service.stateDirectory)
                        } catch {
                            // The schema takes no NULL here.
                            guard value == .null else { throw error }
                            continue
                        }
                        // Or the column's default takes its place.
                        let stored = try StoredRows.rows(table, service.stateDirectory)
                        if value == .null, stored.contains(row) { continue }
                        changeCount += 1
                        for fields in [.data, .attributes] as [ReturnFields] {
                            byLabel.returning = fields
                            #expect(Self.isGone(service, byLabel), "\(column) \(value)")
                            all.returning = fields.union(.attributes)
                            let found = try service.keychain.find(all)
                            #expect(
                                found.map { $0.attributes[.label] } == [kept.attributes[.label]],
                                "\(column) \(value)")
                        }
                    }
                }
                #expect(changeCount >= 5 * covered.count)
                #expect(try service.worker() == worker)
                // The control: unchanged, it is found.
                try StoredRows.putPastTheLedger(row, table, service.stateDirectory)
                byLabel.returning = .data
                #expect(
                    try service.keychain.find(byLabel).first?.secret?.testText == "secret 2")
            }
        }

        private static func changes(of value: StoredValue, _ other: StoredValue?) -> [StoredValue] {
            var changes: [StoredValue] = [.null, .other("text")]
            switch value {
            case .integer(let number):
                changes += [number + 1, number - 1, number + 256, .max, .min].map {
                    .integer($0)
                }
                changes += [.blob([1])]
            case .blob(let bytes):
                var flipped = bytes
                flipped[7] ^= 0x10
                changes += [.blob(flipped), .blob([]), .blob(Array(bytes.dropLast()))]
                changes += [.integer(1), .blob([UInt8](repeating: 0, count: 16))]
            case .null, .other: changes = [.blob([UInt8](repeating: 7, count: 16))]
            }
            if let other { changes.append(other) }
            return changes.filter { $0 != value }
        }

        /// An item of a table's class, with values in most of its indexed attributes.
        private static func item(_ table: String, _ number: Int) -> NewItem {
            let classes: [String: ItemClass] = [
                "genp": .genericPassword, "inet": .internetPassword, "cert": .certificate,
                "keys": .key,
            ]
            let itemClass = classes[table] ?? .genericPassword
            var item = NewItem(itemClass)
            item.secret = Secret(text: "secret \(number)")
            let attributes: [Attribute] = [
                .account, .service, .generic, .alias, .description, .comment, .server,
                .securityDomain, .authenticationType, .path, .issuer, .serialNumber, .subject,
                .subjectKeyID, .publicKeyHash, .applicationLabel, .applicationTag,
            ]
            for attribute in attributes where attribute.isKnown(in: itemClass) {
                item.attributes[attribute] = .data([UInt8]("\(attribute) \(number)".utf8))
            }
            for attribute in [Attribute.creator, .type, .port, .keySizeInBits]
            where attribute.isKnown(in: itemClass) {
                item.attributes[attribute] = .integer(Int64(number))
            }
            item.attributes[.label] = .text("label \(number)")
            return item
        }

        // MARK: - Sizes

        @Test func f09SecretsOfOneToTwentyBytesTakeTheSameRoom() throws {
            try TestService.run { service in
                for count in 0...20 {
                    try service.keychain.add(
                        .password("\(count)", secret: String(repeating: "x", count: count)))
                }
                let sizes = try StoredRows.rows("genp", service.stateDirectory)
                    .map { $0["secret"]?.bytes.count }
                #expect(sizes.count == 21)
                #expect(Set(sizes).count == 1)
                for count in 0...20 {
                    #expect(
                        try one(service, "\(count)").secret?.testBytes.count == count)
                }
            }
        }

        @Test func f10LargeSecretAndLargeMetadataAreStoredWithAWarningOfTheirSizes() throws {
            let large = String(repeating: "s", count: 33 * 1024)
            var labeled = NewItem.password("sesame")
            labeled.attributes[.label] = .text(String(repeating: "l", count: 3 * 1024))
            // Each on a separate service: the log has one such line only now and then.
            for item in [NewItem.password("sesame", secret: large), labeled] {
                try TestService.run { service in
                    try service.keychain.add(.password("small"))
                    #expect(service.messages.isEmpty)
                    try service.keychain.add(item)
                    let found = try one(service, "sesame")
                    #expect(found.secret?.testBytes == item.secret?.testBytes)
                    #expect(found.attributes[.label] == item.attributes[.label])
                    try Waiting.until("the warning") { !service.messages.isEmpty }
                    let byteCount = item.secret?.testBytes.count ?? 0
                    #expect(service.messages.contains("\(byteCount)"))
                    #expect(!service.messages.contains("sesame"))
                    #expect(!service.messages.contains("lll"))
                }
            }
        }

        // MARK: - Newer versions

        @Test(arguments: ["metadata", "secret"])
        func f12RowOfANewerFormatIsKeptAndComesBack(column: String) throws {
            try Self.withTwoRows { service, anna, _ in
                var newer = anna
                var bytes = try #require(anna[column]?.bytes)
                #expect(bytes[0] == 1)
                // The newest format of a secret is 4, that of metadata 1.
                bytes[0] = 5
                newer[column] = .blob(bytes)
                try StoredRows.putPastTheLedger(newer, "genp", service.stateDirectory)
                for _ in 0..<3 {
                    #expect(reads(service, "anna") == -25300)
                    #expect(
                        status {
                            try service.keychain.update(
                                .password("anna"), applying: .setting([.label: .text("new")]))
                        } == -25300)
                    #expect(
                        status { try service.keychain.add(.password("anna", secret: "new")) }
                            == -25299)
                }
                #expect(reads(service, "berta") == 0)
                #expect(try StoredRows.rows("genp", service.stateDirectory).contains(newer))
                #expect(try StoredRows.rows("quarantine", service.stateDirectory).isEmpty)
                try Self.expectBack(service, anna)
            }
        }

        // MARK: - Helpers

        private static func withService(
            _ deviceKey: TestedDeviceKey, _ body: (TestService) throws -> Void
        ) throws {
            try deviceKey.lend { argument in
                var options = TestService.Options()
                options.deviceKey = argument
                try TestService.run(options, body)
            }
        }

        /// Two items of class ak and their rows.
        private static func withTwoRows(
            _ deviceKey: TestedDeviceKey = .file,
            _ body: (TestService, _ anna: StoredRow, _ berta: StoredRow) throws -> Void
        ) throws {
            try withService(deviceKey) { service in
                try service.keychain.add(.password("anna", secret: secret))
                try service.keychain.add(.password("berta", secret: "secret of berta"))
                let rows = try StoredRows.rows("genp", service.stateDirectory)
                try #require(rows.count == 2)
                try body(service, rows[0], rows[1])
            }
        }

        private static func isGone(_ service: TestService, _ query: ItemQuery) -> Bool {
            status { try service.keychain.find(query) } == -25300
        }

        /// Replaces the intact row by a changed one, and expects no item.
        private static func expectGone(
            _ service: TestService, _ row: StoredRow, _ column: String, _ value: StoredValue
        ) throws {
            var changed = row
            changed[column] = value
            do { try StoredRows.putPastTheLedger(changed, "genp", service.stateDirectory) } catch {
                // The schema rejects some changes.
                guard value == .null else { throw error }
                return
            }
            let got = status { try service.keychain.find(.password("anna")) }
            #expect(got == -25300, "\(column) \(value)")
        }

        /// Restores the row, and expects its item.
        private static func expectBack(_ service: TestService, _ row: StoredRow) throws {
            try StoredRows.putPastTheLedger(row, "genp", service.stateDirectory)
            #expect(try one(service, "anna").secret?.testText == secret)
        }
    }
}
