// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import Glibc
import IPC
import SecretBytes
import SecurityWire

/// Who connects, and the end of a connection.
extension EventThread {
    private static let acceptsPerTurn = 16
    /// When the peer of a connection in use is looked into again, beside its requests.
    private static let lookInterval = Duration.seconds(8)
    /// How old the last look is at most when a request is answered.
    private static let lookLimit = Duration.seconds(10)

    func acceptConnections() {
        for _ in 0..<Self.acceptsPerTurn {
            // Those that wait for their close have descriptors, too.
            guard !isClosingTooMany else { return pauseListening() }
            let raw = llavero_accept(configuration.listener)
            if raw < 0 {
                if errno == EMFILE || errno == ENFILE { refuseOne() }
                return
            }
            admit(ClientSocket(owning: raw, releases: configuration.releases))
        }
    }

    /// Out of descriptors: takes one connection and closes it, rather than spin on it. Where even
    /// that can't be done, connections wait until the next sweep.
    private func refuseOne() {
        if reserve >= 0 {
            Glibc.close(reserve)
            reserve = -1
            let raw = llavero_accept(configuration.listener)
            if raw >= 0 { _ = ClientSocket(owning: raw, releases: configuration.releases) }
        }
        reopenReserve()
        if reserve < 0 { pauseListening() }
    }

    private func reopenReserve() {
        reserve = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    private func pauseListening() {
        guard isListening else { return }
        poller.remove(configuration.listener)
        isListening = false
    }

    /// Whether so many sockets wait for their close that no more connections are accepted.
    private var isClosingTooMany: Bool {
        configuration.releases.socketCount >= configuration.connectionLimit
    }

    /// Takes connections again after a pause.
    func resumeListening() {
        guard !isListening, !isClosingTooMany else { return }
        if reserve < 0 { reopenReserve() }
        do throws(SystemError) {
            try poller.add(configuration.listener, [.readable, .exclusive])
            isListening = true
        } catch { return }
    }

    /// Establishes who connected. A connection is closed if that can't be told, if its user isn't
    /// served here or has too many.
    private func admit(_ socket: consuming ClientSocket) {
        let raw = socket.rawValue
        guard connections.count < configuration.connectionLimit else { return }
        do {
            let peer = try PeerProcess(connectedTo: raw)
            let process = peer.pid
            let account = configuration.accounts.account(of: peer.userID)
            let closing = configuration.releases.socketCounts(
                of: Requester(userID: account, process: process))
            guard configuration.serves(peer.userID),
                connectionsByAccount[account, default: 0] + closing.ofUser
                    < configuration.connectionsPerUser,
                connectionsByProcess[process, default: 0] + closing.ofProcess
                    < configuration.connectionsPerProcess
            else { return }
            guard let inspected = InspectedProcess(peer) else { return }
            // Nothing is read, and it isn't closed, until it is known who it is.
            let nobody = EstablishedPeer(.unsigned(peer.userID, .notInspectable))
            connectionCount += 1
            let connection = ClientConnection(
                number: connectionCount, socket: socket, peer: peer, account: account, who: nobody,
                deadline: nil)
            connection.state = .identifying(.candidate)
            connectionsByProcess[process, default: 0] += 1
            connectionsByAccount[account, default: 0] += 1
            connections[raw] = connection
            identify(connection, inspected, .candidate)
        } catch { return }
    }

    /// Has a connection's peer looked into; the outcome comes into the mailbox.
    private func identify(
        _ connection: ClientConnection, _ inspected: InspectedProcess, _ stage: InspectionStage
    ) {
        configuration.identities.identify(
            inspected, connection.who.traces, stage, answer: whenIdentified(connection, stage))
    }

    /// Has a process looked into that a connection concerns: its own, or another one. Nothing was
    /// opened of that before.
    func identifyForFront(_ connection: ClientConnection, _ inspected: InspectedProcess) {
        configuration.identities.identify(
            inspected, nil, .bus, answer: whenIdentified(connection, .bus))
    }

    /// What puts the outcome of a look into the mailbox.
    private func whenIdentified(
        _ connection: ClientConnection, _ stage: InspectionStage
    ) -> @Sendable (EstablishedPeer?) -> Void {
        { [mailbox, raw = connection.socket.rawValue, number = connection.number] who in
            mailbox.identified(
                Identified(socket: raw, connection: number, stage: stage, who: who))
        }
    }

    /// The peer has shown that the connection is its own: now everything is looked at, before it is
    /// answered. Before that, the proof is taken out of the socket, and what is attached to it is
    /// closed: at once where that can't take long, else on another thread.
    /// - Parameters:
    ///   - connection: The connection.
    ///   - sequence: Of the proof.
    ///   - byteCount: Of the proof, which lies in the socket still.
    ///   - attached: What is attached to it.
    func lookAtProven(
        _ connection: ClientConnection, _ sequence: UInt32, byteCount: Int,
        _ attached: AttachedFile
    ) {
        guard let inspected = InspectedProcess(connection.peer) else {
            release(attached, connection.client.requester)
            return close(connection)
        }
        let raw = connection.socket.rawValue
        poller.remove(raw)
        connection.state = .identifying(.proof(sequence: sequence))
        connection.deadline = nil
        let answer = whenIdentified(connection, .full)
        let traces = connection.who.traces
        if attached.isHarmless {
            Glibc.close(attached.descriptor)
            guard Self.discard(byteCount, of: raw) else { return answer(nil) }
            return configuration.identities.identify(inspected, traces, .full, answer: answer)
        }
        release(attached, connection.client.requester)
        configuration.releases.run(of: connection.client.requester) { [configuration] in
            guard Self.discard(byteCount, of: raw) else { return answer(nil) }
            configuration.identities.identify(inspected, traces, .full, answer: answer)
        }
    }

    /// Closes a peer's descriptor where that may take as long as the peer likes.
    func release(_ attached: AttachedFile, _ requester: Requester) {
        guard attached.descriptor >= 0 else { return }
        configuration.releases.run(of: requester) { [releases = configuration.releases] in
            releases.letGo(attached.descriptor)
        }
    }

    /// Takes bytes that were looked at already.
    static func discard(_ byteCount: Int, of socket: Int32) -> Bool {
        unsafe withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 1) { bytes in
            let count = unsafe llavero_take(socket, bytes.baseAddress, byteCount)
            unsafe SecretMemory.wipe(bytes)
            return count == byteCount
        }
    }

