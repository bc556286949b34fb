// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Numbers of the interface. Source: Apple's `LAContext.h`, `LAPublicDefines.h`.

public import Foundation

/// The required proof.
public enum LAPolicy: Int, Sendable {
    /// The owner's biometry.
    case deviceOwnerAuthenticationWithBiometrics = 1
    /// The owner's biometry, or the passcode.
    case deviceOwnerAuthentication = 2
    /// A companion device.
    case deviceOwnerAuthenticationWithCompanion = 3
    /// Biometry, or a companion device.
    case deviceOwnerAuthenticationWithBiometricsOrCompanion = 4

    /// The former name of ``deviceOwnerAuthenticationWithCompanion``.
    public static var deviceOwnerAuthenticationWithWatch: LAPolicy {
        .deviceOwnerAuthenticationWithCompanion
    }
    /// The former name of ``deviceOwnerAuthenticationWithBiometricsOrCompanion``.
    public static var deviceOwnerAuthenticationWithBiometricsOrWatch: LAPolicy {
        .deviceOwnerAuthenticationWithBiometricsOrCompanion
    }
}

/// The kind of biometry of a device.
public enum LABiometryType: Int, Sendable {
    /// None.
    case none = 0
    /// Touch ID.
    case touchID = 1
    /// Face ID.
    case faceID = 2
    /// Optic ID.
    case opticID = 4

    /// The former name of ``none``.
    public static var LABiometryNone: LABiometryType { .none }
}

/// How strongly biometry is bound to the keychain.
public enum LABiometryStrength: Int, Sendable {
    /// There is none that counts.
    case none = 0
    /// A program of the machine says that a finger was recognized; nothing proves that.
    case presenceOnly = 1
    /// The same, and the owner trusts that the enrolled set only changes by `security`.
    case unprovenSets = 2
}

/// The kind of a credential.
public enum LACredentialType: Int, Sendable {
    /// A password that the application asks for.
    case applicationPassword = 0
    /// The number of a smart card.
    case smartCardPIN = -3
}

/// The intended operation on an item with an access control.
public enum LAAccessControlOperation: Int, Sendable {
    /// Store an item.
    case createItem = 0
    /// Read an item.
    case useItem = 1
    /// Make a key.
    case createKey = 2
    /// Sign with a key.
    case useKeySign = 3
    /// Decrypt with a key.
    case useKeyDecrypt = 4
    /// Agree on a secret with a key.
    case useKeyKeyExchange = 5
}

/// The maximum of ``LAContext/touchIDAuthenticationAllowableReuseDuration``: five minutes.
public let LATouchIDAuthenticationMaximumAllowableReuseDuration: TimeInterval = 300
