// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Why the store didn't do what it was asked for. Each case is another error on the bus, and none of
/// them is ever an empty answer.
package enum SecretStoreError: Error, Hashable, Sendable {
    /// There is no such item or collection for this caller.
    case absent
    /// It is locked: a prompt can unlock it.
    case locked
    /// It is another owner's.
    case foreign
    /// The store can't be reached, or hasn't answered in time.
    case unreachable
    /// The item is there, and its key is gone for good.
    case keyGone
    /// A limit of the store.
    case limit
    /// The disk is full or fails.
    case inputOutput
    /// The caller may not do this.
    case denied
    /// The caller's process has ended, or runs another program now.
    case callerGone
    /// Anything else that failed.
    case failed
}
