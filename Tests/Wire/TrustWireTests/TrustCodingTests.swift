// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Testing
import TrustWire

/// The layouts between a client and trustd.
@Suite struct TrustCodingTests {
    private var question: TrustQuestion {
        var question = TrustQuestion(
            time: -5, certificates: [[1, 2, 3], []],
            policies: [
                TrustPolicy(.sslServer, names: ["a.example", "é"]),
                TrustPolicy(.revocation, revocation: [.crl, .requiresPositiveAnswer]),
            ])
        question.anchors = [[4], [5, 6]]
        question.stapledResponses = [[7]]
        question.options = [.allowsExpired, .givenAnchorsOnly]
        return question
    }

    private func request(_ bytes: [UInt8]) -> TrustRequest? {
        unsafe bytes.withUnsafeBytes { unsafe try? TrustRequest(decoding: $0) }
    }

    private func reply(_ bytes: [UInt8]) -> TrustReply? {
        unsafe bytes.withUnsafeBytes { unsafe try? TrustReply(decoding: $0) }
    }

    @Test func requestsAndRepliesComeBackAsTheyWere() {
        for value in [TrustRequest.evaluate(question), .systemRoots] {
            #expect(request(value.encoded()) == value)
        }
        let answer = TrustAnswer(
            chain: [
                TrustAnswer.Link([1, 2], [.hostName, .validity]), TrustAnswer.Link([3]),
            ], anchor: .given, revocation: .unknown, validUntil: .max)
        for value in [
            TrustReply.evaluated(answer), .systemRoots([[1], [2, 3]]), .unreadableCertificate,
        ] {
            #expect(reply(value.encoded()) == value)
        }
    }

