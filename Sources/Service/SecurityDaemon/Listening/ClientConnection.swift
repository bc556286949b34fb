// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import Foundation
import IPC
import SecretBytes
import SecurityWire

/// One client's connection, as its event thread keeps it.
final class ClientConnection {
    /// What the connection is doing.
    enum State {
        /// It is being established who it is; nothing is read meanwhile.
        case identifying(Identifying)
        /// Waiting for a request, or in the middle of one.
        case receiving
        /// Another thread works on its request and answers it; nothing is read meanwhile.
        case working
        /// Its reply didn't fit the socket's buffer; the rest follows.
        case replying(PendingReply)
    }

    /// What waits for an inspection.
    enum Identifying {
        /// The first request, which hasn't been read.
        case candidate
        /// The answer to a proof.
        case proof(sequence: UInt32)
        /// A request of a connection whose last look is too old.
        case request(ClientRequest, sequence: UInt32)
        /// The program says that it is a front.
        case front(FrontName, sequence: UInt32)
        /// A front has named a process, for a channel; or a client has, to be told its owner.
        case named(InspectedProcess, forChannel: Bool, sequence: UInt32)
    }

    /// Given to no other connection of this thread: descriptors' numbers are used again.
    let number: UInt64
    let socket: ClientSocket
    let peer: PeerProcess
    /// Who it is, once that is known; before, nothing is read from it.
    private(set) var who: EstablishedPeer
    /// The same as its requests see it.
    let client: Client
    /// Whose it counts as: the peer's user, or an account that has more user numbers than its own.
    var account: UInt32 {
        get { client.requester.userID }
        set { client.requester = Requester(userID: newValue, process: peer.pid) }
    }
    /// Whether the program that was inspected has shown that the requests are its own.
    var hasProof = false
    /// What is to come back as that proof.
    var nonce: [UInt8]?
    var state = State.receiving
    /// When it was last looked into in full.
    var looked = ContinuousClock.now
    /// Whether it is being looked into while it goes on.
    var isLookedInto = false
    /// It is closed as soon as nobody works on its request.
    var mustClose = false
    /// When what it is doing must be done; nil for an idle connection that has made a request.
    var deadline: ContinuousClock.Instant?
    /// A request that has come in part.
    var partial: PartialFrame?
    /// Of a connection that hears of changes, and makes no further request unless it is a channel.
    var watch: Watch?
    /// Of a front's channel.
    let channel: Channel?

    /// What a front's channel hangs on.
    struct Channel {
        /// Counts it.
        let seat: FrontDoor.Seat
        /// The process that it is for; nil of the front's own records.
        let process: InspectedProcess?
        /// The front, whose program must go on.
        let front: EstablishedPeer
        /// Whether what runs in the process is looked at from time to time.
        let isLookedIntoAgain: Bool

        var isCurrent: Bool { front.isCurrent() && process?.isAlive() ?? true }
    }

    /// Whether what it hangs on is as it was.
    var isCurrent: Bool { who.isCurrent() && channel?.isCurrent ?? true }

    /// Whether what runs in its process is looked at from time to time.
    /// A front makes itself undumpable when it has been accepted.
    var isLookedIntoAgain: Bool {
        if case .control = client.kind { return false }
        return channel?.isLookedIntoAgain ?? true
    }

    /// The process that is looked into; nil when there is no descriptor left.
    var inspected: InspectedProcess? { channel?.process ?? InspectedProcess(peer) }

    init(
        number: UInt64, socket: consuming ClientSocket, peer: consuming PeerProcess,
        account: UInt32, who: EstablishedPeer,
        deadline: ContinuousClock.Instant?, channel: Channel? = nil
    ) {
        self.channel = channel
        self.number = number
        self.socket = socket
        client = Client(
            who.identity, AuditCaller(who.identity, peer),
            Requester(userID: account, process: peer.pid))
        self.peer = peer
        self.who = who
        self.deadline = deadline
        client.makeContexts = { [unowned self] in
            // The person is told which application asks, not which front.
            if let process = self.channel?.process {
                return ContextDesk(of: process.peer, self.client.identity)
            }
            return ContextDesk(of: self.peer, self.client.identity)
        }
    }

