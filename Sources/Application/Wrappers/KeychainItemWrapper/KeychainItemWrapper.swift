// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import Foundation
public import Keychain
public import LlaveroSecurity
import SecretBytes
import SecurityWire

/// One generic password that an identifier names, with the names of Apple's sample of 2010.
///
/// Every read and every write is one request to the keychain. The object caches nothing, so it
/// can't be stale, and threads may share it. By default items are usable from the first unlock
/// after a start. A call blocks its thread at most until the keychain's deadlines; those of
/// ``async`` block none.
///
/// The identifier is the item's `kSecAttrGeneric`, as in the original, so it finds items that
/// another program or an older version stored. New items also have it as their `kSecAttrService`,
/// so that two identifiers never collide.
public final class KeychainItemWrapper: Sendable {
    private let identifier: String
    private let accessGroup: String?
    /// An unknown constant makes each call fail: an initializer of these classes can't fail.
    private let accessibility: Result<Accessibility, KeychainError>

    /// The values of a missing item, and the defaults of a new one.
    private static let emptyTexts: [Attribute] = [.account, .label, .description]

    /// The item of an identifier, which may not exist yet.
    /// - Parameters:
    ///   - identifier: The item's name.
    ///   - accessGroup: The group that it is in; nil for any of the program's groups, and its own
    ///     for a new item.
    public convenience init(identifier: String, accessGroup: String?) {
        self.init(
            identifier: identifier, accessGroup: accessGroup,
            accessible: kSecAttrAccessibleAfterFirstUnlock)
    }

    /// The item of an identifier, which may not exist yet.
    /// - Parameters:
    ///   - identifier: The item's name.
    ///   - accessGroup: The group that it is in; nil for any of the program's groups, and its own
    ///     for a new item.
    ///   - accessible: `kSecAttrAccessible…`; an item that has another accessibility gets this one
    ///     with the next write.
    public init(identifier: String, accessGroup: String?, accessible: CFString) {
        self.identifier = identifier
        self.accessGroup = accessGroup
        accessibility = Result { () throws(KeychainError) in
            try WrapperSupport.accessibility(accessible)
        }
    }

    // MARK: - The names of the sample

    /// Stores a value.
    /// - Parameters:
    ///   - object: The value: for `kSecValueData` a text or data, else a value of the attribute's
    ///     type. Nil changes nothing.
    ///   - key: `kSecValueData` or `kSecAttr…`.
    ///   - onError: Called, before this returns, when the value isn't stored; with the status as
    ///     the error's code.
    /// - Returns: Whether it is stored.
    @discardableResult
    public func setObject(
        _ object: Any?, forKey key: Any, onError: ((NSError) -> Void)? = nil
    ) -> Bool {
        do throws(KeychainError) {
            try write(object, forKey: key)
            return true
        } catch {
            onError?(WrapperSupport.cocoaError(error))
            return false
        }
    }

    /// Reads a value.
    /// - Parameter key: `kSecValueData` or `kSecAttr…`.
    /// - Returns: The value: for `kSecValueData` a text, or data if it isn't UTF-8. Without an
    ///   item, empty text for the data, account, label and description. Nil when the item lacks the
    ///   attribute, or can't be read now: ``read(forKey:)`` throws the reason.
    public func object(forKey key: Any) -> Any? { try? read(forKey: key) }

    /// Deletes the item.
    /// - Returns: Whether the item is absent now.
    @discardableResult
    public func resetKeychainItem() -> Bool {
        do {
            try reset()
            return true
        } catch { return false }
    }

    // MARK: - The same with reasons

    /// Stores a value; see ``setObject(_:forKey:onError:)``.
    /// - Throws: Why it isn't stored. After ``FailureReason/unknownOutcome`` it may be stored.
    public func write(_ object: Any?, forKey key: Any) throws(KeychainError) {
        guard let object else { return }
        try WrapperSupport.connection.add(newItem(object, key))
    }

    /// Reads a value; see ``object(forKey:)``.
    /// - Throws: Why it can't be read, for example ``FailureReason/locked``. A missing item is no
    ///   error.
    public func read(forKey key: Any) throws(KeychainError) -> Any? {
        let (query, attribute) = try question(key)
        let found: FoundItem?
        do throws(KeychainError) { found = try WrapperSupport.connection.find(query).first } catch {
            guard error.reason == .absent else { throw error }
            found = nil
        }
        return Self.answer(found, attribute)
    }

    /// Deletes the item, if it exists.
    /// - Throws: Why it wasn't deleted, or may not be.
    public func reset() throws(KeychainError) {
        do throws(KeychainError) { try WrapperSupport.connection.delete(allQuery) } catch {
            guard error.reason == .absent else { throw error }
        }
    }

