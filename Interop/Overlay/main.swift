// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CoreFoundation
import Foundation
import Security

// CoreFoundation's names beside Security's: both use the same dictionary type, and CoreFoundation's
// other declarations are available.
let query: CFDictionary = [kSecClass: kSecClassGenericPassword] as CFDictionary
let seconds: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
let loop = CFRunLoopGetCurrent()
// Constants that both have are Security's, with and without a type.
let domain: CFErrorDomain = kCFErrorDomainOSStatus
let error: CFError = CFErrorCreate(kCFAllocatorDefault, domain, CFIndex(errSecParam), nil)
let others: [CFErrorDomain] = [kCFErrorDomainPOSIX!, kCFErrorDomainCocoa!]
let flags: [CFString: Any] = [kSecReturnData: kCFBooleanTrue!, kSecReturnRef: kCFBooleanFalse!]
let nothing = kCFNull!
let isRight =
    query.count == 1 && seconds > 0 && loop != nil && CFErrorGetDomain(error) == domain
    && CFErrorGetCode(error) == -50 && others == ["NSPOSIXErrorDomain", "NSCocoaErrorDomain"]
    && flags[kSecReturnData] as? Bool == true && flags[kSecReturnRef] as? Bool == false
    && nothing == NSNull()
print(isRight ? "overlay: fine" : "overlay: wrong")
exit(isRight ? 0 : 1)
