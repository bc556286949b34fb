// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC
package import KeychainVocabulary

/// What securityd wants of the person.
package enum PersonProof: UInt8, Sendable {
    /// The device's passcode.
    case passcode = 1
    /// A password that the asking application chose.
    case password = 2
}

/// How a person can prove to be there.
package struct PersonWays: OptionSet, Hashable, Sendable {
    /// One bit for each.
    package let rawValue: UInt8

    /// The ways with these bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The device's passcode.
    package static let passcode = PersonWays(rawValue: 1)
    /// The reader of fingerprints.
    package static let touch = PersonWays(rawValue: 2)
    /// Both.
    package static let all: PersonWays = [.passcode, .touch]

    /// The ways that may bring what an access control demands forward.
    package init(_ constraint: AccessControl.Constraint?) {
        guard let constraint else {
            self = []
            return
        }
        switch constraint {
        case .owner: self = .all
        case .passcode: self = .passcode
        case .biometry, .enrolledBiometry: self = .touch
        case .some(_, let choices):
            self = choices.reduce(into: []) { $0.formUnion(PersonWays($1)) }
        case .never, .always, .companion: self = []
        }
    }
}

/// From securityd to the agent (PROTOCOL.md, "The agent").
package enum AgentRequest: Hashable, Sendable {
    /// Ask the person. Later requests belong to this question until it has ended.
    case ask(
        PersonProof, PersonWays, userID: UInt32, process: Int32, seconds: UInt16, AccessQuestion)
    /// A nonce for a letter.
    case nonce([UInt8])
    /// The letter was accepted; the question has ended.
    case accepted
    /// The entry was wrong: ask again.
    case wrong
    /// The question has ended without success, and why can be shown.
    case ended
    /// No finger is waited for any more: ask for the passcode.
    case passcodeOnly
}

/// From the agent to securityd.
package enum AgentReply: Hashable, Sendable {
    /// The person has answered: a nonce is needed.
    case answered
    /// The answer, sealed to enclaved.
    case letter([UInt8])
    /// The person cancelled.
    case canceled
    /// The person didn't answer in time.
    case timedOut
    /// There is no way to ask.
    case noWay
    /// The agent has ended; the supervisor says so in its place.
    case gone
    /// A finger was recognized: the answer, sealed to enclaved.
    case touched([UInt8])
    /// The reader doesn't know the finger that touched it.
    case unrecognized
}

extension AgentRequest {
    /// The bytes of the message.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .ask(let proof, let ways, let userID, let process, let seconds, let question):
            writer.u8(1)
            writer.u8(proof.rawValue)
            writer.u8(ways.rawValue)
            writer.u32(userID)
            writer.u32(UInt32(bitPattern: process))
            writer.u16(seconds)
            writer.bytes(question.encoded)
        case .nonce(let nonce):
            writer.u8(2)
            writer.bytes(nonce)
        case .accepted: writer.u8(3)
        case .wrong: writer.u8(4)
        case .ended: writer.u8(5)
        case .passcodeOnly: writer.u8(6)
        }
        return writer.bytes
    }

    /// Reads a message.
    package init(decoding bytes: [UInt8]) throws(DecodingFailure) {
        let body = Array(bytes.dropFirst())
        switch bytes.first {
        case 1:
            guard body.count > 12, let proof = PersonProof(rawValue: body[0]),
                PersonWays.all.isSuperset(of: PersonWays(rawValue: body[1])),
                let userID = UInt32(littleEndianBytes: body[2..<6]),
                let process = UInt32(littleEndianBytes: body[6..<10]),
                let seconds = UInt16(littleEndianBytes: body[10..<12])
            else { throw DecodingFailure() }
            self = .ask(
                proof, PersonWays(rawValue: body[1]), userID: userID,
                process: Int32(bitPattern: process), seconds: seconds,
                try AccessQuestion(decoding: Array(body[12...])))
        case 2 where body.count == EnclaveReply.nonceByteCount: self = .nonce(body)
        case 3 where body.isEmpty: self = .accepted
        case 4 where body.isEmpty: self = .wrong
        case 5 where body.isEmpty: self = .ended
        case 6 where body.isEmpty: self = .passcodeOnly
        case _: throw DecodingFailure()
        }
    }
}

extension AgentReply {
    /// The bytes of the message.
    package var encoded: [UInt8] {
        switch self {
        case .answered: [1]
        case .letter(let letter): [2] + letter
        case .canceled: [3]
        case .timedOut: [4]
        case .noWay: [5]
        case .gone: [6]
        case .touched(let letter): [7] + letter
        case .unrecognized: [8]
        }
    }

    /// Reads a message.
    package init(decoding bytes: [UInt8]) throws(DecodingFailure) {
        let body = Array(bytes.dropFirst())
        switch bytes.first {
        case 1 where body.isEmpty: self = .answered
        case 2 where (33...4096).contains(body.count): self = .letter(body)
        case 3 where body.isEmpty: self = .canceled
        case 4 where body.isEmpty: self = .timedOut
        case 5 where body.isEmpty: self = .noWay
        case 6 where body.isEmpty: self = .gone
        case 7 where (33...4096).contains(body.count): self = .touched(body)
        case 8 where body.isEmpty: self = .unrecognized
        case _: throw DecodingFailure()
        }
    }
}
