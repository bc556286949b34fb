// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import EnclaveWire
import Foundation
import Glibc
import IPC
import ItemStore
import SecretBytes
import SecurityWire
import Synchronization

/// Moves the bytes of many connections: reads requests, and sends replies and changes. What a request
/// may do and who does it, ``RequestHandler`` decides.
final class EventThread {
    let configuration: ListeningConfiguration
    let handler: RequestHandler
    let poller: Poller
    let mailbox: Mailbox
    let indexer: (RowOwner) -> BlindIndexer?
    var watching: Set<Int32> = []
    var connections: [Int32: ClientConnection] = [:]
    var connectionsByProcess: [Int32: Int] = [:]
    var connectionsByAccount: [UInt32: Int] = [:]
    var connectionCount: UInt64 = 0
    private var inbound = SecretBytes(byteCount: inboundByteCount)
    private var nextSweep = ContinuousClock.now
    /// Held open to be given up when descriptors run out, so that the queue of connections can be
    /// emptied.
    var reserve = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)

    /// Whether the poller watches the listener.
    var isListening = true

    private static let inboundByteCount = 64 * 1024
    private static let sweepMilliseconds: Int32 = 1000
    /// While sockets that close slowly keep it from accepting connections.
    private static let pauseMilliseconds: Int32 = 20

    init(
        configuration: ListeningConfiguration, handler: RequestHandler, mailbox: Mailbox,
        indexer: @escaping (RowOwner) -> BlindIndexer?
    ) throws(SystemError) {
        self.configuration = configuration
        self.handler = handler
        poller = try Poller()
        self.mailbox = mailbox
        self.indexer = indexer
        try poller.add(mailbox.arrived.descriptor, .readable)
        try poller.add(configuration.listener, [.readable, .exclusive])
    }

    /// Works until the process ends.
    func run() throws(SystemError) {
        var ready: [Poller.Ready] = []
        while true {
            // Without connections nothing can run out of time: the thread sleeps.
            let isIdle = connections.isEmpty && isListening && !configuration.releases.isBusy
            let hasPaused = !isListening && configuration.releases.isBusy
            let milliseconds = hasPaused ? Self.pauseMilliseconds : Self.sweepMilliseconds
            try poller.wait(milliseconds: isIdle ? -1 : milliseconds, into: &ready)
            for event in ready {
                if event.descriptor == configuration.listener {
                    acceptConnections()
                } else if event.descriptor == mailbox.arrived.descriptor {
                    mailbox.look()
                    startIdentified()
                    resumeAnswered()
                    tellWatchers()
                    tellSecretLocks()
                } else if let connection = connections[event.descriptor] {
                    serve(connection, event.events)
                }
            }
            if hasPaused { resumeListening() }
            sweep()
        }
    }

    // MARK: - Serving

    private func serve(_ connection: ClientConnection, _ events: Poller.Events) {
        switch connection.state {
        case .working, .identifying: return
        case .replying(let reply):
            progressed(connection, reply.send(to: connection.socket.rawValue))
        case .receiving: receive(connection)
        }
    }

    private func receive(_ connection: ClientConnection) {
        var sender: pid_t = 0
        var user: uid_t = 0
        var attached: Int32 = 0
        let raw = connection.socket.rawValue
        let count = unsafe inbound.withUnsafeMutableBytes { bytes in
            unsafe llavero_peek(raw, bytes.baseAddress, bytes.count, &sender, &user, &attached)
        }
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
        // Bytes from another process than the one that connected: a descriptor handed on. Or from
        // another program than the one that was inspected. A connection that watches has nothing
        // more to say.
        guard count > 0, sender == connection.peer.pid, user == connection.peer.userID,
            connection.peer.isAlive(), connection.isCurrent,
            connection.watch == nil || connection.client.kind.reach != nil
        else { return close(connection) }
        guard attached == 0 else { return receiveAttached(connection, byteCount: count) }
        unsafe inbound.withUnsafeMutableBytes { bytes in
            let used = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<count])
            guard unsafe llavero_take(raw, used.baseAddress, count) == count else {
                return close(connection)
            }
            let before = connection.partial?.byteCount ?? 0
            if let partial = connection.partial {
                unsafe partial.append(UnsafeRawBufferPointer(used))
                unsafe partial.withBytes { unsafe take($0, connection) }
            } else {
                unsafe take(UnsafeRawBufferPointer(used), connection)
            }
            unsafe SecretMemory.wipe(used)
            if connection.partial?.byteCount ?? 0 > before {
                keepBudget(of: connection.account)
            }
        }
        configuration.scrub()
    }

    /// Takes a request if the bytes make one; keeps them if they are its beginning. A client sends
    /// one request and waits for its reply: bytes behind a request end the connection.
    private func take(_ bytes: UnsafeRawBufferPointer, _ connection: ClientConnection) {
        let header: FrameHeader
        do throws(WireError) {
            guard bytes.count >= FrameHeader.byteCount else {
                return unsafe keep(bytes, connection)
            }
            header = try unsafe FrameHeader(
                decoding: UnsafeRawBufferPointer(rebasing: bytes[..<FrameHeader.byteCount]))
        } catch { return close(connection) }
        let total = FrameHeader.byteCount + header.bodyByteCount
        guard bytes.count >= total else { return unsafe keep(bytes, connection) }
        guard bytes.count == total, header.messageByteCount <= header.kind.messageLimit else {
            return close(connection)
        }
        let body = unsafe UnsafeRawBufferPointer(rebasing: bytes[FrameHeader.byteCount...])
        let split = header.messageByteCount
        do throws(WireError) {
            let request = try unsafe ClientRequest(
                decoding: header.kind, message: UnsafeRawBufferPointer(rebasing: body[..<split]),
                secret: UnsafeRawBufferPointer(rebasing: body[split...]))
            connection.partial = nil
            connection.deadline = nil
            handle(request, header.sequence, connection)
        } catch {
            guard error == .tooLarge else { return close(connection) }
            connection.partial = nil
            connection.deadline = nil
            reply(.failed(Failure(.tooLarge)), header.sequence, connection)
        }
    }

    private func keep(_ bytes: UnsafeRawBufferPointer, _ connection: ClientConnection) {
        guard connection.partial == nil else { return }
        unsafe connection.partial = PartialFrame(bytes)
        connection.deadline = .now + configuration.requestDeadline
    }

    func handle(
        _ request: ClientRequest, _ sequence: UInt32, _ connection: ClientConnection
    ) {
        guard connection.client.kind.carries(request) else { return close(connection) }
        var asksForFront = false
        if case .front = request { asksForFront = true }
        guard connection.hasProof || !(connection.who.needsProof || asksForFront) else {
            return demandProof(request, sequence, connection)
        }
        if answerFront(request, sequence, connection) { return }
        if lookAgain(before: request, sequence, connection) { return }
        switch handler.handle(
            request, of: connection.client, later: { laterReply(connection, sequence) })
        {
        case .reply(let reply): self.reply(reply, sequence, connection)
        case .later: pause(connection)
        case .watch: startWatch(sequence, connection)
        }
    }

    /// Bytes that lay in the socket before the program was inspected may be those of one that the
    /// process ran before, which has left the other end to somebody; and a program that was inspected
    /// may copy what another one gives it. So a program that is more than anybody first sends back
    /// what only a reader of the connection can know, with a descriptor attached, which no program
    /// sends that only copies.
    private func demandProof(
        _ request: ClientRequest, _ sequence: UInt32, _ connection: ClientConnection
    ) {
        guard connection.nonce == nil else { return close(connection) }
        let nonce = unsafe SecretBytes.random(byteCount: 32).withUnsafeBytes { unsafe [UInt8]($0) }
        connection.nonce = nonce
        reply(.prove(nonce), sequence, connection)
    }

    /// Looks at a message with descriptors, which lies in the socket still: it is the proof that was
    /// demanded, or names a process, whole and alone; else it is the end of the connection.
    private func receiveAttached(_ connection: ClientConnection, byteCount: Int) {
        var attached: Int32 = -1
        var isAlone: Int32 = 0
        let found = unsafe inbound.withUnsafeMutableBytes {
            bytes -> (request: ClientRequest, sequence: UInt32)? in
            let used = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<byteCount])
            defer { unsafe SecretMemory.wipe(used) }
            guard let found = unsafe Self.request(UnsafeRawBufferPointer(used), of: connection),
                Self.takesDescriptor(found.request, connection)
            else { return nil }
            // The same bytes once more, with what is attached to them.
            attached = unsafe llavero_peek_attached(
                connection.socket.rawValue, used.baseAddress, byteCount, &isAlone)
            return found
        }
        guard let (request, sequence) = found else { return close(connection) }
        let file = AttachedFile(descriptor: attached, isAlone: isAlone == 1)
        guard case .prove = request else {
            return lookAtNamed(connection, request, sequence, byteCount: byteCount, file)
        }
        connection.nonce = nil
        lookAtProven(connection, sequence, byteCount: byteCount, file)
    }

    /// Whether a request of a connection has a descriptor attached.
    private static func takesDescriptor(
        _ request: ClientRequest, _ connection: ClientConnection
    ) -> Bool {
        if case .prove(let nonce) = request { return nonce == connection.nonce }
        guard connection.nonce == nil, connection.client.kind.carries(request),
            connection.hasProof || !connection.who.needsProof
        else { return false }
        return switch request {
        case .represent(.process), .busOwner: true
        default: false
        }
    }

    /// - Returns: The request that the bytes are, and its sequence number; nil of anything else.
    private static func request(
        _ bytes: UnsafeRawBufferPointer, of connection: ClientConnection
    ) -> (request: ClientRequest, sequence: UInt32)? {
        guard connection.partial == nil, bytes.count >= FrameHeader.byteCount,
            let header = try? unsafe FrameHeader(
                decoding: UnsafeRawBufferPointer(rebasing: bytes[..<FrameHeader.byteCount])),
            bytes.count == FrameHeader.byteCount + header.bodyByteCount
        else { return nil }
        let body = unsafe UnsafeRawBufferPointer(rebasing: bytes[FrameHeader.byteCount...])
        let split = header.messageByteCount
        guard split <= header.kind.messageLimit else { return nil }
        let request = try? unsafe ClientRequest(
            decoding: header.kind, message: UnsafeRawBufferPointer(rebasing: body[..<split]),
            secret: UnsafeRawBufferPointer(rebasing: body[split...]))
        return request.map { ($0, header.sequence) }
    }

    // MARK: - Deadlines

    private func sweep() {
        let now = ContinuousClock.now
        guard now >= nextSweep else { return }
        nextSweep = now + .milliseconds(Int(Self.sweepMilliseconds))
        handler.sweep(now)
        configuration.releases.interruptLate()
        resumeListening()
        for connection in connections.values {
            if let deadline = connection.deadline, deadline < now { close(connection) }
        }
        closeOverChannels()
    }
}
