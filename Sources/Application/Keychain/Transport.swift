// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import SecretBytes
import SecurityWire

/// One connection to the service: it sends a request and receives its reply, within a deadline.
struct Transport: ~Copyable, Sendable {
    /// How an exchange can fail.
    enum Failure: Error {
        /// No service listens; nothing was sent.
        case notConnected
        /// The socket's path is longer than the kernel allows; nothing was sent.
        case pathTooLong
        /// The wait for other threads' calls used up the time; nothing was sent.
        case notSent
        /// The connection ended before the reply; the request may have been carried out.
        case cutOff
        /// The deadline passed; the request may have been carried out.
        case timedOut
        /// The listening process isn't trusted; nothing was sent.
        case wrongServer
        /// The request is over the frame limit; nothing was sent.
        case tooLarge
    }

    private let locate: @Sendable () -> ServiceLocation
    /// Ends the wait of the current exchange.
    private var interruption: Interruption?
    private var socket: Descriptor?
    private var timeout = Duration.zero
    /// A child made by `fork` has its parent's connection and must not use it.
    private var owner: Int32 = 0
    private var sequence: UInt32 = 0
    /// The buffer for replies, allocated with the first one.
    private var inbound: SecretBytes?

    /// A prefetched page: it was requested before the page before it was decoded, so that the
    /// service works meanwhile. There is at most one, so the service never has more than one
    /// request.
    private var ahead: UInt32?
    /// A prefetched page that arrived when another call needed the connection, and waits for its
    /// reader.
    private var early: (sequence: UInt32, reply: ReceivedReply)?

    private static let inboundByteCount = 64 * 1024

    init(locate: @escaping @Sendable () -> ServiceLocation) { self.locate = locate }

    deinit { interruption?.end() }

    /// Another thread can end the following calls, until ``endInterruptible()``.
    mutating func beginInterruptible(_ interruption: Interruption?) {
        self.interruption = interruption
    }

    /// From now on no other thread can end a call.
    mutating func endInterruptible() {
        guard let interruption else { return }
        interruption.end()
        // Closes a connection that can't be used any more.
        if interruption.cause != nil { disconnect() }
        self.interruption = nil
    }

    /// Sends a request and waits for its reply. `deadline` applies to connecting, sending, and
    /// receiving the reply. If other frames may follow the reply, nothing after its end is read.
    mutating func exchange(
        _ request: ClientRequest, deadline: Duration, mayBeFollowed: Bool = false
    ) throws(Failure) -> ReceivedReply {
        let rest = try settle(within: deadline)
        try connect(within: rest)
        do throws(Failure) {
            return try ask(request, within: rest, mayBeFollowed: mayBeFollowed)
        } catch {
            disconnect()
            throw error
        }
    }

    /// Sends a request with a descriptor, which stays the caller's, on a connection that has nothing to
    /// prove any more.
    mutating func exchange(
        _ request: ClientRequest, attaching descriptor: Int32, deadline: Duration
    ) throws(Failure) -> ReceivedReply {
        let rest = try settle(within: deadline)
        try connect(within: rest)
        do throws(Failure) {
            sequence &+= 1
            try send(try encode(request), attaching: descriptor)
            return try receive(sequence, within: rest)
        } catch {
            disconnect()
            throw error
        }
    }

    private func send(_ frame: EncodedFrame, attaching descriptor: Int32) throws(Failure) {
        let raw = try connected()
        let count = unsafe frame.bytes.withUnsafeBytes { bytes in
            unsafe llavero_send_descriptors(
                raw, bytes.baseAddress, bytes.count, [descriptor], 1, 0)
        }
        guard count == frame.bytes.count else { throw errno == EAGAIN ? .timedOut : .cutOff }
    }

    /// Requests a page of a query, and prefetches the page after it as soon as this one has
    /// arrived.
    /// - Parameters:
    ///   - cursor: Where the page starts.
    ///   - deadline: For connecting, sending and receiving this page.
    ///   - ticket: Nil for the first page; names the prefetched page.
    ///   - request: Makes the request for a page.
    /// - Returns: The page.
    /// - Throws: As ``exchange(_:deadline:mayBeFollowed:)``; ``Failure/cutOff`` also when the
    ///   prefetched page was lost with its connection. There is no ticket then.
    mutating func page(
        after cursor: UInt64, deadline: Duration, ticket: inout UInt32?,
        _ request: (UInt64) -> ClientRequest
    ) throws(Failure) -> ReceivedReply {
        let taken = ticket
        ticket = nil
        if let taken, let early, early.sequence == taken {
            self.early = nil
            return early.reply
        }
        let isWaiting = ahead != nil && ahead == taken
        if taken != nil && !isWaiting { throw .cutOff }
        let rest = isWaiting ? deadline : try settle(within: deadline)
        try connect(within: rest)
        guard taken == nil || isWaiting && ahead != nil else { throw .cutOff }
        do throws(Failure) {
            ahead = nil
            let whenThereIsMore = { (transport: inout Transport, next: UInt64) in
                ticket = transport.askAhead(request(next))
            }
            guard isWaiting else {
                return try ask(
                    request(cursor), within: rest, whenThereIsMore: whenThereIsMore)
            }
            return try receive(sequence, within: rest, whenThereIsMore: whenThereIsMore)
        } catch {
            ticket = nil
            disconnect()
            throw error
        }
    }

