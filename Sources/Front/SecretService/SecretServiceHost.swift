// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// Serves org.freedesktop.secrets on one session bus.
///
/// One thread owns the connection: it takes calls apart, and sends answers. Each client's calls are
/// carried out in their order on a thread of a pool (``WorkerPool``), so that a client that waits for
/// the store, or for a person, makes nobody else wait. No item stays in this process, but for those of
/// the collection `session`.
package final class SecretServiceHost: Sendable {
    /// The name on the bus.
    package static let busName = "org.freedesktop.secrets"
    /// The name of the portal's backend.
    package static let portalName = "org.freedesktop.impl.portal.desktop.llavero"

    private let address: String
    private let name: String
    private let service: SharedService

    /// Prepares the service.
    /// - Parameters:
    ///   - address: The bus's.
    ///   - name: The name to own.
    ///   - store: Where the items are.
    ///   - portal: Where the keys of sandboxed applications are; nil for no portal.
    ///   - clock: The seconds since 1970.
    /// - Throws: when the system has no descriptors left.
    package init(
        address: String, name: String = busName, store: any SecretStore,
        portal: (any PortalStore)? = nil,
        clock: @escaping @Sendable () -> UInt64
    ) throws {
        self.address = address
        self.name = name
        service = try SharedService(
            store: store, portal: portal, sessionCollection: SessionCollection(clock: clock))
    }

    /// Serves until ``stop()`` is called, or the bus ends.
    /// - Parameter onReady: Called when the service owns its name.
    /// - Throws: when there is no bus, when another process owns the name (EEXIST), and when the bus has
    ///   ended.
    package func run(onReady: () -> Void = {}) throws(BusFailure) {
        defer { service.pool.end() }
        let bus = try SessionBus(address: address, description: "llavero-secretservice")
        var thread = BusThread(bus, service)
        defer { thread.end() }
        try thread.begin(name)
        onReady()
        try thread.serve()
    }

    /// Lets ``run(onReady:)`` return.
    package func stop() { service.outbox.push(.stop) }
}
