// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import IPC
import SecretBytes

/// A user's bag for backups as the disk has it: the bag, and the key of archives as this device opens it.
///
/// The file: `LLBACKU1`; u16 byte count and the bag; 60 bytes, AES-GCM under a key of class dku. The
/// keybag has its digest, so that a bag that was replaced by an older one isn't used: a password that
/// was changed opens no later archive.
package struct StoredBag: Hashable {
    /// The largest file.
    package static let byteCountLimit = BackupLayout.bagByteCountLimit + 128
    private static let magic = [UInt8]("LLBACKU1".utf8)
    private static let label = [UInt8]("llavero.backup-bag.device.1".utf8)

    let bag: BackupBag
    private let sealedArchiveKey: [UInt8]

    /// Puts a new bag and its key together.
    init?(_ bag: BackupBag, archiveKey: Secret, classKey: Secret, user: UInt32) {
        guard
            let sealed = Cryptography.seal(
                archiveKey.bytes, using: Self.key(classKey),
                authenticating: Self.associatedData(bag, user))
        else { return nil }
        self.bag = bag
        sealedArchiveKey = sealed
    }

    /// What wraps the keys of archives.
    func archiveKey(classKey: Secret, user: UInt32) -> Secret? {
        Cryptography.open(
            sealedArchiveKey, using: Self.key(classKey),
            authenticating: Self.associatedData(bag, user))
    }

    private static func key(_ classKey: Secret) -> SymmetricKey {
        Cryptography.derive(from: classKey.bytes.symmetricKey(), info: label)
    }

    private static func associatedData(_ bag: BackupBag, _ user: UInt32) -> [UInt8] {
        var data = label
        data.append(littleEndian: user)
        return data + bag.bytes
    }

    // MARK: - Coding

    /// The file's bytes.
    var file: [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: bag.bytes.count))
        return bytes + bag.bytes + sealedArchiveKey
    }

    /// What the keybag keeps of it: 32 bytes.
    var digest: [UInt8] { [UInt8](SHA256.hash(data: file)) }

    /// Reads a file.
    /// - Returns: Nil when it isn't one.
    package init?(_ file: [UInt8]) {
        let prefix = Self.magic.count + 2
        guard file.count <= Self.byteCountLimit, file.count > prefix,
            file.starts(with: Self.magic),
            let count = UInt16(littleEndianBytes: file[Self.magic.count..<prefix]),
            file.count == prefix + Int(count) + BackupLayout.sealedKeyByteCount,
            let bag = try? BackupBag([UInt8](file[prefix..<prefix + Int(count)]))
        else { return nil }
        self.bag = bag
        sealedArchiveKey = [UInt8](file.suffix(BackupLayout.sealedKeyByteCount))
    }
}

/// A user's bag in memory, and the agreements that wraps are made with.
struct UserBackup {
    private(set) var stored: StoredBag?
    /// Whether the disk didn't give it, which says nothing of what is in it.
    private(set) var isUnread = false
    private var senders: [PortableWrap.Purpose: [ProtectionClass: PortableWrap.Sender]] = [:]

    /// Takes over what was read or stored.
    mutating func take(_ stored: StoredBag?) {
        self.stored = stored
        isUnread = false
        senders = [:]
    }

    /// Notes that it can't be used.
    mutating func fail(isUnread: Bool) {
        take(nil)
        self.isUnread = isUnread
    }

    /// Forgets the agreements: a lock drops class keys, and wraps made later are under others.
    mutating func forgetSenders() { senders = [:] }

    /// The agreement for wraps of a class: one until the next lock.
    /// - Returns: Nil without a bag, and for a class whose rows stay on the device.
    mutating func sender(
        _ purpose: PortableWrap.Purpose, _ protectionClass: ProtectionClass
    ) -> PortableWrap.Sender? {
        if let sender = senders[purpose]?[protectionClass] { return sender }
        guard let publicKey = stored?.bag.publicKey(protectionClass),
            let sender = PortableWrap.Sender(purpose, to: publicKey, protectionClass)
        else { return nil }
        senders[purpose, default: [:]][protectionClass] = sender
        return sender
    }
}
