// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain

/// The cost of the asynchronous calls over the blocking ones, and how soon another process is
/// notified of a change.
enum AsyncBenchmark {
    private static let rounds = 5000
    private static let changes = 2000

    /// Runs tasks while the main thread sleeps.
    static func start(_ body: @escaping @Sendable () async throws -> Void) -> Never {
        Task.detached {
            do {
                try await body()
                exit(0)
            } catch {
                FileHandle.standardError.write(Data("\(error)\n".utf8))
                exit(1)
            }
        }
        while true { sleep(1000) }
    }

    static func run() async throws {
        let keychain = KeychainConnection()
        try keychain.save(item(0))
        let store = KeychainService.process
        let wanted = query(0, .data)
        var (blocking, tasks, hops): ([Double], [Double], [Double]) = ([], [], [])
        for round in 0..<rounds + rounds / 10 {
            // Alternates the measurements, so that other load on the machine affects all of them.
            let start = nanoseconds()
            _ = try keychain.find(wanted)
            let middle = nanoseconds()
            _ = try await store.find(wanted, within: nil)
            let end = nanoseconds()
            let hop = await executorHop()
            guard round >= rounds / 10 else { continue }
            blocking.append(Double(middle - start) / 1000)
            tasks.append(Double(end - middle) / 1000)
            hops.append(hop)
        }
        let (call, task, hop) = (Samples(blocking), Samples(tasks), Samples(hops))
        print("| µs | p50 | p99 |")
        print("|---|---:|---:|")
        row("find, blocking", call)
        row("find, from a task", task)
        row("executor hop", hop)
        print(
            String(
                format: "\nfrom a task: %.2f of 1.3 × blocking and one hop (must be ≤ 1)\n",
                task.p50 / (1.3 * call.p50 + hop.p50)))
        try await hearing(store)
    }

    private static func row(_ name: String, _ samples: Samples) {
        print("| \(name) | \(String(format: "%.1f | %.1f", samples.p50, samples.p99)) |")
    }

    /// The time from a resume on a separate thread until the task continues, in µs.
    private static func executorHop() async -> Double {
        let start = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                // By then the task is suspended.
                usleep(30)
                continuation.resume(returning: nanoseconds())
            }
        }
        return Double(nanoseconds() - start) / 1000
    }

    // MARK: - Changes

    /// Lines of a pipe.
    private struct Lines {
        let descriptor: Int32
        var unread: [UInt8] = []

        mutating func next() -> String? {
            while true {
                if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { unread.removeFirst(end + 1) }
                    return String(decoding: unread[..<end], as: UTF8.self)
                }
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = read(descriptor, &bytes, bytes.count)
                guard count > 0 else { return nil }
                unread += bytes[..<count]
            }
        }
    }

    /// The other process: it prints a line with a timestamp for each change.
    static func hear() async throws {
        let news = try await KeychainService.process.changes()
        print("hearing")
        fflush(nil)
        for try await some in news {
            let moment = nanoseconds()
            for _ in some.changes { print(moment) }
            fflush(nil)
        }
    }

    private static func hearing(_ store: KeychainService) async throws {
        let other = Process()
        let output = Pipe()
        other.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        other.arguments = ["hear"]
        other.standardOutput = output
        try other.run()
        defer { other.terminate() }
        var lines = Lines(descriptor: output.fileHandleForReading.fileDescriptor)
        guard lines.next() == "hearing" else { return }
        var (fromCall, fromAnswer): ([Double], [Double]) = ([], [])
        for _ in 0..<changes {
            let start = nanoseconds()
            var changed = item(0)
            changed.replacesExisting = true
            _ = try await store.add(changed, within: nil)
            let end = nanoseconds()
            guard let line = lines.next(), let moment = UInt64(line) else { return }
            fromCall.append(Double(moment - start) / 1000)
            fromAnswer.append(Double(Int64(moment) - Int64(end)) / 1000)
        }
        print("| change to another process, µs | p50 | p99 |")
        print("|---|---:|---:|")
        row("from the call of the write", Samples(fromCall))
        row("from the answer to the write", Samples(fromAnswer))
    }
}
