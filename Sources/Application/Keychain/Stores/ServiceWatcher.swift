// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import Synchronization

/// A process's one connection on which the service reports changes, for any number of readers. Its
/// thread exists as long as there are readers.
final class ServiceWatcher: Sendable {
    private struct State {
        var readers: [ObjectIdentifier: ChangeSubscription] = [:]
        var isRunning = false
        /// The connection is made: a new reader receives all changes from now on.
        var stands = false
        var interruption = Interruption()
    }

    private let locate: @Sendable () -> ServiceLocation
    private let state = Mutex(State())

    private static let connectingDeadline = Duration.seconds(5)
    /// How long the service may be unreachable.
    private static let patience = Duration.seconds(30)
    private static let longestPause: UInt32 = 1_000_000

    init(_ locate: @escaping @Sendable () -> ServiceLocation) { self.locate = locate }

    /// Adds a reader.
    func watch() async throws(KeychainError) -> KeychainChanges {
        let subscription = ChangeSubscription()
        let reader = ChangeReader(subscription) { [weak self] in self?.remove($0) }
        let (stands, starts) = state.withLock { state in
            state.readers[ObjectIdentifier(subscription)] = subscription
            let starts = !state.isRunning
            state.isRunning = true
            return (state.stands, starts)
        }
        if stands { subscription.begin() }
        if starts {
            do throws(SystemError) { try NativeThread.start { self.run() } } catch {
                state.withLock { $0.isRunning = false }
                throw .unreachable
            }
        }
        try await subscription.ready()
        return KeychainChanges(reader: reader)
    }

    private func remove(_ subscription: ChangeSubscription) {
        let idle = state.withLock { state -> Interruption? in
            state.readers[ObjectIdentifier(subscription)] = nil
            guard state.readers.isEmpty else { return nil }
            // A reader that is added now waits for the next connection.
            state.stands = false
            return state.interruption
        }
        idle?.raise(.cancelled)
    }

    // MARK: - The thread

    private func run() {
        var lastContact = ContinuousClock.now
        var pause: UInt32 = 50_000
        while let interruption = begin() {
            do throws(KeychainError) {
                var watch = try KeychainWatch(
                    location: locate(), deadline: Self.connectingDeadline,
                    interruption: interruption)
                stand()
                pause = 50_000
                while true {
                    lastContact = .now
                    guard let news = try watch.next(within: .seconds(3600)) else { continue }
                    for reader in readers() {
                        reader.tell(news.changes, missedSome: news.missedSome)
                    }
                }
            } catch {
                let isOurDoing = interruption.cause != nil
                let isLong = ContinuousClock.now - lastContact > Self.patience
                fall(isOurDoing ? nil : error, isFinal: isLong && !isOurDoing)
                if !isOurDoing {
                    usleep(pause)
                    pause = min(pause * 2, Self.longestPause)
                }
            }
        }
    }

    /// - Returns: Nil when there is no reader: the thread ends.
    private func begin() -> Interruption? {
        state.withLock { state in
            guard !state.readers.isEmpty else {
                state.isRunning = false
                return nil
            }
            state.interruption = Interruption()
            return state.interruption
        }
    }

    private func readers() -> [ChangeSubscription] {
        state.withLock { Array($0.readers.values) }
    }

    /// The connection is made; readers of an earlier connection have missed changes.
    private func stand() {
        let all = state.withLock { state in
            state.stands = true
            return Array(state.readers.values)
        }
        for reader in all { reader.begin() }
    }

    /// The connection has ended.
    /// - Parameters:
    ///   - cause: Why; nil when there was no reader any more.
    ///   - isFinal: There is no retry: every reader's sequence ends.
    private func fall(_ cause: KeychainError?, isFinal: Bool) {
        let all = state.withLock { state in
            state.stands = false
            let all = Array(state.readers.values)
            if isFinal { state.readers = [:] }
            return all
        }
        for reader in all { reader.fall(cause, isFinal: isFinal) }
    }
}