    // MARK: - The same for tasks

    /// The calls that throw reasons, for tasks: none blocks a thread that tasks or the main actor
    /// need.
    public var async: Async { Async(wrapper: self) }

    /// Calls of a ``KeychainItemWrapper`` that a task waits for.
    ///
    /// Each is one request. It ends when its task is cancelled (``FailureReason/cancelled``) or its
    /// deadline passes (``FailureReason/timedOut``; nil is the keychain's deadline), and leaves
    /// nothing half done.
    public struct Async: Sendable {
        fileprivate let wrapper: KeychainItemWrapper

        /// As ``KeychainItemWrapper/write(_:forKey:)``.
        public func write(
            _ object: Any?, forKey key: Any, within duration: Duration? = nil
        ) async throws(KeychainError) {
            guard let object else { return }
            let item = try wrapper.newItem(object, key)
            _ = try await WrapperSupport.service.add(item, within: duration)
        }

        /// As ``KeychainItemWrapper/read(forKey:)``.
        public func read(
            forKey key: Any, within duration: Duration? = nil
        ) async throws(KeychainError) -> Any? {
            let (query, attribute) = try wrapper.question(key)
            let found: FoundItem?
            do throws(KeychainError) {
                found = try await WrapperSupport.service.find(query, within: duration).first
            } catch {
                guard error.reason == .absent else { throw error }
                found = nil
            }
            return KeychainItemWrapper.answer(found, attribute)
        }

        /// As ``KeychainItemWrapper/reset()``.
        public func reset(within duration: Duration? = nil) async throws(KeychainError) {
            do throws(KeychainError) {
                _ = try await WrapperSupport.service.delete(wrapper.allQuery, within: duration)
            } catch {
                guard error.reason == .absent else { throw error }
            }
        }
    }

    // MARK: - Requests and answers

    /// A new item for a write, and the changes of an existing one.
    private func newItem(_ object: Any, _ key: Any) throws(KeychainError) -> NewItem {
        var changes = ItemAttributes()
        changes.accessibility = try accessibility.get()
        var secret: Secret?
        if WrapperSupport.name(key) == kSecValueData as String {
            secret = try Self.secret(object)
        } else {
            let attribute = try WrapperSupport.attribute(key)
            // An item without its name couldn't be found any more.
            guard attribute != .generic else { throw WrapperSupport.invalid(errSecParam) }
            let value = try WrapperSupport.value(object, for: attribute)
            changes[attribute] = value
            guard changes[attribute] == value else { throw WrapperSupport.invalid(errSecParam) }
        }
        var item = NewItem(.genericPassword)
        for attribute in Self.emptyTexts { item.attributes[attribute] = .text("") }
        item.attributes[.service] = .text(identifier)
        item.attributes.merge(filter)
        item.attributes.merge(changes)
        item.secret = secret
        item.replacesExisting = true
        item.replacement = ItemReplacement(of: filter, changes: changes)
        return item
    }

    /// The query for a key; without an attribute it asks for the secret.
    private func question(_ key: Any) throws(KeychainError) -> (ItemQuery, Attribute?) {
        var query = query
        guard WrapperSupport.name(key) != kSecValueData as String else {
            query.returning = .data
            return (query, nil)
        }
        query.returning = .attributes
        return (query, try WrapperSupport.attribute(key))
    }

    private static func answer(_ found: FoundItem?, _ attribute: Attribute?) -> Any? {
        guard let attribute else {
            guard let secret = found?.secret else { return "" }
            return WrapperSupport.text(secret) ?? WrapperSupport.data(secret)
        }
        if let found { return found.attributes[attribute].map(WrapperSupport.object) }
        return emptyTexts.contains(attribute) ? "" : nil
    }

    // MARK: - Which item

    private var filter: ItemAttributes {
        var filter = ItemAttributes()
        filter[.generic] = .text(identifier)
        if let accessGroup { filter[.accessGroup] = .text(accessGroup) }
        return filter
    }

    private var query: ItemQuery {
        var query = ItemQuery(.genericPassword)
        query.attributes = filter
        return query
    }

    private var allQuery: ItemQuery {
        var query = query
        query.limit = nil
        return query
    }

    private static func secret(_ object: Any) throws(KeychainError) -> Secret {
        switch object {
        case let text as String: return WrapperSupport.secret(text)
        case let data as Data: return WrapperSupport.secret(data)
        case let text as NSString: return WrapperSupport.secret(text as String)
        case let data as NSData: return WrapperSupport.secret(data as Data)
        default: throw WrapperSupport.invalid(errSecParam)
        }
    }
}
