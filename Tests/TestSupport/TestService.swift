// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
package import Keychain
import SecretBytes

/// The released daemons, running for one test.
package final class TestService {
    /// How the service is started.
    package enum Mode: Sendable {
        /// `securityd --ephemeral`, with a command that ends on the test's request.
        case ephemeral
        /// `securityd --user`.
        case user
        /// `securityd --system`, started by root, with the users of ``SystemUsers``.
        case system
    }

    /// A test's options.
    package struct Options {
        /// How it is started.
        package var mode = Mode.ephemeral
        /// Its directory; a new temporary one when nil. In user mode the state is in `llavero`
        /// below it.
        package var directory: String?
        /// Runs as the user nobody when the test runs as root.
        package var isUnprivileged = false
        /// The kernel pretends to have no `memfd_secret`.
        package var lacksSecretMemory = false
        /// `memfd_secret` is forbidden, as in a container.
        package var forbidsSecretMemory = false
        /// Landlock's calls are forbidden.
        package var forbidsLandlock = false
        /// The kernel pretends to have neither `SO_PEERPIDFD` nor `PAGEMAP_SCAN`, as Linux 6.1.
        package var isOnOldKernel = TestService.isOnOldKernel
        /// Lets the same user look into the daemons, as root can anyway.
        package var isInspectable = false
        /// Each call that changes a file of a user service is stopped first, so that
        /// ``TestService/strike(_:)`` can make one fail.
        package var hasFaults = false
        /// With ``hasFaults``: reads of the database can also fail.
        package var hasFaultyReads = false
        /// Where it makes its device key, or where its TPM is; never a TPM of this machine.
        package var deviceKey = "file"
        /// A file that says where roots and revocation lists are; of an ephemeral service.
        package var trustConfiguration: String?
        /// The securityd to start; nil is the one in ``Binaries/directory``.
        package var program: String?
        /// Of a user service: more arguments of securityd's.
        package var arguments: [String] = []
        /// Added to securityd's environment.
        package var environment: [String: String] = [:]
        /// Of a user service: what systemd sets for a unit with LoadCredential=.
        package var credentialsDirectory: String?

        /// An ephemeral service.
        package init(_ mode: Mode = .ephemeral, directory: String? = nil) {
            self.mode = mode
            self.directory = directory
        }
    }

    /// Where clients find it.
    package let socketPath: String
    /// The directory of its database; the enclave's state is in `enclave` below it.
    package let stateDirectory: String
    /// The supervisor.
    package let supervisor: Int32
    /// A connection that tests may share.
    package let keychain: KeychainConnection
    /// The directory with the list of trusted teams.
    package let trustDirectory: String
    /// What all words of its daemons that are paths begin with.
    private let root: String
    private let process: TestProcess
    /// Known only to this test, so that it identifies the processes.
    private let mode: Mode
    private var hasStopped = false

    /// Whether services that are started now see an old kernel, where a test doesn't make the options
    /// itself.
    @TaskLocal package static var isOnOldKernel = false

    /// The user that tests drop to.
    package static let unprivilegedUser: UInt32 = 65534

    /// Starts a service, passes it to a closure, stops it and removes its files, also after an
    /// error.
    package static func run<R>(
        _ options: Options = Options(), _ body: (TestService) throws -> R
    ) throws -> R {
        let dropsRights = options.isUnprivileged && geteuid() == 0
        guard let directory = options.directory else {
            return try TemporaryDirectory.lend(owner: dropsRights ? unprivilegedUser : nil) {
                var options = options
                options.directory = $0
                return try run(options, body)
            }
        }
        if dropsRights, options.program == nil {
            return try TemporaryDirectory.lend(owner: unprivilegedUser) {
                var options = options
                options.program = try Binaries.copyDaemons(to: $0)
                return try run(options, body)
            }
        }
        if options.mode == .system, options.program == nil {
            var options = options
            options.program = try installForSystem(in: directory)
            return try run(options, body)
        }
        let service = try TestService(options, directory)
        let result: Result<R, any Error>
        do { result = .success(try body(service)) } catch {
            result = .failure(
                TestFailure("\(error)\nThe service said:\n\(service.messages)"))
        }
        let stopping = Result { try service.stop() }
        let value = try result.get()
        _ = try stopping.get()
        return value
    }

    /// Makes a directory one for a system service, with the daemons in it, in which root alone makes
    /// others.
    /// - Returns: Its securityd.
    package static func installForSystem(in root: String) throws -> String {
        let bin = root + "/bin"
        try FileManager.default.createDirectory(
            atPath: bin, withIntermediateDirectories: false)
        for folder in [root, bin] {
            guard unsafe chmod(folder, 0o755) == 0 else { throw TestFailure(folder) }
        }
        return try Binaries.copyDaemons(to: bin)
    }

    /// Starts an ephemeral service that ends with the object, at the latest with the test process:
    /// for tests that share one.
    package static func start() throws -> TestService {
        let directory = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        return try TestService(Options(), directory)
    }

    deinit { if !hasStopped { _ = try? stop() } }

    private init(_ options: Options, _ directory: String) throws {
        mode = options.mode
        let program = try options.program ?? Binaries.path("securityd")
        _ = try Binaries.path("enclaved")
        var processOptions = TestProcess.Options()
        var words = Self.launcherWords(options, directory)
        switch options.mode {
        case .ephemeral:
            processOptions.environment = ["TMPDIR": directory]
            words += [
                program, "--ephemeral", "--device-key", options.deviceKey,
            ]
            words += options.trustConfiguration.map { ["--trust-config", $0] } ?? []
            words += ["--", "sh", "-c", #"printf "%s\n" "$LLAVERO_SOCKET"; exec cat"#]
        case .user:
            processOptions.environment = ["XDG_DATA_HOME": directory, "XDG_RUNTIME_DIR": directory]
            if let credentials = options.credentialsDirectory {
                processOptions.environment["CREDENTIALS_DIRECTORY"] = credentials
            }
            words += [program, "--user", "--device-key", options.deviceKey] + options.arguments
        case .system:
            words += [program] + SystemUsers.words(directory)
        }
        processOptions.environment.merge(options.environment) { _, added in added }
        let isLaunched = words[0] != program
        process = try TestProcess(
            isLaunched ? Binaries.launcher() : program,
            isLaunched ? words : Array(words.dropFirst()),
            processOptions)
        switch options.mode {
        case .ephemeral:
            supervisor = process.pid
            socketPath = try process.readLine()
        case .user:
            guard let child = Int32(try process.readLine()) else {
                throw TestFailure("The launcher doesn't name its child.")
            }
            supervisor = child
            socketPath = directory + "/llavero/securityd.sock"
        case .system:
            supervisor = process.pid
            socketPath = directory + "/run/llavero/securityd.sock"
        }
        let place = (socketPath as NSString).deletingLastPathComponent
        stateDirectory = mode == .system ? directory + "/var/lib/llavero" : place
        trustDirectory = mode == .system ? directory + "/etc/llavero" : place
        root = mode == .system ? directory : place
        keychain = KeychainConnection(location: Self.location(socketPath))
        do { try waitUntilListening() } catch {
            _ = try? stop()
            throw TestFailure("\(error)\nThe service said:\n\(messages)")
        }
    }

    private static func launcherWords(_ options: Options, _ directory: String) -> [String] {
        var words: [String] = []
        if options.mode == .user { words.append("--guard") }
        if options.isUnprivileged { words.append("--unprivileged") }
        if options.lacksSecretMemory { words.append("--without-secret-memory") }
        if options.forbidsSecretMemory { words.append("--forbidden-secret-memory") }
        if options.forbidsLandlock { words.append("--without-landlock") }
        if options.isOnOldKernel { words.append("--old-kernel") }
        if options.isInspectable { words.append("--inspectable") }
        if options.hasFaults { words.append("--faults=\(directory)/") }
        if options.hasFaultyReads { words.append("--faulty-reads") }
        return words.isEmpty ? [] : words + ["--"]
    }

    /// The socket's file may be a leftover of a service that was killed, so the service's own
    /// output counts.
    private func waitUntilListening() throws {
        guard mode != .ephemeral else { return }
        try Waiting.until("the service to listen") {
            guard ProcessEntry.runs(process.pid) else {
                throw TestFailure("The service ended at once.")
            }
            let place = mode == .system ? "" : socketPath
            return messages.contains("Listening at \(place)")
        }
    }

    /// Another connection; a process has at most 16 to an event thread.
    package func connect() -> KeychainConnection {
        KeychainConnection(location: Self.location(socketPath))
    }

    /// On a machine that is busy with other tests a reply may take longer than an application's
    /// deadline.
    private static func location(_ socketPath: String) -> ServiceLocation {
        ServiceLocation(socketPath: socketPath, deadline: Waiting.patience)
    }

    /// What the service has written to standard error.
    package var messages: String { process.errorText }

    // MARK: - Faults

    /// From now on this call fails, counted from here; see the launcher's `Fault`: `none`, `fail N
    /// ERRNO`, `short N`, `kill N`, `full N`, `readonly N`, `unreadable OFFSET COUNT`.
    package func strike(_ fault: String) throws {
        let answer = try ask(fault)
        guard answer == "ok" else { throw TestFailure("The launcher says \(answer).") }
    }

    /// How many calls changed files since the last `strike`, and how many failed.
    package func fileCalls() throws -> (count: Int, struck: Int) {
        let numbers = try ask("count").split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 2 else { throw TestFailure("The launcher doesn't count.") }
        return (numbers[0], numbers[1])
    }

    /// The names of the calls since the last `strike`, in order.
    package func fileCallNames() throws -> [Substring] { try ask("calls").split(separator: " ") }

    private func ask(_ line: String) throws -> String {
        process.write(line + "\n")
        return try process.readLine()
    }

    // MARK: - Processes

    /// The running daemons.
    package var daemons: [ProcessEntry] { ProcessEntry.mentioning(root) }

    /// securityd, once it runs.
    package func worker() throws -> Int32 {
        try Waiting.value("securityd to run") {
            daemons.first { entry in
                entry.parent == supervisor
                    && (mode == .system
                        ? entry.words.first == "securityd" : entry.words.contains("--worker"))
            }?.pid
        }
    }

    /// enclaved, once it runs.
    package func enclave() throws -> Int32 {
        try Waiting.value("enclaved to run") {
            let all = daemons
            if mode == .system {
                return all.first { $0.parent == supervisor && $0.words.first == "enclaved" }?.pid
            }
            let worker = all.first { $0.parent == supervisor && $0.words.contains("--worker") }
            return all.first { $0.parent == worker?.pid && $0.words.contains("--connections") }?.pid
        }
    }

    /// The passcode deriver, once it runs.
    package func deriver() throws -> Int32 {
        let enclave = try enclave()
        return try Waiting.value("the passcode deriver to run") {
            daemons.first { $0.parent == enclave && $0.words.contains("--connections") }?.pid
        }
    }

    /// Processes of a program that securityd uses. securityd starts them, or a child of its that has no
    /// client's descriptor.
    /// - Throws: when securityd doesn't run.
    package func helpers(_ name: String) throws -> [Int32] {
        let worker = try worker()
        let all = ProcessEntry.all()
        let parents = Set([worker, supervisor] + all.filter { $0.parent == worker }.map(\.pid))
        return all.filter { parents.contains($0.parent) && $0.words.first == name }.map(\.pid)
    }

    /// The processes that look into peers.
    /// - Throws: when securityd doesn't run.
    package func inspectors() throws -> [Int32] { try helpers("peerinspector") }

    /// Stops a daemon, so that it reads nothing, until a SIGCONT.
    ///
    /// Its threads continue until the signal reaches them: the test waits for that.
    package func halt(_ pid: Int32) throws {
        kill(pid, SIGSTOP)
        try Waiting.until("process \(pid) to stop") {
            let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")
            return try tasks.allSatisfy { task in
                try ProcessFile.read(pid, "task/\(task)/stat").contains(") T ")
            }
        }
    }

    /// Ends a daemon as a crash would, and waits until it has ended.
    package func crash(_ pid: Int32) throws {
        kill(pid, SIGKILL)
        try Waiting.until("process \(pid) to end") { !ProcessEntry.runs(pid) }
    }

    // MARK: - Ending

    /// Ends the service in order.
    /// - Returns: How the supervisor ended (for a user service: its launcher, which passes it on).
    /// - Throws: when a process is left; it is then killed.
    @discardableResult
    package func stop() throws -> TestProcess.Ending {
        hasStopped = true
        if mode == .system { process.signal(SIGTERM) } else { process.closeInput() }
        defer { process.end() }
        let ending = Result { try process.wait() }
        do {
            try Waiting.until("the daemons to end") { daemons.isEmpty }
        } catch {
            for daemon in daemons { kill(daemon.pid, SIGKILL) }
            if ProcessEntry.runs(supervisor) { kill(supervisor, SIGKILL) }
            throw error
        }
        return try ending.get()
    }
}
