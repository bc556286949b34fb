// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes
import SecurityWire

/// How a handle obtains the keys of its file.
///
/// If the file's class can be locked, each call first asks whether it is usable: once a lock has
/// returned, it also applies to open files. This question needs no secret and no record in the
/// audit log; reading the item at each call would.
struct SealedFileAccess: Sendable {
    private let items: SealedFileKeyItems
    let header: SealedFileHeader
    /// The class that must be usable for the next call; nil for a handle that keeps working.
    private let needed: Accessibility?
    private var kept: SealedFileKeys?
    /// How often everything had been erased when the keys were read.
    private var erasures: UInt32?
    /// Two processes that used one file would seal different chunks with one nonce, or read each
    /// other's part of a pipe.
    private let maker = ProcessMark()

    /// Access to a new file.
    init(
        creating protection: FileProtection, chunkBits: UInt8, _ items: SealedFileKeyItems,
        _ bounds: CallBounds
    ) throws(SealedFileError) {
        let key = try items.keyForSealing(protection, bounds)
        guard key.id.count == SealedFileHeader.keyIDByteCount else { throw .badKey }
        self.items = items
        var header: SealedFileHeader
        let keys: SealedFileKeys
        if protection == .completeUnlessOpen {
            let recipient = try SealedFileRecipient(key)
            let agreement = try recipient.agree()
            header = SealedFileHeader(
                protection: protection, chunkBits: chunkBits, keyID: key.id,
                point: agreement.point)
            keys = SealedFileKeys(
                secret: agreement.secret.bytes, header: header, recipient: recipient.publicKey)
        } else {
            header = SealedFileHeader(
                protection: protection, chunkBits: chunkBits, keyID: key.id, point: nil)
            keys = try Self.keys(key, header)
        }
        header.authenticate(keys)
        self.header = header
        kept = keys
        needed = Self.needed(key, protection)
    }

    /// Access to an existing file.
    /// - Throws: ``SealedFileError/keychain(_:)``; ``SealedFileError/damaged(_:)``.
    init(
        opening header: SealedFileHeader, _ items: SealedFileKeyItems, _ bounds: CallBounds
    ) throws(SealedFileError) {
        self.items = items
        self.header = header
        let key = try items.key(header.keyID, bounds)
        let keys: SealedFileKeys
        if header.protection == .completeUnlessOpen {
            let recipient = try SealedFileRecipient(key)
            let secret = try recipient.agree(with: header.point, items.connection, bounds)
            keys = SealedFileKeys(
                secret: secret.bytes, header: header, recipient: recipient.publicKey)
        } else {
            keys = try Self.keys(key, header)
        }
        guard header.isAuthentic(keys) else { throw .damaged(.header) }
        kept = keys
        needed = Self.needed(key, header.protection)
    }

    /// - Throws: ``SealedFileError/otherProcess`` in a child of the process that made this.
    func checkProcess() throws(SealedFileError) {
        guard maker.isThisProcess else { throw .otherProcess }
    }

    /// The file's keys, if they may be used now; otherwise they are wiped.
    mutating func keys(_ bounds: CallBounds) throws(SealedFileError) -> SealedFileKeys {
        try checkProcess()
        if let needed {
            let device: DeviceStatus
            do throws(KeychainError) { device = try items.connection.deviceStatus(bounds) } catch {
                kept = nil
                throw .keychain(error)
            }
            guard device.usableClasses.contains(needed) else {
                kept = nil
                throw .keychain(.locked)
            }
            if let erasures, erasures != device.erasures { kept = nil }
            erasures = device.erasures
        }
        if let kept { return kept }
        let keys = try Self.keys(items.key(header.keyID, bounds), header)
        kept = keys
        return keys
    }

    /// The item's class decides: an owner who gave the item a stronger class meant its files, too.
    private static func needed(
        _ key: SealedFileKeyItems.Key, _ protection: FileProtection
    ) -> Accessibility? {
        guard protection != .completeUnlessOpen else { return nil }
        switch key.accessibility {
        case .always, .alwaysThisDeviceOnly: return nil
        case .whenUnlocked, .afterFirstUnlock, .whenUnlockedThisDeviceOnly,
            .afterFirstUnlockThisDeviceOnly, .whenPasscodeSetThisDeviceOnly:
            return key.accessibility
        }
    }

    private static func keys(
        _ key: SealedFileKeyItems.Key, _ header: SealedFileHeader
    ) throws(SealedFileError) -> SealedFileKeys {
        guard key.secret.bytes.byteCount == 32 else { throw .badKey }
        return SealedFileKeys(secret: key.secret.bytes, header: header, recipient: [])
    }
}
