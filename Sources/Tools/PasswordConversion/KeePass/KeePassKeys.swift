// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import SecretBytes

/// The keys of one KDBX file.
struct KeePassKeys {
    /// Stands for the head where a block has its number.
    private static let headerNumber = UInt64.max

    /// Encrypts the content.
    let cipherKey: [UInt8]
    private let macKey: [UInt8]

    /// Derives the keys; this takes the time that the file asks for.
    init(
        _ request: ConversionRequest, masterSeed: [UInt8], derivation: KeePassHeader.Derivation
    ) throws(ConversionFailure) {
        var parts: [UInt8] = []
        if let password = request.password { parts += Digests.sha256(password.array) }
        if let keyFile = request.keyFile { parts += try KeePassKeyFile.key(keyFile.array) }
        guard !parts.isEmpty else { throw ConversionFailure(.passwordNeeded) }
        let composite = Digests.sha256(parts)
        let transformed =
            switch derivation {
            case .cipherRounds(let seed, let count):
                try OtherDerivation.cipherRounds(composite, seed: seed, rounds: count)
            case .argon2(let parameters): try parameters.key(composite)
            }
        cipherKey = Digests.sha256(masterSeed, transformed)
        macKey = Digests.sha512(masterSeed, transformed, [1])
    }

    /// The MAC of the head.
    func mac(header: ArraySlice<UInt8>) -> [UInt8] { Digests.mac(key(Self.headerNumber), header) }

    /// The MAC of a block: of its number, its byte count and its bytes.
    func mac(block: ArraySlice<UInt8>, _ number: UInt64) -> [UInt8] {
        let head = LittleEndian.bytes(number, 8) + LittleEndian.bytes(UInt64(block.count), 4)
        return Digests.mac(key(number), head[...], block)
    }

    private func key(_ number: UInt64) -> [UInt8] {
        Digests.sha512(LittleEndian.bytes(number, 8), macKey)
    }
}

/// The key in a key file: XML of version 1 or 2, 32 bytes, 64 hexadecimal digits, or any other file.
enum KeePassKeyFile {
    private static let keyByteCount = 32

    static func key(_ file: [UInt8]) throws(ConversionFailure) -> [UInt8] {
        if file.count == keyByteCount { return file }
        if file.count == 2 * keyByteCount, let key = Base64.hexadecimal(file) { return key }
        if let key = try? fromXML(file) { return key }
        return Digests.sha256(file)
    }

    private static func fromXML(_ file: [UInt8]) throws(ConversionFailure) -> [UInt8]? {
        var xml = XMLReader(MemorySource(file))
        guard try xml.root().name == "KeyFile" else { return nil }
        var version = ""
        while let part = try xml.child() {
            switch part.name {
            case "Meta":
                while let child = try xml.child() {
                    let text = try xml.text()
                    if child.name == "Version" { version = String(decoding: text, as: UTF8.self) }
                }
            case "Key":
                while let child = try xml.child() {
                    let text = try xml.text()
                    guard child.name == "Data" else { continue }
                    return version.hasPrefix("2")
                        ? Base64.hexadecimal(text) : Base64.decoded(text)
                }
            default: return nil
            }
        }
        return nil
    }
}
