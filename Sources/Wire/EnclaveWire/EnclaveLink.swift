// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC

/// The client's end of the connection: it sends one request and receives its reply, within a
/// deadline.
///
/// A later call recognizes a late reply by its request id, and drops it. Until it has arrived,
/// further calls fail at once, because it would be useless to wait for a stuck enclave. An enclave
/// that is starting isn't stuck: until its first reply it has more time.
struct EnclaveLink: ~Copyable, Sendable {
    /// The highest lock count in a reply, for each user.
    var lockCounts: [UInt32: UInt32] = [:]
    /// The message: the request until it is sent, then the reply.
    var buffer = MessageBuffer()
    private let socket: Descriptor
    private let deadlineMilliseconds: Int
    private let startMilliseconds: Int
    private var hasAnswered = false
    private var lastRequestID: UInt64 = 0
    private var abandonedRequestID: UInt64?
    /// Whether the connection can't be used any more.
    private(set) var isGone = false

    init(socket: consuming Descriptor, deadlineMilliseconds: Int, startMilliseconds: Int) {
        self.socket = socket
        self.deadlineMilliseconds = max(deadlineMilliseconds, 1)
        self.startMilliseconds = max(startMilliseconds, self.deadlineMilliseconds)
        UnixSocket.setTimeout(
            self.socket.rawValue, .milliseconds(self.deadlineMilliseconds))
    }

    /// The id for the next request.
    mutating func nextRequestID() throws(EnclaveCallError) -> UInt64 {
        guard !isGone else { throw .gone }
        try dropAbandonedReply()
        lastRequestID &+= 1
        return lastRequestID
    }

    /// Sends the message in the buffer and receives the reply into it.
    /// - Parameter milliseconds: If given, replaces the connection's own deadline.
    /// - Returns: The reply's header; the whole message is in the buffer.
    /// - Throws: `unreachable` and `gone`; nothing else.
    mutating func exchange(
        milliseconds: Int? = nil
    ) throws(EnclaveCallError) -> EnclaveHeader {
        let requestID = lastRequestID
        let usual = hasAnswered ? deadlineMilliseconds : startMilliseconds
        let deadline = Self.now() + (milliseconds ?? usual)
        try send(until: deadline)
        buffer.removeAll()
        while true {
            let header = try receive(
                until: deadline, isFirst: milliseconds == nil, requestID: requestID)
            hasAnswered = true
            if header.requestID == requestID { return header }
            guard header.requestID < requestID else { throw broken() }
            buffer.removeAll()
        }
    }

    /// Closes the connection: message boundaries can't be found any more.
    mutating func broken() -> EnclaveCallError {
        isGone = true
        shutdown(socket.rawValue, Int32(SHUT_RDWR))
        buffer.removeAll()
        return .gone
    }

    // MARK: - Sending

    private mutating func send(until deadline: Int) throws(EnclaveCallError) {
        let descriptor = socket.rawValue
        var sent = 0
        while sent < buffer.byteCount {
            let count = unsafe buffer.withUnsafeBytes { bytes in
                unsafe Glibc.send(
                    descriptor, bytes.baseAddress.map { unsafe $0 + sent }, bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
                continue
            }
            if count < 0 && errno == EINTR && Self.now() < deadline { continue }
            let isTimeout = count < 0 && (errno == EAGAIN || errno == EINTR)
            guard isTimeout && sent == 0 else { throw broken() }
            buffer.removeAll()
            throw .unreachable
        }
    }

    // MARK: - Receiving

    private enum Received {
        case bytes
        case nothing
        case end
    }

    private mutating func receive(
        until deadline: Int, isFirst: Bool, requestID: UInt64
    ) throws(EnclaveCallError) -> EnclaveHeader {
        var mayBlock = isFirst
        while true {
            if let header = try completeHeader() { return header }
            if !mayBlock { waitForBytes(until: deadline) }
            let received = receiveSome(blocking: mayBlock)
            mayBlock = false
            switch received {
            case .bytes: continue
            case .end: throw broken()
            case .nothing:
                guard Self.now() >= deadline else { continue }
                abandonedRequestID = requestID
                throw .unreachable
            }
        }
    }

    private mutating func receiveSome(blocking: Bool) -> Received {
        let descriptor = socket.rawValue
        var count = 0
        unsafe buffer.extend { room in
            count = unsafe recv(
                descriptor, room.baseAddress, room.count,
                blocking ? 0 : Int32(MSG_DONTWAIT))
            return count
        }
        if count > 0 { return .bytes }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .end
    }

    private func waitForBytes(until deadline: Int) {
        var entry = pollfd(fd: socket.rawValue, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&entry, 1, Int32(clamping: max(deadline - Self.now(), 0)))
    }

    /// The header, once the whole message is there.
    private mutating func completeHeader() throws(EnclaveCallError) -> EnclaveHeader? {
        guard buffer.byteCount >= EnclaveHeader.byteCount else { return nil }
        let parsed = unsafe buffer.withUnsafeBytes { bytes -> EnclaveHeader? in
            var reader = unsafe ByteReader(bytes)
            return try? unsafe EnclaveHeader(&reader)
        }
        guard let header = parsed else { throw broken() }
        let total = EnclaveHeader.byteCount + header.payloadByteCount
        guard buffer.byteCount <= total else { throw broken() }
        guard buffer.byteCount == total else {
            buffer.reserve(total)
            return nil
        }
        return header
    }

    /// Receives the available part of a late reply.
    private mutating func dropAbandonedReply() throws(EnclaveCallError) {
        guard let requestID = abandonedRequestID else { return }
        while true {
            if let header = try completeHeader() {
                buffer.removeAll()
                guard header.requestID < requestID else {
                    guard header.requestID == requestID else { throw broken() }
                    abandonedRequestID = nil
                    return
                }
            }
            switch receiveSome(blocking: false) {
            case .bytes: continue
            case .nothing: throw .unreachable
            case .end: throw broken()
            }
        }
    }

    /// Milliseconds of the monotonic clock.
    private static func now() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}
