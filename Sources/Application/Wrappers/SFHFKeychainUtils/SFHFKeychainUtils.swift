// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
public import LlaveroSecurity
import SecretBytes
import SecurityWire

/// Passwords by user name and service, with the names of the library of 2008.
///
/// A password is a generic password with the user name as its account and the service as its
/// service and label, as in the original. Reading is one request; so is storing, which changes or
/// creates the item. By default passwords are usable from the first unlock after a start. Calls may
/// come from any thread. Each blocks it at most until the keychain's deadlines, and those of
/// ``async`` block none.
///
/// Errors are `NSError`s: of `NSOSStatusErrorDomain` with a status as their code, or of
/// ``errorDomain`` with one of its two codes.
public enum SFHFKeychainUtils {
    /// The domain of errors that have no status.
    public static let errorDomain = "SFHFKeychainUtilsErrorDomain"
    /// The item exists, but contains no text.
    public static let noPassword = -1999
    /// An argument is missing.
    public static let badArguments = -2000

    // MARK: - Reading

    /// Reads a password.
    /// - Throws: `errSecItemNotFound`, `errSecInteractionNotAllowed` and other statuses;
    ///   ``noPassword``; ``badArguments`` for an empty name.
    public static func getPasswordForUsername(
        _ username: String, andServiceName serviceName: String
    ) throws -> String {
        let query = try passwordQuery(username, serviceName)
        let found: [FoundItem]
        do throws(KeychainError) { found = try WrapperSupport.connection.find(query) } catch {
            throw WrapperSupport.cocoaError(error)
        }
        return try password(in: found)
    }

    /// The same as ``getPasswordForUsername(_:andServiceName:)``, but with one request instead of
    /// two.
    public static func getPasswordForUsernameOld(
        _ username: String, andServiceName serviceName: String
    ) throws -> String {
        try getPasswordForUsername(username, andServiceName: serviceName)
    }

    /// The same as ``getPasswordForUsername(_:andServiceName:)``.
    public static func getPasswordForUsernameV2(
        _ username: String, andServiceName serviceName: String
    ) throws -> String {
        try getPasswordForUsername(username, andServiceName: serviceName)
    }

    // MARK: - Storing

    /// Stores a password; see
    /// ``storeUsername(_:andPassword:forServiceName:updateExisting:withAccessible:)``.
    @discardableResult
    public static func storeUsername(
        _ username: String, andPassword password: String, forServiceName serviceName: String,
        updateExisting: Bool
    ) throws -> Bool {
        try storeUsername(
            username, andPassword: password, forServiceName: serviceName,
            updateExisting: updateExisting, withAccessible: kSecAttrAccessibleAfterFirstUnlock)
    }

    /// Stores a password.
    /// - Parameters:
    ///   - username: The account.
    ///   - password: The password; may be empty.
    ///   - serviceName: The service.
    ///   - updateExisting: Whether an existing password is replaced; otherwise it isn't changed.
    ///   - accessible: `kSecAttrAccessible…`; also for a replaced item.
    /// - Returns: Whether this password is stored; false when another one was kept.
    /// - Throws: Statuses; ``badArguments`` for an empty name.
    @discardableResult
    public static func storeUsername(
        _ username: String, andPassword password: String, forServiceName serviceName: String,
        updateExisting: Bool, withAccessible accessible: CFString
    ) throws -> Bool {
        let item = try newItem(username, password, serviceName, updateExisting, accessible)
        do throws(KeychainError) { try WrapperSupport.connection.add(item) } catch {
            return try kept(error, updateExisting)
        }
        return true
    }

    // MARK: - Deleting

    /// Deletes a password, whatever its accessibility.
    /// - Throws: `errSecItemNotFound` and other statuses; ``badArguments`` for an empty name.
    public static func deleteItemForUsername(
        _ username: String, andServiceName serviceName: String
    ) throws {
        let query = try query(username, serviceName)
        do throws(KeychainError) { try WrapperSupport.connection.delete(query) } catch {
            throw WrapperSupport.cocoaError(error)
        }
    }

    /// The same as ``deleteItemForUsername(_:andServiceName:)``: a password that was stored with another
    /// accessibility is the same password.
    public static func deleteItemForUsername(
        _ username: String, andServiceName serviceName: String, withAccessible _: CFString
    ) throws {
        try deleteItemForUsername(username, andServiceName: serviceName)
    }

    /// The same as ``deleteItemForUsername(_:andServiceName:)``.
    public static func deleteItem(
        forUsername username: String, andServiceName serviceName: String
    ) throws {
        try deleteItemForUsername(username, andServiceName: serviceName)
    }

