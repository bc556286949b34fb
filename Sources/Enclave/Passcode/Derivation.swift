// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import SecretBytes

/// The costs of one derivation from a passcode (Argon2id, one lane).
package struct DerivationParameters: Hashable, Sendable {
    /// 19 MiB, the least that is held to resist guessing, to 1 GiB.
    package static let memoryBounds: ClosedRange<UInt32> = 19 * 1024...1024 * 1024
    /// 2, the least with this little memory, to 64.
    package static let passBounds: ClosedRange<UInt32> = 2...64
    /// The least of both.
    package static let floor = DerivationParameters(
        uncheckedMemoryKiB: memoryBounds.lowerBound, passes: passBounds.lowerBound)

    /// The memory, in KiB.
    package let memoryKiB: UInt32
    /// The passes over the memory.
    package let passes: UInt32

    /// Takes parameters within the bounds.
    package init?(memoryKiB: UInt32, passes: UInt32) {
        guard Self.memoryBounds.contains(memoryKiB), Self.passBounds.contains(passes) else {
            return nil
        }
        self.init(uncheckedMemoryKiB: memoryKiB, passes: passes)
    }

    private init(uncheckedMemoryKiB memoryKiB: UInt32, passes: UInt32) {
        self.memoryKiB = memoryKiB
        self.passes = passes
    }
}

/// What comes after the derivation, where the deriver has the device key.
package enum PasscodeWork: Hashable, Sendable {
    /// Open what an earlier `enrol` gave.
    case open(sealed: [UInt8], context: [UInt8])
    /// Make a value for a new passcode.
    case enrol(context: [UInt8], attemptLimit: UInt32)
}

/// Work for the passcode deriver.
package struct DerivationJob: Sendable {
    /// The longest passcode, in bytes.
    package static let passcodeByteCountLimit = 1024

    /// How the costs come about.
    package enum Cost: Hashable, Sendable {
        /// Find parameters that take this machine 80 to 100 ms, and derive with them.
        case calibrated
        /// Derive with these.
        case given(DerivationParameters)
    }

    /// How the costs come about.
    package let cost: Cost
    /// 32 bytes.
    package let salt: [UInt8]
    /// 1 to 1024 bytes.
    package let passcode: Secret
    /// What comes after it.
    package let work: PasscodeWork?

    /// Puts all together.
    package init(cost: Cost, salt: [UInt8], passcode: Secret, work: PasscodeWork? = nil) {
        self.cost = cost
        self.salt = salt
        self.passcode = passcode
        self.work = work
    }
}

/// What comes back from the passcode deriver.
package enum DerivationOutcome: Sendable {
    /// 32 derived bytes, and the costs they took.
    case derived(Secret, DerivationParameters)
    /// Derived, and opened by the device key.
    case opened(PasscodeMaterial)
    /// Derived, and what the device key made for a new passcode.
    case enrolled(PasscodeMaterial, sealed: [UInt8], DerivationParameters)
    /// Derived, but the device key doesn't do its part.
    case refused(DeviceKeyFailure)
    /// Nothing was derived: too little memory.
    case failed
}
