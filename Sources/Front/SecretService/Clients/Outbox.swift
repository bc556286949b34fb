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
}

/// Hands work to the bus's thread.
final class Outbox: Sendable {
    private let items = Mutex<[Outgoing]>([])
    private let wakeup: Wakeup

    init() throws(SystemError) { wakeup = try Wakeup(isSemaphore: false) }

    /// For poll.
    var rawDescriptor: Int32 { wakeup.rawValue }

    func push(_ item: Outgoing) {
        let wasEmpty = items.withLock { items in
            defer { items.append(item) }
            return items.isEmpty
        }
        if wasEmpty { wakeup.signal() }
    }

    /// Takes all, in their order.
    func take() -> [Outgoing] {
        items.withLock { items in
            guard !items.isEmpty else { return [] }
            defer { items = [] }
            return items
        }
    }

    /// From now on the descriptor is readable again only for new items. Those that there are must be
    /// taken after that.
    func clear() { wakeup.wait() }
}
