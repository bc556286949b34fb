// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Items are restored from files that SQLite can't read.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct Salvage {
        private static let count = 60
        private static let pageByteCount = 4096

        @Test func c07ZeroedFirstPageIsUnavailableOnceAndItsItemsComeBack() throws {
            try TestService.run(.init(.user)) { service in
                try Self.fill(service)
                let state = service.stateDirectory
                try StoredRows.checkpoint(state)
                try Self.zero(page: 1, StoredRows.path(state))
                let worker = try service.worker()
                // SQLite caches the page until it detects a write.
                var late: [String] = []
                var statuses: [Int32] = []
                try Waiting.until("the damage to be noticed") {
                    let account = "late \(statuses.count)"
                    if status({ try service.keychain.add(.password(account)) }) == 0 {
                        late.append(account)
                    }
                    statuses.append(status { try service.keychain.find(.password("7")) })
                    return statuses.last != 0
                }
                // If the add found the damage first, the client sent it again, and the next
                // securityd stored it.
                let isHidden = try statuses.last != -25291 && service.worker() != worker
                #expect(statuses.last == (isHidden ? -25300 : -25291))
                try Waiting.until("another securityd") { try service.worker() != worker }
                let kept = try Self.keptFile(state)
                let before = try Data(contentsOf: URL(fileURLWithPath: kept))
                #expect(before.prefix(Self.pageByteCount).allSatisfy { $0 == 0 })
                // From then on an empty keychain can be used.
                try Waiting.until("the new database") {
                    statuses.append(status { try service.keychain.find(.password("7")) })
                    return statuses.last == -25300
                }
                #expect(Set(statuses).isSubset(of: [0, -25291, -25300]))
                #expect(statuses.count { $0 == -25291 } == (isHidden ? 0 : 1))
                try service.keychain.add(.password("new"))
                let report = try service.keychain.recover()
                // One more may have been stored but not acknowledged.
                let restored = Self.count + late.count - (isHidden ? 1 : 0)
                #expect((restored...restored + 1).contains(Int(report.counts.restored)))
                #expect(Set(report.findings.map(\.kind)) == [.restored, .unreadableFile])
                try Self.expectItems(service)
                for account in late { #expect(reads(service, account) == 0) }
                #expect(reads(service, "new") == 0)
                #expect(try Data(contentsOf: URL(fileURLWithPath: kept)) == before)
                #expect(try service.keychain.check().findings.map(\.kind) == [.keptFile])
                // Only once: a deleted item stays deleted.
                try service.keychain.delete(.password("7"))
                let again = try service.keychain.recover()
                #expect(again.counts.restored == 0)
                #expect(again.findings.map(\.kind) == [.unreadableFile])
                #expect(status { try service.keychain.find(.password("7")) } == -25300)
            }
        }

        /// Every page except those with the rows is lost: the roots, the indexes, the keys.
        @Test func itemsComeBackThoughNothingLeadsToThem() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                let path = StoredRows.path(state)
                try TestService.run(options) { try Self.fill($0) }
                let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
                var lost = 0
                for page in 1...bytes.count / Self.pageByteCount {
                    let kind = bytes[(page - 1) * Self.pageByteCount]
                    // Interior pages of tables, and pages of indexes and of tables of keys.
                    if page == 1 || [2, 5, 10].contains(kind) {
                        try Self.zero(page: page, path)
                        lost += 1
                    }
                }
                #expect(lost > 10)
                try TestService.run(options) { service in
                    let report = try service.keychain.recover()
                    #expect(report.counts.restored == UInt64(Self.count))
                    try Self.expectItems(service)
                }
            }
        }

        /// SQLite opens such a file, but finds no table of that name in it.
        @Test func itemsOfATableWhoseNameIsDamagedComeBack() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let path = URL(fileURLWithPath: StoredRows.path(directory + "/llavero"))
                try TestService.run(options) { try Self.fill($0) }
                var bytes = try Data(contentsOf: path)
                let text = try #require(bytes.firstRange(of: Data("CREATE TABLE genp".utf8)))
                bytes[text.upperBound - 1] ^= 1
                try bytes.write(to: path)
                try TestService.run(options) { service in
                    #expect(reads(service, "7") == -25300)
                    #expect(try service.keychain.check().findings.map(\.kind) == [.keptFile])
                    let report = try service.keychain.recover()
                    #expect(report.counts.restored == UInt64(Self.count))
                    try Self.expectItems(service)
                }
            }
        }

        /// A log whose first commit is damaged: SQLite drops it all without an error.
        @Test func itemsOfADamagedLogAloneComeBack() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let copied = directory + "/copy/llavero"
                try TestService.run(options) { service in
                    try service.keychain.add(.password("before"))
                    try StoredRows.checkpoint(service.stateDirectory)
                    try Self.fill(service)
                    try StateFiles.copyRunning(service.stateDirectory, to: copied)
                }
                let log = StoredRows.path(copied) + "-wal"
                var bytes = try Data(contentsOf: URL(fileURLWithPath: log))
                #expect(bytes.count > 100_000)
                bytes[32 + 24 + 2000] ^= 0xFF
                try bytes.write(to: URL(fileURLWithPath: log))
                try TestService.run(.init(.user, directory: directory + "/copy")) { service in
                    // The enclave has recorded commits that are lost: the service doesn't continue
                    // as if nothing had happened.
                    #expect(reads(service, "before") == -25291)
                    try service.keychain.acceptRollback(passcode: SecretBytes(byteCount: 0))
                    #expect(reads(service, "before") == 0)
                    #expect(reads(service, "7") == -25300)
                    let check = try service.keychain.check()
                    #expect(check.findings.map(\.kind) == [.keptFile])
                    #expect(check.findings.first?.place.hasSuffix(".db-wal-only") == true)
                    let report = try service.keychain.recover()
                    let restored = Int(report.counts.restored)
                    // The damaged page's rows may also be in a later frame.
                    #expect((Self.count - 10...Self.count).contains(restored), "\(restored)")
                    let found = try service.keychain.find(
                        .password(service: "salvage", limit: nil, returning: [.data, .attributes]))
                    #expect(found.count == restored)
                    for item in found {
                        guard case .text(let account)? = item.attributes[.account] else { continue }
                        #expect(item.secret?.testText == Self.secret(Int(account) ?? 0))
                    }
                    #expect(try service.keychain.recover().counts.restored == 0)
                }
            }
        }

        /// Changes each byte of a page header, and of the cells' pointers: no wrong item is
        /// restored.
        @Test func damagedPagesGiveTheirItemsOrNothing() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                try TestService.run(options) { try Self.fill($0) }
                let path = StoredRows.path(state)
                let sound = try Data(contentsOf: URL(fileURLWithPath: path))
                try FileManager.default.removeItem(atPath: path)
                let leaves = (1..<sound.count / Self.pageByteCount).filter {
                    sound[$0 * Self.pageByteCount] == 0x0D
                }
                var generator = SeededGenerator(seed: 77)
                for number in 0..<6 {
                    var damaged = sound
                    damaged.replaceSubrange(0..<100, with: Data(count: 100))
                    for leaf in leaves {
                        let place =
                            leaf * Self.pageByteCount
                            + Int.random(in: 0..<24, using: &generator)
                        damaged[place] ^= UInt8.random(in: 1...255, using: &generator)
                    }
                    let name = "keychain-damaged-2026010\(number + 1)T030405Z.db"
                    try damaged.write(to: URL(fileURLWithPath: state + "/" + name))
                }
                try TestService.run(options) { service in
                    let report = try service.keychain.recover()
                    #expect(report.counts.restored > 0)
                    let found = try service.keychain.find(
                        .password(service: "salvage", limit: nil, returning: [.data, .attributes]))
                    #expect(found.count == Int(report.counts.restored))
                    for item in found {
                        guard case .text(let account)? = item.attributes[.account] else {
                            Issue.record("An item without an account came back.")
                            continue
                        }
                        #expect(item.secret?.testText == Self.secret(Int(account) ?? 0))
                    }
                    #expect(try service.keychain.check().findings.allSatisfy { !$0.isDamage })
                }
            }
        }

        // MARK: - Helpers

        /// Every sixth secret needs overflow pages.
        private static func secret(_ number: Int) -> String {
            let text = "secret \(number) "
            return number % 6 == 0 ? text + String(repeating: "long ", count: 2000) : text
        }

        private static func fill(_ service: TestService) throws {
            for number in 0..<count {
                try service.keychain.add(
                    .password("\(number)", service: "salvage", secret: secret(number)))
            }
        }

        private static func expectItems(_ service: TestService) throws {
            for number in 0..<count {
                #expect(try one(service, "\(number)").secret?.testText == secret(number))
            }
        }

        private static func keptFile(_ state: String) throws -> String {
            let names = try FileManager.default.contentsOfDirectory(atPath: state).filter {
                $0.hasPrefix("keychain-damaged-") && $0.hasSuffix(".db")
            }
            try #require(names.count == 1)
            return state + "/" + names[0]
        }

        private static func zero(page: Int, _ path: String) throws {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.seek(toOffset: UInt64((page - 1) * pageByteCount))
            try file.write(contentsOf: Data(repeating: 0, count: pageByteCount))
            try file.close()
        }
    }
}
