// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import EnclaveWire
import Foundation
import Glibc
import IPC
import ItemStore
import SecretBytes
import SecurityWire
import Synchronization

/// Where an event thread hands on what it doesn't answer itself.
struct Queues: Sendable {
    let writes: WorkQueue<WriterThread.Job>
    let passcodes: WorkQueue<DeviceJob<PasscodeRequest>>
    let locks: WorkQueue<DeviceJob<LockRequest>>
    let maintenance: WorkQueue<MaintenanceJob>
    let inspections: WorkQueue<InspectionJob>
    let leases: LeaseTable

    /// Hands a device request to the thread whose work it is.
    /// - Returns: False when too much is waiting there.
    fileprivate func add(
        _ request: DeviceRequest,
        answer: @escaping @Sendable (Result<ServiceReply, DaemonError>) -> Void
    ) -> Bool {
        switch request {
        case .passcode(let request): passcodes.add(DeviceJob(request: request, answer: answer))
        case .lock(let request): locks.add(DeviceJob(request: request, answer: answer))
        }
    }
}

/// Reads requests of many connections, answers what can be answered at once, hands the rest on.
final class EventThread {
    /// What other threads tell this one.
    final class Mailbox: Sendable {
        private let identified = Mutex<[(Int32, EstablishedPeer)]>([])
        private let opened = Mutex<[(Int32, String)]>([])
        private let finished = Mutex<[(Int32, PendingReply.Progress)]>([])
        private let changes = Mutex<(list: ChangeList, isWanted: Bool)>((ChangeList(), false))
        let arrived: EventCounter

        init() throws(SystemError) { arrived = try EventCounter() }

        /// Another thread has answered a connection's request.
        func answered(_ socket: Int32, _ progress: PendingReply.Progress) {
            finished.withLock { $0.append((socket, progress)) }
            arrived.signal()
        }

        /// It is known who a connection is.
        func identified(_ socket: Int32, _ who: EstablishedPeer) {
            identified.withLock { $0.append((socket, who)) }
            arrived.signal()
        }

        /// A group was opened to a connection; said before its request is answered.
        func opened(_ socket: Int32, _ group: String) {
            opened.withLock { $0.append((socket, group)) }
        }

        func takeOpened() -> [(Int32, String)] {
            opened.withLock { opened in
                defer { opened = [] }
                return opened
            }
        }

        func takeIdentified() -> [(Int32, EstablishedPeer)] {
            identified.withLock { identified in
                defer { identified = [] }
                return identified
            }
        }

        func take() -> [(Int32, PendingReply.Progress)] {
            finished.withLock { finished in
                defer { finished = [] }
                return finished
            }
        }

        /// Items have changed; whoever watches is told.
        func changed(_ list: ChangeList) {
            let isWanted = changes.withLock { changes in
                if changes.isWanted { changes.list.append(list) }
                return changes.isWanted
            }
            if isWanted { arrived.signal() }
        }

        /// Says whether anybody watches, so that this thread isn't woken for nothing.
        func wantChanges(_ isWanted: Bool) { changes.withLock { $0.isWanted = isWanted } }

        func takeChanges() -> ChangeList {
            changes.withLock { changes in
                defer { changes.list = ChangeList() }
                return changes.list
            }
        }
    }

