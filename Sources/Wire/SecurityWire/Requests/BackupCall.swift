// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import SecretBytes

/// A request about backups (PROTOCOL.md, "Backups").
package enum BackupCall: Hashable, Sendable {
    /// The largest part of an archive in one message.
    package static let partByteCount = 768 * 1024
    /// Of the number that names a backup or a restore under way.
    package static let sessionByteCount = 16
    package static let nonceByteCount = 32
    /// The head of an archive, with the largest bag.
    package static let headByteCountLimit = 8192

    /// What there is.
    case status
    /// A nonce, and the directory in which a file of its name proves that its writer is the owner.
    case challenge
    /// The file is there.
    case prove(nonce: [UInt8])
    /// Set the backup password. The letter has the passcode, if there is one, and the password.
    case setPassword(letter: [UInt8])
    /// Remove it. The letter has the passcode, if there is one.
    case removePassword(letter: [UInt8])
    /// Begin an archive of everything.
    case begin
    /// The next part of an archive.
    case read(session: [UInt8])
    /// Begin to restore an archive. The letter has the passcode, if there is one, and the backup password.
    case open(head: [UInt8], RestoreOptions, letter: [UInt8])
    /// The next part of the archive: whole chunks, or the last one.
    case part(session: [UInt8], [UInt8])
    /// All parts are there: store them.
    case finish(session: [UInt8])
    /// Forget a backup or a restore.
    case abandon(session: [UInt8])
}

/// How a restore treats what is there.
package struct RestoreOptions: Hashable, Sendable {
    /// Which of two items counts.
    package enum Conflict: UInt8, CaseIterable, Sendable {
        /// The one that was changed later.
        case newer = 1
        /// The one that is there.
        case keep = 2
        /// The backup's.
        case backup = 3
    }

    /// What counts.
    package var conflict = Conflict.newer
    /// Nothing is stored.
    package var isDryRun = false
    /// What the backup lacks goes, but for what no backup has and what synchronizes.
    package var replaces = false
    /// An archive before the newest one is restored, too.
    package var takesOlder = false

    /// The newer item counts.
    package init() {}

    fileprivate var bits: UInt8 {
        (isDryRun ? 1 : 0) | (replaces ? 2 : 0) | (takesOlder ? 4 : 0)
    }

    fileprivate init?(_ conflict: UInt8, _ bits: UInt8) {
        guard let conflict = Conflict(rawValue: conflict), bits <= 7 else { return nil }
        self.conflict = conflict
        isDryRun = bits & 1 != 0
        replaces = bits & 2 != 0
        takesOlder = bits & 4 != 0
    }
}

/// What is known of backups.
package struct BackupStatus: Hashable, Sendable {
    /// Whether a backup password is set.
    package var isPasswordSet = false
    /// The set of this keychain's archives: 16 bytes, or none before the first one.
    package var set: [UInt8] = []
    /// The number of the last complete archive; 0: there was none.
    package var lastNumber: UInt32 = 0
    /// When it was made: seconds since 1970.
    package var lastDate: UInt64 = 0
    /// The rows in it.
    package var lastRowCount: UInt64 = 0
    /// Rows that may move, and whose wraps aren't made yet.
    package var pendingCount: UInt64 = 0
    /// Rows that only this device opens.
    package var deviceOnlyCount: UInt64 = 0
    /// Rows that no archive has.
    package var excludedCount: UInt64 = 0

    /// Nothing.
    package init() {}
}

/// What an archive has so far.
package struct BackupCounts: Hashable, Sendable {
    /// Rows in it.
    package var rows: UInt64 = 0
    /// Of those: rows that may move, and whose wraps couldn't be made while their class is locked.
    package var pending: UInt64 = 0
    /// Of those: rows that only this device opens.
    package var deviceOnly: UInt64 = 0
    /// Rows that are left out: of the passcode-set class, with an access control, trust settings.
    package var excluded: UInt64 = 0
    /// Rows of other keychains than login, which are left out.
    package var ofKeychains: UInt64 = 0

    /// Nothing.
    package init() {}
}

/// What a restore did, or would do.
package struct RestoreCounts: Hashable, Sendable {
    /// Items that weren't there.
    package var added: UInt64 = 0
    /// Items that took another's place.
    package var replaced: UInt64 = 0
    /// Items that stay out, because what is there counts.
    package var kept: UInt64 = 0
    /// Items that went, because the backup lacks them.
    package var removed: UInt64 = 0
    /// Rows that only the device opens that made them.
    package var deviceOnly: UInt64 = 0
    /// Rows that no backup restores: keys of an enclave, what the system keeps for itself.
    package var excluded: UInt64 = 0
    /// Rows that don't open.
    package var lost: UInt64 = 0

    /// Nothing.
    package init() {}

    /// All of them.
    package static let fields: [any WritableKeyPath<RestoreCounts, UInt64> & Sendable] = [
        \.added, \.replaced, \.kept, \.removed, \.deviceOnly, \.excluded, \.lost,
    ]

    /// Adds what another part did.
    package static func += (left: inout RestoreCounts, right: RestoreCounts) {
        for field in fields { left[keyPath: field] &+= right[keyPath: field] }
    }
}

