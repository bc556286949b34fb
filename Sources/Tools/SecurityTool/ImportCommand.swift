// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CredentialFiles
import Glibc
import Keychain
import SecretBytes
import SecurityWire

extension Command {
    /// `security import-netrc`: the logins of a .netrc file. Not a command of macOS.
    static let importNetrc: Command = Command(
        name: "import-netrc",
        usage: """
            [--background] [--replace] [--dry-run] [--protocol name] [file|-]
                file             The file, or - for standard input (default: ~/.netrc)
                --protocol name  The protocol of the items where the file names none: ftp, http,
                                 https, imap, ... or none (default: https)
            \(ImportCommand.usage)
            """,
        help: "Store the logins of a .netrc file as internet passwords: all or none.",
        run: { ImportCommand.run(.netrc, .importNetrc, $0, $1) })

    /// `security import-git-credentials`: the logins that `git credential-store` has stored. Not a
    /// command of macOS.
    static let importGitCredentials: Command = Command(
        name: "import-git-credentials",
        usage: """
            [--background] [--replace] [--dry-run] [file|-]
                file             The file, or - for standard input (default: ~/.git-credentials
                                 and $XDG_CONFIG_HOME/git/credentials, as far as they are there)
            \(ImportCommand.usage)
            """,
        help: "Store the logins of git credential-store as internet passwords: all or none.",
        run: { ImportCommand.run(.gitCredentials, .importGitCredentials, $0, $1) })
}

/// The kind of file to import.
enum ImportFormat {
    case netrc, gitCredentials

    /// The default path of such a file.
    var defaultPaths: [String] {
        switch self {
        case .netrc: [HomeDirectory.path + "/.netrc"]
        case .gitCredentials:
            [HomeDirectory.path + "/.git-credentials", Self.configuration + "/git/credentials"]
        }
    }

    private static var configuration: String {
        if llavero_raised_privileges() == 0, let value = unsafe getenv("XDG_CONFIG_HOME") {
            let text = unsafe String(cString: value)
            if text.hasPrefix("/") { return text }
        }
        return HomeDirectory.path + "/.config"
    }

    func parse(_ content: borrowing SecretBytes) throws(BadLine) -> CredentialFile {
        switch self {
        case .netrc: try Netrc.parse(content)
        case .gitCredentials: try GitCredentials.parse(content)
        }
    }
}

/// Reads whole files of credentials, then stores their logins.
private struct ImportCommand {
    private let name: String
    private let format: ImportFormat
    private var options = ImportOptions()
    private var paths: [String]
    private var isDefaultPath = true
    private var isDryRun = false

    /// The lines of a usage text that both commands share.
    static let usage = """
            --background     The items can be read from the first unlock after a start on, also
                             while the device is locked (default: only while it is unlocked)
            --replace        Give an item that has another password the one of the file; without
                             it nothing is stored when there is such an item
            --dry-run        Say what would be stored, and store nothing
        """

    static func run(
        _ format: ImportFormat, _ command: Command, _ words: Words, _ session: Session
    ) -> Int32 {
        guard let task = ImportCommand(format, command.name, words) else {
            return command.usageError()
        }
        return task.run(session.connection)
    }

    /// Nil for invalid arguments.
    private init?(_ format: ImportFormat, _ name: String, _ words: Words) {
        self.name = name
        self.format = format
        paths = format.defaultPaths
        var areOptionsOver = false
        var index = 1
        while index < words.count {
            let word = words[index].string
            index += 1
            switch areOptionsOver || word == "-" ? "" : word {
            case "--": areOptionsOver = true
            case "--background": options.accessibility = .afterFirstUnlock
            case "--replace": options.isReplacing = true
            case "--dry-run": isDryRun = true
            case "--protocol":
                guard format == .netrc, index < words.count,
                    let value = Self.networkProtocol(words[index].string)
                else { return nil }
                options.networkProtocol = value
                index += 1
            default:
                let isOption = !areOptionsOver && word != "-" && word.hasPrefix("-")
                guard isDefaultPath, !isOption else { return nil }
                paths = [word]
                isDefaultPath = false
            }
        }
    }

    /// Nil for an unknown name.
    private static func networkProtocol(_ name: String) -> AttributeValue? {
        name == "none" ? .integer(0) : NetworkProtocol.code(ofScheme: name).map { .text($0) }
    }

