// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Crypto
import EnclaveWire

/// The file format: tag (4 ASCII letters), u32 big-endian length, value; in one fixed order, so
/// that a duplicate, a missing and an unknown tag are all the wrong tag at their place.
///
///     VERS TYPE UUID GENR WRAP [KDFT SALT MEMC ITER ENTR] {CLAS WRAP KTYP WPKY}… SIGN
///
/// The bracketed ones are there when a passcode is set. SIGN is HMAC-SHA-256 over all before it.
extension Keybag {
    /// The largest keybag file.
    package static let byteCountLimit = 64 * 1024

    private static let version: UInt32 = 1
    private static let userType: UInt32 = 0
    private static let argon2id: UInt32 = 2
    private static let symmetricKeyType: UInt32 = 0
    private static let underDevice: UInt32 = 1
    private static let underDeviceAndPasscode: UInt32 = 3
    private static let signatureByteCount = 32
    private static let signatureRecordByteCount = 8 + signatureByteCount

    /// The file's bytes.
    package func encode(signingKey: SymmetricKey) -> [UInt8] {
        var writer = TagWriter()
        writer.number("VERS", Self.version)
        writer.number("TYPE", Self.userType)
        writer.value("UUID", uuid)
        writer.number("GENR", generation)
        writer.number("WRAP", passcode == nil ? Self.underDevice : Self.underDeviceAndPasscode)
        if let passcode {
            writer.number("KDFT", Self.argon2id)
            writer.value("SALT", passcode.salt)
            writer.number("MEMC", passcode.parameters.memoryKiB)
            writer.number("ITER", passcode.parameters.passes)
            writer.value("ENTR", passcode.sealedEntropy)
        }
        for protectionClass in Self.classes(withPasscode: passcode != nil) {
            guard let wrapped = wrappedKeys[protectionClass] else { continue }
            writer.number("CLAS", UInt32(protectionClass.rawValue))
            writer.number("WRAP", wrapValue(protectionClass))
            writer.number("KTYP", Self.symmetricKeyType)
            writer.value("WPKY", wrapped)
        }
        writer.value("SIGN", Cryptography.authenticate(writer.bytes, using: signingKey))
        return writer.bytes
    }

    /// Reads a file's bytes; the signature comes first.
    package init(_ bytes: [UInt8], signingKey: SymmetricKey) throws(KeybagError) {
        guard bytes.count <= Self.byteCountLimit, bytes.count >= Self.signatureRecordByteCount
        else { throw .wrongByteCount(bytes.count) }
        let signedByteCount = bytes.count - Self.signatureRecordByteCount
        guard
            Cryptography.isAuthentic(
                bytes.suffix(Self.signatureByteCount), for: bytes[..<signedByteCount],
                using: signingKey)
        else { throw .badSignature }
        var reader = TagReader(bytes)
        try self.init(&reader)
        _ = try reader.value("SIGN", byteCount: Self.signatureByteCount...Self.signatureByteCount)
        guard reader.isAtEnd else { throw .trailingBytes }
    }

    private init(_ reader: inout TagReader) throws(KeybagError) {
        try reader.expect("VERS", Self.version)
        try reader.expect("TYPE", Self.userType)
        uuid = try reader.value("UUID", byteCount: Self.uuidByteCount...Self.uuidByteCount)
        generation = try reader.number("GENR")
        switch try reader.number("WRAP") {
        case Self.underDevice: passcode = nil
        case Self.underDeviceAndPasscode: passcode = try PasscodeProtection(&reader)
        case _: throw .wrongValue("WRAP")
        }
        wrappedKeys = [:]
        for protectionClass in Self.classes(withPasscode: passcode != nil) {
            try reader.expect("CLAS", UInt32(protectionClass.rawValue))
            try reader.expect("WRAP", wrapValue(protectionClass))
            try reader.expect("KTYP", Self.symmetricKeyType)
            wrappedKeys[protectionClass] = try reader.value(
                "WPKY",
                byteCount: Cryptography.wrappedKeyByteCount...Cryptography.wrappedKeyByteCount)
        }
    }

    private func wrapValue(_ protectionClass: ProtectionClass) -> UInt32 {
        passcode != nil && protectionClass.needsPasscode
            ? Self.underDeviceAndPasscode : Self.underDevice
    }
}

extension Keybag.PasscodeProtection {
    private static let argon2id: UInt32 = 2
    /// A TPM's sealed object is some hundred bytes.
    private static let sealedEntropyByteCounts = 1...4096

    fileprivate init(_ reader: inout TagReader) throws(KeybagError) {
        try reader.expect("KDFT", Self.argon2id)
        salt = try reader.value("SALT", byteCount: Self.saltByteCount...Self.saltByteCount)
        let memoryKiB = try reader.number("MEMC")
        guard
            let parameters = DerivationParameters(
                memoryKiB: memoryKiB, passes: try reader.number("ITER"))
        else { throw .wrongValue("MEMC") }
        self.parameters = parameters
        sealedEntropy = try reader.value("ENTR", byteCount: Self.sealedEntropyByteCounts)
    }
}

/// Writes tagged values.
private struct TagWriter {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ tag: String, _ value: UInt32) {
        self.value(tag, Self.bigEndian(value))
    }

    mutating func value(_ tag: String, _ value: [UInt8]) {
        bytes += tag.utf8
        bytes += Self.bigEndian(UInt32(truncatingIfNeeded: value.count))
        bytes += value
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }
}

/// Reads tagged values in the order in which they must come.
private struct TagReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func value(
        _ tag: String, byteCount: ClosedRange<Int>
    ) throws(KeybagError) -> [UInt8] {
        guard bytes.count - offset >= 8 else { throw .truncated }
        guard bytes[offset..<offset + 4].elementsEqual(tag.utf8) else { throw .tagExpected(tag) }
        let length = bytes[offset + 4..<offset + 8].reduce(0) { $0 << 8 | Int($1) }
        guard byteCount.contains(length) else { throw .wrongLength(tag) }
        guard bytes.count - offset - 8 >= length else { throw .truncated }
        let start = offset + 8
        offset = start + length
        return [UInt8](bytes[start..<offset])
    }

    mutating func number(_ tag: String) throws(KeybagError) -> UInt32 {
        try value(tag, byteCount: 4...4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func expect(_ tag: String, _ expected: UInt32) throws(KeybagError) {
        guard try number(tag) == expected else { throw .wrongValue(tag) }
    }
}
