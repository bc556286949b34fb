// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import Foundation
import IPC
import Logging
import Sandbox
import SecurityDaemon
import Supervision
import Synchronization

/// The process that serves the clients of the system service. It becomes its user first, and has no
/// right of root's from then on. All its sockets come from the supervisor.
enum SystemWorker {
    private static let listener: Int32 = 3
    private static let control: Int32 = 4
    private static let starter: Int32 = 5
    private static let trustStarter: Int32 = 6
    /// Those of the service, and one to find out whether enclaved fits.
    static let enclaveConnectionCount = Service.enclaveConnectionCount + 1
    /// An event thread that takes longer for a wake-up doesn't work.
    private static let answerMilliseconds = 20_000

    /// Serves until the supervisor closes its connection or something breaks.
    /// - Parameters:
    ///   - root: What all paths are below; empty for the system itself.
    ///   - stateDirectory: The state directory.
    ///   - permits: Root's permits for first passcodes.
    ///   - locker: The user of `llavero-session`, if there is one.
    ///   - startsTrust: Whether there is a starter of trustd, as the connection after that of the
    ///     starter of inspectors.
    ///   - user: Whom the process becomes.
    ///   - groups: Its group, and further ones.
    /// - Throws: why it can't start.
    static func run(
        root: String, stateDirectory: String, permits: PasscodePermits, locker: UInt32?,
        startsTrust: Bool, user: UInt32, groups: [UInt32]
    ) throws -> Never {
        // Executed again with its environment, it is that user already.
        if geteuid() != user || getegid() != groups[0] {
            guard unsafe llavero_become_user(user, groups[0], groups, groups.count) == 0 else {
                throw SystemError("setresuid")
            }
        }
        try Worker.prepareProcess()
        try Sandbox.enterForServing()
        let descriptorLimit = Worker.raiseDescriptorLimit()
        let log = Worker.makeLog()
        let supervisor = ControlSocket(Descriptor(owning: control))
        let store = try Worker.openStore(stateDirectory, log) { milliseconds in
            attend(supervisor, milliseconds) { true }
        }
        let ending = Worker.Ending()
        let inspectors = InspectorStarting(Descriptor(owning: starter)) {
            ending.restart(because: "peerinspector is gone", log)
        }
        switch inspectors.greet() {
        case .same: break
        case .other:
            say("peerinspector has another version than securityd: was there an upgrade?")
            _exit(Supervisor.versionMismatchStatus)
        case .none: throw SystemError("peerinspector", errno: ETIMEDOUT)
        }
        let firstEnclaveSocket = starter + (startsTrust ? 2 : 1)
        let trial = firstEnclaveSocket + Int32(Service.enclaveConnectionCount)
        guard Service.understandsEnclave(trial, userID: user) else {
            // All daemons are started again, and with them the right enclaved.
            say("enclaved has another version than securityd: was there an upgrade?")
            _exit(Supervisor.versionMismatchStatus)
        }
        let accounts = Accounts(root: root)
        let releases = ReleaseThreads(accounts: accounts)
        let desk = try InspectionDesk(
            first: inspectors.start(),
            start: { try releases.whileStarting { try inspectors.start() } }, accounts: accounts,
            report: { log.error("\($0)") })
        let sockets = (0..<Service.enclaveConnectionCount).map {
            firstEnclaveSocket + Int32($0)
        }
        var listening = ListeningConfiguration(
            listener: listener,
            connectionLimit: Service.connectionLimit(descriptorLimit: descriptorLimit),
            onlyUser: nil, identities: desk, releases: releases,
            scrub: { Sandbox.scrubStack(byteCount: Worker.scrubByteCount) })
        listening.fronts = FrontDoor(
            directory: try Worker.programDirectory(),
            policyPath: root + "/etc/llavero/" + Worker.policyFile, isOfMachine: true,
            report: { log.error("\($0)") })
        var parts = Service.Parts(
            listening: listening, store: store, enclaveSockets: sockets, log: log,
            administration: .root(
                permits: { permits.use($1, of: $0) }, locker: locker,
                accounts: AccountNames(directory: stateDirectory, accounts: accounts)),
            restart: { ending.restart(because: $0, log) })
        let share = DiskShares.Setting.byteCount(file: root + "/etc/llavero/disk-share")
        parts.diskShare = DiskShares.Setting(
            byteCount: share ?? DiskShares.Setting.standardByteCount, accounts: accounts)
        let changed = root + "/run/llavero/trust/changed"
        parts.onMachineTrustChange = { try? Data().write(to: URL(fileURLWithPath: changed)) }
        if startsTrust {
            let starter = TrustStarterConnection(Descriptor(owning: trustStarter))
            parts.trust = TrustDesk(
                start: { _ in try starter.start() }, report: { log.error("\($0)") })
            parts.transcoder = TranscoderDesk(
                start: { try starter.startTranscoder() }, report: { log.error("\($0)") })
        }
        let service = try Service.start(parts)
        var metrics = MetricsFile(
            directory: root + "/run/llavero/metrics", counts: listening.counts)
        // The supervisor asks every few seconds whether this process works.
        while !attend(supervisor, -1, { service.answers(within: answerMilliseconds) }) {
            metrics.writeIfDue()
        }
        service.finish(within: Worker.endMilliseconds)
        ending.begin()
        _exit(0)
    }

    /// Waits for the supervisor, and answers it.
    /// - Parameters:
    ///   - supervisor: The connection to it.
    ///   - milliseconds: The time limit; -1 for none.
    ///   - works: Whether this process works; asked for an answer.
    /// - Returns: Whether the supervisor wants this process to end.
    private static func attend(
        _ supervisor: ControlSocket, _ milliseconds: Int32, _ works: () -> Bool
    ) -> Bool {
        var entry = pollfd(fd: supervisor.rawValue, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, milliseconds) > 0 else { return false }
        switch supervisor.receive() {
        case .end: return true
        case .nothing: return false
        case .message(.ping, _): if works() { supervisor.send(.ping) }
        case .message(_, let files): for file in files { close(file) }
        }
        return false
    }
}
