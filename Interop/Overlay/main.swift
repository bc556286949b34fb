// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CoreFoundation
import Foundation
import Security

// CoreFoundation's names beside Security's: a dictionary is one for both, and what only
// CoreFoundation has is there.
let query: CFDictionary = [kSecClass: kSecClassGenericPassword] as CFDictionary
let seconds: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
let loop = CFRunLoopGetCurrent()
print(query.count == 1 && seconds > 0 && loop != nil ? "overlay: fine" : "overlay: wrong")
exit(query.count == 1 ? 0 : 1)
