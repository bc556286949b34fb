// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecurityDaemon
import SecurityWire
import TestSupport
import Testing

/// Audit files that a crash or an attacker has changed. Source: STORAGE.md, "Audit log".
@Suite struct AuditDamageTests {
    // MARK: - Crashes

    /// Each length to which a write of the last record can have been truncated.
    @Test func aTornLastRecordIsCutAndNoted() throws {
        try AuditFixture.run { fixture in
            try fixture.append(1...5)
            let whole = try fixture.contents(fixture.newest())
            let last = try #require(AuditFixture.places(whole).last)
            for end in stride(from: last.lowerBound + 1, to: last.upperBound, by: 13) {
                for file in fixture.files.dropFirst() { unsafe unlink(file) }
                try fixture.replace(fixture.files[0], Array(whole[..<end]))
                fixture.reopen()
                try fixture.append([6])
                let page = try fixture.read()
                #expect(page.brokenAt == [])
                #expect(page.clientNumbers == [1, 2, 3, 4, 6])
                #expect(
                    page.notes(.tailCut).map(\.number) == [UInt64(end - last.lowerBound)])
                #expect(fixture.files.count == 1)
            }
        }
    }

    @Test func zerosAtTheEndAreATornTailOfAnyLength() throws {
        try AuditFixture.run { fixture in
            try fixture.append([1])
            let bytes = try fixture.contents(fixture.newest())
            try fixture.replace(fixture.newest(), bytes + [UInt8](repeating: 0, count: 500_000))
            fixture.reopen()
            try fixture.append([2])
            let page = try fixture.read()
            #expect(page.brokenAt == [])
            #expect(page.notes(.tailCut).map(\.number) == [500_000])
            #expect(page.clientNumbers == [1, 2])
        }
    }

    @Test func moreThanACrashLeavesIsKeptAndReported() throws {
        try AuditFixture.run { fixture in
            try fixture.append([1, 2])
            let first = try fixture.newest()
            let bytes = try fixture.contents(first)
            try fixture.replace(first, bytes + [UInt8](repeating: 7, count: 100_000))
            fixture.reopen()
            try fixture.append([3])
            #expect(try fixture.contents(first).count == bytes.count + 100_000)
            let page = try fixture.read()
            #expect(page.brokenAt == [4])
            #expect(page.clientNumbers == [1, 2, 3])
        }
    }

    @Test func aFileThatWasBegunAndNotRenamedIsInNobodysWay() throws {
        try AuditFixture.run { fixture in
            try fixture.append([1])
            try fixture.replace(fixture.directory + "/audit.1000.2.new", [1, 2, 3])
            fixture.reopen()
            try fixture.append([2])
            let page = try fixture.read()
            #expect(page.brokenAt == [])
            #expect(page.clientNumbers == [1, 2])
        }
    }

    // MARK: - Tampering

    /// Ways to change the records of a file; each gets the file and the positions of its records.
    enum Tampering: String, CaseIterable {
        case flip, swap, delete, duplicate, replaceByAnother, zero

        /// Changes the fifth record; the first is the service's own.
        func apply(_ bytes: [UInt8], _ places: [Range<Int>]) -> [UInt8] {
            var parts = places.map { Array(bytes[$0]) }
            switch self {
            case .flip: parts[4][40] ^= 1
            case .swap: parts.swapAt(4, 5)
            case .delete: parts.remove(at: 4)
            case .duplicate: parts.insert(parts[4], at: 5)
            case .replaceByAnother: parts[4] = parts[2]
            case .zero: parts[4] = [UInt8](repeating: 0, count: parts[4].count)
            }
            return Array(bytes[..<128]) + parts.joined()
        }

        /// The record that is reported as the break.
        var brokenAt: UInt64 { self == .replaceByAnother ? 3 : 5 }

        /// The records of clients that are still returned; 1 is the file's second.
        var shown: [Int] {
            switch self {
            case .flip, .delete, .replaceByAnother, .zero: [1, 2, 3, 5, 6, 7, 8, 9]
            case .swap: [1, 2, 3, 5, 4, 6, 7, 8, 9]
            case .duplicate: Array(1...9)
            }
        }
    }

    @Test(arguments: Tampering.allCases)
    func tamperingIsReportedWhereItIsAndTheRestIsShown(tampering: Tampering) throws {
        try AuditFixture.run { fixture in
            try fixture.append(1...9)
            let file = try fixture.newest()
            let bytes = try fixture.contents(file)
            let changed = tampering.apply(bytes, AuditFixture.places(bytes))
            #expect(changed != bytes)
            try fixture.replace(file, changed)
            fixture.reopen()
            let page = try fixture.read()
            #expect(page.brokenAt.first == tampering.brokenAt)
            #expect(page.clientNumbers == tampering.shown)
            // The log continues in a new file, which begins with a note, and the old file stays.
            try fixture.append([10])
            #expect(fixture.files.count == 2)
            #expect(try fixture.contents(fixture.files[0]) == changed)
            let after = try fixture.read()
            #expect(after.notes(.chainBroken).map(\.number) == [tampering.brokenAt])
            #expect(after.clientNumbers == tampering.shown + [10])
            #expect(after.brokenAt == page.brokenAt)
            // The report stays as long as the file exists.
            fixture.reopen()
            try fixture.append([11])
            #expect(try fixture.read().brokenAt == page.brokenAt)
            #expect(fixture.files.count == 2)
        }
    }

    @Test func tamperingUnderARunningServiceIsReported() throws {
        try AuditFixture.run { fixture in
            try fixture.append(1...9)
            let file = try fixture.newest()
            var bytes = try fixture.contents(file)
            let place = AuditFixture.places(bytes)[4]
            bytes[place.lowerBound + 30] ^= 0x80
            try fixture.replace(file, bytes)
            try fixture.append([10])
            let page = try fixture.read()
            #expect(page.brokenAt == [5])
            #expect(page.clientNumbers == [1, 2, 3, 5, 6, 7, 8, 9, 10])
        }
    }

    @Test func aFlippedBitAnywhereIsReported() throws {
        try AuditFixture.run { fixture in
            try fixture.append(1...4)
            let file = try fixture.newest()
            let bytes = try fixture.contents(file)
            let places = AuditFixture.places(bytes)
            for offset in bytes.indices {
                for file in fixture.files.dropFirst() { unsafe unlink(file) }
                var changed = bytes
                changed[offset] ^= UInt8(1 << (offset % 8))
                try fixture.replace(file, changed)
                fixture.reopen()
                let page = try fixture.read()
                let isLast = try #require(places.last).contains(offset)
                // A crash can also leave an unreadable last record: it is reported.
                if isLast {
                    #expect(page.notes(.tailCut).count == 1, "\(offset)")
                    #expect(page.clientNumbers == [1, 2, 3], "\(offset)")
                } else {
                    #expect(!page.brokenAt.isEmpty, "\(offset)")
                    #expect(page.notes(.chainBroken).count == 1, "\(offset)")
                    if offset >= 128 { #expect(page.clientNumbers.count >= 3, "\(offset)") }
                }
            }
        }
    }

    // MARK: - Whole files

    private func threeFiles(_ body: (AuditFixture) throws -> Void) throws {
        var limits = AuditLog.Limits()
        limits.fileByteCount = 8 * 1024
        try AuditFixture.run(limits: limits) { fixture in
            try fixture.append(1...60)
            #expect(fixture.files.count == 2)
            try body(fixture)
        }
    }

    @Test func exchangedFilesAreReported() throws {
        try threeFiles { fixture in
            let files = fixture.files
            let (first, second) = (try fixture.contents(files[0]), try fixture.contents(files[1]))
            try fixture.replace(files[0], second)
            try fixture.replace(files[1], first)
            fixture.reopen()
            #expect(try !fixture.read().brokenAt.isEmpty)
            try fixture.append([100])
            #expect(try fixture.numbers().last == 100)
        }
    }

    @Test func aFileOfAnEarlierLogIsReported() throws {
        try threeFiles { fixture in
            let old = try fixture.contents(fixture.files[0])
            // Another log with the same numbers, by the same user.
            try AuditFixture.run(limits: fixture.limits) { other in
                try other.append(1...60)
                try fixture.replace(fixture.files[0], other.contents(other.files[0]))
            }
            #expect(try fixture.contents(fixture.files[0]) != old)
            fixture.reopen()
            #expect(try !fixture.read().brokenAt.isEmpty)
        }
    }

    @Test func aShortenedOlderFileIsReported() throws {
        try threeFiles { fixture in
            let file = fixture.files[0]
            let bytes = try fixture.contents(file)
            let places = AuditFixture.places(bytes)
            let numbers = try fixture.numbers()
            try fixture.replace(file, Array(bytes[..<places[places.count - 2].lowerBound]))
            fixture.reopen()
            let page = try fixture.read()
            #expect(page.brokenAt.count == 1)
            #expect(page.clientNumbers.count == numbers.count - 2)
        }
    }

    @Test func aFileShortenedUnderARunningServiceIsReported() throws {
        try AuditFixture.run { fixture in
            try fixture.append(1...9)
            let file = try fixture.newest()
            let bytes = try fixture.contents(file)
            try fixture.replace(file, Array(bytes[..<AuditFixture.places(bytes)[6].lowerBound]))
            try fixture.append([10])
            let page = try fixture.read()
            #expect(page.brokenAt == [7])
            #expect(page.notes(.chainBroken).map(\.number) == [7])
            #expect(page.clientNumbers == [1, 2, 3, 4, 5, 10])
            #expect(page.records.last?.sequence == 12)
        }
    }

    @Test func filesRemovedUnderARunningServiceAreReported() throws {
        try AuditFixture.run { fixture in
            try fixture.append(1...9)
            unsafe unlink(try fixture.newest())
            try fixture.append([10])
            let page = try fixture.read()
            #expect(page.notes(.chainBroken).map(\.number) == [11])
            #expect(page.records.map(\.sequence) == [11, 12])
            #expect(page.clientNumbers == [10])
        }
    }

    /// Outside the files nothing counts records yet.
    @Test func recordsCutOffTheEndWhileNothingRunsAreNotMissedYet() throws {
        try AuditFixture.run { fixture in
            try fixture.append(1...9)
            let file = try fixture.newest()
            let bytes = try fixture.contents(file)
            try fixture.replace(file, Array(bytes[..<AuditFixture.places(bytes)[6].lowerBound]))
            fixture.reopen()
            try fixture.append([10])
            let page = try fixture.read()
            #expect(page.brokenAt == [])
            #expect(page.clientNumbers == [1, 2, 3, 4, 5, 10])
        }
    }

    @Test func aKeyThatNeverOpensLeavesTheFileAndBeginsAnother() throws {
        try AuditFixture.run { fixture in
            try fixture.append(1...3)
            let bytes = try fixture.contents(fixture.files[0])
            fixture.keys.forget()
            fixture.reopen()
            try fixture.append([4])
            #expect(try fixture.contents(fixture.files[0]) == bytes)
            let page = try fixture.read()
            #expect(page.brokenAt == [1])
            #expect(page.clientNumbers == [4])
        }
    }

    @Test(arguments: [0, 1, 64, 127, 128])
    func aFileThatIsNoLogIsKeptAndReported(byteCount: Int) throws {
        try AuditFixture.run { fixture in
            let junk = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 * 31) }
            try fixture.replace(fixture.directory + "/audit.1000.5", junk)
            try fixture.append([1])
            #expect(try fixture.contents(fixture.files[0]) == junk)
            let page = try fixture.read()
            #expect(page.brokenAt == [1])
            #expect(page.clientNumbers == [1])
        }
    }

    @Test func aLinkOrADirectoryInAFilesPlaceIsNotFollowed() throws {
        try AuditFixture.run { fixture in
            try fixture.append([1])
            let file = try fixture.newest()
            let aside = fixture.directory + "/elsewhere"
            try FileManager.default.moveItem(atPath: file, toPath: aside)
            try FileManager.default.createSymbolicLink(
                atPath: file, withDestinationPath: aside)
            fixture.reopen()
            try fixture.append([2])
            #expect(try fixture.read().brokenAt == [1])
            try FileManager.default.removeItem(atPath: file)
            try FileManager.default.createDirectory(
                atPath: file, withIntermediateDirectories: false)
            fixture.reopen()
            try fixture.append([3])
            #expect(try fixture.numbers() == [2, 3])
        }
    }

    // MARK: - Random changes

    /// Random changes to a file: reading never traps, returns no record that wasn't written, and
    /// always reports missing records. The long form (`make campaign`) sets
    /// LLAVERO_AUDIT_MUTATIONS.
    @Test func nothingThatIsDoneToAFileMakesItLie() throws {
        var generator = SeededGenerator(seed: 20_261_121)
        let rounds =
            ProcessInfo.processInfo.environment["LLAVERO_AUDIT_MUTATIONS"].flatMap(Int.init) ?? 1000
        try AuditFixture.run { fixture in
            for number in 1...12 { try fixture.append([number], itemCount: number % 5) }
            let file = try fixture.newest()
            let bytes = try fixture.contents(file)
            let original = try fixture.read().records
            let bySequence = Dictionary(uniqueKeysWithValues: original.map { ($0.sequence, $0) })
            for round in 0..<rounds {
                for file in fixture.files.dropFirst() { unsafe unlink(file) }
                let changed = Self.mutated(bytes, using: &generator)
                try fixture.replace(file, changed)
                fixture.reopen()
                let page = try fixture.read()
                let clients = page.records.filter { $0.processID > 0 }
                let isTrue = clients.allSatisfy { $0 == bySequence[$0.sequence] }
                #expect(isTrue, "round \(round)")
                let isMissingSome = Set(clients.map(\.sequence)).count < 12
                let isCleanCut =
                    bytes.starts(with: changed)
                    && AuditFixture.places(bytes).contains { $0.lowerBound == changed.count }
                let isReported =
                    !page.brokenAt.isEmpty || !page.notes(.tailCut).isEmpty || changed.isEmpty
                #expect(!isMissingSome || isReported || isCleanCut, "round \(round)")
                try fixture.append([99])
                #expect(try fixture.numbers().last == 99, "round \(round)")
            }
        }
    }

    private static func mutated(
        _ bytes: [UInt8], using generator: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            let length = Int.random(in: 1...300, using: &generator)
            let end = min(place + length, bytes.count)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: bytes[place] ^= UInt8.random(in: 1...255, using: &generator)
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 3: bytes.removeSubrange(place...)
            case 4:
                for index in place..<end {
                    bytes[index] = UInt8.random(in: 0...255, using: &generator)
                }
            case 5:
                let unit = place / 64 * 64
                bytes.removeSubrange(unit..<min(unit + 64, bytes.count))
            case 6:
                let unit = place / 64 * 64
                let other = Int.random(in: 0..<bytes.count, using: &generator) / 64 * 64
                for index in 0..<64 where max(unit, other) + index < bytes.count {
                    bytes.swapAt(unit + index, other + index)
                }
            default: bytes += [UInt8](repeating: 0, count: length)
            }
        }
        return bytes
    }
}
