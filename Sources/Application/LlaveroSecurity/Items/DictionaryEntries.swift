// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

internal import CoreFoundation
import Foundation

extension NSDictionary {
    /// Most keys of one dictionary that a call reads; more are errSecParam. Source: Apple's SecItem, as observed.
    static let maximumKeyCount = 128

    /// Calls `body` with each key and value as the objects that they are.
    ///
    /// Foundation's own enumeration turns each into a Swift value first, which costs 250 ns a
    /// pair; Core Foundation hands out the objects in 20 ns. It can do so for Foundation's two
    /// classes only: a subclass makes its objects as it is asked, and nobody would own them.
    package func forEachEntry(_ body: (AnyObject, AnyObject) -> Void) {
        guard type(of: self) == NSDictionary.self || type(of: self) == NSMutableDictionary.self
        else {
            unsafe enumerateKeysAndObjects(options: []) { key, value, _ in
                body(key as AnyObject, value as AnyObject)
            }
            return
        }
        let count = self.count
        unsafe withUnsafeTemporaryAllocation(
            of: UnsafeRawPointer?.self, capacity: 2 * count + 1
        ) { slots in
            unsafe slots.initialize(repeating: nil)
            guard let values = slots.baseAddress else { return }
            let dictionary = unsafe unsafeBitCast(self, to: CoreFoundation.CFDictionary.self)
            unsafe CFDictionaryGetKeysAndValues(dictionary, values + count, values)
            for index in 0..<count {
                guard let value = unsafe values[index], let key = unsafe values[count + index]
                else { continue }
                body(
                    unsafe Unmanaged<AnyObject>.fromOpaque(key).takeUnretainedValue(),
                    unsafe Unmanaged<AnyObject>.fromOpaque(value).takeUnretainedValue())
            }
        }
    }
}
