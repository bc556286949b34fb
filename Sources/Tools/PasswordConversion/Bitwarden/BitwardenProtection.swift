// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import Crypto
import SecretBytes

/// The encryption of Bitwarden's files that a password protects.
enum BitwardenProtection {
    /// Bitwarden's own defaults of Argon2id.
    private static let passes = 3
    private static let memoryMiB = 64
    private static let lanes = 4

    private static let validation = "encKeyValidation_DO_NOT_EDIT"

    /// Decrypts a file.
    /// - Throws: `passwordWrong` if nothing opens, `damaged` if only one of two parts does.
    static func clear(
        _ outline: BitwardenFile.Outline, password: Secret
    ) throws(ConversionFailure) -> [UInt8] {
        guard let salt = outline.scalars["salt"]?.text, let data = outline.data,
            let check = outline.scalars[validation]?.text
        else { throw ConversionFailure(.damaged) }
        let kind = outline.scalars["kdfType"]?.integer
        let number = { (name: String) in
            UInt64(exactly: outline.scalars[name]?.integer ?? 0) ?? 0
        }
        let master: [UInt8]
        switch kind {
        case 0:
            master = try OtherDerivation.hashRounds(
                password.array, salt: Array(salt.utf8), rounds: number("kdfIterations"))
        case 1:
            let memory = number("kdfMemory").multipliedReportingOverflow(by: 1024)
            guard !memory.overflow else { throw ConversionFailure(over: .derivationMemory) }
            master = try Argon2Parameters(
                salt: Digests.sha256(Array(salt.utf8)), memoryKiB: memory.partialValue,
                passes: number("kdfIterations"), lanes: number("kdfParallelism")
            ).key(password.array)
        default: throw ConversionFailure(.unsupported)
        }
        let keys = Keys(master)
        let content = try Protected(data)
        let isRight = try keys.opens(Protected(Array(check.utf8)[...]))
        guard keys.opens(content) else {
            throw ConversionFailure(isRight ? .damaged : .passwordWrong)
        }
        guard isRight else { throw ConversionFailure(.damaged) }
        return try keys.clear(content)
    }

    /// Encrypts a file in clear.
    static func file(_ clear: [UInt8], password: Secret?) throws(ConversionFailure) -> [UInt8] {
        guard let password else { throw ConversionFailure(.passwordNeeded) }
        let salt = String(decoding: Base64.encoded(Digests.random(16)), as: UTF8.self)
        let master = try Argon2Parameters(
            salt: Digests.sha256(Array(salt.utf8)), memoryKiB: UInt64(memoryMiB << 10),
            passes: UInt64(passes), lanes: UInt64(lanes)
        ).key(password.array)
        let keys = Keys(master)
        let check = try keys.protected(Array(RandomID.text().utf8))
        let data = try keys.protected(clear)
        var writer = JSONWriter()
        writer.object { writer in
            writer.bool("encrypted", true)
            writer.bool("passwordProtected", true)
            writer.text("salt", salt)
            writer.number("kdfType", 1)
            writer.number("kdfIterations", passes)
            writer.number("kdfMemory", memoryMiB)
            writer.number("kdfParallelism", lanes)
            writer.text(validation, String(decoding: check, as: UTF8.self))
            writer.text("data", String(decoding: data, as: UTF8.self))
        }
        return writer.bytes
    }

    /// The text `2.vector|ciphertext|MAC`, in base 64.
    private struct Protected {
        private static let kind = Array("2.".utf8)

        let vector: [UInt8]
        let ciphertext: [UInt8]
        let mac: [UInt8]

        init(_ text: ArraySlice<UInt8>) throws(ConversionFailure) {
            guard text.starts(with: Self.kind) else { throw ConversionFailure(.damaged) }
            let parts = text.dropFirst(2).split(
                separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
            guard parts.count == 3, let vector = Base64.decoded(parts[0]),
                let ciphertext = Base64.decoded(parts[1]), let mac = Base64.decoded(parts[2]),
                vector.count == AESChain.blockByteCount, !ciphertext.isEmpty,
                ciphertext.count % AESChain.blockByteCount == 0
            else { throw ConversionFailure(.damaged) }
            self.vector = vector
            self.ciphertext = ciphertext
            self.mac = mac
        }
    }

    /// The key of AES and that of the MAC.
    private struct Keys {
        private let cipher: [UInt8]
        private let mac: [UInt8]

        /// Stretches a key by the second step of HKDF alone.
        init(_ master: [UInt8]) {
            let expanded = { (purpose: String) in
                let key = HKDF<SHA256>.expand(
                    pseudoRandomKey: SymmetricKey(data: master), info: Array(purpose.utf8),
                    outputByteCount: 32)
                return unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
            }
            cipher = expanded("enc")
            mac = expanded("mac")
        }

        func opens(_ protected: Protected) -> Bool {
            isEqual(
                Digests.mac(mac, protected.vector[...], protected.ciphertext[...]), protected.mac)
        }

        func clear(_ protected: Protected) throws(ConversionFailure) -> [UInt8] {
            var chain = try AESChain(key: cipher, vector: protected.vector)
            var bytes = try chain.decrypt(protected.ciphertext[...])
            guard let count = AESChain.paddingCount(bytes) else {
                throw ConversionFailure(.damaged)
            }
            bytes.removeLast(count)
            return bytes
        }

        func protected(_ bytes: [UInt8]) throws(ConversionFailure) -> [UInt8] {
            let vector = Digests.random(AESChain.blockByteCount)
            var chain = try AESChain(key: cipher, vector: vector)
            let ciphertext = try chain.encrypt(AESChain.padded(bytes)[...])
            let parts = [vector, ciphertext, Digests.mac(mac, vector[...], ciphertext[...])]
            return Array("2.".utf8) + parts.map(Base64.encoded).joined(separator: "|".utf8)
        }
    }
}

/// Identifiers of things that have none in the keychain.
enum RandomID {
    /// 16 bytes with the marks of version 4 (RFC 9562).
    static func bytes() -> [UInt8] {
        var bytes = Digests.random(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes
    }

    static func text() -> String {
        var text = ""
        for (place, byte) in bytes().enumerated() {
            if [4, 6, 8, 10].contains(place) { text += "-" }
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return text
    }
}
