// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Sandbox
import Supervision

/// Writes a line for a person.
func say(_ line: String) {
    FileHandle.standardError.write(Data("securityd: \(line)\n".utf8))
}

let usage = """
    usage: securityd --ephemeral [--device-key MAKER] -- COMMAND [ARGUMENT…]
           securityd --user [--device-key MAKER]

      --ephemeral  Makes a keychain in a private temporary directory, runs COMMAND with
                   LLAVERO_SOCKET set to it, removes everything when COMMAND ends, and exits
                   with its status. For tests, build jobs and trying things out.
      --user       Serves the keychain of the user who starts it, until a signal ends it.
                   State: $XDG_DATA_HOME/llavero, else ~/.local/share/llavero.
                   Socket: $XDG_RUNTIME_DIR/llavero/securityd.sock.
      --device-key What makes the device key of a new keychain: `tpm` (/dev/tpmrm0), `unix:PATH` (a
                   software TPM's socket), `file`, or `auto`, the default: a TPM that can be used,
                   else a file. An old keychain keeps its own; only where its TPM is can be said.

    """

/// This program again, in the environment that a daemon wants.
/// - Parameter arguments: What enclaved gets besides.
/// - Returns: How the supervisor starts it.
/// - Throws: when /proc isn't there.
func worker(_ arguments: [String]) throws -> Supervisor.WorkerProgram {
    Supervisor.WorkerProgram(
        path: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
        environment: Sandbox.hardenedEnvironment, arguments: arguments)
}

/// Takes `--device-key MAKER` out of the words after the first one.
func deviceKeyArguments(_ words: inout [String]) -> [String] {
    guard words.count >= 3, words[1] == "--device-key" else { return [] }
    defer { words.removeSubrange(1...2) }
    return Array(words[1...2])
}

var words = Array(CommandLine.arguments.dropFirst())
let deviceKey = deviceKeyArguments(&words)
do {
    switch words.first {
    case "--ephemeral":
        let command = words.dropFirst().drop { $0 == "--" }
        guard !command.isEmpty else {
            say("--ephemeral needs a command to run.\n\(usage)")
            exit(2)
        }
        let environment = ProcessInfo.processInfo.environment
        let supervisor = try Supervisor(
            locations: .ephemeral(in: environment["TMPDIR"] ?? "/tmp"),
            worker: worker(deviceKey + ["--ephemeral"]), say: say)
        exit(try supervisor.run(command: Array(command), environment: environment))
    case "--user" where words.count == 1:
        let supervisor = try Supervisor(
            locations: .user(environment: ProcessInfo.processInfo.environment),
            worker: worker(deviceKey), say: say)
        say("Listening at \(supervisor.socketPath)")
        exit(try supervisor.run())
    case "--worker" where words.count >= 3 && words[1] == "--state":
        try Worker.run(stateDirectory: words[2], enclaveArguments: Array(words.dropFirst(3)))
    case "--help":
        FileHandle.standardOutput.write(Data(usage.utf8))
        exit(0)
    default:
        say("I don't understand these arguments.\n\(usage)")
        exit(2)
    }
} catch {
    say("\(error)")
    exit(1)
}
