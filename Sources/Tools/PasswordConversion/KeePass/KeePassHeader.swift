// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire

/// The head of a KDBX file, in clear.
struct KeePassHeader {
    enum Cipher {
        case aes
        case chaCha20
    }

    enum InnerCipher: UInt32 {
        case none = 0
        case salsa20 = 2
        case chaCha20 = 3
    }

    enum Derivation {
        case cipherRounds(seed: [UInt8], count: UInt64)
        case argon2(Argon2Parameters)
    }

    static let signature: [UInt8] = [0x03, 0xD9, 0xA2, 0x9A, 0x67, 0xFB, 0x4B, 0xB5]
    static let aesID = Base64.hexadecimal("31c1f2e6bf714350be5805216afc5aff".utf8) ?? []
    static let chaCha20ID = Base64.hexadecimal("d6038a2b8b6f4cb5a524339a31dbb59a".utf8) ?? []
    static let cipherRoundsID = Base64.hexadecimal("c9d9f39a628a4460bf740d08c18a4fea".utf8) ?? []
    static let argon2dID = Base64.hexadecimal("ef636ddf8c29444b91f7a9a403e30a0c".utf8) ?? []
    static let argon2idID = Base64.hexadecimal("9e298b1956db4773b23dfc3ec6f0a1e6".utf8) ?? []

    /// Numbers of the fields.
    enum FieldID {
        static let end: UInt8 = 0
        static let cipher: UInt8 = 2
        static let compression: UInt8 = 3
        static let masterSeed: UInt8 = 4
        static let transformSeed: UInt8 = 5
        static let transformRounds: UInt8 = 6
        static let vector: UInt8 = 7
        static let innerKey: UInt8 = 8
        static let startBytes: UInt8 = 9
        static let innerCipher: UInt8 = 10
        static let derivation: UInt8 = 11
    }

    /// 3 or 4.
    let version: UInt16
    let cipher: Cipher
    let isCompressed: Bool
    let masterSeed: [UInt8]
    let vector: [UInt8]
    let derivation: Derivation
    /// Version 3: the inner stream, and what a right key decrypts first.
    let innerKey: [UInt8]
    let innerCipher: InnerCipher
    let startBytes: [UInt8]
    /// Of the file, for its digest.
    let byteCount: Int

    init(_ file: [UInt8]) throws(ConversionFailure) {
        guard file.count >= 12, file.starts(with: Self.signature) else {
            throw ConversionFailure(.unknownFormat)
        }
        version = UInt16(file[10]) | UInt16(file[11]) << 8
        guard version == 3 || version == 4 else { throw ConversionFailure(.unsupported) }
        let (fields, end) = try Self.fields(file, sizeByteCount: version == 4 ? 4 : 2)
        byteCount = end
        func field(_ id: UInt8) throws(ConversionFailure) -> [UInt8] {
            guard let field = fields[id] else { throw ConversionFailure(.damaged) }
            return field
        }
        switch try field(FieldID.cipher) {
        case Self.aesID: cipher = .aes
        case Self.chaCha20ID: cipher = .chaCha20
        default: throw ConversionFailure(.unsupported)
        }
        switch try LittleEndian.number(field(FieldID.compression), byteCount: 4) {
        case 0: isCompressed = false
        case 1: isCompressed = true
        default: throw ConversionFailure(.damaged)
        }
        masterSeed = try field(FieldID.masterSeed)
        vector = try field(FieldID.vector)
        guard masterSeed.count == 32 else { throw ConversionFailure(.damaged) }
        if version == 4 {
            derivation = try VariantDictionary(field(FieldID.derivation)).derivation()
            innerKey = []
            innerCipher = .none
            startBytes = []
        } else {
            derivation = .cipherRounds(
                seed: try field(FieldID.transformSeed),
                count: try LittleEndian.number(field(FieldID.transformRounds), byteCount: 8))
            innerKey = try field(FieldID.innerKey)
            innerCipher = try Self.innerCipher(field(FieldID.innerCipher))
            startBytes = try field(FieldID.startBytes)
            guard startBytes.count == 32 else { throw ConversionFailure(.damaged) }
        }
    }

