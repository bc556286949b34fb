// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import Synchronization
import TrustWire

/// Starts and ends trustd, and knows which one answers for a user.
///
/// There is one for each user number: one that is taken over decides what it is asked next, and so
/// must not be asked by another user.
package final class TrustDesk: Sendable {
    /// A trustd that runs.
    package final class Running: Sendable {
        let process: Int32
        /// Names the process, also when its number is another one's by now; negative when it had ended
        /// before.
        private let ending: Int32
        /// One for each thread.
        let sockets: [Socket]
        /// Kills it where this process must not: it belongs to another user.
        private let killElsewhere: (@Sendable () -> Void)?

        /// - Parameters:
        ///   - process: The process; it may be another one's child.
        ///   - sockets: Connections to it, ``TrustDesk/threadCount`` of them; they are owned here.
        ///   - kill: Kills it; nil where this process may.
        package init(
            process: Int32, sockets: [Int32], kill: (@Sendable () -> Void)? = nil
        ) {
            killElsewhere = kill
            self.process = process
            ending = kill == nil ? llavero_pidfd_open(process) : -1
            self.sockets = sockets.map { Socket(Descriptor(owning: $0)) }
        }

        deinit { if ending >= 0 { close(ending) } }

        /// Kills it. It has no state, so that it needs no orderly end.
        func kill() {
            if let killElsewhere { return killElsewhere() }
            if ending >= 0 { _ = llavero_kill_process(ending) }
            var status: Int32 = 0
            // It is collected here only if it is a child of this process.
            while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        }

        /// Whether it has ended while nobody asked it.
        var hasEnded: Bool {
            sockets.contains { socket in
                var entry = pollfd(
                    fd: socket.descriptor.rawValue, events: Int16(POLLIN), revents: 0)
                return unsafe poll(&entry, 1, 0) != 0
            }
        }
    }

    /// A connection that is closed when nobody uses it any more.
    final class Socket: Sendable {
        let descriptor: Descriptor

        init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
    }

    /// How long things last.
    package struct Times: Sendable {
        /// A trustd that isn't asked for so long is ended.
        package var idle = Duration.seconds(300)
        /// How long an answer may take: three times a question's budget, for a busy machine.
        package var answer = Duration.seconds(5)
        /// The first pause after a trustd that died without an answer, and the longest.
        package var shortestPause = Duration.milliseconds(100)
        package var longestPause = Duration.seconds(10)

        package init() {}
    }

    /// Of each user: how many questions are answered at the same time.
    package static let threadCount = 2
    /// How many run at most.
    package static let processLimit = 16

    private struct Entry {
        var running: Running?
        var lastUse: ContinuousClock.Instant
        var useCount = 0
        /// How many died in a row without having answered.
        var failureCount = 0
        var notBefore: ContinuousClock.Instant?

        /// The next start waits longer and longer.
        mutating func noteFailure(_ times: Times) {
            failureCount = min(failureCount + 1, 16)
            let pause = min(times.shortestPause * (1 << (failureCount - 1)), times.longestPause)
            notBefore = .now + pause
        }
    }

    private let start: @Sendable (_ userID: UInt32) throws -> Running
    private let times: Times
    private let report: @Sendable (String) -> Void
    private let entries = Mutex<[UInt32: Entry]>([:])

    /// - Parameters:
    ///   - times: How long things last.
    ///   - start: Starts a trustd for a user.
    ///   - report: Writes a line to the log.
    package init(
        times: Times = Times(), start: @escaping @Sendable (_ userID: UInt32) throws -> Running,
        report: @escaping @Sendable (String) -> Void
    ) {
        self.times = times
        self.start = start
        self.report = report
    }

    /// How often trustd may ask for issuers before it answers.
    private static let lookUpLimit = TrustLimits.lookUpCount

    /// Has a question answered.
    /// - Parameters:
    ///   - question: A call's bytes; the client's part isn't read here.
    ///   - userID: Whose question it is.
    ///   - thread: The number of the calling thread.
    ///   - issuers: Looks up certificates by their normalized subject.
    ///   - fetch: Has something of the network fetched; the reply's bytes, or nil without one.
    /// - Returns: The answer's bytes.
    /// - Throws: ``DaemonError/trustUnavailable`` when there is no answer: never a verdict.
    package func answer(
        _ question: [UInt8], userID: UInt32, thread: Int,
        issuers: (_ subject: [UInt8]) -> [[UInt8]],
        fetch: (_ request: [UInt8]) -> [UInt8]? = { _ in nil }
    ) throws(DaemonError) -> [UInt8] {
        let running = try take(userID)
        let socket = running.sockets[thread].descriptor.rawValue
        let number = UInt32.random(in: 0...(.max))
        var next = question
        for _ in 0...(Self.lookUpLimit + FetchLimits.requestCount) {
            guard TrustStream.send(socket, next, number: number),
                let (answer, answered) = TrustStream.receive(
                    socket, limit: TrustLimits.answerByteCount), answered == number,
                let response = TrustResponse(decoding: answer)
            else { break }
            switch response {
            case .reply(let reply):
                giveBack(userID, running, hasAnswered: true)
                return reply
            case .lookUp(let subject): next = TrustCall.encoded(issuers: issuers(subject))
            case .fetch(let request): next = TrustCall.encoded(fetched: fetch(request))
            }
        }
        giveBack(userID, running, hasAnswered: false)
        throw .trustUnavailable
    }

    /// Whether one runs.
    package var hasRunning: Bool { entries.withLock { $0.values.contains { $0.running != nil } } }

    /// Ends those that were idle for long enough.
    package func endIdle() {
        let idle = times.idle
        let ended = entries.withLock { entries in
            var ended: [Running] = []
            for (userID, entry) in entries where entry.useCount == 0 {
                guard entry.lastUse.duration(to: .now) >= idle else { continue }
                if let running = entry.running { ended.append(running) }
                entries[userID] = nil
            }
            return ended
        }
        for running in ended { running.kill() }
    }

    // MARK: - One user's

    private func take(_ userID: UInt32) throws(DaemonError) -> Running {
        var replaced: Running?
        var ended: Running?
        defer { for running in [replaced, ended] { running?.kill() } }
        var failure: (any Error)?
        let running = entries.withLock { entries -> Running? in
            var entry = entries[userID] ?? Entry(lastUse: .now)
            if entry.useCount == 0, let last = entry.running, last.hasEnded {
                ended = last
                entry.running = nil
                entries[userID] = entry
            }
            if entry.running == nil {
                if let notBefore = entry.notBefore, ContinuousClock.now < notBefore { return nil }
                guard makeRoom(&entries, &replaced) else { return nil }
                do {
                    let started = try start(userID)
                    for socket in started.sockets {
                        UnixSocket.setTimeout(socket.descriptor.rawValue, times.answer)
                    }
                    entry.running = started
                } catch {
                    failure = error
                    entry.noteFailure(times)
                }
            }
            entry.lastUse = .now
            if entry.running != nil { entry.useCount += 1 }
            entries[userID] = entry
            return entry.running
        }
        if let failure { report("trustd can't be started: \(failure)") }
        guard let running else { throw .trustUnavailable }
        return running
    }

    /// Where as many run as may, the one that is idle longest ends.
    private func makeRoom(
        _ entries: inout [UInt32: Entry], _ replaced: inout Running?
    ) -> Bool {
        let running = entries.filter { $0.value.running != nil }
        guard running.count >= Self.processLimit else { return true }
        let idle = running.filter { $0.value.useCount == 0 }
        guard let longest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
            return false
        }
        replaced = longest.value.running
        entries[longest.key] = nil
        return true
    }

    private func giveBack(_ userID: UInt32, _ running: Running, hasAnswered: Bool) {
        let isGone = entries.withLock { entries in
            guard var entry = entries[userID], entry.running === running else { return false }
            entry.useCount -= 1
            entry.lastUse = .now
            if hasAnswered {
                entry.failureCount = 0
                entry.notBefore = nil
            } else {
                entry.running = nil
                entry.useCount = 0
                entry.noteFailure(times)
            }
            entries[userID] = entry
            return !hasAnswered
        }
        guard isGone else { return }
        report("trustd of user \(userID) ended, or didn't answer")
        running.kill()
    }
}
