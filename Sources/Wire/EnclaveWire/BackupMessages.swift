// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC
package import SecretBytes

/// Byte counts of backups.
package enum BackupLayout {
    /// A key of an archive.
    package static let keyByteCount = 32
    /// An archive's key, sealed by this device.
    package static let sealedKeyByteCount = 60
    /// An archive's key, wrapped under a bag's.
    package static let wrappedKeyByteCount = 40
    /// A row key or a table key, wrapped to a bag: the public half of a key pair, and the wrapped key.
    package static let portableByteCount = 32 + 40
    /// What a row carries in the database: the bag's number, and the portable wrap, sealed by this device.
    package static let attachmentByteCount = 4 + 12 + portableByteCount + 16
    /// Format, class and wrapped row key of a sealed secret.
    package static let headByteCount = 44
    /// The largest bag.
    package static let bagByteCountLimit = 4096
    /// The most rows in one request.
    package static let rowLimit = 1024
}

/// What the head of an archive says of its keys.
package struct ArchiveKeys: Hashable, Sendable {
    /// The keybag that its rows were sealed under: 16 bytes.
    package var keybagUUID: [UInt8]
    /// The user whose rows they were.
    package var userID: UInt32
    /// The archive's key as this device opens it.
    package var sealedKey: [UInt8]
    /// The bag; empty when the archive was made without a password.
    package var bag: [UInt8]
    /// The archive's key under the bag's; empty where there is no bag.
    package var wrappedKey: [UInt8]

    /// Combines the parts.
    package init(
        keybagUUID: [UInt8], userID: UInt32, sealedKey: [UInt8], bag: [UInt8], wrappedKey: [UInt8]
    ) {
        self.keybagUUID = keybagUUID
        self.userID = userID
        self.sealedKey = sealedKey
        self.bag = bag
        self.wrappedKey = wrappedKey
    }
}

/// A secret of an archive that is to be sealed for a row of this keychain.
package struct ArchivedSecret: Sendable {
    /// The sealed bytes as the archive has them.
    package let sealed: [UInt8]
    /// 72 bytes, or none.
    package let portable: [UInt8]
    /// What it was bound to.
    package let source: SecretBinding
    /// What it is to be bound to.
    package let target: SecretBinding

    /// Combines the parts.
    package init(
        sealed: [UInt8], portable: [UInt8], from source: SecretBinding, to target: SecretBinding
    ) {
        self.sealed = sealed
        self.portable = portable
        self.source = source
        self.target = target
    }
}

/// A secret that was sealed again, or why it wasn't.
package enum RestoredSecret: Sendable {
    case sealed([UInt8])
    case failure(EnclaveStatusCode)
}

/// What securityd says of the program that speaks for the owner.
package struct BackupCaller: Hashable, Sendable {
    /// It may decide where no passcode is set.
    package let isAdministrator: Bool
    /// It has a grade better than U.
    package let isIdentified: Bool

    /// Says both.
    package init(isAdministrator: Bool, isIdentified: Bool) {
        self.isAdministrator = isAdministrator
        self.isIdentified = isIdentified
    }
}

/// A request about backups. The layouts are in PROTOCOL.md, "Backups".
package enum BackupRequest: Sendable {
    /// The user's bag.
    case bag
    /// Make a bag under a password. The letter has the passcode, if there is one, and the password.
    case setPassword(letter: [UInt8], BackupCaller)
    /// Delete the bag.
    case removePassword(letter: [UInt8], BackupCaller)
    /// Wrap the row keys of 1 to 1024 sealed secrets to the bag; each is given by its head, 44 bytes.
    case attach([[UInt8]])
    /// Portable wraps of the row keys of 1 to 1024 sealed secrets: each a head, and what was attached to it.
    case export([[UInt8]])
    /// Wrap a table key to the bag.
    case attachKey(TableKeyName, wrapped: [UInt8])
    /// The portable wrap of a table key; from what was attached, if that isn't empty.
    case exportKey(TableKeyName, wrapped: [UInt8], attachment: [UInt8])
    /// Make the key of an archive.
    case makeArchive
    /// Open an archive. The letter has the passcode, if there is one, and the password.
    case openArchive(ArchiveKeys, letter: [UInt8], BackupCaller)
    /// Open a table key of an open archive.
    case openKey(session: UInt32, TableKeyName, wrapped: [UInt8], portable: [UInt8])
    /// Seal secrets of an open archive for this keychain.
    case restore(session: UInt32, [ArchivedSecret])
    /// Forget an archive's keys.
    case closeArchive(session: UInt32)
}

