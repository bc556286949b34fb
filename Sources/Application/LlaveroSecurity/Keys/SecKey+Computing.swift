// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import SecretBytes

extension SecKey {
    // MARK: - Signatures

    /// Signs a digest or a message, as the algorithm says.
    func signature(
        _ algorithm: SecKeyAlgorithm, _ input: NSData
    ) throws(KeyFailure) -> Data {
        switch try meaning(algorithm, .sign) {
        case .ecdsa(let kind, let form, let name):
            return try sign(GivenDigest(bytes: try digest(kind, name, of: input)), form)
        case .rsaSignature(let kind, let padding, let name):
            let digest = try digest(kind, name, of: input)
            let signature = try unsafe lendSecret { bytes in
                unsafe RSAOperations.sign(digest, of: name, privateKey: bytes, padding)
            }
            guard let signature else { throw .unusable }
            return signature
        case .rsaBlockSignature(let isPadded):
            return try sign(block: input, isPadded: isPadded)
        case .edDSA:
            let message = unsafe input.lend { unsafe Data($0) }
            let signature = try unsafe lendSecret { bytes in
                unsafe Curve25519Operations.sign(message, privateKey: bytes)
            }
            guard let signature else { throw .unusable }
            return signature
        case .rsaEncryption, .ecies, .keyExchange: throw .unsupported(algorithm)
        }
    }

    /// Signs a block that the caller has prepared.
    private func sign(block: NSData, isPadded: Bool) throws(KeyFailure) -> Data {
        let byteCount = self.algorithm.blockByteCount
        guard block.length <= byteCount - (isPadded ? 11 : 0) else {
            throw KeyFailure(errSecParam, "The data doesn't fit into a block of this key.")
        }
        let input = block.byteArray
        let signature = try unsafe lendSecret { bytes in
            unsafe RSAOperations.sign(
                block: input, isPadded: isPadded, privateKey: bytes, blockByteCount: byteCount)
        }
        guard let signature else {
            throw KeyFailure(errSecParam, "The number isn't below the key's modulus.")
        }
        return signature
    }

    /// Signs a digest on a curve.
    private func sign(
        _ digest: GivenDigest, _ form: AlgorithmMeaning.SignatureForm
    ) throws(KeyFailure) -> Data {
        guard case .ellipticCurve(let curve) = self.algorithm else { throw .unusable }
        if let enclaveKey {
            let signature = try enclaveKey.sign(digest.bytes)
            guard form == .der else { return signature }
            guard let der = P256.derSignature(signature) else { throw .unusable }
            return der
        }
        let signature = try unsafe lendSecret { bytes in
            unsafe curve.sign(digest, privateKey: curve.number(bytes), form)
        }
        guard let signature else { throw .unusable }
        return signature
    }

    /// - Throws: `errSecVerifyFailed` when the signature wasn't made with this key.
    func verify(
        _ algorithm: SecKeyAlgorithm, _ input: NSData, _ signature: Data
    ) throws(KeyFailure) {
        let isValid: Bool
        switch (try meaning(algorithm, .verify), self.algorithm) {
        case (.ecdsa(.digest, _, nil), _) where input.length == 0:
            isValid = false
        case (.ecdsa(let kind, let form, let name), .ellipticCurve(let curve)):
            let digest = GivenDigest(bytes: try digest(kind, name, of: input))
            isValid = curve.verify(signature, of: digest, publicKey: publicBytes ?? [], form)
        case (.rsaSignature(.digest, _, let name), _) where input.length != name.byteCount:
            isValid = false
        case (.rsaSignature, _) where keyClass != .publicKey,
            (.rsaBlockSignature, _) where keyClass != .publicKey:
            // Apple's function raises the signature to this key's exponent, and finds no padding.
            // This function doesn't compute that: the owner of the public half could construct a
            // signature that would pass.
            isValid = false
        case (.rsaSignature(let kind, let padding, let name), _):
            isValid = RSAOperations.verify(
                signature, of: try digest(kind, name, of: input), by: name,
                publicKey: publicBytes ?? [], padding)
        case (.rsaBlockSignature(let isPadded), _):
            isValid =
                input.length <= self.algorithm.blockByteCount
                && RSAOperations.verify(
                    signature, ofBlock: input.byteArray, isPadded: isPadded,
                    publicKey: publicBytes ?? [])
        case (.edDSA, _):
            isValid = Curve25519Operations.verify(
                signature, of: unsafe input.lend { unsafe Data($0) },
                publicKey: publicBytes ?? [])
        case (.ecdsa, _), (.rsaEncryption, _), (.ecies, _), (.keyExchange, _):
            throw .unsupported(algorithm)
        }
        guard isValid else {
            throw KeyFailure(errSecVerifyFailed, "The signature isn't this key's.")
        }
    }

