// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import TestSupport
import Testing
import TrustWire

/// What is fetched from the network for a question, and what counts of it.
@Suite(.serialized) struct FetchServiceTests {
    private static let required: TrustPolicy.RevocationFlags = [
        .ocsp, .crl, .requiresPositiveAnswer,
    ]

    /// Runs a service that may fetch from these addresses.
    private func withService(
        fetch: String?, _ body: (TestService, FetchedCertificates) throws -> Void
    ) throws {
        try TemporaryDirectory.lend { directory in
            let certificates = try FetchedCertificates(in: directory)
            let file = directory + "/trust.conf"
            try (fetch.map { "fetch = \($0)\n" } ?? "# nothing\n").write(
                toFile: file, atomically: true, encoding: .utf8)
            var options = TestService.Options()
            options.trustConfiguration = file
            try TestService.run(options) { try body($0, certificates) }
        }
    }

    private func responder(_ server: TestWebServer, _ host: String = "127.0.0.1") -> String {
        "authorityInfoAccess = OCSP;URI:http://\(host):\(server.port)/ocsp"
    }

    // MARK: - Whether

    /// A certificate names a place on this machine.
    ///
    /// Red team: ephemeral; refused.
    /// Before: nothing.
    @Test func nothingIsFetchedUnlessItIsSwitchedOn() throws {
        let server = try TestWebServer { _ in .silence }
        defer { server.stop() }
        for fetch in [nil, "off", "on", "10.0.0.0/8"] as [String?] {
            try withService(fetch: fetch) { service, certificates in
                try certificates.makeLeaf(
                    "leaf",
                    responder(server)
                        + "\ncrlDistributionPoints = URI:http://localhost:\(server.port)/list")
                let answer = try service.keychain.evaluate(certificates.question("leaf"))
                #expect(answer.isTrusted && answer.revocation == .unknown)
                let needed = try service.keychain.evaluate(
                    certificates.question("leaf", Self.required))
                #expect(needed.worst?.fault == .revocationUnknown)
                if FetchSwitch.isOff(fetch) {
                    #expect(try service.helpers("trustfetcher") == [])
                }
            }
        }
        #expect(server.requests == [])
    }

    /// A user's file, what is fetched by it from this machine, and what the service says of it.
    private static let userFiles: [(lines: [String], isFetched: Bool, message: String?)] = [
        ([], false, nil), (["fetch = off"], false, nil), (["fetch = on"], false, nil),
        (["fetch = 127.0.0.0/8"], true, nil), (["fetch = on, 127.0.0.1"], true, nil),
        (["fetch = 10.0.0.0/8"], false, nil),
        (["fetch = perhaps"], false, "isn't fetch = off, on or ranges of addresses."),
        (["fetch = 127.0.0.0/8", "roots = ROOT"], false, "with a name of: fetch."),
        (["fetch = 127.0.0.0/8", "crls = LISTS"], false, "with a name of: fetch."),
    ]

    /// A user's own file names neither roots nor lists: they would go past what the administrator
    /// trusts.
    ///
    /// Red team: user; refused.
    /// Before: nothing.
    @Test(arguments: userFiles.indices)
    func aUsersFileSaysWhatIsFetchedAndNothingElse(_ index: Int) throws {
        let (lines, isFetched, message) = Self.userFiles[index]
        let server = try TestWebServer { _ in .status("404 Not Found") }
        defer { server.stop() }
        try TemporaryDirectory.lend { directory in
            let certificates = try FetchedCertificates(in: directory)
            try certificates.makeLeaf("leaf", responder(server))
            let (folder, lists) = (directory + "/llavero", directory + "/lists")
            for path in [folder, lists] {
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
            }
            let list = try certificates.list(
                index: certificates.writeIndex(good: [], revoked: ["leaf"]))
            try list.write(to: URL(fileURLWithPath: lists + "/root.crl"))
            let text = lines.joined(separator: "\n").replacingOccurrences(
                of: "ROOT", with: certificates.made.path("root")
            ).replacingOccurrences(of: "LISTS", with: lists)
            try text.write(toFile: folder + "/trust.conf", atomically: true, encoding: .utf8)
            var options = TestService.Options(.user)
            options.environment["XDG_CONFIG_HOME"] = directory
            try TestService.run(options) { service in
                let question = try certificates.question("leaf")
                let answer = try service.keychain.evaluate(question)
                #expect(answer.isTrusted && answer.revocation == .unknown)
                #expect(server.requests.isEmpty != isFetched)
                // Without the asker's anchor, nothing of the user's file makes it trusted.
                var other = question
                other.anchors = []
                other.options = .usesNetwork
                #expect(try !service.keychain.evaluate(other).isTrusted)
                #expect(service.messages.contains(message ?? "trust.conf") == (message != nil))
            }
        }
    }