/// A reply to a ``BackupRequest``.
package enum BackupReply: Sendable {
    /// The bag; empty when there is none.
    case bag([UInt8])
    /// Done.
    case done
    /// One for each row, empty where it can't be made now: attachments or portable wraps.
    case wraps([[UInt8]])
    /// A new archive's key.
    case made(ArchiveKeys, key: Secret)
    /// An open archive, and its key.
    case opened(session: UInt32, key: Secret)
    /// An opened table key.
    case openedKey(Secret)
    /// One for each secret.
    case restored([RestoredSecret])
}

// MARK: - Decoding requests

extension BackupRequest {
    private enum Kind: UInt8 {
        case bag = 1
        case setPassword = 2
        case removePassword = 3
        case attach = 4
        case export = 5
        case attachKey = 6
        case exportKey = 7
        case makeArchive = 8
        case openArchive = 9
        case openKey = 10
        case restore = 11
        case closeArchive = 12
    }

    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        guard let kind = Kind(rawValue: try unsafe reader.u8()) else { throw DecodingFailure() }
        switch kind {
        case .bag: self = .bag
        case .setPassword:
            let caller = try unsafe reader.caller()
            self = .setPassword(letter: try unsafe reader.backupLetter(), caller)
        case .removePassword:
            let caller = try unsafe reader.caller()
            self = .removePassword(letter: try unsafe reader.backupLetter(), caller)
        case .attach:
            self = .attach(try unsafe reader.wraps { $0 == BackupLayout.headByteCount })
        case .export:
            let whole = BackupLayout.headByteCount + BackupLayout.attachmentByteCount
            self = .export(
                try unsafe reader.wraps { $0 == BackupLayout.headByteCount || $0 == whole })
        case .attachKey:
            let name = try unsafe TableKeyName(&reader)
            self = .attachKey(
                name, wrapped: try unsafe reader.array(EnclaveRequest.wrappedTableKeyByteCount))
        case .exportKey:
            let name = try unsafe TableKeyName(&reader)
            let wrapped = try unsafe reader.array(EnclaveRequest.wrappedTableKeyByteCount)
            self = .exportKey(
                name, wrapped: wrapped,
                attachment: try unsafe reader.optional(BackupLayout.attachmentByteCount))
        case .makeArchive: self = .makeArchive
        case .openArchive:
            let caller = try unsafe reader.caller()
            let keys = try unsafe ArchiveKeys(&reader)
            self = .openArchive(keys, letter: try unsafe reader.backupLetter(), caller)
        case .openKey:
            let session = try unsafe reader.u32()
            let name = try unsafe TableKeyName(&reader)
            let wrapped = try unsafe reader.array(EnclaveRequest.wrappedTableKeyByteCount)
            self = .openKey(
                session: session, name, wrapped: wrapped,
                portable: try unsafe reader.optional(BackupLayout.portableByteCount))
        case .restore:
            let session = try unsafe reader.u32()
            self = .restore(session: session, try unsafe reader.archivedSecrets())
        case .closeArchive: self = .closeArchive(session: try unsafe reader.u32())
        }
    }
}

extension ArchiveKeys {
    /// 16 keybag UUID, u32 user, 60 sealed key, u16 byte count and bag, and with a bag 40 wrapped key.
    package init(_ reader: inout ByteReader) throws(DecodingFailure) {
        keybagUUID = try unsafe reader.array(16)
        userID = try unsafe reader.u32()
        sealedKey = try unsafe reader.array(BackupLayout.sealedKeyByteCount)
        let count = try unsafe Int(reader.u16())
        guard count <= BackupLayout.bagByteCountLimit else { throw DecodingFailure() }
        bag = try unsafe reader.array(count)
        wrappedKey =
            count == 0 ? [] : try unsafe reader.array(BackupLayout.wrappedKeyByteCount)
    }

    /// The same bytes.
    package var bytes: [UInt8] {
        var bytes = keybagUUID
        bytes.append(littleEndian: userID)
        bytes += sealedKey
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: bag.count))
        return bytes + bag + wrappedKey
    }
}

extension ByteReader {
    fileprivate mutating func flag() throws(DecodingFailure) -> Bool {
        let value = try unsafe u8()
        guard value <= 1 else { throw DecodingFailure() }
        return value == 1
    }

