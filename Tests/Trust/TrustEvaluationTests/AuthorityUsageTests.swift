// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing
import TrustEvaluation
import TrustWire

/// The extended usages of an authority bind what it issues, for each policy that has one. Source: the
/// policies of Apple's published `SecPolicy`.
@Suite struct AuthorityUsageTests {
    private static let usages: [(policy: TrustPolicy.Kind, usage: String)] = [
        (.sslServer, "serverAuth"), (.eapServer, "serverAuth"), (.sslClient, "clientAuth"),
        (.eapClient, "clientAuth"), (.mail, "emailProtection"), (.codeSigning, "codeSigning"),
        (.timeStamping, "timeStamping"),
    ]
    /// The usages of the authority, and a chain below it.
    private let chains: [(usage: String?, question: TrustQuestion)]

    init() throws {
        #expect(TrustJudge.prepare())
        chains = try TemporaryDirectory.lend { directory in
            let made = try TestCertificates(in: directory)
            let all = Set(Self.usages.map(\.usage)).sorted()
            return try (all + ["anyExtendedKeyUsage", nil]).map { usage in
                try made.make(
                    "issuer", "CN = Issuer", signer: "root",
                    "basicConstraints = critical, CA:TRUE\nkeyUsage = critical, keyCertSign\n"
                        + (usage.map { "extendedKeyUsage = \($0)" } ?? ""))
                try made.make(
                    "leaf", "CN = Leaf", signer: "issuer",
                    "keyUsage = critical, digitalSignature\n"
                        + "extendedKeyUsage = \(all.joined(separator: ","))")
                var question = TrustQuestion(
                    time: Int64(Date().timeIntervalSince1970),
                    certificates: [try made.der("leaf"), try made.der("issuer")], policies: [])
                question.anchors = [try made.der("root")]
                question.options = .givenAnchorsOnly
                return (usage, question)
            }
        }
    }

    /// What failed, for each certificate.
    private func faults(_ question: TrustQuestion, _ policy: TrustPolicy.Kind) -> [[TrustFault]]? {
        var question = question
        question.policies = [TrustPolicy(policy)]
        return TrustJudge(roots: RootSet(bundle: []), lists: []).answer(question)?.chain
            .map(\.faults)
    }

    @Test func anAuthorityForAnotherUseIsRefused() {
        for (policy, wanted) in Self.usages {
            for (usage, question) in chains {
                let fits = [nil, "anyExtendedKeyUsage", wanted].contains(usage)
                #expect(
                    faults(question, policy) == [[], fits ? [] : [.extendedKeyUsage], []],
                    "\(policy) below \(usage ?? "none")")
            }
        }
    }

    @Test func policiesWithoutAUseTakeEachAuthority() {
        for policy in [TrustPolicy.Kind.basic, .ipsec] {
            for (usage, question) in chains {
                #expect(
                    faults(question, policy) == [[], [], []], "\(policy) below \(usage ?? "none")")
            }
        }
    }
}
