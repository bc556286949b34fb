// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import Glibc

/// A kept file read page by page, without SQLite: its pages with the changes of the log beside it,
/// or the pages of a log alone. The caller opens the rows to find out whether they are ours.
package final class SalvagedFile {
    private let database: Int32
    private let log: WALFile?
    private let pageByteCount: Int
    /// The offset of the newest intact image of a page in the log.
    private var newest: [UInt32: Int] = [:]
    /// The offsets of newer, damaged images of a page, the newest first: most of their rows are
    /// intact.
    private var damaged: [UInt32: [Int]] = [:]
    /// The pages to read, in ascending order.
    private var pages: [UInt32]

    private static let standardPageByteCount = 4096
    private static let pageByteCounts = 512...65536

    /// A row of which only one interpretation can be right.
    package typealias Candidate = [SealedItem]

    /// Opens a kept file.
    /// - Returns: Nil when there is nothing to read.
    fileprivate init?(_ path: String) {
        let isLogAlone = Self.isLogAlone(path)
        log = WALFile(isLogAlone ? path : path + "-wal")
        database = isLogAlone ? -1 : unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard database >= 0 || log != nil else { return nil }
        pageByteCount =
            log?.pageByteCount ?? Self.pageByteCount(database) ?? Self.standardPageByteCount
        var found: Set<UInt32> = []
        var images: [UInt32: Int] = [:]
        var isBehindDamage = !isLogAlone || log?.isHeaderSound == false
        var broken: [UInt32: [Int]] = [:]
        // Pages of a commit whose end is missing.
        var open: Set<UInt32> = []
        log?.forEachFrame { frame in
            guard frame.condition == .sound else {
                guard frame.condition == .damaged else { return true }
                isBehindDamage = true
                found.formUnion(open)
                broken[frame.page, default: []].insert(frame.offset, at: 0)
                found.insert(frame.page)
                return true
            }
            images[frame.page] = frame.offset
            broken[frame.page] = nil
            // For a log alone, the commits before the damage are already in the database.
            if isBehindDamage { found.insert(frame.page) } else { open.insert(frame.page) }
            if frame.endsCommit { open = [] }
            return true
        }
        newest = images
        damaged = broken
        if database >= 0 {
            let size = lseek(database, 0, SEEK_END)
            found.formUnion(1...UInt32(clamping: max(Int(size) / pageByteCount, 1)))
        }
        pages = found.sorted()
        // A damaged number may be any; the search begins at 1.
        if let lost = damaged.removeValue(forKey: 0) {
            damaged[1, default: []] += lost
            pages = found.union([1]).sorted()
        }
    }

    deinit { if database >= 0 { close(database) } }

    private static func pageByteCount(_ file: Int32) -> Int? {
        var header = [UInt8](repeating: 0, count: 18)
        guard unsafe pread(file, &header, header.count, 0) == header.count,
            header.starts(with: "SQLite format 3\0".utf8)
        else { return nil }
        let stored = Int(header[16]) << 8 | Int(header[17])
        let count = stored == 1 ? 65536 : stored
        return pageByteCounts.contains(count) && count.nonzeroBitCount == 1 ? count : nil
    }

    /// Whether a kept file is a log without its database.
    package static func isLogAlone(_ name: String) -> Bool {
        name.hasSuffix(KeptFile.logAloneSuffix)
    }

    /// The candidate rows of the next pages.
    /// - Parameters:
    ///   - page: The page after which to continue.
    ///   - limit: The approximate number of rows.
    /// - Returns: The rows, and the page after which to continue; nil at the end.
    package func rows(afterPage page: Int64, limit: Int) -> (rows: [Candidate], next: Int64?) {
        var rows: [Candidate] = []
        for number in pages where Int64(number) > page {
            for offset in damaged[number] ?? [] {
                // The page number itself may be damaged; our rows are never on the first page.
                guard let image = log?.content(at: offset) else { continue }
                rows += Self.rows(image, isFirst: false) { self.content($0) }
            }
            if let bytes = content(number) {
                rows += Self.rows(bytes, isFirst: number == 1) { self.content($0) }
            }
            if rows.count >= limit { return (rows, Int64(number)) }
        }
        return (rows, nil)
    }

    /// The candidate rows of one page.
    package static func rows(
        _ page: [UInt8], isFirst: Bool, overflow: @escaping (UInt32) -> [UInt8]?
    ) -> [Candidate] {
        guard let leaf = LeafPage(page, isFirst: isFirst, overflow: overflow) else { return [] }
        var rows: [Candidate] = []
        leaf.forEachRecord { rowID, record in
            let items = RawRecord(record)?.items(rowID: rowID) ?? []
            if !items.isEmpty { rows.append(items) }
        }
        return rows
    }

    private func content(_ number: UInt32) -> [UInt8]? {
        if let offset = newest[number], let page = log?.content(at: offset) { return page }
        guard database >= 0, number > 0 else { return nil }
        var page = [UInt8](repeating: 0, count: pageByteCount)
        let offset = off_t(number - 1) * off_t(pageByteCount)
        let count = unsafe pread(database, &page, page.count, offset)
        return count == page.count ? page : nil
    }
}

extension ItemStore {
    /// Opens a kept file by its name, for reading without SQLite.
    /// - Returns: Nil when there is nothing to read.
    package func salvageKeptFile(_ name: String) -> SalvagedFile? {
        SalvagedFile(stateDirectory + "/" + name)
    }
}