    // MARK: - Running

    private func run(_ connection: KeychainConnection) -> Int32 {
        var files: [ImportedFile] = []
        for path in paths {
            do throws(InputFile.Problem) {
                files.append(try read(path))
            } catch {
                if isDefaultPath, paths.count > 1, error == .system(ENOENT) { continue }
                say("\(InputFile.name(of: path))\(error.text). Nothing was stored.")
                return 1
            }
        }
        guard !files.isEmpty else {
            say("There is none of \(paths.joined(separator: ", ")). Nothing was stored.")
            return 1
        }
        for file in files {
            tell(
                file.content.omissions.map {
                    "\(file.name):\($0.line): left out: \($0.reason.rawValue)"
                })
        }
        do throws(ImportProblem) {
            let plan = try ImportPlan(files, options, connection)
            if !isDryRun { try ImportRun(connection, options).carryOut(plan) }
            var output = Output(STDOUT_FILENO)
            output.put(summary(plan, files))
            return output.flush() ? 0 : SecurityStatus.io
        } catch { return explain(error) }
    }

    private func read(_ path: String) throws(InputFile.Problem) -> ImportedFile {
        let file = try InputFile(path, byteLimit: CredentialFile.byteLimit)
        if let mode = file.modeForOthers {
            say(
                "warning: \(file.name) is open to others (mode \(String(mode, radix: 8))); "
                    + "chmod 600 makes it private")
        }
        do throws(BadLine) {
            return ImportedFile(name: file.name, content: try format.parse(file.content.bytes))
        } catch { throw .badLine(error) }
    }

    private func summary(_ plan: ImportPlan, _ files: [ImportedFile]) -> String {
        let names = files.map(\.name).joined(separator: ", ")
        let omissionCount = files.reduce(0) { $0 + $1.content.omissions.count }
        var parts = [
            "\(plan.addedCount) \(isDryRun ? "to store" : "stored")",
            "\(plan.unchangedCount) unchanged",
        ]
        if options.isReplacing {
            parts.append("\(plan.replacedCount) \(isDryRun ? "to replace" : "replaced")")
        }
        if omissionCount > 0 { parts.append("\(omissionCount) left out") }
        return "\(names): \(parts.joined(separator: ", "))"
            + (isDryRun ? " (dry run: nothing was stored)\n" : "\n")
    }

    // MARK: - Messages

    /// The maximum number of lines of one kind that are printed.
    private static let toldLines = 10

    private func say(_ text: String) { complain("security: \(name): \(text)") }

    private func tell(_ lines: [String]) {
        for line in lines.prefix(Self.toldLines) { say(line) }
        if lines.count > Self.toldLines { say("... and \(lines.count - Self.toldLines) more") }
    }

    /// Prints what failed, then the resulting state of the keychain.
    private func explain(_ problem: ImportProblem) -> Int32 {
        switch problem {
        case .ambiguous(let places):
            tell(places.map { "\($0.place): another password for the login of \($0.first)" })
            say("Nothing was stored.")
            return 1
        case .conflicting(let places):
            tell(places.map { "\($0): the keychain has another password for this login" })
            say("Nothing was stored. With --replace the passwords of the file are taken.")
            return SecurityStatus.duplicateItem
        case .unreadable(let error, let place):
            say("\(place): it can't be looked for in the keychain. Nothing was stored.")
            return complain(error, at: name)
        case .failed(let error, let place, let leftovers):
            say("\(place): it can't be stored.")
            tell(leftovers)
            return complain(error, at: name)
        case .interrupted(let signal, let leftovers):
            say("Interrupted.")
            tell(leftovers)
            return 128 + signal
        }
    }

    private func tell(_ leftovers: ImportProblem.Leftovers) {
        if leftovers.places.isEmpty {
            say(
                leftovers.undoneCount == 0
                    ? "Nothing was stored."
                    : "Nothing is stored: what this run had changed (\(leftovers.undoneCount)) "
                        + "is as it was before.")
        } else {
            tell(
                leftovers.places.map {
                    "\($0): what this run did couldn't be taken back; look at this item"
                })
            say("\(leftovers.undoneCount) others are as they were before.")
        }
    }
}
