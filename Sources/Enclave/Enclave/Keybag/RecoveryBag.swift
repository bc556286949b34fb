// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import IPC
import SecretBytes

/// The class keys that a recovery code brings back, sealed under the code and nothing else: no device
/// key is needed to open it, and nobody guesses 130 bits.
///
/// The file: `LLRECOV1`; 16 bytes keybag UUID; 32 bytes salt; u32 keybag generation, u32 erasures
/// (little-endian) and the class keys of 32 bytes in the order of their numbers, sealed (AES-GCM).
struct RecoveryBag {
    /// The code: 26 symbols, as the client has them.
    static let codeByteCount = 26
    /// akpu goes with the passcode.
    static let classes = Keybag.classes(withPasscode: false)

    private static let magic = [UInt8]("LLRECOV1".utf8)
    private static let saltByteCount = 32
    private static let label = [UInt8]("llavero.recovery.1".utf8)
    private static let headByteCount = magic.count + Keybag.uuidByteCount + saltByteCount
    private static let numbersByteCount = 8

    let uuid: [UInt8]
    let generation: UInt32
    let erasures: UInt32
    let classKeys: [ProtectionClass: Secret]

    /// Seals the class keys of a keybag.
    /// - Returns: The file's bytes; nothing when a class is missing.
    static func seal(
        _ keys: [ProtectionClass: Secret], of keybag: Keybag, user: UInt32, code: Secret
    ) -> [UInt8]? {
        let ordered = classes.compactMap { keys[$0] }
        guard ordered.count == classes.count else { return nil }
        let random = SecretBytes.random(byteCount: saltByteCount)
        let salt = unsafe random.withUnsafeBytes { unsafe [UInt8]($0) }
        var numbers: [UInt8] = []
        numbers.append(littleEndian: keybag.generation)
        numbers.append(littleEndian: keybag.erasures)
        let keyByteCount = Cryptography.keyByteCount
        let content = unsafe SecretBytes(
            byteCount: numbersByteCount + ordered.count * keyByteCount
        ) { room in
            unsafe room.copyBytes(from: numbers)
            for (place, key) in ordered.enumerated() {
                let start = numbersByteCount + place * keyByteCount
                unsafe key.bytes.withUnsafeBytes { source in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: room[start...])
                        .copyMemory(from: source)
                }
            }
        }
        let head = magic + keybag.uuid + salt
        let key = Cryptography.derive(from: code.bytes.symmetricKey(), info: label + salt)
        return Cryptography.seal(content, using: key, authenticating: associated(head, user))
            .map { head + $0 }
    }

    /// Opens a file.
    /// - Returns: Nothing when it isn't one, or of another user, or under another code.
    init?(_ file: [UInt8], user: UInt32, code: Secret) {
        guard Self.isOne(file) else { return nil }
        let head = [UInt8](file[..<Self.headByteCount])
        let salt = [UInt8](head.suffix(Self.saltByteCount))
        let key = Cryptography.derive(from: code.bytes.symmetricKey(), info: Self.label + salt)
        guard
            let content = Cryptography.open(
                [UInt8](file[Self.headByteCount...]), using: key,
                authenticating: Self.associated(head, user)),
            content.bytes.byteCount
                == Self.numbersByteCount + Self.classes.count * Cryptography.keyByteCount
        else { return nil }
        uuid = Self.uuid(file)
        let numbers = unsafe content.bytes.withUnsafeBytes {
            unsafe [UInt8]($0[..<Self.numbersByteCount])
        }
        generation = numbers.integer(UInt32.self, littleEndianAt: 0)
        erasures = numbers.integer(UInt32.self, littleEndianAt: 4)
        var keys: [ProtectionClass: Secret] = [:]
        for (place, protectionClass) in Self.classes.enumerated() {
            let start = Self.numbersByteCount + place * Cryptography.keyByteCount
            keys[protectionClass] = Secret(
                content.bytes.slice(start..<start + Cryptography.keyByteCount))
        }
        classKeys = keys
    }

    /// Whether a file looks like one, of this keybag; its code alone tells more.
    static func isOne(_ file: [UInt8], of keybag: Keybag) -> Bool {
        isOne(file) && uuid(file) == keybag.uuid
    }

    private static func isOne(_ file: [UInt8]) -> Bool {
        file.count > headByteCount && file.starts(with: magic)
    }

    private static func uuid(_ file: [UInt8]) -> [UInt8] {
        [UInt8](file[magic.count..<magic.count + Keybag.uuidByteCount])
    }

    private static func associated(_ head: [UInt8], _ user: UInt32) -> [UInt8] {
        var bytes = head
        bytes.append(littleEndian: user)
        return bytes
    }
}
