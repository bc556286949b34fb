// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// The daemons as root installs them: other users may execute their files, but not read them.
    @Suite(.enabled(if: geteuid() == 0, "only root can install programs for another user"))
    struct InstalledDaemons {
        /// The words with which each daemon is started; they name no state directory that exists.
        static let starts = [
            ["securityd", "--worker", "--state", "/nonexistent"],
            ["enclaved", "--state", "/nonexistent", "--connections", "9"],
            ["peerinspector", "--state", "/nonexistent"],
        ]

        /// Installs the daemons for a user who owns none of the files.
        private static func install(mode: UInt32, _ body: (String) throws -> Void) throws {
            try Attackers.inSystemFolder { folder in
                for name in starts.map({ $0[0] }) {
                    let program = folder + "/" + name
                    try FileManager.default.copyItem(atPath: Binaries.path(name), toPath: program)
                    guard unsafe chown(program, 0, 0) == 0, unsafe chmod(program, mode) == 0 else {
                        throw TestFailure("\(program) can't be set up.")
                    }
                }
                try body(folder)
            }
        }

        /// The mode that the makefile gives them.
        private static func installedMode() throws -> UInt32 {
            let makefile = try String(
                contentsOfFile: Binaries.packageRoot + "/Makefile", encoding: .utf8)
            let lines = makefile.split(separator: "\n")
            let line = try #require(
                lines.first { $0.contains("for program in securityd enclaved") })
            for name in starts.map({ $0[0] }) { #expect(line.contains(name)) }
            let command = try #require(lines.first { $0.contains("install -m 0711") })
            #expect(command.contains("$(PREFIX)/bin/$$program"))
            return 0o711
        }

        /// A program of the same user stops a daemon as soon as the kernel has executed it, before
        /// the daemon makes itself undumpable, and debugs it.
        /// Red team: ephemeral, user; refused.
        /// Before: worked; attached, as all could read its files.
        @Test(arguments: starts)
        func daemonIsNotDebuggedBeforeItsFirstSteps(_ words: [String]) throws {
            func outcome(mode: UInt32) throws -> String {
                var output = ""
                try Self.install(mode: mode) { folder in
                    let attacker = try Attackers.compile("earlydebugger", into: folder)
                    let program = folder + "/" + words[0]
                    output = try TestProcess.run(
                        Binaries.launcher(),
                        ["--unprivileged", "--", attacker, program] + words.dropFirst()
                    ).output
                }
                return output
            }
            #expect(try outcome(mode: Self.installedMode()) == "refused \(EPERM)\n")
            // The control: the same programs, readable.
            #expect(try outcome(mode: 0o755) == "attached\n")
        }

        /// A program of the same user debugs the supervisor, which takes no right from itself.
        /// Red team: ephemeral, user; refused.
        /// Before: worked; attached, as all could read its files.
        @Test(arguments: SignedWorld.modes)
        func supervisorOfInstalledDaemonsIsNotDebugged(_ mode: TestService.Mode) throws {
            func error(mode fileMode: UInt32) throws -> String {
                var output = ""
                try Self.install(mode: fileMode) { folder in
                    var options = TestService.Options(mode)
                    options.isUnprivileged = true
                    options.program = folder + "/securityd"
                    try TestService.run(options) { service in
                        output = try TestProcess.run(
                            Binaries.launcher(),
                            ["--unprivileged", "attack", "\(service.supervisor)", "attach"]
                        ).output
                    }
                }
                return output
            }
            #expect(try error(mode: Self.installedMode()) == "error \(EPERM)\n")
            // The control: the same programs, readable.
            #expect(try error(mode: 0o755) == "error 0\n")
        }

        /// Daemons that can't read their own files start each other and tell who is asking.
        @Test(arguments: SignedWorld.modes)
        func daemonsThatTheirUserCannotReadServe(_ mode: TestService.Mode) throws {
            try Self.install(mode: Self.installedMode()) { folder in
                var options = TestService.Options(mode)
                options.isUnprivileged = true
                options.program = folder + "/securityd"
                let application = folder + "/application"
                try FileManager.default.copyItem(
                    atPath: Binaries.testApplication(), toPath: application)
                guard unsafe chmod(application, 0o755) == 0 else {
                    throw TestFailure("\(application) can't be set up.")
                }
                try TestService.run(options) { service in
                    func ask(_ words: String...) throws -> String {
                        try TestProcess.run(
                            Binaries.launcher(),
                            ["--unprivileged", "--", application, service.socketPath] + words
                        ).output
                    }
                    let reading = try TestProcess.run(
                        Binaries.launcher(), ["--unprivileged", "--", "cat", folder + "/securityd"])
                    #expect(reading.output == "")
                    #expect(reading.ending != .exit(0))
                    #expect(try ask("whoami").hasPrefix("P\npath:\(application)\n"))
                    #expect(try ask("add", "bank", "MANGO") == "ok\n")
                    // New ones are started as well.
                    try service.crash(service.worker())
                    try Waiting.until("the restarted service") {
                        try ask("find", "bank") == "MANGO\n"
                    }
                    #expect(try ask("set-passcode", "correct-horse") == "ok\n")
                    #expect(try ask("unlock", "correct-horse") == "ok\n")
                }
            }
        }
    }
}
