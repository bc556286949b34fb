// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC

/// What securityd sends to trustd: a client's question with what the client doesn't decide itself
/// (Documentation/PROTOCOL.md, "securityd and trustd").
package struct TrustCall: Equatable, Sendable {
    /// The client's bytes, which securityd doesn't read.
    package var question: [UInt8]
    /// The names by which a setting may be limited to the asking program; as established by
    /// securityd.
    package var askers: [String]
    /// The asking user's trust settings as they are stored; empty when there are none.
    package var userSettings: [UInt8]
    /// The machine's.
    package var machineSettings: [UInt8]

    /// A call.
    package init(
        question: [UInt8], askers: [String] = [], userSettings: [UInt8] = [],
        machineSettings: [UInt8] = []
    ) {
        self.question = question
        self.askers = askers
        self.userSettings = userSettings
        self.machineSettings = machineSettings
    }
}

/// A message from securityd.
package enum TrustDelivery: Equatable, Sendable {
    /// A question.
    case call(TrustCall)
    /// The certificates that were looked up, DER.
    case issuers([[UInt8]])
    /// What was fetched; nil if nothing was.
    case fetched([UInt8]?)
}

/// A message from trustd.
package enum TrustResponse: Equatable, Sendable {
    /// The client's answer, which securityd doesn't read.
    case reply([UInt8])
    /// Certificates with this subject are wanted: the normalized content, as items have it.
    case lookUp(subject: [UInt8])
    /// Something of the network is wanted: a ``FetchRequest``, which securityd doesn't read.
    case fetch([UInt8])
}

private enum CallKind {
    static let question: UInt8 = 1
    static let issuers: UInt8 = 2
    static let fetched: UInt8 = 3
    static let reply: UInt8 = 1
    static let lookUp: UInt8 = 2
    static let fetch: UInt8 = 3
}

extension TrustCall {
    private static let askerLimit = 4

    /// The bytes of the call.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.u8(CallKind.question)
        writer.u8(UInt8(min(askers.count, Self.askerLimit)))
        for name in askers.prefix(Self.askerLimit) { writer.object([UInt8](name.utf8)) }
        writer.object(userSettings)
        writer.object(machineSettings)
        writer.object(question)
        return writer.bytes
    }

    /// The bytes of the answer to a look-up.
    package static func encoded(issuers: [[UInt8]]) -> [UInt8] {
        var writer = ByteWriter()
        writer.u8(CallKind.issuers)
        writer.u16(UInt16(clamping: issuers.count))
        for issuer in issuers.prefix(Int(UInt16.max)) { writer.object(issuer) }
        return writer.bytes
    }

    /// The bytes of the answer to a fetch.
    /// - Parameter reply: The trustfetcher's; nil if there is none.
    /// - Returns: The bytes of the message.
    package static func encoded(fetched reply: [UInt8]?) -> [UInt8] {
        [CallKind.fetched] + (reply ?? FetchReply.encoded(nil))
    }
}

extension TrustDelivery {
    /// Reads a message from securityd.
    /// - Throws: for another layout.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(DecodingFailure) {
        var reader = unsafe ByteReader(bytes)
        switch try unsafe reader.u8() {
        case CallKind.question:
            var call = TrustCall(question: [])
            for _ in 0..<(try unsafe reader.u8()) {
                guard let name = String(validating: try unsafe reader.object(), as: UTF8.self)
                else { throw DecodingFailure() }
                call.askers.append(name)
            }
            call.userSettings = try unsafe reader.object()
            call.machineSettings = try unsafe reader.object()
            call.question = try unsafe reader.object()
            self = .call(call)
        case CallKind.issuers:
            var issuers: [[UInt8]] = []
            for _ in 0..<(try unsafe reader.u16()) { issuers.append(try unsafe reader.object()) }
            self = .issuers(issuers)
        case CallKind.fetched:
            let count = bytes.count - 1
            self = .fetched(FetchReply.decoded(try unsafe reader.array(count)))
        default: throw DecodingFailure()
        }
        try unsafe reader.finish()
    }
}

extension TrustResponse {
    /// The bytes of the message.
    package func encoded() -> [UInt8] {
        switch self {
        case .reply(let reply): [CallKind.reply] + reply
        case .lookUp(let subject): [CallKind.lookUp] + subject
        case .fetch(let request): [CallKind.fetch] + request
        }
    }

    /// Reads a message from trustd.
    /// - Returns: Nil for what isn't one.
    package init?(decoding bytes: [UInt8]) {
        switch bytes.first {
        case CallKind.reply: self = .reply(Array(bytes.dropFirst()))
        case CallKind.lookUp where bytes.count <= TrustLimits.subjectByteCount:
            self = .lookUp(subject: Array(bytes.dropFirst()))
        case CallKind.fetch where bytes.count <= FetchLimits.requestByteCount:
            self = .fetch(Array(bytes.dropFirst()))
        default: return nil
        }
    }
}
