// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing
import TrustEvaluation
import TrustWire

/// Which rule of trust settings counts, and for what. Source: Apple's published `SecTrustSettings`.
@Suite struct TrustRuleTests {
    private let judge: TrustJudge
    private let root: [UInt8]
    private let question: TrustQuestion

    init() throws {
        #expect(TrustJudge.prepare())
        judge = TrustJudge(roots: RootSet(bundle: []), lists: [])
        (root, question) = try TemporaryDirectory.lend { directory in
            let made = try TestCertificates(in: directory)
            let question = TrustQuestion(
                time: Int64(Date().timeIntervalSince1970),
                certificates: [try made.der("server"), try made.der("authority")],
                policies: [TrustPolicy(.sslServer, names: ["server.example"])])
            return (try made.der("root"), question)
        }
    }

    private func rule(
        _ result: TrustSettings.Result?, _ change: (inout TrustSettings.Rule) -> Void = { _ in }
    ) -> TrustSettings.Rule {
        var rule = TrustSettings.Rule()
        rule.result = result
        change(&rule)
        return rule
    }

    private func set(_ rules: [TrustSettings.Rule], _ der: [UInt8]) -> SettingsSet? {
        let entry = TrustSettings.Entry(
            digest: Array(repeating: 1, count: 20), certificate: der, issuer: [], serialNumber: [],
            modified: 0, rules: rules)
        return SettingsSet(TrustSettings([entry]).encoded())
    }

    private func answer(
        user: [TrustSettings.Rule]? = nil, machine: [TrustSettings.Rule]? = nil,
        askers: [String] = [], _ change: (inout TrustQuestion) -> Void = { _ in }
    ) -> TrustAnswer? {
        var question = question
        change(&question)
        let settings = SettingsJudge(
            user: user.flatMap { set($0, root) }, machine: machine.flatMap { set($0, root) },
            askers: askers)
        return judge.answer(question, settings: settings)
    }

    @Test func withoutARuleARootIsTrustedForEverything() {
        #expect(answer()?.isTrusted == false)
        #expect(answer(user: [])?.anchor == .user)
        #expect(answer(machine: [])?.anchor == .machine)
        #expect(answer(machine: [])?.isTrusted == true)
        #expect(answer(user: [rule(nil)])?.isTrusted == true)
    }

    @Test func theFirstRuleThatFitsCounts() {
        let (trust, deny) = (rule(.trustRoot), rule(.deny))
        #expect(answer(user: [trust, deny])?.isTrusted == true)
        #expect(answer(user: [deny, trust])?.worst?.fault == .denied)
        let mail = rule(.deny) { $0.policy = TrustPolicy.Kind.mail.settingsIdentifier }
        #expect(answer(user: [mail, trust])?.isTrusted == true)
        #expect(answer(user: [mail])?.isTrusted == false)
    }

    @Test func theFirstDomainWithSettingsDecides() {
        #expect(answer(user: [rule(.deny)], machine: [])?.worst?.fault == .denied)
        #expect(answer(user: [], machine: [rule(.deny)])?.isTrusted == true)
        #expect(answer(user: [rule(.unspecified)], machine: [])?.isTrusted == false)
    }

    @Test func everythingThatARuleDemandsMustFit() {
        let host = rule(.trustRoot) { $0.policyString = "SERVER.example" }
        #expect(answer(user: [host])?.isTrusted == true)
        #expect(answer(user: [host]) { $0.policies[0].names = [] }?.isTrusted == false)
        // A dot at the end of either doesn't pass by a rule.
        let denied = rule(.deny) { $0.policyString = "server.example" }
        let dotted: (inout TrustQuestion) -> Void = { $0.policies[0].names = ["server.example."] }
        #expect(answer(user: [denied, rule(.trustRoot)], dotted)?.worst?.fault == .denied)
        let other = rule(.deny) { $0.policyString = "server.example." }
        #expect(answer(user: [other, rule(.trustRoot)])?.worst?.fault == .denied)
        let program = rule(.trustRoot) { $0.application = [UInt8]("/usr/bin/x".utf8) }
        #expect(answer(user: [program])?.isTrusted == false)
        #expect(answer(user: [program], askers: ["/usr/bin/x"])?.isTrusted == true)
        #expect(answer(user: [program], askers: ["/usr/bin/xy"])?.isTrusted == false)
        // An authority's key signs certificates.
        let signing = rule(.trustRoot) { $0.keyUsage = 8 }
        #expect(answer(user: [signing])?.isTrusted == true)
        let encrypting = rule(.trustRoot) { $0.keyUsage = 4 }
        #expect(answer(user: [encrypting])?.isTrusted == false)
    }

    @Test func allPoliciesOfAQuestionMustBeTrusted() {
        let server = rule(.trustRoot) { $0.policy = TrustPolicy.Kind.sslServer.settingsIdentifier }
        #expect(answer(user: [server])?.isTrusted == true)
        let both: (inout TrustQuestion) -> Void = { $0.policies.append(TrustPolicy(.basic)) }
        #expect(answer(user: [server], both)?.isTrusted == false)
        let basic = rule(.trustRoot) { $0.policy = TrustPolicy.Kind.basic.settingsIdentifier }
        #expect(answer(user: [server, basic], both)?.isTrusted == true)
        // Revocation isn't a use.
        let checked: (inout TrustQuestion) -> Void = {
            $0.policies.append(TrustPolicy(.revocation, revocation: .crl))
        }
        #expect(answer(user: [server], checked)?.isTrusted == true)
    }

