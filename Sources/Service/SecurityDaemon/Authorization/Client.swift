// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import CodeIdentity
package import SecurityWire

/// The client of one connection, as its requests see it: who it is, and what the connection has been
/// given. Its event thread alone uses it.
package final class Client {
    /// Whose jobs its requests are: the user's, or those of an account with more user numbers.
    var requester: Requester
    /// What it may: as the inspection established it, with what the passcode has opened to it.
    private(set) var identity: ClientIdentity
    /// The same in the words of the audit log.
    private(set) var caller: AuditCaller
    /// What its connection is.
    package var kind = ConnectionKind.client
    /// Set once it holds the device unlocked, or has asked to.
    var hold: UnlockHold?
    /// Set once it has asked for a lease.
    var leaseHolder: LeaseHolder?
    /// The keychains whose passwords the connection has given.
    private(set) var provenKeychains: Set<KeychainID> = []
    /// Whether it has shown that it may write in the state directory.
    private var hasProvenDirectory = false
    /// Makes ``contexts`` when they are needed.
    var makeContexts: () -> ContextDesk = { ContextDesk.ofNobody }
    /// What its failed requests wait for.
    private(set) lazy var contexts = makeContexts()

    package init(_ identity: ClientIdentity, _ caller: AuditCaller, _ requester: Requester) {
        self.identity = identity
        self.caller = caller
        self.requester = requester
    }

    /// Takes the outcome of an inspection.
    func establish(_ identity: ClientIdentity, _ caller: AuditCaller) {
        self.identity = identity
        self.caller = caller
    }

    /// Gives it what its program doesn't hold, for as long as the connection lasts.
    package func open(_ opening: PasscodeOpening) {
        switch opening {
        case .group(let group): identity = identity.opening(group)
        case .ownersRequests: identity = identity.provingOwner()
        case .keychain(let id): provenKeychains.insert(id)
        case .ownersDirectory: hasProvenDirectory = true
        }
    }

    /// Whether it is root's, or has shown that it may write in the state directory.
    var isOwnersProgram: Bool { identity.userID == 0 || hasProvenDirectory }
}

/// What a right passcode opens to the connection that gave it.
package enum PasscodeOpening: Sendable {
    /// An access group.
    case group(String)
    /// What who may write in the state directory may ask for.
    case ownersDirectory
    /// What the owner alone may ask for.
    case ownersRequests
    /// What takes a keychain's password.
    case keychain(KeychainID)
}
