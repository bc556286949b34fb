// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import FoundationEssentials
import SecretBytes

/// Private keys that are made and used only here. Outside they are sealed, and no request can open
/// one: they are sealed under another label than the secrets of items.
extension Enclave {
    func makePrivateKey(
        _ binding: SecretBinding, _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveReply {
        let classKey = try classKey(binding.protectionClass, keybag)
        let made = try Self.newPrivateKey()
        guard
            let sealed = PrivateKeySealing.seal(
                made.number, binding: binding, user: keybag.user, classKey: classKey)
        else { throw .status(.undecodable) }
        return .madePrivateKey(publicKey: made.publicKey, sealed: sealed)
    }

    /// A new key: its number, and its public half.
    static func newPrivateKey() throws(Refusal) -> (number: Secret, publicKey: [UInt8]) {
        let key = P256.Signing.PrivateKey()
        var number = key.rawRepresentation
        let secret = unsafe number.lendAndWipe { bytes in
            Secret(unsafe SecretBytes(copying: bytes))
        }
        guard let secret else { throw .status(.undecodable) }
        return (secret, [UInt8](key.publicKey.x963Representation))
    }

    func sign(
        _ digest: [UInt8], _ key: SealedSecret, _ keybag: UserKeybag
    ) throws(Refusal) -> [UInt8] {
        try Self.signature(of: digest, with: try open(privateKey: key, keybag))
    }

    static func signature(of digest: [UInt8], with number: Secret) throws(Refusal) -> [UInt8] {
        let signature = unsafe number.bytes.withUnsafeBytes { bytes in
            unsafe (try? P256.Signing.PrivateKey(rawRepresentation: bytes)).flatMap {
                try? $0.signature(for: GivenDigest(bytes: digest))
            }
        }
        guard let signature else { throw .status(.undecodable) }
        return [UInt8](signature.rawRepresentation)
    }

    func agree(
        _ publicKey: [UInt8], _ key: SealedSecret, _ keybag: UserKeybag
    ) throws(Refusal) -> SecretBytes {
        try Self.agreement(publicKey, with: try open(privateKey: key, keybag)).copy()
    }

    static func agreement(_ publicKey: [UInt8], with number: Secret) throws(Refusal) -> Secret {
        guard let other = try? P256.KeyAgreement.PublicKey(x963Representation: publicKey) else {
            throw .status(.malformed)
        }
        let agreed = unsafe number.bytes.withUnsafeBytes { bytes in
            unsafe (try? P256.KeyAgreement.PrivateKey(rawRepresentation: bytes)).flatMap {
                try? $0.sharedSecretFromKeyAgreement(with: other)
            }
        }
        guard let agreed else { throw .status(.undecodable) }
        return unsafe agreed.withUnsafeBytes { Secret(unsafe SecretBytes(copying: $0)) }
    }

    private func open(
        privateKey key: SealedSecret, _ keybag: UserKeybag
    ) throws(Refusal) -> Secret {
        // Only a request with a context can use one with an access control.
        if GuardedSealing.isGuarded(key.sealed) {
            let isWhole = GuardedSealing.header(key.sealed, key.binding) != nil
            throw .status(isWhole ? .personNeeded : .undecodable)
        }
        let classKey = try classKey(key.binding.protectionClass, keybag)
        let number = PrivateKeySealing.open(
            key.sealed, binding: key.binding, user: keybag.user, classKey: classKey)
        guard let number else { throw .status(.undecodable) }
        return number
    }
}

/// A digest that the caller passed in, of any algorithm. ECDSA accepts one of any size and uses its
/// leading bits (FIPS 186-5 §6.4).
private struct GivenDigest: Digest {
    let bytes: [UInt8]

    /// Requirements of the library on a digest type; ECDSA doesn't use them.
    static var byteCount: Int { 32 }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe bytes.withUnsafeBytes(body)
    }

    func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }

    var description: String { "<\(bytes.count) bytes>" }
}
