// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Dispatch
public import Foundation

// The other key functions of macOS: pairs on a queue, and CDSA, which isn't there.

/// Receives a key pair, or the reason why there is none.
public typealias SecKeyGeneratePairBlock = (SecKey?, SecKey?, CFError?) -> Void

/// Makes a key pair, and passes it to a block.
///
/// The queue makes the pair and then calls the block once: with both halves, or with the error that
/// ``SecKeyGeneratePair(_:_:_:)`` would return.
/// - Parameters:
///   - parameters: As there; changes after the call have no effect.
///   - deliveryQueue: The queue.
///   - result: The block.
public func SecKeyGeneratePairAsync(
    _ parameters: CFDictionary, _ deliveryQueue: DispatchQueue,
    _ result: @escaping SecKeyGeneratePairBlock
) {
    // A copy, so that the queue reads what nobody changes.
    let copy = parameters.copy() as? NSDictionary ?? parameters
    let block = UncheckedBlock { () -> Void in
        var (publicKey, privateKey): (SecKey?, SecKey?)
        let status = unsafe SecKeyGeneratePair(copy, &publicKey, &privateKey)
        result(publicKey, privateKey, status == errSecSuccess ? nil : error(status))
    }
    deliveryQueue.async { block.run() }
}

/// A block that its maker passes to another queue, as the function's signature requires.
private struct UncheckedBlock: @unchecked Sendable {
    let run: () -> Void

    init(_ run: @escaping () -> Void) { self.run = run }
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