    /// Looks into a connection's peer again from time to time, as long as it makes requests: code may
    /// have come into it.
    /// - Returns: Whether the request waits for that, since the last look is too old.
    func lookAgain(
        before request: ClientRequest, _ sequence: UInt32, _ connection: ClientConnection
    ) -> Bool {
        guard connection.hasProof, connection.who.needsProof, connection.isLookedIntoAgain else {
            return false
        }
        let age = connection.looked.duration(to: .now)
        guard age > Self.lookInterval else { return false }
        if !connection.isLookedInto {
            guard let inspected = connection.inspected else {
                close(connection)
                return true
            }
            connection.isLookedInto = true
            identify(connection, inspected, .full)
        }
        guard age > Self.lookLimit else { return false }
        poller.remove(connection.socket.rawValue)
        connection.state = .identifying(.request(request, sequence: sequence))
        return true
    }

    /// Looks into the peer of a connection that watches again: it makes no requests.
    func lookAgain(beside connection: ClientConnection) {
        guard connection.who.needsProof, connection.isLookedIntoAgain, !connection.isLookedInto,
            connection.looked.duration(to: .now) > Self.lookInterval,
            let inspected = connection.inspected
        else { return }
        connection.isLookedInto = true
        identify(connection, inspected, .full)
    }

