// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Foundation
package import IPC

/// Keeps the daemons of the system service running, each as a user of its own, and connects them
/// (decision 33).
///
/// It reads nothing from clients, and from its daemons only that they work. After it has started
/// the daemon that needs more, it keeps only the rights to become another user. The listening
/// socket and the sockets to enclaved are its own, so that enclaved, and with it what is unlocked,
/// stays when securityd ends.
package final class SystemSupervisor {
    /// What it is made of.
    package struct Parts {
        /// The folder of all programs.
        package var programs: String
        /// The whole environment of the daemons.
        package var environment: [String: String]
        /// Additional arguments for enclaved.
        package var enclaveArguments: [String]
        /// How many connections to enclaved securityd needs.
        package var enclaveConnectionCount: Int
        /// The keys that unlock users' keybags at the start.
        package var protectors: [ProtectorSource]
        /// Where trustd finds roots and revocation lists, as its arguments.
        package var trustArguments: [String] = []
        /// Writes a line for a person, and what happened for programs.
        package var say: (LogMessage, String) -> Void

        package init(
            programs: String, environment: [String: String], enclaveArguments: [String],
            enclaveConnectionCount: Int, protectors: [ProtectorSource] = [],
            say: @escaping (LogMessage, String) -> Void
        ) {
            self.protectors = protectors
            self.programs = programs
            self.environment = environment
            self.enclaveArguments = enclaveArguments
            self.enclaveConnectionCount = enclaveConnectionCount
            self.say = say
        }
    }

    /// At boot, enclaved may be earlier than the TPM's driver. It answers nothing meanwhile, so this
    /// is shorter than what it may take to answer a ping.
    private static let tpmWaitSeconds = 30
    /// CAP_SETGID and CAP_SETUID.
    private static let keptRights: UInt64 = 1 << 6 | 1 << 7
    /// CAP_SYS_PTRACE.
    private static let inspectorsRight: UInt64 = 1 << 19
    /// Between two questions whether the daemons work.
    private static let pingInterval = Duration.seconds(5)
    private static let refusalMilliseconds = 50
    private static let childEndMilliseconds = 5000
    /// securityd ends by itself when enclaved has ended.
    private static let followMilliseconds = 5000

    private let places: SystemPlaces
    private let users: ServiceUsers
    private let manager: ServiceManager
    private let parts: Parts
    private let listener: Descriptor
    /// Whether it made the socket's file itself.
    private let hasOwnSocket: Bool
    private let signals: Descriptor
    private var daemons: [SystemDaemon.Kind: SystemDaemon] = [:]
    private var policies: [SystemDaemon.Kind: RestartPolicy] = [:]
    private var due: [SystemDaemon.Kind: ContinuousClock.Instant] = [:]
    private var refusesClients = false
    private var isReady = false
    private var nextPing = ContinuousClock.now
    private var nextLifeSign = ContinuousClock.now

    /// Checks everything, and listens. Starts nothing yet.
    /// - Parameters:
    ///   - root: What all paths are below; empty for the system itself.
    ///   - users: The daemons' users.
    ///   - manager: The service manager that started this process, if any.
    ///   - parts: The rest.
    /// - Throws: ``SupervisionError``: a sentence that says what is missing or wrong.
    package init(
        root: String, users: ServiceUsers, manager: ServiceManager, _ parts: Parts
    ) throws(SupervisionError) {
        guard geteuid() == 0 else { throw .notRoot }
        let rights = llavero_rights()
        guard rights & Self.keptRights == Self.keptRights else {
            throw .rightMissing("CAP_SETUID or CAP_SETGID")
        }
        if rights & Self.inspectorsRight == 0 {
            parts.say(
                .rightMissing,
                "CAP_SYS_PTRACE was taken away from this process: programs can't be told apart, so "
                    + "all programs of a user share their items.")
        }
        if !manager.isThere {
            parts.say(
                .rightMissing,
                "No service manager waits for this process: nothing starts it again if it is killed."
            )
        }
        self.users = users
        self.manager = manager
        self.parts = parts
        hasOwnSocket = !manager.hasSocket
        places = try SystemPlaces(root: root, users: users)
        listener = try Self.listener(manager, places.socketPath)
        signals = try Self.blockedSignals()
        signal(SIGPIPE, SIG_IGN)
    }

    private static func blockedSignals() throws(SupervisionError) -> Descriptor {
        let wanted = [SIGCHLD, SIGTERM, SIGINT, SIGHUP]
        let descriptor = unsafe llavero_signal_descriptor(wanted, wanted.count)
        guard descriptor >= 0 else {
            throw .programNotStarted("securityd", SystemError("signalfd"))
        }
        return Descriptor(owning: descriptor)
    }

    /// Where clients find the service.
    package var socketPath: String { places.socketPath }

    private static func listener(
        _ manager: ServiceManager, _ path: String
    ) throws(SupervisionError) -> Descriptor {
        if manager.hasSocket { return try manager.listener() }
        // The lock is ours, so an existing socket belongs to a service that has ended.
        _ = unsafe unlink(path)
        do throws(UnixSocket.Failure) {
            let socket = try UnixSocket.listen(at: path, backlog: Supervisor.backlog)
            // Every user may connect.
            guard unsafe chmod(path, 0o666) == 0 else {
                throw .system(SystemError("chmod"))
            }
            return socket
        } catch {
            switch error {
            case .pathTooLong(let count): throw .socketPathTooLong(path, byteCount: count)
            case .system(let error): throw .socketUnusable(path, error)
            }
        }
    }

    /// Runs the service until a signal ends it.
    /// - Returns: 0, or 1 when it can't go on.
    /// - Throws: ``SupervisionError`` when it can't begin.
    package func run() throws(SupervisionError) -> Int32 {
        defer {
            endAll()
            if hasOwnSocket { _ = unsafe unlink(places.socketPath) }
        }
        // The only one that needs more rights than to become its user, so it can't be started later.
        try start(.peerinspector)
        guard llavero_keep_rights(Self.keptRights) == 0 else {
            throw .rightsNotGivenUp(SystemError("capset"))
        }
        if hasTrust { due[.trustd] = .now }
        for kind in [SystemDaemon.Kind.enclaved, .securityd] { due[kind] = .now }
        while true {
            if let status = handleSignals() { return status }
            startDue()
            careForDaemons()
            wait()
        }
    }

    // MARK: - Waiting

    private func wait() {
        let now = ContinuousClock.now
        var next = nextPing
        for (kind, time) in due where kind != .securityd || daemons[.enclaved] != nil {
            next = min(next, time)
        }
        if manager.watchdogInterval != nil { next = min(next, nextLifeSign) }
        var milliseconds = Int(max(now.duration(to: next), .zero) / .milliseconds(1)) + 1
        if refusesClients {
            WaitingClients.refuse(listener.rawValue)
            milliseconds = min(milliseconds, Self.refusalMilliseconds)
        }
        let running = Array(daemons.values)
        var entries = ([signals.rawValue] + running.map(\.control.rawValue)).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        guard unsafe poll(&entries, nfds_t(entries.count), Int32(clamping: milliseconds)) > 0 else {
            return
        }
        for (daemon, entry) in zip(running, entries.dropFirst()) where entry.revents != 0 {
            listen(to: daemon)
        }
    }

    private func listen(to daemon: SystemDaemon) {
        switch daemon.control.receive() {
        case .message(.ping, _): daemon.answered()
        case .nothing: return
        case .message(_, let files):
            for file in files { close(file) }
            daemon.kill()
        // It ends, or will be killed: its end is reported by a signal.
        case .end: daemon.deadline = daemon.deadline ?? .now + .milliseconds(100)
        }
        if !isReady, daemons[.securityd]?.hasAnswered == true {
            isReady = true
            manager.tell("READY=1", "STATUS=Serving")
            parts.say(.serviceReady, "Listening at \(places.socketPath)")
        }
    }

    private func careForDaemons() {
        let now = ContinuousClock.now
        if nextPing <= now {
            nextPing = now + Self.pingInterval
            for daemon in daemons.values { daemon.ping() }
        }
        for daemon in daemons.values where daemon.isLate {
            parts.say(.daemonHangs, "\(daemon.kind.rawValue) doesn't answer and is killed.")
            daemon.kill()
            daemon.expectEnd(within: Self.pingInterval)
        }
        if let interval = manager.watchdogInterval, nextLifeSign <= now {
            nextLifeSign = now + interval / 2
            manager.tell("WATCHDOG=1")
        }
    }

    // MARK: - Signals

    /// - Returns: The exit status when the service must end.
    private func handleSignals() -> Int32? {
        while true {
            switch llavero_next_signal(signals.rawValue) {
            case 0: return nil
            case SIGCHLD: if let status = reap() { return status }
            // What is on the disk now is started, after an upgrade. enclaved stays, and with it what
            // is unlocked.
            case SIGHUP:
                end(.securityd, within: Supervisor.endMilliseconds)
                due[.securityd] = .now
                if daemons[.enclaved] == nil { due[.enclaved] = .now }
            default: return 0
            }
        }
    }

    /// Collects children that have ended, and decides when they are started again.
    /// - Returns: The exit status when that is not possible.
    private func reap() -> Int32? {
        while true {
            var status: Int32 = 0
            let process = unsafe waitpid(-1, &status, WNOHANG)
            guard process > 0 else { return nil }
            guard let daemon = daemons.values.first(where: { $0.process == process }) else {
                continue
            }
            daemons[daemon.kind] = nil
            let ending = ChildProcess.ending(status)
            switch daemon.kind {
            case .peerinspector:
                parts.say(
                    .serviceEnds,
                    "peerinspector ended (\(ending)). The right that it needs is given up, so the "
                        + "whole service must be started again.")
                return 1
            case .securityd
            where ChildProcess.exitStatus(status) == Supervisor.permanentFailureStatus:
                return 1
            case .securityd
            where ChildProcess.exitStatus(status) == Supervisor.versionMismatchStatus:
                guard hasCurrentEnclave(daemon) else {
                    schedule(daemon, ending)
                    continue
                }
                parts.say(
                    .serviceEnds,
                    "The daemons are of different versions. The service ends, so that the service "
                        + "manager starts all of them from one version. This locks all users.")
                return Supervisor.versionMismatchStatus
            // securityd has the connection to the one that has ended, so it is started again, too.
            case .trustd:
                schedule(daemon, ending)
                end(.securityd, within: Supervisor.endMilliseconds)
                due[.securityd] = due[.trustd]
            case .enclaved, .securityd: schedule(daemon, ending)
            }
        }
    }

    /// Whether a securityd had its connections to the enclaved that runs. One that has ended, or is
    /// about to, closes them like one of another version.
    private func hasCurrentEnclave(_ securityd: SystemDaemon) -> Bool {
        guard let enclave = daemons[.enclaved], enclave.start < securityd.start else {
            return false
        }
        let raw = llavero_pidfd_open(enclave.process)
        guard raw >= 0 else { return false }
        let process = Descriptor(owning: raw)
        return !UnixSocket.waitUntilReadable(process.rawValue, .milliseconds(200))
    }

    private func schedule(_ daemon: SystemDaemon, _ ending: String) {
        let life = daemon.start.duration(to: .now)
        let restart = policies[daemon.kind, default: RestartPolicy()].restart(afterLifeOf: life)
        parts.say(.daemonEnded, "\(daemon.kind.rawValue) ended (\(ending)).")
        if restart.isFirstSlow {
            parts.say(.daemonKeepsEnding, Supervisor.slowText(ending))
        }
        refusesClients = restart.isSlow || refusesClients
        due[daemon.kind] = .now + restart.delay
        if daemon.kind == .enclaved {
            daemons[.securityd]?.deadline = .now + .milliseconds(Self.followMilliseconds)
        }
    }

    // MARK: - Starting

    private func startDue() {
        for kind in [SystemDaemon.Kind.trustd, .enclaved, .securityd] {
            guard daemons[kind] == nil, let time = due[kind], time <= .now,
                kind != .securityd || daemons[.enclaved] != nil
            else { continue }
            due[kind] = nil
            do throws(SupervisionError) {
                try start(kind)
                if kind == .securityd { refusesClients = false }
            } catch {
                parts.say(.startFailed, "\(error)")
                let restart = policies[kind, default: RestartPolicy()].restart(afterLifeOf: .zero)
                if restart.isFirstSlow {
                    parts.say(.daemonKeepsEnding, Supervisor.slowText("it can't be started"))
                }
                refusesClients = restart.isSlow || refusesClients
                due[kind] = .now + max(restart.delay, .milliseconds(50))
            }
        }
    }

    private func start(_ kind: SystemDaemon.Kind) throws(SupervisionError) {
        let (ours, theirs): (ControlSocket, Int32)
        do throws(SystemError) { (ours, theirs) = try ControlSocket.pair() } catch {
            throw .programNotStarted(kind.rawValue, error)
        }
        var options = ChildProcess.Options()
        options.environment = parts.environment
        options.hasOwnSession = true
        options.hasNoInput = true
        var handedOver: [Int32] = [theirs]
        defer { for descriptor in handedOver { close(descriptor) } }
        let user: ServiceUser
        var words = [kind.rawValue]
        switch kind {
        case .enclaved:
            user = users.enclaved
            words += ["--state", places.enclaveState, "--control", "--public", places.publicKey]
            words += user.words + parts.enclaveArguments
            if !words.contains("--tpm-wait") {
                words += ["--tpm-wait", "\(Self.tpmWaitSeconds)"]
            }
            let opened = ProtectorSource.open(parts.protectors) {
                parts.say(.protectorUnusable, $0)
            }
            words += ProtectorSource.arguments(opened.userIDs)
            handedOver += opened.descriptors
        case .peerinspector:
            user = users.peerinspector
            words += [
                "--state", places.configuration, "--starter", "--user", "\(user.userID)",
                "\(user.groupID)",
            ]
        case .trustd:
            guard let trust = users.trust else { throw .userMissing("_trustd") }
            user = trust
            words += ["--starter"] + user.words + parts.trustArguments
        case .securityd:
            user = users.securityd
            // What the one before has left behind would go on to accept clients.
            guard SystemDaemon.killAll(of: user) else { throw .processesLeft(user.name) }
            words += ["--system-worker", "--state", places.state, "--permits", places.permits]
            words += user.words + ["--root", places.root]
            if let session = users.session { words += ["--locker", "\(session.userID)"] }
            if daemons[.trustd] != nil { words += ["--trust-starter"] }
            handedOver += try connect()
        }
        options.descriptors =
            kind == .securityd ? [listener.rawValue] + handedOver : handedOver
        let process = try ChildProcess.start(parts.programs + "/" + kind.rawValue, words, options)
        let daemon = SystemDaemon(kind, user, process: process, control: ours)
        daemons[kind] = daemon
        daemon.ping()
    }

    /// The daemons that start others for securityd, in the order of its connections.
    private var starters: [SystemDaemon.Kind] {
        [.peerinspector] + (daemons[.trustd] == nil ? [] : [.trustd])
    }

    /// Whether the machine has what judging certificates needs.
    private var hasTrust: Bool {
        users.trust != nil
            && FileManager.default.isExecutableFile(
                atPath: parts.programs + "/" + SystemDaemon.Kind.trustd.rawValue)
    }

    /// Connects the next securityd with the other daemons.
    /// - Returns: securityd's ends: to the starters, then to enclaved.
    private func connect() throws(SupervisionError) -> [Int32] {
        var ours: [Int32] = []
        var theirs: [Int32] = []
        defer { for descriptor in theirs { close(descriptor) } }
        do throws(SystemError) {
            for _ in starters {
                var ends: [Int32] = [-1, -1]
                guard unsafe llavero_message_pair(&ends) == 0 else {
                    throw SystemError("socketpair")
                }
                ours.append(ends[0])
                theirs.append(ends[1])
            }
            for _ in 0..<parts.enclaveConnectionCount {
                let (here, there) = try UnixSocket.pair()
                // enclaved may not set it: its filter has no such call.
                UnixSocket.setTimeout(there, Self.enclavePatience)
                ours.append(here)
                theirs.append(there)
            }
        } catch {
            for descriptor in ours { close(descriptor) }
            throw .programNotStarted("securityd", error)
        }
        for (index, kind) in starters.enumerated() {
            hand(theirs[index...index], to: daemons[kind])
        }
        hand(theirs.dropFirst(starters.count), to: daemons[.enclaved])
        return ours
    }

    /// How long enclaved waits for the rest of a message.
    private static let enclavePatience = Duration.seconds(2)

    private func hand(_ descriptors: ArraySlice<Int32>, to daemon: SystemDaemon?) {
        guard let daemon else { return }
        var isSent = daemon.control.send(.renew)
        var rest = descriptors
        while isSent, !rest.isEmpty {
            isSent = daemon.control.send(
                .connections, Array(rest.prefix(ControlSocket.descriptorLimit)))
            rest = rest.dropFirst(ControlSocket.descriptorLimit)
        }
        // It has left everything unread: securityd will find its connections closed.
        if !isSent { daemon.kill() }
    }

    // MARK: - Ending

    private func endAll() {
        end(.securityd, within: Supervisor.endMilliseconds)
        _ = SystemDaemon.killAll(of: users.securityd)
        end(.enclaved, within: Self.childEndMilliseconds)
        end(.trustd, within: Self.childEndMilliseconds)
        if let trust = users.trust { _ = SystemDaemon.killAll(of: trust) }
        end(.peerinspector, within: Self.childEndMilliseconds)
    }

    /// Lets a daemon end by itself, which it does when its control socket is closed.
    private func end(_ kind: SystemDaemon.Kind, within milliseconds: Int) {
        guard let daemon = daemons.removeValue(forKey: kind) else { return }
        shutdown(daemon.control.rawValue, Int32(SHUT_RDWR))
        daemon.end(within: milliseconds)
    }
}
