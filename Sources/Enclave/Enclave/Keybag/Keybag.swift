// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import EnclaveWire
package import KeychainVocabulary

/// A user's class keys, wrapped: what lies on the disk, without the file's signature.
package struct Keybag: Hashable, Sendable {
    /// How the classes that a passcode protects are protected by it.
    package struct PasscodeProtection: Hashable, Sendable {
        /// The byte count of a salt.
        package static let saltByteCount = 32

        /// Of the derivation.
        package var salt: [UInt8]
        /// Of the derivation.
        package var parameters: DerivationParameters
        /// The entropy value, sealed by the device key.
        package var sealedEntropy: [UInt8]

        /// Puts all together.
        package init(salt: [UInt8], parameters: DerivationParameters, sealedEntropy: [UInt8]) {
            self.salt = salt
            self.parameters = parameters
            self.sealedEntropy = sealedEntropy
        }
    }

    /// What the user has chosen.
    package struct Settings: Hashable, Sendable {
        /// The longest grace period.
        package static let graceSecondsLimit: UInt32 = 300
        /// The only count of wrong passcodes after which everything can be erased.
        package static let eraseAfterFailures: UInt32 = 10

        /// After so many wrong passcodes everything is erased; 0: never.
        package let eraseAfter: UInt32
        /// How long a lock waits that may.
        package let graceSeconds: UInt32

        /// Whether wrong passcodes of unidentified programs count towards erasing.
        package let erasesForUnidentified: Bool

        /// Nothing is erased, and no lock waits.
        package init() {
            eraseAfter = 0
            graceSeconds = 0
            erasesForUnidentified = false
        }

        /// Takes settings within the bounds.
        package init?(
            eraseAfter: UInt32, graceSeconds: UInt32, erasesForUnidentified: Bool = false
        ) {
            guard [0, Self.eraseAfterFailures].contains(eraseAfter),
                graceSeconds <= Self.graceSecondsLimit
            else { return nil }
            self.eraseAfter = eraseAfter
            self.graceSeconds = graceSeconds
            self.erasesForUnidentified = erasesForUnidentified
        }
    }

    /// What fingerprints count for.
    package struct Biometry: Hashable, Sendable {
        /// What they count for.
        package var mode = BiometryMode.off
        /// The enrolled set: another random number after each change; 0 before the first.
        package var enrolment: UInt64 = 0

        /// They count for nothing.
        package init() {}

        /// Notes that the set is another one now.
        mutating func renewEnrolment() {
            let old = enrolment
            while enrolment == old { enrolment = UInt64.random(in: 1 ... .max) }
        }
    }

    /// The byte count of a keybag's UUID.
    package static let uuidByteCount = 16

    /// 16 random bytes.
    package var uuid: [UInt8]
    /// Counts the rewrites, from 1.
    package var generation: UInt32
    /// None: no passcode is set.
    package var passcode: PasscodeProtection?
    /// The wrapped class keys, 40 bytes each. Those that only protectors open aren't among them.
    package var wrappedKeys: [ProtectionClass: [UInt8]]
    /// What the user has chosen.
    package var settings: Settings
    /// How often everything of the user has been erased.
    package var erasures: UInt32
    /// The SHA-256 of the list of protectors; nil when there is none.
    package var protectorsDigest: [UInt8]?
    /// What fingerprints count for.
    package var biometry: Biometry
    /// The SHA-256 of the list of keychains; nil when there is none.
    package var keychainsDigest: [UInt8]?
    /// The SHA-256 of the bag for backups; nil when there is none.
    package var backupDigest: [UInt8]?

    /// Puts all together.
    package init(
        uuid: [UInt8], generation: UInt32, passcode: PasscodeProtection?,
        wrappedKeys: [ProtectionClass: [UInt8]], settings: Settings = Settings(),
        erasures: UInt32 = 0, protectorsDigest: [UInt8]? = nil, biometry: Biometry = Biometry(),
        keychainsDigest: [UInt8]? = nil, backupDigest: [UInt8]? = nil
    ) {
        self.uuid = uuid
        self.generation = generation
        self.passcode = passcode
        self.wrappedKeys = wrappedKeys
        self.settings = settings
        self.erasures = erasures
        self.protectorsDigest = protectorsDigest
        self.biometry = biometry
        self.keychainsDigest = keychainsDigest
        self.backupDigest = backupDigest
    }

    /// What fingerprints count for once a passcode is set or removed: the owner accepts their weakness
    /// with the passcode, and that ends with it. So does the enrolled set: without a passcode, each
    /// person at the machine may enrol a finger.
    func biometry(withPasscode isPasscodeSet: Bool) -> Biometry {
        guard !isPasscodeSet, biometry != Biometry() else { return biometry }
        var biometry = biometry
        biometry.mode = .off
        biometry.renewEnrolment()
        return biometry
    }

    /// Whether no passcode is set, and protectors alone open the classes that a passcode would.
    package var isUnderProtectors: Bool { passcode == nil && wrappedKeys[.ak] == nil }

    /// Whether there is something to lock with.
    package var isProtected: Bool { passcode != nil || isUnderProtectors }

    /// The classes that it has.
    package var classes: [ProtectionClass] { Self.classes(withPasscode: passcode != nil) }

    /// The classes whose wrapped keys it has.
    package var wrappedClasses: [ProtectionClass] {
        isUnderProtectors ? classes.filter { !$0.needsPasscode } : classes
    }

    /// The classes that a keybag has, in the order of their numbers.
    package static func classes(withPasscode isPasscodeSet: Bool) -> [ProtectionClass] {
        ProtectionClass.allCases.filter { isPasscodeSet || $0.exists == .always }
    }
}

/// When a class has a key.
enum ClassExistence {
    case always
    case whilePasscodeSet
}

extension ProtectionClass {
    /// When there is a key of the class at all.
    var exists: ClassExistence {
        switch self {
        case .ak, .ck, .dk, .aku, .cku, .dku: .always
        case .akpu: .whilePasscodeSet
        }
    }

    /// Whether the class key is wrapped under the passcode key while a passcode is set.
    var needsPasscode: Bool {
        switch self {
        case .dk, .dku: false
        case .ak, .ck, .aku, .cku, .akpu: true
        }
    }

    /// Whether the class key is dropped at lock.
    var isDroppedAtLock: Bool {
        switch self {
        case .ak, .aku, .akpu: true
        case .ck, .dk, .cku, .dku: false
        }
    }
}

/// Why bytes are not a keybag of this device and user.
package enum KeybagError: Error, Hashable, Sendable {
    /// Over 64 KiB, or under a signature's length.
    case wrongByteCount(Int)
    /// The signature isn't this device's over these bytes: damaged, or another's.
    case badSignature
    /// The bytes end inside a value.
    case truncated
    /// Another tag, or none, where this one must come.
    case tagExpected(String)
    /// A value has another length than its tag has.
    case wrongLength(String)
    /// A value outside its bounds.
    case wrongValue(String)
    /// Bytes after the last value.
    case trailingBytes
}
