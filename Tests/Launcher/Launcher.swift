// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// A program that tests run, never part of a release: starts another one in surroundings that the
/// test itself can't have, or tries one thing and says what came of it.
///
///     [FLAG…] -- PROGRAM [ARGUMENT…]
///     [FLAG…] sandbox DIRECTORY ATTEMPT       see SandboxAttempt
///     [FLAG…] attack PROCESS WAY              see Attack
///     connect SOCKET COUNT                    see ConnectionStorm
///     send HEX                                on descriptor 3, then waits for the reply
///
///     --guard                  stays as the parent, writes the child's number to standard output,
///                              ends it when standard input ends, exits with its status
///     --unprivileged           becomes the user nobody, where it is root
///     --without-secret-memory  memfd_secret answers "no such system call"
///     --inspectable            the program can't hide from its own user
enum Launcher {
    private static let nobody: UInt32 = 65534

    /// Does what the words say.
    /// - Returns: The exit status.
    static func run(_ words: [String]) -> Int32 {
        var flags: Set<String> = []
        var rest = words[...]
        while let word = rest.first, word.hasPrefix("--") {
            rest.removeFirst()
            if word == "--" { return start(Array(rest), flags) }
            flags.insert(word)
        }
        guard enter(flags) else { return 126 }
        switch rest.popFirst() {
        case "sandbox": return SandboxAttempt.run(Array(rest))
        case "attack": return Attack.run(Array(rest))
        case "connect": return ConnectionStorm.run(Array(rest))
        case "send": return Exchange.run(Array(rest))
        default:
            say("unknown words")
            return 2
        }
    }

    /// Puts a line out; `print` would bring in more than a sandbox may do.
    static func say(_ line: String) {
        let bytes = [UInt8]((line + "\n").utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    // MARK: - Starting a program

    private static func start(_ words: [String], _ flags: Set<String>) -> Int32 {
        if flags.contains("--guard"), let status = guardChild() { return status }
        guard enter(flags), let program = words.first else { return 126 }
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        _ = unsafe execvp(program, arguments)
        say("\(program) can't be started: error \(errno)")
        return 127
    }

    private static func enter(_ flags: Set<String>) -> Bool {
        if flags.contains("--unprivileged"), geteuid() == 0 {
            guard setgroups(0, nil) == 0, setgid(nobody) == 0, setuid(nobody) == 0 else {
                say("the user can't be changed: error \(errno)")
                return false
            }
        }
        return Pretence.begin(
            hidesSecretMemory: flags.contains("--without-secret-memory"),
            staysDumpable: flags.contains("--inspectable"))
    }

    // MARK: - Guarding

    /// Forks.
    /// - Returns: In the parent, once all is over, the exit status; nil in the child.
    private static func guardChild() -> Int32? {
        let parent = getpid()
        let child = llavero_fork()
        if child == 0 {
            // If the guard is killed, the supervisor hears of it; its daemons follow it.
            guard llavero_prctl(PR_SET_PDEATHSIG, UInt(SIGTERM), 0) == 0, getppid() == parent
            else { _exit(125) }
            let null = unsafe open("/dev/null", O_RDONLY)
            dup2(null, STDIN_FILENO)
            close(null)
            return nil
        }
        guard child > 0 else { return 125 }
        say("\(child)")
        let watch = llavero_pidfd_open(child)
        var deadline: Int32 = -1
        while true {
            var entries = [
                pollfd(fd: watch, events: Int16(POLLIN), revents: 0),
                pollfd(fd: deadline < 0 ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&entries, 2, deadline)
            if entries[0].revents != 0 { return collect(child) }
            if count == 0 {
                kill(child, SIGKILL)
            } else if entries[1].revents != 0, inputHasEnded() {
                kill(child, SIGTERM)
                deadline = 15_000
            }
        }
    }

    private static func inputHasEnded() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 256)
        return unsafe read(STDIN_FILENO, &bytes, bytes.count) <= 0
    }

    private static func collect(_ child: Int32) -> Int32 {
        var status: Int32 = 0
        _ = unsafe waitpid(child, &status, 0)
        return llavero_wifexited(status) != 0
            ? llavero_wexitstatus(status) : 128 + llavero_wtermsig(status)
    }
}
