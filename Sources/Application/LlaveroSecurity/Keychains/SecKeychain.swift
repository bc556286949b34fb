// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import Keychain
import SecurityWire

/// A keychain, by its path. An object is made whether or not there is a keychain; when there is none,
/// calls with it answer `errSecNoSuchKeychain`.
public final class SecKeychain: NSObject, Sendable {
    /// Absolute, as `UserKeychain.path(of:)` gives it.
    let path: [UInt8]

    init(path: [UInt8]) {
        let home = UserKeychain.home
        self.path = KeychainPath.isLogin(path, home: home) ? KeychainPath.login(home: home) : path
    }

    /// Whether both have the same path.
    override public func isEqual(_ object: Any?) -> Bool {
        (object as? SecKeychain)?.path == path
    }

    /// The hash value of the path.
    override public var hash: Int { path.hashValue }

    /// The keychains of an array.
    /// - Throws: `errSecParam` for what isn't an array of keychains.
    static func list(_ object: AnyObject) throws(ItemFailure) -> [SecKeychain] {
        guard let list = object as? NSArray else { throw ItemFailure(errSecParam, .filter) }
        var keychains: [SecKeychain] = []
        for index in 0..<list.count {
            guard let keychain = list.object(at: index) as AnyObject as? SecKeychain else {
                throw ItemFailure(errSecParam, .filter)
            }
            keychains.append(keychain)
        }
        return keychains
    }
}

/// The type of keychains.
public func SecKeychainGetTypeID() -> CFTypeID { TypeID.keychain }

/// A stored password without its secret. The object still refers to the item when its attributes
/// change. After the item is deleted, lookups with the object find nothing.
public final class SecKeychainItem: NSObject, Sendable {
    let reference: PersistentReference
    /// Where it is; nil is login.
    let keychain: UserKeychain?

    init(_ reference: PersistentReference, in keychain: UserKeychain?) {
        self.reference = reference
        self.keychain = keychain
    }

    /// Whether both refer to the same item.
    override public func isEqual(_ object: Any?) -> Bool {
        (object as? SecKeychainItem)?.reference == reference
    }

    /// The hash value of the item's reference.
    override public var hash: Int { reference.hashValue }
}

/// The type of objects that stand for passwords.
public func SecKeychainItemGetTypeID() -> CFTypeID { TypeID.keychainItem }

/// Which programs may use an item of a keychain file. None is ever made; nil stands for the usual access.
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
