// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Foundation
import Glibc
import IPC

/// Keeps the service running: holds the listening socket, starts the worker, restarts it when it
/// dies, and ends with its command or at a signal.
///
/// The socket stays open after a worker's death, so that clients wait for the next one instead of
/// being refused.
package struct Supervisor: ~Copyable {
    private let locations: Locations
    private let listener: Descriptor
    private let program: WorkerProgram
    private let say: (String) -> Void
    private var policy = RestartPolicy()
    private var worker: Worker?
    /// The process that asks persons; it starts at the first question.
    private var agent: Int32?
    /// When to restart a worker that died; nil while one runs or none will be started.
    private var restartTime: ContinuousClock.Instant?
    /// Whether clients are refused until then.
    private var refusesClients = false

    /// How the worker is started.
    package struct WorkerProgram: Sendable {
        let path: String
        let environment: [String: String]
        let arguments: [String]
        let protectors: [ProtectorSource]
        let agent: AgentProgram?

        /// - Parameters:
        ///   - path: The program's path; it is called as `securityd --worker --state DIRECTORY`.
        ///   - environment: Its whole environment.
        ///   - arguments: Appended to these.
        ///   - protectors: Keys of protectors for enclaved, to which the worker hands them on.
        ///   - agent: The program that asks persons; nil for none.
        package init(
            path: String, environment: [String: String], arguments: [String] = [],
            protectors: [ProtectorSource] = [], agent: AgentProgram? = nil
        ) {
            self.protectors = protectors
            self.path = path
            self.environment = environment
            self.arguments = arguments
            self.agent = agent
        }
    }

    /// How the program that asks persons is started.
    package struct AgentProgram: Sendable {
        let path: String
        let arguments: [String]
        let environment: [String: String]

        /// - Parameters:
        ///   - path: The program's path.
        ///   - arguments: Appended to its own.
        ///   - environment: Its whole environment.
        package init(path: String, arguments: [String], environment: [String: String]) {
            self.path = path
            self.arguments = arguments
            self.environment = environment
        }
    }

    private struct Worker {
        let process: Int32
        /// Closing it tells the worker to end.
        let lifeline: Int32
        /// The agent's end of its connection to the worker; -1 without an agent.
        let agentEnd: Int32
        /// What proves to enclaved who says that a finger was recognized; empty without an agent.
        let touchKey: [UInt8]
        let start: ContinuousClock.Instant
    }

    /// A program that runs after the service has started and before the command.
    package struct Preparation: Sendable {
        let path: String
        let arguments: [String]
        let descriptor: Int32

        /// - Parameters:
        ///   - path: The program's path.
        ///   - arguments: With the program's name as the first.
        ///   - descriptor: Becomes its descriptor 3. Closed when the program has ended, unless it
        ///     is one of the three standard ones: the command needs those.
        package init(path: String, arguments: [String], descriptor: Int32) {
            self.path = path
            self.arguments = arguments
            self.descriptor = descriptor
        }
    }

    /// The exit status of a worker that a restart can't help. It has printed the reason for a
    /// person. ("Configuration error" of sysexits.h.)
    package static let permanentFailureStatus: Int32 = 78

    /// The exit status of a securityd that is of another version than a daemon which can't be started
    /// again alone. ("Remote error in protocol" of sysexits.h.)
    package static let versionMismatchStatus: Int32 = 76

    static let backlog: Int32 = 4096
    /// How long a client waits at most for a refusal.
    private static let refusalInterval = Duration.milliseconds(50)
    /// Longer than the worker's limits for its parts.
    static let endMilliseconds = 20_000

    /// Listens.
    /// - Parameters:
    ///   - locations: Where to listen; on failure their socket and ephemeral state are removed.
    ///   - program: How the worker is started.
    ///   - say: Writes a line for a person.
    /// - Throws: ``SupervisionError/socketPathTooLong(_:byteCount:)``;
    ///   ``SupervisionError/socketUnusable(_:_:)``. Nothing else.
    package init(
        locations: consuming Locations, worker program: WorkerProgram,
        say: @escaping (String) -> Void
    ) throws(SupervisionError) {
        do throws(UnixSocket.Failure) {
            listener = try UnixSocket.listen(at: locations.socketPath, backlog: Self.backlog)
        } catch {
            let path = locations.socketPath
            locations.remove()
            switch error {
            case .pathTooLong(let count): throw .socketPathTooLong(path, byteCount: count)
            case .system(let error): throw .socketUnusable(path, error)
            }
        }
        self.locations = locations
        self.program = program
        self.say = say
    }

    /// Where clients find the service.
    package var socketPath: String { locations.socketPath }

    /// Runs a command while the service runs, and ends with it.
    /// - Parameters:
    ///   - command: The program and its arguments.
    ///   - preparation: Runs first. If it fails, the command isn't started.
    ///   - environment: For both; the socket is added.
    /// - Returns: The exit status of the command, or of a preparation that failed; 126 or 127 if
    ///   the program couldn't be started, as in a shell.
    /// - Throws: ``SupervisionError/programNotStarted(_:_:)`` when the worker can't be started.
    package consuming func run(
        command: [String], after preparation: Preparation? = nil, environment: [String: String]
    ) throws(SupervisionError) -> Int32 {
        Self.blockSignals()
        defer { locations.remove() }
        try startWorker()
        defer { endWorker() }
        var options = ChildProcess.Options()
        options.environment = environment
        options.environment["LLAVERO_SOCKET"] = locations.socketPath
        if let preparation {
            options.descriptors = [preparation.descriptor]
            let status = try run(preparation.path, preparation.arguments, options)
            if preparation.descriptor > STDERR_FILENO { close(preparation.descriptor) }
            guard status == 0 else { return status }
        }
        options.descriptors = []
        options.searchesPath = true
        return try run(command[0], command, options)
    }

    /// Runs a program and keeps the service running meanwhile.
    /// - Returns: The exit status, as a shell reports it.
    private mutating func run(
        _ path: String, _ arguments: [String], _ options: ChildProcess.Options
    ) throws(SupervisionError) -> Int32 {
        let child: Int32
        do { child = try ChildProcess.start(path, arguments, options) } catch {
            say("\(error)")
            guard case .programNotStarted(_, let cause) = error else { return 127 }
            return cause.errno == ENOENT ? 127 : 126
        }
        while true {
            guard let signal = try nextSignal() else { continue }
            if signal == SIGCHLD {
                if let status = reap(child) { return ChildProcess.exitStatus(status) }
            } else if signal == SIGTERM || signal == SIGHUP {
                // The terminal sends SIGINT to the whole foreground group: the child has received
                // it already.
                kill(child, signal)
            }
        }
    }

    /// Runs the service until a signal ends it.
    /// - Returns: 0, or 1 when another start of the worker wouldn't help.
    package consuming func run() throws(SupervisionError) -> Int32 {
        Self.blockSignals()
        defer { locations.remove() }
        try startWorker()
        defer { endWorker() }
        while true {
            guard let signal = try nextSignal() else { continue }
            guard signal == SIGCHLD else { return 0 }
            _ = reap(nil)
            if worker == nil && restartTime == nil { return 1 }
        }
    }

    // MARK: - The worker

    private mutating func startWorker() throws(SupervisionError) {
        let ends: (Int32, Int32)
        do { ends = try UnixSocket.pair() } catch {
            throw .programNotStarted("securityd", error)
        }
        // Opened at each start: they may be other files by then, and are read from the beginning.
        let opened = ProtectorSource.open(program.protectors, say: say)
        defer { for descriptor in [ends.1] + opened.descriptors { close(descriptor) } }
        var agentEnds: (Int32, Int32) = (-1, -1)
        if program.agent != nil {
            do { agentEnds = try MessageSocket.pair() } catch {
                close(ends.0)
                throw .programNotStarted("securityd", error)
            }
        }
        defer { if agentEnds.0 >= 0 { close(agentEnds.0) } }
        let touchKey = agentEnds.0 < 0 ? [] : Self.randomKey()
        let keyPipe = try Self.pipe(with: touchKey)
        defer { close(keyPipe) }
        var options = ChildProcess.Options()
        options.descriptors = [listener.rawValue, ends.1] + opened.descriptors
        var agentArguments: [String] = []
        if agentEnds.0 >= 0 {
            // Numbered from 3.
            agentArguments = ["--agent", "\(3 + options.descriptors.count)"]
            options.descriptors += [agentEnds.0, keyPipe]
        }
        options.environment = program.environment
        options.hasOwnSession = true
        options.hasNoInput = true
        do {
            let process = try ChildProcess.start(
                program.path,
                ["securityd", "--worker", "--state", locations.stateDirectory]
                    + agentArguments + program.arguments
                    + ProtectorSource.arguments(opened.userIDs), options)
            worker = Worker(
                process: process, lifeline: ends.0, agentEnd: agentEnds.1, touchKey: touchKey,
                start: .now)
        } catch {
            close(ends.0)
            if agentEnds.1 >= 0 { close(agentEnds.1) }
            throw error
        }
    }

    /// Collects children that have ended; if the worker was among them, schedules its restart.
    /// - Returns: The wait status of `child`, if that ended.
    private mutating func reap(_ child: Int32?) -> Int32? {
        var ended: Int32?
        while true {
            var status: Int32 = 0
            let process = unsafe waitpid(-1, &status, WNOHANG)
            guard process > 0 else { return ended }
            if process == child { ended = status }
            if process == agent {
                agent = nil
                tellAgentIsGone()
            }
            guard let dead = worker, process == dead.process else { continue }
            closeDescriptors(of: dead)
            worker = nil
            if ended != nil { continue }
            if ChildProcess.exitStatus(status) == Self.permanentFailureStatus {
                stopListening()
                continue
            }
            let restart = policy.restart(afterLifeOf: dead.start.duration(to: .now))
            if restart.isFirstSlow { say(Self.slowText(ChildProcess.ending(status))) }
            refusesClients = restart.isSlow
            restartTime = .now + restart.delay
        }
    }

    /// The line that the log gets once when a daemon keeps ending.
    static func slowText(_ ending: String) -> String {
        "The service keeps ending (\(ending)); its messages above say why. It is tried again every "
            + "30 seconds, until it works."
    }

    /// From now on clients are refused at once instead of waiting for a service that won't come.
    private func stopListening() { shutdown(listener.rawValue, Int32(SHUT_RDWR)) }

    /// Lets the worker end by itself, and kills it after a time limit.
    private mutating func endWorker() {
        guard let last = worker else { return }
        worker = nil
        closeDescriptors(of: last)
        for _ in 0..<Self.endMilliseconds / 5 {
            var status: Int32 = 0
            if unsafe waitpid(last.process, &status, WNOHANG) != 0 { return }
            Self.pause(.milliseconds(5))
        }
        kill(last.process, SIGKILL)
        var status: Int32 = 0
        _ = unsafe waitpid(last.process, &status, 0)
    }

    /// Without its connection the agent ends, too.
    private func closeDescriptors(of worker: Worker) {
        close(worker.lifeline)
        if worker.agentEnd >= 0 { close(worker.agentEnd) }
    }

    // MARK: - The agent

    /// The worker has a question.
    private mutating func startAgent() {
        guard agent == nil, let program = program.agent, let worker, worker.agentEnd >= 0 else {
            return
        }
        var options = ChildProcess.Options()
        options.environment = program.environment
        options.hasOwnSession = true
        options.hasNoInput = true
        do {
            let keyPipe = try Self.pipe(with: worker.touchKey)
            defer { close(keyPipe) }
            options.descriptors = [worker.agentEnd, keyPipe]
            agent = try ChildProcess.start(
                program.path,
                ["llavero-agent", "--key", locations.stateDirectory + "/enclave/passcode.pub"]
                    + program.arguments, options)
        } catch {
            say("\(error)")
            tellAgentIsGone()
        }
    }

    private static func randomKey() -> [UInt8] {
        (0..<TouchKey.byteCount).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// The reading end of a pipe with these bytes, few enough to be in it at once.
    private static func pipe(with bytes: [UInt8]) throws(SupervisionError) -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard unsafe llavero_pipe(&ends) == 0 else {
            throw .programNotStarted("securityd", SystemError("pipe"))
        }
        let output = Descriptor(owning: ends[1])
        guard unsafe write(output.rawValue, bytes, bytes.count) == bytes.count else {
            close(ends[0])
            throw .programNotStarted("securityd", SystemError("write"))
        }
        return ends[0]
    }

    /// A question that waits for the agent ends.
    private func tellAgentIsGone() {
        guard let worker, worker.agentEnd >= 0 else { return }
        MessageSocket.send(Self.agentIsGone, to: worker.agentEnd)
    }

    /// The message of an agent that has ended (PROTOCOL.md, "The agent").
    private static let agentIsGone: [UInt8] = [6]

    // MARK: - Signals

    private static let signals = [SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1]

    private static func set() -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        return set
    }

    private static func blockSignals() {
        var set = set()
        unsafe sigprocmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for a signal; restarts the worker when it is time.
    /// - Returns: Nil when it was woken without a signal.
    private mutating func nextSignal() throws(SupervisionError) -> Int32? {
        var set = Self.set()
        guard let restartTime else {
            let signal = unsafe sigwaitinfo(&set, nil)
            if signal == SIGUSR1 { startAgent() }
            return signal > 0 && signal != SIGUSR1 ? signal : nil
        }
        if refusesClients { WaitingClients.refuse(listener.rawValue) }
        let left = max(ContinuousClock.now.duration(to: restartTime), .zero)
        var rest = Self.timespec(refusesClients ? min(left, Self.refusalInterval) : left)
        let signal = unsafe sigtimedwait(&set, nil, &rest)
        if signal == SIGUSR1 {
            startAgent()
            return nil
        }
        if signal > 0 { return signal }
        if ContinuousClock.now >= restartTime {
            self.restartTime = nil
            refusesClients = false
            try startWorker()
        }
        return nil
    }

    private static func pause(_ duration: Duration) {
        guard duration > .zero else { return }
        var time = timespec(duration)
        unsafe nanosleep(&time, nil)
    }

    private static func timespec(_ duration: Duration) -> Glibc.timespec {
        let (seconds, attoseconds) = duration.components
        return Glibc.timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    }
}
