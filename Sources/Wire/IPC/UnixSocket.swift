// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// Making, binding and connecting Unix stream sockets.
package enum UnixSocket {
    /// Maximum byte count of a socket's path: `sun_path` without its closing NUL.
    package static let maximumPathByteCount = 107

    /// Why a socket call failed.
    package enum Failure: Error, Sendable {
        /// The path is longer than ``maximumPathByteCount`` bytes.
        case pathTooLong(byteCount: Int)
        /// A system call failed.
        case system(SystemError)
    }

    /// Listens at a path, which must not exist yet; the socket file gets mode 0600. Accepting from
    /// it doesn't block, and received data has its sender's credentials. Accepted sockets inherit
    /// that option; setting it after accepting would miss data that a peer sends in between.
    package static func listen(
        at path: String, backlog: Int32
    ) throws(Failure) -> Descriptor {
        let socket = try open(SOCK_NONBLOCK)
        unsafe try withAddress(path) { (address, count) throws(Failure) in
            guard unsafe bind(socket.rawValue, address, count) == 0 else {
                throw .system(SystemError("bind"))
            }
        }
        guard llavero_pass_credentials(socket.rawValue) == 0 else {
            throw .system(SystemError("SO_PASSCRED"))
        }
        guard unsafe chmod(path, 0o600) == 0 else { throw .system(SystemError("chmod")) }
        guard Glibc.listen(socket.rawValue, backlog) == 0 else {
            throw .system(SystemError("listen"))
        }
        return socket
    }

    /// Connects to a path, waiting at most as long as the socket's send timeout.
    /// - Parameters:
    ///   - path: Where the peer listens.
    ///   - timeout: For the connection, and from then on for each send and receive.
    /// - Returns: The connected socket, close-on-exec; its calls block.
    /// - Throws: ``Failure/pathTooLong(byteCount:)``, also for a path with a NUL in it;
    ///   ``Failure/system(_:)`` when the socket can't be made or connected.
    package static func connect(
        to path: String, timeout: Duration
    ) throws(Failure) -> Descriptor {
        let socket = try open()
        setTimeout(socket.rawValue, timeout)
        unsafe try withAddress(path) { (address, count) throws(Failure) in
            guard unsafe Glibc.connect(socket.rawValue, address, count) == 0 else {
                throw .system(SystemError("connect"))
            }
        }
        return socket
    }

    /// A connected pair, close-on-exec.
    package static func pair() throws(SystemError) -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw SystemError("socketpair")
        }
        return (ends[0], ends[1])
    }

    /// Limits each later send and receive of a blocking socket.
    package static func setTimeout(_ socket: Int32, _ timeout: Duration) {
        let (seconds, attoseconds) = timeout.components
        let microseconds = max(Int(attoseconds / 1_000_000_000_000), seconds == 0 ? 1 : 0)
        _ = llavero_set_timeout(socket, SO_RCVTIMEO, Int(seconds), microseconds)
        _ = llavero_set_timeout(socket, SO_SNDTIMEO, Int(seconds), microseconds)
    }

    /// Waits until there is something to read, or the peer has closed.
    /// - Returns: False after the time limit.
    package static func waitUntilReadable(_ socket: Int32, _ timeout: Duration) -> Bool {
        let end = ContinuousClock.now + max(timeout, .zero)
        while true {
            let rest = ContinuousClock.now.duration(to: end)
            let milliseconds = rest > .zero ? rest / .milliseconds(1) : 0
            var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            let count = unsafe poll(&entry, 1, Int32(min(milliseconds.rounded(.up), 1e9)))
            if count > 0 { return true }
            if count == 0, ContinuousClock.now >= end { return false }
            if count < 0, errno != EINTR { return true }
        }
    }

    private static func open(_ flag: __socket_type? = nil) throws(Failure) -> Descriptor {
        let type =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            | Int32(flag?.rawValue ?? 0)
        let socket = socket(AF_UNIX, type, 0)
        guard socket >= 0 else { throw .system(SystemError("socket")) }
        return Descriptor(owning: socket)
    }

    private static func withAddress(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Failure) -> Void
    ) throws(Failure) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = [UInt8](path.utf8)
        guard bytes.count <= maximumPathByteCount, !bytes.contains(0) else {
            throw .pathTooLong(byteCount: bytes.count)
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        var failure: Failure?
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                do throws(Failure) {
                    try unsafe body(generic, socklen_t(MemoryLayout<sockaddr_un>.size))
                } catch { failure = error }
            }
        }
        if let failure { throw failure }
    }
}

extension UnixSocket {
    /// Sends all bytes over a blocking socket.
    /// - Returns: False when the peer has gone or the socket's time limit has passed.
    package static func sendAll(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let count = unsafe send(
                socket, bytes.baseAddress?.advanced(by: offset), bytes.count - offset,
                Int32(MSG_NOSIGNAL))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            offset += count
        }
        return true
    }

    /// Receives bytes over a blocking socket until the buffer is full.
    /// - Returns: False when the peer has gone or the socket's time limit has passed.
    package static func receiveAll(
        _ socket: Int32, _ buffer: UnsafeMutableRawBufferPointer
    ) -> Bool {
        var offset = 0
        while offset < buffer.count {
            let count = unsafe recv(
                socket, buffer.baseAddress?.advanced(by: offset), buffer.count - offset, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            offset += count
        }
        return true
    }
}
