// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDB
import ItemStore
import Testing

/// Flips each byte of a small database in turn: the components of a check and a recovery find every
/// other row again, and the process never ends.
///
/// Most bytes of a small database are between a page's cells, and never read. So to flip each byte,
/// the test first flips 64 at once, and then each of them alone: unless nothing has detected the
/// 64. In the log a checksum detects any of them; there the test checks that nothing was lost.
@Suite struct FlippedByteTests {
    private static let rowCount = 36
    private static let rowsPerCommit = 12
    private static let user: UInt32 = 1000
    /// The distance between flipped bytes; the long form (`make campaign`) sets LLAVERO_FLIP_STEP
    /// to 1.
    private static let step = 1201
    private static let schemaStep = 41
    private static let runByteCount = 64
    /// The data that a flip may lose, apart from ``isCountOfCells(_:_:)``.
    private static let mayBeLost = 1

    @Test(arguments: [true, false])
    func aFlippedByteCostsTheRowItIsInAtMost(isInLog: Bool) throws {
        let sound = try StateDirectory()
        let originals = try Self.fill(sound, isInLog: isInLog)
        let name = isInLog ? "keychain.db-wal" : "keychain.db"
        let bytes = try Data(contentsOf: URL(fileURLWithPath: sound.path + "/" + name))
        let variable = ProcessInfo.processInfo.environment["LLAVERO_FLIP_STEP"]
        let step = variable.flatMap(Int.init) ?? Self.step
        var worst: [Int: Int] = [:]
        let file = File(directory: sound, name: name, bytes: bytes)
        for offset in try Self.offsets(file, step, isInLog, originals) {
            let lost = try Self.flip([offset], of: file, originals).lost
            worst[lost, default: 0] += 1
            guard lost > Self.mayBeLost else { continue }
            #expect(
                Self.isCountOfCells(bytes, offset, isInLog: isInLog),
                "\(lost) rows lost by a flip of byte \(offset) of \(name)")
        }
        print("Rows lost by a flip in \(name), and how many flips: \(worst)")
    }

    private static func offsets(
        _ file: File, _ step: Int, _ isInLog: Bool, _ originals: [SealedItem]
    ) throws -> [Int] {
        guard step == 1 else { return samples(file.bytes, step) }
        let starts = stride(from: 0, to: file.bytes.count, by: runByteCount)
        return try starts.flatMap { start -> [Int] in
            let run = [Int](start..<min(start + runByteCount, file.bytes.count))
            let outcome = try flip(run, of: file, originals)
            let isHarmless = isInLog ? outcome.lost == 0 : !outcome.isNoticed
            return isHarmless ? [] : run
        }
    }

    /// More of the pages that list tables and indexes, which SQLite trusts.
    private static func samples(_ bytes: Data, _ step: Int) -> [Int] {
        var offsets = Set(stride(from: step / 2, to: bytes.count, by: step))
        for text in ["CREATE TABLE", "CREATE INDEX", "CREATE UNIQUE INDEX"] {
            var rest = bytes[...]
            while let found = rest.firstRange(of: Data(text.utf8)) {
                let end = min(found.upperBound + schemaStep * 4, bytes.endIndex)
                offsets.formUnion(stride(from: found.lowerBound, to: end, by: schemaStep))
                rest = bytes[found.upperBound...]
            }
        }
        return offsets.sorted()
    }

    /// A smaller number of cells hides the cells after it. They could also be deleted rows: nothing
    /// on the page distinguishes them.
    private static func isCountOfCells(_ bytes: Data, _ offset: Int, isInLog: Bool) -> Bool {
        let (start, size) = isInLog ? (32 + 24, 4096 + 24) : (0, 4096)
        guard offset >= start else { return false }
        let place = (offset - start) % size
        let page = bytes[(offset - place)...]
        let header = page.starts(with: "SQLite format 3".utf8) ? 100 : 0
        return page[page.startIndex + header] == 0x0D && [3, 4].contains(place - header)
    }

    // MARK: - The database

    private static func value(_ number: UInt8, _ column: UInt8) -> IndexValue {
        var bytes = [UInt8](repeating: number, count: 16)
        bytes[0] = column
        return unsafe bytes.withUnsafeBytes { unsafe IndexValue($0) }
    }

    private static let group = value(0, 99)

    /// Bytes as random as sealed ones, but the same in each run.
    private static func noise(_ count: Int, _ seed: Int) -> [UInt8] {
        var state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    private static func item(_ number: Int) -> SealedItem {
        let place = UInt8(number)
        var indexes = [IndexValue?](repeating: nil, count: 12)
        for (position, column) in [(0, 1), (2, 2), (3, 3), (4, 4)] {
            indexes[position] = value(place, UInt8(column))
        }
        indexes[1] = group
        // A row that spans several pages.
        let secretByteCount = number == 7 ? 11_000 : 60
        return SealedItem(
            table: .genericPasswords, rowID: 0, uuid: noise(16, number), userID: user, keyClass: 6,
            keyGeneration: 1, rowGeneration: 1, isTombstone: false, indexes: indexes,
            metadata: Data(noise(180, number + 1000)),
            secret: noise(secretByteCount, number + 2000))
    }

    private static func fill(
        _ directory: StateDirectory, isInLog: Bool
    ) throws -> [SealedItem] {
        let originals = (0..<rowCount).map(item)
        let live = try StateDirectory()
        let store = try ItemStore(stateDirectory: live.path, timestamp: "T")
        let writer = try store.makeWriter(keeper: TestRoots())
        if !isInLog { try insert(originals, writer) }
        try writer.checkpoint()
        if isInLog { try insert(originals, writer) }
        // The files as after a power cut: no orderly end has checkpointed the log.
        for name in ["keychain.db", "keychain.db-wal"] {
            try FileManager.default.copyItem(
                atPath: live.path + "/" + name, toPath: directory.path + "/" + name)
        }
        return originals
    }

    /// In a few commits, so that a log doesn't contain each page many times.
    private static func insert(_ items: [SealedItem], _ writer: StoreWriter) throws {
        for start in stride(from: 0, to: items.count, by: rowsPerCommit) {
            try writer.commit { (transaction) throws(StoreError) in
                for item in items[start..<min(start + rowsPerCommit, items.count)] {
                    try transaction.insert(item)
                }
            }
        }
    }

    // MARK: - The flipped byte

    /// The file to flip: one of the files of an intact database.
    private struct File {
        let directory: StateDirectory
        let name: String
        let bytes: Data
    }

    private static func flip(
        _ offsets: [Int], of file: File, _ originals: [SealedItem]
    ) throws -> (lost: Int, isNoticed: Bool) {
        let directory = try StateDirectory()
        for name in ["keychain.db", "keychain.db-wal"] where name != file.name {
            try FileManager.default.copyItem(
                atPath: file.directory.path + "/" + name, toPath: directory.path + "/" + name)
        }
        var flipped = file.bytes
        for offset in offsets { flipped[offset] ^= 1 << UInt8(offset % 8) }
        try flipped.write(to: URL(fileURLWithPath: directory.path + "/" + file.name))
        var missing = originals
        var isNoticed = true
        do {
            isNoticed = try look(directory, &missing)
        } catch { Issue.record("bytes \(offsets) of \(file.name): \(error)") }
        return (missing.count, isNoticed)
    }

    /// securityd's steps at its start, at a read that finds damage, and at a recovery.
    /// - Returns: Whether there was anything to recover.
    private static func look(
        _ directory: StateDirectory, _ missing: inout [SealedItem]
    ) throws -> Bool {
        do {
            let store = try ItemStore(stateDirectory: directory.path, timestamp: "T1")
            if try readLive(store, &missing) { return false }
        } catch StoreError.damaged {
            try Data().write(to: URL(fileURLWithPath: directory.database + "-iscorrupt"))
        }
        guard !missing.isEmpty else { return true }
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T2")
        _ = try? readLive(store, &missing)
        for name in store.keptFiles() where !missing.isEmpty {
            if !SalvagedFile.isLogAlone(name), let kept = try? store.openKeptFile(name) {
                let part = kept.rows(.genericPasswords, after: 0, limit: rowCount + 1)
                remove(part.rows, from: &missing)
            }
            guard !missing.isEmpty, let pages = store.salvageKeptFile(name) else { continue }
            let rows = pages.rows(afterPage: 0, limit: .max).rows
            remove(Array(rows.joined()), from: &missing)
        }
        return true
    }

    /// - Returns: Whether all rows were found.
    private static func readLive(
        _ store: ItemStore, _ missing: inout [SealedItem]
    ) throws(StoreError) -> Bool {
        let reader = try store.makeReader()
        try readByIndex(reader, &missing)
        guard !missing.isEmpty else { return true }
        let names = try reader.indexes(namedIn: try reader.integrityProblems())
        let writer = try store.makeWriter(keeper: TestRoots())
        for name in names {
            try writer.commit { (transaction) throws(StoreError) in
                try transaction.rebuild(index: name)
            }
        }
        try readByIndex(reader, &missing)
        return false
    }

    private static func readByIndex(
        _ reader: StoreReader, _ missing: inout [SealedItem]
    ) throws(StoreError) {
        guard let scope = GroupScope([group]) else { return }
        var found: [SealedItem] = []
        for item in missing {
            guard let account = item.index(.account) else { continue }
            let plan = QueryPlan(
                table: .genericPasswords, userID: user, scope: scope,
                equalities: [(.account, account)], row: nil, wantsSecret: true)
            try reader.scan(plan, after: 0) { item in
                found.append(item)
                return true
            }
        }
        remove(found, from: &missing)
    }

    /// An unchanged row counts; a changed one can't be opened.
    private static func remove(_ found: [SealedItem], from missing: inout [SealedItem]) {
        missing.removeAll { item in
            found.contains { other in
                other.table == item.table && other.uuid == item.uuid
                    && other.userID == item.userID && other.keyClass == item.keyClass
                    && other.keyGeneration == item.keyGeneration
                    && other.rowGeneration == item.rowGeneration
                    && other.isTombstone == item.isTombstone && other.indexes == item.indexes
                    && other.metadata == item.metadata && other.secret == item.secret
            }
        }
    }
}
