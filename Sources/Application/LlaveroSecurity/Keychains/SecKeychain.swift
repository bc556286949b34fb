// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import SecurityWire

// Types of the old keychain of macOS that appear in signatures of the functions here. There is one
// keychain and it isn't a file: no object of it or of an access is ever made, nil stands for it.

/// A keychain file.
public final class SecKeychain: NSObject, Sendable {
    override private init() {}
}

/// A stored password, wherever its attributes go; without its secret. Once it is deleted nothing is
/// found by the object any more.
public final class SecKeychainItem: NSObject, Sendable {
    let reference: PersistentReference

    init(_ reference: PersistentReference) { self.reference = reference }

    /// Whether both stand for the same item.
    override public func isEqual(_ object: Any?) -> Bool {
        (object as? SecKeychainItem)?.reference == reference
    }

    /// Of the item's reference.
    override public var hash: Int { reference.hashValue }
}

/// The type of objects that stand for passwords.
public func SecKeychainItemGetTypeID() -> CFTypeID { TypeID.keychainItem }

/// Which programs may use an item of a keychain file.
public final class SecAccess: NSObject, Sendable {
    override private init() {}
}

/// Who is asked when a key is imported or exported, and how it is protected.
@unsafe public struct SecItemImportExportKeyParameters {
    /// The version of this structure; 0.
    public var version: UInt32 = 0
    /// What is done with keys.
    public var flags: SecKeyImportExportFlags = []
    /// The passphrase; text or data.
    public var passphrase: Unmanaged<CFTypeRef>?
    /// The title of the question for one.
    public var alertTitle: Unmanaged<CFString>?
    /// The text of the question for one.
    public var alertPrompt: Unmanaged<CFString>?
    /// Who may use what is imported.
    public var accessRef: Unmanaged<SecAccess>?
    /// What keys may be used for.
    public var keyUsage: Unmanaged<CFArray>?
    /// What keys are otherwise.
    public var keyAttributes: Unmanaged<CFArray>?

    /// Parameters that say nothing.
    public init() {}
}

/// The older form of ``SecItemImportExportKeyParameters``.
@unsafe public struct SecKeyImportExportParameters {
    /// The version of this structure; 0.
    public var version: UInt32 = 0
    /// What is done with keys.
    public var flags: SecKeyImportExportFlags = []
    /// The passphrase; text or data.
    public var passphrase: Unmanaged<CFTypeRef>?
    /// The title of the question for one.
    public var alertTitle: Unmanaged<CFString>?
    /// The text of the question for one.
    public var alertPrompt: Unmanaged<CFString>?
    /// Who may use what is imported.
    public var accessRef: Unmanaged<SecAccess>?
    /// What keys may be used for.
    public var keyUsage: UInt32 = 0
    /// What keys are otherwise.
    public var keyAttributes: UInt32 = 0

    /// Parameters that say nothing.
    public init() {}
}
