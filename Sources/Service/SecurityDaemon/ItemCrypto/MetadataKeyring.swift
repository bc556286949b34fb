// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Crypto
import EnclaveWire
import Foundation
import ItemStore
package import SecretBytes
import SecurityWire
import Synchronization

/// The metadata keys that are open now, shared by all threads.
///
/// A key is used inside a lock that `dropLockedKeys` also takes, or while its fetch is registered.
/// So when `dropLockedKeys` returns, no thread uses or holds a locked class's key, and no fetch
/// that began earlier can add one.
package final class MetadataKeyring: Sendable {
    /// The keychain, class and generation of a key.
    package struct Name: Hashable {
        let owner: RowOwner
        let keyClass: UInt8
        let generation: UInt32

        package init(_ owner: RowOwner, keyClass: UInt8, generation: UInt32) {
            self.owner = owner
            self.keyClass = keyClass
            self.generation = generation
        }

        /// The key that sealed a row's metadata.
        init(_ item: SealedItem) {
            self.init(
                item.owner, keyClass: item.keyClass, generation: item.keyGeneration)
        }
    }

    /// The current epoch; a key fetched before a lock isn't cached after it.
    package struct Epoch: Equatable {
        fileprivate let number: UInt64
    }

    /// One thread's hold on the key that it used last. A thread that opens many rows under one key
    /// then doesn't look it up or prepare it for each.
    package final class Grip: Sendable {
        fileprivate let held = Mutex<(name: Name, key: SymmetricKey)?>(nil)

        /// Releases the key. Call it when the rows are done: a prepared key is in ordinary memory.
        package func release() { held.withLock { $0 = nil } }

        fileprivate func release(where isGone: (Name) -> Bool) {
            held.withLock { held in
                if let name = held?.name, isGone(name) { held = nil }
            }
        }
    }

    private struct State: ~Copyable {
        /// One for each thread.
        var grips: [Grip] = []
        var keys: [Name: Secret] = [:]
        var epoch: UInt64 = 0
        /// How many threads use keys that they have fetched, or are fetching them, by epoch.
        var fetching: [UInt64: Int] = [:]
    }

    private let state = Mutex(State())

    /// A keyring without keys.
    package init() {}

    /// How long `dropLockedKeys` waits for other threads: longer than a call to the enclave takes.
    private static let patience = Duration.milliseconds(EnclaveClient.startMilliseconds + 1000)
    private static let pauseMicroseconds: UInt32 = 50

    /// Uses a key.
    /// - Returns: Nil when it isn't open.
    func use<R: Sendable, E: Error>(
        _ name: Name, _ body: (SymmetricKey) throws(E) -> R
    ) throws(E) -> R? {
        try state.withLock { state throws(E) -> R? in
            guard let secret = state.keys[name] else { return nil }
            let key = unsafe secret.bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
            return try body(key)
        }
    }

    /// A new thread's grip.
    package func makeGrip() -> Grip {
        let grip = Grip()
        state.withLock { $0.grips.append(grip) }
        return grip
    }

    /// Uses a key, which the grip holds from then on. `drop` removes it from every grip, and waits
    /// for the thread that uses it.
    /// - Returns: Nil when it isn't open.
    package func use<R: Sendable>(
        _ name: Name, _ grip: Grip, _ body: (SymmetricKey) -> R
    ) -> R? {
        grip.held.withLock { held in
            if let held, held.name == name { return body(held.key) }
            let key = state.withLock { state in
                state.keys[name].map { secret in
                    unsafe secret.bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
                }
            }
            held = key.map { (name, $0) }
            return key.map(body)
        }
    }

    /// Fetches a key and uses it, inside `body`: no copy may remain afterwards.
    package func whileFetching<R, E: Error>(_ body: (Epoch) throws(E) -> R) throws(E) -> R {
        let epoch = state.withLock { state in
            state.fetching[state.epoch, default: 0] += 1
            return Epoch(number: state.epoch)
        }
        defer {
            state.withLock { state in
                let others = state.fetching[epoch.number, default: 1] - 1
                state.fetching[epoch.number] = others > 0 ? others : nil
            }
        }
        return try body(epoch)
    }

    /// Caches a key that was fetched from the enclave, unless the device was locked meanwhile.
    package func keep(_ name: Name, _ key: Secret, since epoch: Epoch) {
        state.withLock { state in
            guard state.epoch == epoch.number else { return }
            state.keys[name] = key
        }
    }

    /// Drops and wipes a user's keys of the classes that lock with the device, and waits until
    /// no thread uses a key fetched before.
    /// - Returns: False when a thread still does, after longer than a fetch may take.
    @discardableResult
    package func dropLockedKeys(userID: UInt32) -> Bool {
        drop(userID: userID) { Accessibility(rawValue: $0)?.isLockedWithTheDevice ?? true }
    }

    /// Drops and wipes all of a user's keys, and waits as above.
    func dropAll(userID: UInt32) -> Bool { drop { $0.owner.userID == userID } }

    /// Drops and wipes the keys of all users, and waits as above.
    func dropEverybodys() -> Bool { drop { _ in true } }

    private func drop(userID: UInt32, where isGone: (UInt8) -> Bool) -> Bool {
        drop { $0.owner.userID == userID && isGone($0.keyClass) }
    }

    private func drop(where isGone: (Name) -> Bool) -> Bool {
        let (epoch, grips) = state.withLock { state in
            state.epoch += 1
            for name in state.keys.keys where isGone(name) { state.keys[name] = nil }
            return (state.epoch, state.grips)
        }
        // Remove it from the table first, so that no grip can take it again.
        for grip in grips { grip.release(where: isGone) }
        let deadline = ContinuousClock.now + Self.patience
        while state.withLock({ $0.fetching.keys.contains { $0 < epoch } }) {
            guard ContinuousClock.now < deadline else { return false }
            usleep(Self.pauseMicroseconds)
        }
        return true
    }
}
