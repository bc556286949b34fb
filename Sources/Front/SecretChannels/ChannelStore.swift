// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC
package import Keychain
package import SecretService
import SecurityWire
import Synchronization

/// The store that securityd keeps.
package final class ChannelStore: SecretStore {
    private struct Watcher: Sendable {
        let groups: Set<String>
        let reachesAll: Bool
        let isSandboxed: Bool
        let onChange: @Sendable (StoreChange) -> Void
    }

    private struct Watchers {
        var entries: [UInt64: Watcher] = [:]
        var last: UInt64 = 0
    }

    let records: CollectionRecords
    /// The keys of sandboxed applications.
    package let portalKeys: PortalKeys
    let device: KeychainConnection
    private let control: ControlConnection
    private let deadline: Duration?
    private let watchers = Mutex(Watchers())

    /// A store that isn't connected yet.
    /// - Parameters:
    ///   - locate: Where securityd listens.
    ///   - whileInspected: Called with true before securityd looks at this process, and with false after
    ///     that.
    package init(
        locate: @escaping @Sendable () -> ServiceLocation,
        whileInspected: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        control = ControlConnection(locate, whileInspected)
        deadline = locate().deadline
        let channel = RecordChannel(control, deadline: locate().deadline)
        records = CollectionRecords(channel)
        portalKeys = PortalKeys(channel)
        device = KeychainConnection(location: locate())
    }

    /// Gets a channel for a process, as ``SecretStore`` has it.
    package func represent(
        _ process: consuming Descriptor, onChange: @escaping @Sendable (StoreChange) -> Void
    ) throws(SecretStoreError) -> any RepresentedClient {
        let channel = try SecretChannel(control, process, deadline: deadline)
        let who = channel.who
        let number = watchers.withLock { watchers in
            watchers.last += 1
            watchers.entries[watchers.last] = Watcher(
                groups: Set(who.groups), reachesAll: who.isIsolationOff,
                isSandboxed: who.isSandboxed, onChange: onChange)
            return watchers.last
        }
        return ChannelClient(self, channel, number)
    }

    func remove(watcher number: UInt64) {
        watchers.withLock { _ = $0.entries.removeValue(forKey: number) }
    }

    /// Tells those who reach a group of a change of its items.
    func tell(_ change: StoreChange, group: String) {
        tell(change) { watcher in
            watcher.groups.contains(group) || (watcher.reachesAll && !watcher.isSandboxed)
        }
    }

    /// Tells all of a change.
    func tell(_ change: StoreChange) { tell(change) { _ in true } }

    private func tell(_ change: StoreChange, _ isTold: (Watcher) -> Bool) {
        let told = watchers.withLock { watchers in watchers.entries.values.filter(isTold) }
        for watcher in told { watcher.onChange(change) }
    }
}
