// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Enclave
import EnclaveWire
import Glibc
import IPC
import PasscodeDeriver
import Sandbox

/// Waits for requests and for the deriver, and answers them one after another.
struct ServiceLoop: ~Copyable {
    /// A request whose reply waits for the deriver.
    private struct Deferred {
        let connection: Connection
        let header: EnclaveHeader
    }

    /// A reply that waits until the device key has incremented its counter.
    private struct Held: ~Copyable {
        let connection: Connection
        let header: EnclaveHeader
        let reply: EnclaveReply
    }

    /// A request whose reply is the next event.
    private struct Waiting {
        let connection: Connection
        let header: EnclaveHeader
        let lastEvent: UInt32
    }

    /// Time asleep counts for due times, but not for `poll`: after this long, the loop checks
    /// again.
    private static let tickMilliseconds = 60_000
    /// Twice the depth of the deepest measured request in a debug build, five times that in a
    /// release build. A larger value would only evict the processor's caches.
    private static let requestStackByteCount = 24 * 1024

    private var enclave: Enclave
    private let deriver: DeriverConnection
    private let isEphemeral: Bool
    private var connections: [Connection]
    /// The supervisor; nil when the connections were there at the start.
    private var supervisor: ControlSocket?
    private var deferred: Deferred?
    private var held: Held?
    private var waiting: [Waiting] = []
    private var incoming = MessageBuffer()
    private var outgoing = MessageBuffer()
    private var entries: [pollfd] = []
    private var endedByGarbage = false
    private var hasEnded = false

    init(
        enclave: consuming Enclave, deriver: DeriverConnection, isEphemeral: Bool,
        _ source: ConnectionSource
    ) {
        self.enclave = enclave
        self.deriver = deriver
        self.isEphemeral = isEphemeral
        switch source {
        case .given(let connections):
            self.connections = connections
            supervisor = nil
        case .supervisor(let socket):
            connections = []
            supervisor = socket
        }
        watch()
    }

    /// Sets the report on the process's sandbox, which is established last.
    mutating func note(_ walls: EnclaveWalls) { enclave.walls = walls }

    /// Unlocks with the keys that were handed over, and with those that a TPM gives, before the first
    /// request is answered.
    mutating func unlockAtStart(_ files: [ProtectorKeyFile]) {
        for file in files {
            do throws(ProtectorKeyFile.Problem) {
                enclave.unlockAtStart(file.user, key: try file.read())
            } catch {
                Console.say("user \(file.user): the key of a protector: \(error.words)")
            }
            Sandbox.scrubStack()
        }
        for user in enclave.usersWithProtectors() {
            guard let job = enclave.beginUnlockAtStart(user) else { continue }
            finishAtStart(job)
        }
    }

    /// The deriver answers, or has ended: then the loop ends, too.
    private mutating func finishAtStart(_ job: DerivationJob) {
        guard (try? deriver.start(job)) != nil else { return }
        while let news = try? deriver.takeNews() {
            switch news {
            case .derived(let outcome):
                _ = enclave.derivationFinished(outcome)
                return Sandbox.scrubStack()
            case .counted(let key, let failure): enclave.counted(by: key, failure)
            }
        }
    }

    /// Serves until every connection has ended, or the supervisor has.
    /// - Returns: The exit status.
    mutating func run() -> Int32 {
        enclave.releaseWhatIsDue()
        while supervisor != nil || !connections.isEmpty, !hasEnded {
            guard !deriver.hasNews || takeNews() else {
                Console.say("the passcode deriver has ended")
                return 1
            }
            let count = unsafe poll(&entries, nfds_t(entries.count), timeoutMilliseconds())
            guard count >= 0 || errno == EINTR else {
                Console.say("\(SystemError("poll"))")
                return 1
            }
            if deriver.millisecondsLeft == 0, count <= 0 || entries[0].revents == 0 {
                Console.say("the passcode deriver doesn't answer")
                return 1
            }
            guard count > 0 else {
                enclave.tick()
                answerWaiting()
                continue
            }
            guard entries[0].revents == 0 || takeNews() else {
                Console.say("the passcode deriver has ended")
                return 1
            }
            // A copy: the loop removes ended connections from the list.
            for (connection, entry) in zip(connections, entries.dropFirst())
            where entry.revents != 0 && !hasEnded {
                serve(connection)
            }
            if let supervisor, entries.last?.revents != 0 { hear(supervisor) }
            answerWaiting()
            if entries.count != entryCount { watch() }
        }
        guard !endedByGarbage && !hasEnded else { return 1 }
        // No one waits for a reply any more, but operations that have begun are finished.
        while enclave.isCounting && takeNews() {}
        if isEphemeral {
            // Its files will be deleted: the objects that the TPM keeps for them would only take
            // space.
            enclave.forgetEverything()
            try? deriver.removeCounter()
        }
        return 0
    }

    private var entryCount: Int { 1 + connections.count + (supervisor == nil ? 0 : 1) }

    /// The deriver first, then the connections, in their order, then the supervisor.
    private mutating func watch() {
        let numbers =
            [deriver.rawValue] + connections.map(\.rawValue)
            + (supervisor.map { [$0.rawValue] } ?? [])
        entries = numbers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    }

