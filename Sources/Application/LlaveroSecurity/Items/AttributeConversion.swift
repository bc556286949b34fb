// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc
import SecretBytes
import SecurityWire

// Values of dictionaries as values of attributes and back. The conversions are those of
// Apple's SecItem, as observed: a type that an attribute doesn't take is errSecParam, never a guess.

extension AttributeValue {
    /// Takes the value of an attribute from a dictionary.
    init(_ object: AnyObject, for attribute: Attribute) throws(ItemFailure) {
        switch attribute {
        case .multiUser: self = .data(try Self.userBytes(object))
        case .sha1: self = .data(try Self.bytes(object, count: 20))
        case .synchronizable, .tombstone: self = .integer(try Self.truth(object) ? 1 : 0)
        default:
            switch attribute.valueKind {
            case .blob: self = try Self.blob(object)
            case .data: self = .data(try Self.bytes(object))
            case .text: self = .text(try Self.text(object))
            case .number: self = try Self.number(object)
            case .date: self = .date(try Self.seconds(object))
            }
        }
    }

    /// Text, data or a number, kept as it is; a truth value is refused.
    private static func blob(_ object: AnyObject) throws(ItemFailure) -> AttributeValue {
        if let text = object as? NSString { return .text(text as String) }
        if let data = object as? NSData { return .data(data.byteArray) }
        guard let number = object as? NSNumber, !isBoolean(number) else {
            throw ItemFailure(errSecParam)
        }
        return try self.number(number)
    }

    /// A number; a truth value is 0 or 1, and text that is a decimal integer is that number.
    private static func number(_ object: AnyObject) throws(ItemFailure) -> AttributeValue {
        if let text = object as? NSString {
            let text = text as String
            if let value = Int64(text), String(value) == text { return .integer(value) }
            return .text(text)
        }
        guard let number = object as? NSNumber else { throw ItemFailure(errSecParam) }
        if isReal(number) { return .real(number.doubleValue) }
        let isAboveRange =
            unsafe number.objCType.pointee == CChar(bitPattern: UInt8(ascii: "Q"))
            && number.uint64Value > UInt64(Int64.max)
        guard !isAboveRange else { throw ItemFailure(errSecParam) }
        return .integer(number.int64Value)
    }

    private static func text(_ object: AnyObject) throws(ItemFailure) -> String {
        if let text = object as? NSString { return text as String }
        guard let data = object as? NSData,
            let text = String(validating: data.byteArray, as: UTF8.self)
        else { throw ItemFailure(errSecParam) }
        return text
    }

    private static func bytes(_ object: AnyObject) throws(ItemFailure) -> [UInt8] {
        if let data = object as? NSData { return data.byteArray }
        if let text = object as? NSString { return [UInt8]((text as String).utf8) }
        guard let number = object as? NSNumber, !isBoolean(number), !isReal(number),
            let value = Int32(exactly: number.int64Value)
        else { throw ItemFailure(errSecParam) }
        return unsafe withUnsafeBytes(of: value.littleEndian) { unsafe [UInt8]($0) }
    }

    private static func bytes(_ object: AnyObject, count: Int) throws(ItemFailure) -> [UInt8] {
        guard let data = object as? NSData, data.length == count else {
            throw ItemFailure(errSecParam)
        }
        return data.byteArray
    }

    /// A user: 16 bytes, a UUID, or nothing.
    private static func userBytes(_ object: AnyObject) throws(ItemFailure) -> [UInt8] {
        if object is NSNull { return [] }
        if let uuid = object as? NSUUID {
            var bytes = [UInt8](repeating: 0, count: 16)
            unsafe bytes.withUnsafeMutableBufferPointer {
                if let base = $0.baseAddress { unsafe uuid.getBytes(base) }
            }
            return bytes
        }
        guard let data = object as? NSData, data.length == 0 || data.length == 16 else {
            throw ItemFailure(errSecParam)
        }
        return data.byteArray
    }

