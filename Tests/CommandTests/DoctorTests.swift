// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// `security device doctor`, with a service and without one.
@Suite struct DoctorTests {
    /// The findings of one run, and its exit status.
    private struct Page {
        let status: Int32
        let severity: String
        let findings: [[String: String]]
        let checks: [[String: Any]]

        init(_ answer: Answer) throws {
            let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8))
            let fields = try #require(object as? [String: Any])
            status = answer.status
            #expect(Set(fields.keys) == ["severity", "findings", "checks"])
            severity = try #require(fields["severity"] as? String)
            findings = try #require(fields["findings"] as? [[String: String]])
            checks = try #require(fields["checks"] as? [[String: Any]])
            for finding in findings {
                #expect(
                    Set(finding.keys) == ["check", "code", "severity", "what", "why", "advice"])
            }
            #expect(answer.errors == "")
        }

        var codes: [String] { findings.compactMap { $0["code"] } }

        /// The findings that don't depend on this machine's kernel, TPM and disk.
        var ofTheService: [String] {
            findings.filter {
                !["kernel", "device key", "disk", "kept files"].contains($0["check"])
            }.compactMap { $0["code"] }
        }
    }

    private static let names = [
        "service", "directories", "disk", "clock", "kernel", "device key", "kept files", "versions",
        "state",
    ]

    @Test func runningServiceHasNothingBroken() throws {
        let security = try Transcript()
        let page = try Page(security.run("device", "doctor", "--json"))
        #expect(page.checks.compactMap { $0["name"] as? String } == Self.names)
        #expect(page.checks.allSatisfy { $0["skipped"] as? Bool == false })
        #expect(page.ofTheService == [])
        #expect(page.status == (page.findings.isEmpty ? 0 : 1))
        #expect(page.severity == (page.findings.isEmpty ? "none" : "advice"))
        let plain = try security.run("device", "doctor")
        #expect(plain.status == page.status)
        #expect(plain.output.contains("\nLooked at:\n  service       user "))
        #expect(plain.output.contains("securityd 0.1.0, enclaved 0.1.0\n"))
    }

    @Test func lockedServiceIsAdvice() throws {
        let security = try Transcript()
        #expect(
            try security.run("device", "set-passcode", "--passcode-fd", "0", input: "1234\n").status
                == 0)
        #expect(try security.run("device", "lock").status == 0)
        let page = try Page(security.run("device", "doctor", "--json"))
        #expect(page.ofTheService == ["locked"])
        #expect(page.status == 1)
    }

    @Test func absentServiceIsTheFirstFinding() throws {
        try TemporaryDirectory.lend { directory in
            let security = Transcript(socket: directory + "/securityd.sock")
            let page = try Page(security.run("device", "doctor", "--json"))
            #expect(page.status == 2)
            #expect(page.severity == "broken")
            #expect(page.codes.first == "socket-absent")
            let plain = try security.run("device", "doctor")
            #expect(plain.status == 2)
            #expect(plain.output.contains("\nBROKEN: No service is there: "))
            #expect(
                plain.output.contains("  state         not looked at: no service answers\n"))
        }
    }

    /// A program takes the connection and says nothing, as a service that is stopped.
    @Test func serviceThatDoesNotAnswerEndsTheWait() throws {
        let service = try TestService.start()
        try service.halt(try service.worker())
        let start = ContinuousClock.now
        let answer = try Transcript(socket: service.socketPath)
            .run(["device", "doctor", "--json"], deadlineMilliseconds: 500)
        let page = try Page(answer)
        #expect(page.status == 2)
        #expect(page.codes.first == "no-answer")
        #expect(start.duration(to: .now) < .seconds(15))
        kill(try service.worker(), SIGCONT)
    }

    @Test func refusedSocketIsToldApart() throws {
        try TemporaryDirectory.lend { directory in
            let path = directory + "/securityd.sock"
            _ = try TestProcess.run(
                "/usr/bin/python3",
                [
                    "-c",
                    "import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])", path,
                ])
            let page = try Page(Transcript(socket: path).run("device", "doctor", "--json"))
            #expect(page.status == 2)
            #expect(page.codes.first == "socket-refused")
        }
    }

    /// Root's command meets a program of another user.
    @Test(.enabled(if: geteuid() == 0, "only root can start programs of another user"))
    func anotherUsersProgramAtTheSocketIsNamed() throws {
        try TemporaryDirectory.lend(owner: 65534) { directory in
            let path = directory + "/securityd.sock"
            let listening = """
                import socket,sys,time
                s=socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); print("up", flush=True)
                time.sleep(60)
                """
            let other = try TestProcess(
                "/usr/bin/setpriv",
                [
                    "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c",
                    listening, path,
                ])
            defer { other.end() }
            #expect(try other.readLine() == "up")
            let page = try Page(Transcript(socket: path).run("device", "doctor", "--json"))
            #expect(page.status == 2)
            #expect(page.codes.first == "socket-of-another-user")
        }
    }

    @Test func otherWordsAreWrongUsage() throws {
        let security = Transcript(socket: "/nonexistent")
        let answer = try security.run("device", "doctor", "--yaml")
        #expect(answer.status == 2)
        #expect(answer.output == "")
        #expect(answer.errors.contains("device doctor [--json]"))
    }
}
