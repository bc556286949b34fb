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
print(query.count == 1 && seconds > 0 && loop != nil ? "overlay: fine" : "overlay: wrong")
exit(query.count == 1 ? 0 : 1)
