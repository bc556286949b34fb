// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Keychain
import SecretBytes
import SecurityWire

// Passwords by the older calls. Names are UTF-8, with their byte counts; a search takes nil for any.

/// Stores a generic password.
/// - Parameters:
///   - keychain: Where; nil is the default keychain.
///   - serviceNameLength: The byte count of the service.
///   - serviceName: The service.
///   - accountNameLength: The byte count of the account.
///   - accountName: The account.
///   - passwordLength: The byte count of the password.
///   - passwordData: The password.
///   - itemRef: Set to the item; left alone when the call fails.
/// - Returns: `errSecSuccess`; `errSecDuplicateItem`, and the item that is there isn't changed;
///   `errSecInteractionNotAllowed` for a locked keychain; `errSecNoSuchKeychain`; `errSecParam` for names
///   that aren't UTF-8.
@discardableResult
public func SecKeychainAddGenericPassword(
    _ keychain: SecKeychain?, _ serviceNameLength: UInt32, _ serviceName: UnsafePointer<CChar>?,
    _ accountNameLength: UInt32, _ accountName: UnsafePointer<CChar>?, _ passwordLength: UInt32,
    _ passwordData: UnsafeRawPointer?, _ itemRef: UnsafeMutablePointer<SecKeychainItem?>?
) -> OSStatus {
    var names = PasswordNames(.genericPassword)
    unsafe names.take(.service, serviceName, serviceNameLength)
    unsafe names.take(.account, accountName, accountNameLength)
    return unsafe names.add(passwordData, passwordLength, to: keychain, itemRef)
}

/// Finds a generic password: the first in the order of the keychains.
/// - Parameters:
///   - keychainOrArray: A keychain, or an array of them; nil is the search list.
///   - serviceNameLength: The byte count of the service.
///   - serviceName: The service; nil: any.
///   - accountNameLength: The byte count of the account.
///   - accountName: The account; nil: any.
///   - passwordLength: Set to the byte count of the password.
///   - passwordData: Set to the password, which ``SecKeychainItemFreeContent(_:_:)`` frees; nil: it isn't
///     read.
///   - itemRef: Set to the item.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; `errSecInteractionNotAllowed` for the password of a
///   locked keychain, `errSecAuthFailed` after ``SecKeychainSetUserInteractionAllowed(_:)`` with false.
@discardableResult
public func SecKeychainFindGenericPassword(
    _ keychainOrArray: CFTypeRef?, _ serviceNameLength: UInt32,
    _ serviceName: UnsafePointer<CChar>?, _ accountNameLength: UInt32,
    _ accountName: UnsafePointer<CChar>?, _ passwordLength: UnsafeMutablePointer<UInt32>?,
    _ passwordData: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ itemRef: UnsafeMutablePointer<SecKeychainItem?>?
) -> OSStatus {
    var names = PasswordNames(.genericPassword)
    unsafe names.take(.service, serviceName, serviceNameLength)
    unsafe names.take(.account, accountName, accountNameLength)
    return unsafe names.find(in: keychainOrArray, passwordLength, passwordData, itemRef)
}

/// Stores an internet password.
/// - Parameters:
///   - keychain: Where; nil is the default keychain.
///   - serverNameLength: The byte count of the server.
///   - serverName: The server.
///   - securityDomainLength: The byte count of the security domain.
///   - securityDomain: The security domain; may be nil.
///   - accountNameLength: The byte count of the account.
///   - accountName: The account.
///   - pathLength: The byte count of the path.
///   - path: The path; may be nil.
///   - port: The port; 0: none.
///   - protocolType: The protocol.
///   - authenticationType: The authentication.
///   - passwordLength: The byte count of the password.
///   - passwordData: The password.
///   - itemRef: Set to the item; left alone when the call fails.
/// - Returns: As ``SecKeychainAddGenericPassword(_:_:_:_:_:_:_:_:)``.
@discardableResult
public func SecKeychainAddInternetPassword(
    _ keychain: SecKeychain?, _ serverNameLength: UInt32, _ serverName: UnsafePointer<CChar>?,
    _ securityDomainLength: UInt32, _ securityDomain: UnsafePointer<CChar>?,
    _ accountNameLength: UInt32, _ accountName: UnsafePointer<CChar>?, _ pathLength: UInt32,
    _ path: UnsafePointer<CChar>?, _ port: UInt16, _ protocolType: SecProtocolType,
    _ authenticationType: SecAuthenticationType, _ passwordLength: UInt32,
    _ passwordData: UnsafeRawPointer?, _ itemRef: UnsafeMutablePointer<SecKeychainItem?>?
) -> OSStatus {
    var names = PasswordNames(.internetPassword)
    unsafe names.take(.server, serverName, serverNameLength)
    unsafe names.take(.securityDomain, securityDomain, securityDomainLength)
    unsafe names.take(.account, accountName, accountNameLength)
    unsafe names.take(.path, path, pathLength)
    names.take(port, protocolType, authenticationType)
    return unsafe names.add(passwordData, passwordLength, to: keychain, itemRef)
}

