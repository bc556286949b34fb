// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport

/// The system service, below a directory of the test's, with users that are plain numbers.
final class SystemWorld {
    static let securityd = SystemUsers.securityd
    static let enclaved = SystemUsers.enclaved
    static let peerinspector = SystemUsers.peerinspector
    static let session = SystemUsers.session
    static let trust = SystemUsers.trust
    static let anna = SystemUsers.anna
    static let berta = SystemUsers.berta

    /// What all of the service's paths are below.
    let root: String
    /// The supervisor, or what starts it.
    let process: TestProcess

    var socketPath: String { root + "/run/llavero/securityd.sock" }
    private var application: String { root + "/bin/TestApplication" }

    /// Lends a directory that the programs lie in, and in which root alone makes others.
    static func prepare<R>(_ body: (String) throws -> R) throws -> R {
        try TemporaryDirectory.lend { root in
            _ = try TestService.installForSystem(in: root)
            for program in [try Binaries.testApplication(), try Binaries.path("security")] {
                try FileManager.default.copyItem(
                    atPath: URL(fileURLWithPath: program).resolvingSymlinksInPath().path,
                    toPath: root + "/bin/" + (program as NSString).lastPathComponent)
            }
            return try body(root)
        }
    }

    /// Runs a service.
    static func run<R>(_ body: (SystemWorld) throws -> R) throws -> R {
        try prepare { root in try run(in: root, body) }
    }

    /// What a unit adds to the words that start it.
    struct Unit {
        var arguments: [String] = []
        /// What systemd sets for LoadCredential=.
        var credentialsDirectory: String?
    }

    /// Runs a service in a directory that was prepared.
    /// - Parameters:
    ///   - root: The directory.
    ///   - descriptorLimit: How many descriptors each daemon may have; nil leaves the limit as it is.
    ///   - unit: What a unit adds.
    ///   - body: What is done with it.
    /// - Returns: What `body` returns.
    /// - Throws: what `body` throws, with what the service has said.
    static func run<R>(
        in root: String, descriptorLimit: Int? = nil, as unit: Unit = Unit(),
        _ body: (SystemWorld) throws -> R
    ) throws -> R {
        let world = try SystemWorld(root, descriptorLimit, unit)
        defer { world.stop() }
        do { return try body(world) } catch {
            throw TestFailure("\(error)\nThe service said:\n\(world.messages)")
        }
    }

    private init(_ root: String, _ descriptorLimit: Int?, _ unit: Unit) throws {
        self.root = root
        var options = TestProcess.Options()
        options.environment["CREDENTIALS_DIRECTORY"] = unit.credentialsDirectory
        let limit = descriptorLimit.map { ["prlimit", "--nofile=\($0):\($0)"] } ?? []
        let words = limit + [root + "/bin/securityd"] + SystemUsers.words(root) + unit.arguments
        process = try TestProcess(words[0], Array(words.dropFirst()), options)
        try Waiting.until("the service to listen") {
            guard ProcessEntry.runs(process.pid) else {
                throw TestFailure("The service ended at once: \(process.errorText)")
            }
            return messages.contains("Listening at ")
        }
    }

    /// What the service has written.
    var messages: String { process.errorText }

    /// Ends it in order.
    func stop() {
        process.signal(SIGTERM)
        _ = try? process.wait()
        process.end()
        let left = ProcessEntry.mentioning(root).filter { $0.words.first?.hasPrefix("/") == false }
        for daemon in left { kill(daemon.pid, SIGKILL) }
    }

    // MARK: - Users

    /// Runs the test's application as a user, against the service.
    /// - Returns: Its lines, with spaces between them.
    func ask(_ user: UInt32, _ words: String...) throws -> String {
        try run(user, [application, socketPath] + words)
    }

    /// Runs a program as a user.
    func run(_ user: UInt32, _ words: [String], input: String = "") throws -> String {
        var options = TestProcess.Options()
        options.environment = ["LLAVERO_SOCKET": socketPath]
        let result = try TestProcess.run(
            "setpriv", ["--reuid=\(user)", "--regid=\(user)", "--clear-groups"] + words, options,
            input: input)
        return (result.output + result.errors).split(separator: "\n").joined(separator: " ")
    }

    /// Root's code for a user's first passcode.
    func permit(_ user: UInt32) throws -> String {
        let permit = try run(0, [root + "/bin/security", "device", "permit-passcode", "\(user)"])
        guard permit.count == 19 else { throw TestFailure(permit) }
        return permit
    }

    /// Gives a user a first passcode, which root permits.
    func setPasscode(_ passcode: String, of user: UInt32) throws {
        let answer = try ask(user, "set-passcode", passcode, permit(user))
        guard answer == "ok" else { throw TestFailure(answer) }
    }

    /// Starts a program as a user; it doesn't use the service by itself.
    func start(_ user: UInt32, _ words: [String]) throws -> TestProcess {
        var options = TestProcess.Options()
        options.environment = ["LLAVERO_SOCKET": socketPath]
        return try TestProcess(
            "setpriv", ["--reuid=\(user)", "--regid=\(user)", "--clear-groups"] + words, options)
    }

    /// Runs the test's application as a user, for longer.
    func start(_ user: UInt32, application words: String...) throws -> TestProcess {
        try start(user, [application, socketPath] + words)
    }

    /// Runs the `security` tool as a user.
    func security(_ user: UInt32, _ words: String..., input: String = "") throws -> String {
        try run(user, [root + "/bin/security"] + words, input: input)
    }

    // MARK: - Processes

    /// A child of the supervisor, once it runs.
    func daemon(_ name: String, other: Int32 = 0) throws -> Int32 {
        try Waiting.value("\(name) to run") {
            ProcessEntry.mentioning(root).first {
                $0.parent == process.pid && $0.words.first == name && $0.pid != other
            }?.pid
        }
    }

    /// Kills a daemon, and waits for the next one.
    func crash(_ name: String) throws {
        let before = try daemon(name)
        kill(before, SIGKILL)
        _ = try daemon(name, other: before)
    }
}
