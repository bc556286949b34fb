// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import IPC
import SecretBytes

/// A way to unlock a keybag besides the passcode: the class keys, sealed under a key that the
/// protector gives, and what was decided when it was added.
///
/// A recovery code needs no device key, and nobody guesses its 130 bits. The other kinds need the
/// device key, too.
struct Protector: Hashable {
    static let saltByteCount = 32
    /// The code: 26 symbols, as the client has them.
    static let codeByteCount = 26
    /// Of a TPM's sealed object: some hundred bytes.
    static let sealedEntropyByteCountLimit = 4096
    private static let sealedKeysByteCounts = 1...1024
    private static let magic = [UInt8]("llavero.protector.1".utf8)
    private static let numbersByteCount = 8

    /// What was decided when it was added.
    let choice: ProtectorChoice
    /// When it was added, in seconds since 1970.
    let created: UInt64
    /// 32 random bytes, which also tell it from all others.
    let salt: [UInt8]
    /// Of a TPM alone: what it opens.
    let sealedEntropy: [UInt8]
    private let sealedKeys: [UInt8]
    /// When it last unlocked, in seconds since 1970; 0: never. Not authenticated.
    var lastUsed: UInt64 = 0

    var listed: ListedProtector {
        ListedProtector(choice: choice, created: created, lastUsed: lastUsed)
    }

    /// The classes whose keys it holds. The key of akpu goes with the passcode; those of dk and dku
    /// are needed only if the device key is gone.
    static func classes(_ kind: ProtectorKind) -> [ProtectionClass] {
        switch kind {
        case .recoveryCode: Keybag.classes(withPasscode: false)
        case .keyFile, .credential, .tpm:
            Keybag.classes(withPasscode: false).filter(\.needsPasscode)
        }
    }

    static func randomSalt() -> [UInt8] {
        let random = SecretBytes.random(byteCount: saltByteCount)
        return unsafe random.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    /// Seals class keys of a keybag.
    /// - Returns: Nil when a class is missing.
    init?(
        _ choice: ProtectorChoice, created: UInt64, salt: [UInt8], sealedEntropy: [UInt8] = [],
        _ keys: [ProtectionClass: Secret], of keybag: Keybag, user: UInt32,
        using key: SymmetricKey
    ) {
        self.choice = choice
        self.created = created
        self.salt = salt
        self.sealedEntropy = sealedEntropy
        let ordered = Self.classes(choice.kind).compactMap { keys[$0] }
        guard ordered.count == Self.classes(choice.kind).count else { return nil }
        var numbers: [UInt8] = []
        numbers.append(littleEndian: keybag.generation)
        numbers.append(littleEndian: keybag.erasures)
        let keyByteCount = Cryptography.keyByteCount
        let content = unsafe SecretBytes(
            byteCount: Self.numbersByteCount + ordered.count * keyByteCount
        ) { room in
            unsafe room.copyBytes(from: numbers)
            for (place, key) in ordered.enumerated() {
                let start = Self.numbersByteCount + place * keyByteCount
                unsafe key.bytes.withUnsafeBytes { source in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: room[start...])
                        .copyMemory(from: source)
                }
            }
        }
        let head = Self.head(choice, created, salt, sealedEntropy)
        guard
            let sealed = Cryptography.seal(
                content, using: key, authenticating: Self.associated(head, keybag.uuid, user))
        else { return nil }
        sealedKeys = sealed
    }

    /// Opens the class keys.
    /// - Returns: Nil with another key, or for another keybag or user.
    func open(using key: SymmetricKey, uuid: [UInt8], user: UInt32) -> ProtectedKeys? {
        let head = Self.head(choice, created, salt, sealedEntropy)
        let classes = Self.classes(choice.kind)
        guard
            let content = Cryptography.open(
                sealedKeys, using: key, authenticating: Self.associated(head, uuid, user)),
            content.bytes.byteCount
                == Self.numbersByteCount + classes.count * Cryptography.keyByteCount
        else { return nil }
        let numbers = unsafe content.bytes.withUnsafeBytes {
            unsafe [UInt8]($0[..<Self.numbersByteCount])
        }
        var keys: [ProtectionClass: Secret] = [:]
        for (place, protectionClass) in classes.enumerated() {
            let start = Self.numbersByteCount + place * Cryptography.keyByteCount
            keys[protectionClass] = Secret(
                content.bytes.slice(start..<start + Cryptography.keyByteCount))
        }
        return ProtectedKeys(
            uuid: uuid, generation: UInt32(littleEndianBytes: numbers[..<4]) ?? 0,
            erasures: UInt32(littleEndianBytes: numbers[4...]) ?? 0, classKeys: keys)
    }

    // MARK: - Coding

    /// u8 kind, u8 flags, u32 registers, u8 byte count and name, u64 created, 32 bytes salt, u16
    /// byte count and what the TPM opens.
    private static func head(
        _ choice: ProtectorChoice, _ created: UInt64, _ salt: [UInt8], _ sealedEntropy: [UInt8]
    ) -> [UInt8] {
        var bytes = choice.bytes
        bytes.append(littleEndian: created)
        bytes += salt
        bytes += sized(sealedEntropy)
        return bytes
    }

    private static func sized(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: bytes.count), UInt8(truncatingIfNeeded: bytes.count >> 8)]
            + bytes
    }

    private static func associated(_ head: [UInt8], _ uuid: [UInt8], _ user: UInt32) -> [UInt8] {
        var bytes = magic + uuid
        bytes.append(littleEndian: user)
        return bytes + head
    }

    /// The entry of the list: all but the last use.
    var bytes: [UInt8] {
        Self.head(choice, created, salt, sealedEntropy) + Self.sized(sealedKeys)
    }

    /// Reads an entry.
    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        choice = try unsafe ProtectorChoice(&reader)
        created = try unsafe reader.u64()
        salt = try unsafe reader.array(Self.saltByteCount)
        sealedEntropy = try unsafe reader.array(Int(reader.u16()))
        sealedKeys = try unsafe reader.array(Int(reader.u16()))
        let mostEntropy = choice.kind == .tpm ? Self.sealedEntropyByteCountLimit : 0
        guard sealedEntropy.count <= mostEntropy, sealedEntropy.isEmpty == (mostEntropy == 0),
            Self.sealedKeysByteCounts.contains(sealedKeys.count)
        else { throw DecodingFailure() }
    }
}

/// What a protector opened.
struct ProtectedKeys {
    /// The keybag's.
    let uuid: [UInt8]
    /// The keybag's when the protector was added.
    let generation: UInt32
    /// The keybag's.
    let erasures: UInt32
    let classKeys: [ProtectionClass: Secret]
}
