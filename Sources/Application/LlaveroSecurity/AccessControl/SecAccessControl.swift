// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// When an item may be used, and what must be proven each time.
public final class SecAccessControl: NSObject, @unchecked Sendable {
    // `@unchecked Sendable`: immutable; `NSObject` itself isn't Sendable.

    /// When the item's key is available: an accessibility code, or a dictionary taken unchecked.
    let protection: NSObject
    /// The requirements of each operation; nil for the access control of an item that was stored
    /// without one, which has only its accessibility.
    let operations: Operations?

    init(protection: NSObject, operations: Operations?) {
        self.protection = protection
        self.operations = operations
    }

    /// Whether it requires nothing beyond the accessibility.
    var isTrivial: Bool { operations == nil || operations == .unconstrained }

    /// Whether using a private key requires nothing beyond the accessibility.
    var isTrivialForKeys: Bool { isTrivial || operations == .keyUse(nil, password: false) }

    /// The accessibility code; nil for a dictionary.
    var accessibilityCode: String? { (protection as? NSString).map { $0 as String } }

    /// The value for comparisons. No operations and no constraints are equal, so that a stored
    /// item's access control equals the one that it was stored with.
    private var comparedOperations: Operations { operations ?? .unconstrained }

    /// Whether both are equal.
    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecAccessControl else { return false }
        return protection.isEqual(other.protection)
            && comparedOperations == other.comparedOperations
    }

    /// A hash value.
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
///   - allocator: Ignored.
///   - protection: A `kSecAttrAccessible…` value.
///   - flags: What must be proven. User presence can be combined only with an application password
///     and private-key use. "Or" excludes "and", and any biometry excludes the current set.
///   - error: Where to put the reason, `errSecParam`.
/// - Returns: Nil for an invalid combination.
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
