// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import Keychain
import SecretBytes
import SecurityWire
import Synchronization

/// A connection to securityd that carries one request at a time: the control connection, or a channel
/// (Documentation/PROTOCOL.md, "Fronts").
final class WireConnection: Sendable {
    /// How an exchange can fail. The connection is of no use then.
    enum Fault: Error {
        /// It ended before the reply.
        case cutOff
        /// The reply didn't come in time, or isn't one.
        case noReply
        /// The request is over the limit of a frame; nothing was sent.
        case tooLarge
    }

    private struct State {
        var sequence: UInt32 = 0
        var isBroken = false
    }

    /// The user who listens; nil of a channel.
    let peerUser: uid_t?
    private let socket: Descriptor
    private let state = Mutex(State())
    private let isInterrupted = Mutex(false)

    init(owning socket: consuming Descriptor, peerUser: uid_t? = nil) {
        self.peerUser = peerUser
        self.socket = socket
    }

    /// Connects to securityd.
    /// - Returns: Nil when nobody listens, or the one who does isn't trusted.
    static func connect(to path: String) -> WireConnection? {
        guard let socket = try? UnixSocket.connect(to: path, timeout: .seconds(5)) else {
            return nil
        }
        var pid: pid_t = 0
        var user: uid_t = 0
        var group: gid_t = 0
        guard unsafe llavero_peer_credentials(socket.rawValue, &pid, &user, &group) == 0,
            ServiceLocation.isTrustedOwner(user)
        else { return nil }
        return WireConnection(owning: socket, peerUser: user)
    }

    /// Whether an exchange has failed.
    var isBroken: Bool { state.withLock { $0.isBroken } }

    /// Ends the connection, also under an exchange of another thread.
    func interrupt() {
        isInterrupted.withLock { $0 = true }
        shutdown(socket.rawValue, Int32(SHUT_RDWR))
    }

    /// Sends a request, and waits for its reply.
    func exchange(
        _ request: ClientRequest, within deadline: Duration
    ) throws(Fault) -> ReceivedReply {
        try exchange(request, attaching: nil, within: deadline).reply
    }

    /// Sends a request, perhaps with a descriptor, and waits for its reply, which may have one too.
    func exchange(
        _ request: ClientRequest, attaching descriptor: Int32?, within deadline: Duration
    ) throws(Fault) -> (reply: ReceivedReply, attached: Int32) {
        try state.withLock { (state) throws(Fault) in
            guard !state.isBroken else { throw .cutOff }
            do throws(Fault) {
                state.sequence &+= 1
                let frame: EncodedFrame
                do throws(WireError) {
                    frame = try request.encoded(sequence: state.sequence)
                } catch { throw .tooLarge }
                let end = ContinuousClock.now + deadline
                UnixSocket.setTimeout(socket.rawValue, deadline)
                try send(frame, descriptor)
                return try receive(state.sequence, until: end)
            } catch {
                if error != .tooLarge { state.isBroken = true }
                throw error
            }
        }
    }

    // MARK: - Sending

    private func send(_ frame: EncodedFrame, _ descriptor: Int32?) throws(Fault) {
        if let descriptor {
            let count = unsafe frame.bytes.withUnsafeBytes { bytes in
                unsafe llavero_send_descriptors(
                    socket.rawValue, bytes.baseAddress, bytes.count, [descriptor], 1,
                    Int32(MSG_NOSIGNAL))
            }
            guard count == frame.bytes.count else { throw .cutOff }
        } else {
            let isSent = unsafe frame.bytes.withUnsafeBytes {
                unsafe UnixSocket.sendAll(socket.rawValue, $0)
            }
            guard isSent else { throw .cutOff }
        }
        for secret in frame.secrets {
            let isSent = unsafe secret.bytes.withUnsafeBytes {
                unsafe UnixSocket.sendAll(socket.rawValue, $0)
            }
            guard isSent else { throw .cutOff }
        }
    }

    // MARK: - Receiving

    private func receive(
        _ sequence: UInt32, until end: ContinuousClock.Instant
    ) throws(Fault) -> (ReceivedReply, Int32) {
        var head = [UInt8](repeating: 0, count: FrameHeader.byteCount)
        var attached: Int32 = -1
        let count = try receiveHead(&head, &attached)
        var isKept = false
        defer { if !isKept, attached >= 0 { close(attached) } }
        try fill(&head, from: count, until: end)
        let header = unsafe head.withUnsafeBytes { unsafe try? FrameHeader(decoding: $0) }
        guard let header, header.sequence == sequence else { throw .noReply }
        var body = SecretBytes(byteCount: header.bodyByteCount)
        let socket = socket.rawValue
        UnixSocket.setTimeout(socket, max(ContinuousClock.now.duration(to: end), .milliseconds(1)))
        let isWhole = unsafe body.withUnsafeMutableBytes {
            unsafe UnixSocket.receiveAll(socket, $0)
        }
        guard isWhole else { throw ended() }
        let reply = unsafe body.withUnsafeBytes { bytes in
            let middle = header.messageByteCount
            return unsafe try? ReceivedReply(
                decoding: header.kind,
                message: UnsafeRawBufferPointer(rebasing: bytes[..<middle]),
                secret: UnsafeRawBufferPointer(rebasing: bytes[middle...]))
        }
        guard let reply else { throw .noReply }
        isKept = true
        return (reply, attached)
    }

    /// Receives the first bytes of a reply, and the descriptor that comes with them.
    private func receiveHead(_ head: inout [UInt8], _ attached: inout Int32) throws(Fault) -> Int {
        while true {
            var files = [Int32](repeating: -1, count: Int(LLAVERO_DESCRIPTOR_LIMIT))
            var number: Int32 = 0
            let count = unsafe llavero_receive_descriptors(
                socket.rawValue, &head, head.count, &files, &number)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw count == 0 ? .cutOff : ended() }
            for file in files.prefix(Int(number)) {
                if attached < 0 { attached = file } else { close(file) }
            }
            return count
        }
    }

    private func fill(
        _ head: inout [UInt8], from start: Int, until end: ContinuousClock.Instant
    ) throws(Fault) {
        guard start < head.count else { return }
        let socket = socket.rawValue
        UnixSocket.setTimeout(socket, max(ContinuousClock.now.duration(to: end), .milliseconds(1)))
        let isWhole = unsafe head.withUnsafeMutableBytes { bytes in
            unsafe UnixSocket.receiveAll(
                socket, UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
        }
        guard isWhole else { throw ended() }
    }

    private func ended() -> Fault { errno == EAGAIN || errno == EWOULDBLOCK ? .noReply : .cutOff }
}
