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
            [--json]
                --json           Machine-readable
            """,
        help: "Show how the service identifies this program, and the access groups it holds.",
        run: { WhoAmICommand.run($0, &$1) })
}

private enum WhoAmICommand {
    static func run(_ words: Words, _ session: inout Session) -> Int32 {
        let arguments = (1..<max(words.count, 1)).map { words[$0].string }
        guard arguments.isEmpty || arguments == ["--json"] else {
            return Command.whoAmI.usageError()
        }
        do throws(KeychainError) {
            let identity = try session.connection.callerIdentity()
            var output = Output(STDOUT_FILENO)
            output.put(arguments.isEmpty ? plain(identity) : json(identity))
            return output.flush() ? 0 : SecurityStatus.io
        } catch { return complain(error, at: "whoami") }
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
        return lines.map { name, value in
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
