// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Made by Scripts/generate-c-interface; edits here are lost.
// swift-format-ignore-file

import CSecurityObjects
import Foundation
import LlaveroSecurity

/// Makes a key pair with CDSA.
@_cdecl("SecKeyCreatePair")
public func interfaceSecKeyCreatePair(
    _ keychainRef: UnsafeRawPointer?, _ algorithm: UInt32, _ keySizeInBits: UInt32, _ contextHandle: UInt64, _ publicKeyUsage: UInt32, _ publicKeyAttr: UInt32, _ privateKeyUsage: UInt32, _ privateKeyAttr: UInt32, _ initialAccess: UnsafeRawPointer?, _ publicKey: ObjectSlot?, _ privateKey: ObjectSlot?
) -> Int32 {
    guard let keychainRefObject = unsafe Taken.optional(keychainRef, as: SecKeychain.self),
        unsafe initialAccess == nil
    else { return errSecParam }
    var publicKeyObject: SecKey?
    var privateKeyObject: SecKey?
    let answer = unsafe LlaveroSecurity.SecKeyCreatePair(keychainRefObject.value, algorithm, keySizeInBits, contextHandle, publicKeyUsage, publicKeyAttr, privateKeyUsage, privateKeyAttr, nil, &publicKeyObject, &privateKeyObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(publicKeyObject, publicKey)
    unsafe put(privateKeyObject, privateKey)
    return answer
}

/// Makes a symmetric key with CDSA.
@_cdecl("SecKeyGenerate")
public func interfaceSecKeyGenerate(
    _ keychainRef: UnsafeRawPointer?, _ algorithm: UInt32, _ keySizeInBits: UInt32, _ contextHandle: UInt64, _ keyUsage: UInt32, _ keyAttr: UInt32, _ initialAccess: UnsafeRawPointer?, _ keyRef: ObjectSlot?
) -> Int32 {
    guard let keychainRefObject = unsafe Taken.optional(keychainRef, as: SecKeychain.self),
        unsafe initialAccess == nil
    else { return errSecParam }
    guard unsafe keyRef != nil else {
        return LlaveroSecurity.SecKeyGenerate(keychainRefObject.value, algorithm, keySizeInBits, contextHandle, keyUsage, keyAttr, nil, nil)
    }
    var keyRefObject: SecKey?
    let answer = unsafe LlaveroSecurity.SecKeyGenerate(keychainRefObject.value, algorithm, keySizeInBits, contextHandle, keyUsage, keyAttr, nil, &keyRefObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(keyRefObject, keyRef)
    return answer
}

/// A key in CDSA's form.
@_cdecl("SecKeyGetCSSMKey")
public func interfaceSecKeyGetCSSMKey(
    _ key: UnsafeRawPointer?, _ cssmKey: UnsafeMutableRawPointer?
) -> Int32 {
    guard let keyObject = unsafe Taken.required(key, as: SecKey.self),
        let cssmKey = unsafe cssmKey
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecKeyGetCSSMKey(keyObject, cssmKey.assumingMemoryBound(to: (CSSM_KEY?).self))
}

/// The CDSA module of a key.
@_cdecl("SecKeyGetCSPHandle")
public func interfaceSecKeyGetCSPHandle(
    _ keyRef: UnsafeRawPointer?, _ cspHandle: UnsafeMutableRawPointer?
) -> Int32 {
    guard let keyRefObject = unsafe Taken.required(keyRef, as: SecKey.self),
        let cspHandle = unsafe cspHandle
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecKeyGetCSPHandle(keyRefObject, cspHandle.assumingMemoryBound(to: (CSSM_CSP_HANDLE).self))
}

/// Credentials for a key, for CDSA.
@_cdecl("SecKeyGetCredentials")
public func interfaceSecKeyGetCredentials(
    _ keyRef: UnsafeRawPointer?, _ operation: Int32, _ credentialType: UInt32, _ outCredentials: UnsafeMutableRawPointer?
) -> Int32 {
    guard let keyRefObject = unsafe Taken.required(keyRef, as: SecKey.self),
        let credentialTypeValue = SecCredentialType(rawValue: credentialType),
        let outCredentials = unsafe outCredentials
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecKeyGetCredentials(keyRefObject, operation, credentialTypeValue, outCredentials.assumingMemoryBound(to: (CSSM_ACCESS_CREDENTIALS?).self))
}

/// The type of keys.
@_cdecl("SecKeyGetTypeID")
public func interfaceSecKeyGetTypeID(
    
) -> UInt {
    return typeID(of: SecKey.self)
}

/// Makes a key from its external representation.
@_cdecl("SecKeyCreateWithData")
public func interfaceSecKeyCreateWithData(
    _ keyData: UnsafeRawPointer?, _ attributes: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let keyDataObject = unsafe Taken.required(keyData, as: NSData.self),
        let attributesObject = unsafe Taken.required(attributes, as: NSDictionary.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecKeyCreateWithData(keyDataObject, attributesObject, $0)
    }
}

/// The bytes of a key.
@_cdecl("SecKeyCopyExternalRepresentation")
public func interfaceSecKeyCopyExternalRepresentation(
    _ key: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let keyObject = unsafe Taken.required(key, as: SecKey.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecKeyCopyExternalRepresentation(keyObject, $0)
    }
}

/// The attributes of an item that is this key, and its data.
@_cdecl("SecKeyCopyAttributes")
public func interfaceSecKeyCopyAttributes(
    _ key: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let keyObject = unsafe Taken.required(key, as: SecKey.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecKeyCopyAttributes(keyObject))
}

/// The public half of a key pair.
@_cdecl("SecKeyCopyPublicKey")
public func interfaceSecKeyCopyPublicKey(
    _ key: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let keyObject = unsafe Taken.required(key, as: SecKey.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecKeyCopyPublicKey(keyObject))
}

/// The block size of an operation with the key in bytes: an RSA key's modulus, a coordinate of a curve's points, a cipher's block.
@_cdecl("SecKeyGetBlockSize")
public func interfaceSecKeyGetBlockSize(
    _ key: UnsafeRawPointer?
) -> Int {
    guard let keyObject = unsafe Taken.required(key, as: SecKey.self)
    else { return 0 }
    return LlaveroSecurity.SecKeyGetBlockSize(keyObject)
}

/// Makes a key pair.
@_cdecl("SecKeyCreateRandomKey")
public func interfaceSecKeyCreateRandomKey(
    _ parameters: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let parametersObject = unsafe Taken.required(parameters, as: NSDictionary.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecKeyCreateRandomKey(parametersObject, $0)
    }
}

/// Makes a key pair, in the older form of ``SecKeyCreateRandomKey(_:_:)``.
@_cdecl("SecKeyGeneratePair")
public func interfaceSecKeyGeneratePair(
    _ parameters: UnsafeRawPointer?, _ publicKey: ObjectSlot?, _ privateKey: ObjectSlot?
) -> Int32 {
    guard let parametersObject = unsafe Taken.required(parameters, as: NSDictionary.self)
    else { return errSecParam }
    var publicKeyObject: SecKey?
    var privateKeyObject: SecKey?
    let answer = unsafe LlaveroSecurity.SecKeyGeneratePair(parametersObject, &publicKeyObject, &privateKeyObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(publicKeyObject, publicKey)
    unsafe put(privateKeyObject, privateKey)
    return answer
}

/// Whether a key supports an operation.
@_cdecl("SecKeyIsAlgorithmSupported")
public func interfaceSecKeyIsAlgorithmSupported(
    _ key: UnsafeRawPointer?, _ operation: Int, _ algorithm: UnsafeRawPointer?
) -> UInt8 {
    guard let keyObject = unsafe Taken.required(key, as: SecKey.self),
        let operationValue = SecKeyOperationType(rawValue: operation),
        let algorithmObject = unsafe Taken.required(algorithm, as: NSString.self)
    else { return 0 }
    return LlaveroSecurity.SecKeyIsAlgorithmSupported(keyObject, operationValue, SecKeyAlgorithm(rawValue: algorithmObject)) ? 1 : 0
}

/// Signs.
@_cdecl("SecKeyCreateSignature")
public func interfaceSecKeyCreateSignature(
    _ key: UnsafeRawPointer?, _ algorithm: UnsafeRawPointer?, _ dataToSign: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let keyObject = unsafe Taken.required(key, as: SecKey.self),
        let algorithmObject = unsafe Taken.required(algorithm, as: NSString.self),
        let dataToSignObject = unsafe Taken.required(dataToSign, as: NSData.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecKeyCreateSignature(keyObject, SecKeyAlgorithm(rawValue: algorithmObject), dataToSignObject, $0)
    }
}

/// Verifies a signature.
@_cdecl("SecKeyVerifySignature")
public func interfaceSecKeyVerifySignature(
    _ key: UnsafeRawPointer?, _ algorithm: UnsafeRawPointer?, _ signedData: UnsafeRawPointer?, _ signature: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UInt8 {
    guard let keyObject = unsafe Taken.required(key, as: SecKey.self),
        let algorithmObject = unsafe Taken.required(algorithm, as: NSString.self),
        let signedDataObject = unsafe Taken.required(signedData, as: NSData.self),
        let signatureObject = unsafe Taken.required(signature, as: NSData.self)
    else { return unsafe refusedFlag(error) }
    return unsafe flagWithReason(error) {
        unsafe LlaveroSecurity.SecKeyVerifySignature(keyObject, SecKeyAlgorithm(rawValue: algorithmObject), signedDataObject, signatureObject, $0)
    }
}

/// Encrypts with a public key.
@_cdecl("SecKeyCreateEncryptedData")
public func interfaceSecKeyCreateEncryptedData(
    _ key: UnsafeRawPointer?, _ algorithm: UnsafeRawPointer?, _ plaintext: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let keyObject = unsafe Taken.required(key, as: SecKey.self),
        let algorithmObject = unsafe Taken.required(algorithm, as: NSString.self),
        let plaintextObject = unsafe Taken.required(plaintext, as: NSData.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecKeyCreateEncryptedData(keyObject, SecKeyAlgorithm(rawValue: algorithmObject), plaintextObject, $0)
    }
}

/// Decrypts with a private key.
@_cdecl("SecKeyCreateDecryptedData")
public func interfaceSecKeyCreateDecryptedData(
    _ key: UnsafeRawPointer?, _ algorithm: UnsafeRawPointer?, _ ciphertext: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let keyObject = unsafe Taken.required(key, as: SecKey.self),
        let algorithmObject = unsafe Taken.required(algorithm, as: NSString.self),
        let ciphertextObject = unsafe Taken.required(ciphertext, as: NSData.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecKeyCreateDecryptedData(keyObject, SecKeyAlgorithm(rawValue: algorithmObject), ciphertextObject, $0)
    }
}

/// Agrees on a secret with the owner of another key.
@_cdecl("SecKeyCopyKeyExchangeResult")
public func interfaceSecKeyCopyKeyExchangeResult(
    _ privateKey: UnsafeRawPointer?, _ algorithm: UnsafeRawPointer?, _ publicKey: UnsafeRawPointer?, _ parameters: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let privateKeyObject = unsafe Taken.required(privateKey, as: SecKey.self),
        let algorithmObject = unsafe Taken.required(algorithm, as: NSString.self),
        let publicKeyObject = unsafe Taken.required(publicKey, as: SecKey.self),
        let parametersObject = unsafe Taken.required(parameters, as: NSDictionary.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecKeyCopyKeyExchangeResult(privateKeyObject, SecKeyAlgorithm(rawValue: algorithmObject), publicKeyObject, parametersObject, $0)
    }
}

/// Signs a digest.
@_cdecl("SecKeyRawSign")
public func interfaceSecKeyRawSign(
    _ key: UnsafeRawPointer?, _ padding: UInt32, _ dataToSign: UnsafePointer<UInt8>?, _ dataToSignLen: Int, _ sig: UnsafeMutablePointer<UInt8>?, _ sigLen: UnsafeMutablePointer<Int>?
) -> Int32 {
    guard let keyObject = unsafe Taken.required(key, as: SecKey.self),
        let dataToSign = unsafe takenBytes(dataToSign, dataToSignLen),
        let sig = unsafe sig,
        let sigLen = unsafe sigLen
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecKeyRawSign(keyObject, SecPadding(rawValue: padding), dataToSign, dataToSignLen, sig, sigLen)
}

/// Verifies a signature of a digest.
@_cdecl("SecKeyRawVerify")
public func interfaceSecKeyRawVerify(
    _ key: UnsafeRawPointer?, _ padding: UInt32, _ signedData: UnsafePointer<UInt8>?, _ signedDataLen: Int, _ sig: UnsafePointer<UInt8>?, _ sigLen: Int
) -> Int32 {
    guard let keyObject = unsafe Taken.required(key, as: SecKey.self),
        let signedData = unsafe takenBytes(signedData, signedDataLen),
        let sig = unsafe takenBytes(sig, sigLen)
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecKeyRawVerify(keyObject, SecPadding(rawValue: padding), signedData, signedDataLen, sig, sigLen)
}

/// Encrypts a block.
@_cdecl("SecKeyEncrypt")
public func interfaceSecKeyEncrypt(
    _ key: UnsafeRawPointer?, _ padding: UInt32, _ plainText: UnsafePointer<UInt8>?, _ plainTextLen: Int, _ cipherText: UnsafeMutablePointer<UInt8>?, _ cipherTextLen: UnsafeMutablePointer<Int>?
) -> Int32 {
    guard let keyObject = unsafe Taken.required(key, as: SecKey.self),
        let plainText = unsafe takenBytes(plainText, plainTextLen),
        let cipherText = unsafe cipherText,
        let cipherTextLen = unsafe cipherTextLen
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecKeyEncrypt(keyObject, SecPadding(rawValue: padding), plainText, plainTextLen, cipherText, cipherTextLen)
}

/// Decrypts a block.
@_cdecl("SecKeyDecrypt")
public func interfaceSecKeyDecrypt(
    _ key: UnsafeRawPointer?, _ padding: UInt32, _ cipherText: UnsafePointer<UInt8>?, _ cipherTextLen: Int, _ plainText: UnsafeMutablePointer<UInt8>?, _ plainTextLen: UnsafeMutablePointer<Int>?
) -> Int32 {
    guard let keyObject = unsafe Taken.required(key, as: SecKey.self),
        let cipherText = unsafe takenBytes(cipherText, cipherTextLen),
        let plainText = unsafe plainText,
        let plainTextLen = unsafe plainTextLen
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecKeyDecrypt(keyObject, SecPadding(rawValue: padding), cipherText, cipherTextLen, plainText, plainTextLen)
}

/// Makes a random symmetric key.
@_cdecl("SecKeyGenerateSymmetric")
public func interfaceSecKeyGenerateSymmetric(
    _ parameters: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let parametersObject = unsafe Taken.required(parameters, as: NSDictionary.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecKeyGenerateSymmetric(parametersObject, $0)
    }
}

/// Makes a symmetric key from its bytes.
@_cdecl("SecKeyCreateFromData")
public func interfaceSecKeyCreateFromData(
    _ parameters: UnsafeRawPointer?, _ keyData: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let parametersObject = unsafe Taken.required(parameters, as: NSDictionary.self),
        let keyDataObject = unsafe Taken.required(keyData, as: NSData.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecKeyCreateFromData(parametersObject, keyDataObject, $0)
    }
}

/// Derives a symmetric key from a password, with PBKDF2 (RFC 8018 §5.2).
@_cdecl("SecKeyDeriveFromPassword")
public func interfaceSecKeyDeriveFromPassword(
    _ password: UnsafeRawPointer?, _ parameters: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let passwordObject = unsafe Taken.required(password, as: NSString.self),
        let parametersObject = unsafe Taken.required(parameters, as: NSDictionary.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecKeyDeriveFromPassword(passwordObject, parametersObject, $0)
    }
}

/// Wraps a symmetric key under another, as RFC 3394 does.
@_cdecl("SecKeyWrapSymmetric")
public func interfaceSecKeyWrapSymmetric(
    _ keyToWrap: UnsafeRawPointer?, _ wrappingKey: UnsafeRawPointer?, _ parameters: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let keyToWrapObject = unsafe Taken.required(keyToWrap, as: SecKey.self),
        let wrappingKeyObject = unsafe Taken.required(wrappingKey, as: SecKey.self),
        let parametersObject = unsafe Taken.required(parameters, as: NSDictionary.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecKeyWrapSymmetric(keyToWrapObject, wrappingKeyObject, parametersObject, $0)
    }
}

/// Unwraps what ``SecKeyWrapSymmetric(_:_:_:_:)`` returned.
@_cdecl("SecKeyUnwrapSymmetric")
public func interfaceSecKeyUnwrapSymmetric(
    _ keyToUnwrap: ObjectSlot?, _ unwrappingKey: UnsafeRawPointer?, _ parameters: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let keyToUnwrapObject = unsafe Taken.required(keyToUnwrap?.pointee, as: NSData.self),
        let unwrappingKeyObject = unsafe Taken.required(unwrappingKey, as: SecKey.self),
        let parametersObject = unsafe Taken.required(parameters, as: NSDictionary.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        var wrapped: Unmanaged<CFData>? = unsafe Unmanaged.passUnretained(keyToUnwrapObject)
        return unsafe LlaveroSecurity.SecKeyUnwrapSymmetric(&wrapped, unwrappingKeyObject, parametersObject, $0)
    }
}
