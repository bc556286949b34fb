// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import CoreFoundation
public import Foundation

/// Type identifiers of the classes that Core Foundation doesn't know. Its own identifiers are small
/// numbers.
enum TypeID {
    static let accessControl: CFTypeID = 0x1001
    static let certificate: CFTypeID = 0x1002
    static let key: CFTypeID = 0x1003
    static let identity: CFTypeID = 0x1004
    static let policy: CFTypeID = 0x1005
    static let trust: CFTypeID = 0x1006
    static let task: CFTypeID = 0x1007
    static let keychainItem: CFTypeID = 0x1008
    static let keychain: CFTypeID = 0x1009
    /// Core Foundation's identifier for an object of no known type.
    static let unknown: CFTypeID = 1
}

/// The type of an object, as Core Foundation's `…GetTypeID` functions report it.
public func CFGetTypeID(_ object: CFTypeRef!) -> CFTypeID {
    switch object {
    case nil: TypeID.unknown
    case let number as NSNumber:
        isBoolean(number) ? CFBooleanGetTypeID() : CFNumberGetTypeID()
    case is NSString: CFStringGetTypeID()
    case is NSData: CFDataGetTypeID()
    case is NSDictionary: CFDictionaryGetTypeID()
    case is NSArray: CFArrayGetTypeID()
    case is NSDate: CFDateGetTypeID()
    case is NSSet: CFSetGetTypeID()
    case is NSNull: CFNullGetTypeID()
    case is NSURL: CFURLGetTypeID()
    case is NSUUID: CFUUIDGetTypeID()
    case is NSError: CFErrorGetTypeID()
    case is SecAccessControl: TypeID.accessControl
    case is SecCertificate: TypeID.certificate
    case is SecKey: TypeID.key
    case is SecIdentity: TypeID.identity
    case is SecPolicy: TypeID.policy
    case is SecTrust: TypeID.trust
    case is SecTask: TypeID.task
    case is SecKeychainItem: TypeID.keychainItem
    case is SecKeychain: TypeID.keychain
    default: TypeID.unknown
    }
}

/// Whether a number was made from a truth value.
package func isBoolean(_ number: NSNumber) -> Bool {
    CoreFoundation.CFGetTypeID(number) == CoreFoundation.CFBooleanGetTypeID()
}

// In a file that also imports CoreFoundation, calls with the same signature use CoreFoundation's
// functions.

/// The type of truth values.
@_disfavoredOverload
public func CFBooleanGetTypeID() -> CFTypeID { CoreFoundation.CFBooleanGetTypeID() }
/// The type of numbers.
@_disfavoredOverload
public func CFNumberGetTypeID() -> CFTypeID { CoreFoundation.CFNumberGetTypeID() }
/// The type of text.
@_disfavoredOverload
public func CFStringGetTypeID() -> CFTypeID { CoreFoundation.CFStringGetTypeID() }
/// The type of bytes.
@_disfavoredOverload
public func CFDataGetTypeID() -> CFTypeID { CoreFoundation.CFDataGetTypeID() }
/// The type of dictionaries.
@_disfavoredOverload
public func CFDictionaryGetTypeID() -> CFTypeID { CoreFoundation.CFDictionaryGetTypeID() }
/// The type of arrays.
@_disfavoredOverload
public func CFArrayGetTypeID() -> CFTypeID { CoreFoundation.CFArrayGetTypeID() }
/// The type of dates.
@_disfavoredOverload
public func CFDateGetTypeID() -> CFTypeID { CoreFoundation.CFDateGetTypeID() }
/// The type of sets.
@_disfavoredOverload
public func CFSetGetTypeID() -> CFTypeID { CoreFoundation.CFSetGetTypeID() }
/// The type of the null object.
@_disfavoredOverload
public func CFNullGetTypeID() -> CFTypeID { CoreFoundation.CFNullGetTypeID() }
/// The type of URLs.
@_disfavoredOverload
public func CFURLGetTypeID() -> CFTypeID { CoreFoundation.CFURLGetTypeID() }
/// The type of UUIDs.
@_disfavoredOverload
public func CFUUIDGetTypeID() -> CFTypeID { CoreFoundation.CFUUIDGetTypeID() }
/// The type of errors.
@_disfavoredOverload
public func CFErrorGetTypeID() -> CFTypeID { CoreFoundation.CFErrorGetTypeID() }

