// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// For files that import CoreFoundation beside Security. The names that both declare then mean
// Foundation's classes, as in Security; all others are the toolchain's CoreFoundation. The compiler
// finds this module before the toolchain's only if its folder is in the search path.

@_exported public import CoreFoundation
public import Foundation

public typealias CFTypeRef = AnyObject
public typealias CFString = NSString
public typealias CFMutableString = NSMutableString
public typealias CFDictionary = NSDictionary
public typealias CFMutableDictionary = NSMutableDictionary
public typealias CFArray = NSArray
public typealias CFMutableArray = NSMutableArray
public typealias CFSet = NSSet
public typealias CFMutableSet = NSMutableSet
public typealias CFData = NSData
public typealias CFMutableData = NSMutableData
public typealias CFDate = NSDate
public typealias CFURL = NSURL
public typealias CFUUID = NSUUID
public typealias CFNull = NSNull
public typealias CFNumber = NSNumber
public typealias CFBoolean = NSNumber
public typealias CFError = NSError
public typealias CFErrorDomain = NSString
public typealias CFIndex = Int
public typealias CFTypeID = UInt
public typealias CFHashCode = UInt
public typealias CFOptionFlags = UInt
public typealias CFTimeInterval = Double
public typealias CFAbsoluteTime = Double

// Constants that both have. These hide the toolchain's, whose types are C's, and give way to Security's where
// a file imports that as well. They are put into the program that uses them: this module has no library.

@_disfavoredOverload @_alwaysEmitIntoClient
public var kCFBooleanTrue: CFBoolean! { NSNumber(value: true) }
@_disfavoredOverload @_alwaysEmitIntoClient
public var kCFBooleanFalse: CFBoolean! { NSNumber(value: false) }
@_disfavoredOverload @_alwaysEmitIntoClient
public var kCFNull: CFNull! { NSNull() }
@_disfavoredOverload @_alwaysEmitIntoClient
public var kCFErrorDomainOSStatus: CFErrorDomain! { "NSOSStatusErrorDomain" }
@_disfavoredOverload @_alwaysEmitIntoClient
public var kCFErrorDomainPOSIX: CFErrorDomain! { "NSPOSIXErrorDomain" }
@_disfavoredOverload @_alwaysEmitIntoClient
public var kCFErrorDomainCocoa: CFErrorDomain! { "NSCocoaErrorDomain" }
