// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecretBytes
import SecurityWire

/// What a call's result looks like: one object, a dictionary of several,
/// or an array of either.
struct ResultShape {
    private let flags: ReturnFlags
    private let itemClass: ItemClass
    /// The result of an add leaves some attributes out.
    private let isAdd: Bool
    /// What an add was given; a copy tells each item's accessibility in its place.
    private let accessControl: SecAccessControl?

    /// The shape of a copy's results.
    init(copy flags: ReturnFlags, itemClass: ItemClass) {
        self.flags = flags
        self.itemClass = itemClass
        isAdd = false
        accessControl = nil
    }

    /// The shape of an add's result.
    init(add flags: ReturnFlags, itemClass: ItemClass, accessControl: SecAccessControl?) {
        self.flags = flags
        self.itemClass = itemClass
        isAdd = true
        self.accessControl = accessControl
    }

    /// The result for several items; one that has nothing to show is left out.
    ///
    /// The array is bridged and not made by `NSArray(array:)`: a program that is linked with
    /// `-static-stdlib` has Foundation's bridging of arrays only if something refers to it, and
    /// without it the application's own `as? [[String: Any]]` is nil (Swift 6.3).
    func array(_ items: [FoundItem]) -> NSArray {
        items.compactMap { object($0) } as NSArray
    }

    /// The result for one item; nil when there is nothing to show. Passwords have no reference
    /// object, so `kSecReturnRef` alone shows nothing.
    func object(_ item: FoundItem) -> NSObject? {
        switch flags {
        case [], .reference: return nil
        case .data: return item.secret.map(WipedData.init)
        case .persistentReference: return item.persistentReference.map { WipedData($0.bytes) }
        default: return dictionary(item)
        }
    }

    private func dictionary(_ item: FoundItem) -> NSDictionary {
        var keys: [NSObject] = []
        var values: [AnyObject] = []
        keys.reserveCapacity(24)
        values.reserveCapacity(24)
        func put(_ key: NSString, _ value: AnyObject) {
            keys.append(key)
            values.append(value)
        }
        if flags.showsAttributes { putAttributes(of: item, put) }
        if flags.contains(.reference) { put(kSecClass, NSString(string: itemClass.rawValue)) }
        if flags.contains(.data), let secret = item.secret {
            put(kSecValueData, WipedData(secret))
        }
        if let reference = item.persistentReference {
            put(kSecValuePersistentRef, WipedData(reference.bytes))
        }
        return unsafe keys.withUnsafeBufferPointer { keys in
            unsafe values.withUnsafeBufferPointer { values in
                guard let key = keys.baseAddress, let value = values.baseAddress else {
                    return NSDictionary()
                }
                return unsafe NSDictionary(objects: value, forKeys: key, count: keys.count)
            }
        }
    }

    private func putAttributes(of item: FoundItem, _ put: (NSString, AnyObject) -> Void) {
        for (attribute, key) in Self.keys {
            if isAdd, attribute == .tombstone || attribute == .multiUser { continue }
            if let value = item.attributes[attribute] {
                put(key, value.object)
            } else if let value = Self.defaults[attribute], !isAdd {
                put(key, value.object)
            }
        }
        if let accessControl {
            put(kSecAttrAccessControl, accessControl)
        } else if !isAdd, let accessibility = item.attributes.accessibility {
            put(
                kSecAttrAccessControl,
                SecAccessControl(
                    protection: NSString(string: accessibility.code), operations: nil))
        }
    }

    @safe nonisolated(unsafe) private static let keys: [(Attribute, NSString)] =
        Attribute.allCases.map { ($0, NSString(string: $0.rawValue)) }

    /// Attributes that every item has: those of the primary key, and the row's own.
    private static let defaults: [Attribute: AttributeValue] = [
        .account: .text(""), .service: .text(""), .synchronizable: .integer(0),
        .tombstone: .integer(0), .multiUser: .data([]),
    ]
}