    /// A flag: a truth value, a number, or a decimal number as text.
    private static func truth(_ object: AnyObject) throws(ItemFailure) -> Bool {
        switch try number(object) {
        case .integer(let value): return value != 0
        case .real(let value): return value != 0
        case .text, .data, .date: throw ItemFailure(errSecParam)
        }
    }

    private static func seconds(_ object: AnyObject) throws(ItemFailure) -> Double {
        guard let date = object as? NSDate, date.timeIntervalSinceReferenceDate.isFinite else {
            throw ItemFailure(errSecParam)
        }
        return date.timeIntervalSinceReferenceDate
    }

    private static func isReal(_ number: NSNumber) -> Bool {
        let type = unsafe UInt8(bitPattern: number.objCType.pointee)
        return type == UInt8(ascii: "d") || type == UInt8(ascii: "f")
    }

}

extension AttributeValue {
    /// The object that stands for the value in a result. Flags are numbers, never truth values:
    /// a truth value read through `[String: Any]` couldn't be cast to `Int`.
    var object: NSObject {
        switch self {
        case .text(let text): NSString(string: text)
        case .data(let bytes): WipedData(bytes)
        case .integer(let value): NSNumber(value: Int(value))
        case .real(let value): NSNumber(value: value)
        case .date(let seconds): NSDate(timeIntervalSinceReferenceDate: seconds)
        }
    }
}

extension Secret {
    /// Takes the secret from a dictionary, straight into memory for secrets.
    /// - Throws: `errSecParam` unless it is data.
    convenience init(_ object: AnyObject) throws(ItemFailure) {
        guard let data = object as? NSData else { throw ItemFailure(errSecParam) }
        let bytes = unsafe UnsafeRawBufferPointer(
            start: data.length > 0 ? data.bytes : nil, count: data.length)
        self.init(unsafe SecretBytes(copying: bytes))
    }

    /// Takes text as a secret, its UTF-8, straight into memory for secrets.
    /// - Throws: `errSecParam` for text that has none.
    convenience init(text: NSString) throws(ItemFailure) {
        let encoding = String.Encoding.utf8.rawValue
        let count = text.lengthOfBytes(using: encoding)
        guard count > 0 || text.length == 0 else { throw ItemFailure(errSecParam) }
        self.init(
            unsafe SecretBytes(byteCount: count) { target in
                unsafe _ = text.getBytes(
                    target.baseAddress, maxLength: count, usedLength: nil, encoding: encoding,
                    options: [], range: NSRange(location: 0, length: text.length), remaining: nil)
            })
    }
}

extension ItemClass {
    /// Takes the class from a dictionary.
    init(_ object: AnyObject) throws(ItemFailure) {
        guard let name = object as? NSString else { throw ItemFailure(errSecParam, .itemClass) }
        guard let itemClass = ItemClass(rawValue: name as String) else {
            throw ItemFailure(errSecNoSuchClass, .itemClass)
        }
        self = itemClass
    }
}

/// Whether a value that a call ignores is one that could have been sent: a property list's, or one
/// of this module's. Any other object is errSecParam.
func isSendable(_ object: AnyObject) -> Bool {
    object is NSString || object is NSNumber || object is NSData || object is NSArray
        || object is NSDictionary || object is NSDate || object is NSNull || object is NSUUID
        || object is SecCertificate || object is SecKey || object is SecIdentity
        || object is SecAccessControl || object is SecKeychainItem || object is SecKeychain
}

/// A truth value and nothing that only looks like one.
func boolean(_ object: AnyObject) -> Bool? {
    guard let number = object as? NSNumber, isBoolean(number) else { return nil }
    return number.boolValue
}

extension NSData {
    /// The bytes in one copy; `as? Data` would take 57 ns for each.
    var byteArray: [UInt8] {
        guard length > 0 else { return [] }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: length))
    }
}
