// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The domain of ``LAError``.
public let LAErrorDomain = "com.apple.LocalAuthentication"

/// Why an authentication failed.
///
/// A structure over an `NSError`, so that `as? LAError`, `catch LAError.userCancel` and
/// `(error as NSError).code` work as they do on Apple's platforms.
public struct LAError: _BridgedStoredNSError {
    /// The error itself.
    public let _nsError: NSError

    /// Takes an error of the domain.
    public init(_nsError error: NSError) { _nsError = error }

    /// The domain.
    public static var _nsErrorDomain: String { LAErrorDomain }

    /// The codes. The numbers are those of Apple's `LAError.h`.
    public enum Code: Int, _ErrorCodeProtocol, Sendable {
        /// The errors with these codes.
        public typealias _ErrorType = LAError

        /// The authentication was wrong.
        case authenticationFailed = -1
        /// The user cancelled.
        case userCancel = -2
        /// The user chose another method.
        case userFallback = -3
        /// The system cancelled.
        case systemCancel = -4
        /// The device has no passcode.
        case passcodeNotSet = -5
        /// The device has no biometry.
        case biometryNotAvailable = -6
        /// No biometry is enrolled.
        case biometryNotEnrolled = -7
        /// Biometry is locked after failures.
        case biometryLockout = -8
        /// The application cancelled.
        case appCancel = -9
        /// The context has been invalidated.
        case invalidContext = -10
        /// There is no companion device.
        case companionNotAvailable = -11
        /// The biometric accessory isn't paired.
        case biometryNotPaired = -12
        /// The biometric accessory isn't connected.
        case biometryDisconnected = -13
        /// The dimensions of an embedded view are invalid.
        case invalidDimensions = -14
        /// A dialog would be needed, and isn't allowed.
        case notInteractive = -1004

        /// The former name of ``companionNotAvailable``.
        public static var watchNotAvailable: Code { .companionNotAvailable }
        /// The former name of ``biometryNotAvailable``.
        public static var touchIDNotAvailable: Code { .biometryNotAvailable }
        /// The former name of ``biometryNotEnrolled``.
        public static var touchIDNotEnrolled: Code { .biometryNotEnrolled }
        /// The former name of ``biometryLockout``.
        public static var touchIDLockout: Code { .biometryLockout }
    }

    /// The authentication was wrong.
    public static var authenticationFailed: Code { .authenticationFailed }
    /// The user cancelled.
    public static var userCancel: Code { .userCancel }
    /// The user chose another method.
    public static var userFallback: Code { .userFallback }
    /// The system cancelled.
    public static var systemCancel: Code { .systemCancel }
    /// The device has no passcode.
    public static var passcodeNotSet: Code { .passcodeNotSet }
    /// The device has no biometry.
    public static var biometryNotAvailable: Code { .biometryNotAvailable }
    /// No biometry is enrolled.
    public static var biometryNotEnrolled: Code { .biometryNotEnrolled }
    /// Biometry is locked after failures.
    public static var biometryLockout: Code { .biometryLockout }
    /// The application cancelled.
    public static var appCancel: Code { .appCancel }
    /// The context has been invalidated.
    public static var invalidContext: Code { .invalidContext }
    /// There is no companion device.
    public static var companionNotAvailable: Code { .companionNotAvailable }
    /// The former name of ``companionNotAvailable``.
    public static var watchNotAvailable: Code { .companionNotAvailable }
    /// The biometric accessory isn't paired.
    public static var biometryNotPaired: Code { .biometryNotPaired }
    /// The biometric accessory isn't connected.
    public static var biometryDisconnected: Code { .biometryDisconnected }
    /// The dimensions of an embedded view are invalid.
    public static var invalidDimensions: Code { .invalidDimensions }
    /// A dialog would be needed, and isn't allowed.
    public static var notInteractive: Code { .notInteractive }
    /// The former name of ``biometryNotAvailable``.
    public static var touchIDNotAvailable: Code { .biometryNotAvailable }
    /// The former name of ``biometryNotEnrolled``.
    public static var touchIDNotEnrolled: Code { .biometryNotEnrolled }
    /// The former name of ``biometryLockout``.
    public static var touchIDLockout: Code { .biometryLockout }
}

extension LAError {
    /// An error with its description.
    static func make(_ code: Code) -> LAError {
        LAError(code, userInfo: [NSLocalizedDescriptionKey: code.words])
    }
}

extension LAError.Code {
    fileprivate var words: String {
        switch self {
        case .authenticationFailed: "The authentication failed."
        case .userCancel: "The user cancelled."
        case .userFallback: "The user asked for another way."
        case .systemCancel: "The system cancelled."
        case .passcodeNotSet: "The device has no passcode."
        case .biometryNotAvailable: "The device has no biometry."
        case .biometryNotEnrolled: "Nobody has enrolled."
        case .biometryLockout: "Biometry is locked after failures."
        case .appCancel: "The application cancelled."
        case .invalidContext: "The context has been invalidated."
        case .companionNotAvailable: "There is no companion device."
        case .biometryNotPaired: "The biometric accessory isn't paired."
        case .biometryDisconnected: "The biometric accessory isn't connected."
        case .invalidDimensions: "The dimensions of the view can't be."
        case .notInteractive: "There is no way to ask."
        }
    }
}
