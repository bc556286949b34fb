// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import SecurityWire

/// Has the writer carry out steps of backups and restores, and waits until they are durable.
struct BackupWriter: Sendable {
    let writes: WorkQueue<WriterThread.Job>

    /// - Returns: The step's answer.
    func carryOut(
        _ work: BackupWrite.Work, of client: ClientIdentity, _ identity: WriteIdentity? = nil
    ) throws(DaemonError) -> BackupAnswer {
        let answer: WriterAnswer
        do { answer = try WriterAnswer() } catch { throw .overloaded }
        let scope = try GroupUse.none.scope(for: client)
        let job = WriteJob(BackupWrite(work: work, identity: identity), scope) { answer.set($0) }
        // Only one thread waits for it.
        writes.add(.write(job), isBounded: false)
        guard case .backup(let reply) = try answer.get().reply else { throw .invalidRequest }
        return reply
    }
}
