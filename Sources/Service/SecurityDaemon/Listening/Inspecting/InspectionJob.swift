// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import CodeIdentity

/// Establishes who peers are. Answers on any thread, once, perhaps before the call returns.
package protocol PeerIdentifying: Sendable {
    /// Looks into a process.
    /// - Parameters:
    ///   - process: The process.
    ///   - traces: What an earlier look has opened of it; nil at the first.
    ///   - stage: How far to look.
    ///   - answer: Gets who it is; nil when that can't be told. Then nothing may be assumed: the
    ///     group that any program of the user has would be the wrong place for what a signed one
    ///     stores.
    func identify(
        _ process: InspectedProcess, _ traces: PeerTraces?, _ stage: InspectionStage,
        answer: @escaping @Sendable (EstablishedPeer?) -> Void)
}

/// A process that waits to be looked into, or is.
package struct InspectionJob: Sendable {
    let process: InspectedProcess
    let stage: InspectionStage
    let answer: @Sendable (EstablishedPeer?) -> Void
    /// When nobody waits for the answer any more.
    let deadline: ContinuousClock.Instant
    var traces: PeerTraces?
    var digests: [KnownDigest] = []
    /// The file whose digest comes next.
    package var undigested: UndigestedFile?
    /// It was begun already, and took so long that it had to make room for others.
    package var isSecondTry = false
    /// Only what root has mounted is asked for it. Of a digest: its file is on such a mount.
    package var asksRootsFilesAlone = false
    /// Root's file systems alone didn't tell.
    package var isHeldBack = false

    /// A job that nobody has begun.
    package init(
        process: InspectedProcess, stage: InspectionStage, traces: PeerTraces? = nil,
        deadline: ContinuousClock.Instant, answer: @escaping @Sendable (EstablishedPeer?) -> Void
    ) {
        self.process = process
        self.stage = stage
        self.traces = traces
        self.deadline = deadline
        self.answer = answer
    }

    /// Whose it counts as, if not the process's user's.
    var account: UInt32?
    /// Whose process it is, or whose it counts as.
    package var userID: UInt32 { account ?? process.userID }

    /// What an inspector is to do.
    package var work: InspectionWork {
        if undigested != nil { return .digest }
        return isSecondTry ? .secondTry : .look
    }

    /// What a peerinspector is asked.
    var question: InspectionQuestion {
        if let undigested { return .digest(undigested) }
        return .who(
            process, traces,
            InspectionOrder(stage, digests: digests, asksRootsFilesAlone: asksRootsFilesAlone))
    }
}

/// What an inspector is to do.
package enum InspectionWork: Sendable {
    /// Looking at what the kernel says of a process.
    case look
    /// Reading a file.
    case digest
    /// A look that took too long once.
    case secondTry
}
