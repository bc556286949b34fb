// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import FetchRules
import Foundation
import IPC
import ItemStore
import Logging
import Sandbox
import SecretBytes
import SecurityDaemon
import Supervision
import Synchronization

/// The process that serves clients; the supervisor starts it with the listening socket and its
/// lifeline as descriptors 3 and 4.
enum Worker {
    private static let listener: Int32 = 3
    private static let lifeline: Int32 = 4
    /// "Temporary failure": the supervisor starts a new worker.
    static let restartStatus: Int32 = 75

    /// Serves until the lifeline closes or something breaks.
    /// - Parameters:
    ///   - stateDirectory: The state directory.
    ///   - enclaveArguments: Additional arguments for enclaved.
    ///   - agent: The descriptor of the connection to the agent, with the key of touches behind it;
    ///     nil where persons aren't asked.
    ///   - trust: Where roots and revocation lists are.
    /// - Throws: why it can't start.
    static func run(
        stateDirectory: String, enclaveArguments: [String], agent: Int32?,
        trust: TrustConfiguration
    ) throws -> Never {
        try prepareProcess()
        let descriptorLimit = raiseDescriptorLimit()
        let releases = ReleaseThreads()
        // Before there is a thread, a client or a secret.
        let starter = try ProgramStarter(
            [
                .init(path: sibling("peerinspector"), arguments: ["--state", stateDirectory]),
                .init(
                    path: sibling("trustd"),
                    arguments: ["--connections", "\(TrustDesk.threadCount)"] + trust.arguments
                        + (trust.fetch.isOff ? [] : ["--fetch"])),
                .init(path: sibling("transcoder"), arguments: ["--connections", "1"]),
                .init(
                    path: sibling("trustfetcher"),
                    arguments: ["--connections", "1", "--fetch", trust.fetch.text]),
            ], releases: releases)
        let log = makeLog()
        let store = try openStore(stateDirectory, log, isOver: lifelineCloses)
        let enclave = try startEnclave(
            stateDirectory, enclaveArguments, touchKey: agent.map { $0 + 1 })
        let desk = try InspectionDesk(
            first: startInspector(starter), start: { try startInspector(starter) },
            report: { log.error("\($0)") })
        let ending = Ending()
        var listening = ListeningConfiguration(
            listener: listener,
            connectionLimit: Service.connectionLimit(descriptorLimit: descriptorLimit),
            onlyUser: geteuid(), identities: desk, releases: releases,
            scrub: { Sandbox.scrubStack(byteCount: scrubByteCount) })
        listening.fronts = FrontDoor(
            directory: try programDirectory(), policyPath: stateDirectory + "/" + policyFile,
            isOfMachine: false, report: { log.error("\($0)") })
        var parts = Service.Parts(
            listening: listening, store: store, enclaveSockets: enclave.sockets, log: log,
            restart: { ending.restart(because: $0, log) })
        parts.agent = agent.map { agentConnection($0) }
        parts.trust = TrustDesk(
            start: { _ in try startTrust(starter) }, report: { log.error("\($0)") })
        parts.transcoder = TranscoderDesk(
            start: { try startTranscoder(starter) }, report: { log.error("\($0)") })
        if !trust.fetch.isOff {
            parts.fetches = FetchDesk(
                start: { try startFetcher(starter) }, report: { log.error("\($0)") })
        }
        let service = try Service.start(parts)
        let status = waitForEnd(of: enclave.process)
        guard let status else {
            service.finish(within: endMilliseconds)
            ending.begin()
            end(enclave)
            _exit(0)
        }
        log.error("restarting: enclaved ended (\(ChildProcess.ending(status)))")
        _exit(restartStatus)
    }

    /// Whether the process is ending in order.
    final class Ending: Sendable {
        private let hasBegun = Atomic(false)

        /// The process is going to exit.
        func begin() { hasBegun.store(true, ordering: .releasing) }

        /// Exits, so that the supervisor starts another worker. At an orderly end, threads also find
        /// their connections closed: then the process exits without this.
        func restart(because reason: String, _ log: Logger) -> Never {
            while hasBegun.load(ordering: .acquiring) { sleep(1) }
            log.error(
                "restarting: \(reason)",
                metadata: LogMessage.securitydRestarts.metadata())
            _exit(restartStatus)
        }
    }