/// The reply to a ``BackupCall``.
package enum BackupAnswer: Hashable, Sendable {
    case status(BackupStatus)
    case challenge(nonce: [UInt8], directory: [UInt8])
    case done
    /// The head of a new archive, or nothing for a restore.
    case begun(session: [UInt8], head: [UInt8])
    case part([UInt8], isLast: Bool, BackupCounts)
    case restored(RestoreCounts)
}

// MARK: - Requests on the wire

/// The layouts' first byte.
private enum Version {
    static let now: UInt8 = 1
}

extension BackupCall {
    private enum Kind: UInt8 {
        case status = 1
        case challenge = 2
        case prove = 3
        case setPassword = 4
        case removePassword = 5
        case begin = 6
        case read = 7
        case open = 8
        case part = 9
        case finish = 10
        case abandon = 11
    }

    /// The bytes of the message; no protobuf.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.u8(Version.now)
        switch self {
        case .status: writer.u8(Kind.status.rawValue)
        case .challenge: writer.u8(Kind.challenge.rawValue)
        case .prove(let nonce):
            writer.u8(Kind.prove.rawValue)
            writer.bytes(nonce)
        case .setPassword(let letter):
            writer.u8(Kind.setPassword.rawValue)
            writer.bytes(letter)
        case .removePassword(let letter):
            writer.u8(Kind.removePassword.rawValue)
            writer.bytes(letter)
        case .begin: writer.u8(Kind.begin.rawValue)
        case .read(let session):
            writer.u8(Kind.read.rawValue)
            writer.bytes(session)
        case .open(let head, let options, let letter):
            writer.u8(Kind.open.rawValue)
            writer.u8(options.conflict.rawValue)
            writer.u8(options.bits)
            writer.u16(UInt16(clamping: head.count))
            writer.bytes(head)
            writer.bytes(letter)
        case .part(let session, let bytes):
            writer.u8(Kind.part.rawValue)
            writer.bytes(session)
            writer.bytes(bytes)
        case .finish(let session):
            writer.u8(Kind.finish.rawValue)
            writer.bytes(session)
        case .abandon(let session):
            writer.u8(Kind.abandon.rawValue)
            writer.bytes(session)
        }
        return writer.bytes
    }

    /// Reads a message.
    /// - Throws: ``WireError/malformed``.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        do throws(DecodingFailure) {
            var reader = unsafe ByteReader(bytes)
            guard try unsafe reader.u8() == Version.now else { throw DecodingFailure() }
            self = try unsafe Self.read(&reader)
            try unsafe reader.finish()
        } catch { throw .malformed }
    }

    private static func read(_ reader: inout ByteReader) throws(DecodingFailure) -> BackupCall {
        guard let kind = Kind(rawValue: try unsafe reader.u8()) else { throw DecodingFailure() }
        switch kind {
        case .status: return .status
        case .challenge: return .challenge
        case .prove: return .prove(nonce: try unsafe reader.array(nonceByteCount))
        case .setPassword: return .setPassword(letter: try unsafe reader.letter())
        case .removePassword: return .removePassword(letter: try unsafe reader.letter())
        case .begin: return .begin
        case .read: return .read(session: try unsafe reader.array(sessionByteCount))
        case .open:
            let conflict = try unsafe reader.u8()
            guard let options = RestoreOptions(conflict, try unsafe reader.u8()) else {
                throw DecodingFailure()
            }
            let count = try unsafe Int(reader.u16())
            guard count <= headByteCountLimit else { throw DecodingFailure() }
            let head = try unsafe reader.array(count)
            return .open(head: head, options, letter: try unsafe reader.letter())
        case .part:
            let session = try unsafe reader.array(sessionByteCount)
            guard unsafe reader.remaining <= partByteCount else { throw DecodingFailure() }
            return .part(session: session, unsafe [UInt8](reader.rest()))
        case .finish: return .finish(session: try unsafe reader.array(sessionByteCount))
        case .abandon: return .abandon(session: try unsafe reader.array(sessionByteCount))
        }
    }
}

extension ByteReader {
    /// The rest: an encapsulated key of 32 bytes, and a ciphertext.
    fileprivate mutating func letter() throws(DecodingFailure) -> [UInt8] {
        let letter = unsafe [UInt8](rest())
        guard (33...ItemLimits.sealedPasscodeByteCount).contains(letter.count) else {
            throw DecodingFailure()
        }
        return letter
    }
}

