// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import SecretBytes

/// Writes KDBX 4.0: Argon2id, AES-256-CBC, inner ChaCha20, gzip.
struct KeePassWriter {
    /// About a quarter of a second. KeePass's own default has the same memory.
    private static let memoryKiB: UInt64 = 64 << 10
    private static let passes: UInt64 = 8
    private static let lanes: UInt64 = 1
    private static let version: UInt32 = 0x13
    private static let blockByteCount = 1 << 20
    /// 4.0: the minor number, then the major one.
    private static let fileVersion: [UInt8] = [0, 0, 4, 0]
    /// The end of the head is four bytes, as KeePass writes it.
    private static let headEnd: [UInt8] = [13, 10, 13, 10]

    private let request: ConversionRequest

    init(_ request: ConversionRequest) { self.request = request }

    func file(
        _ records: [ConvertedRecord], _ leaveOut: (LeftOut) -> Void
    ) throws(ConversionFailure) -> [UInt8] {
        let masterSeed = Digests.random(32)
        let vector = Digests.random(AESChain.blockByteCount)
        let salt = Digests.random(32)
        let keys = try KeePassKeys(
            request, masterSeed: masterSeed,
            derivation: .argon2(
                Argon2Parameters(
                    salt: salt, memoryKiB: Self.memoryKiB, passes: Self.passes, lanes: Self.lanes)))
        let head = Self.head(masterSeed, vector, salt)
        let innerKey = Digests.random(64)
        let stream = try KeyStream(innerChaCha20: innerKey)
        var content =
            Self.field(
                1, LittleEndian.bytes(UInt64(KeePassHeader.InnerCipher.chaCha20.rawValue), 4))
            + Self.field(2, innerKey) + Self.field(0, [])
        content += try KeePassXMLWriter.document(records, stream)
        var chain = try AESChain(key: keys.cipherKey, vector: vector)
        let encrypted = try chain.encrypt(AESChain.padded(Deflater.gzip(content))[...])
        var file = head + Digests.sha256(head) + keys.mac(header: head[...])
        var number: UInt64 = 0
        for start in stride(from: 0, to: encrypted.count, by: Self.blockByteCount) {
            let block = encrypted[start..<min(start + Self.blockByteCount, encrypted.count)]
            file += keys.mac(block: block, number)
            file += LittleEndian.bytes(UInt64(block.count), 4) + block
            number += 1
        }
        return file + keys.mac(block: [], number) + LittleEndian.bytes(0, 4)
    }

    private static func head(_ masterSeed: [UInt8], _ vector: [UInt8], _ salt: [UInt8]) -> [UInt8] {
        let derivation = VariantDictionary.encoded([
            (VariantDictionary.ValueType.bytes, "$UUID", KeePassHeader.argon2idID),
            (VariantDictionary.ValueType.bytes, "S", salt),
            (VariantDictionary.ValueType.u64, "M", LittleEndian.bytes(memoryKiB << 10, 8)),
            (VariantDictionary.ValueType.u64, "I", LittleEndian.bytes(passes, 8)),
            (VariantDictionary.ValueType.u32, "P", LittleEndian.bytes(lanes, 4)),
            (VariantDictionary.ValueType.u32, "V", LittleEndian.bytes(UInt64(version), 4)),
        ])
        return KeePassHeader.signature + fileVersion
            + field(KeePassHeader.FieldID.cipher, KeePassHeader.aesID)
            + field(KeePassHeader.FieldID.compression, LittleEndian.bytes(1, 4))
            + field(KeePassHeader.FieldID.masterSeed, masterSeed)
            + field(KeePassHeader.FieldID.vector, vector)
            + field(KeePassHeader.FieldID.derivation, derivation)
            + field(KeePassHeader.FieldID.end, headEnd)
    }

    private static func field(_ id: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [id] + LittleEndian.bytes(UInt64(bytes.count), 4) + bytes
    }
}
