// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// Whether a key supports an operation.
/// - Parameters:
///   - key: The key.
///   - operation: The operation.
///   - algorithm: The algorithm.
/// - Returns: False for operations that the key doesn't support, and for those that nothing here
///   computes: RSA keys under 1024 bits, and with a modulus that isn't of whole bytes.
///   Like Apple's function, it returns true for a private RSA key that is to verify, and for a
///   public one that is to decrypt without AES-GCM; those calls always fail.
public func SecKeyIsAlgorithmSupported(
    _ key: SecKey, _ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm
) -> Bool {
    AlgorithmMeaning(algorithm)?.isSupported(by: key, for: operation) ?? false
}

/// Signs.
/// - Parameters:
///   - key: A private key.
///   - algorithm: `…Message…` takes the data, `…Digest…` its digest, of the right size.
///   - dataToSign: The data or the digest.
///   - error: Where to put the reason: `errSecParam` for an algorithm that the key doesn't support
///     and for a digest of the wrong size; for a key in the enclave also as
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
///   - algorithm: The algorithm of the signature.
///   - signedData: The signed data or its digest, depending on the algorithm.
///   - signature: The signature.
///   - error: Where to put the reason: `errSecVerifyFailed`, also for a private RSA key;
///     `errSecParam` for an algorithm that the key doesn't support and, for keys on a curve, for a
///     digest of the wrong size.
/// - Returns: Whether the signature was made with this key.
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
///   - algorithm: An RSA block fits few bytes; the algorithms that end in `AESGCM` accept any size.
///   - plaintext: The bytes to encrypt.
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
///   - algorithm: The algorithm of the encryption.
///   - ciphertext: The bytes to decrypt.
///   - error: Where to put the reason: `errSecParam`, both for bytes that weren't encrypted this
///     way for this key and for an algorithm that the key doesn't support.
/// - Returns: Bytes that are wiped when the object is released; nil when it fails.
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
///   - algorithm: `ecdhKeyExchange…`; with `X963…` a key is derived from the secret.
///   - publicKey: The other's, on the same curve.
///   - parameters: ``SecKeyKeyExchangeParameter/requestedSize``, which `X963…` needs, and
///     ``SecKeyKeyExchangeParameter/sharedInfo``.
///   - error: Where to put the reason: `errSecParam`.
/// - Returns: Bytes that are wiped when the object is released; nil when it fails.
public func SecKeyCopyKeyExchangeResult(
    _ privateKey: SecKey, _ algorithm: SecKeyAlgorithm, _ publicKey: SecKey,
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe computed(error) { () throws(KeyFailure) in
        WipedData(try privateKey.agreement(algorithm, with: publicKey, parameters))
    }
}

/// Returns the result, or puts the reason where the caller wants it.
func computed<Value>(
    _ target: UnsafeMutablePointer<Unmanaged<CFError>?>?,
    _ compute: () throws(KeyFailure) -> Value
) -> Value? {
    do throws(KeyFailure) { return try compute() } catch {
        return unsafe refused(target, error.status, error.description)
    }
}
