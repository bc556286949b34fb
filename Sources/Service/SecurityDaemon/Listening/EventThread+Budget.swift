// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC

/// How much memory half-sent requests and unread replies may take.
extension EventThread {
    /// Of one user's on one event thread: sixteen of the largest requests that are carried out. Small
    /// requests come whole and take none.
    private static let partialByteLimit = 32 << 20

    /// Closes connections of a user who has too much half-sent: first the oldest of the process that
    /// has most of it, so that one who sends a large request to its end gets it through.
    func keepBudget(of account: UInt32) {
        while true {
            var byProcess: [Int32: Int] = [:]
            var total = 0
            for connection in connections.values where connection.account == account {
                let byteCount = connection.partial?.byteCount ?? 0
                byProcess[connection.peer.pid, default: 0] += byteCount
                total += byteCount
            }
            guard total > Self.partialByteLimit,
                let process = byProcess.max(by: { $0.value < $1.value })?.key,
                let oldest = connections.values.filter({
                    $0.peer.pid == process && $0.partial != nil
                }).min(by: { $0.partial?.begun ?? .now < $1.partial?.begun ?? .now })
            else { return }
            close(oldest)
        }
    }

    /// Of one user's on one event thread: what the kernel doesn't take since the client doesn't read.
    private static let unreadByteLimit = 32 << 20

    /// Closes connections of a user who leaves too many replies unread: first the one that has waited
    /// longest, of the process that has most of it. A single reply may be as large as it is.
    func keepReplyBudget(of account: UInt32) {
        while true {
            var byProcess: [Int32: Int] = [:]
            var total = 0
            var count = 0
            for connection in connections.values where connection.account == account {
                guard let byteCount = connection.unreadByteCount else { continue }
                byProcess[connection.peer.pid, default: 0] += byteCount
                total += byteCount
                count += 1
            }
            guard total > Self.unreadByteLimit, count > 1,
                let process = byProcess.max(by: { $0.value < $1.value })?.key,
                let oldest = connections.values.filter({
                    $0.peer.pid == process && $0.unreadByteCount != nil
                }).min(by: { $0.deadline ?? .now < $1.deadline ?? .now })
            else { return }
            close(oldest)
        }
    }
}
