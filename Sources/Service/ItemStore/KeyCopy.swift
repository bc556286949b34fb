// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A copy of a wrapped key, in the format of the file beside the database (STORAGE.md, "Key
/// copies").
package struct KeyCopy: Hashable, Sendable {
    /// The protection class identifier of a metadata key; nil of an index key.
    package let keyClass: UInt8?
    /// The user whose key it is.
    package let userID: UInt32
    /// The keychain whose key it is.
    package let keychain: UInt32
    /// Its number in its class.
    package let generation: UInt32
    /// Its keybag, 16 bytes; zeros if it wasn't recorded, and for keychains other than login.
    package let keybagUUID: [UInt8]
    /// Wrapped by the enclave, 60 bytes.
    package let wrapped: [UInt8]

    /// Combines the parts.
    /// - Returns: Nil unless the wrapped key has 60 bytes.
    package init?(
        keyClass: UInt8?, userID: UInt32, keychain: UInt32 = KeychainNumber.login,
        generation: UInt32, keybagUUID: [UInt8], wrapped: [UInt8]
    ) {
        guard wrapped.count == Self.wrappedByteCount else { return nil }
        self.keyClass = keyClass
        self.userID = userID
        self.keychain = keychain
        self.generation = generation
        self.keybagUUID =
            keybagUUID.count == 16 && keychain == KeychainNumber.login
            ? keybagUUID : Array(repeating: 0, count: 16)
        self.wrapped = wrapped
    }

    /// The key of which this is a copy.
    package var key: StoredTableKey {
        StoredTableKey(
            userID: userID, keychain: keychain, keyClass: keyClass, generation: generation,
            wrapped: wrapped)
    }

    /// Whether both are copies of the same key, whatever their content.
    func isNamed(as other: KeyCopy) -> Bool {
        keyClass == other.keyClass && userID == other.userID && keychain == other.keychain
            && generation == other.generation
    }
}

// MARK: - Its 96 bytes

extension KeyCopy {
    /// The byte count of a copy.
    static let byteCount = 96
    private static let wrappedByteCount = 60
    private static let magic = [UInt8]("LKEY".utf8)
    private static let version: UInt8 = 1
    /// Of a key of another keychain than login: its number is in the place of the keybag.
    private static let keychainVersion: UInt8 = 2
    private static let metadataPurpose: UInt8 = 1
    private static let indexPurpose: UInt8 = 2

    /// The copy as it is written.
    var bytes: [UInt8] {
        var bytes = Self.magic
        let isOfLogin = keychain == KeychainNumber.login
        bytes.append(isOfLogin ? Self.version : Self.keychainVersion)
        bytes.append(keyClass == nil ? Self.indexPurpose : Self.metadataPurpose)
        bytes.append(keyClass ?? 0)
        bytes.append(0)
        bytes.append(littleEndian: userID)
        bytes.append(littleEndian: generation)
        if isOfLogin {
            bytes += keybagUUID
        } else {
            bytes.append(littleEndian: keychain)
            bytes += repeatElement(0, count: 12)
        }
        bytes += wrapped
        bytes.append(littleEndian: CRC32C.of(bytes[...]))
        return bytes
    }

    /// Reads a copy.
    /// - Returns: Nil when it is incomplete.
    init?(_ bytes: ArraySlice<UInt8>) {
        let start = bytes.startIndex
        guard bytes.count == Self.byteCount, bytes.prefix(4).elementsEqual(Self.magic),
            [Self.version, Self.keychainVersion].contains(bytes[start + 4]),
            bytes[start + 7] == 0,
            Self.number(bytes.dropFirst(92)) == CRC32C.of(bytes.prefix(92))
        else { return nil }
        switch bytes[start + 5] {
        case Self.metadataPurpose: keyClass = bytes[start + 6]
        case Self.indexPurpose where bytes[start + 6] == 0: keyClass = nil
        default: return nil
        }
        userID = Self.number(bytes.dropFirst(8))
        generation = Self.number(bytes.dropFirst(12))
        guard bytes[start + 4] == Self.keychainVersion else {
            keychain = KeychainNumber.login
            keybagUUID = Array(bytes.dropFirst(16).prefix(16))
            wrapped = Array(bytes.dropFirst(32).prefix(Self.wrappedByteCount))
            return
        }
        keychain = Self.number(bytes.dropFirst(16))
        keybagUUID = Array(repeating: 0, count: 16)
        guard keychain != KeychainNumber.login,
            bytes[start + 20..<start + 32].allSatisfy({ $0 == 0 })
        else { return nil }
        wrapped = Array(bytes.dropFirst(32).prefix(Self.wrappedByteCount))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension [UInt8] {
    /// Appends an integer, the least significant byte first.
    mutating func append(littleEndian value: some FixedWidthInteger) {
        unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
    }
}

/// The checksum CRC-32C: it detects only accidental damage; an attacker who could forge it could
/// also delete the copy.
/// Source: RFC 3720, appendix B.4.
private enum CRC32C {
    static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { sum, byte in
            table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8
        }
    }

    private static let table: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(UInt32(number)) { sum, _ in
            sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0x82F6_3B78
        }
    }
}