    private func digest(
        _ kind: AlgorithmMeaning.Input, _ name: DigestName?, of input: NSData
    ) throws(KeyFailure) -> [UInt8] {
        switch (kind, name) {
        case (.message, let name?):
            return unsafe input.lend { unsafe name.digest(of: $0) }
        case (.message, nil): throw .unusable
        case (.digest, let name):
            let isRightSize = name.map { $0.byteCount == input.length } ?? (input.length > 0)
            guard isRightSize, input.length <= Self.largestDigestByteCount else {
                throw KeyFailure(errSecParam, "The digest is of the wrong size.")
            }
            return input.byteArray
        }
    }

    /// More than the size of any digest; curves use the leading bits.
    private static let largestDigestByteCount = 128

    // MARK: - Agreement

    /// The secret shared between this key and another's public key.
    func agreement(
        _ algorithm: SecKeyAlgorithm, with other: SecKey, _ parameters: NSDictionary
    ) throws(KeyFailure) -> Secret {
        guard case .keyExchange(let digest) = try meaning(algorithm, .keyExchange) else {
            throw .unsupported(algorithm)
        }
        let secret = try agree(with: other)
        guard let digest else { return secret }
        let size = parameters.object(forKey: SecKeyKeyExchangeParameter.requestedSize.rawValue)
        let info = parameters.object(forKey: SecKeyKeyExchangeParameter.sharedInfo.rawValue)
        guard let size = size as? NSNumber, (1...65_536).contains(size.intValue) else {
            throw KeyFailure(errSecParam, "The requested size is missing or out of bounds.")
        }
        guard info == nil || info is NSData else {
            throw KeyFailure(errSecParam, "The shared info isn't data.")
        }
        let derived = deriveX963(
            digest, secret, sharedInfo: (info as? NSData)?.byteArray ?? [],
            byteCount: size.intValue)
        guard let derived else { throw .unusable }
        return derived
    }

    private func agree(with other: SecKey) throws(KeyFailure) -> Secret {
        if algorithm == .x25519 { return try agreeOnCurve25519(with: other) }
        guard case .ellipticCurve(let curve) = algorithm, other.algorithm == algorithm,
            other.keyClass == .publicKey, let point = other.publicBytes
        else { throw KeyFailure(errSecParam, "The public key isn't on this key's curve.") }
        if let enclaveKey { return try enclaveKey.agree(with: point) }
        let secret = try unsafe lendSecret { bytes in
            unsafe curve.agree(privateKey: curve.number(bytes), with: point)
        }
        guard let secret else { throw .unusable }
        return secret
    }

    private func agreeOnCurve25519(with other: SecKey) throws(KeyFailure) -> Secret {
        guard other.algorithm == .x25519, other.keyClass == .publicKey,
            let publicKey = other.publicBytes
        else { throw KeyFailure(errSecParam, "The public key isn't on this key's curve.") }
        let secret = try unsafe lendSecret { bytes in
            unsafe Curve25519Operations.agree(privateKey: bytes, with: publicKey)
        }
        guard let secret else {
            throw KeyFailure(errSecParam, "The public key gives no secret.")
        }
        return secret
    }

    // MARK: - Encryption

