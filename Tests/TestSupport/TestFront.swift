// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import SecretBytes
package import SecurityWire

/// A front's side of its control connection.
package final class TestFront {
    /// What a step needs to be prepared.
    package enum Step: Sendable {
        /// The proof is sent next: then everything is looked at.
        case proof
        /// The front says again that it is one: then it is looked at as a front.
        case front
        /// A process is named next.
        case process
    }

    /// The connection.
    package let connection: RawConnection
    private let prepare: (Step) -> Void
    private var sequence: UInt32 = 0

    /// Connects.
    /// - Parameters:
    ///   - socketPath: Where the service listens.
    ///   - prepare: Called before each step that makes the service look at a process.
    /// - Throws: When nobody listens.
    package init(_ socketPath: String, prepare: @escaping (Step) -> Void = { _ in }) throws {
        connection = try RawConnection(socketPath)
        self.prepare = prepare
    }

    /// Says that this process is a front, and proves that it is at this end.
    /// - Returns: What the service says to that.
    package func admit() throws -> RawConnection.Answer {
        let first = connection.exchange(try frame(.front(.secretService)))
        guard case .prove(let nonce)? = first.reply else { return first }
        let file = llavero_empty_sealed_memory()
        guard file >= 0 else { throw TestFailure("There is no memory file.") }
        let attached = Descriptor(owning: file)
        prepare(.proof)
        guard connection.send(try frame(.prove(nonce)), attaching: [attached.rawValue]) else {
            throw TestFailure("The proof wasn't sent.")
        }
        let second = connection.receive()
        guard case .prove([])? = second.reply else { return second }
        prepare(.front)
        return connection.exchange(try frame(.front(.secretService)))
    }

    /// Asks for a channel for a process.
    /// - Returns: The reply, and the channel that came with it.
    package func represent(
        pidfd: Int32
    ) throws -> (answer: RawConnection.Answer, channel: TestChannel?) {
        prepare(.process)
        guard connection.send(try frame(.represent(.process)), attaching: [pidfd]) else {
            return (.closed, nil)
        }
        return try receiveChannel()
    }

    /// Asks for a channel for the front's own records.
    package func representRecords() throws -> (
        answer: RawConnection.Answer, channel: TestChannel?
    ) {
        connection.send(try frame(.represent(.records)))
        return try receiveChannel()
    }

    private func frame(_ request: ClientRequest) throws -> [UInt8] {
        sequence += 1
        return try request.frameBytes(sequence: sequence)
    }

    /// A reply of one message, with what is attached to it.
    private func receiveChannel() throws -> (RawConnection.Answer, TestChannel?) {
        let deadline = ContinuousClock.now + Waiting.patience
        guard Waiting.forReadable(connection.rawValue, until: deadline) else {
            return (.silence, nil)
        }
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        var files = [Int32](repeating: -1, count: Int(LLAVERO_DESCRIPTOR_LIMIT))
        var number: Int32 = 0
        let count = unsafe llavero_receive_descriptors(
            connection.rawValue, &bytes, bytes.count, &files, &number)
        let received = files.prefix(Int(number)).map {
            RawConnection(owning: Descriptor(owning: $0))
        }
        guard count > 0 else { return (.closed, nil) }
        let message = Array(bytes[..<count])
        guard count >= FrameHeader.byteCount,
            let header = unsafe message.withUnsafeBytes({ try? unsafe FrameHeader(decoding: $0) }),
            count == FrameHeader.byteCount + header.bodyByteCount
        else { return (.garbage, nil) }
        let answer = RawConnection.Answer.frame(
            header.kind, message: Array(message[FrameHeader.byteCount...]), secret: [])
        return (answer, received.first.map { TestChannel($0) })
    }
}

/// A front's end of a channel.
package final class TestChannel {
    /// The connection.
    package let connection: RawConnection
    private var sequence: UInt32 = 0

    init(_ connection: RawConnection) { self.connection = connection }

    /// Sends a request and waits for the reply.
    package func exchange(_ request: ClientRequest) throws -> RawConnection.Answer {
        sequence += 1
        return connection.exchange(try request.frameBytes(sequence: sequence))
    }

    /// Sends a call about secrets.
    /// - Returns: What came.
    package func call(_ call: SecretCall) throws -> RawConnection.Answer {
        try exchange(.secrets(call))
    }

    /// Finds secrets.
    package func find(_ query: SecretQuery) throws -> [SecretRow] {
        var rows: [SecretRow] = []
        var cursor: UInt64 = 0
        repeat {
            guard
                case .secrets(.found(let page, let next))? = try call(.find(query, cursor: cursor))
                    .reply
            else { throw TestFailure("There is no answer to a find.") }
            rows += page
            cursor = next
        } while cursor != 0
        return rows
    }

    /// Stores a secret.
    /// - Returns: Its reference, and whether an item was replaced.
    package func add(
        _ new: NewSecret
    ) throws -> (reference: [UInt8], wasReplaced: Bool) {
        let answer = try call(.add(new, .fresh()))
        guard case .secrets(.added(let reference, let wasReplaced, _))? = answer.reply else {
            throw TestFailure("It wasn't stored: \(answer)")
        }
        return (reference, wasReplaced)
    }

    /// Whether the service ends the channel, without another frame.
    package var ends: Bool { connection.receive() == .closed }
}

extension WriteIdentity {
    /// Of a write that wasn't sent before.
    package static func fresh() -> WriteIdentity {
        WriteIdentity(
            requestID: (0..<16).map { _ in UInt8.random(in: .min ... .max) }, isRepeated: false)
    }
}

extension NewSecret {
    /// A secret with some pairs.
    package init(
        _ secret: String, label: String = "", in collection: String = "login",
        _ pairs: [String: String] = [:]
    ) throws {
        let pairs = try SecretPairs(pairs.map { SecretPairs.Pair($0.key, $0.value) })
        guard let fields = SecretFields(pairs, collection: collection, contentType: "text/plain")
        else { throw TestFailure("These are no fields.") }
        self.init(fields, Secret(text: secret))
        self.label = label
    }
}

extension SecretQuery {
    /// A search for secrets with some pairs; everything is wanted of them.
    package init(
        _ pairs: [String: String], in collection: String = "", foreign: Bool = false
    ) throws {
        self.init()
        self.pairs = try SecretPairs(pairs.map { SecretPairs.Pair($0.key, $0.value) })
        self.collection = collection
        seeksForeign = foreign
        wantsSecrets = true
        wantsAttributes = true
    }

    /// A search for certain items.
    package init(_ references: [[UInt8]]) {
        self.init()
        self.references = references
        wantsSecrets = true
        wantsAttributes = true
    }
}
