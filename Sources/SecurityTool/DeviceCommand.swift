// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import SecurityWire

extension Command {
    /// `security device`: what protects the keychain, and the passcode. Not a command of macOS.
    static let device = Command(
        name: "device",
        usage: """
            status [--json]
                   device set-passcode|change-passcode|remove-passcode|unlock [--passcode-fd N]
                   device lock
                   device check|recover [--json]
                --json           Machine-readable
                --passcode-fd N  Read the passcode from descriptor N, a line (change-passcode: the
                                 old one's line, then the new one's), instead of the terminal
            """,
        help:
            "Show what protects the keychain; passcode, lock, unlock; check, recover from damage.",
        run: { DeviceCommand.run($0, &$1) })
}

private enum DeviceCommand {
    /// Why a passcode operation isn't even tried.
    private enum Problem: Error {
        case noTerminal
        case unreadable
        case refused
        case canceled
        case keychain(KeychainError)
    }

    static func run(_ words: Words, _ session: inout Session) -> Int32 {
        var arguments = (1..<max(words.count, 1)).map { words[$0].string }
        guard !arguments.isEmpty else { return Command.device.usageError() }
        let verb = arguments.removeFirst()
        let connection = session.connection
        switch verb {
        case "status":
            guard arguments.isEmpty || arguments == ["--json"] else {
                return Command.device.usageError()
            }
            return status(connection, isJSON: !arguments.isEmpty)
        case "check", "recover":
            guard arguments.isEmpty || arguments == ["--json"] else {
                return Command.device.usageError()
            }
            let carryOut =
                verb == "check" ? MaintenanceCommand.check : MaintenanceCommand.recover
            return carryOut(connection, !arguments.isEmpty)
        case "lock":
            guard arguments.isEmpty else { return Command.device.usageError() }
            return report(verb) { () throws(Problem) in
                do throws(KeychainError) { try connection.lock() } catch {
                    throw .keychain(error)
                }
            }
        case "set-passcode", "change-passcode", "remove-passcode", "unlock":
            var descriptor: Int32?
            if !arguments.isEmpty {
                guard let given = passcodeDescriptor(arguments) else {
                    return Command.device.usageError()
                }
                descriptor = given
            }
            return report(verb) { () throws(Problem) in
                try passcodeOperation(verb, PasscodeSource(descriptor: descriptor), connection)
            }
        default: return Command.device.usageError()
        }
    }

    /// The number after `--passcode-fd`, also as `--passcode-fd=N`.
    private static func passcodeDescriptor(_ arguments: [String]) -> Int32? {
        let option = "--passcode-fd"
        let text: Substring
        if arguments.count == 2, arguments[0] == option {
            text = arguments[1][...]
        } else if arguments.count == 1, arguments[0].hasPrefix(option + "=") {
            text = arguments[0].dropFirst(option.utf8.count + 1)
        } else {
            return nil
        }
        return Int32(text).flatMap { $0 >= 0 ? $0 : nil }
    }

    private static func status(_ connection: KeychainConnection, isJSON: Bool) -> Int32 {
        do throws(KeychainError) {
            let text = DeviceStatusText(
                status: try connection.deviceStatus(), now: Int64(time(nil)))
            var output = Output(STDOUT_FILENO)
            output.put(isJSON ? text.json : text.plain)
            return output.flush() ? 0 : SecurityStatus.io
        } catch { return complain(error, at: "device status") }
    }

    private static func passcodeOperation(
        _ verb: String, _ source: PasscodeSource, _ connection: KeychainConnection
    ) throws(Problem) {
        let prompt = verb == "change-passcode" ? "old passcode: " : "passcode: "
        let current = verb == "set-passcode" ? nil : try source.current(prompt)
        let setsOne = verb == "set-passcode" || verb == "change-passcode"
        let new = setsOne ? try source.new() : nil
        do throws(KeychainError) {
            switch (current, new) {
            case (nil, nil): return
            case (nil, let new?): try connection.setPasscode(new.bytes)
            case (let old?, let new?): try connection.changePasscode(from: old.bytes, to: new.bytes)
            case (let passcode?, nil):
                if verb == "remove-passcode" {
                    try connection.removePasscode(passcode.bytes)
                } else {
                    try connection.unlock(passcode: passcode.bytes)
                }
            }
        } catch { throw .keychain(error) }
    }

    private static func report(_ verb: String, _ body: () throws(Problem) -> Void) -> Int32 {
        do throws(Problem) {
            try body()
            return 0
        } catch {
            switch error {
            case .keychain(let error): return complain(error, at: "device \(verb)")
            case .noTerminal:
                complain(
                    "security: device \(verb): there is no terminal to ask at; "
                        + "use --passcode-fd N")
                return 2
            case .unreadable:
                complain("security: device \(verb): no line to read, or one over 1024 bytes")
                return SecurityStatus.param
            case .refused: return 1
            case .canceled: return SecurityStatus.userCanceled
            }
        }
    }

    /// Where passcodes come from.
    private struct PasscodeSource {
        let descriptor: Int32?

        private static let byteLimit = 1024

        func current(_ prompt: String) throws(Problem) -> Secret {
            if let descriptor { return try line(descriptor) }
            guard PasswordPrompt.hasTerminal else { throw .noTerminal }
            return try Self.entered(PasswordPrompt.once(prompt))
        }

        func new() throws(Problem) -> Secret {
            if let descriptor { return try line(descriptor) }
            guard PasswordPrompt.hasTerminal else { throw .noTerminal }
            return try Self.entered(
                PasswordPrompt.twice("new passcode: ", "retype new passcode: "))
        }

        private func line(_ descriptor: Int32) throws(Problem) -> Secret {
            guard let line = Line.readSecret(from: descriptor, limit: Self.byteLimit + 1),
                line.byteCount <= Self.byteLimit
            else { throw .unreadable }
            return Secret(line)
        }

        private static func entered(_ answer: PasswordPrompt.Answer) throws(Problem) -> Secret {
            switch answer {
            case .entered(let secret): return secret
            case .refused: throw .refused
            case .canceled: throw .canceled
            }
        }
    }
}
