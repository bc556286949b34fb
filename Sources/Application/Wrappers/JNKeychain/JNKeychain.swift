// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
public import Keychain
public import LlaveroSecurity
import SecretBytes
import SecurityWire

/// Values by keys, with the names of the library of 2012.
///
/// A value is a generic password whose service and account are both the key, as in the original.
/// Saving is one request that changes or creates the item: the value is never missing in between,
/// and another accessibility, group or value simply takes effect. By default items are usable from
/// the first unlock after a start. Calls may come from any thread. Each blocks it at most until the
/// keychain's deadlines, and those of ``async`` block none.
///
/// A value is a property list: text, data, dates, numbers, and arrays and dictionaries (with text
/// as keys) of these. It is stored as a binary property list.
public enum JNKeychain {
    // MARK: - Saving

    /// Stores a value, and replaces an earlier one.
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
    ///   throws the reason.
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
    /// - Returns: Whether there was one, and it was deleted.
    @discardableResult
    public static func deleteValue(forKey key: String) -> Bool {
        deleteValue(forKey: key, forAccessGroup: nil)
    }

    /// Deletes a value in an access group; nil is all of the program's groups.
    /// - Returns: Whether there was one, and it was deleted.
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

    /// The team identifier with which the program's access groups begin. Finding it stores nothing.
    /// - Returns: Nil for a program that no team has signed, or when no service replies.
    public static func getBundleSeedIdentifier() -> String? {
        (try? WrapperSupport.connection.callerIdentity()).flatMap(team(of:))
    }

    // MARK: - The same with reasons

    /// Stores a value; see ``saveValue(_:forKey:forAccessGroup:accessible:)``.
    /// - Throws: Why it isn't stored: ``FailureReason/invalidRequest`` for a value that isn't a
    ///   property list. After ``FailureReason/unknownOutcome`` it may be stored.
    public static func save(
        _ value: Any?, forKey key: String, forAccessGroup group: String? = nil,
        accessible: CFString = kSecAttrAccessibleAfterFirstUnlock
    ) throws(KeychainError) {
        try WrapperSupport.connection.add(newItem(value, key, group, accessible))
    }

    /// Reads a value.
    /// - Throws: ``FailureReason/absent``; ``FailureReason/locked``; `errSecDecode` for an item whose
    ///   data isn't a property list; else as ``KeychainConnection/find(_:)``.
    public static func load(
        forKey key: String, forAccessGroup group: String? = nil
    ) throws(KeychainError) -> Any {
        try value(of: WrapperSupport.connection.find(query(key, group)))
    }

    /// Deletes a value.
    /// - Throws: ``FailureReason/absent``; else why it wasn't deleted, or may not be.
    public static func delete(
        forKey key: String, forAccessGroup group: String? = nil
    ) throws(KeychainError) {
        try WrapperSupport.connection.delete(allQuery(key, group))
    }

    // MARK: - The same for tasks

    /// The calls that throw reasons, for tasks: none blocks a thread that tasks or the main actor
    /// need.
    public static var async: Async { Async() }

    /// Calls of ``JNKeychain`` that a task waits for.
    ///
    /// Each is one request. It ends when its task is cancelled (``FailureReason/cancelled``) or its
    /// deadline passes (``FailureReason/timedOut``; nil is the keychain's deadline), and leaves
    /// nothing half done.
    public struct Async: Sendable {
        fileprivate init() {}

        /// As ``JNKeychain/save(_:forKey:forAccessGroup:accessible:)``.
        public func save(
            _ value: Any?, forKey key: String, forAccessGroup group: String? = nil,
            accessible: CFString = kSecAttrAccessibleAfterFirstUnlock,
            within duration: Duration? = nil
        ) async throws(KeychainError) {
            let item = try newItem(value, key, group, accessible)
            _ = try await WrapperSupport.service.add(item, within: duration)
        }

        /// As ``JNKeychain/load(forKey:forAccessGroup:)``.
        public func load(
            forKey key: String, forAccessGroup group: String? = nil,
            within duration: Duration? = nil
        ) async throws(KeychainError) -> Any {
            try value(
                of: try await WrapperSupport.service.find(query(key, group), within: duration))
        }

        /// As ``JNKeychain/delete(forKey:forAccessGroup:)``.
        public func delete(
            forKey key: String, forAccessGroup group: String? = nil,
            within duration: Duration? = nil
        ) async throws(KeychainError) {
            _ = try await WrapperSupport.service.delete(allQuery(key, group), within: duration)
        }

        /// As ``JNKeychain/getBundleSeedIdentifier()``.
        /// - Returns: Nil for a program that no team has signed.
        public func getBundleSeedIdentifier(
            within duration: Duration? = nil
        ) async throws(KeychainError) -> String? {
            JNKeychain.team(of: try await WrapperSupport.service.callerIdentity(within: duration))
        }
    }

    // MARK: - Requests and answers

    private static func team(of identity: CallerIdentity) -> String? {
        identity.application.map { String($0.prefix { $0 != "." }) }
    }

    private static func newItem(
        _ value: Any?, _ key: String, _ group: String?, _ accessible: CFString
    ) throws(KeychainError) -> NewItem {
        guard let value, PropertyListSerialization.propertyList(value, isValidFor: .binary),
            let data = try? PropertyListSerialization.data(
                fromPropertyList: value, format: .binary, options: 0)
        else { throw WrapperSupport.invalid(errSecParam) }
        var item = NewItem(.genericPassword)
        item.attributes = attributes(key, group)
        item.attributes.accessibility = try WrapperSupport.accessibility(accessible)
        item.secret = WrapperSupport.secret(data)
        item.replacesExisting = true
        return item
    }

    private static func query(_ key: String, _ group: String?) -> ItemQuery {
        var query = ItemQuery(.genericPassword)
        query.attributes = attributes(key, group)
        query.returning = .data
        return query
    }

    private static func allQuery(_ key: String, _ group: String?) -> ItemQuery {
        var query = ItemQuery(.genericPassword)
        query.attributes = attributes(key, group)
        query.limit = nil
        return query
    }

    private static func value(of found: [FoundItem]) throws(KeychainError) -> Any {
        // Any text would be a property list of the oldest form.
        guard let data = found.first?.secret.map(WrapperSupport.data),
            data.starts(with: "bplist00".utf8),
            let value = unsafe try? PropertyListSerialization.propertyList(from: data, format: nil)
        else { throw WrapperSupport.invalid(errSecDecode) }
        return value
    }

    private static func attributes(_ key: String, _ group: String?) -> ItemAttributes {
        var attributes = ItemAttributes()
        attributes[.service] = .text(key)
        attributes[.account] = .text(key)
        if let group { attributes[.accessGroup] = .text(group) }
        return attributes
    }
}
