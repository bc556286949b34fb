// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import SecurityWire

extension Command {
    /// `security create-keychain`.
    static let createKeychain: Command = Command(
        name: "create-keychain",
        usage: """
            [-p password] [keychain...]
                -p  Use "password" as the password of the new keychains
                \(PasswordOption.usage)
                Without it, the password is asked for. A new keychain is unlocked, and isn't in the
                search list.
            """,
        help: "Create keychains.",
        run: { NewKeychains.run(.createKeychain, $0, $1) })

    /// `security delete-keychain`.
    static let deleteKeychain: Command = Command(
        name: "delete-keychain",
        usage: """
            [--force] keychain...
                --force  Delete it even with items of other programs' groups
            """,
        help: "Delete keychains, and their keys, for good.",
        run: { KeychainDeletion.run(.deleteKeychain, $0, $1) })

    /// `security lock-keychain`.
    static let lockKeychain: Command = Command(
        name: "lock-keychain",
        usage: """
            [-a | keychain]
                -a  Lock all keychains
            """,
        help: "Lock the specified keychain, or the default one.",
        run: { KeychainLocking.lock(.lockKeychain, $0, $1) })

    /// `security unlock-keychain`.
    static let unlockKeychain: Command = Command(
        name: "unlock-keychain",
        usage: """
            [-u] [-p password] [keychain]
                -p  Use "password" as the password
                \(PasswordOption.usage)
                -u  Do not use the password
            """,
        help: "Unlock the specified keychain, or the default one.",
        run: { KeychainLocking.unlock(.unlockKeychain, $0, $1) })
}

private enum NewKeychains {
    static func run(_ command: Command, _ words: Words, _ session: Session) -> Int32 {
        var given = PasswordOption()
        var reader = OptionReader(words, options: "+:p:P-:")
        while let option = reader.next() {
            switch option {
            case "p": given.takeWord(reader.argument)
            // The window of macOS; the terminal asks here.
            case "P": given = PasswordOption()
            case "-": guard given.take(&reader) else { return command.usageError() }
            default: return command.usageError()
            }
        }
        given.warn(session)
        var password = given.secret
        let rest = reader.rest
        var names = (0..<rest.count).map { index in
            unsafe rest[index].withBytes { unsafe [UInt8]($0) }
        }
        if names.isEmpty {
            Output.write("keychain to create: ", to: STDERR_FILENO)
            guard let line = Line.readSecret(from: STDIN_FILENO, limit: 4096) else { return 1 }
            names = [unsafe line.withUnsafeBytes { unsafe [UInt8]($0) }]
        }
        guard !names.contains([]) else { return command.usageError() }
        if password == nil {
            switch PasswordPrompt.twice(
                "password for new keychain: ", "retype password for new keychain: ")
            {
            case .entered(let entered): password = entered
            case .refused: return 1
            case .canceled: return SecurityStatus.userCanceled
            }
        }
        guard let password else { return 1 }
        for name in names {
            do throws(KeychainError) {
                try KeychainCreation.make(
                    UserKeychain.path(of: name), password, session.connection)
            } catch {
                let shown = String(decoding: name, as: UTF8.self)
                return complain(error, at: "SecKeychainCreate \(shown)")
            }
        }
        return 0
    }
}

private enum KeychainDeletion {
    static func run(_ command: Command, _ words: Words, _ session: Session) -> Int32 {
        var force = false
        var reader = OptionReader(words, options: "+:-:")
        while let option = reader.next() {
            guard option == "-", reader.argument.string == "force" else {
                return command.usageError()
            }
            force = true
        }
        let rest = reader.rest
        // Without a name macOS deletes the default keychain.
        guard rest.count > 0 else { return command.usageError() }
        var status: Int32 = 0
        for index in 0..<rest.count {
            do throws(KeychainError) {
                let keychain = try UserKeychain(rest[index], session.connection)
                try keychain.delete(session.connection, force: force)
            } catch { status = complain(error, at: "SecKeychainDelete") }
        }
        return status
    }
}

private enum KeychainLocking {
    static func lock(_ command: Command, _ words: Words, _ session: Session) -> Int32 {
        var locksAll = false
        var reader = OptionReader(words, options: "+:a")
        while let option = reader.next() {
            guard option == "a" else { return command.usageError() }
            locksAll = true
        }
        let rest = reader.rest
        guard rest.count <= (locksAll ? 0 : 1), rest.count == 0 || rest[0].string != "" else {
            return command.usageError()
        }
        let name = rest.count == 1 ? rest[0].string : "<NULL>"
        do throws(KeychainError) {
            if locksAll {
                try UserKeychain.lockAll(session.connection)
                return 0
            }
            try UserKeychain.named(rest.count == 1 ? rest[0] : nil, session.connection)
                .lock(session.connection)
            return 0
        } catch {
            return complain(
                error, at: locksAll ? "SecKeychainLockAll" : "SecKeychainLock \(name)")
        }
    }

    static func unlock(_ command: Command, _ words: Words, _ session: Session) -> Int32 {
        var given = PasswordOption()
        var usesPassword = true
        var reader = OptionReader(words, options: "+:up:-:")
        while let option = reader.next() {
            switch option {
            case "u": usesPassword = false
            case "p": given.takeWord(reader.argument)
            case "-": guard given.take(&reader) else { return command.usageError() }
            default: return command.usageError()
            }
        }
        given.warn(session)
        var password = given.secret
        let rest = reader.rest
        guard rest.count <= 1 else { return command.usageError() }
        let name = rest.count == 1 ? rest[0].string : nil
        let place = "SecKeychainUnlock \(name ?? "<NULL>")"
        do throws(KeychainError) {
            let connection = session.connection
            let keychain = try UserKeychain.named(rest.count == 1 ? rest[0] : nil, connection)
            guard usesPassword else {
                guard try keychain.isUnlocked(connection) else {
                    throw KeychainError(
                        status: SecurityStatus.authFailed, reason: .wrongPasscode)
                }
                return 0
            }
            if password == nil {
                switch PasswordPrompt.single("password to unlock \(name ?? "default"): ") {
                case .entered(let entered): password = entered
                case .refused: return 1
                case .canceled: return SecurityStatus.userCanceled
                }
            }
            guard let password else { return 1 }
            try keychain.unlock(password, connection)
            return 0
        } catch {
            guard error.reason == .wrongPasscode else { return complain(error, at: place) }
            // As on macOS, one line: it may be no passcode.
            complain("security: \(place): \(SecurityStatus.message(for: error.status))")
            return error.status
        }
    }
}
