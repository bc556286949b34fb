// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import TestSupport
import Testing

extension ServiceTests {
    /// The README's session about an item that demands its owner, as it is written there.
    @Suite struct ReadmeSessionTests {
        private static let heading = "## An item that asks for you"
        private static let interrupt = "^C"

        /// A command of the session, and what it shows.
        private struct Command {
            var words: [String]
            var shown: [String] = []
        }

        private static func commands() throws -> [Command] {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../../README.md")
            let lines = try String(contentsOf: root, encoding: .utf8)
                .components(separatedBy: "\n")
            let start = try #require(lines.firstIndex(of: heading))
            let block = lines[start...].drop { $0 != "```" }.dropFirst().prefix { $0 != "```" }
            var commands: [Command] = []
            for line in block {
                if line.hasPrefix("$ ") {
                    commands.append(
                        Command(words: line.dropFirst(2).split(separator: " ").map(String.init)))
                } else if !commands.isEmpty {
                    commands[commands.count - 1].shown.append(line)
                }
            }
            return commands
        }

        /// Runs a command on a terminal; the person answers its question, if there is one.
        private static func run(
            _ command: Command, _ service: TestService
        ) throws -> [String] {
            var options = TestProcess.Options()
            options.environment = ["LLAVERO_SOCKET": service.socketPath]
            let tool = URL(fileURLWithPath: try Binaries.path("security"))
                .resolvingSymlinksInPath().path
            let words = ([tool] + command.words.dropFirst()).joined(separator: " ")
            let process = try TestProcess(
                "/usr/bin/script", ["-qefc", "exec \(words)", "/dev/null"], options)
            defer { process.end() }
            var shown: [String] = []
            let isCanceled = command.shown.contains { $0.hasSuffix(interrupt) }
            while let line = try? process.readLine() {
                let text = line.trimmingCharacters(in: .whitespacesAndNewlines)
                    .replacingOccurrences(of: tool, with: "/usr/bin/security")
                if text.contains(" asks to ") { process.write(isCanceled ? "\u{3}" : "1234\r") }
                if !text.isEmpty { shown.append(text) }
            }
            return shown
        }

        @Test func theSessionShowsWhatThePageSays() throws {
            try TestService.run { service in
                try service.keychain.setPasscode(SecretBytes(passcode: "1234"))
                let commands = try Self.commands()
                #expect(commands.count == 3)
                for command in commands {
                    let expected = command.shown.map {
                        $0.replacingOccurrences(of: Self.interrupt, with: "")
                            .trimmingCharacters(in: .whitespaces)
                    }
                    // The grade depends on where the tool is.
                    let shown = try Self.run(command, service).map {
                        $0.replacingOccurrences(of: "grade U", with: "grade P")
                    }
                    #expect(shown == expected, "\(command.words)")
                }
                #expect(try service.keychain.deviceStatus().failedAttempts == 0)
            }
        }
    }
}
