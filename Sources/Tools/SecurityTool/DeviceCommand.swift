// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import SecurityWire

extension Command {
    /// `security device`: the keychain's protection, and the passcode. Not a command of macOS.
    static let device = Command(
        name: "device",
        usage: """
            status [--json]
                   device set-passcode [--passcode-fd N] [--recovery-fd N|--no-recovery-code]
                                       [--permit-fd N]
                   device permit-passcode USER
                   device change-passcode|remove-passcode|unlock [--passcode-fd N]
                   device unlock --key-file FILE|--key-fd N
                   device remove-passcode [--user USER]
                   device protector list [--json] [--user USER]
                   device protector add NAME --key-file FILE|--key-fd N|--credential FILE|--tpm
                                        [--pcrs N[,N…]] [--then-lock] [--user USER]
                                        [--passcode-fd N]
                   device protector remove NAME [--user USER] [--passcode-fd N]
                   device protector test NAME [--key-file FILE|--key-fd N] [--user USER]
                   device lock [--after-grace|--log-out]
                   device configure [--erase-after-failures on|off]
                                    [--count-unidentified-programs on|off] [--grace SECONDS]
                                    [--passcode-fd N]
                   device configure --show [--json]
                   device configure --fingerprint off|on|sets [--passcode-fd N]
                   device biometry list
                   device biometry enrol FINGER [--passcode-fd N]
                   device biometry remove [FINGER] [--passcode-fd N]
                   device make-escrow [--escrow-fd N] [--passcode-fd N]
                   device reset [--escrow-fd N]
                   device doctor [--json]
                   device check [--json]
                   device recover [--json] [--passcode-fd N]
                   device accept-rollback [--passcode-fd N]
                   device recovery-code [--recovery-fd N] [--passcode-fd N] [--permit-fd N]
                   device reset --recovery-code [--recovery-fd N] [--to tpm|file]
                   device migrate --to tpm|file [--passcode-fd N]
                   device bind --pcrs N[,N…]|--none [--passcode-fd N]
                   device adopt [--from DIRECTORY] [--leave-behind] [--skip-existing]
                                [--passcode-fd N]
                   device adopt --delete-old [--from DIRECTORY] [--leave-behind] [--passcode-fd N]
                   device forget-user USER
                   device rename-user USER
                permit-passcode  Root lets a user of the machine set a first passcode within ten
                                 minutes: prints the code that set-passcode asks for, good once. Only
                                 the keychain of a whole machine asks for it
                --json           Machine-readable
                doctor           Says what is wrong around the keychain and what to do. Exit status: 0
                                 nothing is wrong, 1 there is advice, 2 something is broken
                --passcode-fd N  Read the passcode from descriptor N, a line (change-passcode: the
                                 old one's line, then the new one's), instead of the terminal
                --permit-fd N    Read root's code from descriptor N, a line, after the passcode's line
                protector        What unlocks besides the passcode, also with nobody there: a key in a
                                 file or a credential of systemd's, or the TPM. None opens items of
                                 the passcode-set class, or counts as a passcode. To change them
                                 asks for the passcode or, without one, for root. remove-passcode
                                 removes them, too
                --key-file FILE  Write the protector's new key to FILE, which must not exist, or
                                 (unlock, test) read it there. Keep it apart from the keychain
                --key-fd N       The same with descriptor N
                --credential FILE
                                 Have systemd-creds encrypt the new key for this machine, as the
                                 credential NAME (LoadCredentialEncrypted=)
                --tpm            The TPM that has the device key unlocks at the start of the service
                --pcrs N[,N…]    Only while these registers of it have their present values
                --then-lock      It leads to the state after the first unlock only
                --user USER      Root: for the keybag of USER
                --after-grace    Lock when the grace period is over, and say when that is
                --log-out        Lock down to the state before the first unlock
                --erase-after-failures on|off
                                 Whether the tenth wrong passcode destroys all keys. Only wrong
                                 passcodes of signed programs and of programs that root installed
                                 count; else the tenth one disables the passcode. `security` itself
                                 is no such program: for wrong passcodes typed at it the next
                                 setting is needed, too
                --count-unidentified-programs on|off
                                 Whether wrong passcodes of all other programs count, too. Then any
                                 program of yours, also one that you don't trust, can destroy all
                                 keys by ten guesses (default: off)
                --grace SECONDS  How long a lock with --after-grace waits, 0 to 300
                --fingerprint off|on|sets
                                 Whether a finger that the machine's reader (fprintd) recognizes
                                 counts as you, where an item demands you. Nothing proves it to the
                                 keychain: a program that replaces the reader's can say yes. sets:
                                 items may also demand the fingers that are enrolled now, as far as
                                 biometry changed them (default: off)
                biometry         The fingers of the reader. enrol and remove close all items that
                                 demand the present fingers, for good. FINGER: right-index-finger, …
                --to tpm|file    What makes the keychain's device key from now on
                --recovery-fd N  Write the recovery code to descriptor N, or (reset) read it there, a
                                 line, instead of the terminal
                --no-recovery-code
                                 Make none, also where a TPM keeps the device key
                adopt            Moves your own keychain (`securityd --user`) into the one of the
                                 machine: all items, or none. The old one stays
                --from DIRECTORY The old one's directory (default: ~/.local/share/llavero)
                --leave-behind   Also if items can't move: those with an access control, and keys of
                                 the enclave
                --skip-existing  Items that are in the machine's keychain already stay out
                --delete-old     Deletes the old one, if nothing in it has changed since it was
                                 adopted
                forget-user      Root: destroys everything of a user (name or number) whose account
                                 is gone, so that a new account of the same number begins anew
                rename-user      Root: an account that was given another name keeps its keychain
                --escrow-fd N    Write the key of the escrow record to descriptor N, or (reset)
                                 read it there, a line, instead of the terminal
            """,
        help:
            "Show what protects the keychain, or is wrong; passcode, lock, unlock; recover from damage.",
        run: { DeviceCommand.run($0, &$1) })
}