    /// Requests a page without waiting for it.
    /// - Returns: Its ticket; nil when the request couldn't be sent.
    private mutating func askAhead(_ request: ClientRequest) -> UInt32? {
        guard early == nil else { return nil }
        do throws(Failure) { try post(request) } catch {
            disconnect()
            return nil
        }
        ahead = sequence
        return sequence
    }

    /// Receives the prefetched page, because another request needs the connection.
    /// - Returns: How much of the deadline is left for that request.
    private mutating func settle(within deadline: Duration) throws(Failure) -> Duration {
        guard let expected = ahead, owner == getpid() else { return deadline }
        ahead = nil
        let end = ContinuousClock.Instant.end(of: deadline)
        do throws(Failure) {
            try connect(within: deadline)
            early = (expected, try receive(expected, within: deadline))
        } catch {
            disconnect()
            // Nothing of the new request was sent.
            if error == .timedOut { throw .notSent }
        }
        return try Self.rest(until: end, orThrow: .notSent)
    }

    private static func rest(
        until end: ContinuousClock.Instant, orThrow failure: Failure
    ) throws(Failure) -> Duration {
        let rest = ContinuousClock.now.duration(to: end)
        guard rest > .zero else { throw failure }
        return rest
    }

    /// Sends a request and reads its reply; sends it once more if the service first requires a
    /// proof.
    private mutating func ask(
        _ request: ClientRequest, within deadline: Duration, mayBeFollowed: Bool = false,
        whenThereIsMore: (inout Transport, UInt64) -> Void = { _, _ in }
    ) throws(Failure) -> ReceivedReply {
        let end = ContinuousClock.Instant.end(of: deadline)
        try post(request)
        let reply = try receive(
            sequence, within: deadline, mayBeFollowed: mayBeFollowed,
            whenThereIsMore: whenThereIsMore)
        guard case .prove(let nonce) = reply else { return reply }
        try prove(nonce, within: shortenTimeout(until: end))
        let rest = try shortenTimeout(until: end)
        try post(request)
        return try receive(
            sequence, within: rest, mayBeFollowed: mayBeFollowed,
            whenThereIsMore: whenThereIsMore)
    }

    /// Gives the later exchanges of a call the rest of its deadline, not a new one.
    /// - Returns: The rest.
    private mutating func shortenTimeout(
        until end: ContinuousClock.Instant
    ) throws(Failure) -> Duration {
        timeout = try Self.rest(until: end, orThrow: .timedOut)
        UnixSocket.setTimeout(try connected(), timeout)
        return timeout
    }

    /// Proves that this program is at this end of the connection. The service asks for it once,
    /// with the first request, which it hasn't looked at yet.
    private mutating func prove(_ nonce: [UInt8], within deadline: Duration) throws(Failure) {
        guard nonce.count == 32 else { throw .cutOff }
        sequence &+= 1
        let frame = try encode(.prove(nonce))
        // What a program can't send that only copies bytes. It has no other use. A service may make
        // any other kind wait for its turn to be closed.
        var file = llavero_empty_sealed_memory()
        if file < 0 { file = eventfd(0, Int32(EFD_CLOEXEC)) }
        guard file >= 0 else { throw .cutOff }
        let attached = Descriptor(owning: file)
        try send(frame, attaching: attached.rawValue)
        guard case .prove([]) = try receive(sequence, within: deadline) else { throw .cutOff }
    }

    /// Waits for a further frame that answers the last request.
    /// - Returns: Nil when none began to arrive within the deadline; the connection stays open.
    mutating func nextReply(within deadline: Duration) throws(Failure) -> ReceivedReply? {
        guard let raw = openSocket, owner == getpid() else { throw .cutOff }
        guard UnixSocket.waitUntilReadable(raw, deadline) else { return nil }
        do throws(Failure) {
            return try receive(sequence, within: deadline, mayBeFollowed: true)
        } catch {
            disconnect()
            throw error
        }
    }

    /// Ends the connection; the next exchange makes another.
    private mutating func disconnect() {
        interruption?.end()
        socket = nil
        ahead = nil
    }

    // MARK: - Connecting

    private mutating func connect(within deadline: Duration) throws(Failure) {
        let process = getpid()
        if owner != process {
            disconnect()
            owner = process
        }
        if let raw = openSocket {
            if timeout != deadline { UnixSocket.setTimeout(raw, deadline) }
            timeout = deadline
            guard interruption?.begin(raw) ?? true else { throw .notSent }
            return
        }
        guard let path = locate().socketPath else { throw .notConnected }
        let fresh: Descriptor
        do throws(UnixSocket.Failure) {
            fresh = try UnixSocket.connect(to: path, timeout: deadline)
        } catch {
            switch error {
            case .pathTooLong: throw .pathTooLong
            case .system: throw .notConnected
            }
        }
        var pid: pid_t = 0
        var user: uid_t = 0
        var group: gid_t = 0
        guard unsafe llavero_peer_credentials(fresh.rawValue, &pid, &user, &group) == 0,
            ServiceLocation.isTrustedOwner(user)
        else { throw .wrongServer }
        guard interruption?.begin(fresh.rawValue) ?? true else { throw .notSent }
        timeout = deadline
        socket = consume fresh
    }

