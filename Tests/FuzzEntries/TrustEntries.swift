// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import TrustEvaluation
import TrustWire

/// What clients, securityd and trustd say to each other about certificates, and what files say.
enum TrustEntries {
    /// What is decoded is encoded to the same bytes.
    static func message(_ data: Data) {
        let bytes = [UInt8](data)
        unsafe bytes.withUnsafeBytes { buffer in
            if let request = unsafe try? TrustRequest(decoding: buffer) {
                precondition(request.encoded() == bytes)
            }
            if let reply = unsafe try? TrustReply(decoding: buffer) {
                precondition(reply.encoded() == bytes)
            }
            if case .call(let call)? = unsafe try? TrustDelivery(decoding: buffer),
                call.askers.count <= 4
            {
                precondition(call.encoded() == bytes)
            }
        }
        if let response = TrustResponse(decoding: bytes) {
            precondition(response.encoded() == bytes)
        }
    }

    static func settings(_ data: Data) {
        let bytes = [UInt8](data)
        if let settings = try? TrustSettings(decoding: bytes) {
            precondition(settings.encoded() == bytes)
            _ = TrustedBundle(user: settings, machine: settings, roots: [])
            _ = SettingsSet(bytes)
        }
        if let settings = ExternalTrustSettings.decoded(bytes) {
            // A text that XML can't have isn't read again.
            if let again = ExternalTrustSettings.encoded(settings)
                .flatMap(ExternalTrustSettings.decoded)
            {
                precondition(again == settings)
            }
        }
    }

    static func text(_ data: Data) {
        for block in PEMText.blocks("CERTIFICATE", in: [UInt8](data)) {
            precondition(
                PEMText.blocks(
                    "CERTIFICATE", in: [UInt8](PEMText.block("CERTIFICATE", block).utf8))
                    == [block])
            outline(Data(block))
        }
    }

    static func outline(_ data: Data) {
        let bytes = [UInt8](data)
        _ = CertificateSubject.summary(bytes)
        guard let outline = CertificateOutline(bytes) else { return }
        // Normalizing a normalized name changes nothing.
        let name = Self.name(outline.normalizedSubject)
        precondition(
            CertificateName.normalizedContent(name[...]) == outline.normalizedSubject)
    }

    private static func name(_ content: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        if content.count < 0x80 {
            length = [UInt8(content.count)]
        } else {
            var rest = content.count
            while rest > 0 {
                length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
                rest >>= 8
            }
            length.insert(0x80 | UInt8(length.count), at: 0)
        }
        return [0x30] + length + content
    }

    /// Certificates one after the other: a leaf, then others of which the last is an anchor.
    static func path(_ data: Data) {
        guard TrustJudge.prepare() else { return }
        var rest = [UInt8](data)[...]
        var certificates: [[UInt8]] = []
        while certificates.count < 8 {
            var reader = DERElements(rest)
            guard let element = reader.next() else { break }
            certificates.append(Array(element.whole))
            rest = rest.dropFirst(element.whole.count)
        }
        guard !certificates.isEmpty else { return }
        let judge = TrustJudge(
            roots: RootSet(bundle: []),
            lists: certificates.compactMap { RevocationList($0) })
        for kind in [TrustPolicy.Kind.sslServer, .mail] {
            var question = TrustQuestion(
                time: 1_700_000_000, certificates: certificates,
                policies: [
                    TrustPolicy(kind, names: ["server.example"]),
                    TrustPolicy(.revocation, revocation: [.ocsp, .crl]),
                ])
            question.anchors = certificates.suffix(1)
            question.stapledResponses = certificates
            guard let answer = judge.answer(question) else { continue }
            precondition(!answer.chain.isEmpty)
            precondition(answer.anchor != .none || answer.worst != nil)
        }
    }

    // MARK: - Seeds

    private static var certificates: [[UInt8]] {
        ObjectEntries.certificates.map { [UInt8]($0) }.filter { CertificateOutline($0) != nil }
    }

    static var messages: [Data] {
        var question = TrustQuestion(
            time: 1_700_000_000, certificates: Array(certificates.prefix(2)),
            policies: [
                TrustPolicy(.sslServer, names: ["server.example"]),
                TrustPolicy(.revocation, revocation: .crl),
            ])
        question.anchors = Array(certificates.prefix(1))
        question.options = [.givenAnchorsOnly, .allowsExpired]
        let request = TrustRequest.evaluate(question).encoded()
        let answer = TrustAnswer(
            chain: [TrustAnswer.Link(certificates[0], [.hostName, .validity])], anchor: .none,
            revocation: .unknown, validUntil: 1_800_000_000)
        let messages = [
            request, TrustRequest.systemRoots.encoded(), TrustReply.evaluated(answer).encoded(),
            TrustReply.systemRoots(Array(certificates.prefix(2))).encoded(),
            TrustCall(
                question: request, askers: ["ABCDE12345.app"], userSettings: stored,
                machineSettings: []
            ).encoded(), TrustCall.encoded(issuers: Array(certificates.prefix(1))),
            TrustResponse.lookUp(subject: [0x31, 0]).encoded(),
        ]
        return messages.map { Data($0) }
    }

    private static var sample: TrustSettings {
        var rule = TrustSettings.Rule()
        rule.policy = TrustPolicy.Kind.sslServer.settingsIdentifier
        rule.policyName = "sslServer"
        rule.policyString = "server.example"
        rule.application = [1, 2]
        rule.keyUsage = 8
        rule.allowedError = -2_147_409_654
        rule.result = .trustAsRoot
        return TrustSettings(
            certificates.prefix(2).enumerated().compactMap { index, certificate in
                var entry = TrustSettings.Entry(certificate, rules: index == 0 ? [] : [rule])
                entry?.modified = 1_700_000_000
                return entry
            })
    }

    private static var stored: [UInt8] { sample.encoded() }

    static var settingsFiles: [Data] {
        [Data(stored)] + (ExternalTrustSettings.encoded(sample).map { [Data($0)] } ?? [])
    }

    static var texts: [Data] {
        certificates.prefix(2).map { Data(PEMText.block("CERTIFICATE", $0).utf8) }
    }

    static var outlines: [Data] { ObjectEntries.certificates }

    static var paths: [Data] {
        [Data(certificates.prefix(3).joined()), Data(certificates.reversed().prefix(3).joined())]
    }
}
