// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import SecurityWire
import TestSupport
import Testing

/// Checks the table of the types of results' values (Tests/Vectors/result-types.tsv), in Swift. A
/// program in C checks all results against the table (Tests/Programs/CInterface/resulttypes.c).
@Suite struct ResultTypeTests {
    private struct Row {
        let dictionary: Substring
        let key: String
        let types: Set<Substring>
    }

    private static func table() throws -> [Row] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Vectors/result-types.tsv")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .map { line in
                let fields = line.split(separator: "\t")
                try #require(fields.count == 5, "\(line)")
                return Row(
                    dictionary: fields[0], key: String(fields[1]),
                    types: Set(fields[3].split(separator: ",")))
            }
    }

    private static func typeName(_ object: AnyObject) -> Substring? {
        let names: [CFTypeID: Substring] = [
            CFStringGetTypeID(): "text", CFDataGetTypeID(): "data", CFNumberGetTypeID(): "number",
            CFBooleanGetTypeID(): "boolean", CFDateGetTypeID(): "date",
            CFArrayGetTypeID(): "array", SecKeyGetTypeID(): "key",
            SecKeychainItemGetTypeID(): "keychain-item",
            SecAccessControlGetTypeID(): "access-control",
        ]
        return names[CFGetTypeID(object)]
    }

    /// Each value of a dictionary has a type that the table allows for it.
    private func check(_ dictionary: NSDictionary?, _ kind: Substring) throws {
        let dictionary = try #require(dictionary)
        let rows = try Self.table().filter { $0.dictionary == kind }
        #expect(dictionary.count > 0)
        for key in dictionary.allKeys {
            let name = try #require(key as? String)
            let types = rows.filter { $0.key == name }.map(\.types)
            #expect(!types.isEmpty, "\(name) isn't in the table")
            let value = try #require(dictionary.object(forKey: name)) as AnyObject
            let type = try #require(Self.typeName(value), "\(name)")
            #expect(types.contains { $0.contains(type) }, "\(name): \(type)")
        }
    }

    @Test func theTableHasEveryAttributeThatIsShown() throws {
        let known = Set(try Self.table().filter { $0.dictionary == "item" }.map(\.key))
        for attribute in Attribute.allCases where attribute != .uuid {
            #expect(known.contains(attribute.rawValue), "\(attribute)")
        }
        #expect(!known.contains("UUID") && !known.contains("persistref"))
    }

    @Test(arguments: CertificateVector.names.filter { CertificateVector.keyType($0) != nil })
    func theValuesOfAKeysAttributesHaveApplesTypes(_ name: String) throws {
        let key = try CertificateVector.privateKey(name)
        try check(SecKeyCopyAttributes(key), "key")
        try check(SecKeyCopyAttributes(try #require(SecKeyCopyPublicKey(key))), "key")
    }

    @Test func symmetricKeysHaveTheSameTypes() throws {
        let key = try #require(
            makeKey(Data(0..<32), kSecAttrKeyTypeAES, kSecAttrKeyClassSymmetric))
        try check(SecKeyCopyAttributes(key), "key")
    }

    /// For the key's object the flags are truth values, and for its stored item numbers. The
    /// object's own attributes are accepted as those of the item.
    @Test func flagsAreTruthValuesOfAKeyAndNumbersOfAnItem() throws {
        _ = try EphemeralKeychain.shared.get()
        let tag = Data("flags of a key".utf8)
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256,
            kSecAttrIsPermanent: true, kSecAttrApplicationTag: tag, kSecAttrCanDerive: false,
        ]
        let made = SecKeyCreateRandomKey(parameters as CFDictionary, nil)
        let key = try #require(made)
        let own = try #require(SecKeyCopyAttributes(key))
        #expect(own[kSecAttrCanSign] as? Bool == true)
        #expect(own[kSecAttrCanEncrypt] as? Bool == false)
        let query: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecAttrApplicationTag: tag,
            kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecReturnAttributes: true,
        ]
        var found: CFTypeRef?
        #expect(unsafe SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess)
        let stored = try #require(found as? NSDictionary)
        try check(stored, "item")
        for (flag, number) in [
            (kSecAttrCanSign, 1), (kSecAttrCanDerive, 0), (kSecAttrIsPermanent, 1),
        ] {
            let value = try #require(stored.object(forKey: flag)) as AnyObject
            #expect(CFGetTypeID(value) == CFNumberGetTypeID())
            #expect(value as? Int == number)
        }
        #expect(
            SecItemDelete([kSecClass: kSecClassKey, kSecAttrApplicationTag: tag] as CFDictionary)
                == errSecSuccess)
    }

    @Test func theValuesOfAPolicysPropertiesHaveApplesTypes() throws {
        try check(SecPolicyCopyProperties(SecPolicyCreateBasicX509()), "policy")
        try check(SecPolicyCopyProperties(SecPolicyCreateSSL(false, "example.com")), "policy")
        let revocation = SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod)
        try check(SecPolicyCopyProperties(try #require(revocation)), "policy")
        let signing = SecPolicyCreateWithProperties(
            kSecPolicyAppleIDValidation,
            [kSecPolicyTeamIdentifier: "TEAM", kSecPolicyClient: 1] as CFDictionary)
        try check(SecPolicyCopyProperties(try #require(signing)), "policy")
    }

    @Test func anErrorsInformationIsText() throws {
        var error: Unmanaged<CFError>?
        unsafe #expect(SecKeyCreateRandomKey([:] as CFDictionary, &error) == nil)
        let made = unsafe error?.takeRetainedValue()
        let reason = try #require(made)
        try check(CFErrorCopyUserInfo(reason), "error")
    }
}
