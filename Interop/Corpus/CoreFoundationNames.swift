// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

nonisolated(unsafe) let coreFoundation: [Program] = [
    (
        "CFMutableDictionary",
        {
            let query = CFDictionaryCreateMutable(kCFAllocatorDefault, 0, nil, nil)
            query?.setObject(kSecClassGenericPassword, forKey: kSecClass as NSString)
            try check(CFDictionaryGetCount(query) == 1)
        }
    ),
    (
        "CFEqual and CFHash",
        {
            try check(
                CFEqual("a" as CFString, "a" as CFString)
                    && !CFEqual("a" as CFString, "b" as CFString))
            try check(CFHash("a" as CFString) == CFHash("a" as CFString))
        }
    ),
    ("CFString lengths", { try check(CFStringGetLength("four" as CFString) == 4) }),
    (
        "CFArray of keys",
        {
            let keys = [kSecAttrAccount, kSecAttrService] as CFArray
            try check(CFArrayGetCount(keys) == 2)
        }
    ),
    (
        "CFBoolean",
        {
            try check(CFBooleanGetValue(kCFBooleanTrue) && !CFBooleanGetValue(kCFBooleanFalse))
            try check(CFGetTypeID(kCFBooleanTrue) == CFBooleanGetTypeID())
            try check(CFGetTypeID(1 as NSNumber) == CFNumberGetTypeID())
        }
    ),
    ("CFAbsoluteTime", { try check(CFAbsoluteTimeGetCurrent() > 700_000_000) }),
    (
        "CFUUID",
        {
            let text = CFUUIDCreateString(nil, CFUUIDCreate(nil)) as String?
            try check(text?.count == 36)
        }
    ),
    (
        "CFError",
        {
            let error = NSError(domain: NSOSStatusErrorDomain, code: -50) as CFError
            try check(CFErrorGetCode(error) == -50)
            try check(CFErrorGetDomain(error) as String? == NSOSStatusErrorDomain)
            try check(CFErrorCopyDescription(error) != nil)
        }
    ),
    (
        "CFErrorDomain",
        {
            let domain: CFErrorDomain = kCFErrorDomainOSStatus
            let error = CFErrorCreate(kCFAllocatorDefault, domain, CFIndex(errSecParam), nil)
            try check(CFErrorGetDomain(error) == domain && CFErrorGetCode(error) == -50)
        }
    ),
    (
        "values by pointers",
        {
            let item = [kSecClass: kSecClassKey, kSecValueData: Data([7])] as CFDictionary
            let key = Unmanaged.passUnretained(kSecValueData).toOpaque()
            guard let value = CFDictionaryGetValue(item, key) else { throw Failure(line: #line) }
            let data = unsafeBitCast(value, to: CFData.self)
            try check(CFDataGetLength(data) == 1 && CFDataGetBytePtr(data)[0] == 7)
            let all = [item] as CFArray
            let first = CFArrayGetValueAtIndex(all, 0)
            try check(first.map { unsafeBitCast($0, to: CFDictionary.self) } == item)
            let bytes: [UInt8] = [1, 2]
            let made = CFDataCreate(kCFAllocatorDefault, bytes, bytes.count)
            try check(made == Data(bytes) as CFData)
        }
    ),
    (
        "shared web credentials",
        {
            let told = DispatchSemaphore(value: 0)
            SecAddSharedWebCredential("example.org" as CFString, "a" as CFString, nil) { error in
                if error.map(CFErrorGetCode) == CFIndex(errSecServiceNotAvailable) { told.signal() }
            }
            try check(told.wait(timeout: .now() + 20) == .success)
            try check(CFStringGetLength(SecCreateSharedWebCredentialPassword()) == 15)
        }
    ),
    (
        "typed values",
        {
            let data: CFData = Data([1, 2]) as CFData
            let date: CFDate = Date() as CFDate
            let number: CFNumber = 3 as CFNumber
            try check(
                CFDataGetLength(data) == 2 && (date as Date) <= Date() && number.intValue == 3)
        }
    ),
    (
        "constants in sets and switches",
        {
            let set: Set<CFString> = [kSecClassKey, kSecClassIdentity]
            try check(set.contains(kSecClassKey) && !set.contains(kSecClassCertificate))
            switch kSecClassKey {
            case kSecClassKey: break
            default: throw Failure(line: #line)
            }
        }
    ),
    (
        "identity through AnyObject",
        {
            let object: AnyObject = kSecClassGenericPassword
            try check(
                object as? String == "genp" && (object as! CFString) == kSecClassGenericPassword)
        }
    ),
    (
        "identifiers of types",
        {
            try check(SecKeyGetTypeID() != SecCertificateGetTypeID())
            try check(SecTrustGetTypeID() != SecPolicyGetTypeID())
        }
    ),
]
