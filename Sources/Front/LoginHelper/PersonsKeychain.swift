// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecretBytes
import SecurityWire

/// What a login did with the keychain; the raw value is a child's exit status.
enum LoginResult: Int32 {
    /// There is nothing to say.
    case done = 0
    case noPasscode = 10
    case firstPasscodeSet = 11
    /// The password isn't the passcode.
    case otherPasscode = 12
    /// Wrong passcodes were counted before, so none is tried.
    case notTried = 13
    /// There is no service, or it doesn't answer.
    case unreachable = 14

    /// A line for the person; nil when there is nothing to do.
    func line(changes: Bool) -> String? {
        switch self {
        case .done, .noPasscode: nil
        case .unreachable:
            changes
                ? "Your keychain can't be reached; it keeps its passcode, the old password." : nil
        case .firstPasscodeSet: "Your keychain's passcode is this password from now on."
        case .otherPasscode, .notTried:
            changes
                ? "Your keychain keeps its passcode, which wasn't the old password."
                : "Your keychain stays locked: its passcode isn't this password. Unlock it with "
                    + "`security device unlock`; `security device change-passcode` makes them the "
                    + "same."
        }
    }
}

/// The keychain of the user whom this process has become.
struct PersonsKeychain {
    /// Logins try no passcode while so many wrong ones are counted. The count delays the person's own
    /// attempts and in the end disables the passcode; logins alone never get that far.
    private static let countedLimit: UInt32 = 3

    private let connection: KeychainConnection

    init(_ location: ServiceLocation) { connection = KeychainConnection(location: location) }

    /// Unlocks with the password of a login.
    func unlock(with password: Secret) -> LoginResult {
        attempt { status throws(KeychainError) in
            guard status.state != .unlocked else { return }
            try connection.unlock(passcode: password.bytes)
        }
    }

    /// Follows a change of the password.
    func change(from old: Secret, to new: Secret) -> LoginResult {
        attempt { _ throws(KeychainError) in
            try connection.changePasscode(from: old.bytes, to: new.bytes)
        }
    }

    /// Makes the password of a login the first passcode.
    func setFirst(_ password: Secret, _ permit: PermitCode) -> LoginResult {
        do throws(KeychainError) {
            try connection.setPasscode(password.bytes, permit: permit)
            return .firstPasscodeSet
        } catch { return Self.result(error) }
    }

    /// Lets the user set a first passcode; only root can.
    func permit(_ userID: UInt32) -> PermitCode? {
        do throws(KeychainError) {
            return try connection.permitFirstPasscode(ofUser: userID)
        } catch { return nil }
    }

    private func attempt(
        _ body: (DeviceStatus) throws(KeychainError) -> Void
    ) -> LoginResult {
        do throws(KeychainError) {
            let status = try connection.deviceStatus()
            guard status.passcodeSet else { return .noPasscode }
            guard status.failedAttempts < Self.countedLimit else { return .notTried }
            try body(status)
            return .done
        } catch { return Self.result(error) }
    }

    private static func result(_ error: KeychainError) -> LoginResult {
        switch error.reason {
        case .wrongPasscode: .otherPasscode
        case .throttled, .disabled: .notTried
        default: .unreachable
        }
    }
}