    static func innerCipher(_ bytes: [UInt8]) throws(ConversionFailure) -> InnerCipher {
        let number = try LittleEndian.number(bytes, byteCount: 4)
        guard let cipher = InnerCipher(rawValue: UInt32(truncatingIfNeeded: number)) else {
            throw ConversionFailure(.unsupported)
        }
        return cipher
    }

    private static func fields(
        _ file: [UInt8], sizeByteCount: Int
    ) throws(ConversionFailure) -> (fields: [UInt8: [UInt8]], end: Int) {
        var fields: [UInt8: [UInt8]] = [:]
        var place = 12
        while true {
            guard file.count - place > sizeByteCount else { throw ConversionFailure(.damaged) }
            let id = file[place]
            let first = place + 1 + sizeByteCount
            let count = Int(LittleEndian.number(file[place + 1..<first]))
            guard count <= file.count - first, fields[id] == nil else {
                throw ConversionFailure(.damaged)
            }
            fields[id] = Array(file[first..<first + count])
            place = first + count
            if id == FieldID.end { return (fields, place) }
        }
    }
}

/// Little-endian numbers of a file.
enum LittleEndian {
    /// A number of at most 8 bytes.
    static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A number of exactly so many bytes.
    static func number(_ bytes: [UInt8], byteCount: Int) throws(ConversionFailure) -> UInt64 {
        guard bytes.count == byteCount else { throw ConversionFailure(.damaged) }
        return number(bytes[...])
    }

    static func bytes(_ number: UInt64, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }
}

/// KeePass's list of named values: the parameters of a key derivation.
struct VariantDictionary {
    /// Types of values.
    enum ValueType {
        static let u32: UInt8 = 0x04
        static let u64: UInt8 = 0x05
        static let bytes: UInt8 = 0x42
    }

    private var values: [String: [UInt8]] = [:]

    init(_ bytes: [UInt8]) throws(ConversionFailure) {
        guard bytes.count >= 3, bytes[1] == 1 else { throw ConversionFailure(.damaged) }
        var place = 2
        func take(_ count: Int) throws(ConversionFailure) -> ArraySlice<UInt8> {
            guard count <= bytes.count - place else { throw ConversionFailure(.damaged) }
            defer { place += count }
            return bytes[place..<place + count]
        }
        while try take(1).first != 0 {
            let name = try take(Int(LittleEndian.number(take(4))))
            let value = try take(Int(LittleEndian.number(take(4))))
            guard
                values.updateValue(Array(value), forKey: String(decoding: name, as: UTF8.self))
                    == nil
            else { throw ConversionFailure(.damaged) }
        }
    }

    func derivation() throws(ConversionFailure) -> KeePassHeader.Derivation {
        switch try bytes("$UUID") {
        case KeePassHeader.cipherRoundsID:
            return .cipherRounds(seed: try bytes("S"), count: try number("R", 8))
        case KeePassHeader.argon2dID: return .argon2(try argon2(.d))
        case KeePassHeader.argon2idID: return .argon2(try argon2(.id))
        default: throw ConversionFailure(.unsupported)
        }
    }

    private func argon2(_ kind: Argon2Parameters.Kind) throws(ConversionFailure) -> Argon2Parameters
    {
        Argon2Parameters(
            kind: kind, version: UInt32(truncatingIfNeeded: try number("V", 4)),
            salt: try bytes("S"), memoryKiB: try number("M", 8) / 1024,
            passes: try number("I", 8), lanes: try number("P", 4), secret: values["K"] ?? [],
            associated: values["A"] ?? [])
    }

    private func bytes(_ name: String) throws(ConversionFailure) -> [UInt8] {
        guard let value = values[name] else { throw ConversionFailure(.damaged) }
        return value
    }

    private func number(_ name: String, _ byteCount: Int) throws(ConversionFailure) -> UInt64 {
        try LittleEndian.number(bytes(name), byteCount: byteCount)
    }

    /// The bytes of a dictionary.
    static func encoded(_ values: [(type: UInt8, name: String, value: [UInt8])]) -> [UInt8] {
        var bytes: [UInt8] = [0, 1]
        for (type, name, value) in values {
            bytes.append(type)
            bytes += LittleEndian.bytes(UInt64(name.utf8.count), 4) + Array(name.utf8)
            bytes += LittleEndian.bytes(UInt64(value.count), 4) + value
        }
        return bytes + [0]
    }
}
