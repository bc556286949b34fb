// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// Calls as in two widespread wrappers, KeychainAccess and Valet.
@Suite struct ClientPatternTests {
    /// A query with Apple's constants, as an application writes it.
    private static func query(_ entries: [CFString: Any]) -> NSDictionary {
        let query = NSMutableDictionary()
        for (key, value) in entries { query[key] = value }
        return query
    }

    private static func merged(_ query: NSDictionary, _ more: [CFString: Any]) -> NSDictionary {
        let merged = mutable(query)
        for (key, value) in more { merged[key] = value }
        return merged
    }

    /// KeychainAccess's base query.
    private static var simple: NSDictionary {
        query([
            kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.app",
            kSecAttrSynchronizable: kSecAttrSynchronizableAny,
        ])
    }

    /// Valet's base query.
    private static var valet: NSDictionary {
        query([
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: "VAL_VValet_AccessibleWhenUnlocked",
            kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked,
            kSecUseDataProtectionKeychain: true,
        ])
    }

    // MARK: - KeychainAccess

    @Test(arguments: KeychainKind.allCases)
    func setAsksForExistenceThenAddsOrUpdates(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let item = Self.merged(Self.simple, [kSecAttrAccount: "token"])
            let existence = Self.merged(
                item, [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail])
            #expect(unsafe keychain.calls.copyMatching(existence, nil) == errSecItemNotFound)
            let new = Self.merged(
                item,
                [
                    kSecValueData: bytes("first"), kSecAttrSynchronizable: false,
                    kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
                ])
            #expect(unsafe keychain.calls.add(new, nil) == errSecSuccess)
            #expect(unsafe keychain.calls.copyMatching(existence, nil) == errSecSuccess)
            let changes = Self.query([
                kSecValueData: bytes("second"),
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
                kSecAttrSynchronizable: false,
            ])
            #expect(keychain.calls.update(item, changes) == errSecSuccess)
            let data = Self.merged(
                item, [kSecMatchLimit: kSecMatchLimitOne, kSecReturnData: true])
            #expect(keychain.copy(data).data == bytes("second"))
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func getAsksForAllFourReturnsAndExpectsADictionary(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let item = Self.query([
                kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.app",
                kSecAttrAccount: "token", kSecValueData: bytes("value"), kSecAttrLabel: "label",
            ])
            #expect(keychain.added(item).status == errSecSuccess)
            let all = Self.merged(
                Self.simple,
                [
                    kSecAttrAccount: "token", kSecMatchLimit: kSecMatchLimitOne,
                    kSecReturnAttributes: true, kSecReturnData: true, kSecReturnRef: true,
                    kSecReturnPersistentRef: true,
                ])
            let found = try #require(keychain.copy(all).dictionary)
            #expect(found[kSecValueData as String] as? Data == bytes("value"))
            #expect(found[kSecAttrLabel as String] as? String == "label")
            #expect(found[kSecAttrAccount as String] as? String == "token")
            #expect(found[kSecClass as String] as? String == kSecClassGenericPassword as String)
            #expect((found[kSecValuePersistentRef as String] as? Data)?.count == 20)
            #expect(found[kSecAttrSynchronizable as String] as? Bool == false)
            #expect(found[kSecAttrCreationDate as String] is Date)
            #expect(found[kSecValueRef as String] == nil)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aLockedItemCountsAsExisting(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try keychain.setPasscode()
            let item = Self.merged(Self.simple, [kSecAttrAccount: "token"])
            let new = Self.merged(item, [kSecAttrSynchronizable: false])
            #expect(keychain.added(new).status == errSecSuccess)
            try keychain.lock()
            #expect(unsafe keychain.calls.copyMatching(item, nil) == errSecInteractionNotAllowed)
            let other = Self.merged(Self.simple, [kSecAttrAccount: "other"])
            #expect(unsafe keychain.calls.copyMatching(other, nil) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func removeAllTakesTheBaseQueryWithAndWithoutALimit(_ kind: KeychainKind) throws {
        for limit in [[:], [kSecMatchLimit: kSecMatchLimitAll]] as [[CFString: Any]] {
            try ConformanceKeychain.run(kind) { keychain in
                for (number, isSynchronizable) in [false, true].enumerated() {
                    let new = Self.merged(
                        Self.simple,
                        [
                            kSecAttrAccount: "\(number)", kSecAttrSynchronizable: isSynchronizable,
                        ])
                    #expect(keychain.added(new).status == errSecSuccess)
                }
                #expect(keychain.add(["class": "genp", "svce": "other"]) == errSecSuccess)
                let all = Self.merged(Self.simple, limit)
                #expect(keychain.calls.delete(all) == errSecSuccess)
                #expect(keychain.itemCount == 1)
                #expect(keychain.calls.delete(all) == errSecItemNotFound)
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func allItemsAreListedWithAttributesAndData(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let all = Self.merged(
                Self.simple,
                [
                    kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
                    kSecReturnData: true,
                ])
            #expect(keychain.copy(all).status == errSecItemNotFound)
            for number in 0..<3 {
                let new = Self.merged(
                    Self.simple,
                    [
                        kSecAttrAccount: "\(number)", kSecValueData: bytes("\(number)"),
                        kSecAttrSynchronizable: number == 2,
                    ])
                #expect(keychain.added(new).status == errSecSuccess)
            }
            let found = try #require(keychain.copy(all).object as? [[String: Any]])
            #expect(Set(found.compactMap { $0["acct"] as? String }) == ["0", "1", "2"])
            #expect(
                found.allSatisfy { $0["v_Data"] as? Data == bytes($0["acct"] as? String ?? "") })
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func internetPasswordsAreKeptByServerAndProtocol(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let item = Self.query([
                kSecClass: kSecClassInternetPassword, kSecAttrServer: "api.example.com",
                kSecAttrPort: 443, kSecAttrProtocol: kSecAttrProtocolHTTPS,
                kSecAttrAuthenticationType: kSecAttrAuthenticationTypeDefault,
                kSecAttrAccount: "me",
            ])
            let new = Self.merged(item, [kSecValueData: bytes("value")])
            #expect(keychain.added(new).status == errSecSuccess)
            let all = Self.merged(item, [kSecReturnData: true, kSecReturnAttributes: true])
            let found = try #require(keychain.copy(all).dictionary)
            let name = found[kSecAttrProtocol as String] as? String
            #expect(name == kSecAttrProtocolHTTPS as String)
            #expect(found[kSecAttrPort as String] as? Int == 443)
            #expect(found[kSecValueData as String] as? Data == bytes("value"))
        }
    }

    // MARK: - Valet

    @Test(arguments: KeychainKind.allCases)
    func anAccessibilityInTheQueryIsAFilter(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let item = Self.merged(Self.valet, [kSecAttrAccount: "key"])
            let new = Self.merged(item, [kSecValueData: bytes("value")])
            #expect(keychain.added(new).status == errSecSuccess)
            let data = Self.merged(item, [kSecReturnData: true])
            #expect(keychain.copy(data).data == bytes("value"))
            let other = Self.merged(
                data, [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock])
            #expect(keychain.copy(other).status == errSecItemNotFound)
            #expect(keychain.calls.delete(other) == errSecItemNotFound)
            #expect(keychain.calls.delete(item) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func theKeychainIsTriedByWritingReadingAndDeletingAProbe(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for _ in 0..<2 {
                let probe = Self.merged(Self.valet, [kSecAttrAccount: "VAL_KeychainCanaryUsername"])
                let read = Self.merged(probe, [kSecReturnData: true])
                #expect(keychain.copy(read).status == errSecItemNotFound)
                let new = Self.merged(probe, [kSecValueData: bytes("VAL_KeychainCanaryPassword")])
                #expect(keychain.added(new).status == errSecSuccess)
                #expect(keychain.copy(read).data == bytes("VAL_KeychainCanaryPassword"))
                #expect(keychain.calls.delete(probe) == errSecSuccess)
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func existenceIsSuccessWithoutAResult(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let item = Self.merged(Self.valet, [kSecAttrAccount: "key"])
            #expect(keychain.copy(item).status == errSecItemNotFound)
            #expect(keychain.added(item).status == errSecSuccess)
            let answer = keychain.copy(item)
            #expect(answer.status == errSecSuccess)
            #expect(answer.object == nil)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func allKeysAreOfOneOrSeveralItems(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let all = Self.merged(
                Self.valet, [kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true])
            for count in 1...2 {
                let new = Self.merged(Self.valet, [kSecAttrAccount: "\(count)"])
                #expect(keychain.added(new).status == errSecSuccess)
                let found = try #require(keychain.copy(all).object as? [[String: Any]])
                #expect(found.count == count)
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func migrationReadsEachItemByItsPersistentReference(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for number in 0..<3 {
                let new = Self.merged(
                    Self.valet, [kSecAttrAccount: "\(number)", kSecValueData: bytes("\(number)")])
                #expect(keychain.added(new).status == errSecSuccess)
            }
            let list = Self.merged(
                Self.valet,
                [
                    kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
                    kSecReturnPersistentRef: true,
                ])
            let found = try #require(keychain.copy(list).dictionaries)
            #expect(found.count == 3)
            for entry in found {
                let reference = try #require(entry["v_PersistentRef"] as? Data)
                let query = Self.query([
                    kSecValuePersistentRef: reference, kSecReturnData: true,
                    kSecUseDataProtectionKeychain: true,
                ])
                let name = try #require(entry["acct"] as? String)
                #expect(keychain.copy(query).data == bytes(name))
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aDuplicateIsUpdatedInstead(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let item = Self.merged(Self.valet, [kSecAttrAccount: "key"])
            for value in ["first", "second"] {
                let new = Self.merged(item, [kSecValueData: bytes(value)])
                if keychain.added(new).status == errSecDuplicateItem {
                    let changes = Self.query([kSecValueData: bytes(value)])
                    #expect(keychain.calls.update(item, changes) == errSecSuccess)
                }
            }
            #expect(
                keychain.copy(Self.merged(item, [kSecReturnData: true])).data == bytes("second"))
        }
    }
}
