// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import KeychainVocabulary

/// What has been proven for one item and operation.
package struct AccessProofs: OptionSet, Sendable {
    /// One bit for each.
    package let rawValue: UInt8

    /// The proofs with these bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The passcode.
    package static let passcode = AccessProofs(rawValue: 1)
    /// Any enrolled biometry.
    package static let biometry = AccessProofs(rawValue: 2)
    /// Biometry of the set that was enrolled when the item was stored.
    package static let enrolledBiometry = AccessProofs(rawValue: 4)
    /// A paired device.
    package static let companion = AccessProofs(rawValue: 8)
}

/// What an access control says to an operation.
package enum AccessVerdict: Hashable, Sendable {
    /// It may go on.
    case allowed
    /// Something has yet to be proven, and can be.
    case unmet
    /// No proof that this device can take makes it go on.
    case refused
}

/// Judges access controls. Whether the class key is there, and whether a password of the application
/// is right, is judged elsewhere: all must hold.
package struct AccessJudge: Sendable {
    /// The proofs that this device can take.
    package let obtainable: AccessProofs

    /// The enrolled set of fingerprints now.
    package let enrolment: UInt64

    /// A judge for a device.
    package init(obtainable: AccessProofs, enrolment: UInt64 = 0) {
        self.obtainable = obtainable
        self.enrolment = enrolment
    }

    /// A judge for a device whose owner accepts fingerprints, or doesn't.
    package init(_ biometry: Keybag.Biometry) {
        let obtainable: AccessProofs =
            switch biometry.mode {
            case .off: .passcode
            case .presence: [.passcode, .biometry]
            case .sets: [.passcode, .biometry, .enrolledBiometry]
            }
        self.init(obtainable: obtainable, enrolment: biometry.enrolment)
    }

    /// Whether a finger counts for anything.
    package var takesTouches: Bool { obtainable.contains(.biometry) }

    /// The longest time for which an unlock of the device counts as a proof.
    package static let reuseSecondsLimit: UInt64 = 300

    /// The verdict on an operation.
    /// - Parameters:
    ///   - operation: The operation: its own entry counts, else the one that stands for all; without
    ///     either it is refused. An empty table allows everything.
    ///   - control: The access control.
    ///   - proofs: What has been proven for this operation on this item.
    /// - Returns: Whether the operation may go on, now or after a proof.
    package func verdict(
        on operation: AccessControl.Operation, _ control: AccessControl, with proofs: AccessProofs
    ) -> AccessVerdict {
        guard let constraint = control.constraint(of: operation) else { return .refused }
        // A finger that was added afterwards opens nothing, also after it was removed again.
        let isOfThisSet = control.isBound && control.enrolment ?? enrolment == enrolment
        let excluded: AccessProofs = isOfThisSet ? [] : .enrolledBiometry
        if Self.isMet(constraint, by: proofs.subtracting(excluded)) { return .allowed }
        let possible = proofs.union(obtainable).subtracting(excluded)
        return Self.isMet(constraint, by: possible) ? .unmet : .refused
    }

    /// Whether an item with this access control could be stored here if the owner accepted sets that
    /// their provider doesn't prove.
    package func lacksAcceptedSets(_ control: AccessControl) -> Bool {
        obtainable.contains(.biometry) && !canBind(control)
            && AccessJudge(obtainable: obtainable.union(.enrolledBiometry)).canBind(control)
    }

    /// The access control as it is sealed: bound to the enrolled set, if it demands one.
    package func bound(_ control: AccessControl) -> AccessControl {
        var control = control
        control.enrolment = control.demands { $0 == .enrolledBiometry } ? enrolment : nil
        return control
    }

    /// Whether an item with this access control can be stored here: everything that it names must be
    /// bound first, and biometry or a paired device that isn't there can't be.
    package func canBind(_ control: AccessControl) -> Bool {
        !control.demands { constraint in
            switch constraint {
            case .biometry: !obtainable.contains(.biometry)
            case .enrolledBiometry: !obtainable.contains(.enrolledBiometry)
            case .companion: !obtainable.contains(.companion)
            case .never, .always, .owner, .passcode, .some: false
            }
        }
    }

    /// Whether an unlock of the device counts as a proof of biometry now. An unlock by the passcode
    /// never does.
    /// - Parameters:
    ///   - unlock: When the device was unlocked, and whether by biometry.
    ///   - duration: The context's reuse duration, in seconds.
    ///   - now: The enclave's clock.
    /// - Returns: Whether it is one, and young enough.
    package static func reuses(
        unlock: (time: UInt64, isByBiometry: Bool), duration: UInt64, now: UInt64
    ) -> Bool {
        guard unlock.isByBiometry, duration > 0, now >= unlock.time else { return false }
        return now - unlock.time <= min(duration, reuseSecondsLimit)
    }

    private static func isMet(
        _ constraint: AccessControl.Constraint, by proofs: AccessProofs
    ) -> Bool {
        switch constraint {
        case .never: false
        case .always: true
        case .owner: !proofs.isDisjoint(with: [.passcode, .biometry, .enrolledBiometry])
        case .passcode: proofs.contains(.passcode)
        case .biometry: !proofs.isDisjoint(with: [.biometry, .enrolledBiometry])
        case .enrolledBiometry: proofs.contains(.enrolledBiometry)
        case .companion: proofs.contains(.companion)
        case .some(let needed, let choices):
            choices.filter { isMet($0, by: proofs) }.count >= Int(needed)
        }
    }
}