    @Test func aRuleAcceptsAFailureAndTheSearchGoesOn() {
        let accepts = rule(.unspecified) { $0.allowedError = Int32(bitPattern: 0x8001_210A) }
        let late: (inout TrustQuestion) -> Void = { $0.time += 500 * 86_400 }
        let answer = answer(user: [accepts, rule(.trustRoot)], late)
        // The root's date doesn't count; those of the others do.
        #expect(answer?.anchor == .user)
        #expect(answer?.chain.last?.faults == [])
        #expect(answer?.chain.first?.faults == [.validity])
    }

    /// A list of roots has what is trusted for each server and each program, and nothing more.
    @Test func aListOfRootsIsJudgedByTheFirstRuleThatFits() {
        let (trust, deny, none) = (rule(.trustRoot), rule(.deny), rule(.unspecified))
        let mail = TrustPolicy.Kind.mail.settingsIdentifier
        func host(_ result: TrustSettings.Result) -> TrustSettings.Rule {
            rule(result) { $0.policyString = "server.example" }
        }
        let cases: [([TrustSettings.Rule], TrustedBundle.Omission?)] = [
            ([], nil), ([trust], nil), ([rule(nil)], nil), ([trust, deny], nil),
            ([deny, trust], .denied), ([none, trust], .limited), ([none, deny], .limited),
            ([rule(.trustAsRoot), trust], .limited), ([host(.trustRoot)], .limited),
            ([host(.trustRoot), trust], nil), ([host(.trustRoot), deny], .denied),
            ([host(.deny), trust], .denied), ([host(.unspecified), trust], .limited),
            ([trust, host(.deny)], nil), ([trust, none], nil),
            ([rule(.deny) { $0.policy = mail }, trust], nil),
            ([rule(.trustRoot) { $0.policy = mail }], .limited),
            ([rule(.deny) { $0.keyUsage = 4 }, trust], nil),
            ([rule(.deny) { $0.keyUsage = 8 }, trust], .denied),
            ([rule(.trustRoot) { $0.keyUsage = 8 }], nil),
            ([rule(.trustRoot) { $0.keyUsage = 4 }], .limited),
            (
                [rule(.unspecified) { $0.allowedError = Int32(bitPattern: 0x8001_210A) }, trust],
                nil
            ),
            ([rule(.unspecified) { $0.allowedError = 1 }, trust], .limited),
        ]
        for (rules, omission) in cases {
            let entry = TrustSettings.Entry(
                digest: Array(repeating: 1, count: 20), certificate: root, issuer: [],
                serialNumber: [], modified: 0, rules: rules)
            let bundle = TrustedBundle(
                user: TrustSettings([entry]), machine: TrustSettings(), roots: [])
            #expect(bundle.omitted.first?.reason == omission, "\(rules)")
            #expect(bundle.certificates == (omission == nil ? [root] : []), "\(rules)")
            // What is in the list, the evaluation trusts for a host that no rule names.
            let other: (inout TrustQuestion) -> Void = {
                $0.policies = [TrustPolicy(.sslServer)]
            }
            if omission == nil { #expect(answer(user: rules, other)?.isTrusted == true) }
        }
    }

    @Test func settingsMakeNoAnchorWhereOnlyTheAskersCount() {
        let only: (inout TrustQuestion) -> Void = { $0.options.insert(.givenAnchorsOnly) }
        #expect(answer(user: [], only)?.isTrusted == false)
        // A denial counts there, too.
        let given: (inout TrustQuestion) -> Void = { [root] question in
            question.options.insert(.givenAnchorsOnly)
            question.anchors = [root]
        }
        #expect(answer(given)?.isTrusted == true)
        #expect(answer(user: [rule(.deny)], given)?.worst?.fault == .denied)
    }

    @Test func issuersAreLookedUpOnlyWhenTheyAreMissing() throws {
        let settings = SettingsJudge(user: set([], root), machine: nil, askers: [])
        var asked: [[UInt8]] = []
        let whole = judge.answer(question, settings: settings) {
            asked.append($0)
            return []
        }
        #expect(whole?.isTrusted == true && asked.isEmpty)
        let authority = question.certificates[1]
        var alone = question
        alone.certificates.removeLast()
        let found = judge.answer(alone, settings: settings) {
            asked.append($0)
            return [[1, 2, 3], authority]
        }
        #expect(found?.isTrusted == true)
        #expect(asked.first == CertificateOutline(authority)?.normalizedSubject)
        // What is found isn't an anchor.
        let untrusted = judge.answer(alone) { _ in [authority, root] }
        #expect(untrusted?.isTrusted == false)
        #expect(untrusted?.worst?.fault == .notTrusted)
    }
}
