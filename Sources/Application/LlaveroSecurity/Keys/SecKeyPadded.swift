// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

// The calls from before `SecKeyAlgorithm`: the padding selects the operation, and the caller
// provides the memory.

/// Signs a digest.
/// - Parameters:
///   - key: The private key.
///   - padding: For RSA keys `PKCS1SHA…`, `PKCS1` for a block that the caller has encoded, or
///     none for one as it is; for keys on a curve any.
///   - dataToSign: The digest, or the block.
///   - dataToSignLen: Its byte count.
///   - sig: Where to put the signature.
///   - sigLen: The buffer's size; then the number of bytes used.
/// - Returns: `errSecSuccess`; `errSecParam`, also if the buffer is too small, and then nothing is
///   written.
@discardableResult
public func SecKeyRawSign(
    _ key: SecKey, _ padding: SecPadding, _ dataToSign: UnsafePointer<UInt8>,
    _ dataToSignLen: Int, _ sig: UnsafeMutablePointer<UInt8>,
    _ sigLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    unsafe write(sig, sigLen) { () throws(KeyFailure) in
        guard let algorithm = padding.signatureAlgorithm(for: key) else { throw .unusable }
        let signature = try key.signature(
            algorithm, try unsafe bytes(dataToSign, dataToSignLen))
        return signature as NSData
    }
}

/// Verifies a signature of a digest.
/// - Parameters:
///   - key: The public key.
///   - padding: The padding of the signature.
///   - signedData: The digest.
///   - signedDataLen: Its byte count.
///   - sig: The signature.
///   - sigLen: Its byte count.
/// - Returns: `errSecSuccess`; -9809 (`errSSLCrypto`, as Apple's call returns) when the signature
///   wasn't made with this key; `errSecParam`.
@discardableResult
public func SecKeyRawVerify(
    _ key: SecKey, _ padding: SecPadding, _ signedData: UnsafePointer<UInt8>,
    _ signedDataLen: Int, _ sig: UnsafePointer<UInt8>, _ sigLen: Int
) -> OSStatus {
    do throws(KeyFailure) {
        guard let algorithm = padding.signatureAlgorithm(for: key) else { throw .unusable }
        let signature = try unsafe bytes(sig, sigLen).lend { unsafe Data($0) }
        try key.verify(algorithm, try unsafe bytes(signedData, signedDataLen), signature)
        return errSecSuccess
    } catch { return error.status == errSecVerifyFailed ? errSSLCrypto : error.status }
}

/// Encrypts a block.
/// - Parameters:
///   - key: A public RSA key.
///   - padding: `PKCS1`, `OAEP` with SHA-1, or none: zeros before the bytes fill the block.
///   - plainText: The bytes to encrypt.
///   - plainTextLen: Its byte count.
///   - cipherText: Where to put the block.
///   - cipherTextLen: The buffer's size; then the number of bytes used.
/// - Returns: `errSecSuccess`; `errSecParam`, also if the buffer is too small, and then nothing is
///   written.
@discardableResult
public func SecKeyEncrypt(
    _ key: SecKey, _ padding: SecPadding, _ plainText: UnsafePointer<UInt8>,
    _ plainTextLen: Int, _ cipherText: UnsafeMutablePointer<UInt8>,
    _ cipherTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    unsafe write(cipherText, cipherTextLen) { () throws(KeyFailure) in
        guard let algorithm = padding.encryptionAlgorithm else { throw .unusable }
        return try key.encryption(algorithm, try unsafe bytes(plainText, plainTextLen)) as NSData
    }
}

/// Decrypts a block.
/// - Parameters:
///   - key: A private RSA key.
///   - padding: The padding of the encryption.
///   - cipherText: The block.
///   - cipherTextLen: Its byte count.
///   - plainText: Where to put the decrypted bytes.
///   - plainTextLen: The buffer's size; then the number of bytes used.
/// - Returns: `errSecSuccess`; `errSecParam` for a block that wasn't encrypted this way for this
///   key, and if the buffer is too small; then nothing is written.
@discardableResult
public func SecKeyDecrypt(
    _ key: SecKey, _ padding: SecPadding, _ cipherText: UnsafePointer<UInt8>,
    _ cipherTextLen: Int, _ plainText: UnsafeMutablePointer<UInt8>,
    _ plainTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    unsafe write(plainText, plainTextLen) { () throws(KeyFailure) in
        guard let algorithm = padding.encryptionAlgorithm else { throw .unusable }
        return WipedData(
            try key.decryption(algorithm, try unsafe bytes(cipherText, cipherTextLen)))
    }
}

private func bytes(
    _ start: UnsafePointer<UInt8>, _ count: Int
) throws(KeyFailure) -> NSData {
    guard count >= 0 else { throw .unusable }
    return unsafe WipedData(UnsafeRawBufferPointer(start: start, count: count))
}

private func write(
    _ target: UnsafeMutablePointer<UInt8>, _ room: UnsafeMutablePointer<Int>,
    _ compute: () throws(KeyFailure) -> NSData
) -> OSStatus {
    do throws(KeyFailure) {
        let result = try compute()
        guard unsafe result.length <= room.pointee else { return errSecParam }
        unsafe result.getBytes(target, length: result.length)
        unsafe room.pointee = result.length
        return errSecSuccess
    } catch { return error.status }
}

extension SecPadding {
    /// For keys on a curve, any padding that isn't RSA's is accepted.
    fileprivate func signatureAlgorithm(for key: SecKey) -> SecKeyAlgorithm? {
        if case .ellipticCurve = key.algorithm {
            return self == .sigRaw
                ? .ecdsaSignatureRFC4754 : .ecdsaSignatureDigestX962
        }
        return switch self {
        case []: .rsaSignatureRaw
        case .PKCS1: .rsaSignatureDigestPKCS1v15Raw
        case .PKCS1SHA1: .rsaSignatureDigestPKCS1v15SHA1
        case .PKCS1SHA224: .rsaSignatureDigestPKCS1v15SHA224
        case .PKCS1SHA256: .rsaSignatureDigestPKCS1v15SHA256
        case .PKCS1SHA384: .rsaSignatureDigestPKCS1v15SHA384
        case .PKCS1SHA512: .rsaSignatureDigestPKCS1v15SHA512
        default: nil
        }
    }

    fileprivate var encryptionAlgorithm: SecKeyAlgorithm? {
        switch self {
        case []: .rsaEncryptionRaw
        case .PKCS1: .rsaEncryptionPKCS1
        case .OAEP: .rsaEncryptionOAEPSHA1
        default: nil
        }
    }
}
