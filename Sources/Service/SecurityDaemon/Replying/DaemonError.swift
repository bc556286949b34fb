// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import EnclaveWire
package import ItemStore

/// Why securityd can't carry out a request.
package enum DaemonError: Error, Equatable, Sendable {
    /// No item that the caller may see matches.
    case absent
    /// An item matches, but its key is gone.
    case keyGone
    /// The primary key belongs to another item.
    case duplicate
    /// The item has been written since the state that the caller named.
    case generationChanged
    /// A matching item can't be opened in this state of the device.
    case locked
    /// The item's grants withhold its secret from the caller.
    case secretWithheld
    /// The caller names a group that it doesn't hold.
    case groupNotHeld
    /// The caller has no keychain.
    case noKeychain
    /// A caller of this kind may not make the request.
    case restricted
    /// The secret or the attributes are over a limit.
    case tooLarge
    /// The request is invalid.
    case invalidRequest
    /// Only the owner may request it, and this connection hasn't sent the passcode.
    case ownerNotProven
    /// Only root permits it, in a service for all users.
    case administratorNeeded
    /// The account's share of the disk is used up.
    case shareUsed
    /// This class of items isn't supported.
    case unimplemented
    /// Another holder has the lease.
    case leased
    /// A lease is over, and the write that depends on it isn't carried out.
    case leaseLost
    /// Its sender has revoked a write before it was carried out.
    case revoked
    /// An unlock cancelled a delayed lock.
    case lockCalledOff
    /// Too many requests are waiting; nothing was done.
    case overloaded
    /// The user's rows aren't the last committed ones, and the owner hasn't accepted them.
    case rolledBack
    /// The keychain's protection by hardware is weaker than the caller requires.
    case tierNotMet
    /// No trustd answers, or no transcoder.
    case trustUnavailable
    /// The program isn't the front that it says it is.
    case notAFront
    /// A process can't be represented by a front.
    case notRepresented
    /// The user has as many channels as a user can have.
    case tooManyChannels
    /// A client of the Secret Service has locked the user's secrets.
    case secretsLocked
    /// The secret is another owner's.
    case foreignSecret
    /// A write needs a metadata key that isn't ready; the writer handles this itself.
    case keyNotPrepared(ProtectionClass)
    /// Something must be proven first.
    case approvalNeeded(ApprovalDemand)
    /// The person can't be asked: no agent, no way to ask, or no question.
    case nobodyToAsk
    /// The person cancelled.
    case personCanceled
    /// An archive of a backup is damaged, or forged.
    case archiveDamaged
    /// Neither this device nor the password opens an archive.
    case archiveForeign
    /// An archive is older than the last one, and the caller didn't ask for an older one.
    case archiveOlder
    /// The enclave refused or failed.
    case enclave(EnclaveCallError)
    /// The store failed.
    case store(StoreError)

    /// For an error of a call to the enclave: "locked" gets its own case, all others are
    /// distinguished later.
    init(_ error: EnclaveCallError) {
        self = error == .locked ? .locked : .enclave(error)
    }
}
