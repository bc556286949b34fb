// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport

/// The system service, below a directory of the test's, with users that are plain numbers.
final class SystemWorld {
    static let securityd: UInt32 = 65_521
    static let enclaved: UInt32 = 65_522
    static let peerinspector: UInt32 = 65_523
    /// Two users of the machine.
    static let anna: UInt32 = 65_524
    static let berta: UInt32 = 65_525

    /// What all of the service's paths are below.
    let root: String
    /// The supervisor, or what starts it.
    let process: TestProcess

    var socketPath: String { root + "/run/llavero/securityd.sock" }
    private var application: String { root + "/bin/TestApplication" }

    /// Lends a directory that the programs lie in, and in which root alone makes others.
    static func prepare<R>(_ body: (String) throws -> R) throws -> R {
        try TemporaryDirectory.lend { root in
            let bin = root + "/bin"
            try FileManager.default.createDirectory(
                atPath: bin, withIntermediateDirectories: false)
            for folder in [root, bin] {
                guard unsafe chmod(folder, 0o755) == 0 else { throw TestFailure(folder) }
            }
            _ = try Binaries.copyDaemons(to: bin)
            for program in [try Binaries.testApplication(), try Binaries.path("security")] {
                try FileManager.default.copyItem(
                    atPath: URL(fileURLWithPath: program).resolvingSymlinksInPath().path,
                    toPath: bin + "/" + (program as NSString).lastPathComponent)
            }
            return try body(root)
        }
    }

    /// The words that start it.
    static func words(_ root: String) -> [String] {
        [
            "--system", "--device-key", "file", "--root", root, "--users",
            "\(securityd),\(enclaved),\(peerinspector)",
        ]
    }

    /// Runs a service.
    static func run<R>(_ body: (SystemWorld) throws -> R) throws -> R {
        try prepare { root in try run(in: root, body) }
    }

    /// Runs a service in a directory that was prepared.
    static func run<R>(in root: String, _ body: (SystemWorld) throws -> R) throws -> R {
        let world = try SystemWorld(root)
        defer { world.stop() }
        do { return try body(world) } catch {
            throw TestFailure("\(error)\nThe service said:\n\(world.messages)")
        }
    }

    private init(_ root: String) throws {
        self.root = root
        process = try TestProcess(root + "/bin/securityd", Self.words(root))
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

    /// Gives a user his first passcode, which root permits.
    func setPasscode(_ passcode: String, of user: UInt32) throws {
        let permit = try run(0, [root + "/bin/security", "device", "permit-passcode", "\(user)"])
        guard permit == "" else { throw TestFailure(permit) }
        let answer = try ask(user, "set-passcode", passcode)
        guard answer == "ok" else { throw TestFailure(answer) }
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
