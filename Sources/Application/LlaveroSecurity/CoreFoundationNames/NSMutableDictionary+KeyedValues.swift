// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import Foundation

// Two methods that Foundation has only on Apple's platforms, and that old keychain code uses.
extension NSMutableDictionary {
    /// Sets the value of a key; nil removes it.
    public func setValue(_ value: Any?, forKey key: String) {
        let key = NSString(string: key)
        if let value {
            setObject(value, forKey: key as NSObject)
        } else {
            removeObject(forKey: key)
        }
    }

    /// Sets the value of a key.
    public func setObject(_ value: Any, forKey key: any NSCopying) {
        guard let key = key as? NSObject else { return }
        setObject(value, forKey: key as AnyHashable)
    }
}