    /// Encrypts for the owner of the private half.
    func encryption(
        _ algorithm: SecKeyAlgorithm, _ plaintext: NSData
    ) throws(KeyFailure) -> Data {
        let meaning = try meaning(algorithm, .encrypt)
        let input = unsafe plaintext.lend { unsafe Data($0) }
        var result: Data?
        switch (meaning, self.algorithm) {
        case (.rsaEncryption(.pkcs1), _):
            result = RSAOperations.encrypt(input, publicKey: publicBytes ?? [], .pkcs1)
        case (.rsaEncryption(.raw), _):
            result = RSAOperations.encrypt(input, publicKey: publicBytes ?? [], .none)
        case (.rsaEncryption(.oaep(let digest)), _):
            result = RSAOperations.encrypt(input, publicKey: publicBytes ?? [], .oaep(digest))
        case (.rsaEncryption(.oaepThenGCM(let digest)), .rsa(let bitCount)):
            let key = SymmetricKey(size: SessionKey.size(besideRSAKeyOf: bitCount))
            let block = unsafe key.withUnsafeBytes {
                RSAOperations.encrypt(
                    unsafe Data($0), publicKey: publicBytes ?? [], .oaep(digest))
            }
            let box = Self.seal(
                input, key, nonce: SessionKey.zeroNonce, authenticating: publicBytes ?? [])
            if let block, let box { result = block + box }
        case (.ecies(let digest, let derivesNonce), .ellipticCurve(let curve)):
            result = try encryptForCurve(
                curve, digest, derivesNonce: derivesNonce, input)
        case (.rsaSignature, _), (.rsaBlockSignature, _), (.ecdsa, _), (.edDSA, _),
            (.rsaEncryption, _), (.ecies, _), (.keyExchange, _):
            throw .unsupported(algorithm)
        }
        guard let result else {
            throw KeyFailure(errSecParam, "The data doesn't fit into a block of this key.")
        }
        return result
    }

    /// Decrypts a ciphertext for this key.
    func decryption(
        _ algorithm: SecKeyAlgorithm, _ ciphertext: NSData
    ) throws(KeyFailure) -> Secret {
        let meaning = try meaning(algorithm, .decrypt)
        let input = unsafe ciphertext.lend { unsafe Data($0) }
        let result: Secret?
        switch (meaning, self.algorithm) {
        case (.rsaEncryption(.pkcs1), _):
            result = try decryptBlock(input, .pkcs1)
        case (.rsaEncryption(.raw), _): result = try decryptBlock(input, .none)
        case (.rsaEncryption(.oaep(let digest)), _):
            result = try decryptBlock(input, .oaep(digest))
        case (.rsaEncryption(.oaepThenGCM(let digest)), .rsa(let bitCount)):
            guard let key = try decryptBlock(Data(input.prefix(bitCount / 8)), .oaep(digest)),
                key.bytes.byteCount * 8 == SessionKey.size(besideRSAKeyOf: bitCount).bitCount
            else { throw .undecodable }
            let session = unsafe key.bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
            result = Self.open(
                Data(input.dropFirst(bitCount / 8)), session, nonce: SessionKey.zeroNonce,
                authenticating: publicBytes ?? [])
        case (.ecies(let digest, let derivesNonce), .ellipticCurve(let curve)):
            result = try decryptOnCurve(curve, digest, derivesNonce: derivesNonce, input)
        case (.rsaSignature, _), (.rsaBlockSignature, _), (.ecdsa, _), (.edDSA, _),
            (.rsaEncryption, _), (.ecies, _), (.keyExchange, _):
            throw .unsupported(algorithm)
        }
        guard let result else { throw .undecodable }
        return result
    }

    private func decryptBlock(
        _ block: Data, _ padding: RSAOperations.BlockPadding
    ) throws(KeyFailure) -> Secret? {
        try unsafe lendSecret { bytes in
            unsafe RSAOperations.decrypt(block, privateKey: bytes, padding)
        }
    }

    // MARK: - ECIES

    /// A key and a nonce for AES-GCM, derived from the shared secret. There is no associated data,
    /// since the two points are part of the derived bytes or of the derivation's input. Source: the
    /// description of the algorithms in Apple's `SecKey.h`, and Apple's known messages.
    /// Vectors: `Tests/Vectors/seckey/known-messages.json`.
    private struct SessionKey {
        static let zeroNonce = [UInt8](repeating: 0, count: 16)

        /// The size of the AES key for an RSA key of this many bits.
        static func size(besideRSAKeyOf bitCount: Int) -> SymmetricKeySize {
            bitCount >= 4096 ? .bits256 : .bits128
        }

        let key: SymmetricKey
        let nonce: [UInt8]

        init?(
            _ secret: Secret, _ curve: EllipticCurve, _ digest: DigestName, derivesNonce: Bool,
            ephemeral: [UInt8]
        ) {
            let keyByteCount = curve == .p256 ? 16 : 32
            let derived = deriveX963(
                digest, secret, sharedInfo: ephemeral,
                byteCount: keyByteCount + (derivesNonce ? 16 : 0))
            guard let derived else { return nil }
            key = unsafe derived.bytes.withUnsafeBytes {
                unsafe SymmetricKey(
                    data: UnsafeRawBufferPointer(rebasing: $0.prefix(keyByteCount)))
            }
            nonce =
                derivesNonce
                ? unsafe derived.bytes.withUnsafeBytes {
                    unsafe [UInt8]($0.dropFirst(keyByteCount))
                } : Self.zeroNonce
        }
    }