    /// Restricts the process, and makes it ignore the terminal's signals.
    static func prepareProcess() throws {
        try Sandbox.reexecuteHardened()
        try Sandbox.harden()
        SecretMemory.preferSecretMemory()
        signal(SIGINT, SIG_IGN)
        signal(SIGHUP, SIG_IGN)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Checks the directory, opens the database in it, and logs what it found damaged.
    /// - Parameters:
    ///   - stateDirectory: The directory.
    ///   - log: The log.
    ///   - isOver: Waits that many milliseconds; whether the process must end.
    /// - Returns: The database.
    /// - Throws: why it can't be opened, and no later try would help.
    static func openStore(
        _ stateDirectory: String, _ log: Logger, isOver: (Int32) -> Bool
    ) throws -> ItemStore {
        try PrivateDirectory.check(stateDirectory)
        let store = try openStore(stateDirectory, isOver: isOver)
        if case .keptAside(let name)? = store.notice {
            log.error(
                """
                The keychain database was damaged. It is kept as \(stateDirectory)/\(name); a new, \
                empty one is in use. `security device recover` brings back what still opens.
                """,
                metadata: LogMessage.databaseDamaged.metadata())
        }
        if let name = store.keptLog {
            log.error(
                """
                The keychain database's log was damaged: the last changes may be lost. It is kept \
                as \(stateDirectory)/\(name).
                """,
                metadata: LogMessage.databaseDamaged.metadata())
        }
        return store
    }

    /// Opens the database. If the disk or the permissions prevent it, retries until it succeeds:
    /// the keychain itself is intact then. Ends the process permanently when only a newer version
    /// can open it.
    private static func openStore(
        _ stateDirectory: String, isOver: (Int32) -> Bool
    ) throws(StoreError) -> ItemStore {
        var hasComplained = false
        while true {
            do throws(StoreError) {
                return try ItemStore(stateDirectory: stateDirectory, timestamp: timestamp())
            } catch {
                guard error != .newerVersion else {
                    say(
                        "A newer version wrote the keychain in \(stateDirectory); it is left as it "
                            + "is. Start that version, or choose another place with XDG_DATA_HOME.")
                    _exit(Supervisor.permanentFailureStatus)
                }
                guard error.isOfTheSurroundings else { throw error }
                if !hasComplained {
                    say(
                        "The keychain in \(stateDirectory) can't be opened (\(error)): is there room "
                            + "on the disk, and may this user write there? Trying again.")
                }
                hasComplained = true
                if isOver(storeRetryMilliseconds) { _exit(0) }
            }
        }
    }

    private static let storeRetryMilliseconds: Int32 = 1000

    /// Whether the supervisor closes the lifeline meanwhile.
    private static func lifelineCloses(_ milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: lifeline, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) > 0
    }

    /// The stack depth of a request's calls, with a margin.
    static let scrubByteCount = 64 * 1024

    // MARK: - The agent

    /// The supervisor starts the agent when this process signals that there is a question.
    private static func agentConnection(_ agent: Int32) -> AgentConnection {
        _ = fcntl(agent, F_SETFD, FD_CLOEXEC)
        let supervisor = getppid()
        return AgentConnection(socket: MessageSocket(Descriptor(owning: agent))) {
            kill(supervisor, SIGUSR1)
        }
    }

    // MARK: - The inspectors

    /// Their places in the starter's list.
    private static let inspectorIndex = 0
    private static let trustIndex = 1
    private static let transcoderIndex = 2
    private static let fetcherIndex = 3

    /// Starts a process that inspects peers; it ends with its connection.
    private static func startInspector(
        _ starter: ProgramStarter
    ) throws -> InspectionDesk.Inspector {
        let (connection, process) = try InspectorConnection.connect {
            try starter.start(inspectorIndex, [$0])
        }
        return InspectionDesk.Inspector(process: process, connection: connection)
    }

    // MARK: - Trust

    /// Starts a trustd; it ends with its connections.
    private static func startTrust(_ starter: ProgramStarter) throws -> TrustDesk.Running {
        try start(trustIndex, TrustDesk.threadCount, starter)
    }

    /// Starts a transcoder; it ends with its connection.
    private static func startTranscoder(_ starter: ProgramStarter) throws -> TrustDesk.Running {
        try start(transcoderIndex, 1, starter)
    }

    /// Starts a trustfetcher; it ends with its connection.
    private static func startFetcher(_ starter: ProgramStarter) throws -> TrustDesk.Running {
        try start(fetcherIndex, 1, starter)
    }

