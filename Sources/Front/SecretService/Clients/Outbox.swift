// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import Synchronization

/// What the bus's thread has to do for the others: it alone may touch the connection.
enum Outgoing: Sendable {
    case reply(call: UInt64, [BusValue])
    case error(call: UInt64, BusError)
    case signal(BusSignal, client: String)
    /// Before the answer that names it.
    case newPrompt(path: String, client: BusClient, PromptAction)
    /// The question has been answered.
    case promptEnded(path: String, client: BusClient, PromptOutcome)
    case stop

    /// About how much memory it needs until it is sent; 0 of what isn't sent.
    fileprivate var byteCount: Int {
        let head = 256
        return switch self {
        case .reply(_, let values): values.reduce(head) { $0 + $1.byteCount }
        case .signal(let signal, _): signal.values.reduce(head) { $0 + $1.byteCount }
        case .error: head
        case .newPrompt, .promptEnded, .stop: 0
        }
    }
}

/// Hands work to the bus's thread.
final class Outbox: Sendable {
    /// How many bytes wait before those who have more must wait: the longest answer, and a little more.
    private static let byteCountLimit = 64 << 20

    private struct State {
        var items: [Outgoing] = []
        var byteCount = 0
        var waiterCount = 0
        var isEnded = false

        mutating func endWaiting() -> Int {
            defer { waiterCount = 0 }
            return waiterCount
        }
    }

    private let state = Mutex(State())
    private let wakeup: Wakeup
    /// One for each that waits for room.
    private let room: Wakeup

    init() throws(SystemError) {
        wakeup = try Wakeup(isSemaphore: false)
        room = try Wakeup(isSemaphore: true)
    }

    /// For poll.
    var rawDescriptor: Int32 { wakeup.rawValue }

    /// Adds an item. It waits while there is no room; so the bus's thread never calls it.
    func push(_ item: Outgoing) {
        let byteCount = item.byteCount
        while true {
            // Nil when there is no room.
            let wasEmpty = state.withLock { state -> Bool? in
                guard byteCount == 0 || state.byteCount < Self.byteCountLimit || state.isEnded
                else {
                    state.waiterCount += 1
                    return nil
                }
                defer {
                    state.items.append(item)
                    state.byteCount += byteCount
                }
                return state.items.isEmpty
            }
            guard let wasEmpty else {
                room.wait()
                continue
            }
            if wasEmpty { wakeup.signal() }
            return
        }
    }

    /// Takes all, in their order.
    func take() -> [Outgoing] {
        let (items, waiterCount) = state.withLock { state in
            guard !state.items.isEmpty else { return ([Outgoing](), 0) }
            defer {
                state.items = []
                state.byteCount = 0
            }
            return (state.items, state.endWaiting())
        }
        for _ in 0..<waiterCount { room.signal() }
        return items
    }

    /// Nothing is taken any more: nobody waits for room.
    func end() {
        let waiterCount = state.withLock { state in
            state.isEnded = true
            return state.endWaiting()
        }
        for _ in 0..<waiterCount { room.signal() }
    }

    /// From now on the descriptor is readable again only for new items. Those that there are must be
    /// taken after that.
    func clear() { wakeup.wait() }
}