    private func encryptForCurve(
        _ curve: EllipticCurve, _ digest: DigestName, derivesNonce: Bool, _ plaintext: Data
    ) throws(KeyFailure) -> Data? {
        let ephemeral = SecKey(
            type: KeyType.ellipticCurve, keyClass: .privateKey,
            representation: curve.makePrivateKey())
        guard let ephemeral, let point = ephemeral.publicBytes else { throw .unusable }
        let session = SessionKey(
            try ephemeral.agree(with: self), curve, digest, derivesNonce: derivesNonce,
            ephemeral: point)
        guard let session else { throw .unusable }
        let box = Self.seal(plaintext, session.key, nonce: session.nonce, authenticating: [])
        return box.map { Data(point) + $0 }
    }

    private func decryptOnCurve(
        _ curve: EllipticCurve, _ digest: DigestName, derivesNonce: Bool, _ ciphertext: Data
    ) throws(KeyFailure) -> Secret? {
        let point = [UInt8](ciphertext.prefix(curve.pointByteCount))
        guard let ephemeral = SecKey(type: KeyType.ellipticCurve, publicBytes: point),
            ephemeral.algorithm == algorithm
        else { throw .undecodable }
        let session = SessionKey(
            try agree(with: ephemeral), curve, digest, derivesNonce: derivesNonce,
            ephemeral: point)
        guard let session else { throw .unusable }
        return Self.open(
            Data(ciphertext.dropFirst(curve.pointByteCount)), session.key, nonce: session.nonce,
            authenticating: [])
    }

    // MARK: - AES-GCM

    /// - Returns: Ciphertext and tag.
    private static func seal(
        _ plaintext: Data, _ key: SymmetricKey, nonce: [UInt8], authenticating data: [UInt8]
    ) -> Data? {
        guard let nonce = try? AES.GCM.Nonce(data: nonce),
            let box = try? AES.GCM.seal(
                plaintext, using: key, nonce: nonce, authenticating: data)
        else { return nil }
        return box.ciphertext + box.tag
    }

    private static func open(
        _ sealed: Data, _ key: SymmetricKey, nonce: [UInt8], authenticating data: [UInt8]
    ) -> Secret? {
        guard sealed.count >= 16, let nonce = try? AES.GCM.Nonce(data: nonce),
            let box = try? AES.GCM.SealedBox(
                nonce: nonce, ciphertext: sealed.dropLast(16), tag: sealed.suffix(16)),
            let plaintext = try? AES.GCM.open(box, using: key, authenticating: data)
        else { return nil }
        return Secret.wiping(plaintext)
    }

    // MARK: - Shared parts

    private func meaning(
        _ algorithm: SecKeyAlgorithm, _ operation: SecKeyOperationType
    ) throws(KeyFailure) -> AlgorithmMeaning {
        guard let meaning = AlgorithmMeaning(algorithm),
            meaning.isSupported(by: self, for: operation)
        else { throw .unsupported(algorithm) }
        return meaning
    }

    /// Lends the bytes of a private key.
    private func lendSecret<R>(
        _ body: (UnsafeRawBufferPointer) -> R
    ) throws(KeyFailure) -> R {
        guard let secret else { throw .unusable }
        return unsafe secret.bytes.withUnsafeBytes { unsafe body($0) }
    }
}

extension EllipticCurve {
    /// The number in a private key's external representation.
    fileprivate func number(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: key.dropFirst(pointByteCount))
    }
}

extension P256 {
    /// A signature of R ‖ S as a DER SEQUENCE.
    fileprivate static func derSignature(_ raw: Data) -> Data? {
        (try? Signing.ECDSASignature(rawRepresentation: raw))?.derRepresentation
    }
}

extension KeyFailure {
    /// The library refuses the key.
    static let unusable = KeyFailure(errSecParam, "The key can't be used so.")
    /// The ciphertext wasn't encrypted this way for this key.
    static let undecodable = KeyFailure(errSecParam, "The data wasn't encrypted for this key.")

    static func unsupported(_ algorithm: SecKeyAlgorithm) -> KeyFailure {
        KeyFailure(errSecParam, "\(algorithm.rawValue): not supported by the key")
    }
}
