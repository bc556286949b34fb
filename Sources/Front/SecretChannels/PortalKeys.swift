// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import SecretBytes
package import SecretService
import SecurityWire
import Synchronization

/// The keys of sandboxed applications, in securityd: an item for each, which no client of the bus reaches.
package final class PortalKeys: PortalStore {
    /// What libportal's and libsecret's users demand: 64 bytes.
    private static let keyByteCount = 64
    private static let group = "secrets:portal"
    private static let place = "portal"

    private let records: RecordChannel
    /// Calls for one application at the same time must get the same key.
    private let making = Mutex(())

    init(_ records: RecordChannel) { self.records = records }

    /// The key of an application, as ``PortalStore`` has it.
    package func portalKey(_ application: String) throws(SecretStoreError) -> Secret {
        guard
            let pairs = try? SecretPairs([
                SecretPairs.Pair("app_id", application),
                SecretPairs.Pair(SecretPairs.schemaName, "org.freedesktop.portal.Secret"),
            ]), let fields = SecretFields(pairs, collection: Self.place)
        else { throw .limit }
        return try making.withLock { _ throws(SecretStoreError) in
            try records.with { (channel) throws(SecretStoreError) in
                try Self.key(application, fields, channel)
            }
        }
    }

    private static func key(
        _ application: String, _ fields: SecretFields, _ channel: SecretChannel
    ) throws(SecretStoreError) -> Secret {
        // A lock by a client doesn't hold on this channel.
        guard case .lockState(isLocked: false) = try channel.read(.lockState(.ask)) else {
            throw .locked
        }
        var query = SecretQuery()
        query.pairs = fields.pairs
        query.collection = place
        query.wantsSecrets = true
        if let row = try channel.find(query).first {
            switch row.state {
            case .usable: break
            case .locked, .lockedByClient: throw .locked
            case .foreign: throw .foreign
            case .gone: throw .keyGone
            }
            guard let key = row.secret else { throw .failed }
            return key
        }
        let key = Secret(SecretBytes.random(byteCount: keyByteCount))
        var new = NewSecret(fields, key)
        new.label = "Application key for \(application)"
        new.group = group
        let made = new
        _ = try channel.write { .add(made, $0) }
        return key
    }
}

/// The channel for the front's own records, made anew when it has ended.
final class RecordChannel: Sendable {
    private let control: ControlConnection
    private let deadline: Duration?
    private let channel = Mutex<SecretChannel?>(nil)

    init(_ control: ControlConnection, deadline: Duration?) {
        self.control = control
        self.deadline = deadline
    }

    /// Calls with the channel; with a new one if the old one has ended.
    func with<R>(
        _ body: (SecretChannel) throws(SecretStoreError) -> R
    ) throws(SecretStoreError) -> R {
        let old = channel.withLock { $0 }
        if let old {
            do throws(SecretStoreError) { return try body(old) } catch {
                guard error == .callerGone else { throw error }
            }
        }
        let fresh = try SecretChannel(control, nil, deadline: deadline)
        channel.withLock { $0 = fresh }
        do throws(SecretStoreError) { return try body(fresh) } catch {
            throw error == .callerGone ? .unreachable : error
        }
    }
}
