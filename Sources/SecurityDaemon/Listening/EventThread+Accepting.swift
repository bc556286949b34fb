// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import Glibc
import IPC

/// Who connects, and the end of a connection.
extension EventThread {
    private static let acceptsPerTurn = 16

    func acceptConnections() {
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

    func startIdentified() {
        for (raw, who) in mailbox.takeIdentified() {
            guard let connection = connections[raw] else { continue }
            connection.establish(who)
            connection.state = .receiving
            connection.deadline = .now + configuration.requestDeadline
            do throws(SystemError) { try poller.add(raw, .readable) } catch { close(connection) }
        }
    }

    func close(_ connection: ClientConnection) {
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
}
