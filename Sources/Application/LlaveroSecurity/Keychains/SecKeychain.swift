// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import SecurityWire

// Types of the old keychain of macOS that appear in signatures of the functions here. There is one
// keychain, and it isn't a file. No object of a keychain or of an access is ever made; nil stands
// for the keychain.

/// A keychain file.
public final class SecKeychain: NSObject, Sendable {
    override private init() {}
}

/// A stored password without its secret. The object still refers to the item when its attributes
/// change. After the item is deleted, lookups with the object find nothing.
public final class SecKeychainItem: NSObject, Sendable {
    let reference: PersistentReference

    init(_ reference: PersistentReference) { self.reference = reference }

    /// Whether both refer to the same item.
    override public func isEqual(_ object: Any?) -> Bool {
        (object as? SecKeychainItem)?.reference == reference
    }

    /// The hash value of the item's reference.
    override public var hash: Int { reference.hashValue }
}

/// The type of objects that stand for passwords.
public func SecKeychainItemGetTypeID() -> CFTypeID { TypeID.keychainItem }

/// Which programs may use an item of a keychain file.
public final class SecAccess: NSObject, Sendable {
    override private init() {}
}

/// The dialog for importing or exporting a key, and the key's protection.
@unsafe public struct SecItemImportExportKeyParameters {
    /// The version of this structure; 0.
    public var version: UInt32 = 0
    /// Options for keys.
    public var flags: SecKeyImportExportFlags = []
    /// The passphrase; text or data.
    public var passphrase: Unmanaged<CFTypeRef>?
    /// The title of the question for one.
    public var alertTitle: Unmanaged<CFString>?
    /// The text of the question for one.
    public var alertPrompt: Unmanaged<CFString>?
    /// The access rights of the imported keys.
    public var accessRef: Unmanaged<SecAccess>?
    /// The allowed uses of the keys.
    public var keyUsage: Unmanaged<CFArray>?
    /// Other attributes of the keys.
    public var keyAttributes: Unmanaged<CFArray>?

    /// Empty parameters.
    public init() {}
}

/// The older form of ``SecItemImportExportKeyParameters``.
@unsafe public struct SecKeyImportExportParameters {
    /// The version of this structure; 0.
    public var version: UInt32 = 0
    /// Options for keys.
    public var flags: SecKeyImportExportFlags = []
    /// The passphrase; text or data.
    public var passphrase: Unmanaged<CFTypeRef>?
    /// The title of the question for one.
    public var alertTitle: Unmanaged<CFString>?
    /// The text of the question for one.
    public var alertPrompt: Unmanaged<CFString>?
    /// The access rights of the imported keys.
    public var accessRef: Unmanaged<SecAccess>?
    /// The allowed uses of the keys.
    public var keyUsage: UInt32 = 0
    /// Other attributes of the keys.
    public var keyAttributes: UInt32 = 0

    /// Empty parameters.
    public init() {}
}
