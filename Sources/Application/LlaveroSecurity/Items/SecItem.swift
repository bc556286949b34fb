// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import Keychain

/// This process's connection, which is made with the first call.
let processConnection = KeychainConnection()

/// The calls over it.
private let calls = ItemCalls(processConnection)

/// Stores an item.
/// - Parameters:
///   - attributes: The item: `kSecClass`, its attributes, its secret under `kSecValueData`, and
///     what to return.
///   - result: Set to what was asked for; left alone when the call fails.
/// - Returns: `errSecSuccess`; `errSecDuplicateItem`; `errSecInteractionNotAllowed` while the
///   device is locked; `errSecNotAvailable` when no service answers; `errSecIO` when the answer was
///   lost and it can't be known whether the item was stored.
@discardableResult
public func SecItemAdd(
    _ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    unsafe calls.add(attributes, result)
}

/// Finds items.
/// - Parameters:
///   - query: Which items, how many (`kSecMatchLimit`, else one: the oldest), what to return.
///   - result: Set to an object, a dictionary, or an array when a limit other than one is given;
///     to nil when nothing was asked for; left alone when the call fails.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; `errSecInteractionNotAllowed` when an item
///   that matches can't be opened while the device is locked; `errSecNotAvailable` when no service
///   answers.
@discardableResult
public func SecItemCopyMatching(
    _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    unsafe calls.copyMatching(query, result)
}

/// Changes every item that a query matches, or none.
/// - Parameters:
///   - query: Which items.
///   - attributesToUpdate: Their new attributes and, under `kSecValueData`, secret.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; `errSecDuplicateItem` when an item with the new
///   primary key exists; else as ``SecItemAdd(_:_:)``.
@discardableResult
public func SecItemUpdate(
    _ query: CFDictionary, _ attributesToUpdate: CFDictionary
) -> OSStatus {
    calls.update(query, attributesToUpdate)
}

/// Deletes every item that a query matches.
/// - Parameter query: Which items.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; `errSecNotAvailable` when no service answers.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    calls.delete(query)
}

// On Apple's platforms a dictionary with `AnyHashable` keys is looked up by `kSec…` constants as
// well as by Swift strings. Foundation on Linux lacks the conformance that makes the two equal
// (swift-corelibs-foundation #3723); without it such look-ups find nothing. It is in this file
// because the linker drops a file of an archive that nothing refers to.
// swift-format-ignore: AvoidRetroactiveConformances
extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
    /// The text as a Swift string, so that both hash and compare alike.
    public func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(self as String) }
}
