// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import BackupArchive
import Glibc
import Keychain
import SecretBytes
import SecurityWire

extension Command {
    /// `security backup`: archives of everything. Not a command of macOS.
    static let backup = Command(
        name: "backup",
        usage: """
            status [--json]
                   backup set-password [--generate] [--password-fd N] [--passcode-fd N]
                   backup remove-password [--passcode-fd N]
                   backup create DIRECTORY|- [--require-complete] [--passcode-fd N]
                   backup list DIRECTORY [--json]
                   backup verify FILE|DIRECTORY|-
                   backup restore FILE|DIRECTORY|- [--dry-run] [--replace] [--older]
                                  [--on-conflict newer|keep|backup]
                                  [--password-fd N] [--passcode-fd N]
                   backup prune DIRECTORY [--keep-last N] [--keep-daily N] [--keep-weekly N]
                       [--keep-monthly N]
                set-password     Without a backup password, archives open on this device alone
                --generate       Makes a password of 130 bits and shows it
                create           Works while the device is locked. -: the standard output
                --require-complete
                                 Write no archive while rows can't be made portable yet
                verify           Looks for damage, without the password
                restore          A DIRECTORY means its newest archive. Items are stored in one step
                --dry-run        Says what would be done, and changes nothing
                --on-conflict    Which of two items counts: the one that was changed later (newer,
                                 the default), the one that is there (keep), the backup's (backup)
                --replace        Items that the backup lacks go, unless they synchronize or no backup
                                 has them
                --older          Restores an archive that isn't the newest one of this keychain
                --password-fd N  Read the backup password from descriptor N, a line
                --passcode-fd N  Read the device's passcode from descriptor N, a line
            """,
        help: "Back up everything, and restore it."
    ) { words, session in BackupCommand.run(words, session.connection) }
}

/// `security backup`.
enum BackupCommand {
    static let password = "--password-fd"
    static let passcode = "--passcode-fd"

    static func run(_ words: Words, _ connection: KeychainConnection) -> Int32 {
        var arguments = (1..<max(words.count, 1)).map { words[$0].string }
        guard !arguments.isEmpty else { return Command.backup.usageError() }
        let verb = arguments.removeFirst()
        do throws(BackupProblem) {
            switch verb {
            case "status": try BackupListing.status(arguments, connection)
            case "set-password": try setPassword(arguments, connection)
            case "remove-password": try removePassword(arguments, connection)
            case "create": try BackupCreation.run(arguments, connection)
            case "list": try BackupListing.list(arguments)
            case "verify": try BackupListing.verify(arguments)
            case "prune": try BackupListing.prune(arguments)
            case "restore": try BackupRestore.run(arguments, connection)
            default: throw .device(.usage)
            }
            return 0
        } catch { return complained(error, verb) }
    }

    private static func complained(_ problem: BackupProblem, _ verb: String) -> Int32 {
        let place = "security: backup \(verb): "
        switch problem {
        case .device(let problem): return problem.complained(at: "backup \(verb)", .backup)
        case .file(let path, let code):
            let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? ""
            complain(place + "\(path): \(reason)")
            return SecurityStatus.io
        case .archive(let path, let error):
            complain(place + "\(path): \(error.text). Nothing was changed.")
            return SecurityStatus.decode
        case .other(let text, let status):
            complain(place + text)
            return status
        }
    }

    // MARK: - Who asks

    /// Shows that the owner asks, or takes the passcode for it.
    /// - Returns: The passcode for the letter; empty where none is set.
    static func ownersPasscode(
        _ source: PasscodeSource, _ connection: KeychainConnection
    ) throws(BackupProblem) -> Secret {
        do throws(KeychainError) {
            guard try connection.deviceStatus().passcodeSet else {
                _ = try connection.proveOwner()
                return Secret(SecretBytes(byteCount: 0))
            }
        } catch { throw .device(.keychain(error)) }
        do throws(DeviceProblem) { return try source.current("passcode: ") } catch {
            throw .device(error)
        }
    }

    static func options(
        _ arguments: [String], values: Set<String>, flags: Set<String> = []
    ) throws(BackupProblem) -> DeviceOptions {
        do throws(DeviceProblem) {
            return try DeviceOptions(arguments, values: values, flags: flags)
        } catch { throw .device(error) }
    }

    static func source(
        _ name: String, _ options: DeviceOptions
    ) throws(BackupProblem) -> PasscodeSource {
        do throws(DeviceProblem) {
            return PasscodeSource(descriptor: try options.descriptor(name))
        } catch { throw .device(error) }
    }

    // MARK: - The password

