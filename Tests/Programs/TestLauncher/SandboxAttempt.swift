// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import Sandbox

/// Enters enclaved's sandbox and tries one operation.
///
/// Writes "entered", then "error N" with 0 for success; a system call that the sandbox forbids
/// ends the program before the second line.
enum SandboxAttempt {
    static func run(_ words: [String]) -> Int32 {
        guard words.count == 2 else { return 2 }
        let call = SystemCall()
        let directory = unsafe llavero_open(words[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard directory >= 0 else { return 3 }
        do { _ = try Sandbox.enter(stateDirectory: directory) } catch {
            Launcher.say("\(error)")
            return 4
        }
        Launcher.say("entered")
        guard let error = attempt(words[1], directory, words[0], call) else {
            Launcher.say("unknown attempt")
            return 2
        }
        Launcher.say("error \(error)")
        return 0
    }

    /// The same in peerinspector's sandbox, with a thread that was started before.
    static func runInspecting(_ words: [String]) -> Int32 {
        guard words.count == 2 else { return 2 }
        let call = SystemCall()
        do { try Sandbox.enterForInspecting() } catch {
            Launcher.say("\(error)")
            return 4
        }
        Launcher.say("entered")
        let error: Int32
        switch words[1] {
        case "read": error = open(AT_FDCWD, words[0] + "/inside", O_RDONLY)
        case "write": error = open(AT_FDCWD, words[0] + "/inside", O_WRONLY)
        case "make": error = open(AT_FDCWD, words[0] + "/made", O_RDONLY | O_CREAT)
        default:
            guard let other = attempt(words[1], AT_FDCWD, words[0], call) else { return 2 }
            error = other
        }
        Launcher.say("error \(error)")
        return 0
    }

    /// The same in the converter's sandbox.
    static func runConverting(_ words: [String]) -> Int32 {
        guard words.count == 2 else { return 2 }
        let call = SystemCall()
        do {
            try Sandbox.fenceForConverting()
            try Sandbox.filterForConverting()
        } catch {
            Launcher.say("\(error)")
            return 4
        }
        Launcher.say("entered")
        guard let error = attempt(words[1], AT_FDCWD, words[0], call) else { return 2 }
        Launcher.say("error \(error)")
        return 0
    }

    /// The same in the filter of the securityd of all users.
    static func runServing(_ words: [String]) -> Int32 {
        guard words.count == 2 else { return 2 }
        let call = SystemCall()
        do { try Sandbox.enterForServing() } catch {
            Launcher.say("\(error)")
            return 4
        }
        Launcher.say("entered")
        let error: Int32
        switch words[1] {
        case "signal-itself": error = result(pthread_kill(pthread_self(), 0))
        case "spawn":
            var child: pid_t = 0
            let path = unsafe strdup("/bin/true")
            var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [path, nil]
            error = unsafe posix_spawn(&child, "/bin/true", nil, nil, &arguments, nil)
        default:
            guard let other = attempt(words[1], AT_FDCWD, words[0], call) else { return 2 }
            error = other
        }
        Launcher.say("error \(error)")
        return 0
    }

    private static func attempt(
        _ name: String, _ directory: Int32, _ path: String, _ call: SystemCall
    ) -> Int32? {
        switch name {
        case "read-inside": open(directory, "inside", O_RDONLY)
        case "make-inside": open(directory, "made", O_WRONLY | O_CREAT)
        case "rename-inside":
            unsafe result(renameat(directory, "inside", directory, "renamed"))
        case "read-outside": open(AT_FDCWD, "/etc/passwd", O_RDONLY)
        case "read-outside-upwards": open(directory, "../outside", O_RDONLY)
        case "read-outside-by-link": open(directory, "link", O_RDONLY)
        case "make-outside": open(directory, "../made", O_WRONLY | O_CREAT)
        case "remove-outside": unsafe result(unlinkat(directory, "../outside", 0))
        case "list-outside": open(AT_FDCWD, "/", O_RDONLY | O_DIRECTORY)
        case "socket": result(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        case "local-socket": result(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        case "fork": result(llavero_fork())
        case "thread": thread()
        case "program": execute()
        case "debug": call(SystemCall.ptrace, 16, Int(getppid()), 0, 0)
        case "read-memory": call(SystemCall.processReadMemory, Int(getppid()), 0, 0, 0, 0, 0)
        case "signal": result(kill(getppid(), 0))
        case "map-memory": map(PROT_READ | PROT_WRITE)
        case "map-program": map(PROT_READ | PROT_EXEC)
        case "make-executable": makeExecutable()
        case "dumpable": llavero_prctl(PR_SET_DUMPABLE, 1, 0) == 0 ? 0 : errno
        default: nil
        }
    }

    private static func result(_ value: Int32) -> Int32 { value < 0 ? errno : 0 }

    private static func open(_ directory: Int32, _ path: String, _ flags: Int32) -> Int32 {
        result(unsafe llavero_openat(directory, path, flags | O_CLOEXEC, 0o600))
    }

    private static func map(_ protection: Int32) -> Int32 {
        let pages = unsafe mmap(nil, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        return unsafe pages == MAP_FAILED ? errno : 0
    }

    private static func makeExecutable() -> Int32 {
        let pages = unsafe mmap(
            nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        return result(unsafe mprotect(pages, 4096, PROT_READ | PROT_EXEC))
    }

    private static func execute() -> Int32 {
        let words: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("true"), nil]
        return result(unsafe llavero_execve("/bin/true", words, words))
    }

    private static func thread() -> Int32 {
        var thread = pthread_t()
        return unsafe pthread_create(&thread, nil, { _ in nil }, nil)
    }
}

/// Tries to access another process.
///
/// Writes "error N", with 0 for success.
enum Attack {
    static func run(_ words: [String]) -> Int32 {
        guard words.count >= 2, let pid = Int32(words[0]) else { return 2 }
        let call = SystemCall()
        switch words[1] {
        case "attach": Launcher.say("error \(attach(pid, call))")
        case "read-memory":
            Launcher.say("error \(readMemory(pid, words.count > 2 ? Int(words[2]) ?? 0 : 0, call))")
        case "memory-file": Launcher.say("error \(open("/proc/\(pid)/mem"))")
        case "maps-file": Launcher.say("error \(open("/proc/\(pid)/maps"))")
        case "environment-file": Launcher.say("error \(open("/proc/\(pid)/environ"))")
        case "take-descriptor":
            let process = llavero_pidfd_open(pid)
            Launcher.say("error \(call(SystemCall.takeDescriptor, Int(process), 3, 0))")
        default: return 2
        }
        return 0
    }

    private static func attach(_ pid: Int32, _ call: SystemCall) -> Int32 {
        let error = call(SystemCall.ptrace, 16, Int(pid), 0, 0)
        guard error == 0 else { return error }
        var status: Int32 = 0
        _ = unsafe waitpid(pid, &status, Int32(bitPattern: 0x4000_0000))
        _ = call(SystemCall.ptrace, 17, Int(pid), 0, 0)
        return 0
    }

    private static func readMemory(_ pid: Int32, _ address: Int, _ call: SystemCall) -> Int32 {
        var byte: UInt8 = 0
        return unsafe withUnsafeMutableBytes(of: &byte) { byte in
            var ours = [Int(bitPattern: byte.baseAddress), 1]
            var theirs = [address, 1]
            return unsafe ours.withUnsafeMutableBytes { ours in
                unsafe theirs.withUnsafeMutableBytes { theirs in
                    call(
                        SystemCall.processReadMemory, Int(pid), Int(bitPattern: ours.baseAddress),
                        1, Int(bitPattern: theirs.baseAddress), 1, 0)
                }
            }
        }
    }

    private static func open(_ path: String) -> Int32 {
        let file = unsafe llavero_open(path, O_RDONLY | O_CLOEXEC, 0)
        return file < 0 ? errno : 0
    }
}