// MARK: - Replies on the wire

extension BackupAnswer {
    private enum Kind: UInt8 {
        case status = 1
        case challenge = 2
        case done = 3
        case begun = 4
        case part = 5
        case restored = 6
    }

    /// The bytes of the message; no protobuf.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.u8(Version.now)
        switch self {
        case .status(let status):
            writer.u8(Kind.status.rawValue)
            writer.append(status)
        case .challenge(let nonce, let directory):
            writer.u8(Kind.challenge.rawValue)
            writer.bytes(nonce)
            writer.bytes(directory)
        case .done: writer.u8(Kind.done.rawValue)
        case .begun(let session, let head):
            writer.u8(Kind.begun.rawValue)
            writer.bytes(session)
            writer.bytes(head)
        case .part(let bytes, let isLast, let counts):
            writer.u8(Kind.part.rawValue)
            writer.u8(isLast ? 1 : 0)
            for count in [
                counts.rows, counts.pending, counts.deviceOnly, counts.excluded,
                counts.ofKeychains,
            ] { writer.u64(count) }
            writer.bytes(bytes)
        case .restored(let counts):
            writer.u8(Kind.restored.rawValue)
            for field in RestoreCounts.fields { writer.u64(counts[keyPath: field]) }
        }
        return writer.bytes
    }

    /// Reads a message.
    /// - Throws: ``WireError/malformed``.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        do throws(DecodingFailure) {
            var reader = unsafe ByteReader(bytes)
            guard try unsafe reader.u8() == Version.now else { throw DecodingFailure() }
            self = try unsafe Self.read(&reader)
            try unsafe reader.finish()
        } catch { throw .malformed }
    }

    private static func read(_ reader: inout ByteReader) throws(DecodingFailure) -> BackupAnswer {
        guard let kind = Kind(rawValue: try unsafe reader.u8()) else { throw DecodingFailure() }
        switch kind {
        case .status: return .status(try unsafe reader.status())
        case .challenge:
            let nonce = try unsafe reader.array(BackupCall.nonceByteCount)
            return .challenge(nonce: nonce, directory: unsafe [UInt8](reader.rest()))
        case .done: return .done
        case .begun:
            let session = try unsafe reader.array(BackupCall.sessionByteCount)
            return .begun(session: session, head: unsafe [UInt8](reader.rest()))
        case .part:
            let last = try unsafe reader.u8()
            guard last <= 1 else { throw DecodingFailure() }
            var counts = BackupCounts()
            counts.rows = try unsafe reader.u64()
            counts.pending = try unsafe reader.u64()
            counts.deviceOnly = try unsafe reader.u64()
            counts.excluded = try unsafe reader.u64()
            counts.ofKeychains = try unsafe reader.u64()
            return .part(unsafe [UInt8](reader.rest()), isLast: last == 1, counts)
        case .restored:
            var counts = RestoreCounts()
            for field in RestoreCounts.fields { counts[keyPath: field] = try unsafe reader.u64() }
            return .restored(counts)
        }
    }
}

extension ByteWriter {
    fileprivate mutating func append(_ status: BackupStatus) {
        u8(status.isPasswordSet ? 1 : 0)
        u8(status.set.isEmpty ? 0 : 1)
        bytes(status.set)
        u32(status.lastNumber)
        u64(status.lastDate)
        u64(status.lastRowCount)
        u64(status.pendingCount)
        u64(status.deviceOnlyCount)
        u64(status.excludedCount)
    }
}

extension ByteReader {
    fileprivate mutating func status() throws(DecodingFailure) -> BackupStatus {
        var status = BackupStatus()
        let isPasswordSet = try unsafe u8()
        let hasSet = try unsafe u8()
        guard isPasswordSet <= 1, hasSet <= 1 else { throw DecodingFailure() }
        status.isPasswordSet = isPasswordSet == 1
        status.set = hasSet == 1 ? try unsafe array(16) : []
        status.lastNumber = try unsafe u32()
        status.lastDate = try unsafe u64()
        status.lastRowCount = try unsafe u64()
        status.pendingCount = try unsafe u64()
        status.deviceOnlyCount = try unsafe u64()
        status.excludedCount = try unsafe u64()
        return status
    }
}

extension FrameContent {
    func backupCall() throws(WireError) -> BackupCall {
        guard unsafe !hasSecret else { throw .malformed }
        return try unsafe BackupCall(decoding: message)
    }

    func backupAnswer() throws(WireError) -> BackupAnswer {
        guard unsafe !hasSecret else { throw .malformed }
        return try unsafe BackupAnswer(decoding: message)
    }
}
