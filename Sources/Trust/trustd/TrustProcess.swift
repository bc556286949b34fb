// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import Sandbox
import TrustEvaluation

/// Judges certificates for securityd. Started with connections to it as descriptors 3, 4, …, one for
/// each thread:
///
///     trustd --connections N --roots FILE [--crls FOLDER] [--fetch]
///
/// It has no network, no keys and no database, and reads nothing but that file and folder. With
/// `--fetch` it asks securityd for what is in the network. It ends when securityd closes the
/// connections.
enum TrustProcess {
    private static let firstConnection: Int32 = 3
    private static let connectionLimit = 8
    /// Data of the whole process: twice what the roots and the largest question need.
    private static let memoryByteCount = 96 << 20

    static func run(_ arguments: [String]) -> Int32 {
        if arguments.first == "--starter" {
            return TrustStarter.run(
                Array(arguments.dropFirst()),
                environment: Sandbox.hardenedEnvironment.map {
                    "\($0.key)=\($0.value)"
                }) ?? complain("it is started by securityd")
        }
        guard let options = Options(arguments) else {
            return complain("it is started by securityd")
        }
        do {
            try Sandbox.reexecuteHardened()
            return try serve(options)
        } catch { return complain("\(error)") }
    }

    private static func serve(_ options: Options) throws -> Int32 {
        for signal in [SIGINT, SIGHUP, SIGPIPE] { Glibc.signal(signal, SIG_IGN) }
        llavero_return_freed_memory()
        let end = firstConnection + Int32(options.connectionCount)
        for number in firstConnection..<end {
            guard fcntl(number, F_SETFD, FD_CLOEXEC) == 0 else { throw SystemError("connections") }
        }
        guard llavero_close_range(UInt32(end), .max, 0) == 0 else {
            throw SystemError("close_range")
        }
        guard TrustJudge.prepare() else { return complain("libcrypto can't be used") }
        let files = TrustFiles(roots: options.roots, lists: options.lists)
        try Sandbox.fenceForJudging(
            files: [options.roots, TrustFiles.exports],
            folders: options.lists.map { [$0] } ?? [])
        try Sandbox.limitMemory(byteCount: memoryByteCount)
        let started = try EventCounter()
        let startedNumber = started.descriptor
        let gate = try EventCounter()
        let gateNumber = gate.descriptor
        for number in (firstConnection + 1)..<max(end, firstConnection + 1) {
            try NativeThread.start {
                eventfd_write(startedNumber, 1)
                // No byte of a question is read before the filter applies to this thread.
                var entry = pollfd(fd: gateNumber, events: Int16(POLLIN), revents: 0)
                while unsafe poll(&entry, 1, -1) < 1 {}
                var server = TrustServer(files, socket: number, fetches: options.fetches)
                server.run()
                _exit(0)
            }
            // The C library makes system calls to start a thread that the filter doesn't allow.
            started.wait()
        }
        try Sandbox.filterForJudging()
        gate.signal()
        var server = TrustServer(files, socket: firstConnection, fetches: options.fetches)
        server.run()
        return 0
    }

    private static func complain(_ line: String) -> Int32 {
        let bytes = Array("trustd: \(line)\n".utf8)
        _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
        return 1
    }

    /// The arguments.
    private struct Options {
        var connectionCount = 0
        var roots = ""
        var lists: String?
        var fetches = false

        init?(_ arguments: [String]) {
            var arguments = arguments
            if arguments.last == "--fetch" {
                arguments.removeLast()
                fetches = true
            }
            guard arguments.count == 4 || arguments.count == 6, arguments[0] == "--connections",
                let count = Int(arguments[1]), (1...connectionLimit).contains(count),
                arguments[2] == "--roots", arguments[3].hasPrefix("/")
            else { return nil }
            connectionCount = count
            roots = arguments[3]
            guard arguments.count == 6 else { return }
            guard arguments[4] == "--crls", arguments[5].hasPrefix("/") else { return nil }
            lists = arguments[5]
        }
    }
}
