// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import Synchronization
import TestSupport

/// A relay between enclaved and a software TPM that changes replies on request.
final class TPMRelay: Sendable {
    /// How the TPM's replies are changed.
    enum Manner: Hashable, Sendable {
        case honest
        case randomBytes
        /// Half of a reply's header, and then nothing.
        case halfHead
        /// Half of a reply, and then the end.
        case halfAnswer
        /// The header announces more bytes than follow.
        case tooLong
        /// The header announces fewer bytes than a header has.
        case tooShort
        case silence
        case end
        case flippedBit
        /// The previous reply.
        case earlierAnswer
        case emptySuccess
        /// This response code, always.
        case code(UInt32)

        static let hostile: [Manner] = [
            .randomBytes, .halfHead, .halfAnswer, .tooLong, .tooShort, .silence, .end, .flippedBit,
            .earlierAnswer, .emptySuccess,
            // RETRY, YIELDED, TESTING, NV_RATE
            .code(0x922), .code(0x908), .code(0x90A), .code(0x920),
            // LOCKOUT, SESSION_HANDLES, OBJECT_MEMORY, FAILURE
            .code(0x921), .code(0x905), .code(0x902), .code(0x101),
        ]
    }

    /// Where enclaved finds it.
    let socketPath: String
    private static let headByteCount = 10
    private let target: String
    private let listener: RelayListener
    private let manner = Mutex(Manner.honest)
    private let sockets = Mutex<[Int32]>([])
    private let counts = Mutex((commands: 0, altered: 0))
    /// How long an increment is held back, how often one was, and how often the TPM has
    /// incremented.
    private let counting = Mutex((delay: Duration.zero, kept: 0, done: 0))
    /// Commands that are sent before enclaved's next one, and the codes of their replies.
    private let asides = Mutex((commands: [[UInt8]](), codes: [UInt32]()))

    init(to tpm: TestTPM) throws {
        socketPath = tpm.directory + "/relay"
        target = tpm.socketPath
        listener = try RelayListener(at: socketPath, backlog: 4)
        try listener.start { self.serve($0) }
    }

    /// Ends all connections; the object can't be used afterwards.
    func stop() {
        listener.stop()
        // While they are ours: the number of a closed descriptor is soon reused.
        sockets.withLock { for socket in $0 { shutdown(socket, Int32(SHUT_RDWR)) } }
    }

    /// From the next reply on.
    func be(_ next: Manner) { manner.withLock { $0 = next } }

    /// How many commands were received, and how many replies to them were changed.
    var count: (commands: Int, altered: Int) { counts.withLock { $0 } }

    /// Holds each increment back for a while; the TPM doesn't receive it if enclaved ended
    /// meanwhile.
    func delayCounting(by duration: Duration) { counting.withLock { $0.delay = duration } }

    /// How often an increment was held back.
    var keptBack: Int { counting.withLock { $0.kept } }

    /// How often the TPM received an increment, and has replied.
    var counted: Int { counting.withLock { $0.done } }

    /// Sends commands before enclaved's next one.
    func slipIn(_ commands: [[UInt8]]) { asides.withLock { $0 = (commands, []) } }

    /// The response codes of the inserted commands.
    var codesOfSlippedIn: [UInt32] { asides.withLock { $0.codes } }

    // MARK: - One client after the other, as the TPM has them

    private func serve(_ client: Int32) {
        guard let tpm = try? UnixSocket.connect(to: target, timeout: .seconds(5)) else {
            close(client)
            return
        }
        let socket = tpm.release()
        UnixSocket.setTimeout(socket, .seconds(600))
        sockets.withLock { $0 = [client, socket] }
        serve(client, socket)
        sockets.withLock { sockets in
            for socket in sockets { close(socket) }
            sockets = []
        }
    }

    private func serve(_ client: Int32, _ tpm: Int32) {
        var last: [UInt8] = []
        while let command = Self.frame(client) {
            for aside in asides.withLock({ $0.commands }) {
                guard RelayListener.send(aside, to: tpm), let answer = Self.frame(tpm) else {
                    return
                }
                asides.withLock { $0.codes.append(Self.number(answer, at: 6)) }
            }
            asides.withLock { $0.commands = [] }
            // TPM2_NV_Increment
            let counts = Self.number(command, at: 6) == 0x134
            guard !counts || isStillThere(client), RelayListener.send(command, to: tpm),
                let answer = Self.frame(tpm)
            else { return }
            if counts { counting.withLock { $0.done += 1 } }
            let manner = manner.withLock { $0 }
            self.counts.withLock { counts in
                counts.commands += 1
                if manner != .honest { counts.altered += 1 }
            }
            let (bytes, isLast) = Self.altered(answer, after: last, manner)
            last = answer
            guard RelayListener.send(bytes, to: client), !isLast else { return }
        }
    }

    /// Holds a command back.
    /// - Returns: False when its sender has ended meanwhile.
    private func isStillThere(_ client: Int32) -> Bool {
        let delay = counting.withLock { $0.delay }
        guard delay > .zero else { return true }
        counting.withLock { $0.kept += 1 }
        var entry = pollfd(fd: client, events: 0, revents: 0)
        return unsafe poll(&entry, 1, Int32(delay / .milliseconds(1))) == 0
    }

    /// The changed reply, and whether the connection then ends.
    private static func altered(
        _ answer: [UInt8], after last: [UInt8], _ manner: Manner
    ) -> ([UInt8], Bool) {
        var answer = answer
        switch manner {
        case .honest: break
        case .randomBytes:
            answer = (0..<Int.random(in: 1...200)).map { _ in UInt8.random(in: 0...255) }
        case .halfHead: answer = Array(answer.prefix(headByteCount / 2))
        case .halfAnswer: return (Array(answer.prefix(answer.count / 2)), true)
        case .tooLong: answer.replaceSubrange(2..<6, with: [0xFF, 0xFF, 0xFF, 0xFF])
        case .tooShort: answer.replaceSubrange(2..<6, with: [0, 0, 0, 4])
        case .silence: answer = []
        case .end: return ([], true)
        case .flippedBit: answer[answer.count / 2] ^= 0x10
        case .earlierAnswer: answer = last
        case .emptySuccess: answer = [0x80, 1, 0, 0, 0, 10, 0, 0, 0, 0]
        case .code(let code):
            answer = [0x80, 1, 0, 0, 0, 10] + (0..<4).map { UInt8(code >> (24 - 8 * $0) & 0xFF) }
        }
        return (answer, false)
    }

    // MARK: - Frames

    private static func number(_ bytes: [UInt8], at offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func frame(_ socket: Int32) -> [UInt8]? {
        guard let head = read(socket, headByteCount) else { return nil }
        let size = Int(number(head, at: 2))
        guard (headByteCount...4096).contains(size),
            let rest = read(socket, size - headByteCount)
        else { return nil }
        return head + rest
    }

    private static func read(_ socket: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let step = unsafe bytes.withUnsafeMutableBytes {
                unsafe recv(socket, $0.baseAddress.map { unsafe $0 + filled }, count - filled, 0)
            }
            if step < 0 && errno == EINTR { continue }
            guard step > 0 else { return nil }
            filled += step
        }
        return bytes
    }
}
