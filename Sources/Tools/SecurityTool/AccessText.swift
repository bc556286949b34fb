// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import SecurityWire

/// Which programs have an item's secret, as macOS prints access lists.
enum AccessText {
    static func of(_ grants: ItemGrants) -> String {
        var entries = [entry("decrypt", "", applications(grants))]
        if !grants.partitions.isEmpty {
            entries.append(
                entry(
                    "partition_id", grants.partitions.joined(separator: ", "),
                    ["        applications: <null>"]))
        }
        var text = "access: \(entries.count) entries\n"
        for (index, lines) in entries.enumerated() {
            text += "    entry \(index):\n" + lines.map { $0 + "\n" }.joined()
        }
        return text
    }

    private static func entry(
        _ authorization: String, _ description: String, _ applications: [String]
    ) -> [String] {
        [
            "        authorizations (1): \(authorization)", "        don't-require-password",
            "        description: \(description)",
        ] + applications
    }

    /// Every program: a null list. Only those of its group: an entry for them.
    private static func applications(_ grants: ItemGrants) -> [String] {
        guard !grants.admitsAll else { return ["        applications: <null>"] }
        var lines = grants.withholdsFromGroup ? [] : ["the programs of the item's group (OK)"]
        lines += grants.applications.map { "\(shown($0)) (\(isThere($0) ? "OK" : "status 2"))" }
        return ["        applications (\(lines.count)):"]
            + lines.enumerated().map { "            \($0): \($1)" }
    }

    private static func shown(_ application: String) -> String {
        application.hasPrefix("path:") ? String(application.dropFirst(5)) : application
    }

    /// Of a signed application nobody knows where it is.
    private static func isThere(_ application: String) -> Bool {
        guard application.hasPrefix("path:") else { return true }
        return unsafe access(shown(application), F_OK) == 0
    }
}