    private static func setPassword(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(BackupProblem) {
        let options = try options(
            arguments, values: [password, passcode], flags: ["--generate"])
        let passcode = try ownersPasscode(try source(passcode, options), connection)
        let chosen: Secret
        if options.has("--generate") {
            guard options.value(password) == nil else { throw .device(.usage) }
            chosen = RecoveryCode.generated()
        } else {
            chosen = try newPassword(try source(password, options))
            if let reason = BackupPasswordRules.refusal(chosen) {
                throw .other(reason, SecurityStatus.param)
            }
        }
        do throws(KeychainError) {
            try connection.setBackupPassword(chosen, passcode: passcode)
        } catch { throw .device(.keychain(error)) }
        guard options.has("--generate") else { return }
        var output = Output(STDOUT_FILENO)
        unsafe chosen.bytes.withUnsafeBytes { unsafe output.put($0) }
        output.put("\n")
        guard output.flush() else {
            throw .other("the password can't be written there; set another", SecurityStatus.io)
        }
    }

    private static func newPassword(_ source: PasscodeSource) throws(BackupProblem) -> Secret {
        do throws(DeviceProblem) {
            guard source.descriptor == nil else {
                return try source.secret("", option: password)
            }
            guard PasswordPrompt.hasTerminal else { throw .noTerminal(password) }
            switch PasswordPrompt.twice("backup password: ", "retype backup password: ") {
            case .entered(let secret): return secret
            case .refused: throw .refused
            case .canceled: throw .canceled
            }
        } catch { throw .device(error) }
    }

    private static func removePassword(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(BackupProblem) {
        let options = try options(arguments, values: [passcode])
        let passcode = try ownersPasscode(try source(passcode, options), connection)
        do throws(KeychainError) { try connection.removeBackupPassword(passcode: passcode) } catch {
            throw .device(
                .keychain(
                    error, advice: error.reason == .wrongState ? "No backup password is set." : nil)
            )
        }
    }
}

/// What a backup password may not be: an archive is guessed at without this device.
enum BackupPasswordRules {
    private static let leastCount = 10

    /// - Returns: Why it is refused; nil for one that may be.
    static func refusal(_ password: Secret) -> String? {
        let bytes = unsafe password.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
        guard String(decoding: bytes, as: UTF8.self).count >= leastCount else {
            return "a backup password has at least \(leastCount) characters; --generate makes one"
        }
        let steps = Set(zip(bytes, bytes.dropFirst()).map { Int($1) - Int($0) })
        guard steps.count > 1 || !(steps.first.map { abs($0) <= 1 } ?? true) else {
            return "one character repeated, or characters in a row, are no password"
        }
        return nil
    }
}

/// `security backup create`.
enum BackupCreation {
    static func run(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(BackupProblem) {
        guard let target = arguments.first, !target.hasPrefix("--") else {
            throw .device(.usage)
        }
        let options = try BackupCommand.options(
            Array(arguments.dropFirst()), values: [BackupCommand.passcode],
            flags: ["--require-complete", "--full"])
        guard target != "-" || isatty(STDOUT_FILENO) == 0 else {
            throw .other("an archive isn't for a terminal", SecurityStatus.param)
        }
        try authorize(options, connection)
        let begun: (session: KeychainConnection.BackupSession, head: [UInt8])
        do throws(KeychainError) { begun = try connection.beginBackup() } catch {
            throw .device(.keychain(error, advice: advice(error)))
        }
        do throws(BackupProblem) {
            try write(
                begun.session, begun.head, to: target,
                isWhole: options.has("--require-complete"), connection)
        } catch {
            connection.abandon(begun.session)
            throw error
        }
    }

    /// Making an archive takes the owner: root, who may write in the state directory, or the passcode.
    private static func authorize(
        _ options: DeviceOptions, _ connection: KeychainConnection
    ) throws(BackupProblem) {
        do throws(KeychainError) {
            if geteuid() == 0 { return }
            if try connection.proveOwner() { return }
            guard try connection.deviceStatus().passcodeSet else { return }
        } catch { throw .device(.keychain(error)) }
        let source = try BackupCommand.source(BackupCommand.passcode, options)
        let passcode: Secret
        do throws(DeviceProblem) { passcode = try source.current("passcode: ") } catch {
            throw .device(error)
        }
        do throws(KeychainError) { try connection.unlock(passcode: passcode.bytes) } catch {
            throw .device(.keychain(error))
        }
    }

    private static func advice(_ error: KeychainError) -> String? {
        error.reason == .denied
            ? "Making a backup takes the passcode or root; no passcode is set." : nil
    }

    private static func write(
        _ session: KeychainConnection.BackupSession, _ bytes: [UInt8], to target: String,
        isWhole: Bool, _ connection: KeychainConnection
    ) throws(BackupProblem) {
        let head: ArchiveHead
        do throws(ArchiveError) { head = try ArchiveHead(bytes) } catch {
            throw .archive(target, error)
        }
        let output = try BackupOutput(target == "-" ? nil : target, BackupFile.name(head))
        try output.write(bytes)
        var last = BackupCounts()
        while true {
            let part: (bytes: [UInt8], isLast: Bool, counts: BackupCounts)
            do throws(KeychainError) { part = try connection.readBackup(session) } catch {
                throw .device(.keychain(error))
            }
            try output.write(part.bytes)
            last = part.counts
            guard !part.isLast else { break }
        }
        guard !isWhole || last.pending == 0 else {
            throw .other(
                "\(last.pending) items can't be made portable before the device is unlocked; no "
                    + "archive was written", SecurityStatus.interactionNotAllowed)
        }
        let path = try output.finish()
        say(path, last, hasPassword: head.hasPassword)
    }

    private static func say(_ path: String, _ counts: BackupCounts, hasPassword: Bool) {
        var text = "\(path): \(counts.rows) items"
        if !hasPassword {
            text += ". No backup password is set: only this device opens it"
        } else {
            if counts.deviceOnly > 0 { text += ", \(counts.deviceOnly) for this device only" }
            if counts.pending > 0 {
                text +=
                    ", \(counts.pending) of which only this device opens until it was unlocked "
                    + "and another archive is made"
            }
        }
        text += ".\n"
        if counts.excluded > 0 {
            text += "Left out, because no backup has them: \(counts.excluded).\n"
        }
        if counts.ofKeychains > 0 {
            text += "Left out, because they are in other keychains: \(counts.ofKeychains).\n"
        }
        Output.write(text, to: path == "-" ? STDERR_FILENO : STDOUT_FILENO)
    }
}
