// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Dispatch
public import Foundation

// The other key functions of macOS: symmetric keys as objects, and CDSA. None is implemented, and
// all return an error.

/// Receives a key pair, or the reason why there is none.
public typealias SecKeyGeneratePairBlock = (SecKey?, SecKey?, CFError?) -> Void

/// Makes a key pair and passes it to a block.
///
/// The queue calls the block with an error, `errSecUnimplemented`: call
/// ``SecKeyCreateRandomKey(_:_:)`` on your own queue instead.
public func SecKeyGeneratePairAsync(
    _ parameters: CFDictionary, _ deliveryQueue: DispatchQueue,
    _ result: @escaping SecKeyGeneratePairBlock
) {
    let block = UncheckedBlock(result)
    deliveryQueue.async { block.run(nil, nil, error(errSecUnimplemented)) }
}

/// A block that its maker passes to another queue, as the function's signature requires.
private struct UncheckedBlock: @unchecked Sendable {
    let run: SecKeyGeneratePairBlock

    init(_ run: @escaping SecKeyGeneratePairBlock) { self.run = run }
}

/// Makes a symmetric key from its bytes.
/// - Returns: Nil, with the error `errSecUnimplemented`; ``SecKeyCreateWithData(_:_:_:)`` makes one.
public func SecKeyCreateFromData(
    _ parameters: CFDictionary, _ keyData: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe refused(error, errSecUnimplemented)
}

/// Makes a random symmetric key.
/// - Returns: Nil, with the error `errSecUnimplemented`.
public func SecKeyGenerateSymmetric(
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe refused(error, errSecUnimplemented)
}

/// Derives a symmetric key from a password.
/// - Returns: Nil, with the error `errSecUnimplemented`.
public func SecKeyDeriveFromPassword(
    _ password: CFString, _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe refused(error, errSecUnimplemented)
}

/// Wraps a symmetric key under another.
/// - Returns: Nil, with the error `errSecUnimplemented`.
public func SecKeyWrapSymmetric(
    _ keyToWrap: SecKey, _ wrappingKey: SecKey, _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe refused(error, errSecUnimplemented)
}

/// Unwraps a symmetric key.
/// - Returns: Nil, with the error `errSecUnimplemented`.
public func SecKeyUnwrapSymmetric(
    _ keyToUnwrap: UnsafeMutablePointer<Unmanaged<CFData>?>, _ unwrappingKey: SecKey,
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe refused(error, errSecUnimplemented)
}

// MARK: - CDSA

/// Makes a key pair with CDSA.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecKeyCreatePair(
    _ keychainRef: SecKeychain?, _ algorithm: CSSM_ALGORITHMS, _ keySizeInBits: UInt32,
    _ contextHandle: CSSM_CC_HANDLE, _ publicKeyUsage: CSSM_KEYUSE, _ publicKeyAttr: UInt32,
    _ privateKeyUsage: CSSM_KEYUSE, _ privateKeyAttr: UInt32, _ initialAccess: SecAccess?,
    _ publicKey: UnsafeMutablePointer<SecKey?>?, _ privateKey: UnsafeMutablePointer<SecKey?>?
) -> OSStatus {
    errSecUnimplemented
}

/// Makes a symmetric key with CDSA.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecKeyGenerate(
    _ keychainRef: SecKeychain?, _ algorithm: CSSM_ALGORITHMS, _ keySizeInBits: UInt32,
    _ contextHandle: CSSM_CC_HANDLE, _ keyUsage: CSSM_KEYUSE, _ keyAttr: UInt32,
    _ initialAccess: SecAccess?, _ keyRef: UnsafeMutablePointer<SecKey?>?
) -> OSStatus {
    errSecUnimplemented
}

/// A key in CDSA's form.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecKeyGetCSSMKey(
    _ key: SecKey, _ cssmKey: UnsafeMutablePointer<CSSM_KEY?>
) -> OSStatus {
    errSecUnimplemented
}

/// The CDSA module of a key.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecKeyGetCSPHandle(
    _ keyRef: SecKey, _ cspHandle: UnsafeMutablePointer<CSSM_CSP_HANDLE>
) -> OSStatus {
    errSecUnimplemented
}

/// Credentials for a key, for CDSA.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecKeyGetCredentials(
    _ keyRef: SecKey, _ operation: CSSM_ACL_AUTHORIZATION_TAG,
    _ credentialType: SecCredentialType,
    _ outCredentials: UnsafeMutablePointer<CSSM_ACCESS_CREDENTIALS?>
) -> OSStatus {
    errSecUnimplemented
}
