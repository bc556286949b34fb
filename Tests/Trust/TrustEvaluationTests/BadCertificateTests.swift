// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CPathChecks
import Foundation
import TestSupport
import Testing
import TrustEvaluation
import TrustWire

/// Certificates that are cut off or changed: refused, and never the end of the process.
@Suite struct BadCertificateTests {
    private let judge: TrustJudge
    private let good: TrustQuestion

    init() throws {
        #expect(TrustJudge.prepare())
        judge = TrustJudge(roots: RootSet(bundle: []), lists: [])
        let cases = try TrustCases.limbo("path-building")
        good = try #require(cases.first { $0.isGood && $0.question.certificates.count > 1 })
            .question
    }

    @Test func theQuestionIsAnsweredWhenNothingIsChanged() {
        #expect(judge.answer(good)?.isTrusted == true)
    }

    @Test func beginningsOfALeafAreNoCertificate() {
        let leaf = good.certificates[0]
        for count in 0..<leaf.count {
            #expect(JudgedCertificate(Array(leaf[..<count])) == nil)
        }
        #expect(JudgedCertificate(leaf + [0]) == nil)
        #expect(JudgedCertificate(leaf) != nil)
    }

    /// 10,000 changes of a leaf and of its issuer. The signature covers all but itself, so that none
    /// of them may be trusted.
    @Test func noChangedCertificateIsTrusted() {
        var random = SystemRandomNumberGenerator()
        var answered = 0
        for round in 0..<10_000 {
            var question = good
            let which = round % 2 == 0 ? 0 : question.certificates.count - 1
            var bytes = question.certificates[which]
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            bytes[place] ^= bit
            question.certificates[which] = bytes
            guard let answer = judge.answer(question) else { continue }
            answered += 1
            // A certificate may be superfluous: only a chain that has the changed one counts.
            if answer.chain.contains(where: { $0.certificate == bytes }) {
                #expect(!answer.isTrusted, "byte \(place), bit \(bit)")
            }
        }
        // The control: many changes leave a certificate that can be read.
        #expect(answered > 1000)
    }

    /// What such a key has signed can't be checked, so it doesn't count, whoever trusts the anchor.
    @Test func anAnchorWhoseKeyCantBeUsedSignsNothing() throws {
        try TemporaryDirectory.lend { directory in
            let made = try TestCertificates(in: directory)
            var root = try made.der("root")
            let question = TrustQuestion(
                time: Int64(Date().timeIntervalSince1970),
                certificates: [try made.der("server"), try made.der("authority")],
                policies: [TrustPolicy(.basic)])
            func isTrusted(by root: [UInt8]) -> Bool? {
                let bundle = RootSet(bundle: Array(PEMText.block("CERTIFICATE", root).utf8))
                #expect(bundle.certificates.count == 1)
                return TrustJudge(roots: bundle, lists: []).answer(question)?.isTrusted
            }
            #expect(isTrusted(by: root) == true)
            // 1.2.840.10045.2.1 becomes a kind of key that there isn't.
            let kind: [UInt8] = [6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]
            let range = try #require(root.firstRange(of: kind))
            root[range.upperBound - 1] = 0x7F
            #expect(isTrusted(by: root) == false)
        }
    }

    /// libcrypto stops where a fault can't be told. Such a check is none, and not one without faults.
    @Test func aCheckThatStopsIsNoCheck() throws {
        let read = { (der: [UInt8]) in unsafe llavero_certificate_read(der, der.count) }
        let path: [OpaquePointer?] = unsafe try TemporaryDirectory.lend { directory in
            let made = try TestCertificates(in: directory)
            // The authority hasn't signed the root.
            return unsafe try ["root", "authority"].map { unsafe read(try made.der($0)) }
        }
        defer {
            for index in 0..<2 { unsafe llavero_certificate_free(path[index]) }
        }
        var faults = [llavero_path_fault](repeating: llavero_path_fault(), count: 64)
        func count(_ capacity: Int) -> Int32 {
            unsafe llavero_check_path(
                path, 2, nil, 0, nil, 0, good.time, 0, 0, &faults, capacity)
        }
        let all = count(faults.count)
        #expect(all > 0)
        for capacity in 0..<Int(all) { #expect(count(capacity) == -1) }
        #expect(count(Int(all)) == all)
    }

    /// A thousand authorities of one name, each with a key of its own, and none has signed.
    @Test func manyIssuersOfOneNameAreBounded() throws {
        try TemporaryDirectory.lend { directory in
            let made = try TestCertificates(in: directory)
            var question = TrustQuestion(
                time: good.time, certificates: [try made.der("server")],
                policies: [TrustPolicy(.basic)])
            for number in 0..<20 {
                try made.make(
                    "false-\(number)", "CN = Test Authority", signer: nil,
                    "basicConstraints = critical, CA:TRUE")
                let false1 = try made.der("false-\(number)")
                // The same key under many serial numbers is one more certificate each.
                question.certificates += Array(repeating: false1, count: 50)
            }
            question.anchors = [try made.der("root")]
            question.options = .givenAnchorsOnly
            let start = ContinuousClock.now
            let answer = try #require(judge.answer(question))
            #expect(!answer.isTrusted)
            #expect(start.duration(to: .now) < .seconds(5))
        }
    }
}
