// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecurityDaemon
import SecurityWire
import TestSupport
import Testing

/// Writing and reading the audit log. Source: STORAGE.md, "Audit log".
@Suite struct AuditLogTests {
    @Test func aRecordComesBackWithAllItsFields() throws {
        try AuditFixture.run { fixture in
            var record = fixture.record(7, itemCount: 3)
            record.event = .delete
            record.status = -34018
            record.reason = .denied
            record.includesSecrets = true
            record.identityGrade = "S+"
            record.itemClass = .identity
            record.number = 1 << 40
            record.microseconds = -5
            #expect(fixture.log.append([record]).1 == nil)
            let page = try fixture.read()
            #expect(page.brokenAt == [])
            #expect(page.records.map(\.event) == [.started, .delete])
            record.sequence = 2
            #expect(page.records.last == record)
        }
    }

    @Test func anUnlockAtTheStartIsRecordedOnce() throws {
        try AuditFixture.run { fixture in
            try fixture.append([1])
            // Before the last record, and after it.
            fixture.lastUnlocks = [("old", 5), ("boot", 2_000_000)]
            fixture.reopen()
            try fixture.append([2])
            let events = [.started, .read, .started, .unlockByProtector, .read] as [AuditEvent]
            let records = try fixture.read().records
            #expect(records.map(\.event) == events)
            #expect(records[3].accessGroup == "boot")
            #expect(records[3].microseconds == 2_000_000)
            #expect(records[3].processID == 0)
            // The next process finds it there.
            fixture.reopen()
            try fixture.append([3])
            #expect(try fixture.read().records.map(\.event) == events + [.started, .read])
        }
    }

    @Test func anUnlockThatAProgramAskedForIsRecordedOnce() throws {
        try AuditFixture.run { fixture in
            fixture.lastUnlocks = [("boot", 2_000_000)]
            var record = fixture.record(1)
            record.event = .unlockByProtector
            #expect(fixture.log.append([record]).1 == nil)
            let records = try fixture.read().records
            #expect(records.map(\.event) == [.started, .unlockByProtector])
        }
    }

    @Test func longNamesAreCutAtAWholeCharacter() throws {
        try AuditFixture.run { fixture in
            var record = fixture.record(1, itemCount: 128)
            record.accessGroup = String(repeating: "g", count: 254) + "é"
            record.application = String(repeating: "a", count: 63) + "é"
            #expect(fixture.log.append([record]).1 == nil)
            let found = try #require(try fixture.read().records.last)
            #expect(found.accessGroup == String(repeating: "g", count: 254))
            #expect(found.application == String(repeating: "a", count: 63))
            #expect(found.items.count == 128)
        }
    }

    @Test func anEmptyLogIsEmptyAndReadingMakesNoFile() throws {
        try AuditFixture.run { fixture in
            let page = try fixture.read()
            #expect(page == AuditPage())
            #expect(fixture.files == [])
        }
    }

