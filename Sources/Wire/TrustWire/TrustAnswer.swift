// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC

/// What trustd found out about a chain.
package struct TrustAnswer: Equatable, Sendable {
    /// Where the chain ends.
    package enum Anchor: UInt8, Sendable {
        /// At no anchor.
        case none = 0
        /// At a root of the system.
        case system = 1
        /// At an anchor that the asker gave.
        case given = 2
        /// At a self-signed certificate that the asker's options accept.
        case implicit = 3
        /// At a certificate that the user's settings trust.
        case user = 4
        /// At a certificate that the machine's settings trust.
        case machine = 5
    }

    /// What is known about revocation.
    package enum Revocation: UInt8, Sendable {
        /// It wasn't asked.
        case notAsked = 0
        /// There is an answer for each certificate below the anchor, and none is revoked.
        case noneRevoked = 1
        /// There is no answer for some certificate.
        case unknown = 2
        /// A certificate is revoked.
        case revoked = 3
    }

    /// A certificate of the chain.
    package struct Link: Equatable, Sendable {
        /// Its DER.
        package var certificate: [UInt8]
        /// The checks that failed, each once, in order of their numbers.
        package var faults: [TrustFault]

        /// A link.
        package init(_ certificate: [UInt8], _ faults: [TrustFault] = []) {
            self.certificate = certificate
            self.faults = faults
        }
    }

    /// The chain: the leaf first, the anchor or the last known issuer last. Never empty.
    package var chain: [Link]
    /// Where it ends.
    package var anchor: Anchor
    /// What is known about revocation.
    package var revocation: Revocation
    /// The first time at which the answer could be another one; seconds since 1970.
    package var validUntil: Int64

    /// An answer.
    package init(chain: [Link], anchor: Anchor, revocation: Revocation, validUntil: Int64) {
        self.chain = chain
        self.anchor = anchor
        self.revocation = revocation
        self.validUntil = validUntil
    }

    /// Whether no check failed and the chain ends at an anchor.
    package var isTrusted: Bool {
        anchor != .none && chain.allSatisfy { $0.faults.isEmpty }
    }

    /// The worst failed check, and the index of its certificate; nil when none failed.
    package var worst: (fault: TrustFault, index: Int)? {
        var worst: (fault: TrustFault, index: Int)?
        for (index, link) in chain.enumerated() {
            for fault in link.faults where worst.map({ fault.kind < $0.fault.kind }) ?? true {
                worst = (fault, index)
            }
        }
        return worst
    }
}

/// What trustd answers.
package enum TrustReply: Equatable, Sendable {
    /// The answer to a question.
    case evaluated(TrustAnswer)
    /// The system's roots, DER.
    case systemRoots([[UInt8]])
    /// The leaf isn't a certificate that can be judged.
    case unreadableCertificate
    /// There are trust settings that can't be read; without them there is no verdict.
    case unreadableSettings
}

extension TrustReply {
    private static let version: UInt8 = 1

    /// The bytes of the reply.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.u8(Self.version)
        switch self {
        case .evaluated(let answer):
            writer.u8(1)
            writer.u8(answer.anchor.rawValue)
            writer.u8(answer.revocation.rawValue)
            writer.u64(UInt64(bitPattern: answer.validUntil))
            writer.u8(UInt8(clamping: answer.chain.count))
            for link in answer.chain {
                writer.object(link.certificate)
                writer.u8(UInt8(clamping: link.faults.count))
                for fault in link.faults { writer.u8(fault.rawValue) }
            }
        case .systemRoots(let roots):
            writer.u8(2)
            writer.u16(UInt16(clamping: roots.count))
            for root in roots { writer.object(root) }
        case .unreadableCertificate: writer.u8(3)
        case .unreadableSettings: writer.u8(4)
        }
        return writer.bytes
    }

    /// Reads a reply.
    /// - Throws: for another layout, an unknown number, an empty chain, or a trusted end of a chain
    ///   that isn't one.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(DecodingFailure) {
        var reader = unsafe ByteReader(bytes)
        guard try unsafe reader.u8() == Self.version else { throw DecodingFailure() }
        switch try unsafe reader.u8() {
        case 1: self = .evaluated(try unsafe Self.answer(&reader))
        case 2:
            var roots: [[UInt8]] = []
            for _ in 0..<(try unsafe reader.u16()) { roots.append(try unsafe reader.object()) }
            self = .systemRoots(roots)
        case 3: self = .unreadableCertificate
        case 4: self = .unreadableSettings
        default: throw DecodingFailure()
        }
        try unsafe reader.finish()
    }

    private static func answer(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> TrustAnswer {
        let anchor = TrustAnswer.Anchor(rawValue: try unsafe reader.u8())
        let revocation = TrustAnswer.Revocation(rawValue: try unsafe reader.u8())
        let validUntil = Int64(bitPattern: try unsafe reader.u64())
        let count = Int(try unsafe reader.u8())
        guard let anchor, let revocation, (1...TrustLimits.chainCount).contains(count) else {
            throw DecodingFailure()
        }
        var chain: [TrustAnswer.Link] = []
        for _ in 0..<count {
            var link = TrustAnswer.Link(try unsafe reader.object())
            for _ in 0..<(try unsafe reader.u8()) {
                guard let fault = TrustFault(rawValue: try unsafe reader.u8()) else {
                    throw DecodingFailure()
                }
                link.faults.append(fault)
            }
            chain.append(link)
        }
        let answer = TrustAnswer(
            chain: chain, anchor: anchor, revocation: revocation, validUntil: validUntil)
        // A chain without an anchor says why, so that no reader can take it for a good one.
        guard anchor != .none || answer.worst != nil else { throw DecodingFailure() }
        return answer
    }
}
