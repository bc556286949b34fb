// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain

/// How many calls a second the service answers for many programs at once: 64 that read, and 64 that
/// write. Beside them, the floor: an echo server with as many clients.
enum ManyBenchmark {
    private static let itemCount = 1000
    private static let clientCount = 64
    private static let seconds = 5.0
    private static let byteCount = 128

    static func run(_ keychain: KeychainConnection) throws {
        for index in 0..<itemCount { try keychain.add(item(index)) }
        let oneEcho = try rate(of: "many-echo", clients: 1)
        let manyEcho = try rate(of: "many-echo", clients: clientCount)
        let oneReader = try rate(of: "many-find", clients: 1)
        let manyReaders = try rate(of: "many-find", clients: clientCount)
        let oneWriter = try rate(of: "many-add", clients: 1)
        let manyWriters = try rate(of: "many-add", clients: clientCount)
        print("| calls a second | 1 client | \(clientCount) clients | ratio | goal |")
        print("|---|---:|---:|---:|---|")
        row("echo of \(byteCount) bytes", oneEcho, manyEcho)
        row("find with secret", oneReader, manyReaders)
        row("add", oneWriter, manyWriters, goal: 8)
        print(
            String(
                format: "\n%d clients: an echo takes %.1f µs, a find with secret %.1f µs",
                clientCount, 1e6 / manyEcho, 1e6 / manyReaders))
    }

    private static func row(_ name: String, _ one: Double, _ many: Double, goal: Double? = nil) {
        let ratio = many / one
        let outcome = goal.map { "at least \(Int($0)): " + (ratio >= $0 ? "met" : "missed") } ?? ""
        let figures = String(format: "%.0f | %.0f | %.2f", one, many, ratio)
        print("| \(name) | \(figures) | \(outcome) |")
    }

    // MARK: - Clients

    /// Starts processes of this program, lets them begin at once, and adds up what they did.
    private static func rate(of word: String, clients: Int) throws -> Double {
        let echo = word == "many-echo" ? EchoServer() : nil
        defer { echo?.end() }
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let crowd = try (0..<clients).map { number in
            let (process, input, output) = (Process(), Pipe(), Pipe())
            process.executableURL = own
            process.arguments = [word, "\(number)", echo?.path ?? "-"]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            return (process, input, output)
        }
        for (_, _, output) in crowd {
            guard !output.fileHandleForReading.availableData.isEmpty else { abort() }
        }
        for (_, input, _) in crowd { try input.fileHandleForWriting.close() }
        var count = 0
        for (process, _, output) in crowd {
            let text = String(
                decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            guard let done = Int(text.trimmingCharacters(in: .newlines)) else { abort() }
            count += done
            process.waitUntilExit()
        }
        return Double(count) / seconds
    }

    /// A client: says that it is ready, waits for the end of its input, calls for some seconds, and
    /// prints how often.
    static func client(_ word: String, number: Int, path: String) throws -> Never {
        var call: (Int) throws -> Void
        switch word {
        case "many-echo":
            let socket = EchoServer.connect(path)
            var buffer = [UInt8](repeating: 1, count: byteCount)
            call = { _ in
                guard send(socket, buffer, byteCount, 0) == byteCount,
                    recv(socket, &buffer, byteCount, Int32(MSG_WAITALL)) == byteCount
                else { abort() }
            }
        case "many-find":
            let keychain = KeychainConnection()
            let queries = (0..<itemCount).map { query($0, .data) }
            call = { round in
                _ = try keychain.find(queries[(number &* 31 &+ round &* 7919) % itemCount])
            }
        default:
            let keychain = KeychainConnection()
            let run = UInt32.random(in: 0...UInt32.max)
            call = { round in
                var item = item(round)
                item.attributes[.account] = .text("writer-\(number)-\(run)-\(round)")
                try keychain.add(item)
            }
        }
        for round in 0..<3 { try call(round) }
        FileHandle.standardOutput.write(Data("\n".utf8))
        _ = FileHandle.standardInput.readDataToEndOfFile()
        let end = nanoseconds() + UInt64(seconds * 1e9)
        var count = 0
        while nanoseconds() < end {
            try call(count + 3)
            count += 1
        }
        print(count)
        exit(0)
    }
}

/// An echo server on a socket with a path: a process with one thread for each client.
struct EchoServer {
    let path: String
    private let process: Process

    init() {
        path = NSTemporaryDirectory() + "/echo-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        process = Process()
        process.executableURL =
            URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["many-echo-server", path]
        let output = Pipe()
        process.standardOutput = output
        do { try process.run() } catch { abort() }
        guard !output.fileHandleForReading.availableData.isEmpty else { abort() }
    }

    func end() {
        process.terminate()
        process.waitUntilExit()
        unlink(path)
    }

    private static func address(_ path: String) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        return address
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = address(path)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    static func connect(_ path: String) -> Int32 {
        let raw = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard withAddress(path, { Foundation.connect(raw, $0, $1) }) == 0 else { abort() }
        return raw
    }

    static func serve(_ path: String) -> Never {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard withAddress(path, { bind(listener, $0, $1) }) == 0, listen(listener, 128) == 0
        else { abort() }
        FileHandle.standardOutput.write(Data("\n".utf8))
        while true {
            let socket = accept(listener, nil, nil)
            guard socket >= 0 else { abort() }
            Thread.detachNewThread { answer(socket) }
        }
    }

    private static func answer(_ socket: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            send(socket, buffer, count, Int32(MSG_NOSIGNAL))
        }
        close(socket)
    }
}