/// Finds an internet password: the first in the order of the keychains.
/// - Parameters:
///   - keychainOrArray: A keychain, or an array of them; nil is the search list.
///   - serverNameLength: The byte count of the server.
///   - serverName: The server; nil: any.
///   - securityDomainLength: The byte count of the security domain.
///   - securityDomain: The security domain; nil: any.
///   - accountNameLength: The byte count of the account.
///   - accountName: The account; nil: any.
///   - pathLength: The byte count of the path.
///   - path: The path; nil: any.
///   - port: The port; 0: any.
///   - protocolType: The protocol.
///   - authenticationType: The authentication.
///   - passwordLength: Set to the byte count of the password.
///   - passwordData: Set to the password, which ``SecKeychainItemFreeContent(_:_:)`` frees; nil: it isn't
///     read.
///   - itemRef: Set to the item.
/// - Returns: As ``SecKeychainFindGenericPassword(_:_:_:_:_:_:_:_:)``.
@discardableResult
public func SecKeychainFindInternetPassword(
    _ keychainOrArray: CFTypeRef?, _ serverNameLength: UInt32,
    _ serverName: UnsafePointer<CChar>?, _ securityDomainLength: UInt32,
    _ securityDomain: UnsafePointer<CChar>?, _ accountNameLength: UInt32,
    _ accountName: UnsafePointer<CChar>?, _ pathLength: UInt32, _ path: UnsafePointer<CChar>?,
    _ port: UInt16, _ protocolType: SecProtocolType, _ authenticationType: SecAuthenticationType,
    _ passwordLength: UnsafeMutablePointer<UInt32>?,
    _ passwordData: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ itemRef: UnsafeMutablePointer<SecKeychainItem?>?
) -> OSStatus {
    var names = PasswordNames(.internetPassword)
    unsafe names.take(.server, serverName, serverNameLength)
    unsafe names.take(.securityDomain, securityDomain, securityDomainLength)
    unsafe names.take(.account, accountName, accountNameLength)
    unsafe names.take(.path, path, pathLength)
    names.take(port, protocolType, authenticationType)
    return unsafe names.find(in: keychainOrArray, passwordLength, passwordData, itemRef)
}

/// What an older call says of a password.
private struct PasswordNames {
    private let itemClass: ItemClass
    private var attributes = ItemAttributes()
    private var areReadable = true

    init(_ itemClass: ItemClass) { self.itemClass = itemClass }

