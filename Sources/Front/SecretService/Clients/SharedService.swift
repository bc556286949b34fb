// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Synchronization

/// What all threads share.
final class SharedService: Sendable {
    let store: any SecretStore
    let sessionCollection: SessionCollection
    let pool: WorkerPool
    let outbox: Outbox
    private let number = Atomic<UInt64>(0)

    init(store: any SecretStore, sessionCollection: SessionCollection) throws {
        self.store = store
        self.sessionCollection = sessionCollection
        pool = try WorkerPool()
        outbox = try Outbox()
    }

    /// A number that no other session or prompt has.
    func nextNumber() -> UInt64 { number.wrappingAdd(1, ordering: .relaxed).newValue }
}
