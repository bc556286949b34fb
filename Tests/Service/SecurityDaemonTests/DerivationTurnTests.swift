// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecurityDaemon
import Synchronization
import Testing

/// Threads that have enclaved derive keys take turns.
@Suite struct DerivationTurnTests {
    /// The order of events, by the threads' names.
    private final class Order: Sendable {
        private let names = Mutex<[String]>([])
        func add(_ name: String) { names.withLock { $0.append(name) } }
        var all: [String] { names.withLock { $0 } }
    }

    @Test func oneThatIsFreeIsTakenAtOnce() throws {
        let turn = try DerivationTurn(in: DerivationTurns())
        for _ in 0..<3 {
            turn.take()
            turn.pass()
        }
    }

    @Test func aThreadThatComesBackAtOnceWaitsForTheOther() throws {
        let turns = DerivationTurns()
        let (busy, other) = (try DerivationTurn(in: turns), try DerivationTurn(in: turns))
        let order = Order()
        let hasAsked = DispatchSemaphore(value: 0)
        let isDone = DispatchSemaphore(value: 0)
        busy.take()
        Thread {
            hasAsked.signal()
            other.take()
            order.add("other")
            other.pass()
            isDone.signal()
        }.start()
        hasAsked.wait()
        // It may not be in the line yet: then the busy one has the turn a few times more.
        while order.all.isEmpty {
            busy.pass()
            busy.take()
        }
        #expect(order.all == ["other"])
        busy.pass()
        isDone.wait()
    }

    @Test func noTwoHaveTheTurnAndNoneIsForgotten() throws {
        let turns = DerivationTurns()
        let holders = Atomic(0)
        let rounds = Atomic(0)
        let places = try (0..<4).map { _ in try DerivationTurn(in: turns) }
        DispatchQueue.concurrentPerform(iterations: 4) { index in
            for _ in 0..<2000 {
                places[index].take()
                #expect(holders.add(1, ordering: .relaxed).newValue == 1)
                holders.subtract(1, ordering: .relaxed)
                rounds.add(1, ordering: .relaxed)
                places[index].pass()
            }
        }
        #expect(rounds.load(ordering: .relaxed) == 8000)
    }
}
