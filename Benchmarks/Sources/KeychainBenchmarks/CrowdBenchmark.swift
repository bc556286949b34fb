// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain

/// How other programs slow one program down: the time of its finds beside requests that are only
/// half sent, and beside a flood of challenges.
enum CrowdBenchmark {
    private static let itemCount = 1000
    private static let rounds = 5000
    private static let halfSenderCount = 8
    private static let challengerCount = 4

    static func run(_ keychain: KeychainConnection) throws {
        for index in 0..<itemCount { try keychain.add(item(index)) }
        let quiet = try finds(keychain)
        let halves = try finds(keychain, beside: "crowd-halves", halfSenderCount)
        let challenges = try finds(keychain, beside: "crowd-challenges", challengerCount)
        print("| find with data, µs | p50 | p99 | p99 ÷ quiet |")
        print("|---|---:|---:|---:|")
        for (name, samples) in [
            ("quiet", quiet),
            ("beside \(halfSenderCount) programs with 32 half-sent requests each", halves),
            ("beside \(challengerCount) programs that ask for challenges", challenges),
        ] {
            let ratio = samples.p99 / quiet.p99
            print(
                String(
                    format: "| \(name) | %.1f | %.1f | %.2f |", samples.p50, samples.p99, ratio))
        }
    }

    private static func finds(_ keychain: KeychainConnection) throws -> Samples {
        try measure(rounds) { round in
            _ = try keychain.find(query((round &* 7919) % itemCount, .data))
        }
    }

    private static func finds(
        _ keychain: KeychainConnection, beside word: String, _ count: Int
    ) throws -> Samples {
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
        return try finds(keychain)
    }

    // MARK: - The other programs

    /// Begins 32 requests of 16 MiB, sends 1 MiB of each, and waits for its end.
    static func sendHalves() -> Never {
        let piece = [UInt8](repeating: 0, count: 1 << 20)
        for _ in 0..<32 {
            let socket = connected()
            // As many connections as the service allows.
            _ = send(socket, head(messageByteCount: 0, secretByteCount: 16 << 20, kind: 1))
            _ = send(socket, piece)
        }
        sayReady()
        while true { pause() }
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