    private static func start(
        _ index: Int, _ connectionCount: Int, _ starter: ProgramStarter
    ) throws -> TrustDesk.Running {
        var ours: [Int32] = []
        var theirs: [Int32] = []
        defer { for descriptor in theirs { close(descriptor) } }
        for _ in 0..<connectionCount {
            let (here, there) = try UnixSocket.pair()
            ours.append(here)
            theirs.append(there)
        }
        do {
            return TrustDesk.Running(process: try starter.start(index, theirs), sockets: ours)
        } catch {
            for descriptor in ours { close(descriptor) }
            throw error
        }
    }

    // MARK: - The enclave

    private static func startEnclave(
        _ stateDirectory: String, _ arguments: [String], touchKey: Int32?
    ) throws -> (process: Int32, sockets: [Int32]) {
        var ours: [Int32] = []
        var theirs: [Int32] = []
        for _ in 0..<Service.enclaveConnectionCount {
            let (here, there) = try UnixSocket.pair()
            ours.append(here)
            theirs.append(there)
        }
        // Keys of protectors, which this process neither reads nor keeps.
        var keys = protectorDescriptors(arguments)
        var arguments = arguments
        if let touchKey {
            // The supervisor has put it behind the connection to the agent.
            keys.append(touchKey)
            arguments.append("--touch-key")
        }
        var options = ChildProcess.Options()
        options.descriptors = theirs + keys
        options.environment = Sandbox.hardenedEnvironment
        options.hasNoInput = true
        let process = try ChildProcess.start(
            sibling("enclaved"),
            ["enclaved", "--state", stateDirectory, "--connections", "\(theirs.count)"] + arguments,
            options)
        for descriptor in theirs + keys { close(descriptor) }
        return (process, ours)
    }

    /// Those that the supervisor has put behind the lifeline: one for each user of the argument.
    private static func protectorDescriptors(_ arguments: [String]) -> [Int32] {
        guard let place = arguments.firstIndex(of: "--protectors"), place + 1 < arguments.count
        else { return [] }
        let count = arguments[place + 1].split(separator: ",").count
        return (1...max(count, 1)).map { lifeline + Int32($0) }
    }

    /// A program in the same folder.
    private static func sibling(_ name: String) throws -> String {
        try programDirectory() + "/" + name
    }

    /// The directory of this program.
    static func programDirectory() throws -> String {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return (program as NSString).deletingLastPathComponent
    }

    /// The name of the policy file for the Secret Service.
    static let policyFile = "secret-service.conf"

    /// Waits until the supervisor closes the lifeline or the enclave ends.
    /// - Returns: The enclave's wait status; nil when the supervisor closed the lifeline.
    private static func waitForEnd(of enclave: Int32) -> Int32? {
        let watched = llavero_pidfd_open(enclave)
        while true {
            var entries = [
                pollfd(fd: lifeline, events: Int16(POLLIN), revents: 0),
                pollfd(fd: watched, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&entries, 2, -1) > 0 else { continue }
            if entries[0].revents != 0 { return nil }
            var status: Int32 = 0
            if unsafe waitpid(enclave, &status, WNOHANG) == enclave { return status }
        }
    }

    /// Lets the enclave end before this process, so that no process uses the state directory any
    /// more when the supervisor learns of the end.
    private static func end(_ enclave: (process: Int32, sockets: [Int32])) {
        for socket in enclave.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        let watched = llavero_pidfd_open(enclave.process)
        var entry = pollfd(fd: watched, events: Int16(POLLIN), revents: 0)
        if unsafe poll(&entry, 1, endMilliseconds) <= 0 { kill(enclave.process, SIGKILL) }
        var status: Int32 = 0
        _ = unsafe waitpid(enclave.process, &status, 0)
    }

    /// The time limit for the orderly end of each part; the supervisor waits for all of them.
    static let endMilliseconds: Int32 = 5000

    // MARK: - The environment

    /// Raises the limit of descriptors for many clients, up to the hard limit.
    static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(7), &limit) == 0 else { return 1024 }
        limit.rlim_cur = min(limit.rlim_max, 65536)
        _ = unsafe setrlimit(__rlimit_resource_t(7), &limit)
        return Int(limit.rlim_cur)
    }

    static func makeLog() -> Logger {
        let log = ServiceLog(program: "securityd")
        LoggingSystem.bootstrap { _ in ServiceLogHandler(log: log) }
        return Logger(label: "securityd")
    }

    /// The current time, in the form for a file's name: `20260102T030405Z`.
    private static func timestamp() -> String {
        var now = time(nil)
        var parts = unsafe tm()
        unsafe gmtime_r(&now, &parts)
        return unsafe String(
            format: "%04d%02d%02dT%02d%02d%02dZ", parts.tm_year + 1900, parts.tm_mon + 1,
            parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec)
    }
}
