// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Keychain

/// What `kSecUseAuthenticationContext` takes: the context of LocalAuthentication, which this module
/// can't import.
package protocol AuthenticationContext: AnyObject {
    /// Whether it was ended: nothing can be proven in it any more.
    var isInvalidated: Bool { get }
    /// What was approved in it.
    var accessContext: AccessContext { get }
}

extension SecAccessControl {
    /// Whether nothing needs to be proven for what it guards.
    package var asksForNothing: Bool { isTrivialForKeys }

    /// Whether the person must prove something.
    package var asksForPerson: Bool { constraint != nil }

    /// Whether it demands a password of the application.
    package var asksForPassword: Bool { operations?.demandsPassword ?? false }

    /// Whether its constraint can be met here: by the passcode, and by biometry if there is any.
    package func canBeSatisfied(withBiometry hasBiometry: Bool) -> Bool {
        guard let constraint else { return true }
        let flags = SecAccessControlCreateFlags(rawValue: constraint.proofs)
        var provable: SecAccessControlCreateFlags = [.userPresence, .devicePasscode]
        if hasBiometry { provable.formUnion([.biometryAny, .biometryCurrentSet]) }
        provable.formIntersection(flags)
        return provable.rawValue.nonzeroBitCount >= constraint.needed
    }

    private var constraint: Constraint? {
        switch operations {
        case .reading(let constraint, _): constraint
        case .keyUse(let constraint, _): constraint
        case .unconstrained, .password, .other, nil: nil
        }
    }
}
