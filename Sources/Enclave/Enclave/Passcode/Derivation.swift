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
    /// Make a value for a new passcode, guarded by an index of this number.
    case enrol(
        context: [UInt8], attemptLimit: UInt32, indexNumber: UInt32, RegisterBinding)
    /// Make a new device key, and a value for the passcode under it.
    case make(DeviceKeyMaking)
}

/// A device key that is to be made in the deriver's TPM.
package struct DeviceKeyMaking: Hashable, Sendable {
    /// The number of the counter that comes with it; nothing where none does.
    package let counterNumber: UInt32?
    /// The number of the index that guards the passcode.
    package let indexNumber: UInt32
    /// What it is to make the root of a user's keybag of.
    package let rootInput: [UInt8]
    /// What it is to make the key of the counter's record of.
    package let bindingInput: [UInt8]
    /// What the passcode's value belongs to.
    package let context: [UInt8]
    /// Of the passcode, if there is one.
    package let attemptLimit: UInt32

    /// Puts all together.
    package init(
        counterNumber: UInt32?, indexNumber: UInt32, rootInput: [UInt8],
        bindingInput: [UInt8], context: [UInt8], attemptLimit: UInt32
    ) {
        self.counterNumber = counterNumber
        self.indexNumber = indexNumber
        self.rootInput = rootInput
        self.bindingInput = bindingInput
        self.context = context
        self.attemptLimit = attemptLimit
    }
}

/// A device key that the deriver has made, and holds until it is told what becomes of it.
package struct MadeDeviceKey: Sendable {
    /// What it makes of a passcode.
    package struct Passcode: Sendable {
        /// The parts of the key that protects classes.
        package let material: PasscodeMaterial
        /// For the keybag.
        package let sealed: [UInt8]
        /// What the derivation took.
        package let parameters: DerivationParameters

        /// Puts all together.
        package init(
            material: PasscodeMaterial, sealed: [UInt8], parameters: DerivationParameters
        ) {
            self.material = material
            self.sealed = sealed
            self.parameters = parameters
        }
    }

    /// What is to be kept of it.
    package let record: [UInt8]
    /// What it makes of the root's input.
    package let root: Secret
    /// What it makes of the input for the counter's record.
    package let binding: Secret
    /// What the counter stands at; nothing where there is none.
    package let counter: UInt64?
    /// Nothing where there is no passcode.
    package let passcode: Passcode?

    /// Puts all together.
    package init(
        record: [UInt8], root: Secret, binding: Secret, counter: UInt64?, passcode: Passcode?
    ) {
        self.record = record
        self.root = root
        self.binding = binding
        self.counter = counter
        self.passcode = passcode
    }
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
        /// Don't derive: the 32 bytes are what a protector has, and no person chose them.
        case none
    }

    /// How the costs come about.
    package let cost: Cost
    /// 32 bytes.
    package let salt: [UInt8]
    /// 1 to 1024 bytes; none where a device key is made for a keybag without a passcode.
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
    /// A device key is made; the passcode, if there is one, derived.
    case made(MadeDeviceKey)
    /// Derived, but the device key doesn't do its part.
    case refused(DeviceKeyFailure)
    /// Nothing was derived: too little memory.
    case failed
}
