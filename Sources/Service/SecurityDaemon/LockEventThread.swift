// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire

/// The thread that hears from the enclave which class keys are gone, whatever the reason: a lock that
/// somebody asked for, a time that has passed, an erased keybag. What those keys opened goes too.
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

    /// Works until the enclave is gone.
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
                // Nothing was dropped for long: the next call asks on.
                guard error == .unreachable else { return onEnclaveGone() }
            }
        }
    }
}