/// Why a device operation wasn't tried, or how it failed.
enum DeviceProblem: Error {
    case usage
    /// There is no terminal; the option that helps.
    case noTerminal(String)
    /// The tool doesn't hold an access group, and there is no way to ask for the passcode; the
    /// reason.
    case noProof(String, String)
    /// An application group is named as in its programs, and not by its stored name.
    case noTeam(String)
    case unreadable
    case badEscrowKey
    case badRecoveryCode
    /// What was given isn't a code of `permit-passcode`.
    case badPermit
    /// The key of an escrow record, or a code, couldn't be written; it may have been made.
    case unwritable(isMade: Bool)
    /// About a protector's key.
    case protector(String)
    /// Why a keychain can't move; nothing was changed.
    case adoption(String)
    case refused
    case canceled
    /// With a text that replaces the usual advice.
    case keychain(KeychainError, advice: String? = nil)
}

private enum DeviceCommand {
    private typealias Problem = DeviceProblem

    static func run(_ words: Words, _ session: inout Session) -> Int32 {
        var arguments = (1..<max(words.count, 1)).map { words[$0].string }
        guard !arguments.isEmpty else { return Command.device.usageError() }
        let verb = arguments.removeFirst()
        let connection = session.connection
        switch verb {
        case "recover": return recover(arguments, connection)
        case "doctor":
            guard arguments.isEmpty || arguments == ["--json"] else {
                return Command.device.usageError()
            }
            return DoctorCommand.run(isJSON: !arguments.isEmpty)
        case "status", "check":
            guard arguments.isEmpty || arguments == ["--json"] else {
                return Command.device.usageError()
            }
            return show(verb, connection, isJSON: !arguments.isEmpty)
        case "lock":
            return report(verb) { () throws(Problem) in try lock(arguments, connection) }
        case "configure":
            return report(verb) { () throws(Problem) in
                try DeviceSettingsCommand.configure(arguments, connection)
            }
        case "biometry":
            return report(arguments.first.map { "biometry \($0)" } ?? verb) {
                () throws(Problem) in try BiometryCommand.run(arguments, connection)
            }
        case "make-escrow":
            return report(verb) { () throws(Problem) in
                try EscrowCommand.make(arguments, connection)
            }
        case "recovery-code":
            return report(verb) { () throws(Problem) in
                try DeviceKeyCommand.makeRecoveryCode(arguments, connection)
            }
        case "reset" where DeviceKeyCommand.isRecovery(arguments):
            return report(verb) { () throws(Problem) in
                try DeviceKeyCommand.recover(arguments, connection)
            }
        case "reset":
            return report(verb) { () throws(Problem) in
                try EscrowCommand.reset(arguments, connection)
            }
        case "accept-rollback":
            return report(verb) { () throws(Problem) in
                let options = try DeviceOptions(arguments, values: ["--passcode-fd"])
                let source = PasscodeSource(descriptor: try options.descriptor("--passcode-fd"))
                try acceptRollback(source, connection)
            }
        case "bind":
            return report(verb) { () throws(Problem) in
                try DeviceKeyCommand.bind(arguments, connection)
            }
        case "migrate":
            return report(verb) { () throws(Problem) in
                try DeviceKeyCommand.migrate(arguments, connection)
            }
        case "set-passcode":
            return report(verb) { () throws(Problem) in
                try DeviceKeyCommand.setPasscode(arguments, connection)
            }
        case "permit-passcode":
            return report(verb) { () throws(Problem) in
                guard arguments.count == 1, let user = UserEntry.number(of: arguments[0])
                else { throw .usage }
                do throws(KeychainError) {
                    let code = try connection.permitFirstPasscode(ofUser: user)
                    Output.write(code.text + "\n", to: STDOUT_FILENO)
                } catch { throw .keychain(error) }
            }
        case "adopt":
            return report(verb) { () throws(Problem) in try AdoptCommand.run(arguments) }
        case "forget-user", "rename-user":
            return report(verb) { () throws(Problem) in
                guard arguments.count == 1, let user = UserEntry.number(of: arguments[0])
                else { throw .usage }
                do throws(KeychainError) {
                    if verb == "forget-user" {
                        try connection.forgetUser(user)
                    } else {
                        try connection.renameUser(user)
                    }
                } catch { throw .keychain(error, advice: onlyRoot(error)) }
            }
        case "protector":
            return report(arguments.first.map { "protector \($0)" } ?? verb) {
                () throws(Problem) in try ProtectorCommand.run(arguments, connection)
            }
        case "unlock" where ProtectorCommand.hasKey(arguments):
            return report(verb) { () throws(Problem) in
                try ProtectorCommand.unlock(arguments, connection)
            }
        case "change-passcode", "remove-passcode", "unlock":
            return report(verb) { () throws(Problem) in
                if verb == "remove-passcode" {
                    guard try !ProtectorCommand.removeProtection(arguments, connection) else {
                        return
                    }
                }
                let options = try DeviceOptions(arguments, values: ["--passcode-fd"])
                let source = PasscodeSource(descriptor: try options.descriptor("--passcode-fd"))
                try passcodeOperation(verb, source, connection)
            }
        default: return Command.device.usageError()
        }
    }

