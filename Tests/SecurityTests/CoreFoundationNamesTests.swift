// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

private final class Plain {}

@Suite struct CoreFoundationNamesTests {
    @Test func typeIdentifiersTellTruthValuesFromNumbers() {
        #expect(CFGetTypeID(kCFBooleanTrue) == CFBooleanGetTypeID())
        #expect(CFGetTypeID(true as NSNumber) == CFBooleanGetTypeID())
        #expect(CFGetTypeID(1 as NSNumber) == CFNumberGetTypeID())
        #expect(CFBooleanGetTypeID() != CFNumberGetTypeID())
    }

    @Test func typeIdentifiersOfFoundationObjectsAreThoseOfCoreFoundation() {
        #expect(CFGetTypeID("a" as NSString) == CFStringGetTypeID())
        #expect(CFGetTypeID(NSMutableString(string: "a")) == CFStringGetTypeID())
        #expect(CFGetTypeID(Data([1]) as NSData) == CFDataGetTypeID())
        #expect(CFGetTypeID([:] as NSDictionary) == CFDictionaryGetTypeID())
        #expect(CFGetTypeID([] as NSArray) == CFArrayGetTypeID())
        #expect(CFGetTypeID(NSDate()) == CFDateGetTypeID())
        #expect(CFGetTypeID(NSNull()) == CFNullGetTypeID())
    }

    @Test func anObjectOfNoKnownTypeDoesNotTrap() {
        #expect(CFGetTypeID(Plain()) != CFStringGetTypeID())
        #expect(CFGetTypeID(nil) != CFStringGetTypeID())
        let plain = Plain()
        #expect(CFEqual(plain, plain))
        #expect(!CFEqual(plain, Plain()))
        #expect(CFHash(plain) == CFHash(plain))
    }

    @Test func equalObjectsAreEqualAndHashAlike() {
        #expect(CFEqual("a" as NSString, NSMutableString(string: "a")))
        #expect(!CFEqual("a" as NSString, 1 as NSNumber))
        #expect(CFHash("abc" as NSString) == CFHash("abc" as NSString))
    }

    @Test func dictionariesWithAnyHashableKeysAreLookedUpByConstants() {
        let byString: [AnyHashable: Any] = ["acct": "me"]
        #expect(byString[kSecAttrAccount] as? String == "me")
        let byConstant: [AnyHashable: Any] = [kSecAttrAccount: "me"]
        #expect(byConstant["acct"] as? String == "me")
        #expect(AnyHashable(kSecAttrAccount) == AnyHashable("acct"))
        #expect(AnyHashable("acct").hashValue == AnyHashable(kSecAttrAccount).hashValue)
    }

    @Test func mutableDictionariesTakeValuesTheOldWays() {
        let query = NSMutableDictionary()
        query.setValue("me", forKey: kSecAttrAccount as String)
        query.setObject("there", forKey: kSecAttrService)
        query[kSecReturnData] = kCFBooleanTrue
        #expect(query.object(forKey: kSecAttrAccount) as? String == "me")
        #expect(query.object(forKey: "svce") as? String == "there")
        query.setValue(nil, forKey: "acct")
        #expect(query.count == 2)
    }

    @Test func constantsFitTheCastsOfAppleSideCode() {
        let mixed: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecReturnData: true]
        #expect((mixed as CFDictionary).count == 2)
        let strings: [String: AnyObject] = [kSecClass as String: kSecClassGenericPassword]
        #expect((strings as CFDictionary).count == 1)
        let flag: CFBoolean = kCFBooleanTrue
        #expect(CFBooleanGetValue(flag))
        let sized = CFDictionaryCreateMutable(kCFAllocatorDefault, 0, nil, nil)
        #expect(CFDictionaryGetCount(sized) == 0)
        #expect(CFStringGetLength(kSecClass) == 5)
    }
}
