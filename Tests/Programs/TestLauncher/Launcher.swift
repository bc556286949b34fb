// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// A program that tests run, never part of a release: starts another one in an environment that the
/// test itself can't have, or tries one operation and prints the result.
///
///     [FLAG…] -- PROGRAM [ARGUMENT…]
///     [FLAG…] sandbox DIRECTORY ATTEMPT       see SandboxAttempt
///     [FLAG…] inspecting DIRECTORY ATTEMPT    the same in peerinspector's
///     [FLAG…] serving DIRECTORY ATTEMPT       the same in that of the securityd of all users
///     [FLAG…] attack PROCESS WAY              see Attack
///     connect SOCKET COUNT                    see ConnectionStorm
///     send HEX                                on descriptor 3, then waits for the reply
///     stay SOCKET HEX                         the same on a connection, kept until the input ends
///
///     --guard                  stays as the parent, writes the child's number to standard output,
///                              ends it when standard input ends, exits with its status
///     --unprivileged           becomes the user nobody, where it is root
///     --user=NUMBER            becomes another user, where it is root
///     --traced                 the program is being debugged, by this one, which lets it run
///     --without-secret-memory  memfd_secret answers "no such system call"
///     --forbidden-secret-memory    memfd_secret answers "not permitted", as in containers
///     --without-landlock       so do Landlock's calls
///     --old-kernel             SO_PEERPIDFD and PAGEMAP_SCAN aren't there, as on Linux 6.1
///     --inspectable            the program can't hide from its own user
///     --faults=DIRECTORY       with --guard: holds up each call that changes a file below the
///                              directory, see FaultSupervisor
///     --faulty-reads           with --faults: reads of a database can go wrong as well
enum Launcher {
    private static let nobody: UInt32 = 65534
    private static let faultsFlag = "--faults="
    private static let userFlag = "--user="

    /// Carries out the arguments.
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
        case "inspecting": return SandboxAttempt.runInspecting(Array(rest))
        case "converting": return SandboxAttempt.runConverting(Array(rest))
        case "serving": return SandboxAttempt.runServing(Array(rest))
        case "attack": return Attack.run(Array(rest))
        case "connect": return ConnectionStorm.run(Array(rest))
        case "send": return Exchange.run(Array(rest))
        case "stay": return Exchange.stay(Array(rest))
        default:
            say("unknown words")
            return 2
        }
    }

    /// Prints a line; `print` would need more system calls than a sandbox allows.
    static func say(_ line: String) {
        let bytes = [UInt8]((line + "\n").utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    // MARK: - Starting a program

    private static func start(_ words: [String], _ flags: Set<String>) -> Int32 {
        let faults = flags.compactMap { flag in
            flag.hasPrefix(faultsFlag) ? String(flag.dropFirst(faultsFlag.count)) : nil
        }.first
        if flags.contains("--guard"),
            let status = guardChild(faults, flags.contains("--faulty-reads"))
        {
            return status
        }
        guard enter(flags), let program = words.first else { return 126 }
        if flags.contains("--traced"), let status = Tracer.run() { return status }
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        _ = unsafe execvp(program, arguments)
        say("\(program) can't be started: error \(errno)")
        return 127
    }

    private static func enter(_ flags: Set<String>) -> Bool {
        let named = flags.compactMap { flag in
            flag.hasPrefix(userFlag) ? UInt32(flag.dropFirst(userFlag.count)) : nil
        }.first
        if let user = named ?? (flags.contains("--unprivileged") ? nobody : nil), geteuid() == 0 {
            guard setgroups(0, nil) == 0, setgid(user) == 0, setuid(user) == 0 else {
                say("the user can't be changed: error \(errno)")
                return false
            }
        }
        return Pretence.begin(
            hidesSecretMemory: flags.contains("--without-secret-memory"),
            forbidsSecretMemory: flags.contains("--forbidden-secret-memory"),
            forbidsLandlock: flags.contains("--without-landlock"),
            staysDumpable: flags.contains("--inspectable"),
            isOldKernel: flags.contains("--old-kernel"))
    }

    // MARK: - Guarding

    /// Forks.
    /// - Parameters:
    ///   - faults: The directory whose calls are stopped; nil for none.
    ///   - holdsReads: Whether reads are stopped as well.
    /// - Returns: In the parent, after the end, the exit status; nil in the child.
    private static func guardChild(_ faults: String?, _ holdsReads: Bool) -> Int32? {
        let parent = getpid()
        var pair: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0 else {
            return 125
        }
        let child = llavero_fork()
        if child == 0 {
            close(pair[0])
            defer { close(pair[1]) }
            // If the guard is killed, the supervisor detects it; its daemons end with it.
            guard llavero_prctl(PR_SET_PDEATHSIG, UInt(SIGTERM), 0) == 0, getppid() == parent
            else { _exit(125) }
            let null = unsafe open("/dev/null", O_RDONLY)
            dup2(null, STDIN_FILENO)
            close(null)
            guard faults == nil || submit(pair[1], holdsReads) else { _exit(125) }
            return nil
        }
        close(pair[1])
        defer { close(pair[0]) }
        guard child > 0 else { return 125 }
        let watch = llavero_pidfd_open(child)
        var supervisor: FaultSupervisor?
        if let faults {
            guard let listener = accept(pair[0], watch) else {
                kill(child, SIGKILL)
                return 125
            }
            supervisor = FaultSupervisor(listener: listener, directory: faults)
        }
        say("\(child)")
        var guardian = Guardian(child: child, watch: watch)
        while !guardian.turn(&supervisor) {}
        return collect(child)
    }

    /// Installs the filter and sends its descriptor to the parent; continues when the parent is
    /// ready.
    private static func submit(_ socket: Int32, _ holdsReads: Bool) -> Bool {
        guard var listener = FaultSupervisor.filter(holdsReads: holdsReads) else { return false }
        let size = MemoryLayout<Int32>.size
        guard unsafe send(socket, &listener, size, Int32(MSG_NOSIGNAL)) == size else {
            return false
        }
        var byte: UInt8 = 0
        guard unsafe recv(socket, &byte, 1, 0) == 1 else { return false }
        close(listener)
        return true
    }

    /// Receives the child's filter descriptor.
    private static func accept(_ socket: Int32, _ child: Int32) -> Int32? {
        var theirs: Int32 = -1
        let size = MemoryLayout<Int32>.size
        guard unsafe recv(socket, &theirs, size, Int32(MSG_WAITALL)) == size else {
            return nil
        }
        let ours = SystemCall().value(SystemCall.takeDescriptor, Int(child), Int(theirs), 0)
        var byte: UInt8 = 1
        guard ours >= 0, unsafe send(socket, &byte, 1, Int32(MSG_NOSIGNAL)) == 1 else { return nil }
        return Int32(ours)
    }

    private static func collect(_ child: Int32) -> Int32 {
        var status: Int32 = 0
        _ = unsafe waitpid(child, &status, 0)
        return llavero_wifexited(status) != 0
            ? llavero_wexitstatus(status) : 128 + llavero_wtermsig(status)
    }
}