    private let configuration: ListeningConfiguration
    private let handler: RequestHandler
    private let journal: Journal
    private let queues: Queues
    private let onEnclaveGone: () -> Void
    private let poller: Poller
    private let mailbox: Mailbox
    private let indexer: (UInt32) -> BlindIndexer?
    private var watching: Set<Int32> = []
    private var connections: [Int32: ClientConnection] = [:]
    private var connectionsByProcess: [Int32: Int] = [:]
    private var inbound = SecretBytes(byteCount: inboundByteCount)
    private var nextSweep = ContinuousClock.now
    /// Held open to be given up when descriptors run out, so that the queue of connections can be
    /// emptied.
    private var reserve = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)

    private static let inboundByteCount = 64 * 1024
    private static let acceptsPerTurn = 16
    private static let sweepMilliseconds: Int32 = 1000

    init(
        configuration: ListeningConfiguration, handler: RequestHandler, journal: Journal,
        queues: Queues, mailbox: Mailbox, indexer: @escaping (UInt32) -> BlindIndexer?,
        onEnclaveGone: @escaping () -> Void
    ) throws(SystemError) {
        self.configuration = configuration
        self.handler = handler
        self.journal = journal
        self.queues = queues
        self.onEnclaveGone = onEnclaveGone
        poller = try Poller()
        self.mailbox = mailbox
        self.indexer = indexer
        try poller.add(mailbox.arrived.descriptor, .readable)
        try poller.add(configuration.listener, [.readable, .exclusive])
    }

    /// Works until the process ends.
    func run() throws(SystemError) {
        var ready: [Poller.Ready] = []
        while true {
            // Without connections nothing can run out of time: the thread sleeps.
            let isIdle = connections.isEmpty
            try poller.wait(milliseconds: isIdle ? -1 : Self.sweepMilliseconds, into: &ready)
            for event in ready {
                if event.descriptor == configuration.listener {
                    acceptConnections()
                } else if event.descriptor == mailbox.arrived.descriptor {
                    mailbox.arrived.wait()
                    startIdentified()
                    resumeAnswered()
                    tellWatchers()
                } else if let connection = connections[event.descriptor] {
                    serve(connection, event.events)
                }
            }
            sweep()
        }
    }

    // MARK: - Accepting

    private func acceptConnections() {
        for _ in 0..<Self.acceptsPerTurn {
            let raw = llavero_accept(configuration.listener)
            if raw < 0 {
                if errno == EMFILE || errno == ENFILE { refuseOne() }
                return
            }
            admit(Descriptor(owning: raw))
        }
    }

    /// Out of descriptors: takes one connection and closes it, rather than spin on it.
    private func refuseOne() {
        guard reserve >= 0 else { return }
        Glibc.close(reserve)
        let raw = llavero_accept(configuration.listener)
        if raw >= 0 { Glibc.close(raw) }
        reserve = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    /// Establishes who connected; whoever can't be told, isn't served here or has too many
    /// connections is closed.
    private func admit(_ socket: consuming Descriptor) {
        let raw = socket.rawValue
        guard connections.count < configuration.connectionLimit else { return }
        do {
            let peer = try PeerProcess(connectedTo: raw)
            let process = peer.pid
            guard configuration.serves(peer.userID),
                connectionsByProcess[process, default: 0] < configuration.connectionsPerProcess
            else { return }
            let connection: ClientConnection
            let deadline = ContinuousClock.now + configuration.requestDeadline
            switch configuration.identify(peer) {
            case .known(let who):
                try poller.add(raw, .readable)
                connection = ClientConnection(
                    socket: socket, peer: peer, who: who, deadline: deadline)
            case .later(let inspection):
                // Nothing is read, and it isn't closed, until it is known who it is.
                let job = InspectionJob { [mailbox] in
                    mailbox.identified(raw, inspection.finish())
                }
                guard queues.inspections.add(job) else { return }
                let nobody = EstablishedPeer(.unsigned(peer.userID, .notInspectable))
                connection = ClientConnection(
                    socket: socket, peer: peer, who: nobody, deadline: deadline)
                connection.state = .working
                connection.deadline = nil
            }
            connectionsByProcess[process, default: 0] += 1
            connections[raw] = connection
        } catch { return }
    }

    private func startIdentified() {
        for (raw, who) in mailbox.takeIdentified() {
            guard let connection = connections[raw] else { continue }
            connection.establish(who)
            connection.state = .receiving
            connection.deadline = .now + configuration.requestDeadline
            do throws(SystemError) { try poller.add(raw, .readable) } catch { close(connection) }
        }
    }

    private func close(_ connection: ClientConnection) {
        let raw = connection.socket.rawValue
        poller.remove(raw)
        if watching.remove(raw) != nil { mailbox.wantChanges(!watching.isEmpty) }
        let process = connection.peer.pid
        if let count = connectionsByProcess[process] {
            connectionsByProcess[process] = count > 1 ? count - 1 : nil
        }
        connections[raw] = nil
        if let holder = connection.leaseHolder { queues.leases.end(holder) }
        if let hold = connection.hold {
            // There are no more of these than connections.
            queues.locks.add(
                DeviceJob(request: .release(hold), answer: { _ in }), isBounded: false)
        }
    }

    // MARK: - Serving

    private func serve(_ connection: ClientConnection, _ events: Poller.Events) {
        switch connection.state {
        case .working: return
        case .replying(let reply):
            progressed(connection, reply.send(to: connection.socket.rawValue))
        case .receiving: receive(connection)
        }
    }

    private func receive(_ connection: ClientConnection) {
        var sender: pid_t = 0
        let raw = connection.socket.rawValue
        let count = unsafe inbound.withUnsafeMutableBytes { bytes in
            unsafe llavero_receive(raw, bytes.baseAddress, bytes.count, &sender)
        }
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
        // Bytes from another process than the one that connected: a descriptor handed on.
        // A connection that watches has nothing more to say.
        // Or from another program than the one that was inspected.
        guard count > 0, sender == connection.peer.pid, connection.peer.isAlive(),
            connection.who.isCurrent(), connection.watch == nil
        else { return close(connection) }
        unsafe inbound.withUnsafeMutableBytes { bytes in
            let used = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<count])
            if let partial = connection.partial {
                unsafe partial.append(UnsafeRawBufferPointer(used))
                unsafe partial.withBytes { unsafe take($0, connection) }
            } else {
                unsafe take(UnsafeRawBufferPointer(used), connection)
            }
            unsafe SecretMemory.wipe(used)
        }
        configuration.scrub()
    }

    /// Takes a request if the bytes make one; keeps them if they are its beginning. A client sends
    /// one request and waits for its reply: bytes behind a request end the connection.
    private func take(_ bytes: UnsafeRawBufferPointer, _ connection: ClientConnection) {
        let header: FrameHeader
        do throws(WireError) {
            guard bytes.count >= FrameHeader.byteCount else {
                return unsafe keep(bytes, connection)
            }
            header = try unsafe FrameHeader(
                decoding: UnsafeRawBufferPointer(rebasing: bytes[..<FrameHeader.byteCount]))
        } catch { return close(connection) }
        let total = FrameHeader.byteCount + header.bodyByteCount
        guard bytes.count >= total else { return unsafe keep(bytes, connection) }
        guard bytes.count == total, header.messageByteCount <= ItemLimits.messageByteCount else {
            return close(connection)
        }
        let body = unsafe UnsafeRawBufferPointer(rebasing: bytes[FrameHeader.byteCount...])
        let split = header.messageByteCount
        do throws(WireError) {
            let request = try unsafe ClientRequest(
                decoding: header.kind, message: UnsafeRawBufferPointer(rebasing: body[..<split]),
                secret: UnsafeRawBufferPointer(rebasing: body[split...]))
            connection.partial = nil
            connection.deadline = nil
            handle(request, header.sequence, connection)
        } catch {
            guard error == .tooLarge else { return close(connection) }
            connection.partial = nil
            connection.deadline = nil
            reply(.failed(Failure(.tooLarge)), header.sequence, connection)
        }
    }

    private func keep(_ bytes: UnsafeRawBufferPointer, _ connection: ClientConnection) {
        guard connection.partial == nil else { return }
        unsafe connection.partial = PartialFrame(bytes)
        connection.deadline = .now + configuration.requestDeadline
    }

    private func handle(
        _ request: ClientRequest, _ sequence: UInt32, _ connection: ClientConnection
    ) {
        guard connection.hasProof || !connection.who.needsProof else {
            return demandProof(request, sequence, connection)
        }
        let subject = AuditSubject(request, from: connection.caller)
        do throws(DaemonError) {
            switch try handler.handle(request, from: connection.identity, subject) {
            case .reply(let reply): self.reply(reply, sequence, connection)
            case .write(let authorized):
                let answer = answer(connection, sequence)
                let lease = authorized.request.lease
                if let lease { try queues.leases.pin(lease, userID: authorized.userID) }
                let job = WriteJob(authorized) { [journal, queues] outcome in
                    journal.concluded(subject, outcome) { answer(outcome.map(\.reply)) }
                    if let lease { queues.leases.unpin(lease) }
                }
                guard queues.writes.add(.write(job)) else {
                    if let lease { queues.leases.unpin(lease) }
                    throw DaemonError.overloaded
                }
                pause(connection)
            case .takeLease(let name, let duration, let waiting):
                let holder = connection.leaseHolder ?? LeaseHolder()
                connection.leaseHolder = holder
                // Before anybody can answer: an answer makes the connection go on.
                pause(connection)
                do throws(DaemonError) {
                    try queues.leases.take(
                        name, for: duration, waiting: waiting, holder: holder,
                        answer: answer(connection, sequence))
                } catch { answer(connection, sequence)(.failure(error)) }
            case .renewLease(let token, let duration):
                guard let holder = connection.leaseHolder else { throw DaemonError.leaseLost }
                try queues.leases.renew(token, for: duration, holder: holder)
                reply(.leased(token), sequence, connection)
            case .giveBackLease(let token):
                if let holder = connection.leaseHolder {
                    queues.leases.giveBack(token, holder: holder)
                }
                reply(.gaveBackLease, sequence, connection)
            case .watch: startWatch(sequence, connection)
            case .device(let request): try hand(request, sequence, subject, connection)
            case .openGroup(let group, let request):
                try hand(request, sequence, subject, connection, opening: group)
            case .hold(let seconds):
                guard connection.hold == nil else { throw DaemonError.invalidRequest }
                let hold = UnlockHold(userID: connection.identity.userID)
                try hand(.lock(.hold(hold, seconds: seconds)), sequence, subject, connection)
                connection.hold = hold
            case .maintenance(let request):
                let answer = answer(connection, sequence)
                let job = MaintenanceJob(
                    request: request, userID: connection.identity.userID
                ) { [journal] outcome in
                    journal.concluded(subject, outcome) { answer(outcome.map(\.reply)) }
                }
                guard queues.maintenance.add(job) else { throw DaemonError.overloaded }
                pause(connection)
            case .audit(let query):
                let answer = answer(connection, sequence)
                journal.page(query, userID: connection.identity.userID) { page in
                    answer(page.map { .auditPage($0) }.mapError { DaemonError($0) })
                }
                pause(connection)
            }
        } catch {
            if error == .enclave(.gone) { onEnclaveGone() }
            let answer = answer(connection, sequence)
            if journal.failed(subject, error, onceDurable: { answer(.failure(error)) }) {
                pause(connection)
            } else {
                reply(.failed(Failure(error)), sequence, connection)
            }
        }
    }

    private func hand(
        _ request: DeviceRequest, _ sequence: UInt32, _ subject: AuditSubject?,
        _ connection: ClientConnection, opening group: String? = nil
    ) throws(DaemonError) {
        let answer = answer(connection, sequence)
        let raw = connection.socket.rawValue
        let isAdded = queues.add(request) { [journal, mailbox] outcome in
            var outcome = outcome
            if let group, case .success = outcome {
                mailbox.opened(raw, group)
                outcome = .success(.openedGroup)
            }
            let result = outcome.map { WriteResult(reply: $0) }
            journal.concluded(subject, result) { [outcome] in answer(outcome) }
        }
        guard isAdded else { throw .overloaded }
        pause(connection)
    }

    /// Bytes that lay in the socket before the program was inspected may be those of one that the
    /// process ran before, which has left the other end to somebody. So a program that is more than
    /// anybody first sends back what only a reader of the connection can know, and only bytes of the
    /// inspected program count.
    private func demandProof(
        _ request: ClientRequest, _ sequence: UInt32, _ connection: ClientConnection
    ) {
        if case .prove(let nonce) = request {
            guard nonce == connection.nonce else { return close(connection) }
            connection.nonce = nil
            connection.hasProof = true
            return reply(.prove([]), sequence, connection)
        }
        guard connection.nonce == nil else { return close(connection) }
        let nonce = unsafe SecretBytes.random(byteCount: 32).withUnsafeBytes { unsafe [UInt8]($0) }
        connection.nonce = nonce
        reply(.prove(nonce), sequence, connection)
    }

    // MARK: - Replying

    private func reply(
        _ reply: ServiceReply, _ sequence: UInt32, _ connection: ClientConnection
    ) {
        guard let frame = try? reply.encoded(sequence: sequence) else { return close(connection) }
        progressed(connection, PendingReply(frame).send(to: connection.socket.rawValue))
    }

    private func progressed(
        _ connection: ClientConnection, _ progress: PendingReply.Progress
    ) {
        let raw = connection.socket.rawValue
        do throws(SystemError) {
            switch progress {
            case .failed: close(connection)
            case .done:
                if case .replying = connection.state { try poller.change(raw, .readable) }
                connection.state = .receiving
                connection.deadline = nil
                tell(connection)
            case .more(let reply):
                try poller.change(raw, .writable)
                connection.state = .replying(reply)
                connection.deadline = connection.deadline ?? .now + configuration.replyDeadline
            }
        } catch { close(connection) }
    }

    /// Hands the connection to another thread: until its answer comes back nothing is read and it
    /// is not closed.
    private func pause(_ connection: ClientConnection) {
        poller.remove(connection.socket.rawValue)
        connection.state = .working
        connection.deadline = nil
    }

    /// Answers from the other thread's own hand, so that the reply doesn't wait for this one.
    private func answer(
        _ connection: ClientConnection, _ sequence: UInt32
    ) -> @Sendable (Result<ServiceReply, DaemonError>) -> Void {
        let raw = connection.socket.rawValue
        let mailbox = mailbox
        return { outcome in
            let reply: ServiceReply
            switch outcome {
            case .success(let success): reply = success
            case .failure(let error): reply = .failed(Failure(error))
            }
            guard let frame = try? reply.encoded(sequence: sequence) else {
                return mailbox.answered(raw, .failed)
            }
            mailbox.answered(raw, PendingReply(frame).send(to: raw))
        }
    }

    private func resumeAnswered() {
        let answered = mailbox.take()
        // Taken after the answers: whoever is told that a group is open has it.
        for (raw, group) in mailbox.takeOpened() { connections[raw]?.open(group) }
        for (raw, progress) in answered {
            guard let connection = connections[raw] else { continue }
            connection.state = .receiving
            do throws(SystemError) { try poller.add(raw, .readable) } catch {
                close(connection)
                continue
            }
            progressed(connection, progress)
        }
    }

    // MARK: - Watching

    private func startWatch(_ sequence: UInt32, _ connection: ClientConnection) {
        let identity = connection.identity
        connection.watch = Watch(
            sequence: sequence, userID: identity.userID, groups: identity.accessGroups)
        watching.insert(connection.socket.rawValue)
        mailbox.wantChanges(true)
        // The first frame says that changes are noted from now on.
        reply(.changes([], missedSome: false), sequence, connection)
    }

    private func tellWatchers() {
        let list = mailbox.takeChanges()
        guard !list.isEmpty else { return }
        for raw in Array(watching) {
            guard let connection = connections[raw] else { continue }
            guard connection.who.isCurrent() else {
                close(connection)
                continue
            }
            connection.watch?.note(list, indexer)
            if case .receiving = connection.state { tell(connection) }
        }
    }

    /// Sends a watching connection what it has yet to hear.
    private func tell(_ connection: ClientConnection) {
        guard let sequence = connection.watch?.sequence, let news = connection.watch?.take()
        else { return }
        reply(news, sequence, connection)
    }

    // MARK: - Deadlines

    private func sweep() {
        let now = ContinuousClock.now
        guard now >= nextSweep else { return }
        nextSweep = now + .milliseconds(Int(Self.sweepMilliseconds))
        queues.leases.sweep(now)
        for connection in connections.values {
            if let deadline = connection.deadline, deadline < now { close(connection) }
        }
    }
}
