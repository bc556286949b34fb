// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

@_exported public import Foundation

// Core Foundation's types under their names in Swift. They are aliases of Foundation's classes,
// because on Linux values bridge to those at run time: `[kSecClass: …] as CFDictionary` works, and
// so do casts of results. Values can't be bridged to the clang types of CoreFoundation.

/// Any object.
public typealias CFTypeRef = AnyObject
/// Text.
public typealias CFString = NSString
/// Text that can be changed.
public typealias CFMutableString = NSMutableString
/// Keys and values.
public typealias CFDictionary = NSDictionary
/// Keys and values that can be changed.
public typealias CFMutableDictionary = NSMutableDictionary
/// Objects in order.
public typealias CFArray = NSArray
/// Objects in order that can be changed.
public typealias CFMutableArray = NSMutableArray
/// Objects without order.
public typealias CFSet = NSSet
/// Objects without order that can be changed.
public typealias CFMutableSet = NSMutableSet
/// Bytes.
public typealias CFData = NSData
/// Bytes that can be changed.
public typealias CFMutableData = NSMutableData
/// A point in time.
public typealias CFDate = NSDate
/// A URL.
public typealias CFURL = NSURL
/// A UUID.
public typealias CFUUID = NSUUID
/// Nothing, as an object.
public typealias CFNull = NSNull
/// A number.
public typealias CFNumber = NSNumber
/// True or false, as an object.
public typealias CFBoolean = NSNumber
/// An error.
public typealias CFError = NSError
/// The domain of an error's code.
public typealias CFErrorDomain = NSString

/// A result code of Apple's older interfaces; 0 is success.
public typealias OSStatus = Int32
/// Four characters as a number.
public typealias OSType = UInt32
/// Four characters as a number.
public typealias FourCharCode = UInt32
/// A count or a position.
public typealias CFIndex = Int
/// The type of an object.
public typealias CFTypeID = UInt
/// A hash value of an object's content.
public typealias CFHashCode = UInt
/// Bits.
public typealias CFOptionFlags = UInt
/// Seconds.
public typealias CFTimeInterval = Double
/// Seconds since 2001-01-01 00:00:00 UTC.
public typealias CFAbsoluteTime = Double

/// Where a function puts an error.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// A truth value in one byte.
public struct DarwinBoolean: ExpressibleByBooleanLiteral, Hashable, Sendable {
    private let byte: UInt8

    /// Makes one from a truth value.
    public init(_ value: Bool) { byte = value ? 1 : 0 }

    /// Makes one from a literal.
    public init(booleanLiteral value: Bool) { self.init(value) }

    /// The truth value.
    public var boolValue: Bool { byte != 0 }
}

/// A memory allocator; there is only one, and functions ignore the parameter.
public final class CFAllocator: NSObject, Sendable {
    override fileprivate init() {}
}

/// The allocator.
public let kCFAllocatorDefault: CFAllocator! = CFAllocator()
/// True.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
/// False.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)
/// Nothing.
public let kCFNull: CFNull! = NSNull()
/// The key of a bundle's identifier.
@safe public nonisolated(unsafe) let kCFBundleIdentifierKey: CFString! = "CFBundleIdentifier"
/// The key of a bundle's name.
@safe public nonisolated(unsafe) let kCFBundleNameKey: CFString! = "CFBundleName"
/// The domain of result codes of Apple's older interfaces.
@safe public nonisolated(unsafe) let kCFErrorDomainOSStatus: CFErrorDomain! =
    "NSOSStatusErrorDomain"
/// The domain of the system's error numbers.
@safe public nonisolated(unsafe) let kCFErrorDomainPOSIX: CFErrorDomain! = "NSPOSIXErrorDomain"
/// The domain of Foundation's errors.
@safe public nonisolated(unsafe) let kCFErrorDomainCocoa: CFErrorDomain! = "NSCocoaErrorDomain"
/// The key of an error's sentence for a person.
@safe public nonisolated(unsafe) let kCFErrorLocalizedDescriptionKey: CFString! =
    "NSLocalizedDescription"
/// The key of the error behind an error.
@safe public nonisolated(unsafe) let kCFErrorUnderlyingErrorKey: CFString! = "NSUnderlyingError"
