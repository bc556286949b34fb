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
/// ends only when that answers: ``InspectorUse`` says how many a user can have.
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
        /// What it had computed by then.
        var computedBefore = Duration.zero
        var deadline = ContinuousClock.Instant.now

        init?(_ inspector: InspectionDesk.Inspector) {
            let pidfd = llavero_pidfd_open(inspector.process)
            guard pidfd >= 0 else { return nil }
            ending = Descriptor(owning: pidfd)
            self.inspector = inspector
        }

        var isIdle: Bool { job == nil && !isEnding }
    }

    /// At work or ready for it. Those that were killed take nobody's place.
    private static let workerLimit = 8
    /// The same where each has another user: who has none at work gets one.
    private static let reserveLimit = 64
    /// Of idle ones; further ones are there for a rush.
    private static let idleLimit = 1
    /// How long a look goes on at its first try while others of its user wait for it.
    private static let firstTryPatience = Duration.milliseconds(100)
    /// A look takes less than a millisecond; this is for a machine that is very busy.
    private static let lookPatience = Duration.seconds(3)
    /// The same, where its inspector has had no processor. A client waits about as long.
    private static let busyMachinePatience = Duration.seconds(9)
    /// Reading 256 MiB.
    private static let digestPatience = Duration.seconds(8)
    private static let digestCapacity = 1024

    private let start: @Sendable () throws -> InspectionDesk.Inspector
    private let report: @Sendable (String) -> Void
    private let poller: Poller
    private var workers: [Worker] = []
    private var queue = InspectionQueue()
    private var digests: [FileIdentity: KnownDigest] = [:]
    private var vainDigests = VainDigests()
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
                if worker.deadline > now { makeRoom(worker, now) } else { end(worker, now) }
            }
            for job in queue.takeOverdue(now) { job.answer(nil) }
            giveUpHeldBack()
            dispatch()
        }
    }

    // MARK: - Jobs

    private func enqueue(_ job: InspectionJob) { if !queue.add(job) { job.answer(nil) } }

    /// Hands out what may begin now.
    private func dispatch() {
        while !queue.isEmpty {
            let use = inspectorUse()
            let isFull =
                workers.count { !$0.isEnding } >= Self.workerLimit
                && !workers.contains(where: \.isIdle)
            func mayBegin(_ job: InspectionJob) -> Bool {
                if isFull, !use.isIdle(job.userID) { return false }
                if case .none = use.permission(job) { return false }
                return true
            }
            guard queue.hasNext(mayBegin) else { break }
            guard let worker = idleWorker() else { return }
            guard var job = queue.next(mayBegin) else { break }
            if job.work != .digest {
                job.asksRootsFilesAlone = use.permission(job) == .rootsFilesAlone
            }
            worker.begun = .now
            worker.computedBefore = Self.computed(worker.inspector.process)
            worker.deadline =
                worker.begun + (job.undigested == nil ? Self.lookPatience : Self.digestPatience)
            worker.job = job
            if !worker.inspector.connection.ask(job.question) { kill(worker) }
        }
        retire()
    }

    /// Ends the wait of those who need what nobody is asked for any more.
    private func giveUpHeldBack() {
        guard workers.contains(where: { $0.killedFor != nil }) else { return }
        let use = inspectorUse()
        let held = queue.take {
            ($0.isHeldBack || $0.work == .digest && !$0.asksRootsFilesAlone)
                && use.isHeldUp($0.userID)
        }
        for job in held { job.answer(nil) }
    }

    private func inspectorUse() -> InspectorUse {
        var use = InspectorUse(now: .now)
        for worker in workers {
            if let job = worker.job {
                use.addBusy(job, since: worker.begun)
            } else if let killed = worker.killedFor {
                use.addKilled(for: killed.userID, at: killed.at)
            }
        }
        return use
    }

    /// Ends a first look that keeps others of its user waiting; it is tried again when they are done.
    private func makeRoom(_ worker: Worker, _ now: ContinuousClock.Instant) {
        guard var job = worker.job, job.undigested == nil, !job.isSecondTry,
            worker.begun + Self.firstTryPatience <= now, queue.hasLooks(of: job.userID),
            !lacksProcessor(worker)
        else { return }
        job.isSecondTry = true
        worker.job = nil
        kill(worker, for: job.userID)
        enqueue(job)
    }

    /// Ends a job whose time is over. An inspector that has had no processor gets more time.
    private func end(_ worker: Worker, _ now: ContinuousClock.Instant) {
        guard now < worker.begun + Self.busyMachinePatience, lacksProcessor(worker) else {
            return kill(worker)
        }
        worker.deadline = now + Self.firstTryPatience
    }

    /// Whether an inspector waits for a processor and for nothing of its peer's: it could go on, and
    /// has computed for less time than a look may take.
    private func lacksProcessor(_ worker: Worker) -> Bool {
        let process = worker.inspector.process
        return Self.computed(process) - worker.computedBefore < Self.firstTryPatience
            && Self.isReady(process)
    }

    /// How long a process has computed.
    private static func computed(_ process: Int32) -> Duration {
        var clock = clockid_t()
        var time = timespec()
        guard unsafe clock_getcpuclockid(process, &clock) == 0,
            unsafe clock_gettime(clock, &time) == 0
        else { return .zero }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Whether a process runs, or would if it got a processor (proc_pid_stat(5)).
    private static func isReady(_ process: Int32) -> Bool {
        let file = unsafe open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = unsafe read(file, &bytes, bytes.count)
        // The name in brackets may have a bracket in it.
        guard let end = bytes.prefix(max(count, 0)).lastIndex(of: UInt8(ascii: ")")),
            end + 2 < count
        else { return false }
        return bytes[end + 2] == UInt8(ascii: "R")
    }

    private func finish(_ worker: Worker, _ job: InspectionJob, _ answer: InspectionAnswer) {
        worker.job = nil
        var job = job
        switch answer {
        case .outcome(.known(let peer)):
            if peer.identity.hasChangedCode, let file = job.digests.last?.file {
                vainDigests.note(file, peer.identity, now: .now)
            }
            job.answer(peer)
        case .outcome(.unknown):
            // Where all who ask his file systems are stuck, nobody asks them again.
            guard job.asksRootsFilesAlone, !inspectorUse().isHeldUp(job.userID) else {
                return job.answer(nil)
            }
            job.isHeldBack = true
            enqueue(job)
        case .outcome(.needsDigest(let file, let traces)):
            job.traces = traces
            if let known = digests[file.identity] {
                goOn(&job, known)
            } else if let failed = vainDigests.identity(
                file.identity, userID: job.userID, now: .now)
            {
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
            let answer = worker.inspector.connection.answer(to: job.question)
        else { return kill(worker) }
        finish(worker, job, answer)
    }

    private func idleWorker() -> Worker? {
        if let idle = workers.first(where: \.isIdle) { return idle }
        guard workers.count(where: { !$0.isEnding }) < Self.reserveLimit else { return nil }
        // Where one takes longer, others have another inspector.
        let late = ContinuousClock.now - InspectorUse.rushPatience
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
        worker.inspector.kill(worker.ending.rawValue)
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
