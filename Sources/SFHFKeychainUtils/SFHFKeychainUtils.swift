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
/// service and label, as ever. Reading is one request; so is storing, which changes the item or makes
/// it. Passwords are usable from the first unlock after a start unless told otherwise. Calls may
/// come from any thread; each blocks it no longer than the keychain's deadlines.
///
/// Errors are `NSError`s: of `NSOSStatusErrorDomain` with a status as their code, or of
/// ``errorDomain`` with one of its two codes.
public enum SFHFKeychainUtils {
    /// The domain of errors that have no status.
    public static let errorDomain = "SFHFKeychainUtilsErrorDomain"
    /// There is an item, and it holds no text.
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
        try check(username, serviceName)
        var query = query(username, serviceName)
        query.returning = .data
        guard
            let secret = try translating({ () throws(KeychainError) in
                try WrapperSupport.connection.find(query).first?.secret
            }), let password = WrapperSupport.text(secret)
        else { throw failure(noPassword, "The item holds no password.") }
        return password
    }

    /// The same as ``getPasswordForUsername(_:andServiceName:)``, whose two requests are one.
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
    ///   - updateExisting: Whether a password that is there is replaced; else it stays as it is.
    ///   - accessible: `kSecAttrAccessible…`; also of an item that is replaced.
    /// - Returns: Whether this password is stored; false when another one was left as it is.
    /// - Throws: Statuses; ``badArguments`` for an empty name.
    @discardableResult
    public static func storeUsername(
        _ username: String, andPassword password: String, forServiceName serviceName: String,
        updateExisting: Bool, withAccessible accessible: CFString
    ) throws -> Bool {
        try check(username, serviceName)
        return try translating { () throws(KeychainError) in
            var item = NewItem(.genericPassword)
            item.attributes = attributes(username, serviceName)
            item.attributes[.label] = .text(serviceName)
            item.attributes.accessibility = try WrapperSupport.accessibility(accessible)
            item.secret = WrapperSupport.secret(password)
            do throws(KeychainError) {
                _ =
                    try updateExisting
                    ? WrapperSupport.connection.save(item) : WrapperSupport.connection.add(item)
                return true
            } catch {
                guard error.reason == .duplicate, !updateExisting else { throw error }
                return false
            }
        }
    }

    // MARK: - Deleting

    /// Deletes a password, whatever its accessibility.
    /// - Throws: `errSecItemNotFound` and other statuses; ``badArguments`` for an empty name.
    public static func deleteItemForUsername(
        _ username: String, andServiceName serviceName: String
    ) throws {
        try check(username, serviceName)
        let query = query(username, serviceName)
        try translating { () throws(KeychainError) in
            _ = try WrapperSupport.connection.delete(query)
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

    // MARK: - Which item

    private static func attributes(_ username: String, _ serviceName: String) -> ItemAttributes {
        var attributes = ItemAttributes()
        attributes[.account] = .text(username)
        attributes[.service] = .text(serviceName)
        return attributes
    }

    private static func query(_ username: String, _ serviceName: String) -> ItemQuery {
        var query = ItemQuery(.genericPassword)
        query.attributes = attributes(username, serviceName)
        return query
    }

    // MARK: - Errors

    private static func check(_ username: String, _ serviceName: String) throws {
        guard !username.isEmpty, !serviceName.isEmpty else {
            throw failure(badArguments, "A user name and a service name are needed.")
        }
    }

    private static func translating<R>(_ body: () throws(KeychainError) -> R) throws -> R {
        do throws(KeychainError) { return try body() } catch {
            throw WrapperSupport.cocoaError(error)
        }
    }

    private static func failure(_ code: Int, _ description: String) -> NSError {
        NSError(
            domain: errorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: description])
    }
}
