// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
package import IPC

/// What the inspection of peers goes by.
package struct InspectionRules: Sendable {
    /// Where unsigned programs of root's have a group of their own.
    package var programDirectories = ProgramDirectories(["/usr", "/opt", "/bin", "/sbin"])
    /// Where signatures lie that aren't in their programs.
    package var detachedDirectories: [String] = []
    /// Which teams count.
    package var trust: TrustFile
    /// What this device is called in profiles.
    package var device: [UInt8]?
    /// Seconds since 1970.
    package var now: @Sendable () -> Int64

    package init(
        trust: TrustFile, device: [UInt8]? = nil,
        now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
    ) {
        self.trust = trust
        self.device = device
        self.now = now
    }
}

/// Finds out which application a connected process is.
///
/// Nothing is looked up by a path that the peer could have put there, or by a number that could be
/// another process's by now: the address space is opened first, then it is made sure that the very
/// process that connected is alive, so that it was its own; the program is read through the
/// descriptor that `/proc/PID/exe` gives, once it is known that no file system of the peer's answers;
/// and at the end the address space must still be in use.
///
/// A file system that doesn't answer, or a process that holds its own memory lock, can make it wait
/// for ever: it belongs into a process that can be killed.
package final class PeerInspector: Sendable {
    private let rules: InspectionRules
    private let cache: ProgramCache
    private let mapped = MappedFiles()
    private let rootsLibraries = RootsLibraries()
    private let own: Namespaces?
    private let ownMounts = OwnMounts()

    package init(_ rules: InspectionRules) {
        self.rules = rules
        cache = ProgramCache(detachedDirectories: rules.detachedDirectories)
        own = Namespaces(process: "self")
    }

    /// Looks into a process.
    /// - Parameters:
    ///   - peer: The process.
    ///   - traces: What an earlier look has opened; nil at the first.
    ///   - order: What is asked for.
    /// - Returns: Who it is, what is needed to tell, or that it can't be told.
    package func inspect(
        _ peer: borrowing PeerProcess, _ traces: PeerTraces?, _ order: InspectionOrder
    ) -> InspectionOutcome {
        guard order.stage == .bus else {
            return look(at: peer, groupID: peer.groupID, traces, order)
        }
        return factsOf(peer, traces, order)
    }

    private func look(
        at peer: borrowing PeerProcess, groupID: UInt32, _ traces: PeerTraces?,
        _ order: InspectionOrder
    ) -> InspectionOutcome {
        let userID = peer.userID
        guard let own else { return .unsigned(userID, .notInspectable) }
        let found: PeerTraces
        if let traces {
            found = traces
        } else {
            // Without its own mounts this process can tell nothing of anybody.
            guard let seen = ownMounts.table else { return .unknown }
            switch open(peer, own, seen, order) {
            case .success(let traces): found = traces
            case .failure(.nobody(let reason)): return .unsigned(userID, reason)
            case .failure(.unknown): return .unknown
            }
        }
        guard found.isOnRootsMount || !order.asksRootsFilesAlone else { return .unknown }
        let inspection = Inspection(
            rules: rules, cache: cache, mapped: mapped, rootsLibraries: rootsLibraries, own: own,
            ownMounts: ownMounts,
            pid: peer.pid, userID: userID,
            groupID: groupID, traces: found, digests: order.digests,
            stage: order.stage, stoodHere: traces == nil,
            asksRootsFilesAlone: order.asksRootsFilesAlone)
        switch inspection.verdict() {
        case .known(let identity):
            guard order.stage == .bus else { return .known(EstablishedPeer(identity, found)) }
            var facts = ProcessFacts(identity)
            inspection.note(&facts)
            return .known(EstablishedPeer(facts, found))
        case .needsDigest(let file): return .needsDigest(file, found)
        case .unknown: return .unknown
        }
    }

    /// What a front is told of a process, or what tells that a process is a front. Outside our own
    /// namespaces nothing is asked but the kernel, and a sandbox for its own file.
    private func factsOf(
        _ peer: borrowing PeerProcess, _ traces: PeerTraces?, _ order: InspectionOrder
    ) -> InspectionOutcome {
        guard let standing = ProcessStanding(process: peer.pid) else {
            return .unsigned(peer.userID, .ended)
        }
        let outcome = look(at: peer, groupID: standing.effectiveGroup, traces, order)
        guard case .known(let found) = outcome else { return outcome }
        var facts = found.facts ?? ProcessFacts(found.identity)
        facts.isOfUser = standing.isWholly(peer.userID)
        facts.isTraced = standing.isTraced || facts.identity.isTraced
        facts.snap = Confinement.snap(process: peer.pid)
        if facts.identity.reasons.contains(where: \.isForeignNamespace) {
            // The sandbox's own file system answers, or doesn't.
            guard !order.asksRootsFilesAlone else { return .unknown }
            facts.flatpak = Confinement.flatpak(process: peer.pid)
        }
        let kept = found.traces ?? Self.plainTraces(peer.pid)
        // What can't be seen to run another program is nobody, and no front.
        if kept == nil {
            facts.forget()
            // It may hide the sandbox that it is in.
            guard
                facts.snap != nil || facts.flatpak != nil
                    || standing.reason(ofUser: peer.userID)?.isForeignNamespace != true
            else { return .unknown }
        }
        guard peer.isAlive() else { return .unsigned(peer.userID, .ended) }
        return .known(EstablishedPeer(facts, kept))
    }

    /// What shows whether a process still runs the same program; no file system is asked.
    private static func plainTraces(_ process: Int32) -> PeerTraces? {
        guard let addressSpace = AddressSpace(process: process) else { return nil }
        let exe = unsafe llavero_open("/proc/\(process)/exe", LLAVERO_O_PATH | O_CLOEXEC, 0)
        guard exe >= 0 else { return nil }
        return PeerTraces(
            addressSpace, program: Descriptor(owning: exe), mayRaiseRights: false,
            sharesMounts: false, isOnRootsMount: false)
    }

    /// Takes a file's digest; may take as long as reading it does.
    package func digest(_ file: UndigestedFile) -> KnownDigest? { cache.digest(file.file) }

    /// Why nothing was opened.
    private enum Refusal: Error {
        case nobody(IdentityReason)
        case unknown
    }

    /// Opens what all looks go through. What a file system could be asked for comes last, when it is
    /// known that the process stands where only root decides what is mounted: a process in a user
    /// namespace can mount a file system that never answers, and say that it is another one.
    private func open(
        _ peer: borrowing PeerProcess, _ own: Namespaces, _ seen: MountTable,
        _ order: InspectionOrder
    ) -> Result<PeerTraces, Refusal> {
        let pid = peer.pid
        let namespaces: Namespaces
        switch place(peer, own) {
        case .success(let found): namespaces = found
        case .failure(let refusal): return .failure(refusal)
        }
        guard let addressSpace = AddressSpace(process: pid) else {
            return .failure(.nobody(.notInspectable))
        }
        // Opened so, a file is only named.
        let exe = unsafe llavero_open("/proc/\(pid)/exe", LLAVERO_O_PATH | O_CLOEXEC, 0)
        guard exe >= 0 else { return .failure(.nobody(.notInspectable)) }
        let name = Descriptor(owning: exe)
        let sharesMounts = own.haveSameMounts(as: namespaces)
        let mounts = sharesMounts ? seen : MountTable(process: pid)
        guard peer.isAlive() else { return .failure(.nobody(.ended)) }
        guard let mounts, let standing = ProcessStanding(process: pid) else {
            return .failure(.nobody(.notInspectable))
        }
        if let reason = standing.reason(ofUser: peer.userID) { return .failure(.nobody(reason)) }
        // Nobody comes back from a user namespace: where it is now, it was when all this was opened.
        switch place(peer, own) {
        case .success(let found):
            guard found == namespaces else { return .failure(.nobody(.changed)) }
        case .failure(let refusal): return .failure(refusal)
        }
        var rootsFiles = RootsFiles(mounts: seen, sharesMounts: sharesMounts)
        // The process must see the mount that its program is on: else it is somebody else's.
        guard let mount = mounts.mount(ofOpenFile: exe), rootsFiles.isOrdinary(mount) else {
            return .failure(.nobody(.unprovenFile))
        }
        let isRoots = rootsFiles.isRoots(mount)
        guard isRoots || !order.asksRootsFilesAlone else { return .failure(.unknown) }
        guard let program = ProcessFile.reopen(name),
            let status = FileStatus(descriptor: program.rawValue)
        else { return .failure(.nobody(.notInspectable)) }
        guard mount.holds(status) else { return .failure(.nobody(.unprovenFile)) }
        return .success(
            PeerTraces(
                addressSpace, program: program, mayRaiseRights: !mount.isNoSetUser,
                sharesMounts: sharesMounts, isOnRootsMount: isRoots))
    }

    /// The namespaces of a peer that stands where this process does.
    private func place(
        _ peer: borrowing PeerProcess, _ own: Namespaces
    ) -> Result<Namespaces, Refusal> {
        guard let namespaces = Namespaces(process: "\(peer.pid)") else {
            return .failure(.nobody(.notInspectable))
        }
        guard own.hold(namespaces, process: peer.pid) else {
            return .failure(.nobody(.foreignNamespace))
        }
        return .success(namespaces)
    }
}