    /// u8: bit 0 administrator, bit 1 identified.
    fileprivate mutating func caller() throws(DecodingFailure) -> BackupCaller {
        let bits = try unsafe u8()
        guard bits <= 3 else { throw DecodingFailure() }
        return BackupCaller(isAdministrator: bits & 1 != 0, isIdentified: bits & 2 != 0)
    }

    /// The rest.
    fileprivate mutating func backupLetter() throws(DecodingFailure) -> [UInt8] {
        let split = EnclaveRequest.encapsulatedKeyByteCount
        let byteCounts = split + 1...split + EnclaveRequest.passcodeCiphertextLimit
        guard unsafe byteCounts.contains(remaining) else { throw DecodingFailure() }
        return unsafe [UInt8](rest())
    }

    /// u8 0, or 1 and so many bytes.
    fileprivate mutating func optional(_ byteCount: Int) throws(DecodingFailure) -> [UInt8] {
        try unsafe flag() ? unsafe array(byteCount) : []
    }

    /// u16 count; for each u8 byte count, bytes.
    fileprivate mutating func wraps(
        _ isByteCount: (Int) -> Bool
    ) throws(DecodingFailure) -> [[UInt8]] {
        let count = try unsafe Int(u16())
        guard (1...BackupLayout.rowLimit).contains(count) else { throw DecodingFailure() }
        var wraps: [[UInt8]] = []
        wraps.reserveCapacity(count)
        for _ in 0..<count {
            let byteCount = try unsafe Int(u8())
            guard isByteCount(byteCount) else { throw DecodingFailure() }
            wraps.append(try unsafe array(byteCount))
        }
        return wraps
    }

    /// u16 count; for each source, target, portable, u32 byte count, sealed bytes.
    fileprivate mutating func archivedSecrets() throws(DecodingFailure) -> [ArchivedSecret] {
        let count = try unsafe Int(u16())
        guard (1...BackupLayout.rowLimit).contains(count) else { throw DecodingFailure() }
        var secrets: [ArchivedSecret] = []
        for _ in 0..<count {
            let source = try unsafe SecretBinding(&self)
            let target = try unsafe SecretBinding(&self)
            let portable = try unsafe optional(BackupLayout.portableByteCount)
            let byteCount = try unsafe Int(u32())
            secrets.append(
                ArchivedSecret(
                    sealed: try unsafe array(byteCount), portable: portable, from: source,
                    to: target))
        }
        return secrets
    }
}

// MARK: - Encoding requests

extension BackupRequest {
    func encode(into buffer: inout MessageBuffer) {
        switch self {
        case .bag: buffer.u8(Kind.bag.rawValue)
        case .setPassword(let letter, let caller):
            buffer.u8(Kind.setPassword.rawValue)
            buffer.u8(caller.bits)
            buffer.bytes(letter)
        case .removePassword(let letter, let caller):
            buffer.u8(Kind.removePassword.rawValue)
            buffer.u8(caller.bits)
            buffer.bytes(letter)
        case .attach(let heads):
            buffer.u8(Kind.attach.rawValue)
            buffer.appendWraps(heads)
        case .export(let heads):
            buffer.u8(Kind.export.rawValue)
            buffer.appendWraps(heads)
        case .attachKey(let name, let wrapped):
            buffer.u8(Kind.attachKey.rawValue)
            buffer.append(name)
            buffer.bytes(wrapped)
        case .exportKey(let name, let wrapped, let attachment):
            buffer.u8(Kind.exportKey.rawValue)
            buffer.append(name)
            buffer.bytes(wrapped)
            buffer.appendOptional(attachment)
        case .makeArchive: buffer.u8(Kind.makeArchive.rawValue)
        case .openArchive(let keys, let letter, let caller):
            buffer.u8(Kind.openArchive.rawValue)
            buffer.u8(caller.bits)
            buffer.bytes(keys.bytes)
            buffer.bytes(letter)
        case .openKey(let session, let name, let wrapped, let portable):
            buffer.u8(Kind.openKey.rawValue)
            buffer.u32(session)
            buffer.append(name)
            buffer.bytes(wrapped)
            buffer.appendOptional(portable)
        case .restore(let session, let secrets):
            buffer.u8(Kind.restore.rawValue)
            buffer.u32(session)
            buffer.u16(UInt16(truncatingIfNeeded: secrets.count))
            for secret in secrets {
                buffer.append(secret.source)
                buffer.append(secret.target)
                buffer.appendOptional(secret.portable)
                buffer.u32(UInt32(truncatingIfNeeded: secret.sealed.count))
                buffer.bytes(secret.sealed)
            }
        case .closeArchive(let session):
            buffer.u8(Kind.closeArchive.rawValue)
            buffer.u32(session)
        }
    }
}

