// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Glibc
import IPC
import SecurityDaemon
import TestSupport

/// Jobs of processes that there aren't.
enum InspectionFixture {
    /// A look.
    static func look(
        _ userID: UInt32, _ process: Int32 = 1, deadline: ContinuousClock.Instant? = nil
    ) throws -> InspectionJob {
        let peer = PeerProcess(
            pid: process, userID: userID, groupID: userID, pidfd: try descriptor())
        return InspectionJob(
            process: InspectedProcess(owning: peer), stage: .candidate,
            deadline: deadline ?? .now + .seconds(10), answer: { _ in })
    }

    /// A digest of a file of so many bytes.
    static func digest(
        _ userID: UInt32, _ process: Int32, _ byteCount: Int64
    ) throws -> InspectionJob {
        var job = try look(userID, process)
        job.undigested = UndigestedFile(file(byteCount), try descriptor())
        return job
    }

    /// A look that took too long once.
    static func secondTry(_ userID: UInt32, _ process: Int32 = 1) throws -> InspectionJob {
        var job = try look(userID, process)
        job.isSecondTry = true
        return job
    }

    /// Names a file.
    static func file(_ byteCount: Int64, inode: UInt64 = 1, changed: Int64 = 0) -> FileIdentity {
        FileIdentity(
            device: 1, inode: inode, byteCount: byteCount, modified: 0, changed: changed)
    }

    private static func descriptor() throws -> Descriptor {
        let raw = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard raw >= 0 else { throw TestFailure("/dev/null") }
        return Descriptor(owning: raw)
    }
}
