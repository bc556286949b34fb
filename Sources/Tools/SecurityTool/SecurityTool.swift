// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain

/// The whole command: its own options, then a command or the interactive mode. Source of options,
/// texts and exit statuses: macOS's security, as observed.
enum SecurityTool {
    /// Runs the command.
    /// - Returns: A status whose low 8 bits are the exit status: an `OSStatus`, 1, or 2 for wrong
    ///   usage.
    static func run(_ words: Words) -> Int32 {
        var session = Session()
        guard let words = GroupAccess.takeOptions(of: words, &session) else {
            Output.write(usage, to: STDERR_FILENO)
            return 2
        }
        var isInteractive = false
        var prompt = "security> "
        var reader = OptionReader(words, options: "+:hilp:qvR")
        while let option = reader.next() {
            switch option {
            case "h":
                Output.write(usage + Command.listing, to: STDOUT_FILENO)
                return 0
            case "i": isInteractive = true
            case "p":
                isInteractive = true
                prompt = reader.argument.string
            case "q": session.isQuiet = true
            case "v": session.isVerbose = true
            // `leaks` and the list of roots aren't supported here.
            case "l", "R": break
            default:
                Output.write(usage, to: STDERR_FILENO)
                return 2
            }
        }
        if isInteractive { return InteractiveMode.run(prompt: prompt, &session) }
        let rest = words.dropFirst(reader.wordIndex)
        guard rest.count > 0 else {
            Output.write(usage, to: STDOUT_FILENO)
            return 2
        }
        return Command.run(rest, &session)
    }

    private static let usage = """
        Usage: security [-h] [-i] [-l] [-p prompt] [-q] [-v] [command] [opt ...]
            -i    Run in interactive mode: one command a line, from standard input.
            -l    Accepted for compatibility, without effect.
            -p    Set the prompt to "prompt" (implies -i).
            -q    Be less verbose.
            -v    Be more verbose about what's going on.
            Before all of these may stand:
            --access-group GROUP
                  Look for passwords in this access group, or add one to it. Another application's
                  opens only by the device passcode. An application group is named as it is stored,
                  TEAM.group.NAME: `audit`, and `whoami` of its programs, show both names.
            --passcode-fd N
                  Read that passcode from this descriptor, a line, instead of the terminal.

        """
}

/// The shared state of one run's commands.
struct Session {
    /// The connection to the keychain; nothing is opened before a command needs it.
    let connection = KeychainConnection()
    /// Don't print results of single commands in interactive mode.
    var isQuiet = false
    /// Print each command before it runs.
    var isVerbose = false
    /// Arguments come from standard input, so no other process sees them.
    var isInteractive = false
    /// The access group of passwords; nil is any that the tool holds.
    var accessGroup: String?
    /// The source of the passcode for another application's group.
    var passcode = PasscodeSource(descriptor: nil)
}
