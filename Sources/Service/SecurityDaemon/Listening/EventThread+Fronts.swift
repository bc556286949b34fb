// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import Glibc
import IPC
import KeychainVocabulary
import SecurityWire

/// Fronts, and the channels for their callers (PROTOCOL.md, "Fronts").
extension EventThread {
    /// Answers what concerns connections themselves.
    /// - Returns: Whether the request was one of these.
    func answerFront(
        _ request: ClientRequest, _ sequence: UInt32, _ connection: ClientConnection
    ) -> Bool {
        switch request {
        case .front(let name):
            guard configuration.fronts != nil, let inspected = connection.inspected else {
                refuseFront(connection, sequence)
                return true
            }
            waitForLook(connection, inspected, .front(name, sequence: sequence))
        case .represent(.records):
            makeChannel(connection, nil, .nobody, .ofFront, Representation(), sequence)
        // Without a descriptor they name no process.
        case .represent(.process), .busOwner: close(connection)
        default: return false
        }
        return true
    }

    /// Has a process looked into that a message names. The descriptor is taken out of the socket before:
    /// to close a pidfd takes no time. Anything else ends the connection, as it may take long to close.
    func lookAtNamed(
        _ connection: ClientConnection, _ request: ClientRequest, _ sequence: UInt32,
        byteCount: Int, _ attached: AttachedFile
    ) {
        guard attached.isAlone, let process = ProcessDescriptor(attached.descriptor) else {
            release(attached, connection.client.requester)
            return close(connection)
        }
        guard Self.discard(byteCount, of: connection.socket.rawValue) else {
            return close(connection)
        }
        var forChannel = false
        if case .represent = request { forChannel = true }
        connection.deadline = nil
        guard let number = process.number else {
            return fail(.notRepresented, connection, sequence)
        }
        let inspected = InspectedProcess(
            owning: PeerProcess(
                pid: number, userID: connection.peer.userID, groupID: connection.peer.groupID,
                pidfd: process.take()))
        waitForLook(
            connection, inspected,
            .named(inspected, forChannel: forChannel, sequence: sequence))
    }

    private func waitForLook(
        _ connection: ClientConnection, _ inspected: InspectedProcess,
        _ waiting: ClientConnection.Identifying
    ) {
        poller.remove(connection.socket.rawValue)
        connection.state = .identifying(waiting)
        identifyForFront(connection, inspected)
    }

    /// Goes on with what a front, or a caller of a front, waited for.
    func goOnWithFront(_ connection: ClientConnection, _ who: EstablishedPeer?) {
        guard case .identifying(let waiting) = connection.state else { return }
        switch waiting {
        case .candidate, .proof, .request: return
        case .front, .named: break
        }
        connection.state = .receiving
        guard !connection.mustClose, connection.peer.isAlive(), connection.isCurrent else {
            return close(connection)
        }
        do throws(SystemError) {
            try poller.add(connection.socket.rawValue, .readable)
        } catch { return close(connection) }
        switch waiting {
        case .candidate, .proof, .request: return
        case .front(let name, let sequence): admit(connection, name, who, sequence)
        case .named(let process, let forChannel, let sequence):
            answer(connection, process, who, forChannel: forChannel, sequence)
        }
    }

    // MARK: - The front

    private func admit(
        _ connection: ClientConnection, _ name: FrontName, _ who: EstablishedPeer?,
        _ sequence: UInt32
    ) {
        guard let door = configuration.fronts, let who, let facts = who.facts,
            door.admits(name, facts)
        else { return refuseFront(connection, sequence) }
        connection.establish(who)
        connection.client.kind = .control(name)
        handler.noteFront(connection.client)
        reply(.frontAdmitted, sequence, connection)
    }

    private func refuseFront(_ connection: ClientConnection, _ sequence: UInt32) {
        switch handler.refuseFront(
            connection.client, later: { laterReply(connection, sequence) })
        {
        case .reply(let reply): self.reply(reply, sequence, connection)
        case .later: pause(connection)
        case .watch: break
        }
    }

    private func fail(
        _ error: DaemonError, _ connection: ClientConnection, _ sequence: UInt32
    ) {
        reply(.failed(Failure(error)), sequence, connection)
    }

    // MARK: - Its callers

    private func answer(
        _ connection: ClientConnection, _ process: InspectedProcess, _ who: EstablishedPeer?,
        forChannel: Bool, _ sequence: UInt32
    ) {
        guard let who, let facts = who.facts, facts.isOfUser, process.isAlive() else {
            return fail(.notRepresented, connection, sequence)
        }
        let owner = BusOwner(facts)
        let policy = configuration.fronts?.policy() ?? SecretServicePolicy()
        let reach = BusReach(of: owner, policy)
        var representation = Representation()
        representation.owner = owner.text
        representation.isSandboxed = reach.isSandboxed
        representation.isIsolationOff = !policy.isIsolating
        representation.groups = reach.groups
        guard forChannel else {
            representation.reasons = facts.identity.reasons.map(\.text)
            return reply(.busOwner(representation), sequence, connection)
        }
        makeChannel(connection, (process, who), owner, reach, representation, sequence)
    }