    /// Takes the outcome of an inspection.
    func establish(_ who: EstablishedPeer) {
        self.who = who
        client.establish(who.identity, AuditCaller(who.identity, peer))
    }

    /// How much memory a reply takes that the client hasn't read; nil when there is none.
    var unreadByteCount: Int? {
        if case .replying(let reply) = state { reply.byteCount } else { nil }
    }
}

/// The bytes of a frame that is not complete; grows as bytes come, not as the head promises.
final class PartialFrame {
    private(set) var buffer: SecretBytes
    private(set) var filled: Int
    let begun = ContinuousClock.now

    /// How much memory it takes.
    var byteCount: Int { buffer.byteCount }

    init(_ bytes: UnsafeRawBufferPointer) {
        filled = bytes.count
        buffer = unsafe SecretBytes(byteCount: max(4096, bytes.count)) { target in
            unsafe target.copyMemory(from: bytes)
        }
    }

    /// Adds bytes.
    func append(_ bytes: UnsafeRawBufferPointer) {
        if filled + bytes.count > buffer.byteCount {
            let larger = unsafe SecretBytes(byteCount: (filled + bytes.count) * 2) { target in
                unsafe buffer.withUnsafeBytes { old in
                    unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: old[..<filled]))
                }
            }
            buffer = consume larger
        }
        unsafe buffer.withUnsafeMutableBytes { target in
            unsafe UnsafeMutableRawBufferPointer(rebasing: target[filled...]).copyMemory(
                from: bytes)
        }
        filled += bytes.count
    }

    /// Lends what has come.
    func withBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try unsafe buffer.withUnsafeBytes { bytes throws(E) in
            try unsafe body(UnsafeRawBufferPointer(rebasing: bytes[..<filled]))
        }
    }
}

/// A reply, and how much of it has been sent.
struct PendingReply: Sendable {
    /// What came of sending.
    enum Progress: Sendable {
        case done
        case more(PendingReply)
        case failed
    }

    private let frame: EncodedFrame
    private let secrets: Secret?
    private var sent = 0

    init(_ frame: EncodedFrame) {
        self.frame = frame
        secrets = Self.joined(frame.secrets)
    }

    /// How much memory it takes; it stays whole until all of it is sent.
    var byteCount: Int { frame.bytes.count + (secrets?.bytes.byteCount ?? 0) }

    /// Sends as much as the socket takes now.
    func send(to socket: Int32) -> Progress {
        var reply = self
        while reply.sent < byteCount {
            let count = reply.sendOnce(socket)
            if count < 0 {
                if errno == EINTR { continue }
                return errno == EAGAIN ? .more(reply) : .failed
            }
            reply.sent += count
        }
        return .done
    }

    private func sendOnce(_ socket: Int32) -> Int {
        unsafe frame.bytes.withUnsafeBytes { bytes in
            let first = unsafe UnsafeRawBufferPointer(rebasing: bytes[min(sent, bytes.count)...])
            guard let secrets else {
                return unsafe llavero_send2(
                    socket, first.baseAddress, first.count, nil, 0, Int32(MSG_DONTWAIT))
            }
            return unsafe secrets.bytes.withUnsafeBytes { secret in
                let second = unsafe UnsafeRawBufferPointer(
                    rebasing: secret[max(sent - bytes.count, 0)...])
                return unsafe llavero_send2(
                    socket, first.baseAddress, first.count, second.baseAddress, second.count,
                    Int32(MSG_DONTWAIT))
            }
        }
    }

    /// The secrets of several rows, one behind the other.
    private static func joined(_ secrets: [Secret]) -> Secret? {
        guard secrets.count > 1 else { return secrets.first }
        let total = secrets.reduce(0) { $0 + $1.bytes.byteCount }
        var joined = SecretBytes(byteCount: total)
        unsafe joined.withUnsafeMutableBytes { target in
            var offset = 0
            for secret in secrets {
                unsafe secret.bytes.withUnsafeBytes { bytes in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(
                        from: bytes)
                    offset += bytes.count
                }
            }
        }
        return Secret(joined)
    }
}
