// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import Glibc
import IPC

/// The peerinspectors and what they work on; of one thread.
///
/// A job that takes too long is the peer's doing: its inspector is killed, the peer stays unknown, and
/// everybody else goes on with other inspectors. Where others of its user wait for it, it makes room
/// much earlier and has a second try. An inspector that is killed while it waits for a file system
/// ends only when that answers, so each user can have but two such.
final class InspectorPool {
    private final class Worker {
        let inspector: InspectionDesk.Inspector
        /// Ready to read when the process has ended.
        let ending: Descriptor
        var job: InspectionJob?
        /// It was killed, and has not ended yet.
        var isEnding = false
        /// Whose job it was killed for, and when.
        var killedFor: (userID: UInt32, at: ContinuousClock.Instant)?
        var begun = ContinuousClock.Instant.now
        var deadline = ContinuousClock.Instant.now

        init?(_ inspector: InspectionDesk.Inspector) {
            let pidfd = llavero_pidfd_open(inspector.process)
            guard pidfd >= 0 else { return nil }
            ending = Descriptor(owning: pidfd)
            self.inspector = inspector
        }

        var isIdle: Bool { job == nil && !isEnding }
    }

    /// A long file whose digest was taken in vain: it isn't taken again for a while, however the
    /// file is changed.
    private struct Failure {
        let device: UInt64
        let inode: UInt64
        let identity: ClientIdentity
        let until: ContinuousClock.Instant
    }

    private static let workerLimit = 8
    /// Of one user at work, so that others always find one.
    private static let workerLimitForUser = 5
    private static let digestLimitForUser = 1
    private static let secondTryLimitForUser = 2
    private static let stuckLimitForUser = 2
    /// Of idle ones; further ones are there for a rush.
    private static let idleLimit = 1
    /// A look takes less than a millisecond: where one takes longer, others have another inspector.
    private static let rushPatience = Duration.milliseconds(20)
    /// How long a look goes on at its first try while others of its user wait for it.
    private static let firstTryPatience = Duration.milliseconds(100)
    /// A killed process that is still there after this waits for something.
    private static let endingPatience = Duration.milliseconds(100)
    /// A look takes less than a millisecond; this is for a machine that is very busy.
    private static let lookPatience = Duration.seconds(3)
    /// Reading 256 MiB.
    private static let digestPatience = Duration.seconds(8)
    private static let failurePatience = Duration.seconds(10)
    private static let failureLimit = 256
    /// A shorter file's digest takes no more than some milliseconds.
    private static let longByteCount: Int64 = 32 << 20
    private static let digestCapacity = 1024

    private let start: @Sendable () throws -> InspectionDesk.Inspector
    private let report: @Sendable (String) -> Void
    private let poller: Poller
    private var workers: [Worker] = []
    private var queue = InspectionQueue()
    private var digests: [FileIdentity: KnownDigest] = [:]
    private var failures: [Failure] = []
    /// When starting one failed last, so that it isn't tried all the time.
    private var startFailure: ContinuousClock.Instant?

    init(
        first: InspectionDesk.Inspector,
        start: @escaping @Sendable () throws -> InspectionDesk.Inspector,
        report: @escaping @Sendable (String) -> Void
    ) throws(SystemError) {
        self.start = start
        self.report = report
        poller = try Poller()
        guard let worker = Worker(first) else { throw SystemError("pidfd_open") }
        try watch(worker)
    }

    /// Works until the process ends.
    /// - Parameters:
    ///   - arrivals: Is ready to read when jobs have come.
    ///   - take: Takes them.
    func run(_ arrivals: Int32, _ take: () -> [InspectionJob]) {
        do throws(SystemError) { try poller.add(arrivals, .readable) } catch {
            return report("no peers can be inspected: \(error)")
        }
        var ready: [Poller.Ready] = []
        while true {
            do throws(SystemError) { try poller.wait(milliseconds: patience(), into: &ready) } catch
            {
                return report("no peers can be inspected: \(error)")
            }
            for event in ready {
                if event.descriptor == arrivals {
                    for job in take() { enqueue(job) }
                } else {
                    serve(event.descriptor)
                }
            }
            let now = ContinuousClock.now
            for worker in workers where worker.job != nil {
                if worker.deadline <= now { kill(worker) } else { makeRoom(worker, now) }
            }
            for job in queue.takeOverdue(now) { job.answer(nil) }
            dispatch()
        }
    }

    // MARK: - Jobs

    private func enqueue(_ job: InspectionJob) { if !queue.add(job) { job.answer(nil) } }

    /// Hands out what may begin now.
    private func dispatch() {
        while let worker = idleWorker() {
            guard let job = queue.next({ work, userID in mayBegin(work, userID) }) else {
                return retire()
            }
            worker.begun = .now
            worker.deadline =
                worker.begun + (job.undigested == nil ? Self.lookPatience : Self.digestPatience)
            worker.job = job
            let isHeldUp = stuckCount(job.userID) >= Self.stuckLimitForUser
            if !worker.inspector.connection.ask(job.question(asksRootsFilesAlone: isHeldUp)) {
                kill(worker)
            }
        }
    }

    private func mayBegin(_ work: InspectionWork, _ userID: UInt32) -> Bool {
        let own = workers.filter { $0.job?.userID == userID }
        guard own.count < Self.workerLimitForUser else { return false }
        switch work {
        case .look: return true
        case .digest:
            return own.count { $0.job?.undigested != nil } < Self.digestLimitForUser
                && stuckCount(userID) < Self.stuckLimitForUser
        case .secondTry:
            return own.count { $0.job?.isSecondTry == true } < Self.secondTryLimitForUser
        }
    }