/// Whether two objects are equal.
@_disfavoredOverload
public func CFEqual(_ left: CFTypeRef!, _ right: CFTypeRef!) -> Bool {
    if left === right { return true }
    guard let left = left as? NSObject, let right = right as? NSObject else { return false }
    return left.isEqual(right)
}

/// A hash value of an object's content: equal objects have equal ones.
@_disfavoredOverload
public func CFHash(_ object: CFTypeRef!) -> CFHashCode {
    guard let object else { return 0 }
    guard let object = object as? NSObject else {
        return CFHashCode(bitPattern: ObjectIdentifier(object).hashValue)
    }
    return CFHashCode(bitPattern: object.hash)
}

/// The value of a truth value.
public func CFBooleanGetValue(_ boolean: CFBoolean!) -> Bool { boolean?.boolValue ?? false }

/// Seconds since 2001-01-01 00:00:00 UTC, now.
@_disfavoredOverload
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date().timeIntervalSinceReferenceDate }

/// How many UTF-16 units a text has.
public func CFStringGetLength(_ string: CFString!) -> CFIndex { string?.length ?? 0 }

/// How many elements an array has.
public func CFArrayGetCount(_ array: CFArray!) -> CFIndex { array?.count ?? 0 }

/// How many keys a dictionary has.
public func CFDictionaryGetCount(_ dictionary: CFDictionary!) -> CFIndex { dictionary?.count ?? 0 }

/// How many bytes a data object has.
public func CFDataGetLength(_ data: CFData!) -> CFIndex { data?.length ?? 0 }

/// An empty dictionary; the capacity is a hint and the callbacks are always those of objects.
public func CFDictionaryCreateMutable(
    _ allocator: CFAllocator?, _ capacity: CFIndex, _ keyCallBacks: UnsafeRawPointer?,
    _ valueCallBacks: UnsafeRawPointer?
) -> CFMutableDictionary! {
    NSMutableDictionary()
}

/// A new UUID.
public func CFUUIDCreate(_ allocator: CFAllocator?) -> CFUUID! { NSUUID() }

/// The text of a UUID.
public func CFUUIDCreateString(_ allocator: CFAllocator?, _ uuid: CFUUID!) -> CFString! {
    uuid.map { NSString(string: $0.uuidString) }
}

/// An error's code.
public func CFErrorGetCode(_ error: CFError!) -> CFIndex { error?.code ?? 0 }

/// Makes an error.
/// - Parameters:
///   - allocator: Not used.
///   - domain: The domain of the code: `kCFErrorDomainOSStatus` for those of this module.
///   - code: The code.
///   - userInfo: Further information; may be nil.
/// - Returns: The error; nil without a domain.
public func CFErrorCreate(
    _ allocator: CFAllocator?, _ domain: CFErrorDomain!, _ code: CFIndex, _ userInfo: CFDictionary!
) -> CFError! {
    domain.map {
        NSError(
            domain: $0 as String, code: code,
            userInfo: (userInfo as? [String: Any]) ?? [:])
    }
}

/// An error's domain.
public func CFErrorGetDomain(_ error: CFError!) -> CFErrorDomain! {
    error.map { NSString(string: $0.domain) }
}

/// An error's information besides its code.
public func CFErrorCopyUserInfo(_ error: CFError!) -> CFDictionary! {
    error.map { NSDictionary(dictionary: $0.userInfo) }
}

/// An error in one sentence.
public func CFErrorCopyDescription(_ error: CFError!) -> CFString! {
    error.map { NSString(string: $0.localizedDescription) }
}