    private static func onlyRoot(_ error: KeychainError) -> String? {
        error.reason == .administratorNeeded ? "Only root can do that." : nil
    }

    private static func show(
        _ verb: String, _ connection: KeychainConnection, isJSON: Bool
    ) -> Int32 {
        verb == "check"
            ? MaintenanceCommand.check(connection, isJSON: isJSON)
            : status(connection, isJSON: isJSON)
    }

    /// Only the owner may restore rows.
    private static func recover(
        _ arguments: [String], _ connection: KeychainConnection
    ) -> Int32 {
        do throws(Problem) {
            let options = try DeviceOptions(
                arguments, values: ["--passcode-fd"], flags: ["--json"])
            let source = PasscodeSource(descriptor: try options.descriptor("--passcode-fd"))
            if let passcode = try currentIfSet(source, connection) {
                do { try connection.unlock(passcode: passcode.bytes) } catch {
                    throw .keychain(error)
                }
            }
            return MaintenanceCommand.recover(connection, isJSON: options.has("--json"))
        } catch { return error.complained(at: "device recover", .device) }
    }

    private static func status(_ connection: KeychainConnection, isJSON: Bool) -> Int32 {
        do throws(KeychainError) {
            let text = DeviceStatusText(
                status: try connection.deviceStatus(),
                protectors: ProtectorText(try connection.protectors()), now: Int64(time(nil)))
            var output = Output(STDOUT_FILENO)
            output.put(isJSON ? text.json : text.plain)
            return output.flush() ? 0 : SecurityStatus.io
        } catch { return complain(error, at: "device status") }
    }