    // MARK: - The same for tasks

    /// The calls for tasks: none blocks a thread that tasks or the main actor need.
    public static var async: Async { Async() }

    /// Calls of ``SFHFKeychainUtils`` that a task waits for.
    ///
    /// Each is one request. It ends when its task is cancelled or its deadline passes (nil is the
    /// keychain's deadline), and leaves nothing half done. The error's underlying error, a
    /// `KeychainError`, distinguishes these failures: ``FailureReason/cancelled``,
    /// ``FailureReason/timedOut``.
    public struct Async: Sendable {
        fileprivate init() {}

        /// As ``SFHFKeychainUtils/getPasswordForUsername(_:andServiceName:)``.
        public func getPasswordForUsername(
            _ username: String, andServiceName serviceName: String,
            within duration: Duration? = nil
        ) async throws -> String {
            let query = try passwordQuery(username, serviceName)
            let found: [FoundItem]
            do throws(KeychainError) {
                found = try await WrapperSupport.service.find(query, within: duration)
            } catch { throw WrapperSupport.cocoaError(error) }
            return try password(in: found)
        }

        /// As
        /// ``SFHFKeychainUtils/storeUsername(_:andPassword:forServiceName:updateExisting:withAccessible:)``.
        @discardableResult
        public func storeUsername(
            _ username: String, andPassword password: String, forServiceName serviceName: String,
            updateExisting: Bool,
            withAccessible accessible: CFString = kSecAttrAccessibleAfterFirstUnlock,
            within duration: Duration? = nil
        ) async throws -> Bool {
            let item = try newItem(username, password, serviceName, updateExisting, accessible)
            do throws(KeychainError) {
                _ = try await WrapperSupport.service.add(item, within: duration)
            } catch { return try kept(error, updateExisting) }
            return true
        }

        /// As ``SFHFKeychainUtils/deleteItemForUsername(_:andServiceName:)``.
        public func deleteItemForUsername(
            _ username: String, andServiceName serviceName: String,
            within duration: Duration? = nil
        ) async throws {
            let query = try query(username, serviceName)
            do throws(KeychainError) {
                _ = try await WrapperSupport.service.delete(query, within: duration)
            } catch { throw WrapperSupport.cocoaError(error) }
        }
    }

    // MARK: - Requests and answers

    private static func newItem(
        _ username: String, _ password: String, _ serviceName: String, _ updateExisting: Bool,
        _ accessible: CFString
    ) throws -> NewItem {
        try check(username, serviceName)
        var item = NewItem(.genericPassword)
        item.attributes = attributes(username, serviceName)
        item.attributes[.label] = .text(serviceName)
        do throws(KeychainError) {
            item.attributes.accessibility = try WrapperSupport.accessibility(accessible)
        } catch { throw WrapperSupport.cocoaError(error) }
        item.secret = WrapperSupport.secret(password)
        item.replacesExisting = updateExisting
        return item
    }

    /// The error for a failed store.
    /// - Returns: False: the existing password was kept.
    private static func kept(_ failure: KeychainError, _ updateExisting: Bool) throws -> Bool {
        guard failure.reason == .duplicate, !updateExisting else {
            throw WrapperSupport.cocoaError(failure)
        }
        return false
    }

    private static func attributes(_ username: String, _ serviceName: String) -> ItemAttributes {
        var attributes = ItemAttributes()
        attributes[.account] = .text(username)
        attributes[.service] = .text(serviceName)
        return attributes
    }

    private static func query(_ username: String, _ serviceName: String) throws -> ItemQuery {
        try check(username, serviceName)
        var query = ItemQuery(.genericPassword)
        query.attributes = attributes(username, serviceName)
        return query
    }

    private static func passwordQuery(
        _ username: String, _ serviceName: String
    ) throws -> ItemQuery {
        var query = try query(username, serviceName)
        query.returning = .data
        return query
    }

    private static func password(in found: [FoundItem]) throws -> String {
        guard let secret = found.first?.secret, let password = WrapperSupport.text(secret) else {
            throw failure(noPassword, "The item holds no password.")
        }
        return password
    }

    // MARK: - Errors

    private static func check(_ username: String, _ serviceName: String) throws {
        guard !username.isEmpty, !serviceName.isEmpty else {
            throw failure(badArguments, "A user name and a service name are needed.")
        }
    }

    private static func failure(_ code: Int, _ description: String) -> NSError {
        NSError(
            domain: errorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: description])
    }
}
