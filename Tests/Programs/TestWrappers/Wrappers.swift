// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import JNKeychain
import Keychain
import KeychainItemWrapper
import SFHFKeychainUtils
import Security

/// A wrapper in the form for a test: texts by names.
protocol Wrapper: Sendable {
    /// Stores a text, with the given accessibility instead of the default, if there is one.
    func save(_ name: String, _ value: String, _ accessible: CFString?) -> OSStatus
    /// Reads a text.
    func load(_ name: String) -> (status: OSStatus, value: String?)
    /// Deletes it.
    func delete(_ name: String) -> OSStatus
}

/// A wrapper by its name in a command.
func wrapper(_ name: String) -> (any Wrapper)? {
    switch name {
    case "item": ItemWrapper()
    case "jn": JNWrapper()
    case "sfhf": SFHFWrapper()
    case "original-item": OriginalItemWrapper()
    case "original-jn": OriginalJNKeychain()
    case "original-sfhf": OriginalSFHFKeychainUtils()
    default: nil
    }
}

/// KeychainItemWrapper, a new object for each call.
struct ItemWrapper: Wrapper {
    func save(_ name: String, _ value: String, _ accessible: CFString?) -> OSStatus {
        var status = errSecSuccess
        Self.object(name, accessible).setObject(value, forKey: kSecValueData) {
            status = OSStatus($0.code)
        }
        return status
    }

    func load(_ name: String) -> (status: OSStatus, value: String?) {
        do {
            let value = try Self.object(name, nil).read(forKey: kSecValueData) as? String
            return value == "" ? (errSecItemNotFound, nil) : (errSecSuccess, value)
        } catch { return (error.status, nil) }
    }

    func delete(_ name: String) -> OSStatus {
        Self.object(name, nil).resetKeychainItem() ? errSecSuccess : errSecIO
    }

    static func object(_ name: String, _ accessible: CFString?) -> KeychainItemWrapper {
        guard let accessible else {
            return KeychainItemWrapper(identifier: name, accessGroup: nil)
        }
        return KeychainItemWrapper(identifier: name, accessGroup: nil, accessible: accessible)
    }
}

/// JNKeychain.
struct JNWrapper: Wrapper {
    func save(_ name: String, _ value: String, _ accessible: CFString?) -> OSStatus {
        do {
            if let accessible {
                try JNKeychain.save(value, forKey: name, accessible: accessible)
            } else {
                try JNKeychain.save(value, forKey: name)
            }
            return errSecSuccess
        } catch { return error.status }
    }

    func load(_ name: String) -> (status: OSStatus, value: String?) {
        do {
            return (errSecSuccess, try JNKeychain.load(forKey: name) as? String)
        } catch { return (error.status, nil) }
    }

    func delete(_ name: String) -> OSStatus {
        JNKeychain.deleteValueForKey(name) ? errSecSuccess : errSecItemNotFound
    }
}

/// SFHFKeychainUtils; the service is the same as the user's name.
struct SFHFWrapper: Wrapper {
    func save(_ name: String, _ value: String, _ accessible: CFString?) -> OSStatus {
        Self.status {
            if let accessible {
                try SFHFKeychainUtils.storeUsername(
                    name, andPassword: value, forServiceName: name, updateExisting: true,
                    withAccessible: accessible)
            } else {
                try SFHFKeychainUtils.storeUsername(
                    name, andPassword: value, forServiceName: name, updateExisting: true)
            }
        }
    }

    func load(_ name: String) -> (status: OSStatus, value: String?) {
        var value: String?
        let status = Self.status {
            value = try SFHFKeychainUtils.getPasswordForUsernameV2(name, andServiceName: name)
        }
        return (status, value)
    }

    func delete(_ name: String) -> OSStatus {
        Self.status {
            try SFHFKeychainUtils.deleteItemForUsername(name, andServiceName: name)
        }
    }

    static func status(_ body: () throws -> Void) -> OSStatus {
        do {
            try body()
            return errSecSuccess
        } catch { return OSStatus((error as NSError).code) }
    }
}