extension BackupCaller {
    fileprivate var bits: UInt8 { (isAdministrator ? 1 : 0) | (isIdentified ? 2 : 0) }
}

extension MessageBuffer {
    fileprivate mutating func appendWraps(_ wraps: [[UInt8]]) {
        u16(UInt16(truncatingIfNeeded: wraps.count))
        for wrap in wraps {
            u8(UInt8(truncatingIfNeeded: wrap.count))
            bytes(wrap)
        }
    }

    fileprivate mutating func appendOptional(_ value: [UInt8]) {
        u8(value.isEmpty ? 0 : 1)
        bytes(value)
    }
}

// MARK: - Replies

extension BackupReply {
    private enum Kind: UInt8 {
        case bag = 1
        case done = 2
        case wraps = 3
        case made = 4
        case opened = 5
        case openedKey = 6
        case restored = 7
    }

    static func decode(_ reader: inout ByteReader) throws(DecodingFailure) -> BackupReply {
        guard let kind = Kind(rawValue: try unsafe reader.u8()) else { throw DecodingFailure() }
        switch kind {
        case .bag: return .bag(unsafe [UInt8](reader.rest()))
        case .done: return .done
        case .wraps:
            return .wraps(
                try unsafe reader.wraps {
                    [0, BackupLayout.portableByteCount, BackupLayout.attachmentByteCount]
                        .contains($0)
                })
        case .made:
            let keys = try unsafe ArchiveKeys(&reader)
            return .made(keys, key: try unsafe key(&reader))
        case .opened:
            let session = try unsafe reader.u32()
            return .opened(session: session, key: try unsafe key(&reader))
        case .openedKey: return .openedKey(try unsafe key(&reader))
        case .restored: return .restored(try unsafe restored(&reader))
        }
    }

    private static func key(_ reader: inout ByteReader) throws(DecodingFailure) -> Secret {
        Secret(try unsafe SecretBytes(copying: reader.bytes(BackupLayout.keyByteCount)))
    }

    /// u16 count; for each u16 status, u32 byte count, sealed bytes.
    private static func restored(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> [RestoredSecret] {
        let count = try unsafe Int(reader.u16())
        guard (1...BackupLayout.rowLimit).contains(count) else { throw DecodingFailure() }
        var secrets: [RestoredSecret] = []
        for _ in 0..<count {
            guard let code = EnclaveStatusCode(rawValue: try unsafe reader.u16()) else {
                throw DecodingFailure()
            }
            let byteCount = try unsafe Int(reader.u32())
            let sealed = try unsafe reader.array(byteCount)
            secrets.append(code == .success ? .sealed(sealed) : .failure(code))
        }
        return secrets
    }

    func encode(into buffer: inout MessageBuffer) {
        switch self {
        case .bag(let bag):
            buffer.u8(Kind.bag.rawValue)
            buffer.bytes(bag)
        case .done: buffer.u8(Kind.done.rawValue)
        case .wraps(let wraps):
            buffer.u8(Kind.wraps.rawValue)
            buffer.appendWraps(wraps)
        case .made(let keys, let key):
            buffer.u8(Kind.made.rawValue)
            buffer.bytes(keys.bytes)
            buffer.bytes(key.bytes)
        case .opened(let session, let key):
            buffer.u8(Kind.opened.rawValue)
            buffer.u32(session)
            buffer.bytes(key.bytes)
        case .openedKey(let key):
            buffer.u8(Kind.openedKey.rawValue)
            buffer.bytes(key.bytes)
        case .restored(let secrets):
            buffer.u8(Kind.restored.rawValue)
            buffer.u16(UInt16(truncatingIfNeeded: secrets.count))
            for secret in secrets {
                switch secret {
                case .sealed(let sealed):
                    buffer.u16(EnclaveStatusCode.success.rawValue)
                    buffer.u32(UInt32(truncatingIfNeeded: sealed.count))
                    buffer.bytes(sealed)
                case .failure(let code):
                    buffer.u16(code.rawValue)
                    buffer.u32(0)
                }
            }
        }
    }
}
