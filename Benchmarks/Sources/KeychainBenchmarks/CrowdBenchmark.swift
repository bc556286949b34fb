// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain

/// What a program feels of others that take what they can get: how long its finds, and the first answers
/// on its connections, take beside requests that are half sent, beside a flood of challenges, and beside
/// programs of a file system that has stopped.
enum CrowdBenchmark {
    private static let itemCount = 1000
    private static let rounds = 5000
    private static let connections = 500
    private static let halfSenderCount = 8
    private static let challengerCount = 4

    /// How long both take; p99 beside half-sent requests and challenges is to be 3 times that of the quiet
    /// service at most, and a stopped file system is to add 50 ms at most.
    private struct Figures {
        let finds: Samples
        let connections: Samples

        init(_ keychain: KeychainConnection) throws {
            finds = try measure(CrowdBenchmark.rounds) { round in
                _ = try keychain.find(
                    query((round &* 7919) % CrowdBenchmark.itemCount, .data))
            }
            connections = try measure(CrowdBenchmark.connections) { _ in
                _ = try KeychainConnection().callerIdentity()
            }
        }
    }

    static func run(_ keychain: KeychainConnection) throws {
        for index in 0..<itemCount { try keychain.add(item(index)) }
        let quiet = try Figures(keychain)
        let halves = try figures(keychain, beside: "crowd-halves", halfSenderCount)
        let challenges = try figures(keychain, beside: "crowd-challenges", challengerCount)
        var rows = [
            ("beside \(halfSenderCount) programs with 32 half-sent requests each", halves, false),
            ("beside \(challengerCount) programs that ask for challenges", challenges, false),
        ]
        if access("/dev/fuse", R_OK | W_OK) == 0 {
            rows.append(
                (
                    "beside \(StoppedFileSystem.programCount) programs of a stopped file system",
                    try besideStoppedFileSystem(keychain), true
                ))
        } else {
            print("Not measured beside a stopped file system: there is no /dev/fuse.\n")
        }
        for (title, path) in [
            ("find with data", \Figures.finds), ("connect and first answer", \Figures.connections),
        ] {
            let floor = quiet[keyPath: path]
            print("| \(title), µs | p50 | p99 | p99 ÷ quiet | p99 − quiet | goal |")
            print("|---|---:|---:|---:|---:|---|")
            print(String(format: "| quiet | %.1f | %.1f | | | |", floor.p50, floor.p99))
            for (name, figures, isStopped) in rows {
                let samples = figures[keyPath: path]
                let ratio = samples.p99 / floor.p99
                let added = samples.p99 - floor.p99
                let outcome = goal(isStopped, isStopped ? added <= 50_000 : ratio <= 3)
                let numbers = String(
                    format: "%.1f | %.1f | %.2f | %.1f", samples.p50, samples.p99, ratio, added)
                print("| \(name) | \(numbers) | \(outcome) |")
            }
            print("")
        }
    }

    private static func besideStoppedFileSystem(_ keychain: KeychainConnection) throws -> Figures {
        let crowd = try StoppedFileSystem()
        defer { crowd.end() }
        let figures = try Figures(keychain)
        try crowd.expectItRuns()
        return figures
    }

    private static func goal(_ isStopped: Bool, _ isMet: Bool) -> String {
        (isStopped ? "at most 50 ms more" : "at most 3 times") + (isMet ? ": met" : ": missed")
    }

    private static func figures(
        _ keychain: KeychainConnection, beside word: String, _ count: Int
    ) throws -> Figures {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let crowd = try (0..<count).map { _ in
            let (process, input, output) = (Process(), Pipe(), Pipe())
            process.executableURL = own
            process.arguments = [word]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            return (process, input, output)
        }
        defer {
            for (process, _, _) in crowd {
                process.terminate()
                process.waitUntilExit()
            }
        }
        for (_, _, output) in crowd {
            guard !output.fileHandleForReading.availableData.isEmpty else { abort() }
        }
        let figures = try Figures(keychain)
        // Otherwise these are a quiet service's.
        guard crowd.allSatisfy({ process, _, _ in process.isRunning }) else {
            throw StoppedFileSystem.Failure(text: "\(word) has ended")
        }
        return figures
    }

    // MARK: - The other programs

    /// Begins 32 requests of 16 MiB and sends 1 MiB of each, again and again: the service waits ten
    /// seconds for the rest.
    static func sendHalves() -> Never {
        let piece = [UInt8](repeating: 0, count: 1 << 20)
        var sockets: [Int32] = []
        while true {
            for socket in sockets { close(socket) }
            sockets = (0..<32).map { _ in connected() }
            for socket in sockets {
                // As many connections as the service allows.
                _ = send(socket, head(messageByteCount: 0, secretByteCount: 16 << 20, kind: 1))
                _ = send(socket, piece)
            }
            sayReady()
            sleep(8)
        }
    }

    /// Requests challenges on eight connections, one after the other, until the process is ended.
    static func askForChallenges() -> Never {
        let sockets = (0..<8).map { _ in connected() }
        let request = head(messageByteCount: 0, secretByteCount: 0, kind: 6)
        var reply = [UInt8](repeating: 0, count: 4096)
        var roundCount = 0
        while true {
            for socket in sockets where !send(socket, request) { exit(1) }
            for socket in sockets {
                guard recv(socket, &reply, reply.count, 0) > 0 else { exit(1) }
            }
            roundCount += 1
            if roundCount == 10 { sayReady() }
        }
    }

    private static func sayReady() { FileHandle.standardOutput.write(Data("ready\n".utf8)) }

    /// Documentation/PROTOCOL.md, "Frames".
    private static func head(
        messageByteCount: UInt32, secretByteCount: UInt32, kind: UInt16
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in [messageByteCount, secretByteCount, 1 | UInt32(kind) << 16, 1] {
            for shift in [UInt32(0), 8, 16, 24] {
                bytes.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        return bytes
    }

    private static func connected() -> Int32 {
        let path = ProcessInfo.processInfo.environment["LLAVERO_SOCKET"] ?? ""
        let raw = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { exit(1) }
        return raw
    }

    /// - Returns: False when the service has closed the connection.
    private static func send(_ socket: Int32, _ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Foundation.send(
                    socket, buffer.baseAddress.map { $0 + sent }, buffer.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
