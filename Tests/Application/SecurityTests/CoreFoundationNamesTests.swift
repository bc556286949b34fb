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

    // MARK: - Pointers to objects

    /// The objects to which a test has pointers: a pointer alone doesn't keep an object alive.
    private let kept = NSMutableArray()

    private func pointer(_ object: AnyObject) -> UnsafeRawPointer {
        kept.add(object)
        return unsafe UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    }

    private func object(_ pointer: UnsafeRawPointer?) -> AnyObject? {
        unsafe pointer.map { unsafe Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() }
    }

    @Test func aDictionarysValueIsThatObjectAndStaysWhileTheDictionaryIsThere() {
        let identity = NSObject()
        let dictionary: CFDictionary =
            ["ref": identity, "text": "from Swift", kSecAttrAccount as String: 7] as CFDictionary
        let reference = unsafe object(CFDictionaryGetValue(dictionary, pointer("ref" as NSString)))
        #expect(reference === identity)
        let text = unsafe CFDictionaryGetValue(dictionary, pointer("text" as NSString))
        // The same pointer each time: the call creates no object.
        let again = unsafe CFDictionaryGetValue(dictionary, pointer("text" as NSString))
        let isTheSame = unsafe again == text
        #expect(isTheSame)
        let string = unsafe object(text) as? String
        #expect(string == "from Swift")
        let number = unsafe object(CFDictionaryGetValue(dictionary, pointer(kSecAttrAccount)))
        #expect(number as? Int == 7)
        #expect(unsafe CFDictionaryGetValue(dictionary, pointer("none" as NSString)) == nil)
        #expect(unsafe !CFDictionaryContainsKey(dictionary, pointer("none" as NSString)))
        var found: UnsafeRawPointer?
        let hasReference = unsafe CFDictionaryGetValueIfPresent(
            dictionary, pointer("ref" as NSString), &found)
        #expect(hasReference)
        let same = unsafe object(found)
        #expect(same === identity)
        unsafe found = nil
        let hasNone = unsafe CFDictionaryGetValueIfPresent(
            dictionary, pointer("none" as NSString), &found)
        let isUntouched = unsafe found == nil
        #expect(!hasNone && isUntouched)
        withExtendedLifetime(dictionary) {}
    }

    @Test func dictionariesAndArraysAreChangedThroughPointers() {
        let dictionary = CFDictionaryCreateMutable(nil, 0, nil, nil)
        unsafe CFDictionarySetValue(dictionary, pointer(kSecClass), pointer(kSecClassKey))
        unsafe CFDictionaryAddValue(dictionary, pointer(kSecClass), pointer(kSecClassIdentity))
        unsafe CFDictionaryAddValue(dictionary, pointer(kSecAttrLabel), pointer("a" as NSString))
        #expect(dictionary?[kSecClass] as? String == "keys")
        #expect(CFDictionaryGetCount(dictionary) == 2)
        let copy = CFDictionaryCreateCopy(nil, dictionary)
        let changeable = CFDictionaryCreateMutableCopy(nil, 0, dictionary)
        unsafe CFDictionaryRemoveValue(dictionary, pointer(kSecClass))
        #expect(unsafe !CFDictionaryContainsKey(dictionary, pointer(kSecClass)))
        #expect(CFDictionaryGetCount(copy) == 2)
        #expect(CFDictionaryGetCount(changeable) == 2)

        let array = CFArrayCreateMutable(nil, 0, nil)
        let first = NSObject()
        unsafe CFArrayAppendValue(array, pointer(first))
        unsafe CFArrayAppendValue(array, pointer("b" as NSString))
        #expect(unsafe object(CFArrayGetValueAtIndex(array, 0)) === first)
        #expect(unsafe object(CFArrayGetValueAtIndex(array, 1)) as? String == "b")
        #expect(unsafe CFArrayGetValueAtIndex(array, 2) == nil)
        #expect(unsafe CFArrayGetValueAtIndex(array, -1) == nil)
        let bridged = ["x", "y"] as CFArray
        #expect(unsafe object(CFArrayGetValueAtIndex(bridged, 1)) as? String == "y")
        withExtendedLifetime(bridged) {}
    }

    @Test func bytesGoInAndOut() {
        let bytes: [UInt8] = [1, 2, 3]
        let data = unsafe CFDataCreate(kCFAllocatorDefault, bytes, bytes.count)
        #expect(data as Data? == Data(bytes))
        let start = unsafe CFDataGetBytePtr(data)
        let length = CFDataGetLength(data)
        let read = unsafe Array(UnsafeBufferPointer(start: start, count: length))
        #expect(read == bytes)
        let changeable = CFDataCreateMutable(nil, 0)
        unsafe CFDataAppendBytes(changeable, bytes, 2)
        unsafe CFDataGetMutableBytePtr(changeable)?[0] = 9
        #expect(changeable as Data? == Data([9, 2]))
        #expect(CFDataCreateCopy(nil, changeable) as Data? == Data([9, 2]))
        #expect(CFDataGetLength(CFDataCreate(nil, nil, 0)) == 0)
        #expect(unsafe CFDataCreate(nil, bytes, -1) == nil)
        #expect(CFDataCreate(nil, nil, 1) == nil)
    }

    @Test func textsGoInAndOutAsCStrings() {
        let text = unsafe CFStringCreateWithCString(nil, "héllo", kCFStringEncodingUTF8)
        #expect(text as String? == "héllo")
        var buffer = [CChar](repeating: 1, count: 7)
        #expect(unsafe CFStringGetCString(text, &buffer, 7, kCFStringEncodingUTF8))
        #expect(buffer.map(UInt8.init(bitPattern:)) == Array("héllo".utf8) + [0])
        #expect(unsafe !CFStringGetCString(text, &buffer, 6, kCFStringEncodingUTF8))
    }

    @Test func errorsHaveADomain() {
        let domain: CFErrorDomain = kCFErrorDomainOSStatus
        let told = [kCFErrorLocalizedDescriptionKey as String: "said"] as CFDictionary
        let error = CFErrorCreate(nil, domain, -25300, told)
        #expect(CFErrorGetDomain(error) as String? == NSOSStatusErrorDomain)
        #expect(CFErrorGetCode(error) == -25300)
        #expect(CFErrorCopyDescription(error) as String? == "said")
        #expect(kCFErrorDomainPOSIX as String == NSPOSIXErrorDomain)
        #expect(kCFErrorDomainCocoa as String == NSCocoaErrorDomain)
        #expect(kCFErrorUnderlyingErrorKey as String == NSUnderlyingErrorKey)
    }
}