    private static func lock(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(Problem) {
        let mode: DeviceLockMode
        switch arguments {
        case []: mode = .now
        case ["--after-grace"]: mode = .afterGrace
        case ["--log-out"]: mode = .logOut
        default: throw .usage
        }
        do throws(KeychainError) {
            let rest = try connection.lock(mode)
            guard rest > .zero else { return }
            Output.write("Locks in \(rest.components.seconds) s.\n", to: STDOUT_FILENO)
        } catch { throw .keychain(error) }
    }

    private static func passcodeOperation(
        _ verb: String, _ source: PasscodeSource, _ connection: KeychainConnection
    ) throws(Problem) {
        let isChange = verb == "change-passcode"
        let current = try source.current(isChange ? "old passcode: " : "passcode: ")
        let new = isChange ? try source.new() : nil
        do throws(KeychainError) {
            if let new {
                try connection.changePasscode(from: current.bytes, to: new.bytes)
            } else if verb == "remove-passcode" {
                try connection.removePasscode(current.bytes)
            } else {
                try connection.unlock(passcode: current.bytes)
            }
        } catch { throw .keychain(error) }
    }

    /// Asks for the passcode only if one is set.
    private static func currentIfSet(
        _ source: PasscodeSource, _ connection: KeychainConnection
    ) throws(Problem) -> Secret? {
        let isSet: Bool
        do throws(KeychainError) { isSet = try connection.deviceStatus().passcodeSet } catch {
            throw .keychain(error)
        }
        return isSet ? try source.current("passcode: ") : nil
    }

    private static func acceptRollback(
        _ source: PasscodeSource, _ connection: KeychainConnection
    ) throws(Problem) {
        let passcode = try currentIfSet(source, connection)
        do throws(KeychainError) {
            if let passcode {
                try connection.acceptRollback(passcode: passcode.bytes)
            } else {
                try connection.acceptRollback(passcode: SecretBytes(byteCount: 0))
            }
        } catch { throw .keychain(error) }
    }

    private static func report(_ verb: String, _ body: () throws(Problem) -> Void) -> Int32 {
        do throws(Problem) {
            try body()
            return 0
        } catch {
            return error.complained(at: "device \(verb)", .device)
        }
    }
}

extension DeviceProblem {
    /// Prints the error.
    /// - Parameters:
    ///   - name: The command, and its verb if it has one.
    ///   - command: The command.
    /// - Returns: The status.
    func complained(at name: String, _ command: Command) -> Int32 {
        let place = "security: \(name): "
        switch self {
        case .usage: return command.usageError()
        case .keychain(let error, let advice): return complain(error, at: name, advice: advice)
        case .noTerminal(let option):
            complain(place + "there is no terminal to ask at; use \(option) N")
            return 2
        case .noProof(let group, let reason):
            complain(place + SecurityStatus.message(for: SecurityStatus.missingEntitlement))
            complain("security: \(group) opens to this tool only by the device passcode: \(reason)")
            return SecurityStatus.missingEntitlement
        case .noTeam(let group):
            complain(place + SecurityStatus.message(for: SecurityStatus.missingEntitlement))
            complain(
                "security: \(group) is a group of each team that has one; name it as it is stored, "
                    + "TEAM.\(group)")
            return SecurityStatus.missingEntitlement
        case .unreadable:
            complain(place + "no line to read, or one over 1024 bytes")
            return SecurityStatus.param
        case .badEscrowKey:
            complain(place + "an escrow key has 64 hexadecimal digits")
            return SecurityStatus.param
        case .badRecoveryCode:
            complain(
                place + "that is no recovery code: one has 28 letters and digits, and this one has "
                    + "a mistake")
            return SecurityStatus.param
        case .badPermit:
            complain(place + "that is no code of permit-passcode: one has 16 letters and digits")
            return SecurityStatus.param
        case .unwritable(let isMade):
            let what = name.hasSuffix("make-escrow") ? "escrow key" : "recovery code"
            let rest = isMade ? "make another one" : "none was made"
            complain(place + "the \(what) can't be written there; \(rest)")
            return SecurityStatus.io
        case .protector(let text), .adoption(let text):
            complain(place + text)
            return SecurityStatus.param
        case .refused: return 1
        case .canceled: return SecurityStatus.userCanceled
        }
    }
}
