// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// When an item may be used, and what must be proven each time.
public final class SecAccessControl: NSObject, @unchecked Sendable {
    // `@unchecked Sendable`: immutable; `NSObject` isn't Sendable as such.

    /// When the item's key is there: an accessibility code, or a dictionary taken unchecked.
    let protection: NSObject
    /// What each operation asks for; nil for the access control of an item that was stored
    /// without one, which says no more than its accessibility.
    let operations: Operations?

    init(protection: NSObject, operations: Operations?) {
        self.protection = protection
        self.operations = operations
    }

    /// Whether it asks for nothing beyond the accessibility.
    var isTrivial: Bool { operations == nil || operations == .unconstrained }

    /// Whether it asks for nothing beyond the accessibility when a private key is used.
    var isTrivialForKeys: Bool { isTrivial || operations == .keyUse(nil, password: false) }

    /// The accessibility code; nil for a dictionary.
    var accessibilityCode: String? { (protection as? NSString).map { $0 as String } }

    /// What is compared: without operations and without constraints is the same, so that the access
    /// control of a stored item is equal to the one that the item was stored with.
    private var comparedOperations: Operations { operations ?? .unconstrained }

    /// Whether both say the same.
    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecAccessControl else { return false }
        return protection.isEqual(other.protection)
            && comparedOperations == other.comparedOperations
    }

    /// A digest of what it says.
    override public var hash: Int {
        var hasher = Hasher()
        hasher.combine(protection)
        hasher.combine(comparedOperations)
        return hasher.finalize()
    }
}

/// The type of access controls.
public func SecAccessControlGetTypeID() -> CFTypeID { TypeID.accessControl }

/// Makes an access control.
/// - Parameters:
///   - allocator: Not looked at.
///   - protection: A `kSecAttrAccessible…` value.
///   - flags: What must be proven. User presence goes only with an application password and
///     private-key use; "or" doesn't go with "and", nor any biometry with the current set.
///   - error: Where to put the reason, `errSecParam`.
/// - Returns: Nil for a combination that can't be meant.
public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    guard let object = protection as? NSObject, isProtection(object) else {
        return unsafe refuse("The accessibility isn't one of kSecAttrAccessible….", error)
    }
    if let reason = flags.contradiction { return unsafe refuse(reason, error) }
    let copy = (object as? NSString).map { NSString(string: $0 as String) } ?? object
    return SecAccessControl(
        protection: copy, operations: SecAccessControl.Operations(flags))
}

private let protectionCodes: Set<String> = ["ak", "ck", "dk", "aku", "cku", "dku", "akpu", "f"]

private func isProtection(_ object: NSObject) -> Bool {
    if let text = object as? NSString { return protectionCodes.contains(text as String) }
    return object is NSDictionary
}

private func refuse(
    _ reason: String, _ target: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    if let target = unsafe target {
        unsafe target.pointee = Unmanaged.passRetained(error(errSecParam, reason))
    }
    return nil
}
