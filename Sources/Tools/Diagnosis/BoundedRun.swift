// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// A check under way in a child process. A file system that doesn't answer holds up that process,
/// perhaps for ever, and not this one.
final class BoundedRun {
    private let name: String
    /// -1 when the check could not be started.
    private let child: Int32
    private let output: Int32

    private static let byteLimit = 256 * 1024

    /// Starts a check. The process must have one thread.
    init(_ check: any Check) {
        name = check.name
        var ends: [Int32] = [-1, -1]
        guard unsafe llavero_pipe(&ends) == 0 else {
            child = -1
            output = -1
            return
        }
        let child = llavero_fork()
        if child == 0 {
            close(ends[0])
            Self.send(check.run().encoded, to: ends[1])
            _exit(0)
        }
        close(ends[1])
        self.child = child
        output = ends[0]
    }

    deinit { if output >= 0 { close(output) } }

    /// Takes the report.
    /// - Parameter end: When to stop waiting.
    /// - Returns: The report, or one that says that the check didn't end.
    func finish(by end: ContinuousClock.Instant) -> Report {
        guard child > 0 else { return failed("another process can't be started") }
        var bytes: [UInt8] = []
        var isAtEnd = false
        while !isAtEnd, bytes.count < Self.byteLimit,
            UnixSocket.waitUntilReadable(output, ContinuousClock.now.duration(to: end))
        {
            var part = [UInt8](repeating: 0, count: 4096)
            let count = unsafe read(output, &part, part.count)
            if count < 0 && errno == EINTR { continue }
            isAtEnd = count <= 0
            bytes += part[..<max(count, 0)]
        }
        collect()
        guard isAtEnd else {
            return bytes.count < Self.byteLimit ? unanswered : failed("it found too much to show")
        }
        return Report(encoded: bytes) ?? failed("its process ended too early")
    }

    /// Ends the child. One that a file system holds up can't be ended: it is left alone.
    private func collect() {
        for attempt in 0..<100 {
            var status: Int32 = 0
            if unsafe waitpid(child, &status, WNOHANG) != 0 { return }
            if attempt == 5 { kill(child, SIGKILL) }
            usleep(2000)
        }
    }

    private var unanswered: Report {
        Report(
            name, "didn't end",
            [
                Finding(
                    .broken, "no-answer-from-file-system",
                    what:
                        "The check \"\(name)\" didn't end: a file system that it looks at doesn't "
                        + "answer.",
                    why: "The service and its applications wait for that file system as well.",
                    advice: "Look at the mounts (`findmnt`, `df DIRECTORY`), and mount it again.")
            ])
    }

    private func failed(_ reason: String) -> Report {
        Report(
            name, "failed",
            [
                Finding(
                    .broken, "check-failed",
                    what: "The check \"\(name)\" failed: \(reason).",
                    why: "What it looks at is not known.",
                    advice: "Look at the limits of processes and of memory (`ulimit -a`).")
            ])
    }

    private static func send(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
