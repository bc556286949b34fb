// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
public import Keychain
public import LlaveroSecurity
import SecretBytes
import SecurityWire

/// Values by keys, with the names of the library of 2012.
///
/// A value is a generic password whose service and account are both the key, as ever. Saving is one
/// request that changes the item or makes it: there is no moment without one, and another
/// accessibility, group or value just takes effect. Items are usable from the first unlock after a
/// start unless told otherwise. Calls may come from any thread; each blocks it no longer than the
/// keychain's deadlines.
///
/// A value is what a property list holds: text, data, dates, numbers, and arrays and dictionaries
/// (with text as keys) of these. It is stored as a binary property list.
public enum JNKeychain {
    // MARK: - Saving

    /// Stores a value, in the place of the one before.
    /// - Returns: Whether it is stored.
    @discardableResult
    public static func saveValue(_ value: Any?, forKey key: String) -> Bool {
        saveValue(value, forKey: key, forAccessGroup: nil)
    }

    /// Stores a value in an access group; nil is the program's own.
    /// - Returns: Whether it is stored.
    @discardableResult
    public static func saveValue(
        _ value: Any?, forKey key: String, forAccessGroup group: String?
    ) -> Bool {
        saveValue(
            value, forKey: key, forAccessGroup: group,
            accessible: kSecAttrAccessibleAfterFirstUnlock)
    }

    /// Stores a value.
    /// - Parameters:
    ///   - value: A value of a property list.
    ///   - key: Its key.
    ///   - group: The access group; nil is the program's own.
    ///   - accessible: `kSecAttrAccessible…`; also of an item that had another one.
    /// - Returns: Whether it is stored.
    @discardableResult
    public static func saveValue(
        _ value: Any?, forKey key: String, forAccessGroup group: String?, accessible: CFString
    ) -> Bool {
        do {
            try save(value, forKey: key, forAccessGroup: group, accessible: accessible)
            return true
        } catch { return false }
    }

    // MARK: - Loading

    /// Reads a value.
    /// - Returns: Nil when there is none, or it can't be read now: ``load(forKey:forAccessGroup:)``
    ///   tells which.
    public static func loadValue(forKey key: String) -> Any? {
        try? load(forKey: key, forAccessGroup: nil)
    }

    /// Reads a value in an access group; nil is any of the program's groups.
    /// - Returns: Nil when there is none, or it can't be read now.
    public static func loadValue(forKey key: String, forAccessGroup group: String?) -> Any? {
        try? load(forKey: key, forAccessGroup: group)
    }

    /// The same as ``loadValue(forKey:)``.
    public static func loadValueForKey(_ key: String) -> Any? { loadValue(forKey: key) }

    /// The same as ``loadValue(forKey:forAccessGroup:)``.
    public static func loadValueForKey(
        _ key: String, forAccessGroup group: String?
    ) -> Any? {
        loadValue(forKey: key, forAccessGroup: group)
    }

    // MARK: - Deleting

    /// Deletes a value.
    /// - Returns: Whether there was one, and it is gone.
    @discardableResult
    public static func deleteValue(forKey key: String) -> Bool {
        deleteValue(forKey: key, forAccessGroup: nil)
    }

    /// Deletes a value in an access group; nil is all of the program's groups.
    /// - Returns: Whether there was one, and it is gone.
    @discardableResult
    public static func deleteValue(forKey key: String, forAccessGroup group: String?) -> Bool {
        do {
            try delete(forKey: key, forAccessGroup: group)
            return true
        } catch { return false }
    }

    /// The same as ``deleteValue(forKey:)``.
    @discardableResult
    public static func deleteValueForKey(_ key: String) -> Bool { deleteValue(forKey: key) }

    /// The same as ``deleteValue(forKey:forAccessGroup:)``.
    @discardableResult
    public static func deleteValueForKey(_ key: String, forAccessGroup group: String?) -> Bool {
        deleteValue(forKey: key, forAccessGroup: group)
    }

    // MARK: - The team

    /// The team identifier that the program's access groups begin with. Nothing is stored for it.
    /// - Returns: Nil for a program that no team has signed, or when no service answers.
    public static func getBundleSeedIdentifier() -> String? {
        guard let identity = try? WrapperSupport.connection.callerIdentity(),
            let name = identity.application?.prefix(while: { $0 != "." })
        else { return nil }
        return String(name)
    }

    // MARK: - The same with reasons

    /// Stores a value; see ``saveValue(_:forKey:forAccessGroup:accessible:)``.
    /// - Throws: Why it isn't stored: ``FailureReason/invalidRequest`` for what no property list
    ///   holds. After ``FailureReason/unknownOutcome`` it may be.
    public static func save(
        _ value: Any?, forKey key: String, forAccessGroup group: String? = nil,
        accessible: CFString = kSecAttrAccessibleAfterFirstUnlock
    ) throws(KeychainError) {
        guard let value, PropertyListSerialization.propertyList(value, isValidFor: .binary),
            let data = try? PropertyListSerialization.data(
                fromPropertyList: value, format: .binary, options: 0)
        else { throw WrapperSupport.invalid(errSecParam) }
        var item = NewItem(.genericPassword)
        item.attributes = attributes(key, group)
        item.attributes.accessibility = try WrapperSupport.accessibility(accessible)
        item.secret = WrapperSupport.secret(data)
        try WrapperSupport.connection.save(item)
    }

    /// Reads a value.
    /// - Throws: ``FailureReason/absent``; ``FailureReason/locked``; `errSecDecode` for an item whose
    ///   data isn't a property list; else as ``KeychainConnection/find(_:)``.
    public static func load(
        forKey key: String, forAccessGroup group: String? = nil
    ) throws(KeychainError) -> Any {
        var query = ItemQuery(.genericPassword)
        query.attributes = attributes(key, group)
        query.returning = .data
        let found = try WrapperSupport.connection.find(query)
        // Any text would be a property list of the oldest form.
        guard let data = found.first?.secret.map(WrapperSupport.data),
            data.starts(with: "bplist00".utf8),
            let value = unsafe try? PropertyListSerialization.propertyList(from: data, format: nil)
        else { throw WrapperSupport.invalid(errSecDecode) }
        return value
    }

    /// Deletes a value.
    /// - Throws: ``FailureReason/absent``; else why it is still there, or may be.
    public static func delete(
        forKey key: String, forAccessGroup group: String? = nil
    ) throws(KeychainError) {
        var query = ItemQuery(.genericPassword)
        query.attributes = attributes(key, group)
        query.limit = nil
        try WrapperSupport.connection.delete(query)
    }

    private static func attributes(_ key: String, _ group: String?) -> ItemAttributes {
        var attributes = ItemAttributes()
        attributes[.service] = .text(key)
        attributes[.account] = .text(key)
        if let group { attributes[.accessGroup] = .text(group) }
        return attributes
    }
}
