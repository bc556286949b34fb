// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import KeychainVocabulary

/// What must be proven before an item is used.
public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    /// The bits.
    public let rawValue: CFOptionFlags

    /// A set of flags from its bits.
    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

    /// The device's owner is present, proven by biometry or passcode.
    public static let userPresence = SecAccessControlCreateFlags(rawValue: 1 << 0)
    /// Any enrolled biometry.
    public static let biometryAny = SecAccessControlCreateFlags(rawValue: 1 << 1)
    /// The former name of ``biometryAny``.
    public static let touchIDAny = biometryAny
    /// Biometry as enrolled when the item was made.
    public static let biometryCurrentSet = SecAccessControlCreateFlags(rawValue: 1 << 3)
    /// The former name of ``biometryCurrentSet``.
    public static let touchIDCurrentSet = biometryCurrentSet
    /// The device's passcode.
    public static let devicePasscode = SecAccessControlCreateFlags(rawValue: 1 << 4)
    /// A paired device.
    public static let companion = SecAccessControlCreateFlags(rawValue: 1 << 5)
    /// The former name of ``companion``.
    public static let watch = companion
    /// One of the constraints is enough.
    public static let or = SecAccessControlCreateFlags(rawValue: 1 << 14)
    /// All constraints are needed.
    public static let and = SecAccessControlCreateFlags(rawValue: 1 << 15)
    /// The constraints apply to the use of a private key.
    public static let privateKeyUsage = SecAccessControlCreateFlags(rawValue: 1 << 30)
    /// A password that the application asks for.
    public static let applicationPassword = SecAccessControlCreateFlags(rawValue: 1 << 31)
}

extension SecAccessControlCreateFlags {
    static let constraints: SecAccessControlCreateFlags = [
        .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion,
    ]

    /// Why the flags are invalid; nil when they are valid. Unknown bits have no effect.
    var contradiction: String? {
        if isSuperset(of: [.or, .and]) { return "Either all constraints or one of them." }
        if isSuperset(of: [.biometryAny, .biometryCurrentSet]) {
            return "Either any biometry or the current set."
        }
        let others = Self.constraints.union([.or, .and]).subtracting(.userPresence)
        if contains(.userPresence), !isDisjoint(with: others) {
            return "User presence doesn't combine with other constraints."
        }
        return nil
    }
}

extension SecAccessControl {
    /// The requirements that the flags give each operation. Source: Apple's SecItem, as observed.
    enum Operations: Hashable {
        /// Nothing: no constraint, no password.
        case unconstrained
        /// The application's password for everything.
        case password
        /// Constraints on reading the secret; storing and deleting are free.
        case reading(Constraint, password: Bool)
        /// Constraints, or none, on use of a private key.
        case keyUse(Constraint?, password: Bool)
        /// What a stored item has and flags can't say.
        case other(AccessControl)

        init(_ flags: SecAccessControlCreateFlags) {
            let password = flags.contains(.applicationPassword)
            let constraint = Constraint(flags)
            if flags.contains(.privateKeyUsage) {
                self = .keyUse(constraint, password: password)
            } else if let constraint {
                self = .reading(constraint, password: password)
            } else {
                self = password ? .password : .unconstrained
            }
        }
    }

    /// k of a set of proofs.
    struct Constraint: Hashable {
        let proofs: CFOptionFlags
        let needed: Int

        init(proofs: CFOptionFlags, needed: Int) {
            self.proofs = proofs
            self.needed = needed
        }

        init?(_ flags: SecAccessControlCreateFlags) {
            let proofs = flags.intersection(SecAccessControlCreateFlags.constraints)
            guard !proofs.isEmpty else { return nil }
            self.proofs = proofs.rawValue
            needed = flags.contains(.or) ? 1 : proofs.rawValue.nonzeroBitCount
        }
    }
}
