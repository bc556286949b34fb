// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import BackupArchive
import Glibc
import Keychain
import SecretBytes
import SecurityWire

/// `security backup restore`.
enum BackupRestore {
    /// A part of the archive: whole chunks.
    private static let partByteCount = 8 * ArchiveChunk.byteCount

    static func run(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(BackupProblem) {
        guard let target = arguments.first, target == "-" || !target.hasPrefix("-") else {
            throw .device(.usage)
        }
        let options = try BackupCommand.options(
            Array(arguments.dropFirst()),
            values: [BackupCommand.password, BackupCommand.passcode, "--on-conflict"],
            flags: ["--dry-run", "--replace", "--older"])
        let restoring = try restoreOptions(options)
        let path = try newest(target)
        let input = try BackupInput(path)
        let head: ArchiveHead
        do throws(ArchiveError) { head = try input.head() } catch { throw .archive(path, error) }
        let passcode = try BackupCommand.ownersPasscode(
            try BackupCommand.source(BackupCommand.passcode, options), connection)
        let password = try backupPassword(head, options)
        let counts = try restore(
            path, input, head, restoring, password: password, passcode: passcode, connection)
        say(counts, restoring, connection)
    }

    private static func newest(_ target: String) throws(BackupProblem) -> String {
        guard BackupListing.isDirectory(target) else { return target }
        guard let file = try BackupFile.all(in: target).files.last else {
            throw .other("\(target) has no archive", SecurityStatus.param)
        }
        return file.path
    }

    private static func restoreOptions(
        _ options: DeviceOptions
    ) throws(BackupProblem) -> RestoreOptions {
        var restoring = RestoreOptions()
        restoring.isDryRun = options.has("--dry-run")
        restoring.replaces = options.has("--replace")
        restoring.takesOlder = options.has("--older")
        switch options.value("--on-conflict") {
        case nil, "newer": restoring.conflict = .newer
        case "keep": restoring.conflict = .keep
        case "backup": restoring.conflict = .backup
        case _: throw .device(.usage)
        }
        return restoring
    }

    /// An archive without a password, or of this device, needs none: an empty one says so.
    private static func backupPassword(
        _ head: ArchiveHead, _ options: DeviceOptions
    ) throws(BackupProblem) -> Secret {
        let source = try BackupCommand.source(BackupCommand.password, options)
        guard head.hasPassword, source.descriptor != nil || PasswordPrompt.hasTerminal else {
            return Secret(SecretBytes(byteCount: 0))
        }
        do throws(DeviceProblem) {
            return try source.secret(
                "backup password (empty for an archive of this device): ",
                option: BackupCommand.password)
        } catch { throw .device(error) }
    }

    private static func restore(
        _ path: String, _ input: BackupInput, _ head: ArchiveHead, _ options: RestoreOptions,
        password: Secret, passcode: Secret, _ connection: KeychainConnection
    ) throws(BackupProblem) -> RestoreCounts {
        let session: KeychainConnection.BackupSession
        do throws(KeychainError) {
            session = try connection.beginRestore(
                head.bytes, options, password: password, passcode: passcode)
        } catch { throw .device(.keychain(error, advice: advice(error))) }
        do throws(BackupProblem) {
            try send(path, input, head, session, connection)
            do throws(KeychainError) { return try connection.finishRestore(session) } catch {
                throw .device(.keychain(error, advice: advice(error)))
            }
        } catch {
            connection.abandon(session)
            throw error
        }
    }

    private static func send(
        _ path: String, _ input: BackupInput, _ head: ArchiveHead,
        _ session: KeychainConnection.BackupSession, _ connection: KeychainConnection
    ) throws(BackupProblem) {
        var verifier = ArchiveVerifier(head)
        while true {
            let part = input.read(partByteCount)
            guard !part.isEmpty else { break }
            do throws(ArchiveError) {
                var rest = part[...]
                while !rest.isEmpty {
                    let chunk = rest.prefix(ArchiveChunk.byteCount)
                    try verifier.verify(chunk)
                    rest = rest.dropFirst(chunk.count)
                }
            } catch { throw .archive(path, error) }
            do throws(KeychainError) { try connection.restore(part, session) } catch {
                throw .device(.keychain(error, advice: advice(error)))
            }
        }
        do throws(ArchiveError) { try verifier.finish() } catch { throw .archive(path, error) }
    }

    private static func advice(_ error: KeychainError) -> String? {
        switch error.reason {
        case .wrongPasscode:
            "The passcode or the backup password is wrong. Nothing was changed."
        case .archiveForeign:
            "Neither this device nor the password opens the archive. Nothing was changed."
        case .archiveOlder:
            "It isn't the newest archive of this keychain; --older restores it. Nothing was changed."
        case .archiveDamaged: "The archive is damaged, or was forged. Nothing was changed."
        case .administratorNeeded:
            "Restoring takes the owner: set a passcode, or let root do it. Nothing was changed."
        default: nil
        }
    }

    // MARK: - Words

    private static func say(
        _ counts: RestoreCounts, _ options: RestoreOptions, _ connection: KeychainConnection
    ) {
        var text =
            options.isDryRun
            ? "Would add \(counts.added), replace \(counts.replaced), keep \(counts.kept)"
            : "Added \(counts.added), replaced \(counts.replaced), kept \(counts.kept)"
        if options.replaces {
            text += ", \(options.isDryRun ? "remove" : "removed") \(counts.removed)"
        }
        text += ".\n"
        let left = [
            (counts.deviceOnly, "only the device that made them opens them"),
            (counts.excluded, "they belong to the system, or to an enclave"),
            (counts.lost, "they don't open"),
        ]
        for (count, reason) in left where count > 0 {
            text += "Left behind, because \(reason): \(count).\n"
        }
        if !options.isDryRun, (try? connection.deviceStatus().passcodeSet) == false {
            text += "No passcode protects them here; `security device set-passcode` sets one.\n"
        }
        Output.write(text, to: STDOUT_FILENO)
    }
}
