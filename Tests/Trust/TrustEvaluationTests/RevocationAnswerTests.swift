// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing
import TrustEvaluation
import TrustWire

/// What stapled responses and revocation lists say, made by the `openssl` command. Source: RFC 6960,
/// RFC 5280.
@Suite struct RevocationAnswerTests {
    private let authority: TestAuthority
    private let question: TrustQuestion

    init() throws {
        #expect(TrustJudge.prepare())
        (authority, question) = try TemporaryDirectory.lend { directory in
            let authority = try TestAuthority(in: directory)
            var question = TrustQuestion(
                time: Int64(Date().timeIntervalSince1970),
                certificates: [authority.server, authority.authority],
                policies: [TrustPolicy(.sslServer, names: ["server.example"])])
            question.anchors = [authority.root]
            question.options = .givenAnchorsOnly
            return (authority, question)
        }
    }

    private func answer(
        _ responses: [[UInt8]], lists: [[UInt8]] = [],
        _ change: (inout TrustQuestion) -> Void = { _ in }
    ) -> TrustAnswer? {
        var question = question
        question.stapledResponses = responses
        change(&question)
        let judge = TrustJudge(
            roots: RootSet(bundle: []), lists: lists.compactMap { RevocationList($0) })
        return judge.answer(question)
    }

    private static let required: @Sendable (inout TrustQuestion) -> Void = {
        $0.policies.append(
            TrustPolicy(.revocation, revocation: [.ocsp, .requiresPositiveAnswer]))
    }

    @Test func withoutAnAnswerNothingIsKnown() {
        #expect(answer([])?.isTrusted == true)
        #expect(answer([])?.revocation == .unknown)
        let demanding = answer([], Self.required)
        #expect(demanding?.isTrusted == false)
        #expect(demanding?.worst?.fault == .revocationUnknown)
    }

    @Test func aDemandIsMetByAResponseForEachCertificate() {
        let both = answer([authority.good, authority.goodForAuthority], Self.required)
        #expect(both?.isTrusted == true)
        #expect(both?.revocation == .noneRevoked)
        #expect(answer([authority.good], Self.required)?.isTrusted == false)
        #expect(answer([authority.goodForAuthority], Self.required)?.isTrusted == false)
    }

    @Test func aRevokedCertificateIsNamedAsRevoked() {
        let revoked = answer([authority.revoked])
        #expect(revoked?.isTrusted == false)
        #expect(revoked?.worst?.fault == .revoked)
        #expect(revoked?.revocation == .revoked)
    }

    @Test func oneRevocationOutweighsEveryGoodResponse() {
        for responses in [
            [authority.good, authority.revoked], [authority.revoked, authority.good],
        ] {
            #expect(answer(responses)?.worst?.fault == .revoked)
        }
    }

    @Test func aResponseOfAnotherCertificateSaysNothing() {
        #expect(answer([authority.goodForOther])?.revocation == .unknown)
        let demanding = answer(
            [authority.goodForOther, authority.goodForAuthority], Self.required)
        #expect(demanding?.worst?.fault == .revocationUnknown)
    }

    @Test func anExpiredResponseSaysNothing() {
        // Responses are for two days.
        let later: (inout TrustQuestion) -> Void = { $0.time += 3 * 86_400 }
        #expect(answer([authority.revoked], later)?.isTrusted == true)
        #expect(answer([authority.good], later)?.revocation == .unknown)
    }

    @Test func onlyTheAuthorityAndWhomItNamedAnswer() {
        #expect(answer([authority.revokedByDelegate])?.worst?.fault == .revoked)
        #expect(answer([authority.revokedByServer])?.isTrusted == true)
        #expect(answer([authority.revokedByStranger])?.isTrusted == true)
    }

    @Test func aChangedResponseNeverMakesARevokedCertificateGood() {
        for place in authority.revoked.indices {
            var changed = authority.revoked
            changed[place] ^= 1
            #expect(answer([changed])?.revocation != .noneRevoked)
            let cut = Array(authority.revoked.prefix(place))
            #expect(answer([cut])?.revocation == .unknown)
        }
    }

    /// Anyone can make a list in an authority's name.
    @Test func aListWithAFalseSignatureRevokesNothing() {
        var forged = authority.list
        forged[forged.count - 1] ^= 1
        func only(_ list: [UInt8], _ flags: TrustPolicy.RevocationFlags) -> TrustFault? {
            answer([], lists: [list]) { question in
                question.policies = [
                    TrustPolicy(.basic), TrustPolicy(.revocation, revocation: flags),
                ]
            }?.worst?.fault
        }
        #expect(only(authority.list, .crl) == .revoked)
        #expect(only(forged, .crl) == nil)
        #expect(only(forged, [.crl, .requiresPositiveAnswer]) == .revocationUnknown)
    }

    @Test func theFlagsSayWhichAnswersCount() {
        func only(
            _ flags: TrustPolicy.RevocationFlags, _ responses: [[UInt8]], _ lists: [[UInt8]]
        ) -> TrustFault? {
            answer(responses, lists: lists) { question in
                question.policies = [
                    TrustPolicy(.basic), TrustPolicy(.revocation, revocation: flags),
                ]
            }?.worst?.fault
        }
        #expect(only(.ocsp, [authority.revoked], []) == .revoked)
        #expect(only(.ocsp, [], [authority.list]) == nil)
        #expect(only(.crl, [authority.revoked], []) == nil)
        #expect(only(.crl, [], [authority.list]) == .revoked)
        #expect(only([.ocsp, .crl], [authority.good], [authority.list]) == .revoked)
    }
}
