// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC

/// securityd's side of a connection to enclaved: blocking calls, each with a deadline.
///
/// One connection serves one thread at a time. After `gone` it can't be used any more; after
/// `unreachable` it can, once the late reply has arrived.
package struct EnclaveClient: ~Copyable, Sendable {
    /// The deadline of a call: shorter than a client's wait, and longer than a busy disk delays
    /// enclaved, which writes some of its records before it replies.
    package static let deadlineMilliseconds = 4_000
    /// The deadline of calls until the first reply: enclaved may be starting.
    package static let startMilliseconds = 10_000
    /// The deadline of a call that derives a key from a passcode.
    package static let passcodeDeadlineMilliseconds = 30_000

    var link: EnclaveLink

    /// Takes ownership of a connected stream socket.
    /// - Parameters:
    ///   - socket: The end that enclaved doesn't have.
    ///   - deadlineMilliseconds: How long a call other than `passcode` may take.
    ///   - startMilliseconds: How long a call may take before the first reply.
    package init(
        socket: consuming Descriptor,
        deadlineMilliseconds: Int = EnclaveClient.deadlineMilliseconds,
        startMilliseconds: Int = EnclaveClient.startMilliseconds
    ) {
        link = EnclaveLink(
            socket: socket, deadlineMilliseconds: deadlineMilliseconds,
            startMilliseconds: startMilliseconds)
    }
}

// MARK: - State and passcode

extension EnclaveClient {
    /// The state of a user's keybag; makes one for a new user.
    package mutating func status(userID: UInt32) throws(EnclaveCallError) -> EnclaveStatus {
        switch try call(.status, userID: userID) {
        case .status(let status): return status
        case let reply: throw link.unexpected(reply)
        }
    }

    /// The protectors of a user's keybag, in the order in which they were added.
    package mutating func protectors(
        userID: UInt32
    ) throws(EnclaveCallError) -> [ListedProtector] {
        switch try call(.protectors, userID: userID) {
        case .protectors(let protectors): return protectors
        case let reply: throw link.unexpected(reply)
        }
    }

    /// A nonce for one passcode of this user, valid once, for 60 s.
    package mutating func challenge(userID: UInt32) throws(EnclaveCallError) -> [UInt8] {
        switch try call(.challenge, userID: userID) {
        case .challenge(let nonce): return nonce
        case let reply: throw link.unexpected(reply)
        }
    }

    /// Sends a sealed passcode.
    /// - Parameters:
    ///   - operation: The passcode's operation; sealed with it.
    ///   - sealed: The 32-byte encapsulated key, then the ciphertext.
    ///   - userID: The user whose passcode it is; sealed with it.
    ///   - isIdentified: Whether the program that sent it has a grade better than U.
    ///   - isRoot: Whether root sent it.
    /// - Throws: enclaved's verdict; `undecodable` also when it was sealed to the key of an
    ///   enclaved that has been restarted since; `gone` and `unreachable` when it wasn't sent;
    ///   `outcomeUnknown` when no reply came.
    package mutating func passcode(
        operation: PasscodeOperation, sealed: [UInt8], userID: UInt32,
        isIdentified: Bool = false, isRoot: Bool = false
    ) throws(EnclaveCallError) {
        let split = EnclaveRequest.encapsulatedKeyByteCount
        guard sealed.count > split,
            sealed.count - split <= EnclaveRequest.passcodeCiphertextLimit
        else { throw .malformed }
        let request = EnclaveRequest.passcode(
            operation, encapsulatedKey: [UInt8](sealed[..<split]),
            ciphertext: [UInt8](sealed[split...]), isIdentified: isIdentified, isRoot: isRoot)
        request.encode(requestID: try link.nextRequestID(), userID: userID, into: &link.buffer)
        let reply: EnclaveReply
        do throws(EnclaveCallError) {
            reply = try link.reply(
                to: .passcode, milliseconds: Self.passcodeDeadlineMilliseconds)
        } catch { throw .outcomeUnknown }
        try finish(reply)
    }

    /// Whether the connection has ended: every further call throws `gone`.
    package var isGone: Bool { link.isGone }
}

// MARK: - Calls and replies

extension EnclaveClient {
    mutating func call(
        _ request: consuming EnclaveRequest, userID: UInt32, milliseconds: Int? = nil
    ) throws(EnclaveCallError) -> EnclaveReply {
        let kind = request.kind
        request.encode(requestID: try link.nextRequestID(), userID: userID, into: &link.buffer)
        return try link.reply(to: kind, milliseconds: milliseconds)
    }

    private mutating func finish(_ reply: consuming EnclaveReply) throws(EnclaveCallError) {
        switch consume reply {
        case .done: return
        case let reply: throw link.unexpected(reply)
        }
    }

    mutating func sealed(
        _ reply: consuming EnclaveReply
    ) throws(EnclaveCallError) -> [UInt8] {
        switch consume reply {
        case .sealed(let sealed): return sealed
        case let reply: throw link.unexpected(reply)
        }
    }
}
