// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Foundation
import IPC
import Keychain
import TestSupport
import Testing
import TrustWire

/// trustd as a process: when it runs, what it may do, and what its end means.
@Suite(.serialized) struct TrustServiceTests {
    private func question(_ certificates: TestCertificates) throws -> TrustQuestion {
        var question = TrustQuestion(
            time: Int64(Date().timeIntervalSince1970),
            certificates: [
                try certificates.der("server"), try certificates.der("authority"),
            ],
            policies: [TrustPolicy(.sslServer, names: ["server.example"])])
        question.anchors = [try certificates.der("root")]
        question.options = .givenAnchorsOnly
        return question
    }

    private func withService(
        _ body: (TestService, TrustQuestion) throws -> Void
    ) throws {
        try TemporaryDirectory.lend { directory in
            let question = try question(TestCertificates(in: directory))
            try TestService.run { try body($0, question) }
        }
    }

    /// The trustd processes of a service.
    private func trustds(_ service: TestService) throws -> [Int32] {
        try service.helpers("trustd")
    }

    private func failure(_ service: TestService, _ question: TrustQuestion) -> KeychainError? {
        do throws(KeychainError) {
            _ = try service.keychain.evaluate(question)
            return nil
        } catch { return error }
    }

    @Test func noneRunsBeforeTheFirstQuestionAndOneAnswersAll() throws {
        try withService { service, question in
            #expect(try trustds(service) == [])
            #expect(try service.keychain.evaluate(question).isTrusted)
            let first = try trustds(service)
            #expect(first.count == 1)
            for _ in 0..<5 { #expect(try service.keychain.evaluate(question).isTrusted) }
            #expect(try trustds(service) == first)
        }
    }

    @Test func aQuestionWhoseTrustdIsKilledHasNoAnswer() throws {
        try withService { service, question in
            #expect(try service.keychain.evaluate(question).isTrusted)
            let running = try #require(try trustds(service).first)
            try service.halt(running)
            let killer = Thread {
                Thread.sleep(forTimeInterval: 0.5)
                kill(running, SIGKILL)
            }
            killer.start()
            let failure = failure(service, question)
            #expect(failure?.status == -25291)
            #expect(failure?.reason == .unreachable)
            try Waiting.until("another trustd to answer") {
                self.failure(service, question) == nil
            }
            #expect(try service.keychain.evaluate(question).isTrusted)
            #expect(try trustds(service) != [running])
        }
    }

    /// It was asked nothing when it ended, so that no question is without its answer.
    @Test func anIdleTrustdThatIsKilledIsReplacedUnnoticed() throws {
        try withService { service, question in
            for _ in 0..<3 {
                #expect(try service.keychain.evaluate(question).isTrusted)
                let running = try #require(try trustds(service).first)
                // Once its first thread has ended, another may still hold its sockets: the kernel
                // says of the process when all have.
                let process = Descriptor(owning: llavero_pidfd_open(running))
                kill(running, SIGKILL)
                #expect(Waiting.forReadable(process.rawValue, until: .now + .seconds(30)))
            }
            #expect(try service.keychain.evaluate(question).isTrusted)
        }
    }

    @Test func aTrustdThatDoesNotAnswerIsReplaced() throws {
        try withService { service, question in
            #expect(try service.keychain.evaluate(question).isTrusted)
            let running = try #require(try trustds(service).first)
            try service.halt(running)
            #expect(failure(service, question)?.status == -25291)
            try Waiting.until("another trustd to answer") {
                self.failure(service, question) == nil
            }
            #expect(try !trustds(service).contains(running))
        }
    }

    @Test func trustdIsConfined() throws {
        try withService { service, question in
            #expect(try service.keychain.evaluate(question).isTrusted)
            let running = try #require(try trustds(service).first)
            let status = try String(
                contentsOfFile: "/proc/\(running)/status", encoding: .utf8)
            #expect(status.contains("Seccomp:\t2"))
            #expect(status.contains("NoNewPrivs:\t1"))
            for thread in try FileManager.default.contentsOfDirectory(
                atPath: "/proc/\(running)/task")
            {
                let status = try String(
                    contentsOfFile: "/proc/\(running)/task/\(thread)/status", encoding: .utf8)
                #expect(status.contains("Seccomp:\t2"))
            }
            // Its connections, and nothing of securityd's.
            let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(running)/fd")
                .compactMap {
                    try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/\(running)/fd/\($0)")
                }
            #expect(!files.contains { $0.contains(service.stateDirectory) })
            #expect(files.filter { $0.hasPrefix("socket:") }.count <= 4)
        }
    }

    /// A bundle that is replaced counts at once; one that is gone trusts nothing.
    @Test func theRootsAreTheFilesOfTheMoment() throws {
        try TemporaryDirectory.lend { directory in
            let certificates = try TestCertificates(in: directory)
            let bundle = directory + "/bundle.pem"
            let configuration = directory + "/trust.conf"
            try "roots = \(bundle)\n".write(
                toFile: configuration, atomically: true, encoding: .utf8)
            var options = TestService.Options()
            options.trustConfiguration = configuration
            var question = try question(certificates)
            question.anchors = []
            question.options = []
            try TestService.run(options) { service in
                let before = try service.keychain.evaluate(question)
                #expect(!before.isTrusted)
                #expect(before.worst?.fault == .noIssuer)
                try FileManager.default.copyItem(
                    atPath: certificates.path("root"), toPath: bundle)
                let with = try service.keychain.evaluate(question)
                #expect(with.isTrusted)
                #expect(with.anchor == .system)
                #expect(try service.keychain.systemRoots() == [certificates.der("root")])
                let text = try Data(contentsOf: URL(fileURLWithPath: bundle))
                try text.prefix(text.count / 2).write(to: URL(fileURLWithPath: bundle))
                let cut = try service.keychain.evaluate(question)
                #expect(!cut.isTrusted)
                try FileManager.default.removeItem(atPath: bundle)
                let gone = try service.keychain.evaluate(question)
                #expect(!gone.isTrusted)
            }
        }
    }

    /// Which programs are linked with libcrypto, by their own account.
    @Test func onlyTrustdAndTranscoderAreLinkedWithLibcrypto() throws {
        func libraries(_ path: String) throws -> String {
            try TestProcess.run("readelf", ["-dW", path]).output
        }
        let tools = try ["securityd", "enclaved", "peerinspector", "security"].map(Binaries.path)
        for path in try tools + [Binaries.testTask()] {
            let names = try libraries(path)
            #expect(!names.isEmpty, "\(path)")
            #expect(!names.contains("libcrypto"), "\(path)")
            #expect(!names.contains("libpsl"), "\(path)")
            #expect(!names.contains("libcurl"), "\(path)")
        }
        #expect(try libraries(Binaries.path("trustd")).contains("libcrypto"))
        let names = try libraries(Binaries.path("transcoder"))
        #expect(names.contains("libcrypto"))
        #expect(!names.contains("libpsl"))
        let fetcher = try libraries(Binaries.path("trustfetcher"))
        #expect(fetcher.contains("libcurl"))
        #expect(!fetcher.contains("libcrypto"))
        for name in ["trustd", "transcoder"] {
            #expect(try !libraries(Binaries.path(name)).contains("libcurl"))
        }
    }

    /// Chains that are made so that the number of paths explodes are refused within bounds, and
    /// others are answered meanwhile.
    @Test func pathologicalChainsAreBounded() throws {
        let cases = try TrustCases.limbo("limbo").filter { $0.id.hasPrefix("pathological::") }
        #expect(cases.count == 11)
        try TestService.run { service in
            for item in cases {
                let start = ContinuousClock.now
                var isTrusted = false
                do throws(KeychainError) {
                    isTrusted = try service.keychain.evaluate(item.question).isTrusted
                } catch { #expect(error.reason == .invalidRequest, "\(item.id)") }
                #expect(isTrusted == item.isGood, "\(item.id)")
                // 2 s of processor time, on a machine that does other things, too.
                #expect(start.duration(to: .now) < .seconds(6), "\(item.id)")
            }
            let running = try trustds(service)
            #expect(running.count == 1)
        }
    }
}
