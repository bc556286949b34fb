// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Starting, ending, and being killed.
    @Suite struct Supervision {
        @Test(arguments: [
            ("exit 0", TestProcess.Ending.exit(0)), ("exit 7", .exit(7)), ("exit 255", .exit(255)),
            ("kill -TERM $$", .exit(128 + 15)), ("kill -KILL $$", .exit(128 + 9)),
        ])
        func endingOfTheCommandIsPassedOn(
            command: String, ending: TestProcess.Ending
        ) throws {
            try TemporaryDirectory.lend { directory in
                let result = try Self.ephemeral(["sh", "-c", command], directory)
                #expect(result.ending == ending)
                // An orderly end prints no error.
                #expect(result.errors == "")
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
                #expect(ProcessEntry.mentioning(directory) == [])
            }
        }

        @Test func commandThatCannotBeStartedGivesTheShellsStatus() throws {
            try TemporaryDirectory.lend { directory in
                let missing = try Self.ephemeral(["/no/such/program"], directory)
                #expect(missing.ending == .exit(127))
                #expect(missing.errors.contains("/no/such/program"))
                let notExecutable = try Self.ephemeral(["/etc/passwd"], directory)
                #expect(notExecutable.ending == .exit(126))
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
            }
        }

        @Test func commandGetsItsArgumentsInputAndTheSocket() throws {
            try TemporaryDirectory.lend { directory in
                let result = try Self.ephemeral(
                    [
                        "sh", "-c", #"cat; printf "%s|" "$@"; test -S "$LLAVERO_SOCKET""#, "sh",
                        "a b", "--", "-x",
                    ],
                    directory, input: "from the test\n")
                #expect(result.output == "from the test\na b|--|-x|")
                #expect(result.ending == .exit(0))
            }
        }

        @Test func commandFindsAPasscodeSetAndDoesNotGetIt() throws {
            try TemporaryDirectory.lend { directory in
                let security = try Binaries.path("security")
                let result = try Self.ephemeral(
                    [
                        "sh", "-c",
                        #"ls /proc/self/fd | tr '\n' ' '; cat; "$0" device status --json"#,
                        security,
                    ],
                    directory, words: ["--passcode-fd", "0"], input: "1234 567\nthe rest")
                #expect(result.ending == .exit(0), "\(result.errors)")
                #expect(result.errors == "")
                // 3 is the directory that ls reads; the passcode's line was read before.
                #expect(result.output.hasPrefix("0 1 2 3 the rest{"), "\(result.output)")
                let status =
                    try JSONSerialization.jsonObject(
                        with: Data(
                            result.output.drop { $0 != "{" }.utf8)) as? [String: Any]
                #expect(status?["passcodeSet"] as? Bool == true)
                #expect(status?["state"] as? String == "U")
            }
        }

        @Test func passcodeThatCannotBeSetKeepsTheCommandFromStarting() throws {
            try TemporaryDirectory.lend { directory in
                let result = try Self.ephemeral(
                    ["sh", "-c", "echo started"], directory, words: ["--passcode-fd", "0"])
                #expect(result.ending != .exit(0))
                #expect(result.output == "")
                #expect(result.errors != "")
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
            }
        }

        @Test func wrongArgumentsAreRefused() throws {
            let program = try Binaries.path("securityd")
            for words in [
                [], ["--nonsense"], ["--ephemeral"], ["--ephemeral", "--"], ["--user", "x"],
                ["--ephemeral", "--passcode-fd"], ["--ephemeral", "--passcode-fd", "0"],
                ["--ephemeral", "--passcode-fd", "77", "--", "true"],
                ["--ephemeral", "--passcode-fd", "-1", "--", "true"],
                ["--ephemeral", "--passcode-fd", "x", "--", "true"],
                ["--ephemeral", "--device-key"], ["--user", "--passcode-fd", "0"],
            ] {
                let result = try TestProcess.run(program, words)
                #expect(result.ending == .exit(2), "\(words)")
                #expect(result.errors.contains("usage:"), "\(words)")
            }
        }

        @Test func signalToTheSupervisorReachesTheCommand() throws {
            try TemporaryDirectory.lend { directory in
                var options = TestProcess.Options()
                options.environment = ["TMPDIR": directory]
                let process = try TestProcess(
                    Binaries.path("securityd"),
                    [
                        "--ephemeral", "--device-key", "file", "--", "sh", "-c",
                        "trap 'exit 9' TERM; echo ready; while :; do read line; done",
                    ], options)
                defer { process.end() }
                #expect(try process.readLine() == "ready")
                process.signal(SIGTERM)
                process.closeInput()
                #expect(try process.wait() == .exit(9))
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
            }
        }

        @Test func killedSupervisorTakesItsDaemonsAlong() throws {
            for mode in [TestService.Mode.ephemeral, .user] {
                try TestService.run(TestService.Options(mode)) { service in
                    try service.keychain.add(.password("anna"))
                    let pids = [
                        try service.worker(), try service.enclave(), try service.deriver(),
                    ]
                    kill(service.supervisor, SIGKILL)
                    // Inspectors end after securityd.
                    try Waiting.until("the daemons to end by themselves") {
                        pids.allSatisfy { !ProcessEntry.runs($0) } && service.daemons.isEmpty
                    }
                }
            }
        }

        @Test func nextStartRemovesWhatAKilledOneLeft() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.ephemeral, directory: directory)
                try TestService.run(options) { service in
                    try service.keychain.add(.password("anna"))
                    kill(service.supervisor, SIGKILL)
                    try Waiting.until("the daemons to end") { service.daemons.isEmpty }
                    #expect(FileManager.default.fileExists(atPath: service.stateDirectory))
                }
                let left = try FileManager.default.contentsOfDirectory(atPath: directory)
                #expect(left.count == 1)
                try TestService.run(options) { service in
                    let now = try FileManager.default.contentsOfDirectory(atPath: directory)
                    #expect(now.count == 1)
                    #expect(now != left)
                    #expect(reason { try service.keychain.find(.password("anna")) } == .absent)
                    // The next start doesn't touch the directory of a running service.
                    try TestService.run(options) { second in
                        #expect(second.stateDirectory != service.stateDirectory)
                        try second.keychain.add(.password("berta"))
                    }
                    try service.keychain.add(.password("carla"))
                }
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
            }
        }

        @Test func userServiceKeepsItsItemsWhenItsSupervisorIsKilled() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                try TestService.run(options) { service in
                    try service.keychain.add(.password("anna", secret: "kept"))
                    kill(service.supervisor, SIGKILL)
                    try Waiting.until("the daemons to end") { service.daemons.isEmpty }
                    #expect(reason { try service.keychain.find(.password("anna")) } == .unreachable)
                }
                try TestService.run(options) { service in
                    let found = try one(service, "anna")
                    #expect(found.secret?.testText == "kept")
                }
            }
        }

        @Test func nothingListeningIsUnreachableAtOnce() throws {
            try TemporaryDirectory.lend { directory in
                let keychain = KeychainConnection(
                    location: ServiceLocation(socketPath: directory + "/securityd.sock"))
                let query = ItemQuery.password("anna")
                #expect(status { try keychain.find(query) } == -25291)
                #expect(reason { try keychain.add(.password("anna")) } == .unreachable)
                let long = directory + "/" + String(repeating: "x", count: 120)
                let tooLong = KeychainConnection(location: ServiceLocation(socketPath: long))
                #expect(reason { try tooLong.find(query) } == .socketPathTooLong)
            }
        }

        private static func ephemeral(
            _ command: [String], _ directory: String, words: [String] = [], input: String = ""
        ) throws -> TestProcess.Result {
            var options = TestProcess.Options()
            options.environment = ["TMPDIR": directory]
            return try TestProcess.run(
                Binaries.path("securityd"),
                ["--ephemeral", "--device-key", "file"] + words + ["--"] + command, options,
                input: input)
        }
    }
}
