// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// Connects many times and sends nothing.
///
/// Writes "connected N", waits for its input to end, then writes "open M": how many of them the
/// service still keeps.
enum ConnectionStorm {
    static func run(_ words: [String]) -> Int32 {
        guard words.count == 2, let count = Int(words[1]) else { return 2 }
        var sockets: [Int32] = []
        var made = 0
        for _ in 0..<count {
            guard let socket = UnixAddress.connect(words[0]) else {
                // Out of descriptors: close those that the service has closed anyway.
                guard errno == EMFILE, sockets.contains(where: isClosed) else { break }
                for socket in sockets where isClosed(socket) { close(socket) }
                sockets.removeAll(where: { fcntl($0, F_GETFD) < 0 })
                continue
            }
            sockets.append(socket)
            made += 1
        }
        Launcher.say("connected \(made)")
        var byte: UInt8 = 0
        while unsafe read(STDIN_FILENO, &byte, 1) > 0 {}
        Launcher.say("open \(sockets.count { !isClosed($0) })")
        return 0
    }

    private static func isClosed(_ socket: Int32) -> Bool {
        var byte: UInt8 = 0
        let count = unsafe recv(socket, &byte, 1, Int32(MSG_DONTWAIT))
        return count == 0 || (count < 0 && errno != EAGAIN)
    }
}

/// Sends bytes on descriptor 3, which the parent has connected, or on a new connection.
///
/// Writes "bytes N" for a reply, "closed" or "silence".
enum Exchange {
    static func run(_ words: [String]) -> Int32 {
        guard words.count == 1 else { return 2 }
        send(words[0], on: 3)
        return 0
    }

    /// Connects first, and keeps the connection until the input ends.
    static func stay(_ words: [String]) -> Int32 {
        guard words.count == 2, let socket = UnixAddress.connect(words[0]) else { return 2 }
        send(words[1], on: socket)
        var byte: UInt8 = 0
        while unsafe read(STDIN_FILENO, &byte, 1) > 0 {}
        return 0
    }

    private static func send(_ hex: String, on socket: Int32) {
        let digits = [UInt8](hex.utf8)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        _ = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        _ = llavero_set_timeout(socket, SO_RCVTIMEO, 30, 0)
        var reply = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(socket, &reply, reply.count, 0)
        if count > 0 {
            Launcher.say("bytes \(count)")
        } else {
            Launcher.say(count < 0 && errno == EAGAIN ? "silence" : "closed")
        }
    }
}

/// The address of a Unix socket.
enum UnixAddress {
    /// Connects; nil with `errno` set when that fails.
    static func connect(_ path: String) -> Int32? {
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = [UInt8](path.utf8)
        guard bytes.count < 108 else { return nil }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe Glibc.connect(
                    socket, generic, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let error = errno
            close(socket)
            errno = error
            return nil
        }
        return socket
    }
}