    @Test func beginningsAreRefused() {
        let whole = TrustRequest.evaluate(question).encoded()
        for count in 0..<whole.count { #expect(request(Array(whole[..<count])) == nil) }
        #expect(request(whole + [0]) == nil)
    }

    /// A reply without an anchor and without a fault could be taken for a good one.
    @Test func anEndWithoutAnchorNeedsAFault() {
        let good = TrustAnswer(
            chain: [TrustAnswer.Link([1])], anchor: .none, revocation: .notAsked, validUntil: 0)
        #expect(reply(TrustReply.evaluated(good).encoded()) == nil)
    }

    @Test func changedBytesNeverTrap() {
        let whole = TrustRequest.evaluate(question).encoded()
        for place in whole.indices {
            for value in [UInt8(0), 1, 0x7F, 0x80, 0xFF] {
                var changed = whole
                changed[place] = value
                _ = request(changed)
                _ = reply(changed)
            }
        }
    }

    @Test func blocksOfTextAreRead() {
        let bytes = [UInt8](0...100)
        for count in 0...100 {
            let text = PEMText.block("CERTIFICATE", Array(bytes[..<count]))
            let found = PEMText.blocks("CERTIFICATE", in: Array(("x\n" + text + "y\n").utf8))
            #expect(found == [Array(bytes[..<count])])
            #expect(PEMText.blocks("X509 CRL", in: Array(text.utf8)).isEmpty)
        }
        let cut = "-----BEGIN CERTIFICATE-----\nAAA\n-----END CERTIFICATE-----\n"
        #expect(PEMText.blocks("CERTIFICATE", in: Array(cut.utf8)).isEmpty)
    }

    @Test func textInDERIsNoBlock() {
        for count in [1, 10, 100, 1000] {
            let content = Array(repeating: UInt8(7), count: count)
            let text = Array("\n\(PEMText.block("CERTIFICATE", content))".utf8)
            #expect(PEMText.blocks("CERTIFICATE", in: text) == [content])
            // Text may begin with the digit that has DER's first byte.
            #expect(PEMText.blocks("CERTIFICATE", in: Array("0".utf8) + text) == [content])
            let length = text.count
            let head: [UInt8] =
                length < 128
                ? [0x30, UInt8(length)] : [0x30, 0x82, UInt8(length >> 8), UInt8(length & 255)]
            #expect(PEMText.blocks("CERTIFICATE", in: head + text).isEmpty)
            #expect(PEMText.blocks("CERTIFICATE", in: [0x30, 0x80] + text + [0, 0]).isEmpty)
        }
        #expect(!PEMText.isElement([]) && !PEMText.isElement([0x30]))
    }

    /// Each fault has a status, a key and a sentence of its own kind; only these are final.
    @Test func faultsAreNamed() {
        #expect(Set(TrustFault.allCases.map(\.key)).count == TrustFault.allCases.count)
        #expect(
            TrustFault.allCases.filter(\.isFatal) == [.weakKey, .weakSignature, .revoked])
        #expect(
            TrustFault.hostName.sentence(about: "x")
                == "\u{201C}x\u{201D} certificate name does not match input")
        #expect(TrustFault.allCases.allSatisfy { $0.status < 0 })
    }

    // MARK: - Between securityd and trustd

    private func delivery(_ bytes: [UInt8]) -> TrustDelivery? {
        unsafe bytes.withUnsafeBytes { unsafe try? TrustDelivery(decoding: $0) }
    }

    @Test func callsAndLookUpsComeBackAsTheyWere() {
        let call = TrustCall(
            question: [1, 2], askers: ["ABCDE12345.app", "/usr/bin/x"], userSettings: [3],
            machineSettings: [])
        #expect(delivery(call.encoded()) == .call(call))
        #expect(delivery(TrustCall.encoded(issuers: [[1], []])) == .issuers([[1], []]))
        #expect(delivery(TrustCall.encoded(fetched: [1, 7])) == .fetched([7]))
        #expect(delivery(TrustCall.encoded(fetched: nil)) == .fetched(nil))
        for response in [TrustResponse.reply([1, 2]), .lookUp(subject: [3]), .fetch([4])] {
            #expect(TrustResponse(decoding: response.encoded()) == response)
        }
        #expect(delivery([]) == nil && delivery([4]) == nil)
        #expect(TrustResponse(decoding: []) == nil && TrustResponse(decoding: [4]) == nil)
        for count in 0..<call.encoded().count {
            #expect(delivery(Array(call.encoded()[..<count])) == nil)
        }
    }

    // MARK: - Settings

    private var settings: TrustSettings {
        var rule = TrustSettings.Rule()
        rule.policy = [0x2A]
        rule.policyName = "sslServer"
        rule.application = [9]
        rule.policyString = "é"
        rule.keyUsage = 8
        rule.allowedError = -2
        rule.result = .deny
        return TrustSettings([
            TrustSettings.Entry(
                digest: Array(0..<20), certificate: [1, 2], issuer: [0x30, 0], serialNumber: [5],
                modified: -1, rules: [rule, TrustSettings.Rule()]),
            TrustSettings.Entry(
                digest: Array(1..<21), certificate: [], issuer: [], serialNumber: [], modified: 0,
                rules: []),
        ])
    }

    @Test func settingsComeBackAsTheyWere() throws {
        let bytes = settings.encoded()
        #expect(try TrustSettings(decoding: bytes) == settings)
        for count in 0..<bytes.count {
            #expect((try? TrustSettings(decoding: Array(bytes[..<count]))) == nil)
        }
        #expect((try? TrustSettings(decoding: bytes + [0])) == nil)
        // A certificate twice.
        let twice = TrustSettings([settings.entries[0], settings.entries[0]])
        #expect((try? TrustSettings(decoding: twice.encoded())) == nil)
    }

    /// The layout of STORAGE.md, byte by byte.
    @Test func settingsHaveTheDocumentedLayout() {
        var rule = TrustSettings.Rule()
        rule.result = .trustAsRoot
        let one = TrustSettings([
            TrustSettings.Entry(
                digest: Array(repeating: 0xAA, count: 20), certificate: [1], issuer: [2, 3],
                serialNumber: [4], modified: 5, rules: [rule])
        ])
        let expected: [UInt8] =
            [1, 1, 0, 0, 0] + Array(repeating: 0xAA, count: 20) + [1, 0, 0, 0, 1]
            + [2, 0, 0, 0, 2, 3] + [1, 0, 0, 0, 4] + [5, 0, 0, 0, 0, 0, 0, 0] + [1, 0, 64, 2]
        #expect(one.encoded() == expected)
    }
}
