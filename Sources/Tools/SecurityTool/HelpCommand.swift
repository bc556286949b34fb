// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

extension Command {
    /// `security help [command ...]`.
    static let help = Command(
        name: "help", usage: "[command ...]",
        help: "Show all commands, or show usage for a command.",
        run: { words, _ in
            if words.count <= 1 { Output.write(listing, to: STDOUT_FILENO) }
            var status: Int32 = 0
            for index in 1..<max(words.count, 1) {
                let name = words[index].string
                if let command = named(name) {
                    Output.write(command.usageText, to: STDOUT_FILENO)
                } else {
                    complain(
                        UnofferedCommand.reason(name).map { reason in
                            "security: help: \(name) isn't offered here: \(reason)"
                        } ?? "security: help: no such command: \(name)")
                    status = 1
                }
            }
            return status
        })
}