    mutating func take(
        _ attribute: Attribute, _ start: UnsafePointer<CChar>?, _ count: UInt32
    ) {
        guard let start = unsafe start else { return }
        let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(count)).map {
            UInt8(bitPattern: $0)
        }
        if let text = String(validating: bytes, as: UTF8.self) {
            attributes[attribute] = .text(text)
        } else {
            areReadable = false
        }
    }

    mutating func take(
        _ port: UInt16, _ name: SecProtocolType, _ authentication: SecAuthenticationType
    ) {
        if port != 0 { attributes[.port] = .integer(Int64(port)) }
        if name != .any {
            attributes[.networkProtocol] = .text(PasswordContent.text(ofCode: name.rawValue))
        }
        if authentication != .any {
            attributes[.authenticationType] = .text(
                PasswordContent.text(ofCode: authentication.rawValue))
        }
    }

    func add(
        _ password: UnsafeRawPointer?, _ count: UInt32, to keychain: SecKeychain?,
        _ itemRef: UnsafeMutablePointer<SecKeychainItem?>?
    ) -> OSStatus {
        guard areReadable else { return errSecParam }
        var secret = unsafe Secret(password, count)
        if secret == nil, count == 0 { secret = Secret(SecretBytes(byteCount: 0)) }
        guard let secret else { return errSecParam }
        var made: SecKeychainItem?
        let status = keychainStatus { () throws(KeychainError) in
            let target = try SecKeychain.meant(keychain)
            var item = NewItem(itemClass)
            item.attributes = attributes
            item.attributes[.label] =
                attributes[itemClass == .genericPassword ? .service : .server]
            item.secret = secret
            item.keychain = target.requested
            item.returning = .persistentReference
            let request = item
            let added = try processConnection.asking(nil) {
                (connection, access) throws(KeychainError) -> FoundItem in
                var item = request
                item.access = access
                return try connection.add(item)
            }
            made = added.persistentReference.map {
                SecKeychainItem($0, in: target.id.isLogin ? nil : target)
            }
        }
        if status == errSecSuccess { unsafe itemRef?.pointee = made }
        return status
    }

    func find(
        in keychainOrArray: CFTypeRef?, _ length: UnsafeMutablePointer<UInt32>?,
        _ data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        _ itemRef: UnsafeMutablePointer<SecKeychainItem?>?
    ) -> OSStatus {
        guard areReadable else { return errSecParam }
        let keychains: [SecKeychain]?
        do throws(ItemFailure) { keychains = try SecKeychain.optionalList(keychainOrArray) } catch {
            return errSecParam
        }
        var query = ItemQuery(itemClass)
        query.attributes = attributes
        query.synchronizable = .any
        query.returning = .persistentReference
        let wantsSecret = unsafe data != nil || length != nil
        if wantsSecret { query.returning.insert(.data) }
        let search = query
        var found: (item: FoundItem, keychain: UserKeychain)?
        let status = keychainStatus { () throws(KeychainError) in
            for keychain in try SecKeychain.searched(keychains) {
                if let item = try Self.first(search, in: keychain) {
                    found = (item, keychain)
                    return
                }
            }
            throw KeychainError(status: errSecItemNotFound, reason: .absent)
        }
        guard status == errSecSuccess, let found else { return status }
        if let secret = found.item.secret {
            unsafe length?.pointee = UInt32(clamping: secret.bytes.byteCount)
            if let data = unsafe data { unsafe data.pointee = PasswordContent.block(secret) }
        }
        if let itemRef = unsafe itemRef {
            unsafe itemRef.pointee = found.item.persistentReference.map {
                SecKeychainItem($0, in: found.keychain.id.isLogin ? nil : found.keychain)
            }
        }
        return errSecSuccess
    }

    private static func first(
        _ search: ItemQuery, in keychain: UserKeychain
    ) throws(KeychainError) -> FoundItem? {
        do throws(KeychainError) {
            let items = try processConnection.asking(nil) {
                (connection, access) throws(KeychainError) -> [FoundItem] in
                var query = search
                query.access = access
                query.keychain = keychain.requested
                return try connection.find(query)
            }
            return items.first
        } catch {
            guard error.reason == .absent else { throw error }
            return nil
        }
    }
}

extension SecKeychain {
    /// The keychains of an argument: one, or an array; nil for nil.
    /// - Throws: `errSecParam` for another object.
    static func optionalList(_ object: CFTypeRef?) throws(ItemFailure) -> [SecKeychain]? {
        guard let object else { return nil }
        if let keychain = object as? SecKeychain { return [keychain] }
        return try list(object)
    }

    /// The keychains that are searched; nil is the search list. Those that aren't there are passed over.
    static func searched(_ list: [SecKeychain]?) throws(KeychainError) -> [UserKeychain] {
        guard let list else { return try UserKeychain.searchList(processConnection) }
        var keychains: [UserKeychain] = []
        for keychain in list {
            do throws(KeychainError) { keychains.append(try meant(keychain)) } catch {
                guard error.reason == .noSuchKeychain || error.reason == .invalidKeychain else {
                    throw error
                }
            }
        }
        return keychains
    }
}
