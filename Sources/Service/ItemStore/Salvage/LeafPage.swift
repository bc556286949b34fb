// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A leaf page of a table, parsed without SQLite and without trusting any byte.
/// Source: sqlite.org/fileformat2.html §1.6 and §2.1.
struct LeafPage {
    private static let kind: UInt8 = 0x0D
    /// The types of pages with cells that aren't leaves of a table: index pages, and interior
    /// pages.
    private static let indexKinds: Set<UInt8> = [0x02, 0x0A]
    private static let headerByteCount = 8
    private static let leastPageByteCount = 512
    /// The first page begins with the file's header.
    private static let fileHeaderByteCount = 100
    /// The maximum size of one of our rows; larger ones aren't followed.
    private static let payloadLimit = 8 << 20

    private let bytes: [UInt8]
    private let start: Int
    private let cellCount: Int
    /// The overflow pages.
    private let overflow: (UInt32) -> [UInt8]?

    /// Parses a page; nil when it isn't the leaf of a table. A page whose type alone is damaged
    /// counts as a leaf: bytes that aren't one of our rows can't be opened.
    /// - Parameters:
    ///   - bytes: The page.
    ///   - isFirst: Whether it is the file's first one.
    ///   - overflow: Returns other pages by their numbers.
    init?(_ bytes: [UInt8], isFirst: Bool, overflow: @escaping (UInt32) -> [UInt8]?) {
        let start = isFirst ? Self.fileHeaderByteCount : 0
        guard bytes.count >= Self.leastPageByteCount, Self.mayBeLeaf(bytes, start) else {
            return nil
        }
        self.bytes = bytes
        self.start = start
        self.overflow = overflow
        let room = (bytes.count - start - Self.headerByteCount) / 2
        cellCount = min(Int(bytes[start + 3]) << 8 | Int(bytes[start + 4]), room)
    }

    private static func mayBeLeaf(_ bytes: [UInt8], _ start: Int) -> Bool {
        if bytes[start] == kind { return true }
        func number(_ offset: Int) -> Int {
            Int(bytes[start + offset]) << 8 | Int(bytes[start + offset + 1])
        }
        let cellsEnd = headerByteCount + 2 * number(3)
        return !indexKinds.contains(bytes[start]) && number(3) > 0 && number(1) < bytes.count
            && bytes[start + 7] <= fragmentLimit && start + cellsEnd <= number(5)
            && number(5) < bytes.count
    }

    /// SQLite defragments a page before it has more fragmented bytes than this.
    private static let fragmentLimit: UInt8 = 60

    /// Calls `body` with each row's number and record.
    func forEachRecord(_ body: (_ rowID: Int64, _ record: [UInt8]) -> Void) {
        for index in 0..<cellCount {
            let pointer = start + Self.headerByteCount + 2 * index
            var place = Int(bytes[pointer]) << 8 | Int(bytes[pointer + 1])
            guard let size = Varint.read(bytes, &place), let rowID = Varint.read(bytes, &place),
                size <= UInt64(Self.payloadLimit),
                let record = payload(Int(size), at: place)
            else { continue }
            body(Int64(bitPattern: rowID), record)
        }
    }

    /// A cell's content: the part on this page, and then page by page.
    private func payload(_ size: Int, at place: Int) -> [UInt8]? {
        let local = localByteCount(size)
        guard place + local <= bytes.count else { return nil }
        var content = Array(bytes[place..<place + local])
        guard local < size else { return content }
        guard place + local + 4 <= bytes.count else { return nil }
        var next = Self.number(bytes, place + local)
        // Each page adds bytes, so a cycle of pages ends, too.
        while content.count < size {
            guard next != 0, let page = overflow(next), page.count > 4 else { return nil }
            next = Self.number(page, 0)
            content += page[4..<min(page.count, 4 + size - content.count)]
        }
        return content
    }

    /// How much of a payload is on the leaf; our pages have no reserved bytes.
    private func localByteCount(_ size: Int) -> Int {
        let usable = bytes.count
        let most = usable - 35
        guard size > most else { return size }
        let least = (usable - 12) * 32 / 255 - 23
        let fitting = least + (size - least) % (usable - 4)
        return fitting <= most ? fitting : least
    }

    private static func number(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// SQLite's numbers of variable size.
enum Varint {
    /// Reads one and advances past it.
    /// - Returns: Nil at the end of the bytes.
    static func read(_ bytes: [UInt8], _ place: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard bytes.indices.contains(place) else { return nil }
            let byte = bytes[place]
            place += 1
            if index == 8 { return value << 8 | UInt64(byte) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