    /// Makes a channel, and sends its other end to the front.
    private func makeChannel(
        _ control: ClientConnection, _ caller: (process: InspectedProcess, who: EstablishedPeer)?,
        _ owner: BusOwner, _ reach: BusReach, _ representation: Representation,
        _ sequence: UInt32
    ) {
        guard case .control(let name) = control.client.kind, let door = configuration.fronts,
            let peer = control.peer.duplicate()
        else { return close(control) }
        let userID = control.peer.userID
        guard connections.count < configuration.connectionLimit,
            let seat = door.takeSeat(of: userID)
        else { return fail(.tooManyChannels, control, sequence) }
        guard let (ours, theirs) = try? UnixSocket.pair() else {
            return fail(.overloaded, control, sequence)
        }
        let other = Descriptor(owning: theirs)
        guard llavero_pass_credentials(ours) == 0 else {
            Glibc.close(ours)
            return fail(.overloaded, control, sequence)
        }
        // A program that hangs on nothing may run others: it is nobody still.
        let who =
            owner == .nobody
            ? EstablishedPeer(caller?.who.identity ?? control.who.identity)
            : caller?.who ?? control.who
        connectionCount += 1
        let channel = ClientConnection(
            number: connectionCount,
            socket: ClientSocket(owning: ours, releases: configuration.releases), peer: peer,
            account: control.account, who: who, deadline: nil,
            channel: ClientConnection.Channel(
                seat: seat, process: caller?.process, front: control.who,
                isLookedIntoAgain: owner.isJudgedByCode))
        channel.represent(name, reach, representation)
        connections[ours] = channel
        do throws(SystemError) { try poller.add(ours, .readable) } catch {
            close(channel)
            return fail(.overloaded, control, sequence)
        }
        configuration.counts.count(.represented(representation))
        guard let frame = try? ServiceReply.represented(representation).encoded(sequence: sequence),
            Self.send(frame.bytes, other.rawValue, to: control.socket.rawValue)
        else {
            close(channel)
            return close(control)
        }
    }

    /// Sends a short message with a descriptor, whole or not at all.
    private static func send(_ bytes: [UInt8], _ descriptor: Int32, to socket: Int32) -> Bool {
        while true {
            let count = unsafe llavero_send_descriptors(
                socket, bytes, bytes.count, [descriptor], 1, Int32(MSG_DONTWAIT))
            if count < 0, errno == EINTR { continue }
            return count == bytes.count
        }
    }

    /// Ends the channels whose process, or whose front, isn't what it was.
    func closeOverChannels() {
        for connection in connections.values where connection.channel != nil {
            guard !connection.isCurrent || !connection.peer.isAlive() else { continue }
            switch connection.state {
            case .working, .identifying: connection.mustClose = true
            case .receiving, .replying: close(connection)
            }
        }
    }
}

extension BusOwner {
    /// Whether it hangs on all code in the process, which may change while the process runs.
    fileprivate var isJudgedByCode: Bool {
        switch self {
        case .application: true
        case .path, .flatpak, .snap, .nobody: false
        }
    }
}

extension ClientConnection {
    /// Speaks for a process, or for the front's own records, from now on.
    fileprivate func represent(
        _ name: FrontName, _ reach: BusReach, _ representation: Representation
    ) {
        let identity = who.identity.representing(reach.groups)
        if let process = channel?.process {
            client.establish(identity, AuditCaller(identity, process.peer, through: name))
            client.requester = Requester(
                userID: client.requester.userID, process: process.processID)
        } else {
            client.establish(identity, AuditCaller(identity, peer, through: name))
        }
        client.kind = .channel(name, reach)
        // The control connection has proven it.
        hasProof = true
    }
}

/// A descriptor that names a process.
private struct ProcessDescriptor: ~Copyable {
    private let descriptor: Descriptor
    /// The process's number here; nil if it has ended, or has none here.
    let number: Int32?

    /// - Returns: Nil for another descriptor, which stays the caller's. What the kernel says of an open
    ///   file is read; no file system is asked.
    init?(_ raw: Int32) {
        guard raw >= 0, let found = Self.number(ofProcess: raw) else { return nil }
        descriptor = Descriptor(owning: raw)
        number = found > 0 ? found : nil
    }

    consuming func take() -> Descriptor { descriptor }

    /// What the kernel says of a descriptor of another kind may wait for a lock that its owner holds (of
    /// an `epoll`), so the name comes first.
    private static func isOfProcess(_ raw: Int32) -> Bool {
        var room = [CChar](repeating: 0, count: 64)
        let count = unsafe readlink("/proc/self/fd/\(raw)", &room, room.count)
        let name = String(
            decoding: room.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name == "anon_inode:[pidfd]" || name.hasPrefix("pidfd:[")
    }

    private static func number(ofProcess raw: Int32) -> Int32? {
        guard isOfProcess(raw) else { return nil }
        let file = unsafe open("/proc/self/fdinfo/\(raw)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        let info = Descriptor(owning: file)
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = unsafe read(info.rawValue, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("Pid:") }
        return line.flatMap { Int32($0.dropFirst(4).drop { $0 == "\t" || $0 == " " }) }
    }
}
