// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import KeychainVocabulary
import SecretBytes
import SecurityWire

extension Command {
    /// `security set-keychain-settings`.
    static let setKeychainSettings: Command = Command(
        name: "set-keychain-settings",
        usage: """
            [-lu] [-t timeout] [keychain]
                -l  Lock the keychain when the system sleeps
                -u  Lock the keychain after the timeout interval
                -t  The timeout in seconds (implies -u); without it the keychain has none
            """,
        help: "Set the settings of a keychain.",
        run: { SettingsOfKeychain.set(.setKeychainSettings, $0, $1) })

    /// `security set-keychain-password`.
    static let setKeychainPassword: Command = Command(
        name: "set-keychain-password",
        usage: """
            [-o oldPassword] [-p newPassword] [keychain]
                -o  The old password; without it, it is asked for
                -p  The new password; without it, it is asked for
                --old-password-fd N  The old password is the first line of the descriptor N
                --password-fd N      The new one is
            """,
        help: "Set the password of a keychain.",
        run: { SettingsOfKeychain.setPassword(.setKeychainPassword, $0, $1) })

    /// `security show-keychain-info`.
    static let showKeychainInfo: Command = Command(
        name: "show-keychain-info", usage: "[keychain]",
        help: "Show the settings of a keychain, on standard error.",
        run: { SettingsOfKeychain.show(.showKeychainInfo, $0, $1) })
}

private enum SettingsOfKeychain {
    static func set(_ command: Command, _ words: Words, _ session: Session) -> Int32 {
        var locksOnSleep = false
        var usesInterval = false
        var seconds = KeychainSettings.never
        var reader = OptionReader(words, options: "+:lut:")
        while let option = reader.next() {
            switch option {
            case "l": locksOnSleep = true
            case "u": usesInterval = true
            case "t":
                guard let number = UInt32(reader.argument.string) else {
                    return command.usageError()
                }
                seconds = number
                usesInterval = true
            default: return command.usageError()
            }
        }
        let rest = reader.rest
        guard rest.count <= 1,
            let settings = KeychainSettings(
                locksOnSleep: locksOnSleep, usesInterval: usesInterval, intervalSeconds: seconds)
        else { return command.usageError() }
        do throws(KeychainError) {
            let keychain = try UserKeychain.named(
                rest.count == 1 ? rest[0] : nil, session.connection)
            // Login locks with the device: `security device configure`.
            guard !keychain.id.isLogin else {
                throw KeychainError(
                    status: SecurityStatus.unimplemented, reason: .unimplemented)
            }
            try session.connection.configureKeychain(keychain.id, settings)
            return 0
        } catch { return complain(error, at: "SecKeychainSetSettings \(Self.name(rest))") }
    }

    static func show(_ command: Command, _ words: Words, _ session: Session) -> Int32 {
        var reader = OptionReader(words, options: "+:")
        guard reader.next() == nil else { return command.usageError() }
        let rest = reader.rest
        guard rest.count <= 1 else { return command.usageError() }
        let name = Self.name(rest)
        do throws(KeychainError) {
            let connection = session.connection
            let keychain = try UserKeychain.named(rest.count == 1 ? rest[0] : nil, connection)
            guard try keychain.isUnlocked(connection) else {
                throw KeychainError(
                    status: SecurityStatus.interactionNotAllowed, reason: .keychainLocked)
            }
            let entry =
                try keychain.id.isLogin
                ? nil : connection.keychains().keychains.first { $0.id == keychain.id }
            complain("Keychain \"\(name)\"" + (entry?.settings.text ?? " no-timeout"))
            return 0
        } catch { return complain(error, at: "SecKeychainCopySettings \(name)") }
    }

    static func setPassword(_ command: Command, _ words: Words, _ session: Session) -> Int32 {
        var (givenOld, givenNew) = (PasswordOption("old-password-fd"), PasswordOption())
        var reader = OptionReader(words, options: "+:o:p:-:")
        while let option = reader.next() {
            switch option {
            case "o": givenOld.takeWord(reader.argument)
            case "p": givenNew.takeWord(reader.argument)
            case "-":
                guard givenOld.take(&reader) || givenNew.take(&reader) else {
                    return command.usageError()
                }
            default: return command.usageError()
            }
        }
        (givenOld.isInWords ? givenOld : givenNew).warn(session)
        var (old, new) = (givenOld.secret, givenNew.secret)
        let rest = reader.rest
        guard rest.count <= 1 else { return command.usageError() }
        do throws(KeychainError) {
            let keychain = try UserKeychain.named(
                rest.count == 1 ? rest[0] : nil, session.connection)
            if old == nil {
                guard case .entered(let entered) = PasswordPrompt.single("Old Password: ") else {
                    return 1
                }
                old = entered
            }
            if new == nil {
                guard case .entered(let first) = PasswordPrompt.single("New Password: "),
                    case .entered(let second) = PasswordPrompt.single("Retype New Password: ")
                else { return 1 }
                guard first.bytes.isEqual(to: second.bytes) else {
                    complain("security: try again")
                    return 1
                }
                new = first
            }
            guard let old, let new else { return 1 }
            if keychain.id.isLogin {
                try session.connection.changePasscode(from: old.bytes, to: new.bytes)
            } else {
                try session.connection.changeKeychainPassword(keychain.id, from: old, to: new)
            }
            return 0
        } catch {
            complain(
                "security: error changing password for \"\(Self.name(rest))\": "
                    + SecurityStatus.message(for: error.status))
            return error.status
        }
    }

    private static func name(_ rest: Words) -> String {
        rest.count == 1 ? rest[0].string : "<NULL>"
    }
}

extension KeychainSettings {
    /// As macOS shows them.
    fileprivate var text: String {
        (locksOnSleep ? " lock-on-sleep" : "") + (usesInterval ? " use-lock-interval" : "")
            + (intervalSeconds == Self.never ? " no-timeout" : " timeout=\(intervalSeconds)s")
    }
}
