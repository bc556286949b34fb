// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation
import Keychain
import SecretBytes
import SecurityWire

// What an object that stands for a password is of.

/// Changes a password's attributes, its secret, or both.
/// - Parameters:
///   - itemRef: The item.
///   - attrList: The attributes; nil: none changes.
///   - length: The byte count of the new secret.
///   - data: The new secret; nil: it stays.
/// - Returns: `errSecSuccess`; `errSecInvalidItemRef` for an item that was deleted; `errSecNoSuchAttr` for
///   an attribute that the class doesn't have; `errSecParam` for a number that isn't 4 bytes and for dates;
///   `errSecDuplicateItem`; `errSecInteractionNotAllowed` for a locked keychain.
@discardableResult
public func SecKeychainItemModifyContent(
    _ itemRef: SecKeychainItem, _ attrList: UnsafePointer<SecKeychainAttributeList>?,
    _ length: UInt32, _ data: UnsafeRawPointer?
) -> OSStatus {
    var changes = ItemChanges()
    if let list = unsafe attrList, let first = unsafe list.pointee.attr {
        for index in 0..<Int(unsafe list.pointee.count) {
            let tag = unsafe first[index].tag
            guard let attribute = PasswordContent.attribute(tag, of: itemRef) else {
                return errSecNoSuchAttr
            }
            var bytes: [UInt8] = []
            if let start = unsafe first[index].data {
                bytes = unsafe [UInt8](
                    UnsafeRawBufferPointer(start: start, count: Int(first[index].length)))
            }
            guard let value = PasswordContent.value(bytes, attribute) else { return errSecParam }
            changes.attributes[attribute] = value
        }
    }
    changes.secret = unsafe Secret(data, length)
    let wanted = changes
    return itemRef.status { () throws(KeychainError) in
        try processConnection.asking(nil) { (connection, access) throws(KeychainError) in
            var query = itemRef.query
            query.access = access
            try connection.update(query, applying: wanted)
        }
    }
}

/// A password's class, attributes and secret.
/// - Parameters:
///   - itemRef: The item.
///   - itemClass: Set to the class.
///   - attrList: Attributes with their tags; their bytes are set. Nil bytes: the item hasn't this attribute.
///   - length: Set to the byte count of the secret.
///   - outData: Set to the secret; nil: it isn't read.
/// - Returns: `errSecSuccess`; `errSecInvalidItemRef` for an item that was deleted; `errSecNoSuchAttr` for
///   an attribute that the class doesn't have; `errSecInteractionNotAllowed` for the secret of a locked
///   keychain. ``SecKeychainItemFreeContent(_:_:)`` frees attributes and secret.
@discardableResult
public func SecKeychainItemCopyContent(
    _ itemRef: SecKeychainItem, _ itemClass: UnsafeMutablePointer<SecItemClass>?,
    _ attrList: UnsafeMutablePointer<SecKeychainAttributeList>?,
    _ length: UnsafeMutablePointer<UInt32>?,
    _ outData: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> OSStatus {
    var attributes: [Attribute] = []
    let first = unsafe attrList?.pointee.attr
    let count = unsafe first == nil ? 0 : Int(attrList?.pointee.count ?? 0)
    for index in 0..<count {
        let tag = unsafe first?[index].tag ?? 0
        guard let attribute = PasswordContent.attribute(tag, of: itemRef) else {
            return errSecNoSuchAttr
        }
        attributes.append(attribute)
    }
    let wantsSecret = unsafe length != nil || outData != nil
    var items: [FoundItem] = []
    let status = itemRef.status { () throws(KeychainError) in
        items = try processConnection.asking(nil) {
            (connection, access) throws(KeychainError) -> [FoundItem] in
            var query = itemRef.query
            query.access = access
            query.limit = 1
            query.returning = wantsSecret ? [.attributes, .data] : .attributes
            return try connection.find(query)
        }
    }
    guard status == errSecSuccess, let found = items.first else { return status }
    for (index, attribute) in attributes.enumerated() {
        guard let place = unsafe first?.advanced(by: index) else { break }
        let bytes = found.attributes[attribute].map { PasswordContent.bytes($0, attribute) }
        unsafe place.pointee.length = UInt32(clamping: bytes?.count ?? 0)
        unsafe place.pointee.data = nil
        if let bytes { unsafe place.pointee.data = PasswordContent.block(bytes) }
    }
    if let itemClass = unsafe itemClass {
        unsafe itemClass.pointee =
            itemRef.reference.itemClass == .internetPassword
            ? .internetPasswordItemClass : .genericPasswordItemClass
    }
    if let secret = found.secret {
        unsafe length?.pointee = UInt32(clamping: secret.bytes.byteCount)
        if let outData = unsafe outData { unsafe outData.pointee = PasswordContent.block(secret) }
    }
    return errSecSuccess
}

/// Frees what ``SecKeychainItemCopyContent(_:_:_:_:_:)`` and the functions that find passwords have given,
/// and wipes it.
/// - Parameters:
///   - attrList: Attributes; their bytes are freed. May be nil.
///   - data: The secret. May be nil.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecKeychainItemFreeContent(
    _ attrList: UnsafeMutablePointer<SecKeychainAttributeList>?, _ data: UnsafeMutableRawPointer?
) -> OSStatus {
    if let list = unsafe attrList, let first = unsafe list.pointee.attr {
        for index in 0..<Int(unsafe list.pointee.count) {
            unsafe PasswordContent.release(first[index].data)
            unsafe first[index].data = nil
            unsafe first[index].length = 0
        }
    }
    unsafe PasswordContent.release(data)
    return errSecSuccess
}