    // MARK: - Sending

    private mutating func post(_ request: ClientRequest) throws(Failure) {
        sequence &+= 1
        try send(try encode(request))
    }

    private func encode(_ request: ClientRequest) throws(Failure) -> EncodedFrame {
        do { return try request.encoded(sequence: sequence) } catch { throw .tooLarge }
    }

    private func send(_ frame: EncodedFrame) throws(Failure) {
        let raw = try connected()
        let nothing = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        guard let secret = frame.secrets.first else {
            let sent = unsafe frame.bytes.withUnsafeBytes { unsafe Self.sendAll(raw, $0, nothing) }
            return try sent.get()
        }
        // One system call for what nearly all requests have: one secret.
        let sent = unsafe frame.bytes.withUnsafeBytes { bytes in
            unsafe secret.bytes.withUnsafeBytes { unsafe Self.sendAll(raw, bytes, $0) }
        }
        try sent.get()
        for secret in frame.secrets.dropFirst() {
            let sent = unsafe secret.bytes.withUnsafeBytes { unsafe Self.sendAll(raw, $0, nothing) }
            try sent.get()
        }
    }

    private static func sendAll(
        _ socket: Int32, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
    ) -> Result<Void, Failure> {
        var first = unsafe first
        var second = unsafe second
        while first.count + second.count > 0 {
            let sent = unsafe llavero_send2(
                socket, first.baseAddress, first.count, second.baseAddress, second.count, 0)
            guard sent > 0 else {
                if errno == EINTR { continue }
                return .failure(errno == EAGAIN ? .timedOut : .cutOff)
            }
            let fromFirst = min(sent, first.count)
            unsafe first = UnsafeRawBufferPointer(rebasing: first[fromFirst...])
            unsafe second = UnsafeRawBufferPointer(rebasing: second[(sent - fromFirst)...])
        }
        return .success(())
    }

    // MARK: - Receiving

    /// Reads one frame. If another one may follow, nothing after its end is read.
    /// - Parameters:
    ///   - expected: The sequence number of the request.
    ///   - deadline: For the whole frame.
    ///   - mayBeFollowed: Whether there may be further frames.
    ///   - whenThereIsMore: Called with the cursor of a page that isn't the last, after it arrived
    ///     and before it is decoded.
    /// - Returns: What the frame holds.
    /// - Throws: ``Failure/cutOff``; ``Failure/timedOut``.
    private mutating func receive(
        _ expected: UInt32, within deadline: Duration, mayBeFollowed: Bool = false,
        whenThereIsMore: (inout Transport, UInt64) -> Void = { _, _ in }
    ) throws(Failure) -> ReceivedReply {
        let raw = try connected()
        var buffer = inbound.take() ?? SecretBytes(byteCount: Self.inboundByteCount)
        var filled = 0
        let end = ContinuousClock.Instant.end(of: deadline)
        var isShortened = false
        var header: FrameHeader?
        while true {
            if header == nil, filled >= FrameHeader.byteCount {
                header = try unsafe buffer.withUnsafeBytes { bytes throws(Failure) in
                    try unsafe Self.header(bytes)
                }
            }
            if let header {
                let total = FrameHeader.byteCount + header.bodyByteCount
                if filled == total { break }
                guard filled < total else { throw .cutOff }
                if total > buffer.byteCount { buffer = Self.grown(buffer, filled, total) }
            }
            if filled > 0 {
                // Receiving a reply in pieces doesn't restart the deadline for each piece.
                UnixSocket.setTimeout(raw, try Self.rest(until: end, orThrow: .timedOut))
                isShortened = true
            }
            let total = header.map { FrameHeader.byteCount + $0.bodyByteCount }
            let limit = mayBeFollowed ? total ?? FrameHeader.byteCount : buffer.byteCount
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe recv(
                    raw, bytes.baseAddress.map { unsafe $0 + filled }, limit - filled, 0)
            }
            if count < 0 && errno == EINTR { continue }
            if count < 0 { throw errno == EAGAIN ? .timedOut : .cutOff }
            guard count > 0 else { throw .cutOff }
            filled += count
        }
        if isShortened { UnixSocket.setTimeout(raw, deadline) }
        guard let header, header.sequence == expected else { throw .cutOff }
        let next = unsafe buffer.withUnsafeBytes { unsafe Self.nextCursor(header, $0) }
        if next != 0 { whenThereIsMore(&self, next) }
        let reply = try Self.decode(&buffer, header, filled)
        if buffer.byteCount == Self.inboundByteCount { inbound = consume buffer }
        return reply
    }

    private func connected() throws(Failure) -> Int32 {
        guard let raw = openSocket else { throw .cutOff }
        return raw
    }

    private var openSocket: Int32? {
        switch socket {
        case .none: nil
        case .some(let socket): socket.rawValue
        }
    }
}
