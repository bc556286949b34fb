// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import IPC
import SecretBytes
package import SecurityWire

/// How far a user's log is written: what is behind that may be half-written.
package struct AuditExtent: Sendable {
    /// The number of the newest file.
    let number: UInt32
    /// How many bytes of it are written.
    let byteCount: Int
}

/// One user's audit log: a chain of sealed records in a bounded number of files (STORAGE.md, "Audit
/// log"). Only one thread uses it.
package final class AuditLog {
    /// The size limits.
    package struct Limits: Sendable {
        /// Maximum size of the newest file, and of all files before it together.
        package var fileByteCount = 4 << 20
        /// Maximum number of files before the newest.
        package var fileCount = 15
        /// The largest incomplete record that a crash leaves; more is damage.
        package var tailByteCount = 64 << 10

        package init() {}
    }

    /// The newest file, and the number and chain value of its next record.
    private struct Current: ~Copyable {
        let file: Descriptor
        let number: UInt32
        let sealer: AuditSealer
        var byteCount: Int
        var sequence: UInt64
        var chain: AuditChain
    }

    private let files: AuditFiles
    private let userID: UInt32
    private let keys: AuditKeys
    private let limits: Limits
    private let now: () -> Int64
    /// The protectors, by name, and when each last unlocked, in microseconds since 1970.
    private let lastUnlocks: () -> [(name: String, moment: Int64)]
    private var current: Current?
    /// The number and chain value of the next record, once this process has written one.
    private var reached: (sequence: UInt64, chain: AuditChain)?
    private var hasStarted = false
    /// When the last record before this process was made; 0 if there is none.
    private var lastMoment: Int64 = 0
    /// Where reading ends.
    private var extent: AuditExtent?

    /// A log with its files in a directory; nothing is read before the first call.
    /// - Parameters:
    ///   - directory: The state directory.
    ///   - userID: The user.
    ///   - keys: The source of keys.
    ///   - limits: The size limits.
    ///   - lastUnlocks: The protectors, and when each last unlocked.
    ///   - now: Microseconds since 1970.
    package init(
        directory: String, userID: UInt32, keys: AuditKeys, limits: Limits = Limits(),
        lastUnlocks: @escaping () -> [(name: String, moment: Int64)] = { [] },
        now: @escaping () -> Int64
    ) {
        self.lastUnlocks = lastUnlocks
        files = AuditFiles(directory: directory, userID: userID)
        self.userID = userID
        self.keys = keys
        self.limits = limits
        self.now = now
    }

    // MARK: - Appending

    /// Appends records in their order, and numbers them.
    /// - Returns: How many were written; with a failure unless all were.
    package func append(_ records: some Collection<AuditRecord>) -> (Int, AuditFailure?) {
        var written = 0
        do throws(AuditFailure) {
            try open(before: records)
            try appendAll(records, &written)
        } catch { return (written, error) }
        return (written, nil)
    }

    private func appendAll(
        _ records: some Collection<AuditRecord>, _ written: inout Int
    ) throws(AuditFailure) {
        var rest = records[...]
        while !rest.isEmpty {
            let count = try appendSome(rest)
            rest = rest.dropFirst(count)
            written += count
        }
    }

    private func append(_ note: AuditRecord) throws(AuditFailure) {
        var written = 0
        try appendAll([note], &written)
    }

    /// Makes all appended records durable.
    package func synchronize() throws(AuditFailure) {
        switch current {
        case .none: return
        case .some(let current):
            do { try AuditFiles.synchronize(current.file) } catch { throw .system(error) }
        }
    }

    /// A file accepts at least one record, otherwise new files would be made without end.
    private var fileByteLimit: Int {
        let largest = AuditFormat.unitLimit * AuditFormat.unitByteCount
        return max(limits.fileByteCount, AuditHeader.byteCount + largest)
    }

    /// Maximum bytes of one system call.
    private static let writeByteLimit = 256 << 10

    /// Writes as many records as fit into one write; begins a new file when the next one doesn't
    /// fit.
    private func appendSome(
        _ records: some Collection<AuditRecord>
    ) throws(AuditFailure) -> Int {
        guard var open = current.take() else { throw .keyUnavailable }
        var bytes: [UInt8] = []
        var count = 0
        var next = (sequence: open.sequence, chain: open.chain)
        for record in records {
            var record = record
            record.sequence = next.sequence
            guard let sealed = open.sealer.seal(record, after: next.chain) else {
                count += 1
                continue
            }
            if open.byteCount + bytes.count + sealed.count > fileByteLimit { break }
            bytes += sealed
            next = unsafe sealed.withUnsafeBytes {
                unsafe (next.sequence + 1, next.chain.adding($0))
            }
            count += 1
            if bytes.count > Self.writeByteLimit { break }
        }
        do throws(SystemError) {
            try AuditFiles.write(bytes, to: open.file, at: open.byteCount)
        } catch {
            current = consume open
            throw .system(error)
        }
        open.byteCount += bytes.count
        open.sequence = next.sequence
        open.chain = next.chain
        reached = next
        let isFull = count == 0
        let number = open.number
        current = consume open
        if isFull {
            try synchronize()
            try begin(after: number, next, note: nil)
        }
        return count
    }

    // MARK: - Opening

    /// Ensures that there is an intact newest file. Called before each write, so that it detects a
    /// file that was truncated or removed while the service runs.
    private func open(
        before records: some Collection<AuditRecord> = [AuditRecord]()
    ) throws(AuditFailure) {
        switch current {
        case .none: break
        case .some(let current):
            if AuditFiles.isIntact(current.file, byteCount: current.byteCount) { return }
        }
        current = nil
        try findPlace()
        guard !hasStarted else { return }
        try append(note(.started, 0))
        hasStarted = true
        // Such an unlock, at the start of enclaved, is no request that could be recorded.
        guard !records.contains(where: { $0.event == .unlockByProtector }) else { return }
        for (name, moment) in lastUnlocks() where moment > lastMoment {
            var record = AuditRecord(.unlockByProtector, userID: userID, microseconds: moment)
            record.accessGroup = name
            try append(record)
        }
    }

    private func findPlace() throws(AuditFailure) {
        let numbers = try numbers()
        guard let newest = numbers.last else {
            let first = reached ?? (1, .none)
            let isLost = reached != nil
            return try begin(
                after: 0, first, note: isLost ? note(.chainBroken, first.sequence) : nil)
        }
        var scan = AuditScan()
        let take: (AuditRecord) -> Void = { [hasStarted] record in
            guard !hasStarted else { return }
            self.lastMoment = max(self.lastMoment, record.microseconds)
        }
        guard let found = try read(newest, into: &scan, isNewest: true, take) else {
            // It can't be continued: the records that it should continue are in the files before
            // it.
            scan = AuditScan()
            for number in numbers.dropLast() {
                _ = try read(number, into: &scan, isNewest: false, { _ in })
            }
            return try begin(
                after: newest, reached ?? scan.expected ?? (1, .none),
                note: note(.chainBroken, scan.expected?.sequence ?? 1))
        }
        guard let expected = scan.expected else { throw .keyUnavailable }
        let isShort = reached.map { $0.sequence > expected.sequence } ?? false
        let hasTail = scan.tailByteCount > 0
        if isShort || !scan.brokenAt.isEmpty || (hasTail && !isTorn(found.bytes, scan)) {
            var place = expected
            if let reached, reached.sequence >= place.sequence { place = reached }
            let broken = scan.brokenAt.first ?? expected.sequence
            return try begin(after: newest, place, note: note(.chainBroken, broken))
        }
        do throws(SystemError) {
            let file = try files.open(newest)
            if hasTail { try AuditFiles.cut(file, to: scan.validEnd) }
            current = Current(
                file: file, number: newest, sealer: found.sealer, byteCount: scan.validEnd,
                sequence: expected.sequence, chain: expected.chain)
        } catch { throw .system(error) }
        if hasTail { try append(note(.tailCut, UInt64(scan.tailByteCount))) }
    }

    /// Whether the end of a file is an incomplete record after a crash, and not damage.
    private func isTorn(_ bytes: [UInt8], _ scan: AuditScan) -> Bool {
        scan.tailByteCount <= limits.tailByteCount
            || bytes[scan.validEnd...].allSatisfy { $0 == 0 }
    }

    private func begin(
        after number: UInt32, _ place: (sequence: UInt64, chain: AuditChain), note: AuditRecord?
    ) throws(AuditFailure) {
        guard number < .max else { throw .keyUnavailable }
        let number = number + 1
        let made = try keys.make(number)
        let header = AuditHeader(
            userID: userID, number: number, firstSequence: place.sequence, previous: place.chain,
            wrappedKey: made.wrapped)
        do throws(SystemError) {
            current = Current(
                file: try files.begin(number, header.encoded()), number: number,
                sealer: AuditSealer(key: made.key, userID: userID, number: number),
                byteCount: AuditHeader.byteCount, sequence: place.sequence,
                chain: AuditChain(header: header))
        } catch { throw .system(error) }
        files.prune(
            before: number, byteLimit: limits.fileByteCount, countLimit: limits.fileCount)
        if let note { try append(note) }
    }

    private func note(_ event: AuditEvent, _ number: UInt64) -> AuditRecord {
        var record = AuditRecord(event, userID: userID, microseconds: now())
        record.number = number
        return record
    }

    // MARK: - Closing

    /// Whether it has a file open.
    var isOpen: Bool {
        switch current {
        case .none: false
        case .some: true
        }
    }

    /// Closes its file; the next call opens it again.
    func letGo() { current = nil }

    /// Deletes all files: the user is gone.
    func remove() {
        current = nil
        reached = nil
        files.removeAll()
    }

    // MARK: - Reading

    /// Makes sure that the newest file is intact, so that the log can be read.
    /// - Returns: Where the log ends; nil when there is none.
    /// - Throws: when the files can't be read or written, or their keys are unavailable, now.
    package func prepareReading() throws(AuditFailure) -> AuditExtent? {
        if try numbers().isEmpty { return nil }
        try open()
        switch current {
        case .none: return nil
        case .some(let current):
            return AuditExtent(number: current.number, byteCount: current.byteCount)
        }
    }

    /// Reads a part of the log. The same object writes it.
    ///
    /// The first page reads the whole log, and reports where its chain is broken.
    /// - Parameters:
    ///   - query: The part.
    ///   - recordLimit: Maximum number of records of one page.
    /// - Returns: Records, oldest first, and where the next page starts.
    /// - Throws: when the files can't be read, or their keys are unavailable, now.
    package func page(
        _ query: AuditQuery, recordLimit: Int = 1000
    ) throws(AuditFailure) -> AuditPage {
        guard let extent = try prepareReading() else { return AuditPage() }
        return try page(query, upTo: extent, recordLimit: recordLimit)
    }

    /// Reads a part of a log that another object writes.
    /// - Parameters:
    ///   - query: The part.
    ///   - extent: Where the log ended when the other object was asked.
    ///   - recordLimit: Maximum number of records of one page.
    /// - Returns: As ``page(_:recordLimit:)``.
    /// - Throws: as ``page(_:recordLimit:)``; ``AuditFailure/keyUnavailable`` when files disappear
    ///   again and again while they are read.
    package func page(
        _ query: AuditQuery, upTo extent: AuditExtent, recordLimit: Int = 1000
    ) throws(AuditFailure) -> AuditPage {
        self.extent = extent
        defer { self.extent = nil }
        for _ in 0..<Self.readTries {
            let numbers = try numbers().filter { $0 <= extent.number }
            let page = try page(query, numbers, recordLimit: recordLimit)
            // The writer may have removed the oldest files meanwhile.
            if page.brokenAt.isEmpty { return page }
            let left = Set(try self.numbers())
            if numbers.allSatisfy(left.contains) { return page }
        }
        throw .keyUnavailable
    }

    private static let readTries = 4

    private func page(
        _ query: AuditQuery, _ numbers: [UInt32], recordLimit: Int
    ) throws(AuditFailure) -> AuditPage {
        var page = AuditPage()
        var start = query.cursor
        if start == 0 {
            var scan = AuditScan()
            var matching: [UInt64] = []
            for number in numbers {
                _ = try read(number, into: &scan, isNewest: false) { record in
                    if query.admits(record) { matching.append(record.sequence) }
                }
            }
            page.brokenAt = scan.brokenAt
            let wanted = query.limit == 0 ? matching[...] : matching.suffix(Int(query.limit))
            guard let first = wanted.min() else { return page }
            start = first
        }
        let limit = query.limit == 0 ? recordLimit : min(recordLimit, Int(query.limit))
        // If the chain is broken, the log may contain a record twice.
        var seen: Set<UInt64> = []
        for number in numbers where page.nextCursor == 0 {
            guard let (bytes, sealer, _) = try contents(number) else { continue }
            _ = AuditScan.records(bytes, sealer, from: start) { record in
                guard query.admits(record), seen.insert(record.sequence).inserted else {
                    return true
                }
                guard page.records.count < limit else {
                    page.nextCursor = record.sequence
                    return false
                }
                page.records.append(record)
                return true
            }
        }
        if page.records.count == Int(query.limit) { page.nextCursor = 0 }
        return page
    }

    /// Reads one file.
    /// - Returns: Nil when its header or its key can't be opened; `scan` has recorded that.
    private func read(
        _ number: UInt32, into scan: inout AuditScan, isNewest: Bool,
        _ take: (AuditRecord) -> Void
    ) throws(AuditFailure) -> (bytes: [UInt8], sealer: AuditSealer)? {
        guard let (bytes, sealer, header) = try contents(number) else {
            scan.skipsUnreadableFile()
            return nil
        }
        scan.read(bytes, header, sealer, isNewest: isNewest, take)
        return (bytes, sealer)
    }

    /// A file with its parsed header and opened key; nil when either fails.
    private func contents(
        _ number: UInt32
    ) throws(AuditFailure) -> (bytes: [UInt8], sealer: AuditSealer, header: AuditHeader)? {
        var bytes: [UInt8]
        do throws(SystemError) {
            bytes = try AuditFiles.contents(files.open(number))
        } catch {
            guard error.concernsTheFile else { throw .system(error) }
            return nil
        }
        if let extent, extent.number == number, extent.byteCount < bytes.count {
            bytes.removeLast(bytes.count - extent.byteCount)
        }
        guard let header = AuditHeader(bytes), header.userID == userID, header.number == number,
            case .key(let key) = try keys.open(header.wrappedKey, number)
        else { return nil }
        return (bytes, AuditSealer(key: key, userID: userID, number: number), header)
    }

    private func numbers() throws(AuditFailure) -> [UInt32] {
        do { return try files.numbers() } catch { throw .system(error) }
    }
}

extension AuditQuery {
    /// Whether a record is recent enough.
    fileprivate func admits(_ record: AuditRecord) -> Bool {
        since == 0 || record.microseconds >= since
    }
}
