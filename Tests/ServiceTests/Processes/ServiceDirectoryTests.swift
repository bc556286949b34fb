// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Directories in which the service must not store anything.
    @Suite struct StateDirectories {
        @Test func directoryThatOthersMayEnterIsRefused() throws {
            for mode in [0o755, 0o750, 0o701, 0o777] as [mode_t] {
                try TemporaryDirectory.lend { directory in
                    let state = directory + "/llavero"
                    #expect(unsafe mkdir(state, mode) == 0 && chmod(state, mode) == 0)
                    try Self.expectRefusal(directory, "chmod 700 '\(state)'")
                    #expect(try FileManager.default.contentsOfDirectory(atPath: state) == [])
                    // The message says how to fix it, and that helps.
                    #expect(unsafe chmod(state, 0o700) == 0)
                    try Self.expectService(directory)
                }
            }
        }

        @Test func fileInTheWayIsRefused() throws {
            try TemporaryDirectory.lend { directory in
                try Data("mine".utf8).write(to: URL(fileURLWithPath: directory + "/llavero"))
                try Self.expectRefusal(directory, "Move it away")
                let content = try Data(contentsOf: URL(fileURLWithPath: directory + "/llavero"))
                #expect(content == Data("mine".utf8))
            }
        }

        @Test func linkToADirectoryIsRefused() throws {
            try TemporaryDirectory.lend { directory in
                #expect(unsafe mkdir(directory + "/elsewhere", 0o700) == 0)
                #expect(unsafe symlink(directory + "/elsewhere", directory + "/llavero") == 0)
                try Self.expectRefusal(directory, "Move it away")
                let elsewhere = try FileManager.default.contentsOfDirectory(
                    atPath: directory + "/elsewhere")
                #expect(elsewhere == [])
            }
        }

        /// When the lock can't be taken for any other reason, the service must not report another
        /// service.
        @Test func lockThatNobodyCanTakeIsToldFromOneThatIsTaken() throws {
            try TemporaryDirectory.lend { directory in
                let state = directory + "/llavero"
                #expect(unsafe mkdir(state, 0o700) == 0)
                #expect(unsafe mkdir(state + "/supervisor.lock", 0o700) == 0)
                try Self.expectRefusal(directory, "\(state) can't be used: ")
                let result = try Self.start(data: directory, runtime: directory)
                #expect(!result.errors.contains("Another securityd"))
                #expect(unsafe rmdir(state + "/supervisor.lock") == 0)
                try Self.expectService(directory)
            }
        }

        /// Only root can change a directory's owner. In CI the test runs, and fails without root.
        private static let mustRun =
            geteuid() == 0 || ProcessInfo.processInfo.environment["CI"] != nil

        @Test(.enabled(if: mustRun, "only root can give a directory away"))
        func directoryOfAnotherUserIsRefused() throws {
            try TemporaryDirectory.lend { directory in
                let state = directory + "/llavero"
                #expect(unsafe mkdir(state, 0o700) == 0)
                #expect(unsafe chown(state, TestService.unprivilegedUser, 0) == 0)
                try Self.expectRefusal(directory, "Give it back (chown)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: state) == [])
            }
        }

        @Test func runtimeDirectoryIsCheckedToo() throws {
            try TemporaryDirectory.lend { directory in
                let runtime = directory + "/runtime"
                #expect(unsafe mkdir(runtime, 0o700) == 0)
                #expect(unsafe mkdir(runtime + "/llavero", 0o755) == 0)
                let result = try Self.start(data: directory, runtime: runtime)
                #expect(result.ending == .exit(1))
                #expect(result.errors.contains("chmod 700 '\(runtime)/llavero'"))
            }
        }

        @Test func socketPathThatTheKernelDoesNotTakeIsRefused() throws {
            try TemporaryDirectory.lend { directory in
                let runtime = directory + "/" + String(repeating: "r", count: 100)
                #expect(unsafe mkdir(runtime, 0o700) == 0)
                let result = try Self.start(data: directory, runtime: runtime)
                #expect(result.ending == .exit(1))
                #expect(result.errors.contains("107"))
                #expect(result.errors.contains("XDG_RUNTIME_DIR"))

                var options = TestProcess.Options()
                options.environment = ["TMPDIR": runtime]
                let ephemeral = try TestProcess.run(
                    Binaries.path("securityd"),
                    ["--ephemeral", "--device-key", "file", "--", "true"], options)
                #expect(ephemeral.ending == .exit(1))
                #expect(ephemeral.errors.contains("TMPDIR"))
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: runtime + "/llavero") == [])
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: runtime) == ["llavero"])
            }
        }

        @Test func secondServiceOfTheSameStateIsRefused() throws {
            try TestService.run(.init(.user)) { service in
                try service.keychain.add(.password("anna"))
                let directory = (service.stateDirectory as NSString).deletingLastPathComponent
                try Self.expectRefusal(directory, "Stop it first")
                // Nor with another directory for its socket.
                let other = directory + "/runtime"
                #expect(unsafe mkdir(other, 0o700) == 0)
                let result = try Self.start(data: directory, runtime: other)
                #expect(result.ending == .exit(1))
                // The first service isn't affected.
                #expect(try one(service, "anna").secret?.testText == "secret")
                #expect(try service.connect().find(.password("anna")).count == 1)
            }
        }

        /// A disk that is mounted read-only, or missing rights.
        @Test func stateThatCanNotBeWrittenIsToldAndLeftAsItIs() throws {
            let user = geteuid() == 0 ? TestService.unprivilegedUser : geteuid()
            try TemporaryDirectory.lend(owner: user) { directory in
                try TemporaryDirectory.lend(owner: user) { other in
                    var options = TestService.Options(.user, directory: directory)
                    options.isUnprivileged = true
                    let program = try Binaries.copyDaemons(to: other)
                    options.program = program
                    try TestService.run(options) { service in
                        try OtherUser.act(as: user, on: service) { keychain in
                            try keychain.add(.password("anna", secret: "kept"))
                        }
                    }
                    let state = directory + "/llavero"
                    let before = try Self.content(state)
                    let modes = try Self.takeWriteRights(state)
                    var starting = TestProcess.Options()
                    starting.environment = ["XDG_DATA_HOME": directory, "XDG_RUNTIME_DIR": other]
                    let result = try TestProcess.run(
                        Binaries.launcher(),
                        ["--unprivileged", "--", program, "--user", "--device-key", "file"],
                        starting)
                    #expect(result.ending == .exit(1))
                    #expect(result.errors.contains("\(state) can't be used: "))
                    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
                    #expect(try Self.content(state) == before)
                    for (path, mode) in modes { #expect(unsafe chmod(path, mode) == 0) }
                    try TestService.run(options) { service in
                        try OtherUser.act(as: user, on: service) { keychain in
                            let found = try keychain.find(.password("anna")).first
                            #expect(found?.secret?.testText == "kept")
                        }
                    }
                }
            }
        }

        @Test func missingDirectoriesAreMadePrivate() throws {
            try TemporaryDirectory.lend { directory in
                let data = directory + "/a/b"
                let runtime = directory + "/r"
                #expect(unsafe mkdir(runtime, 0o700) == 0)
                var options = TestProcess.Options()
                options.environment = ["XDG_DATA_HOME": data, "XDG_RUNTIME_DIR": runtime]
                let process = try TestProcess(
                    Binaries.launcher(),
                    [
                        "--guard", "--", Binaries.path("securityd"), "--user", "--device-key",
                        "file",
                    ],
                    options)
                defer { process.end() }
                let socket = runtime + "/llavero/securityd.sock"
                try Waiting.until("the service") { process.errorText.contains(socket) }
                let keychain = KeychainConnection(location: ServiceLocation(socketPath: socket))
                try keychain.add(.password("anna"))
                for path in [data + "/llavero", runtime + "/llavero", data + "/llavero/enclave"] {
                    var status = stat()
                    #expect(unsafe lstat(path, &status) == 0)
                    #expect(status.st_mode & 0o777 == 0o700)
                }
                var status = stat()
                #expect(unsafe lstat(socket, &status) == 0)
                #expect(status.st_mode & 0o777 == 0o600)
                process.closeInput()
                #expect(try process.wait() == .exit(0))
                // The socket is removed, the state stays.
                #expect(unsafe lstat(socket, &status) != 0)
                #expect(unsafe lstat(data + "/llavero/keychain.db", &status) == 0)
            }
        }

        // MARK: - Helpers

        /// Every file's bytes, by its name.
        private static func content(_ state: String) throws -> [String: Data] {
            var content: [String: Data] = [:]
            for name in try FileManager.default.subpathsOfDirectory(atPath: state) {
                content[name] = try? Data(contentsOf: URL(fileURLWithPath: state + "/" + name))
            }
            return content
        }

        /// - Returns: The previous modes.
        private static func takeWriteRights(_ state: String) throws -> [(String, mode_t)] {
            let names = try FileManager.default.subpathsOfDirectory(atPath: state)
            return try ([state] + names.map { state + "/" + $0 }).map { path in
                var status = stat()
                guard unsafe lstat(path, &status) == 0,
                    unsafe chmod(path, status.st_mode & 0o7555) == 0
                else { throw TestFailure("The mode of \(path) can't be changed.") }
                return (path, status.st_mode & 0o7777)
            }
        }

        private static func start(data: String, runtime: String) throws -> TestProcess.Result {
            var options = TestProcess.Options()
            options.environment = ["XDG_DATA_HOME": data, "XDG_RUNTIME_DIR": runtime]
            return try TestProcess.run(
                Binaries.path("securityd"), ["--user", "--device-key", "file"], options)
        }

        private static func expectRefusal(_ directory: String, _ mend: String) throws {
            let result = try start(data: directory, runtime: directory)
            #expect(result.ending == .exit(1))
            #expect(result.errors.contains(mend), "\(result.errors)")
            #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
        }

        private static func expectService(_ directory: String) throws {
            try TestService.run(.init(.user, directory: directory)) { service in
                _ = try service.keychain.add(.password("anna"))
            }
        }
    }
}
