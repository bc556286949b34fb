// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

// Signs with a key that never leaves the enclave, as an application for Apple's platforms would.
//
//     signer make NAME          makes a key that is usable after the first unlock, on this device alone
//     signer sign NAME TEXT     shows the signature, once it is checked with the public half
//     signer public NAME        shows the public half, 65 bytes
//     signer remove NAME        removes the key; nothing can bring it back

func end(_ status: OSStatus) -> Never {
    guard status != errSecSuccess else { exit(0) }
    let text = SecCopyErrorMessageString(status, nil).map { $0 as String } ?? "unknown"
    FileHandle.standardError.write(Data("signer: \(text) (\(status))\n".utf8))
    exit(1)
}

func end(_ error: Unmanaged<CFError>?) -> Never {
    end(error.map { OSStatus(CFErrorGetCode($0.takeRetainedValue())) } ?? errSecInternalError)
}

func query(_ name: String) -> [CFString: Any] {
    [kSecClass: kSecClassKey, kSecAttrApplicationTag: Data("signer.\(name)".utf8)]
}

func make(_ name: String) {
    var error: Unmanaged<CFError>?
    guard
        let control = SecAccessControlCreateWithFlags(
            nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, .privateKeyUsage, &error)
    else { end(error) }
    guard SecItemCopyMatching(query(name) as CFDictionary, nil) == errSecItemNotFound else {
        end(errSecDuplicateItem)
    }
    let own: [CFString: Any] = [
        kSecAttrIsPermanent: true, kSecAttrAccessControl: control,
        kSecAttrApplicationTag: Data("signer.\(name)".utf8), kSecAttrLabel: name,
    ]
    let parameters: [CFString: Any] = [
        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
        kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecPrivateKeyAttrs: own,
    ]
    guard SecKeyCreateRandomKey(parameters as CFDictionary, &error) != nil else { end(error) }
}

/// The key, by the persistent reference that a program stored earlier.
func find(_ name: String) -> (key: SecKey, publicKey: SecKey) {
    var wanted = query(name)
    wanted[kSecReturnPersistentRef] = true
    var result: CFTypeRef?
    var status = SecItemCopyMatching(wanted as CFDictionary, &result)
    guard status == errSecSuccess, let reference = result as? Data else { end(status) }
    let byReference: [CFString: Any] = [kSecValuePersistentRef: reference, kSecReturnRef: true]
    status = SecItemCopyMatching(byReference as CFDictionary, &result)
    guard status == errSecSuccess, let found = result else { end(status) }
    // swift-format-ignore: NeverForceUnwrap
    let key = found as! SecKey
    guard let publicKey = SecKeyCopyPublicKey(key) else { end(errSecInternalError) }
    return (key, publicKey)
}

func sign(_ text: String, _ name: String) -> String {
    let (key, publicKey) = find(name)
    let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256
    let message = Data(text.utf8) as CFData
    var error: Unmanaged<CFError>?
    guard let signature = SecKeyCreateSignature(key, algorithm, message, &error) else { end(error) }
    guard SecKeyVerifySignature(publicKey, algorithm, message, signature, &error) else {
        end(error)
    }
    return (signature as Data).base64EncodedString()
}

let words = Array(CommandLine.arguments.dropFirst())
var error: Unmanaged<CFError>?
switch (words.first, words.count) {
case ("make", 2): make(words[1])
case ("sign", 3): print(sign(words[2], words[1]))
case ("public", 2):
    guard let bytes = SecKeyCopyExternalRepresentation(find(words[1]).publicKey, &error) else {
        end(error)
    }
    print((bytes as Data).base64EncodedString())
case ("remove", 2): end(SecItemDelete(query(words[1]) as CFDictionary))
default:
    let usage = "usage: signer make NAME | sign NAME TEXT | public NAME | remove NAME\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(2)
}
