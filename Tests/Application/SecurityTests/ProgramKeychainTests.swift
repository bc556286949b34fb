// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc
import Security
import TestSupport
import Testing

/// Keychains with passwords of their own, by the calls that programs make.
@Suite struct ProgramKeychainTests {
    @Test func eachFunctionWorks() async {
        await #expect(processExitsWith: .success) {
            try KeychainProofs.inOwnHome {
                for proof in KeychainProofs().all {
                    let works = proof.works()
                    #expect(works, "\(proof.name)")
                    if !works { exit(EXIT_FAILURE) }
                }
            }
        }
    }

    @Test func itemsAreInTheKeychainThatACallNames() async {
        await #expect(processExitsWith: .success) {
            try KeychainProofs.inOwnHome {
                let job = try #require(KeychainProofs.made("job"))
                let other = try #require(KeychainProofs.made("other"))
                try #require(Item.add([kSecUseKeychain: job]) == errSecSuccess)
                try #require(Item.add([kSecUseKeychain: job]) == errSecDuplicateItem)
                // The search list is login alone.
                try #require(Item.secret([:]) == nil)
                try #require(Item.secret([kSecMatchSearchList: [job]]) == "inside")
                try #require(Item.secret([kSecUseKeychain: job]) == "inside")
                try #require(Item.secret([kSecMatchSearchList: [other]]) == nil)
                try #require(Item.secret([kSecMatchSearchList: [other, job]]) == "inside")
                SecKeychainSetSearchList([other, job] as NSArray)
                try #require(Item.secret([:]) == "inside")
                // The data protection keychain is login.
                try #require(Item.secret([kSecUseDataProtectionKeychain: true]) == nil)
                let strict: [CFString: Any] = [
                    kSecUseDataProtectionKeychain: true, kSecUseKeychain: job,
                ]
                try #require(Item.status(strict) == errSecParam)
                try #require(Item.add(strict) == errSecParam)
                // An object and a reference find the item wherever it is.
                let object = try #require(Item.result([kSecReturnRef: true]) as? SecKeychainItem)
                let reference = try #require(
                    Item.result([kSecReturnPersistentRef: true]) as? Data)
                SecKeychainSetSearchList([other] as NSArray)
                try #require(Item.secret([:]) == nil)
                try #require(Item.secret([kSecValueRef: object]) == "inside")
                try #require(Item.secret([kSecValuePersistentRef: reference]) == "inside")
                // Changes and deletions.
                let query = Item.query([kSecMatchSearchList: [other, job]])
                try #require(
                    SecItemUpdate(query, [kSecValueData: Data("new".utf8)] as NSDictionary) == 0)
                try #require(Item.secret([kSecUseKeychain: job]) == "new")
                try #require(SecItemDelete(Item.query([:])) == errSecItemNotFound)
                try #require(SecItemDelete(query) == errSecSuccess)
                try #require(Item.secret([kSecUseKeychain: job]) == nil)
                // New items go to the default keychain.
                SecKeychainSetDefault(other)
                try #require(Item.add([:]) == errSecSuccess)
                try #require(Item.secret([kSecUseKeychain: other]) == "inside")
                try #require(Item.add([kSecUseDataProtectionKeychain: true]) == errSecSuccess)
                try #require(Item.secret([kSecUseDataProtectionKeychain: true]) == "inside")
                try #require(Item.count([kSecMatchSearchList: [other, job]]) == 1)
                let login = try #require(KeychainProofs.opened("login"))
                SecKeychainSetSearchList([other, login] as NSArray)
                try #require(Item.count([:]) == 2)
                try #require(SecKeychainDelete(other) == errSecSuccess)
                try #require(Item.count([:]) == 1)
                try #require(Item.status([kSecUseKeychain: other]) == errSecItemNotFound)
                try #require(Item.add([kSecUseKeychain: other]) == errSecNoSuchKeychain)
            }
        }
    }

    @Test func aLockedKeychainGivesAttributesAlone() async {
        await #expect(processExitsWith: .success) {
            try KeychainProofs.inOwnHome {
                let job = try #require(KeychainProofs.made("job"))
                try #require(Item.add([kSecUseKeychain: job]) == errSecSuccess)
                try #require(SecKeychainLock(job) == errSecSuccess)
                let attributes = Item.result([kSecUseKeychain: job, kSecReturnAttributes: true])
                try #require((attributes as? NSDictionary)?["acct"] as? String == "bob")
                try #require(
                    Item.status([kSecUseKeychain: job]) == errSecInteractionNotAllowed)
                SecKeychainSetUserInteractionAllowed(false)
                try #require(Item.status([kSecUseKeychain: job]) == errSecAuthFailed)
                try #require(KeychainProofs.found("svc", in: job).0 == errSecAuthFailed)
                SecKeychainSetUserInteractionAllowed(true)
                try #require(
                    unsafe SecKeychainUnlock(job, 5, "wrong", true) == errSecAuthFailed)
                try #require(unsafe SecKeychainUnlock(job, 2, "pw", true) == errSecSuccess)
                try #require(Item.secret([kSecUseKeychain: job]) == "inside")
                // A copy of the mark opens nothing; without the mark there is no keychain.
                let home = unsafe getenv("HOME").map { unsafe String(cString: $0) }
                let folder = try #require(home) + "/Library/Keychains/"
                let manager = FileManager.default
                try manager.copyItem(atPath: folder + "job-db", toPath: folder + "copy-db")
                try #require(
                    SecKeychainLock(KeychainProofs.opened("copy")) == errSecInvalidKeychain)
                try manager.removeItem(atPath: folder + "job-db")
                try #require(SecKeychainLock(job) == errSecNoSuchKeychain)
                try #require(Item.secret([kSecUseKeychain: job]) == nil)
            }
        }
    }
}

/// One password, and calls about it.
private enum Item {
    static func query(_ more: [CFString: Any]) -> NSDictionary {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "svc", kSecAttrAccount: "bob",
        ]
        return query.merging(more) { $1 } as NSDictionary
    }

    static func add(_ more: [CFString: Any]) -> OSStatus {
        SecItemAdd(query(more.merging([kSecValueData: Data("inside".utf8)]) { $1 }), nil)
    }

    static func result(_ more: [CFString: Any]) -> CFTypeRef? {
        var result: CFTypeRef?
        return unsafe SecItemCopyMatching(query(more), &result) == 0 ? result : nil
    }

    static func secret(_ more: [CFString: Any]) -> String? {
        var wanted = more
        if more[kSecValueRef] != nil || more[kSecValuePersistentRef] != nil {
            wanted[kSecReturnData] = true
            var result: CFTypeRef?
            let query = wanted.merging([kSecClass: kSecClassGenericPassword]) { $1 }
            guard unsafe SecItemCopyMatching(query as NSDictionary, &result) == 0 else {
                return nil
            }
            return (result as? Data).map { String(decoding: $0, as: UTF8.self) }
        }
        wanted[kSecReturnData] = true
        return (result(wanted) as? Data).map { String(decoding: $0, as: UTF8.self) }
    }

    static func status(_ more: [CFString: Any]) -> OSStatus {
        var result: CFTypeRef?
        let query = query(more.merging([kSecReturnData: true]) { $1 })
        return unsafe SecItemCopyMatching(query, &result)
    }

    static func count(_ more: [CFString: Any]) -> Int {
        let wanted: [CFString: Any] = [kSecMatchLimit: kSecMatchLimitAll, kSecReturnRef: true]
        return (result(more.merging(wanted) { $1 }) as? NSArray)?.count ?? 0
    }
}
