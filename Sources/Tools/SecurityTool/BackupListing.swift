// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import BackupArchive
import Glibc
import Keychain
import SecurityWire

/// What `security backup` shows, and what it deletes.
enum BackupListing {
    private static func write(_ text: String) { Output.write(text, to: STDOUT_FILENO) }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func date(_ seconds: UInt64) -> String {
        CivilTime(sinceEpoch: Int64(clamping: min(seconds, 1 << 40))).rfc3339
    }

    // MARK: - Status

    static func status(
        _ arguments: [String], _ connection: KeychainConnection
    ) throws(BackupProblem) {
        let options = try BackupCommand.options(arguments, values: [], flags: ["--json"])
        let status: BackupStatus
        do throws(KeychainError) { status = try connection.backupStatus() } catch {
            throw .device(.keychain(error))
        }
        write(options.has("--json") ? json(status) : plain(status))
    }

    private static func json(_ status: BackupStatus) -> String {
        let last = JSONText.object([
            ("number", "\(status.lastNumber)"),
            ("date", JSONText.quoted(date(status.lastDate))),
            ("rows", "\(status.lastRowCount)"),
        ])
        return JSONText.object([
            ("passwordSet", status.isPasswordSet ? "true" : "false"),
            ("set", status.set.isEmpty ? "null" : JSONText.quoted(hex(status.set))),
            ("lastArchive", status.lastNumber == 0 ? "null" : last),
            ("rowsPending", "\(status.pendingCount)"),
            ("deviceOnlyRows", "\(status.deviceOnlyCount)"),
            ("excludedRows", "\(status.excludedCount)"),
        ]) + "\n"
    }

    private static func plain(_ status: BackupStatus) -> String {
        var text =
            status.isPasswordSet
            ? "backup password: set\n"
            : "backup password: none; archives open on this device alone\n"
        text +=
            status.lastNumber == 0
            ? "last archive: none\n"
            : "last archive: number \(status.lastNumber), \(date(status.lastDate)), "
                + "\(status.lastRowCount) items\n"
        text += "not portable yet: \(status.pendingCount)\n"
        text += "for this device only: \(status.deviceOnlyCount)\n"
        return text + "in no backup: \(status.excludedCount)\n"
    }

    // MARK: - List

    static func list(_ arguments: [String]) throws(BackupProblem) {
        guard let directory = arguments.first, !directory.hasPrefix("--") else {
            throw .device(.usage)
        }
        let options = try BackupCommand.options(
            Array(arguments.dropFirst()), values: [], flags: ["--json"])
        let (files, damaged) = try BackupFile.all(in: directory)
        if options.has("--json") {
            let entries = files.map { file in
                JSONText.object([
                    ("file", JSONText.quoted(file.path)),
                    ("set", JSONText.quoted(hex(file.head.set))),
                    ("number", "\(file.head.number)"),
                    ("date", JSONText.quoted(date(file.head.date))),
                    ("hasPassword", file.head.hasPassword ? "true" : "false"),
                ])
            }
            write(JSONText.array(entries) + "\n")
        } else {
            for file in files {
                let kind = file.head.hasPassword ? "with password" : "this device only"
                write("\(date(file.head.date))  \(file.head.number)  \(kind)  \(file.path)\n")
            }
        }
        for (path, error) in damaged { complain("security: \(path): \(error.text)") }
        if let first = damaged.first { throw .archive(first.0, first.1) }
    }

    // MARK: - Verify

    static func verify(_ arguments: [String]) throws(BackupProblem) {
        guard arguments.count == 1, let target = arguments.first,
            target == "-" || !target.hasPrefix("-")
        else { throw .device(.usage) }
        for path in try paths(target) {
            try verify(path: path)
            write("\(path): whole\n")
        }
    }

    private static func paths(_ target: String) throws(BackupProblem) -> [String] {
        guard isDirectory(target) else { return [target] }
        let (files, damaged) = try BackupFile.all(in: target)
        if let first = damaged.first { throw .archive(first.0, first.1) }
        return files.map(\.path)
    }

    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func verify(path: String) throws(BackupProblem) {
        let input = try BackupInput(path)
        do throws(ArchiveError) {
            var verifier = ArchiveVerifier(try input.head())
            while true {
                let chunk = input.read(ArchiveChunk.byteCount)
                guard !chunk.isEmpty else { break }
                try verifier.verify(chunk[...])
            }
            try verifier.finish()
        } catch { throw .archive(path, error) }
    }

    // MARK: - Prune

    static func prune(_ arguments: [String]) throws(BackupProblem) {
        guard let directory = arguments.first, !directory.hasPrefix("--") else {
            throw .device(.usage)
        }
        let options = try BackupCommand.options(
            Array(arguments.dropFirst()), values: BackupRetention.options)
        guard let retention = BackupRetention(options) else { throw .device(.usage) }
        for file in retention.superfluous(try BackupFile.all(in: directory).files) {
            guard unsafe unlink(file.path) == 0 else { throw .file(file.path, errno) }
            write("\(file.path): deleted\n")
        }
    }
}