    private func timeoutMilliseconds() -> Int32 {
        let news = deriver.millisecondsLeft
        let tick = enclave.secondsUntilDeadline.map { seconds in
            seconds < UInt64(Self.tickMilliseconds) / 1000
                ? Int(seconds) * 1000 : Self.tickMilliseconds
        }
        return news == nil && tick == nil ? -1 : Int32(clamping: min(news ?? .max, tick ?? .max))
    }
}

// MARK: - Requests

extension ServiceLoop {
    private mutating func serve(_ connection: Connection) {
        switch connection.receive(into: &incoming) {
        case .nothing: break
        case .end: drop(connection)
        case .garbage:
            Console.say("a connection sent something that is no request: closed")
            // With a supervisor, the next securityd comes.
            endedByGarbage = supervisor == nil
            drop(connection)
        case .message(let header): answer(header, connection)
        }
        incoming.removeAll()
    }

    private mutating func answer(_ header: EnclaveHeader, _ connection: Connection) {
        guard let kind = EnclaveMessageKind(rawValue: header.kind) else {
            send(.failure(.malformed), header, connection)
            return
        }
        do throws(DecodingFailure) {
            let request = try unsafe incoming.withUnsafeBytes { (bytes) throws(DecodingFailure) in
                try unsafe EnclaveRequest.decode(
                    kind,
                    payload: UnsafeRawBufferPointer(
                        rebasing: bytes[EnclaveHeader.byteCount...]))
            }
            finish(enclave.handle(request, user: header.userID), header, connection)
        } catch {
            send(.failure(.malformed), header, connection)
        }
        let isPasscode = kind == .passcode || kind == .access
        Sandbox.scrubStack(byteCount: isPasscode ? 200 * 1024 : Self.requestStackByteCount)
    }

    private mutating func finish(
        _ answer: consuming EnclaveAnswer, _ header: EnclaveHeader, _ connection: Connection
    ) {
        switch consume answer {
        case .reply(let reply):
            // The reply that a passcode was changed or removed is sent only after the TPM's counter
            // has advanced; until then older files would still be valid.
            if header.kind == EnclaveMessageKind.passcode.rawValue, held == nil,
                enclave.isCounting(header.userID)
            {
                held = Held(connection: connection, header: header, reply: reply)
            } else {
                send(reply, header, connection)
            }
        case .deferred(let job):
            start(job, header, connection)
        case .waiting(let lastEvent):
            wait(Waiting(connection: connection, header: header, lastEvent: lastEvent))
        case .ended:
            // No reply: the client finds the connection closed, and knows that the outcome is
            // unknown.
            hasEnded = true
        }
    }

    private mutating func send(
        _ reply: consuming EnclaveReply, _ header: EnclaveHeader, _ connection: Connection
    ) {
        reply.encode(
            kind: header.kind, requestID: header.requestID, userID: header.userID,
            into: &outgoing)
        if !connection.send(outgoing) { drop(connection) }
        outgoing.removeAll()
    }

    private mutating func drop(_ connection: Connection) {
        connection.end()
        waiting.removeAll { $0.connection === connection }
        if held?.connection === connection { held = nil }
        connections.removeAll { $0 === connection }
    }
}

// MARK: - The supervisor

extension ServiceLoop {
    private mutating func hear(_ socket: ControlSocket) {
        switch socket.receive() {
        case .nothing: return
        case .message(.ping, _): socket.send(.ping)
        case .message(.renew, _):
            // The securityd before has ended, and with it those for whom it held devices unlocked.
            for connection in connections { drop(connection) }
            enclave.releaseAssertions()
            entries = []
        case .message(.connections, let descriptors):
            for descriptor in descriptors {
                connections.append(
                    Connection(Descriptor(owning: descriptor), hasDeadline: true))
            }
        case .end:
            for connection in connections { drop(connection) }
            supervisor = nil
        }
    }
}

// MARK: - Events

extension ServiceLoop {
    /// One on each connection.
    private mutating func wait(_ request: Waiting) {
        guard !waiting.contains(where: { $0.connection === request.connection }) else {
            send(.failure(.busy), request.header, request.connection)
            return
        }
        waiting.append(request)
    }

    /// Sends the events to the connections that wait for them.
    private mutating func answerWaiting() {
        guard !hasEnded else { return }
        for request in waiting {
            guard let event = enclave.lockEvent(after: request.lastEvent) else { continue }
            waiting.removeAll { $0.connection === request.connection }
            send(.lockEvent(event), request.header, request.connection)
        }
    }
}

// MARK: - The deriver

extension ServiceLoop {
    private mutating func start(
        _ job: DerivationJob, _ header: EnclaveHeader, _ connection: Connection
    ) {
        deferred = Deferred(connection: connection, header: header)
        // The next poll detects a deriver that has ended.
        try? deriver.start(job)
    }

    /// Reads the deriver's reply and continues the request that waits for it.
    /// - Returns: False when the deriver has ended.
    private mutating func takeNews() -> Bool {
        guard let news = try? deriver.takeNews() else { return false }
        switch news {
        case .derived(let outcome):
            guard let waiting = deferred else { return false }
            deferred = nil
            finish(enclave.derivationFinished(outcome), waiting.header, waiting.connection)
        case .counted(let key, let failure):
            enclave.counted(by: key, failure)
            sendHeld()
        }
        Sandbox.scrubStack()
        return true
    }

    private mutating func sendHeld() {
        guard let user = held?.header.userID, !enclave.isCounting(user), let last = held.take()
        else { return }
        send(last.reply, last.header, last.connection)
    }
}
