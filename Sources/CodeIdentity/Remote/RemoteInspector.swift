// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
package import IPC
import Synchronization

/// Asks peerinspector who a peer is: for a daemon that may not look into other users' processes
/// itself. It answers as a ``PeerInspector`` does; when nobody answers, nobody is more than a program
/// of the user.
package final class RemoteInspector: Sendable {
    /// One for what is known at once, one for what takes long: nobody waits for a digest.
    private let quick: Mutex<Connection>
    private let slow: Mutex<Connection>

    /// Takes over two message sockets (SOCK_SEQPACKET) to one peerinspector.
    package init(quick: consuming Descriptor, slow: consuming Descriptor) {
        self.quick = Mutex(Connection(socket: quick))
        self.slow = Mutex(Connection(socket: slow))
    }

    /// Asks; what must be read first is asked for again when the caller says so.
    package func inspect(_ peer: borrowing PeerProcess) -> Identification {
        let userID = peer.userID
        let outcome = quick.withLock { $0.ask(peer, mayTakeLong: false) }
        switch outcome {
        case .known(let established): return .known(established)
        case .failed: return .known(EstablishedPeer(.unsigned(userID, .notInspectable)))
        case .needsReading: break
        }
        guard let copy = peer.duplicate() else {
            return .known(EstablishedPeer(.unsigned(userID, .notInspectable)))
        }
        let waiting = WaitingPeer(copy)
        return .later(
            PendingInspection { [self] in
                let outcome = slow.withLock { waiting.ask(&$0) }
                guard case .known(let established) = outcome else {
                    return EstablishedPeer(.unsigned(userID, .notInspectable))
                }
                return established
            })
    }

    private final class WaitingPeer: Sendable {
        private let peer: PeerProcess
        init(_ peer: consuming PeerProcess) { self.peer = peer }
        func ask(_ connection: inout Connection) -> Connection.Outcome {
            connection.ask(peer, mayTakeLong: true)
        }
    }

    /// One socket, with one question at a time.
    private struct Connection: ~Copyable, Sendable {
        enum Outcome {
            case known(EstablishedPeer)
            case needsReading
            case failed
        }

        private let socket: Descriptor

        init(socket: consuming Descriptor) { self.socket = socket }

        mutating func ask(_ peer: borrowing PeerProcess, mayTakeLong: Bool) -> Outcome {
            let request = InspectionRequest(peer, mayTakeLong: mayTakeLong).bytes
            guard
                unsafe llavero_send_descriptor(
                    socket.rawValue, request, request.count, peer.rawPidfd) == request.count
            else { return .failed }
            var bytes = [UInt8](repeating: 0, count: IdentityCoding.byteLimit + 1)
            var descriptor: Int32 = -1
            var count = -1
            repeat {
                count = unsafe llavero_receive_descriptor(
                    socket.rawValue, &bytes, bytes.count, &descriptor)
            } while count < 0 && errno == EINTR
            return Self.outcome(bytes, count, descriptor, peer.userID)
        }

        private static func outcome(
            _ bytes: [UInt8], _ count: Int, _ descriptor: Int32, _ userID: UInt32
        ) -> Outcome {
            guard descriptor >= 0 else {
                guard count > 0, count <= bytes.count else { return .failed }
                if bytes[0] == InspectionServer.needsReading { return .needsReading }
                guard let identity = identity(bytes[..<count], userID),
                    identity.grade == .unsigned
                else { return .failed }
                return .known(EstablishedPeer(identity))
            }
            let maps = Descriptor(owning: descriptor)
            // Whoever is more than a program of the user has an address space to hang on.
            guard count > 0, count <= bytes.count,
                let identity = identity(bytes[..<count], userID), identity.grade != .unsigned
            else { return .failed }
            return .known(EstablishedPeer(identity, AddressSpace(maps: maps)))
        }

        private static func identity(
            _ bytes: ArraySlice<UInt8>, _ userID: UInt32
        ) -> ClientIdentity? {
            guard bytes.first == InspectionServer.isKnown else { return nil }
            return IdentityCoding.decode(Array(bytes.dropFirst()), userID: userID)
        }
    }
}
