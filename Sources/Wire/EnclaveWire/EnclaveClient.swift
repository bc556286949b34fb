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

extension EnclaveClient {
    /// Whether the connection has ended: every further call throws `gone`.
    package var isGone: Bool { link.isGone }

    mutating func call(
        _ request: consuming EnclaveRequest, userID: UInt32, milliseconds: Int? = nil
    ) throws(EnclaveCallError) -> EnclaveReply {
        let kind = request.kind
        request.encode(requestID: try link.nextRequestID(), userID: userID, into: &link.buffer)
        return try link.reply(to: kind, milliseconds: milliseconds)
    }
}