/// Deletes a password.
/// - Parameter itemRef: The item.
/// - Returns: `errSecSuccess`; `errSecInvalidItemRef` for an item that was deleted before.
@discardableResult
public func SecKeychainItemDelete(_ itemRef: SecKeychainItem) -> OSStatus {
    itemRef.status { () throws(KeychainError) in
        try processConnection.asking(nil) { (connection, access) throws(KeychainError) in
            var query = itemRef.query
            query.access = access
            try connection.delete(query)
        }
    }
}

/// The keychain of a password.
/// - Parameters:
///   - itemRef: The item.
///   - keychainRef: Set to the keychain.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecKeychainItemCopyKeychain(
    _ itemRef: SecKeychainItem, _ keychainRef: UnsafeMutablePointer<SecKeychain?>
) -> OSStatus {
    unsafe keychainRef.pointee = SecKeychain(itemRef.keychain ?? .login)
    return errSecSuccess
}

extension SecKeychainItem {
    /// The item, and nothing else.
    fileprivate var query: ItemQuery {
        var query = ItemQuery(reference.itemClass)
        query.persistentReference = reference
        query.synchronizable = .any
        query.limit = nil
        query.keychain = keychain?.id
        return query
    }

    fileprivate func status(_ call: () throws(KeychainError) -> Void) -> OSStatus {
        let status = keychainStatus(call)
        return status == errSecItemNotFound ? errSecInvalidItemRef : status
    }
}

/// The bytes of attributes and secrets, as the older calls have them.
enum PasswordContent {
    /// The attribute of a tag; nil when the class of the item has none of it.
    static func attribute(_ tag: UInt32, of item: SecKeychainItem) -> Attribute? {
        let attribute: Attribute?
        switch tag {
        // The numbers of label and alias in a keychain file.
        case 7: attribute = .label
        case 8: attribute = .alias
        default:
            attribute = SecItemAttr(rawValue: tag).flatMap {
                Attribute(rawValue: text(ofCode: $0.rawValue))
            }
        }
        guard let attribute, attribute.isKnown(in: item.reference.itemClass) else { return nil }
        return attribute
    }

    /// Four characters.
    static func text(ofCode code: UInt32) -> String {
        let letters = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> UInt32($0)) }
        return String(decoding: letters, as: UTF8.self)
    }

    /// Numbers are four bytes, as the machine has them.
    static func bytes(_ value: AttributeValue, _ attribute: Attribute) -> [UInt8] {
        switch value {
        case .text(let text):
            let letters = [UInt8](text.utf8)
            guard isCode(attribute), letters.count == 4 else { return letters }
            return four(letters.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        case .data(let bytes): return bytes
        case .integer(let number): return four(UInt32(truncatingIfNeeded: number))
        case .real(let number): return [UInt8](String(number).utf8)
        case .date(let seconds): return date(seconds)
        }
    }

    /// - Returns: Nil for bytes that the attribute doesn't take.
    static func value(_ bytes: [UInt8], _ attribute: Attribute) -> AttributeValue? {
        if attribute.valueKind == .date { return nil }
        guard isCode(attribute) || attribute.valueKind == .number else {
            if attribute != .generic, let text = String(validating: bytes, as: UTF8.self) {
                return .text(text)
            }
            return .data(bytes)
        }
        guard bytes.count == 4 else { return nil }
        let number = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt32.self) }
        return isCode(attribute) ? .text(text(ofCode: number)) : .integer(Int64(number))
    }

    private static func isCode(_ attribute: Attribute) -> Bool {
        attribute == .networkProtocol || attribute == .authenticationType
    }

    private static func four(_ number: UInt32) -> [UInt8] {
        unsafe withUnsafeBytes(of: number) { unsafe [UInt8]($0) }
    }

    /// `YYYYMMDDHHMMSSZ` and a zero, UTC.
    private static func date(_ seconds: Double) -> [UInt8] {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second],
            from: Date(timeIntervalSinceReferenceDate: seconds.rounded(.down)))
        let numbers = [
            parts.year ?? 0, parts.month ?? 0, parts.day ?? 0, parts.hour ?? 0, parts.minute ?? 0,
            parts.second ?? 0,
        ]
        let digits = numbers.enumerated().map { index, number in
            let text = String(number)
            return String(repeating: "0", count: max(0, (index == 0 ? 4 : 2) - text.count)) + text
        }
        return [UInt8]((digits.joined() + "Z").utf8) + [0]
    }

    // MARK: - Memory that the caller frees

    static func block(_ secret: Secret) -> UnsafeMutableRawPointer {
        unsafe secret.bytes.withUnsafeBytes { bytes in unsafe copied(bytes) }
    }

    static func block(_ bytes: [UInt8]) -> UnsafeMutableRawPointer {
        unsafe bytes.withUnsafeBytes { unsafe copied($0) }
    }

    /// The byte count is kept before the bytes, so that they can be wiped.
    private static let headByteCount = 16

    private static func copied(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: headByteCount + bytes.count, alignment: headByteCount)
        unsafe block.storeBytes(of: bytes.count, as: Int.self)
        let content = unsafe block + headByteCount
        if let base = bytes.baseAddress {
            unsafe content.copyMemory(from: base, byteCount: bytes.count)
        }
        return unsafe content
    }

    /// Wipes and frees.
    static func release(_ content: UnsafeMutableRawPointer?) {
        guard let content = unsafe content else { return }
        let block = unsafe content - headByteCount
        let count = unsafe block.load(as: Int.self)
        unsafe SecretMemory.wipe(UnsafeMutableRawBufferPointer(start: content, count: count))
        unsafe block.deallocate()
    }
}
