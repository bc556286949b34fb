// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import IPC
import SecretBytes

// Wraps to a bag, and what they open. A row key leaves the enclave under a bag's public key alone.
extension Enclave {
    // MARK: - Rows

    /// What goes behind the head of a secret that is sealed now.
    /// - Returns: 104 bytes; none without a bag, or for a class whose rows stay on the device.
    func attachment(
        to head: [UInt8], _ rowKey: SymmetricKey, _ protectionClass: ProtectionClass,
        _ keybag: UserKeybag
    ) throws(Refusal) -> [UInt8] {
        guard let number = keybag.backup.stored?.bag.number,
            let sender = keybag.backup.sender(.row, protectionClass),
            let portable = sender.wrap(rowKey)
        else { return [] }
        let seal = WrapSeal(classKey: try classKey(.dku, keybag), user: keybag.user)
        return seal.seal(portable, bag: number, of: head) ?? []
    }

    func attach(_ head: [UInt8], _ keybag: UserKeybag) throws(Refusal) -> [UInt8] {
        guard let (protectionClass, rowKey) = rowKey(head, keybag) else { return [] }
        return try attachment(to: head, rowKey, protectionClass, keybag)
    }

    func export(_ head: [UInt8], _ keybag: UserKeybag) throws(Refusal) -> [UInt8] {
        guard let number = keybag.backup.stored?.bag.number else { return [] }
        let subject = [UInt8](head.prefix(BackupLayout.headByteCount))
        let attachment = [UInt8](head.dropFirst(BackupLayout.headByteCount))
        if !attachment.isEmpty {
            let seal = WrapSeal(classKey: try classKey(.dku, keybag), user: keybag.user)
            if let portable = seal.open(attachment, bag: number, of: subject.asFirstFormat) {
                return portable
            }
        }
        guard let (protectionClass, rowKey) = rowKey(subject, keybag),
            let sender = keybag.backup.sender(.row, protectionClass)
        else { return [] }
        return sender.wrap(rowKey) ?? []
    }

    /// The row key of a sealed secret, if its class is usable now.
    private func rowKey(
        _ head: [UInt8], _ keybag: UserKeybag
    ) -> (ProtectionClass, SymmetricKey)? {
        guard head.count == BackupLayout.headByteCount,
            SecretSealing.hasWrappedKey(head),
            let protectionClass = ProtectionClass(rawValue: head[1]),
            case .usable(let classKey) = keybag.availability(protectionClass)
        else { return nil }
        let key = unsafe head.withUnsafeBytes { bytes in
            unsafe Cryptography.unwrap(
                UnsafeRawBufferPointer(rebasing: bytes[4...]),
                using: classKey.bytes.symmetricKey())
        }
        return key.map { (protectionClass, $0) }
    }

    // MARK: - Table keys

    private static func subject(_ name: TableKeyName, _ wrapped: [UInt8]) -> [UInt8] {
        var subject = [name.purpose.rawValue, name.protectionClass.rawValue]
        subject.append(littleEndian: name.generation)
        return subject + wrapped
    }

    func attachKey(
        _ name: TableKeyName, _ wrapped: [UInt8], _ keybag: UserKeybag
    ) throws(Refusal) -> [UInt8] {
        let portable = portableKey(name, wrapped, keybag)
        guard !portable.isEmpty, let number = keybag.backup.stored?.bag.number else { return [] }
        let seal = WrapSeal(classKey: try classKey(.dku, keybag), user: keybag.user)
        return seal.seal(portable, bag: number, of: Self.subject(name, wrapped)) ?? []
    }

    func exportKey(
        _ name: TableKeyName, _ wrapped: [UInt8], _ attachment: [UInt8], _ keybag: UserKeybag
    ) throws(Refusal) -> [UInt8] {
        if !attachment.isEmpty, let number = keybag.backup.stored?.bag.number {
            let seal = WrapSeal(classKey: try classKey(.dku, keybag), user: keybag.user)
            let subject = Self.subject(name, wrapped)
            if let portable = seal.open(attachment, bag: number, of: subject) { return portable }
        }
        return portableKey(name, wrapped, keybag)
    }

    private func portableKey(
        _ name: TableKeyName, _ wrapped: [UInt8], _ keybag: UserKeybag
    ) -> [UInt8] {
        // The index key and the keys of the log stay on the device.
        guard name.purpose == .metadata,
            case .usable(let classKey) = keybag.availability(name.protectionClass),
            let key = TableKeySealing.open(wrapped, name, user: keybag.user, classKey: classKey),
            let sender = keybag.backup.sender(.tableKey, name.protectionClass)
        else { return [] }
        return sender.wrap(key.bytes.symmetricKey()) ?? []
    }

    func openKey(
        _ archive: OpenArchive, _ name: TableKeyName, _ wrapped: [UInt8], _ portable: [UInt8],
        _ keybag: UserKeybag
    ) throws(Refusal) -> Secret {
        if let privateKey = archive.privateKey(name.protectionClass),
            let key = PortableWrap.unwrap(
                portable, .tableKey, name.protectionClass, using: privateKey)
        {
            return Secret(key)
        }
        guard archive.isOfThisKeybag, name.purpose == .metadata else { throw .status(.undecodable) }
        let classKey = try classKey(name.protectionClass, keybag)
        guard
            let key = TableKeySealing.open(wrapped, name, user: keybag.user, classKey: classKey)
        else { throw .status(.undecodable) }
        return key
    }

    // MARK: - Restoring

    func restore(
        _ secret: ArchivedSecret, _ archive: OpenArchive, _ keybag: UserKeybag
    ) -> RestoredSecret {
        do throws(Refusal) {
            // A row of an archive keeps its class: none gets a weaker one.
            guard secret.source.protectionClass == secret.target.protectionClass,
                let opened = try open(secret, archive, keybag)
            else { return .failure(.undecodable) }
            return .sealed(try seal(opened.bytes, secret.target, keybag))
        } catch { return .failure(error.statusCode) }
    }

    private func open(
        _ secret: ArchivedSecret, _ archive: OpenArchive, _ keybag: UserKeybag
    ) throws(Refusal) -> Secret? {
        let protectionClass = secret.source.protectionClass
        if let privateKey = archive.privateKey(protectionClass),
            let rowKey = PortableWrap.unwrap(
                secret.portable, .row, protectionClass, using: privateKey)
        {
            return SecretSealing.open(
                secret.sealed, binding: secret.source, user: archive.userID, rowKey: rowKey)
        }
        guard archive.isOfThisKeybag else { return nil }
        return SecretSealing.open(
            secret.sealed, binding: secret.source, user: archive.userID,
            classKey: try classKey(protectionClass, keybag))
    }
}

extension [UInt8] {
    /// A head as the first format has it: what is attached is tied to that.
    var asFirstFormat: [UInt8] {
        var head = self
        if !head.isEmpty { head[0] = SecretSealing.format }
        return head
    }
}