/// What an inspection is asked for.
package struct InspectionOrder: Sendable {
    package let stage: InspectionStage
    /// Digests that were taken for it.
    package let digests: [KnownDigest]
    /// Only what root has mounted may be asked: other file systems may not answer. What can't be told
    /// without them stays unknown.
    package let asksRootsFilesAlone: Bool

    package init(
        _ stage: InspectionStage, digests: [KnownDigest] = [], asksRootsFilesAlone: Bool = false
    ) {
        self.stage = stage
        self.digests = digests
        self.asksRootsFilesAlone = asksRootsFilesAlone
    }
}

/// What came of an inspection.
package enum InspectionOutcome: Sendable {
    case known(EstablishedPeer)
    /// A file's digest must be taken first, which may take long.
    case needsDigest(UndigestedFile, PeerTraces)
    /// It can't be told now.
    case unknown

    static func unsigned(_ userID: UInt32, _ reason: IdentityReason) -> InspectionOutcome {
        .known(EstablishedPeer(.unsigned(userID, reason)))
    }
}

/// A peer's identity, and what it hangs on.
package final class EstablishedPeer: Sendable {
    /// Who it is.
    package let identity: ClientIdentity
    /// What was opened of the process; nil of one that is no more than any program of its user.
    package let traces: PeerTraces?
    /// What was found for a front; nil of a look at a peer.
    package let facts: ProcessFacts?

    /// Takes an identity; what it hangs on is let go for one that hangs on nothing but the process.
    package init(_ identity: ClientIdentity, _ traces: PeerTraces? = nil) {
        self.identity = identity
        self.traces = identity.grade == .unsigned ? nil : traces
        facts = nil
    }

    /// Takes what was found for a front. It hangs on what was opened, whatever its grade.
    package init(_ facts: ProcessFacts, _ traces: PeerTraces?) {
        identity = facts.identity
        self.traces = traces
        self.facts = facts
    }

    /// Whether it must still show that it is at the other end of the connection itself: that the
    /// bytes come from the program that was inspected, not from one that the process ran before.
    package var needsProof: Bool { traces != nil }

    /// Whether the process still runs the program that was inspected; never waits.
    package func isCurrent() -> Bool { traces?.isCurrent() ?? true }
}
