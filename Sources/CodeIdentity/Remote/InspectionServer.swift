// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// One question to peerinspector: who a process is. It comes with the process's pidfd, which is what
/// names it.
struct InspectionRequest {
    static let byteCount = 16

    let pid: Int32
    let userID: UInt32
    let groupID: UInt32
    /// Whether a file may be read that may be long.
    let mayTakeLong: Bool

    var bytes: [UInt8] {
        var writer = ByteWriter(reserving: Self.byteCount)
        writer.u32(UInt32(bitPattern: pid))
        writer.u32(userID)
        writer.u32(groupID)
        writer.u32(mayTakeLong ? 1 : 0)
        return writer.bytes
    }

    init(_ peer: borrowing PeerProcess, mayTakeLong: Bool) {
        pid = peer.pid
        userID = peer.userID
        groupID = peer.groupID
        self.mayTakeLong = mayTakeLong
    }

    init?(decoding bytes: ArraySlice<UInt8>) {
        let fields = unsafe bytes.withUnsafeBytes { bytes -> [UInt32]? in
            var reader = unsafe ByteReader(bytes)
            var fields: [UInt32] = []
            for _ in 0..<4 {
                guard let field = try? unsafe reader.u32() else { return nil }
                fields.append(field)
            }
            return (try? unsafe reader.finish()) == nil ? nil : fields
        }
        guard let fields, fields[3] <= 1 else { return nil }
        pid = Int32(bitPattern: fields[0])
        userID = fields[1]
        groupID = fields[2]
        mayTakeLong = fields[3] == 1
    }
}

/// The side that looks: what peerinspector does with one connection of securityd's.
package struct InspectionServer: Sendable {
    /// The first byte of a reply: a file must be read first, or the identity follows.
    static let needsReading: UInt8 = 0
    static let isKnown: UInt8 = 1

    private let inspector: PeerInspector
    private let socket: Int32

    package init(_ inspector: PeerInspector, socket: Int32) {
        self.inspector = inspector
        self.socket = socket
    }

    /// Answers until the connection ends, or says what it shouldn't.
    package func run() {
        var bytes = [UInt8](repeating: 0, count: InspectionRequest.byteCount + 1)
        while true {
            var descriptor: Int32 = -1
            let count = unsafe llavero_receive_descriptor(
                socket, &bytes, bytes.count, &descriptor)
            if count < 0, errno == EINTR { continue }
            guard descriptor >= 0 else { return }
            let pidfd = Descriptor(owning: descriptor)
            guard count == InspectionRequest.byteCount,
                let request = InspectionRequest(decoding: bytes[..<count])
            else { return }
            let peer = PeerProcess(
                pid: request.pid, userID: request.userID, groupID: request.groupID, pidfd: pidfd)
            guard answer(identification(of: peer, request)) else { return }
        }
    }

    /// Nil when a file must be read first.
    private func identification(
        of peer: borrowing PeerProcess, _ request: InspectionRequest
    ) -> EstablishedPeer? {
        switch inspector.inspect(peer) {
        case .known(let peer): peer
        case .later(let rest): request.mayTakeLong ? rest.finish() : nil
        }
    }

    private func answer(_ peer: EstablishedPeer?) -> Bool {
        guard let peer else { return send([Self.needsReading], attaching: -1) }
        return send(
            [Self.isKnown] + IdentityCoding.encode(peer.identity),
            attaching: peer.rawAddressSpace ?? -1)
    }

    private func send(_ bytes: [UInt8], attaching descriptor: Int32) -> Bool {
        unsafe llavero_send_descriptor(socket, bytes, bytes.count, descriptor) == bytes.count
    }
}
