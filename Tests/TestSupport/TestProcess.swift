// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Foundation
import IPC
import Supervision

/// A program that a test has started. It is ended, at the latest, with this object.
package final class TestProcess {
    /// How it ended.
    package enum Ending: Equatable, Sendable {
        /// With an exit status.
        case exit(Int32)
        /// By a signal.
        case signal(Int32)
    }

    /// What it inherits from the test.
    package struct Options {
        /// Added to a small environment; no variable of the keychain is passed on.
        package var environment: [String: String] = [:]
        /// These become the descriptors 3, 4, ….
        package var descriptors: [Int32] = []

        /// Nothing.
        package init() {}
    }

    /// Its process identifier.
    package let pid: Int32
    /// How it ended; nil while it runs, or before a test has checked.
    package private(set) var ending: Ending?
    private let pidfd: Descriptor
    private var input: Int32
    private let output: Descriptor
    private let errors: Descriptor
    private var unread: [UInt8] = []

    /// Starts a program.
    package init(
        _ path: String, _ arguments: [String], _ options: Options = Options()
    ) throws {
        let errors = try Self.makeFile()
        var inputPipe: [Int32] = [-1, -1]
        var outputPipe: [Int32] = [-1, -1]
        guard unsafe llavero_pipe(&inputPipe) == 0, unsafe llavero_pipe(&outputPipe) == 0 else {
            throw TestFailure("No pipe can be had.")
        }
        let childEnds = [inputPipe[0], outputPipe[1], errors.rawValue] + options.descriptors
        defer {
            close(inputPipe[0])
            close(outputPipe[1])
        }
        input = inputPipe[1]
        output = Descriptor(owning: outputPipe[0])
        self.errors = errors
        pid = try Self.spawn(path, [path] + arguments, options.environment, childEnds)
        let watch = llavero_pidfd_open(pid)
        guard watch >= 0 else { throw TestFailure("pidfd_open failed for \(path).") }
        pidfd = Descriptor(owning: watch)
    }

    deinit { end() }

    // MARK: - Input and output

    /// Writes to its standard input; to a program that has ended, or closed it, nothing.
    package func write(_ text: String) {
        // A broken pipe must not end the tests, and children must not inherit an ignored signal: so
        // the signal is blocked for this thread, and received if it came.
        var broken = sigset_t()
        var before = sigset_t()
        unsafe sigemptyset(&broken)
        unsafe sigaddset(&broken, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &broken, &before)
        var rest = [UInt8](text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(input, $0.baseAddress, $0.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        var now = timespec()
        unsafe sigtimedwait(&broken, nil, &now)
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// Ends its standard input.
    package func closeInput() {
        guard input >= 0 else { return }
        close(input)
        input = -1
    }

    /// The next line of its standard output.
    package func readLine(within duration: Duration = Waiting.patience) throws -> String {
        let deadline = ContinuousClock.now + duration
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            guard try readSome(until: deadline) else {
                let ending = (try? wait(within: .seconds(1))).map { "\($0)" } ?? "not yet"
                throw TestFailure(
                    "The program ended (\(ending)) without the expected line: \(errorText)")
            }
        }
    }

    /// Whether some of its standard output, or its end, can be read.
    package var hasOutput: Bool {
        !unread.isEmpty || Waiting.forReadable(output.rawValue, until: .now)
    }

    /// The remaining standard output, up to its end.
    package func readAll(within duration: Duration = Waiting.patience) throws -> String {
        String(decoding: try readAllBytes(within: duration), as: UTF8.self)
    }

    /// The same, of any bytes.
    package func readAllBytes(within duration: Duration = Waiting.patience) throws -> [UInt8] {
        let deadline = ContinuousClock.now + duration
        while try readSome(until: deadline) {}
        defer { unread = [] }
        return unread
    }

    /// The output of it and its children on standard error so far.
    package var errorText: String {
        var status = stat()
        guard unsafe fstat(errors.rawValue, &status) == 0 else { return "" }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = unsafe pread(errors.rawValue, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }

    private func readSome(until deadline: ContinuousClock.Instant) throws -> Bool {
        guard Waiting.forReadable(output.rawValue, until: deadline) else {
            throw TestFailure("The program says nothing: \(errorText)")
        }
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        let count = unsafe read(output.rawValue, &bytes, bytes.count)
        if count < 0 {
            if errno == EINTR { return true }
            throw TestFailure("Reading from the program fails: \(SystemError("read"))")
        }
        guard count > 0 else { return false }
        unread += bytes[..<count]
        return true
    }

    // MARK: - Ending

    /// Sends it a signal.
    package func signal(_ number: Int32) { if ending == nil { kill(pid, number) } }

    /// Waits until it has ended.
    package func wait(within duration: Duration = Waiting.patience) throws -> Ending {
        if let ending { return ending }
        guard Waiting.forReadable(pidfd.rawValue, until: .now + duration) else {
            throw TestFailure("Process \(pid) doesn't end: \(errorText)")
        }
        var status: Int32 = 0
        guard unsafe waitpid(pid, &status, 0) == pid else {
            throw TestFailure("Process \(pid) can't be waited for.")
        }
        let result: Ending =
            llavero_wifexited(status) != 0
            ? .exit(llavero_wexitstatus(status)) : .signal(llavero_wtermsig(status))
        ending = result
        return result
    }

    /// Kills it if it still runs.
    package func end() {
        closeInput()
        guard ending == nil else { return }
        kill(pid, SIGKILL)
        _ = try? wait()
    }

    // MARK: - Starting

    private static func makeFile() throws -> Descriptor {
        // Opened for appending, because several processes write to it and the test reads it
        // meanwhile.
        let path = "/tmp/lltest-errors-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let file = unsafe llavero_open(
            path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw TestFailure("No temporary file can be made.") }
        unsafe unlink(path)
        return Descriptor(owning: file)
    }

    private static let passedOn = ["PATH", "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH"]

    private static func spawn(
        _ path: String, _ words: [String], _ environment: [String: String],
        _ descriptors: [Int32]
    ) throws -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        let base: Int32 = 1000
        for (offset, descriptor) in descriptors.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, base + Int32(offset))
        }
        for number in 0..<Int32(descriptors.count) {
            unsafe posix_spawn_file_actions_adddup2(&actions, base + number, number)
        }
        unsafe llavero_spawn_close_from(&actions, Int32(descriptors.count))
        let inherited = ProcessInfo.processInfo.environment.filter { passedOn.contains($0.key) }
        // The Swift runtime would start a process that examines a program that crashes. It reads the
        // program's file, so that it can outlive a test whose file system has stopped.
        let quiet = inherited.merging(["SWIFT_BACKTRACE": "enable=no"]) { _, new in new }
        let variables = quiet.merging(environment) { _, new in new }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // The threads of the runner block most signals. A program that inherited that would be one that
        // no shell starts: its shell's `wait`, for one, would never hear that a child has ended.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var child: pid_t = 0
        let result = unsafe ChildProcess.withCStrings(words) { words in
            unsafe ChildProcess.withCStrings(variables.map { "\($0.key)=\($0.value)" }) {
                variables in
                unsafe posix_spawnp(&child, path, &actions, &attributes, words, variables)
            }
        }
        guard result == 0 else {
            throw TestFailure(
                "\(path) can't be started: \(SystemError("posix_spawn", errno: result))")
        }
        return child
    }
}

extension TestProcess {
    /// The output of a program, and how it ended.
    package struct Result: Sendable {
        /// How it ended.
        package let ending: Ending
        /// Standard output.
        package let output: String
        /// Standard error.
        package let errors: String
    }

    /// Runs a program to its end.
    package static func run(
        _ path: String, _ arguments: [String], _ options: Options = Options(),
        input: String = "", within duration: Duration = Waiting.patience
    ) throws -> Result {
        let process = try TestProcess(path, arguments, options)
        defer { process.end() }
        process.write(input)
        process.closeInput()
        let output = try process.readAll(within: duration)
        let ending = try process.wait(within: duration)
        return Result(ending: ending, output: output, errors: process.errorText)
    }
}
