// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecurityWire

extension Command {
    /// `security audit`: the operations on the user's items. Not a command of macOS.
    static let audit = Command(
        name: "audit",
        usage: """
            [--json] [--limit N] [--since SECONDS]
                --json           Machine-readable
                --limit N        The newest N records
                --since SECONDS  Records of the last SECONDS seconds
            """,
        help: "Show who read, changed and deleted items, and who was turned away.",
        run: { AuditCommand.run($0, &$1) })
}

private enum AuditCommand {
    private struct Options {
        var isJSON = false
        var limit: UInt32 = 0
        var seconds: Int64?
    }

    static func run(_ words: Words, _ session: inout Session) -> Int32 {
        let arguments = (1..<max(words.count, 1)).map { words[$0].string }
        guard let options = options(arguments) else { return Command.audit.usageError() }
        var query = AuditQuery()
        query.limit = options.limit
        if let seconds = options.seconds {
            query.since = (Int64(time(nil)) - seconds) * 1_000_000
        }
        do throws(KeychainError) {
            return try show(query, session.connection, isJSON: options.isJSON)
        } catch { return complain(error, at: "audit") }
    }

    /// Each option at most once, with its value as the next word or after `=`.
    private static func options(_ arguments: [String]) -> Options? {
        var options = Options()
        var seen: Set<Substring> = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard seen.insert(parts[0]).inserted else { return nil }
            if word == "--json" {
                options.isJSON = true
                continue
            }
            guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                return nil
            }
            switch parts[0] {
            case "--limit":
                guard let limit = UInt32(value), limit > 0 else { return nil }
                options.limit = limit
            case "--since":
                guard let seconds = Int64(value), (0...1_000_000_000).contains(seconds) else {
                    return nil
                }
                options.seconds = seconds
            default: return nil
            }
        }
        return options
    }

    /// - Returns: 1 when the chain is broken anywhere in the log, even outside the printed part.
    private static func show(
        _ query: AuditQuery, _ connection: KeychainConnection, isJSON: Bool
    ) throws(KeychainError) -> Int32 {
        let (records, brokenAt) = try connection.auditLog(query)
        var output = Output(STDOUT_FILENO)
        if isJSON {
            AuditText.put(records, brokenAt: brokenAt, asJSONTo: &output)
        } else {
            for record in records { output.put(AuditText.line(record)) }
        }
        guard output.flush() else { return SecurityStatus.io }
        for number in brokenAt { complain("security: audit: chain broken at record \(number)") }
        return brokenAt.isEmpty ? 0 : 1
    }
}
