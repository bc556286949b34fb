// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import SecretBytes
import TranscodingWire

/// Reads the identities of a PKCS #12 file.
///
/// They are stored only where `kSecUseDataProtectionKeychain` is true and `kSecImportToMemoryOnly`
/// isn't: all of them, or none.
/// - Parameters:
///   - pkcs12_data: The file.
///   - options: `kSecImportExportPassphrase`: text or data; without it, the empty one is tried.
///   - items: Set to an array with a dictionary for each private key that has its certificate, in the
///     order of the file: `kSecImportItemIdentity`, `kSecImportItemTrust` (evaluated by the basic
///     policy), `kSecImportItemCertChain`, `kSecImportItemLabel`, `kSecImportItemKeyID` (the SHA-1
///     digest of the public key). Left alone when the call fails.
/// - Returns: `errSecSuccess`; `errSecAuthFailed` for a passphrase that is missing or wrong;
///   `errSecDecode` for data that isn't PKCS #12, and for a file whose key derivation takes more than
///   10⁷ rounds; `errSecUnsupportedFormat` for an algorithm that isn't supported;
///   `errSecDuplicateItem` when an identity is stored already; `errSecNotAvailable` when no service
///   answers.
@discardableResult
public func SecPKCS12Import(
    _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    let given = options.object(forKey: kSecImportExportPassphrase)
    let passphrase = Secret(passphrase: given)
    guard given == nil || passphrase != nil else { return errSecParam }
    do throws(ImportExportFailure) {
        let file = try ImportedFile(
            TranscodingRequest.Reading(
                Secret(copying: pkcs12_data), format: .pkcs12, passphrase: passphrase))
        let found = file.identities
        if storesIdentities(options) { try store(found) }
        unsafe items.pointee =
            NSArray(array: found.map { dictionary(of: $0, in: file) })
        return errSecSuccess
    } catch {
        switch error.status {
        case errSecPassphraseRequired, errSecPkcs12VerifyFailure: return errSecAuthFailed
        case errSecUnknownFormat: return errSecDecode
        default: return error.status
        }
    }
}

private func storesIdentities(_ options: CFDictionary) -> Bool {
    func isTrue(_ key: CFString) -> Bool {
        (options.object(forKey: key) as? NSNumber)?.boolValue ?? false
    }
    return isTrue(kSecUseDataProtectionKeychain) && !isTrue(kSecImportToMemoryOnly)
}

private func dictionary(of entry: ImportedFile.Identity, in file: ImportedFile) -> NSDictionary {
    let leaf = entry.identity.certificate
    let chain = file.chain(of: leaf)
    let result = NSMutableDictionary()
    result.setObject(entry.identity, forKey: kSecImportItemIdentity as String)
    result.setObject(NSArray(array: chain), forKey: kSecImportItemCertChain as String)
    result.setObject(
        NSData(data: Data(leaf.fields.publicKeyHash)), forKey: kSecImportItemKeyID as String)
    if let label = entry.label ?? leaf.summaryLabel {
        result.setObject(NSString(string: label), forKey: kSecImportItemLabel as String)
    }
    let trust = SecTrust(chain, [SecPolicyCreateBasicX509()])
    // The result is in the object; a refusal is one, too.
    var kind = SecTrustResultType.invalid
    _ = unsafe SecTrustEvaluate(trust, &kind)
    result.setObject(trust, forKey: kSecImportItemTrust as String)
    return result
}

/// Stores identities: all of them, or none.
private func store(_ identities: [ImportedFile.Identity]) throws(ImportExportFailure) {
    var stored: [NSObject] = []
    for entry in identities {
        let item: [String: Any] = [
            kSecValueRef as String: entry.identity,
            kSecAttrLabel as String: entry.label ?? entry.identity.certificate.summaryLabel ?? "",
            kSecUseDataProtectionKeychain as String: true,
            kSecReturnPersistentRef as String: true,
        ]
        var reference: CFTypeRef?
        let status = unsafe SecItemAdd(item as NSDictionary, &reference)
        guard status == errSecSuccess else {
            for reference in stored {
                SecItemDelete([kSecValuePersistentRef as String: reference] as NSDictionary)
            }
            throw ImportExportFailure(status)
        }
        if let reference = reference as? NSObject { stored.append(reference) }
    }
}
