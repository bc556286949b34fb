// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
package import EnclaveWire
import FoundationEssentials
import Glibc
import IPC
import KeychainVocabulary
package import SecretBytes

/// The person's entry, sealed to enclaved together with the digest of the question that was shown.
package enum ApprovalLetter {
    private static let keyByteCount: Int64 = 32
    private static let info = Data("llavero passcode 1".utf8)

    /// Seals an entry.
    /// - Parameters:
    ///   - entry: 1 to 1024 bytes.
    ///   - proof: What the entry is.
    ///   - question: What the person was shown.
    ///   - nonce: enclaved's.
    ///   - userID: The user whose passcode it is.
    ///   - keyPath: The file with enclaved's public key.
    /// - Returns: Nil when enclaved's key can't be trusted.
    package static func seal(
        _ entry: borrowing SecretBytes, _ proof: PersonProof, _ question: AccessQuestion,
        nonce: [UInt8], userID: UInt32, keyPath: String
    ) -> [UInt8]? {
        guard let key = publicKey(keyPath), let count = UInt16(exactly: entry.byteCount) else {
            return nil
        }
        let operation: PasscodeOperation
        let digest: [UInt8]
        switch proof {
        case .passcode:
            operation = .approve
            digest = Array(SHA256.hash(data: question.encoded))
        case .password:
            operation = .supply
            digest = Array(SHA256.hash(data: question.scope.context))
        }
        let byteCount = nonce.count + 2 + entry.byteCount + digest.count
        var plaintext = SecretBytes(byteCount: byteCount)
        unsafe plaintext.withUnsafeMutableBytes { target in
            unsafe target.copyBytes(from: nonce)
            let start = nonce.count
            unsafe target[start] = UInt8(truncatingIfNeeded: count)
            unsafe target[start + 1] = UInt8(truncatingIfNeeded: count >> 8)
            unsafe entry.withUnsafeBytes {
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[(start + 2)...])
                    .copyMemory(from: $0)
            }
            let end = start + 2 + Int(count)
            unsafe UnsafeMutableRawBufferPointer(rebasing: target[end...]).copyBytes(from: digest)
        }
        return seal(plaintext, operation, to: key, userID: userID)
    }

    /// That a finger was recognized, sealed to enclaved together with the question that was shown.
    /// - Parameters:
    ///   - touchKey: Shows that it is the agent that says so.
    ///   - question: What the person was shown.
    ///   - nonce: enclaved's.
    ///   - userID: The user whose finger it is.
    ///   - keyPath: The file with enclaved's public key.
    /// - Returns: Nil when enclaved's key can't be trusted.
    package static func sealTouch(
        with touchKey: borrowing SecretBytes, _ question: AccessQuestion, nonce: [UInt8],
        userID: UInt32, keyPath: String
    ) -> [UInt8]? {
        guard let key = publicKey(keyPath) else { return nil }
        let digest = Array(SHA256.hash(data: question.encoded))
        let code = HMAC<SHA256>.authenticationCode(
            for: TouchKey.message(nonce: nonce, digest: digest, userID: userID),
            using: unsafe touchKey.withUnsafeBytes { unsafe SymmetricKey(data: $0) })
        let bytes = nonce + digest + Array(code)
        let plaintext = unsafe SecretBytes(byteCount: bytes.count) {
            unsafe $0.copyBytes(from: bytes)
        }
        return seal(plaintext, .approveByTouch, to: key, userID: userID)
    }

    private static func seal(
        _ plaintext: borrowing SecretBytes, _ operation: PasscodeOperation,
        to key: Curve25519.KeyAgreement.PublicKey, userID: UInt32
    ) -> [UInt8]? {
        var context = ByteWriter()
        context.u8(operation.rawValue)
        context.u32(userID)
        let suite = HPKE.Ciphersuite(
            kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256)
        do {
            var sender = try HPKE.Sender(recipientKey: key, ciphersuite: suite, info: info)
            let ciphertext = try unsafe plaintext.withUnsafeBytes {
                try unsafe sender.seal($0, authenticating: context.bytes)
            }
            return [UInt8](sender.encapsulatedKey) + [UInt8](ciphertext)
        } catch { return nil }
    }

    /// enclaved's public key, from a file that only its user, or root, can have written.
    private static func publicKey(_ path: String) -> Curve25519.KeyAgreement.PublicKey? {
        let raw = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard raw >= 0 else { return nil }
        let file = Descriptor(owning: raw)
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            Int64(status.st_size) == keyByteCount, status.st_mode & 0o022 == 0,
            status.st_uid == geteuid() || status.st_uid == 0
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(keyByteCount))
        guard unsafe read(file.rawValue, &bytes, bytes.count) == bytes.count else { return nil }
        return try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)
    }
}
