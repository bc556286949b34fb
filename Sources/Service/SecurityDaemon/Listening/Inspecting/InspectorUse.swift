// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// What the inspectors are busy with at a moment, and what may begin beside that.
///
/// A file system of a user may never answer. An inspector that waits for it can't even be killed: it
/// ends when the file system does. So no more than two inspectors of a user ask such file systems at
/// a time, those included that were killed and haven't ended. While these two are late, his other
/// programs are told by root's file systems alone, or wait. Other users don't notice.
package struct InspectorUse: Sendable {
    /// What a job may do now.
    package enum Permission: Sendable {
        /// It waits.
        case none
        /// It may begin, and ask what root has mounted.
        case rootsFilesAlone
        /// It may begin.
        case everything
    }

    private struct Busy {
        let work: InspectionWork
        let asksRootsFilesAlone: Bool
        let begun: ContinuousClock.Instant
    }

    private struct User {
        var busy: [Busy] = []
        var killed: [ContinuousClock.Instant] = []
    }

    /// Of one user at work, so that others always find one.
    private static let busyLimit = 5
    private static let digestLimit = 1
    private static let secondTryLimit = 2
    /// Of those that may wait for a file system of the user's.
    package static let waitingLimit = 2
    /// A look takes less than a millisecond.
    static let rushPatience = Duration.milliseconds(20)
    /// A killed process that is still there after this waits for something.
    private static let endingPatience = Duration.milliseconds(100)

    private let now: ContinuousClock.Instant
    private var users: [UInt32: User] = [:]

    /// No inspector does anything.
    package init(now: ContinuousClock.Instant) { self.now = now }

    /// Notes an inspector that works on a job.
    package mutating func addBusy(_ job: InspectionJob, since begun: ContinuousClock.Instant) {
        users[job.userID, default: User()].busy.append(
            Busy(work: job.work, asksRootsFilesAlone: job.asksRootsFilesAlone, begun: begun))
    }

    /// Notes an inspector that was killed while it worked for a user, and hasn't ended.
    package mutating func addKilled(for userID: UInt32, at moment: ContinuousClock.Instant) {
        users[userID, default: User()].killed.append(moment)
    }

    /// Whether no inspector works for a user.
    package func isIdle(_ userID: UInt32) -> Bool { users[userID]?.busy.isEmpty ?? true }

    /// Whether as many inspectors as may be wait for a user's file systems, and can't be ended.
    package func isHeldUp(_ userID: UInt32) -> Bool {
        let late = users[userID]?.killed.count { $0 + Self.endingPatience <= now } ?? 0
        return late >= Self.waitingLimit
    }

    /// What a job may do now.
    package func permission(_ job: InspectionJob) -> Permission {
        guard let user = users[job.userID] else { return .everything }
        // More can't end than may wait: then something else holds them up.
        guard user.busy.count < Self.busyLimit, user.killed.count < Self.busyLimit else {
            return .none
        }
        switch job.work {
        case .look: break
        case .digest:
            guard user.busy.count(where: { $0.work == .digest }) < Self.digestLimit else {
                return .none
            }
            if job.asksRootsFilesAlone { return .rootsFilesAlone }
        case .secondTry:
            guard user.busy.count(where: { $0.work == .secondTry }) < Self.secondTryLimit else {
                return .none
            }
        }
        let waiting = user.busy.filter { !$0.asksRootsFilesAlone }
        if waiting.count + user.killed.count < Self.waitingLimit { return .everything }
        guard job.work != .digest, !job.isHeldBack,
            waiting.allSatisfy({ $0.begun + Self.rushPatience <= now })
        else { return .none }
        return .rootsFilesAlone
    }
}
