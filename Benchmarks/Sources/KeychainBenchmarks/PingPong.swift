// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// The lower bound of a call: bytes to another process and back, through one or two hops.
///
/// The other processes are this program again; they only forward bytes.
struct PingPong {
    private let socket: Int32
    private let processes: [pid_t]

    /// - Parameter hops: 1: a process that answers. 2: one that asks a second process first.
    init(hops: Int) {
        var front: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &front)
        fcntl(front[0], F_SETFD, FD_CLOEXEC)
        var started: [pid_t] = []
        if hops == 2 {
            var back: [Int32] = [-1, -1]
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &back)
            fcntl(back[0], F_SETFD, FD_CLOEXEC)
            started.append(Self.spawn(["--echo", "\(back[1])"]))
            close(back[1])
            fcntl(back[0], F_SETFD, 0)
            started.append(Self.spawn(["--relay", "\(front[1])", "\(back[0])"]))
            close(back[0])
        } else {
            started.append(Self.spawn(["--echo", "\(front[1])"]))
        }
        close(front[1])
        socket = front[0]
        processes = started
    }

    /// One round trip of so many bytes each way.
    func roundTrip(_ buffer: UnsafeMutableRawBufferPointer) {
        guard send(socket, buffer.baseAddress, buffer.count, 0) == buffer.count else { abort() }
        guard
            recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_WAITALL)) == buffer.count
        else { abort() }
    }

    func end() {
        close(socket)
        for process in processes {
            var status: Int32 = 0
            waitpid(process, &status, 0)
        }
    }

    static func measured(hops: Int, byteCount: Int, count: Int) -> Samples {
        let pair = PingPong(hops: hops)
        defer { pair.end() }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 8)
        defer { buffer.deallocate() }
        buffer.initializeMemory(as: UInt8.self, repeating: 1)
        return measure(count) { _ in pair.roundTrip(buffer) }
    }

    // MARK: - The other side

    static func echo(_ socket: Int32) -> Never {
        withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 8) { buffer in
            while true {
                let count = recv(socket, buffer.baseAddress, buffer.count, 0)
                guard count > 0 else { exit(0) }
                send(socket, buffer.baseAddress, count, 0)
            }
        }
    }

    static func relay(_ front: Int32, _ back: Int32) -> Never {
        withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 8) { buffer in
            while true {
                let count = recv(front, buffer.baseAddress, buffer.count, 0)
                guard count > 0 else { exit(0) }
                send(back, buffer.baseAddress, count, 0)
                guard recv(back, buffer.baseAddress, count, Int32(MSG_WAITALL)) == count
                else { exit(0) }
                send(front, buffer.baseAddress, count, 0)
            }
        }
    }

    private static func spawn(_ arguments: [String]) -> pid_t {
        var words: [UnsafeMutablePointer<CChar>?] =
            (["KeychainBenchmarks"] + arguments).map { strdup($0) }
        words.append(nil)
        var process: pid_t = 0
        guard posix_spawn(&process, "/proc/self/exe", nil, nil, words, environ) == 0 else {
            abort()
        }
        for word in words { free(word) }
        return process
    }
}
