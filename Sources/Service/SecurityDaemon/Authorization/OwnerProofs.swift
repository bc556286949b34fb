// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC

/// Proofs that a program may write in the state directory: only the owner of a service of one user, and
/// root, can.
final class OwnerProofs {
    /// More nonces than programs ask at a time; the oldest goes first.
    private static let nonceLimit = 64
    private static let nonceByteCount = 32

    /// Nil in the service of a machine, whose directory no user reaches.
    private let directory: String?
    /// Whom each was given to. It proves nothing for another process, which may have seen the file.
    private var nonces: [(nonce: [UInt8], of: Requester)] = []

    /// - Parameter directory: The state directory, if its owner is the only user.
    init(directory: String?) { self.directory = directory }

    /// A new nonce.
    /// - Returns: It, and the directory in which a file of its name is the proof.
    /// - Throws: ``DaemonError/administratorNeeded`` where no file counts.
    func challenge(_ requester: Requester) throws(DaemonError) -> (
        nonce: [UInt8], directory: [UInt8]
    ) {
        guard let directory else { throw .administratorNeeded }
        let nonce = (0..<Self.nonceByteCount).map { _ in UInt8.random(in: 0...255) }
        nonces.removeAll { $0.of == requester }
        nonces.append((nonce, requester))
        if nonces.count > Self.nonceLimit { nonces.removeFirst() }
        return (nonce, [UInt8](directory.utf8))
    }

    /// Looks for the file. It is deleted, and the nonce is used up.
    /// - Throws: ``DaemonError/ownerNotProven`` when it isn't there.
    func prove(_ nonce: [UInt8], _ requester: Requester) throws(DaemonError) {
        guard isProven(nonce, requester) else { throw .ownerNotProven }
    }

    private func isProven(_ nonce: [UInt8], _ requester: Requester) -> Bool {
        guard let directory,
            let place = nonces.firstIndex(where: { $0.nonce == nonce && $0.of == requester })
        else { return false }
        nonces.remove(at: place)
        let path = "\(directory)/\(Self.fileName(nonce))"
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid() || status.st_uid == 0
        else { return false }
        return unsafe unlink(path) == 0
    }

    /// `owner.` and the nonce as hexadecimal digits.
    private static func fileName(_ nonce: [UInt8]) -> String {
        let digits = [UInt8]("0123456789abcdef".utf8)
        let name = nonce.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return "owner." + String(decoding: name, as: UTF8.self)
    }
}
