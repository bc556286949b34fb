// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC

/// What a client asks about a chain of certificates (Documentation/PROTOCOL.md, "Trust").
///
/// securityd forwards its bytes unread: only trustd and the client know the layout.
package struct TrustQuestion: Equatable, Sendable {
    /// What the asker accepts or adds.
    package struct Options: OptionSet, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The system's roots aren't anchors.
        package static let givenAnchorsOnly = Options(rawValue: 1)
        /// Expired certificates are accepted.
        package static let allowsExpired = Options(rawValue: 2)
        /// An expired root is accepted.
        package static let allowsExpiredRoot = Options(rawValue: 4)
        /// Each self-signed certificate at the end of a chain is an anchor.
        package static let implicitAnchors = Options(rawValue: 8)
        /// The network may be used.
        package static let usesNetwork = Options(rawValue: 16)

        static let all: Options = [
            .givenAnchorsOnly, .allowsExpired, .allowsExpiredRoot, .implicitAnchors, .usesNetwork,
        ]
    }

    /// For which time, in whole seconds since 1970-01-01 00:00:00 UTC.
    package var time: Int64
    /// What is accepted.
    package var options: Options
    /// DER; the leaf first. Never empty.
    package var certificates: [[UInt8]]
    /// DER of the anchors that the asker trusts.
    package var anchors: [[UInt8]]
    /// The policies.
    package var policies: [TrustPolicy]
    /// OCSP responses that came with the certificates, DER.
    package var stapledResponses: [[UInt8]]

    /// A question without anchors or options of its own.
    package init(time: Int64, certificates: [[UInt8]], policies: [TrustPolicy]) {
        self.time = time
        self.certificates = certificates
        self.policies = policies
        options = []
        anchors = []
        stapledResponses = []
    }
}

/// How much a question may have. More isn't asked or answered.
package enum TrustLimits {
    /// Bytes of a whole question; a request's message has room for it.
    package static let questionByteCount = 1_000_000
    /// Certificates, anchors and stapled responses together.
    package static let objectCount = 4096
    /// Policies.
    package static let policyCount = 64
    /// Names of a policy.
    package static let nameCount = 256
    /// Bytes of a name.
    package static let nameByteCount = 1024
    /// Bytes of a whole answer.
    package static let answerByteCount = 2 << 20
    /// Bytes of a call: a question, and the settings of two domains.
    package static let callByteCount = 4 << 20
    /// Bytes of a domain's settings: an item's secret.
    package static let settingsByteCount = 1 << 20
    /// How often trustd asks for issuers before it answers.
    package static let lookUpCount = 32
    /// Bytes of the subject of a look-up.
    package static let subjectByteCount = 16_384
    /// Certificates of a chain: more than any path that is tried.
    package static let chainCount = 32
}

/// What trustd is asked.
package enum TrustRequest: Equatable, Sendable {
    /// Judge a chain.
    case evaluate(TrustQuestion)
    /// List the system's roots.
    case systemRoots
}

extension TrustRequest {
    private static let version: UInt8 = 1

    /// The bytes of the request.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.u8(Self.version)
        switch self {
        case .systemRoots: writer.u8(2)
        case .evaluate(let question):
            writer.u8(1)
            writer.u64(UInt64(bitPattern: question.time))
            writer.u32(question.options.rawValue)
            writer.objects(question.certificates)
            writer.objects(question.anchors)
            writer.objects(question.stapledResponses)
            writer.u8(UInt8(clamping: question.policies.count))
            for policy in question.policies.prefix(Int(UInt8.max)) { writer.policy(policy) }
        }
        return writer.bytes
    }

    /// Reads a request.
    /// - Throws: for another layout, an unknown number, or more than ``TrustLimits`` allows.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(DecodingFailure) {
        guard bytes.count <= TrustLimits.questionByteCount else { throw DecodingFailure() }
        var reader = unsafe ByteReader(bytes)
        guard try unsafe reader.u8() == Self.version else { throw DecodingFailure() }
        switch try unsafe reader.u8() {
        case 1:
            let time = Int64(bitPattern: try unsafe reader.u64())
            let options = TrustQuestion.Options(rawValue: try unsafe reader.u32())
            guard options.isSubset(of: .all) else { throw DecodingFailure() }
            var count = 0
            let certificates = try unsafe reader.objects(&count)
            guard !certificates.isEmpty else { throw DecodingFailure() }
            let anchors = try unsafe reader.objects(&count)
            let responses = try unsafe reader.objects(&count)
            var policies: [TrustPolicy] = []
            let policyCount = Int(try unsafe reader.u8())
            guard (1...TrustLimits.policyCount).contains(policyCount) else {
                throw DecodingFailure()
            }
            for _ in 0..<policyCount { policies.append(try unsafe reader.policy()) }
            var question = TrustQuestion(
                time: time, certificates: certificates, policies: policies)
            question.options = options
            question.anchors = anchors
            question.stapledResponses = responses
            self = .evaluate(question)
        case 2: self = .systemRoots
        default: throw DecodingFailure()
        }
        try unsafe reader.finish()
    }
}

extension ByteWriter {
    mutating func object(_ bytes: [UInt8]) {
        u32(UInt32(clamping: bytes.count))
        self.bytes(bytes)
    }

    fileprivate mutating func objects(_ list: [[UInt8]]) {
        u16(UInt16(clamping: list.count))
        for object in list.prefix(Int(UInt16.max)) { self.object(object) }
    }

    fileprivate mutating func policy(_ policy: TrustPolicy) {
        u8(policy.kind.rawValue)
        u32(policy.revocation.rawValue)
        u16(UInt16(clamping: policy.names.count))
        for name in policy.names.prefix(Int(UInt16.max)) {
            let text = Array(name.utf8.prefix(Int(UInt16.max)))
            u16(UInt16(text.count))
            bytes(text)
        }
    }
}

extension ByteReader {
    mutating func object() throws(DecodingFailure) -> [UInt8] {
        try unsafe array(Int(try unsafe u32()))
    }

    fileprivate mutating func objects(
        _ total: inout Int
    ) throws(DecodingFailure) -> [[UInt8]] {
        let count = Int(try unsafe u16())
        total += count
        guard total <= TrustLimits.objectCount else { throw DecodingFailure() }
        var list: [[UInt8]] = []
        for _ in 0..<count { list.append(try unsafe object()) }
        return list
    }

    fileprivate mutating func policy() throws(DecodingFailure) -> TrustPolicy {
        let kind = TrustPolicy.Kind(rawValue: try unsafe u8())
        let flags = TrustPolicy.RevocationFlags(rawValue: try unsafe u32())
        let count = Int(try unsafe u16())
        guard let kind, flags.rawValue < 1 << 7, count <= TrustLimits.nameCount else {
            throw DecodingFailure()
        }
        var policy = TrustPolicy(kind, revocation: flags)
        for _ in 0..<count {
            let length = Int(try unsafe u16())
            guard length <= TrustLimits.nameByteCount,
                let name = String(validating: try unsafe array(length), as: UTF8.self)
            else { throw DecodingFailure() }
            policy.names.append(name)
        }
        return policy
    }
}
