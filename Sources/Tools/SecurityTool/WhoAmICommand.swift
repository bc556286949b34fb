// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecurityWire

extension Command {
    /// `security whoami`: how the service identifies this program. Not a command of macOS.
    static let whoAmI = Command(
        name: "whoami",
        usage: """
            [--pid number] [--json]
                --pid            Show what a process of yours is to the Secret Service instead
                --json           Machine-readable
            """,
        help: "Show how the service identifies this program, and the access groups it holds.",
        run: { WhoAmICommand.run($0, &$1) })
}

private enum WhoAmICommand {
    static func run(_ words: Words, _ session: inout Session) -> Int32 {
        var arguments = (1..<max(words.count, 1)).map { words[$0].string }[...]
        var process: Int32?
        if arguments.first == "--pid" {
            guard let number = arguments.dropFirst().first.flatMap({ Int32($0) }), number > 0 else {
                return Command.whoAmI.usageError()
            }
            process = number
            arguments = arguments.dropFirst(2)
        }
        guard arguments.isEmpty || arguments == ["--json"] else {
            return Command.whoAmI.usageError()
        }
        do throws(KeychainError) {
            let text: String
            if let process {
                let who = try session.connection.busOwner(ofProcess: process)
                text = arguments.isEmpty ? plain(who) : json(who)
            } else {
                let identity = try session.connection.callerIdentity()
                text = arguments.isEmpty ? plain(identity) : json(identity)
            }
            var output = Output(STDOUT_FILENO)
            output.put(text)
            return output.flush() ? 0 : SecurityStatus.io
        } catch { return complain(error, at: "whoami") }
    }

    private static func plain(_ who: Representation) -> String {
        var lines = [
            ("Secrets of", who.owner.isEmpty ? "nobody" : who.owner),
            ("Sandboxed", who.isSandboxed ? "yes" : "no"),
            ("Isolation", who.isIsolationOff ? "off" : "on"),
        ]
        lines += who.groups.map { ("Group", $0) }
        lines += who.reasons.map { ("Because", $0) }
        return plain(lines)
    }

    private static func json(_ who: Representation) -> String {
        """
        {
          "owner": \(who.owner.isEmpty ? "null" : AuditText.quoted(who.owner)),
          "sandboxed": \(who.isSandboxed),
          "isolation": \(!who.isIsolationOff),
          "groups": [\(who.groups.map(AuditText.quoted).joined(separator: ", "))],
          "reasons": [\(who.reasons.map(AuditText.quoted).joined(separator: ", "))]
        }

        """
    }

    private static func plain(_ identity: CallerIdentity) -> String {
        var lines = [
            ("Identity grade", identity.grade), ("User", String(identity.userID)),
            ("Application", identity.application ?? "none"),
        ]
        lines += zip(identity.accessGroups, identity.storedGroups).map { name, stored in
            ("Access group", name == stored ? name : "\(name) (stored as \(stored))")
        }
        lines += identity.reasons.map { ("Because", $0) }
        return plain(lines)
    }

    private static func plain(_ lines: [(String, String)]) -> String {
        lines.map { name, value in
            name + ":" + String(repeating: " ", count: 17 - name.count) + value + "\n"
        }.joined()
    }

    private static func json(_ identity: CallerIdentity) -> String {
        """
        {
          "identityGrade": \(AuditText.quoted(identity.grade)),
          "userID": \(identity.userID),
          "application": \(identity.application.map(AuditText.quoted) ?? "null"),
          "accessGroups": [\(identity.accessGroups.map(AuditText.quoted).joined(separator: ", "))],
          "storedGroups": [\(identity.storedGroups.map(AuditText.quoted).joined(separator: ", "))],
          "reasons": [\(identity.reasons.map(AuditText.quoted).joined(separator: ", "))]
        }

        """
    }
}