    @Test func aQuestionThatForbidsTheNetworkMakesNoConnection() throws {
        let server = try TestWebServer { _ in .silence }
        defer { server.stop() }
        try withService(fetch: "127.0.0.0/8") { service, certificates in
            try certificates.makeLeaf("leaf", responder(server))
            var question = try certificates.question("leaf")
            question.options = .givenAnchorsOnly
            #expect(try service.keychain.evaluate(question).isTrusted)
            let flags: TrustPolicy.RevocationFlags = [.ocsp, .noNetwork]
            #expect(
                try service.keychain.evaluate(certificates.question("leaf", flags)).isTrusted)
            var basic = try certificates.question("leaf")
            basic.policies = [TrustPolicy(.basic)]
            #expect(try service.keychain.evaluate(basic).isTrusted)
            // Nobody's addresses are asked for a chain that isn't trusted anyway.
            var other = try certificates.question("leaf")
            other.anchors = []
            #expect(try !service.keychain.evaluate(other).isTrusted)
        }
        #expect(server.requests == [])
    }

    /// A program's own word comes before the configuration.
    @Test func aProgramForbidsTheNetworkForItsQuestion() throws {
        let server = try TestWebServer { _ in .status("404 Not Found") }
        defer { server.stop() }
        try withService(fetch: "127.0.0.0/8") { service, certificates in
            try certificates.makeLeaf("leaf", responder(server))
            var options = TestProcess.Options()
            options.environment = ["LLAVERO_SOCKET": service.socketPath]
            let files = try ["leaf", "root"].map { name in
                let file = certificates.made.directory + "/\(name).der"
                try Data(certificates.made.der(name)).write(to: URL(fileURLWithPath: file))
                return file
            }
            func judge(_ word: String) throws -> String {
                try TestProcess.run(Binaries.testTask(), ["judge"] + files + [word], options)
                    .output
            }
            #expect(try judge("no") == "trusted, not allowed\n")
            #expect(server.requests == [])
            #expect(try judge("yes") == "trusted, allowed\n")
            #expect(server.requests.count == 1)
            #expect(try judge("default") == "trusted, allowed\n")
            #expect(server.requests.count == 2)
        }
    }

    // MARK: - Responders

    @Test func aRealRespondersWordCounts() throws {
        try withService(fetch: "127.0.0.0/8") { service, certificates in
            // A port that was free a moment ago.
            let probe = try TestWebServer { _ in .silence }
            let place = responder(probe)
            probe.stop()
            try certificates.makeLeaf("good", place)
            try certificates.makeLeaf("bad", place)
            let index = try certificates.writeIndex(good: ["good"], revoked: ["bad"])
            let made = certificates.made
            let process = try TestProcess(
                "/usr/bin/openssl",
                [
                    "ocsp", "-port", "\(probe.port)", "-index", index, "-CA", made.path("root"),
                    "-rsigner", made.path("root"), "-rkey", made.directory + "/root.key",
                    "-nmin", "60",
                ])
            defer { process.end() }
            try Waiting.until("the responder to answer") {
                try service.keychain.evaluate(certificates.question("good", Self.required))
                    .isTrusted
            }
            let good = try service.keychain.evaluate(certificates.question("good"))
            #expect(good.isTrusted && good.revocation == .noneRevoked)
            let bad = try service.keychain.evaluate(certificates.question("bad"))
            #expect(bad.worst?.fault == .revoked && bad.revocation == .revoked)
            try Waiting.until("trustfetcher to end") {
                try service.helpers("trustfetcher").isEmpty
            }
        }
    }

    enum Response: String, CaseIterable, Sendable {
        case issuers, delegated, withoutNonce
        case otherNonce, otherCertificate, expired, delegateWithoutUse, otherSigner, changed
        case cutOff, nothing, notFound

        var isGood: Bool {
            switch self {
            case .issuers, .delegated, .withoutNonce: true
            case .otherNonce, .otherCertificate, .expired, .delegateWithoutUse, .otherSigner,
                .changed, .cutOff, .nothing, .notFound:
                false
            }
        }
    }

    private static func answer(
        _ kind: Response, _ request: Data, _ index: String, _ certificates: FetchedCertificates
    ) throws -> TestWebServer.Answer {
        func response(_ request: Data, _ signer: String = "root") throws -> Data {
            try certificates.response(to: request, index: index, signer: signer)
        }
        switch kind {
        case .issuers, .expired: return .content(try response(request))
        case .delegated: return .content(try response(request, "delegate"))
        case .withoutNonce:
            return .content(try response(certificates.request("leaf", hasNonce: false)))
        case .otherNonce: return .content(try response(certificates.request("leaf")))
        case .otherCertificate:
            return .content(try response(certificates.request("other", hasNonce: false)))
        case .delegateWithoutUse: return .content(try response(request, "useless"))
        case .otherSigner: return .content(try response(request, "stranger"))
        case .changed:
            var data = try response(request)
            data[data.startIndex + 120] ^= 1
            return .content(data)
        case .cutOff: return .content(try response(request).dropLast(1))
        case .nothing: return .content(Data())
        case .notFound: return .status("404 Not Found")
        }
    }

    @Test(arguments: Response.allCases)
    func onlyATrueResponseCounts(_ kind: Response) throws {
        try withService(fetch: "127.0.0.0/8") { service, certificates in
            let indexes = FetchSwitch()
            let server = try TestWebServer { request in
                (try? Self.answer(kind, request.body, indexes.value, certificates))
                    ?? .status("500 Broken")
            }
            defer { server.stop() }
            try certificates.makeLeaf("leaf", responder(server))
            try certificates.makeLeaf("other", responder(server))
            let use = "keyUsage = critical, digitalSignature"
            try certificates.made.make(
                "delegate", "CN = Delegate", signer: "root",
                use + "\nextendedKeyUsage = OCSPSigning")
            try certificates.made.make("useless", "CN = Useless", signer: "root", use)
            try certificates.made.make("stranger", "CN = Stranger", signer: nil, use)
            indexes.value = try certificates.writeIndex(good: ["leaf", "other"])
            var question = try certificates.question("leaf", Self.required)
            // The responder says an hour.
            if kind == .expired { question.time += 2 * 3600 }
            let needed = try service.keychain.evaluate(question)
            #expect(needed.isTrusted == kind.isGood)
            #expect(needed.revocation == (kind.isGood ? .noneRevoked : .unknown))
            #expect(needed.worst?.fault == (kind.isGood ? nil : .revocationUnknown))
            question.policies.removeLast()
            #expect(try service.keychain.evaluate(question).isTrusted)
            #expect(server.requests.count >= 1)
        }
    }

    // MARK: - Hostile servers

    @Test func serversThatDelayAreGivenUp() throws {
        for answer in [.silence, .trickle, .endless, .endlessHead] as [TestWebServer.Answer] {
            let server = try TestWebServer { _ in answer }
            defer { server.stop() }
            try withService(fetch: "127.0.0.0/8") { service, certificates in
                try certificates.makeLeaf(
                    "leaf",
                    responder(server)
                        + "\ncrlDistributionPoints = URI:http://127.0.0.1:\(server.port)/list")
                let start = ContinuousClock.now
                let given = try service.keychain.evaluate(certificates.question("leaf"))
                #expect(given.isTrusted && given.revocation == .unknown, "\(answer)")
                // 3 s, on a machine that does other things, too.
                #expect(start.duration(to: .now) < .seconds(6), "\(answer)")
                #expect(!server.requests.isEmpty)
            }
        }
    }

    @Test func trustfetcherIsConfinedAndEndsWithItsQuestion() throws {
        let server = try TestWebServer { _ in .silence }
        defer { server.stop() }
        try withService(fetch: "127.0.0.0/8") { service, certificates in
            try certificates.makeLeaf("leaf", responder(server))
            let question = try certificates.question("leaf")
            #expect(try service.helpers("trustfetcher") == [])
            let connection = service.connect()
            Thread {
                _ = try? connection.evaluate(question)
            }.start()
            try Waiting.until("a request") { !server.requests.isEmpty }
            let running = try #require(try service.helpers("trustfetcher").first)
            let status = try String(contentsOfFile: "/proc/\(running)/status", encoding: .utf8)
            #expect(status.contains("Seccomp:\t2"))
            #expect(status.contains("NoNewPrivs:\t1"))
            #expect(status.contains("Threads:\t1"))
            let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(running)/fd")
                .compactMap {
                    try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/\(running)/fd/\($0)")
                }
            #expect(!files.contains { $0.contains(service.stateDirectory) })
            // securityd's, the server's, and libcurl's pair to itself.
            #expect(files.filter { $0.hasPrefix("socket:") }.count <= 4)
            try Waiting.until("trustfetcher to end") {
                try service.helpers("trustfetcher").isEmpty
            }
        }
    }

    // MARK: - Redirects

    @Test func threeRedirectsAreFollowed() throws {
        try withService(fetch: "127.0.0.0/8") { service, certificates in
            let indexes = FetchSwitch()
            let server = try TestWebServer { request in
                let count = request.path.split(separator: "/").last.flatMap { Int($0) } ?? 0
                if count > 0 { return .redirect("/ocsp/\(count - 1)") }
                return (try? Self.answer(.issuers, request.body, indexes.value, certificates))
                    ?? .status("500 Broken")
            }
            defer { server.stop() }
            for count in [3, 4] {
                try certificates.makeLeaf("leaf\(count)", responder(server) + "/\(count)")
            }
            indexes.value = try certificates.writeIndex(good: ["leaf3", "leaf4"])
            #expect(
                try service.keychain.evaluate(certificates.question("leaf3")).revocation
                    == .noneRevoked)
            #expect(server.requests == (0...3).reversed().map { "/ocsp/\($0)" })
            #expect(
                try service.keychain.evaluate(certificates.question("leaf4")).revocation
                    == .unknown)
            #expect(!server.requests.dropFirst(4).contains("/ocsp/0"))
        }
    }

    /// A responder leads to what only this machine reaches.
    ///
    /// Red team: ephemeral; refused.
    /// Before: nothing.
    @Test func aRedirectToAForbiddenPlaceMakesNoConnection() throws {
        let inner = try TestWebServer { _ in .content(Data("secret".utf8)) }
        defer { inner.stop() }
        let places = FetchSwitch()
        let outer = try TestWebServer(host: "127.0.0.2") { _ in .redirect(places.value) }
        defer { outer.stop() }
        try withService(fetch: "on, 127.0.0.2") { service, certificates in
            try certificates.makeLeaf("leaf", responder(outer, "127.0.0.2"))
            let forbidden = [
                "http://127.0.0.1:\(inner.port)/", "http://localhost:\(inner.port)/",
                "http://127.1:\(inner.port)/", "http://2130706433:\(inner.port)/",
                "http://[::ffff:127.0.0.1]:\(inner.port)/", "http://0.0.0.0:\(inner.port)/",
                "http://user@127.0.0.1:\(inner.port)/", "https://127.0.0.1:\(inner.port)/",
                "ftp://127.0.0.1:\(inner.port)/", "gopher://127.0.0.1:\(inner.port)/x",
                "//127.0.0.1:\(inner.port)/", "file:///etc/hostname",
            ]
            for (index, place) in forbidden.enumerated() {
                places.value = place
                let answer = try service.keychain.evaluate(
                    certificates.question("leaf", Self.required))
                #expect(answer.worst?.fault == .revocationUnknown, "\(place)")
                #expect(outer.requests.count == index + 1, "\(place)")
            }
        }
        #expect(inner.requests == [])
    }

    // MARK: - Lists and issuers

    @Test func aListIsFetchedWhereThereIsNoResponder() throws {
        try withService(fetch: "127.0.0.0/8") { service, certificates in
            let indexes = FetchSwitch()
            let server = try TestWebServer { _ in
                (try? .content(certificates.list(index: indexes.value))) ?? .status("500 Broken")
            }
            defer { server.stop() }
            for name in ["good", "bad"] {
                try certificates.makeLeaf(
                    name, "crlDistributionPoints = URI:http://127.0.0.1:\(server.port)/list")
            }
            indexes.value = try certificates.writeIndex(good: ["good"], revoked: ["bad"])
            let good = try service.keychain.evaluate(
                certificates.question("good", Self.required))
            #expect(good.isTrusted && good.revocation == .noneRevoked)
            let bad = try service.keychain.evaluate(certificates.question("bad"))
            #expect(bad.worst?.fault == .revoked)
            // OCSP alone was asked for, and there is none; the server's policy isn't there.
            var question = try certificates.question("bad", .ocsp)
            question.policies.removeFirst()
            #expect(try service.keychain.evaluate(question).isTrusted)
        }
    }

    /// The C library sorts more than 127 pointers in another way, with other system calls.
    @Test(arguments: [127, 128, 2000])
    func aListOfManyCertificatesIsRead(count: Int) throws {
        try withService(fetch: "127.0.0.0/8") { service, certificates in
            let index = FetchSwitch()
            let server = try TestWebServer { _ in
                (try? .content(certificates.list(index: index.value))) ?? .status("500 Broken")
            }
            defer { server.stop() }
            for name in ["good", "bad"] {
                try certificates.makeLeaf(
                    name, "crlDistributionPoints = URI:http://127.0.0.1:\(server.port)/list")
            }
            index.value = try certificates.writeIndex(
                good: ["good"], revoked: ["bad"], others: count - 1)
            let good = try service.keychain.evaluate(
                certificates.question("good", Self.required))
            #expect(good.isTrusted && good.revocation == .noneRevoked)
            let bad = try service.keychain.evaluate(certificates.question("bad"))
            #expect(bad.worst?.fault == .revoked)
        }
    }

    /// What a server makes for the question is younger than the question.
    @Test(arguments: [(ahead: 200, counts: true), (ahead: 400, counts: false)])
    func aListOfAClockThatIsAheadCountsForFiveMinutes(ahead: Int, counts: Bool) throws {
        try withService(fetch: "127.0.0.0/8") { service, certificates in
            let index = FetchSwitch()
            let server = try TestWebServer { _ in
                (try? .content(certificates.list(index: index.value, ahead: ahead)))
                    ?? .status("500 Broken")
            }
            defer { server.stop() }
            try certificates.makeLeaf(
                "leaf", "crlDistributionPoints = URI:http://127.0.0.1:\(server.port)/list")
            index.value = try certificates.writeIndex(good: ["leaf"])
            let answer = try service.keychain.evaluate(
                certificates.question("leaf", Self.required))
            #expect(answer.isTrusted == counts)
            #expect(answer.revocation == (counts ? .noneRevoked : .unknown))
        }
    }

    @Test func aMissingIssuerIsFetched() throws {
        try withService(fetch: "127.0.0.0/8") { service, certificates in
            let authority = Data(try certificates.made.der("authority"))
            let server = try TestWebServer { _ in .content(authority) }
            defer { server.stop() }
            try certificates.makeLeaf(
                "leaf",
                "authorityInfoAccess = caIssuers;URI:http://127.0.0.1:\(server.port)/authority",
                signer: "authority")
            let question = try certificates.question("leaf")
            let answer = try service.keychain.evaluate(question)
            #expect(answer.isTrusted && answer.chain.count == 3)
            #expect(server.requests == ["/authority"])
            var forbidden = question
            forbidden.options = .givenAnchorsOnly
            #expect(
                try service.keychain.evaluate(forbidden).worst?.fault == .noIssuer)
            #expect(server.requests == ["/authority"])
        }
    }
}
