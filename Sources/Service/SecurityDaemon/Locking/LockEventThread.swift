// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire

/// The thread that the enclave notifies of dropped class keys, for any reason: a requested lock, an
/// expired time, an erased keybag. It then drops the keys that those class keys opened.
final class LockEventThread {
    private let cache: KeyCache
    private var enclave: EnclaveClient
    private let onLocked: () -> Void
    private let scrub: () -> Void
    private let onEnclaveGone: () -> Void

    init(
        cache: KeyCache, enclave: consuming EnclaveClient, onLocked: @escaping () -> Void,
        scrub: @escaping () -> Void, onEnclaveGone: @escaping () -> Void
    ) {
        self.cache = cache
        self.enclave = enclave
        self.onLocked = onLocked
        self.scrub = scrub
        self.onEnclaveGone = onEnclaveGone
    }

    /// Works until the enclave has ended.
    func run() {
        var last: UInt32 = 0
        while true {
            do throws(EnclaveCallError) {
                let event = try enclave.awaitLock(after: last)
                last = event.number
                if event.dropped.contains(ItemKeys.indexKeyClass) { cache.forget(event.userID) }
                _ = cache.follow(lockCount: event.lockCount, userID: event.userID)
                onLocked()
                scrub()
            } catch {
                // No keys were dropped for a long time: repeat the call.
                guard error == .unreachable else { return onEnclaveGone() }
            }
        }
    }
}
