// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// Whether a key can do something.
/// - Parameters:
///   - key: The key.
///   - operation: What it is to do.
///   - algorithm: How.
/// - Returns: False for what the key isn't made for, and for what nothing here computes: digests by
///   SHA-224, OAEP with other digests than SHA-1 and SHA-256, RSA without padding, RSA keys under
///   1024 bits, keys that are neither RSA nor on P-256, P-384 or P-521. As Apple's, a private RSA key
///   answers that it verifies, and a public one that it decrypts what has no AES-GCM in it: what they
///   are then given fails.
public func SecKeyIsAlgorithmSupported(
    _ key: SecKey, _ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm
) -> Bool {
    AlgorithmMeaning(algorithm)?.isSupported(by: key, for: operation) ?? false
}

/// Signs.
/// - Parameters:
///   - key: A private key.
///   - algorithm: `…Message…` takes the data, `…Digest…` its digest, of the right size.
///   - dataToSign: The one or the other.
///   - error: Where to put the reason: `errSecParam` for an algorithm that the key doesn't do and for
///     a digest of the wrong size; of a key in the enclave also as
///     ``SecItemCopyMatching(_:_:)``.
/// - Returns: The signature; nil when it fails.
public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe computed(error) { () throws(KeyFailure) in
        try key.signature(algorithm, dataToSign) as NSData
    }
}

/// Verifies a signature.
/// - Parameters:
///   - key: The public key.
///   - algorithm: As it was made.
///   - signedData: What was signed: the data or its digest, as the algorithm says.
///   - signature: The signature.
///   - error: Where to put the reason: `errSecVerifyFailed`, also for a private RSA key; `errSecParam`
///     for an algorithm that the key doesn't do and, of keys on a curve, for a digest of the wrong
///     size.
/// - Returns: Whether the signature is the key's.
public func SecKeyVerifySignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
    unsafe computed(error) { () throws(KeyFailure) in
        let bytes = unsafe signature.lend { unsafe Data($0) }
        try key.verify(algorithm, signedData, bytes)
        return true
    } ?? false
}

/// Encrypts with a public key.
/// - Parameters:
///   - key: The public key.
///   - algorithm: RSA blocks hold little; the algorithms that end in `AESGCM` take any size.
///   - plaintext: What to encrypt.
///   - error: Where to put the reason: `errSecParam`.
/// - Returns: Nil when it fails.
public func SecKeyCreateEncryptedData(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ plaintext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe computed(error) { () throws(KeyFailure) in
        try key.encryption(algorithm, plaintext) as NSData
    }
}

/// Decrypts with a private key.
/// - Parameters:
///   - key: The private key.
///   - algorithm: As it was encrypted.
///   - ciphertext: What to decrypt.
///   - error: Where to put the reason: `errSecParam`, for what wasn't encrypted so for this key as
///     for an algorithm that the key doesn't do.
/// - Returns: Bytes that are wiped when the object goes; nil when it fails.
public func SecKeyCreateDecryptedData(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ ciphertext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe computed(error) { () throws(KeyFailure) in
        WipedData(try key.decryption(algorithm, ciphertext))
    }
}

/// Agrees on a secret with the owner of another key.
/// - Parameters:
///   - privateKey: A private key on a curve.
///   - algorithm: `ecdhKeyExchange…`; with `X963…` the secret is derived from further.
///   - publicKey: The other's, on the same curve.
///   - parameters: ``SecKeyKeyExchangeParameter/requestedSize``, which `X963…` needs, and
///     ``SecKeyKeyExchangeParameter/sharedInfo``.
///   - error: Where to put the reason: `errSecParam`.
/// - Returns: Bytes that are wiped when the object goes; nil when it fails.
public func SecKeyCopyKeyExchangeResult(
    _ privateKey: SecKey, _ algorithm: SecKeyAlgorithm, _ publicKey: SecKey,
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe computed(error) { () throws(KeyFailure) in
        WipedData(try privateKey.agreement(algorithm, with: publicKey, parameters))
    }
}

/// Gives what is computed, or puts the reason where the caller wants it.
func computed<Value>(
    _ target: UnsafeMutablePointer<Unmanaged<CFError>?>?,
    _ compute: () throws(KeyFailure) -> Value
) -> Value? {
    do throws(KeyFailure) { return try compute() } catch {
        return unsafe refused(target, error.status, error.description)
    }
}
