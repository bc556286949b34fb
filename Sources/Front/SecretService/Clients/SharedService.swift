// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Synchronization

/// What all threads share.
final class SharedService: Sendable {
    let store: any SecretStore
    let sessionCollection: SessionCollection
    let pool: WorkerPool
    let outbox: Outbox
    /// Nil where no portal is offered.
    let portal: (any PortalStore)?
    let portalRequests = PortalRequests()
    private let number = Atomic<UInt64>(0)

    init(
        store: any SecretStore, portal: (any PortalStore)?, sessionCollection: SessionCollection
    ) throws {
        self.store = store
        self.portal = portal
        self.sessionCollection = sessionCollection
        pool = try WorkerPool()
        outbox = try Outbox()
    }

    /// A number that no other session or prompt has.
    func nextNumber() -> UInt64 { number.wrappingAdd(1, ordering: .relaxed).newValue }
}
