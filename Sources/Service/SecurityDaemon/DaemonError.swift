// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import EnclaveWire
package import ItemStore

/// Why securityd can't carry out a request.
package enum DaemonError: Error, Equatable, Sendable {
    /// Nothing matches that the caller may see.
    case absent
    /// Something matches, but the key that it needs is gone.
    case keyGone
    /// The primary key is another item's.
    case duplicate
    /// The item has been written since the state that the caller named.
    case generationChanged
    /// A matching item can't be opened in this state of the device.
    case locked
    /// The caller names a group that it doesn't hold.
    case groupNotHeld
    /// The caller is one to whom there is no keychain.
    case noKeychain
    /// The request is closed to a caller of this kind.
    case restricted
    /// The secret or the attributes are over a limit.
    case tooLarge
    /// The request can't be meant.
    case invalidRequest
    /// Only the owner may ask for it, and the connection hasn't given the passcode.
    case ownerNotProven
    /// This class of items isn't offered.
    case unimplemented
    /// Somebody else has the lease.
    case leased
    /// A lease is over, and what depends on it isn't done.
    case leaseLost
    /// Its sender has revoked a write before it was carried out.
    case revoked
    /// A lock that waited was called off by an unlock.
    case lockCalledOff
    /// Too much is waiting; nothing was done.
    case overloaded
    /// The user's rows aren't those that were committed last, and the owner hasn't accepted them.
    case rolledBack
    /// The keychain isn't backed as well as the caller demands.
    case tierNotMet
    /// A write needs a metadata key that isn't ready; never leaves the writer.
    case keyNotPrepared(ProtectionClass)
    /// The enclave refused or failed.
    case enclave(EnclaveCallError)
    /// The store failed.
    case store(StoreError)

    /// From a call to the enclave: "locked" is the caller's matter, all else is told apart later.
    init(_ error: EnclaveCallError) {
        self = error == .locked ? .locked : .enclave(error)
    }
}
