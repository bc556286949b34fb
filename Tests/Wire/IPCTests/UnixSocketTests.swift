// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import IPC
import Testing

@Suite struct UnixSocketTests {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let directory = NSTemporaryDirectory() + "/llavero-ipc-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try body(directory)
    }

    @Test func peerIsThisProcess() throws {
        let ends = try UnixSocket.pair()
        let left = Descriptor(owning: ends.0)
        let right = Descriptor(owning: ends.1)
        let peer = try PeerProcess(connectedTo: left.rawValue)
        #expect(peer.pid == getpid())
        #expect(peer.userID == geteuid())
        let isAlive = peer.isAlive()
        #expect(isAlive)
        _ = consume right
    }

    @Test func socketFileIsPrivate() throws {
        try withDirectory { directory in
            let listener = try UnixSocket.listen(at: directory + "/s", backlog: 1)
            let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/s")
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            _ = consume listener
        }
    }

    @Test(arguments: [107, 108, 500])
    func pathOver107BytesIsRefusedWithItsCount(_ byteCount: Int) throws {
        try withDirectory { directory in
            let name = String(repeating: "s", count: byteCount - directory.utf8.count - 1)
            let path = directory + "/" + name
            do {
                let listener = try UnixSocket.listen(at: path, backlog: 1)
                #expect(byteCount == 107)
                _ = consume listener
            } catch UnixSocket.Failure.pathTooLong(let count) {
                #expect(byteCount > 107)
                #expect(count == byteCount)
            }
        }
    }

    @Test func connectingToNothingFailsAtOnce() throws {
        try withDirectory { directory in
            #expect(throws: UnixSocket.Failure.self) {
                _ = try UnixSocket.connect(to: directory + "/none", timeout: .seconds(30)).rawValue
            }
        }
    }

    @Test func descriptorsAreClosedOnExec() throws {
        let ends = try UnixSocket.pair()
        for raw in [ends.0, ends.1] {
            #expect(fcntl(raw, F_GETFD) & FD_CLOEXEC != 0)
            close(raw)
        }
    }
}