    @Test func theFileHasTheDocumentedHeader() throws {
        try AuditFixture.run { fixture in
            try fixture.append([1])
            let bytes = try fixture.contents(fixture.newest())
            #expect(Array(bytes[..<8]) == Array("LLVRAUDT".utf8))
            #expect(Array(bytes[8..<24]) == [1, 0, 0, 0, 0xE8, 3, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
            #expect(Array(bytes[24..<32]) == [1, 0, 0, 0, 0, 0, 0, 0])
            #expect(Array(bytes[32..<64]) == [UInt8](repeating: 0, count: 32))
            #expect(bytes.count % 64 == 0)
            let mode = try FileManager.default.attributesOfItem(atPath: fixture.newest())
            #expect(mode[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func nothingOfARecordIsInClear() throws {
        try AuditFixture.run { fixture in
            let record = fixture.record(1)
            try fixture.append([1])
            let bytes = try fixture.contents(fixture.newest())
            for needle in [
                Array(record.application.utf8), Array(record.accessGroup.utf8), record.items[0],
            ] { #expect(!ByteSearch.contains(needle, in: bytes)) }
        }
    }

    @Test func theChainGoesOnAfterARestart() throws {
        try AuditFixture.run { fixture in
            for round in 0..<5 {
                try fixture.append([round * 2, round * 2 + 1].map { $0 + 1 })
                fixture.reopen()
            }
            let page = try fixture.read()
            #expect(page.brokenAt == [])
            #expect(page.clientNumbers == Array(1...10))
            #expect(page.records.map(\.sequence) == Array(1...UInt64(page.records.count)))
            #expect(page.notes(.started).count == 6)
            #expect(fixture.files.count == 1)
        }
    }

    // MARK: - Bounds

    @Test func theLogStaysWithinItsBoundsAndItsChainGoesOnOverFiles() throws {
        var limits = AuditLog.Limits()
        limits.fileByteCount = 16 * 1024
        try AuditFixture.run(limits: limits) { fixture in
            var largest = 0
            for number in 1...1000 {
                try fixture.append([number], itemCount: number % 9)
                if number % 200 == 0 { fixture.reopen() }
                let sizes = try fixture.files.map { try fixture.contents($0).count }
                #expect(sizes.allSatisfy { $0 <= limits.fileByteCount })
                largest = max(largest, sizes.reduce(0, +))
            }
            #expect(largest <= 2 * limits.fileByteCount)
            #expect(largest > limits.fileByteCount)
            #expect(fixture.files.count == 2)
            let page = try fixture.read()
            #expect(page.brokenAt == [])
            let numbers = page.clientNumbers
            #expect(numbers.count > 50)
            #expect(numbers == Array(1001 - numbers.count...1000))
        }
    }

    @Test func oneBatchMayFillSeveralFiles() throws {
        var limits = AuditLog.Limits()
        limits.fileByteCount = 8 * 1024
        try AuditFixture.run(limits: limits) { fixture in
            try fixture.append(1...300)
            let page = try fixture.read()
            #expect(page.brokenAt == [])
            #expect(page.clientNumbers.last == 300)
            #expect(fixture.files.count == 2)
        }
    }

    // MARK: - Pages

    /// One thread writes the log, and another one reads it.
    @Test func readerStopsWhereTheWriterHadWritten() throws {
        try AuditFixture.run { fixture in
            try fixture.append(1...50)
            let extent = try #require(try fixture.log.prepareReading())
            try fixture.append(51...60)
            // A record that is being written.
            let newest = try #require(fixture.files.last)
            let file = try #require(FileHandle(forWritingAtPath: newest))
            try file.seekToEnd()
            try file.write(contentsOf: [UInt8](repeating: 7, count: 100))
            try file.close()
            let reader = AuditLog(
                directory: fixture.directory, userID: AuditFixture.user, keys: fixture.keys.source,
                now: { 0 })
            let page = try reader.page(AuditQuery(), upTo: extent)
            #expect(page.clientNumbers == Array(1...50))
            #expect(page.brokenAt == [])
            // The control: all that is there.
            #expect(try reader.page(AuditQuery()).clientNumbers == Array(1...60))
        }
    }

    @Test(arguments: [1, 7, 99, 100, 101, 1000])
    func pagesTogetherAreTheWholeLog(pageSize: Int) throws {
        var limits = AuditLog.Limits()
        limits.fileByteCount = 8 * 1024
        try AuditFixture.run(limits: limits) { fixture in
            try fixture.append(1...60)
            let whole = try fixture.read()
            #expect(try fixture.read(pageSize: pageSize).records == whole.records)
        }
    }

    @Test func aLimitMeansTheNewest() throws {
        try AuditFixture.run { fixture in
            try fixture.append(1...50)
            var query = AuditQuery()
            query.limit = 7
            var page = try fixture.log.page(query)
            #expect(page.clientNumbers == Array(44...50))
            #expect(page.nextCursor == 0)
            page = try fixture.log.page(query, recordLimit: 5)
            #expect(page.clientNumbers == Array(44...48))
            #expect(page.nextCursor != 0)
            query.limit = 1000
            #expect(try fixture.log.page(query).records.count == 51)
        }
    }

    @Test func aMomentLeavesOutWhatIsOlder() throws {
        try AuditFixture.run { fixture in
            // The service's own first record is made together with the first client's record.
            try fixture.append([21])
            try fixture.append(1...20)
            let all = try fixture.read().records
            var query = AuditQuery()
            query.since = all[10].microseconds
            #expect(try fixture.log.page(query).records == Array(all[10...]))
            query.limit = 3
            #expect(try fixture.log.page(query).records == Array(all.suffix(3)))
            query.since = .max
            #expect(try fixture.log.page(query).records == [])
        }
    }

    // MARK: - Failed writes

    @Test func aLogWithoutAKeyWritesLater() throws {
        try AuditFixture.run { fixture in
            fixture.keys.areAvailable = false
            let (count, failure) = fixture.log.append([fixture.record(1)])
            #expect(count == 0)
            #expect(failure == .keyUnavailable)
            fixture.keys.areAvailable = true
            try fixture.append([1, 2])
            #expect(try fixture.numbers() == [1, 2])
        }
    }

    @Test func aPlaceThatIsTakenIsAFailureAndNoTrap() throws {
        try AuditFixture.run { fixture in
            try FileManager.default.createDirectory(
                atPath: fixture.directory + "/audit.1000.1.new",
                withIntermediateDirectories: false)
            let (count, failure) = fixture.log.append([fixture.record(1)])
            #expect(count == 0)
            #expect(failure != nil)
            try FileManager.default.removeItem(atPath: fixture.directory + "/audit.1000.1.new")
            try fixture.append([1])
            #expect(try fixture.numbers() == [1])
        }
    }

    @Test func otherUsersFilesAreNotTouched() throws {
        try AuditFixture.run { fixture in
            let other = fixture.directory + "/audit.100.1"
            try fixture.replace(other, [1, 2, 3])
            for name in ["audit.1000.", "audit.1000.01", "audit.1000.x", "audit.10000.5"] {
                try fixture.replace(fixture.directory + "/" + name, [4])
            }
            try fixture.append([1])
            #expect(try fixture.numbers() == [1])
            #expect(try fixture.read().brokenAt == [])
            #expect(try fixture.contents(other) == [1, 2, 3])
        }
    }
}