    func startIdentified() {
        for outcome in mailbox.takeIdentified() {
            guard let connection = connections[outcome.socket],
                connection.number == outcome.connection
            else { continue }
            guard outcome.stage != .bus else {
                goOnWithFront(connection, outcome.who)
                continue
            }
            connection.looked = .now
            connection.isLookedInto = false
            switch connection.state {
            // It waits for another look than this one.
            case .identifying(.front), .identifying(.named):
                if !isStill(connection, outcome.who) { connection.mustClose = true }
            case .identifying(let waiting): goOn(connection, outcome.who, waiting)
            case .working:
                if !isStill(connection, outcome.who) { connection.mustClose = true }
            case .receiving, .replying:
                if !isStill(connection, outcome.who) { close(connection) }
            }
        }
    }

    /// Goes on with what waited for a look.
    private func goOn(
        _ connection: ClientConnection, _ who: EstablishedPeer?,
        _ waiting: ClientConnection.Identifying
    ) {
        guard let who else { return close(connection) }
        if case .request = waiting {
            guard isStill(connection, who), connection.peer.isAlive(), connection.isCurrent
            else { return close(connection) }
        } else {
            connection.establish(who)
            guard hasRoomInNamespace(connection) else { return close(connection) }
        }
        connection.state = .receiving
        do throws(SystemError) {
            try poller.add(connection.socket.rawValue, .readable)
        } catch { return close(connection) }
        switch waiting {
        case .candidate: connection.deadline = .now + configuration.requestDeadline
        case .proof(let sequence):
            connection.deadline = .now + configuration.requestDeadline
            connection.hasProof = true
            reply(.prove([]), sequence, connection)
        case .request(let request, let sequence): handle(request, sequence, connection)
        case .front, .named: return
        }
    }

    /// Counts a connection from another user namespace with all others from there: who made it gave
    /// out its user numbers.
    /// - Returns: Whether there is room for it.
    private func hasRoomInNamespace(_ connection: ClientConnection) -> Bool {
        guard connection.client.identity.reasons.contains(where: \.isForeignNamespace) else {
            return true
        }
        let account = configuration.accounts.accountInNamespace(of: connection.peer.userID)
        guard account != connection.account else { return true }
        discount(connection)
        connection.account = account
        connectionsByAccount[account, default: 0] += 1
        return connectionsByAccount[account, default: 0] <= configuration.connectionsPerUser
    }

    private func discount(_ connection: ClientConnection) {
        guard let count = connectionsByAccount[connection.account] else { return }
        connectionsByAccount[connection.account] = count > 1 ? count - 1 : nil
    }

    /// Whether a look found the application that it was. What can't be told is served no longer.
    private func isStill(_ connection: ClientConnection, _ who: EstablishedPeer?) -> Bool {
        let before = connection.who.identity
        guard let now = who?.identity else { return false }
        return now.grade == before.grade && now.application == before.application
            && now.accessGroups == before.accessGroups
    }

    func close(_ connection: ClientConnection) {
        let raw = connection.socket.rawValue
        poller.remove(raw)
        if watching.remove(raw) != nil { mailbox.wantChanges(!watching.isEmpty) }
        if connection.channel == nil {
            let process = connection.peer.pid
            if let count = connectionsByProcess[process] {
                connectionsByProcess[process] = count > 1 ? count - 1 : nil
            }
            discount(connection)
        }
        connections[raw] = nil
        handler.end(connection.client)
    }
}

/// The first descriptor that is attached to a message.
struct AttachedFile: Sendable {
    /// A copy of it; -1 where there is none.
    let descriptor: Int32
    /// Whether it is the only one.
    let isAlone: Bool

    /// Whether closing all that is attached takes no time: it is a memory file that never has content.
    /// Of most other kinds the owner can make the last close wait: sockets and files by themselves,
    /// what can be polled by an `epoll` that delivers into a page of a file system of his.
    var isHarmless: Bool {
        descriptor >= 0 && isAlone && llavero_is_empty_sealed_memory(descriptor) == 1
    }
}