    /// How many inspectors that were killed for a user don't end.
    private func stuckCount(_ userID: UInt32) -> Int {
        let recently = ContinuousClock.now - Self.endingPatience
        return workers.count { worker in
            guard let killed = worker.killedFor else { return false }
            return killed.userID == userID && killed.at <= recently
        }
    }

    /// Ends a first look that keeps others of its user waiting; it is tried again when they are done.
    private func makeRoom(_ worker: Worker, _ now: ContinuousClock.Instant) {
        guard var job = worker.job, job.undigested == nil, !job.isSecondTry,
            worker.begun + Self.firstTryPatience <= now, queue.hasLooks(of: job.userID)
        else { return }
        job.isSecondTry = true
        worker.job = nil
        kill(worker, for: job.userID)
        enqueue(job)
    }

    private func finish(_ worker: Worker, _ job: InspectionJob, _ answer: InspectionAnswer) {
        worker.job = nil
        var job = job
        switch answer {
        case .outcome(.known(let peer)):
            if peer.identity.hasChangedCode, let file = job.digests.last?.file {
                fail(file, peer.identity)
            }
            job.answer(peer)
        case .outcome(.unknown): job.answer(nil)
        case .outcome(.needsDigest(let file, let traces)):
            job.traces = traces
            if let known = digests[file.identity] {
                goOn(&job, known)
            } else if let failed = failure(file.identity, job.userID) {
                job.answer(EstablishedPeer(failed))
            } else {
                job.undigested = file
                enqueue(job)
            }
        case .digest(let digest):
            job.undigested = nil
            guard let digest else { return job.answer(nil) }
            if digest.isLasting {
                if digests.count >= Self.digestCapacity { digests.removeAll() }
                digests[digest.file] = digest
            }
            goOn(&job, digest)
        }
    }

    /// Looks again with what is known now. A file that changes all the time comes to no end.
    private func goOn(_ job: inout InspectionJob, _ digest: KnownDigest) {
        guard job.digests.count < InspectionQuestion.digestLimit else { return job.answer(nil) }
        job.digests.append(digest)
        enqueue(job)
    }

    // MARK: - Digests in vain

    private func fail(_ file: FileIdentity, _ identity: ClientIdentity) {
        let now = ContinuousClock.now
        failures.removeAll { $0.until <= now }
        guard file.byteCount >= Self.longByteCount, failures.count < Self.failureLimit else {
            return
        }
        failures.append(
            Failure(
                device: file.device, inode: file.inode, identity: identity,
                until: now + Self.failurePatience))
    }

    private func failure(_ file: FileIdentity, _ userID: UInt32) -> ClientIdentity? {
        let now = ContinuousClock.now
        return failures.first {
            $0.device == file.device && $0.inode == file.inode && $0.until > now
                && $0.identity.userID == userID
        }?.identity
    }

    // MARK: - Workers

    private func serve(_ descriptor: Int32) {
        guard
            let worker = workers.first(where: {
                $0.ending.rawValue == descriptor
                    || $0.inspector.connection.rawSocket == descriptor
            })
        else { return }
        guard descriptor != worker.ending.rawValue else { return collect(worker) }
        guard let job = worker.job else { return kill(worker) }
        guard
            let answer = worker.inspector.connection.answer(
                to: job.question(asksRootsFilesAlone: false))
        else { return kill(worker) }
        finish(worker, job, answer)
    }

    private func idleWorker() -> Worker? {
        if let idle = workers.first(where: \.isIdle) { return idle }
        guard workers.count < Self.workerLimit, !queue.isEmpty else { return nil }
        let late = ContinuousClock.now - Self.rushPatience
        guard !workers.contains(where: { $0.job != nil && $0.begun > late }) else { return nil }
        if let startFailure, startFailure + .seconds(1) > .now { return nil }
        do {
            guard let worker = Worker(try start()) else { return nil }
            try watch(worker)
            return worker
        } catch {
            startFailure = .now
            report("no peerinspector can be started: \(error)")
            return nil
        }
    }

    private func watch(_ worker: Worker) throws(SystemError) {
        try poller.add(worker.inspector.connection.rawSocket, .readable)
        try poller.add(worker.ending.rawValue, .readable)
        workers.append(worker)
    }

    /// Ends one that is of no more use; whom it looked into stays unknown.
    private func kill(_ worker: Worker, for userID: UInt32? = nil) {
        guard !worker.isEnding else { return }
        worker.isEnding = true
        poller.remove(worker.inspector.connection.rawSocket)
        Glibc.kill(worker.inspector.process, SIGKILL)
        if let userID = userID ?? worker.job?.userID { worker.killedFor = (userID, .now) }
        worker.job?.answer(nil)
        worker.job = nil
    }

    /// Takes an ended one off the list.
    private func collect(_ worker: Worker) {
        if let job = worker.job { job.answer(nil) }
        poller.remove(worker.ending.rawValue)
        poller.remove(worker.inspector.connection.rawSocket)
        var status: Int32 = 0
        _ = unsafe waitpid(worker.inspector.process, &status, WNOHANG)
        workers.removeAll { $0 === worker }
    }

    /// Ends idle ones that a rush has left.
    private func retire() {
        let idle = workers.filter(\.isIdle)
        for worker in idle.dropFirst(Self.idleLimit) { kill(worker) }
    }

    /// Until the next deadline, in milliseconds; -1 when there is none.
    private func patience() -> Int32 {
        guard queue.isEmpty else { return 20 }
        return workers.contains { $0.job != nil } ? 100 : -1
    }
}
