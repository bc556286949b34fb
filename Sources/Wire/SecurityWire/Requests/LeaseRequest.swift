// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials

/// Identifies a held lease, from its start to its end; never 0.
package struct LeaseToken: Hashable, Sendable {
    /// The number on the wire.
    package let number: UInt64

    package init?(_ number: UInt64) {
        guard number != 0 else { return nil }
        self.number = number
    }
}

/// A lease request: a lease is a name that one connection at a time holds.
package enum LeaseRequest: Equatable, Sendable {
    /// Take the lease of a name in an access group (nil is the caller's own); the reply may wait
    /// until it is free.
    case take(name: [UInt8], accessGroup: String?, milliseconds: UInt32, waitMilliseconds: UInt32)
    /// Extend it by this duration from now.
    case renew(LeaseToken, milliseconds: UInt32)
    /// Release it.
    case giveBack(LeaseToken)
}

/// Bounds of messages about leases.
package enum LeaseLimits {
    /// The leased name.
    package static let nameByteCounts = 1...256
    /// The duration of a lease without renewal.
    package static let milliseconds: ClosedRange<UInt32> = 1...600_000
    /// How long a reply may wait.
    package static let waitMilliseconds: ClosedRange<UInt32> = 0...60_000
}

extension ClientRequest {
    /// Decodes a request about a lease.
    static func decodeLease(_ content: FrameContent) throws(WireError) -> ClientRequest {
        return .lease(try LeaseRequest(try unsafe content.decodedAlone()))
    }
}

extension LeaseRequest {
    init(_ message: WireLeaseRequest) throws(WireError) {
        switch (message.operation, LeaseToken(message.lease)) {
        case (1, nil):
            guard LeaseLimits.nameByteCounts.contains(message.name.count),
                message.accessGroup.utf8.count <= IdentityLimits.nameByteCount,
                LeaseLimits.milliseconds.contains(message.milliseconds),
                LeaseLimits.waitMilliseconds.contains(message.waitMilliseconds)
            else { throw .malformed }
            self = .take(
                name: [UInt8](message.name),
                accessGroup: message.accessGroup.isEmpty ? nil : message.accessGroup,
                milliseconds: message.milliseconds, waitMilliseconds: message.waitMilliseconds)
        case (2, let token?):
            guard LeaseLimits.milliseconds.contains(message.milliseconds) else {
                throw .malformed
            }
            self = .renew(token, milliseconds: message.milliseconds)
        case (3, let token?): self = .giveBack(token)
        default: throw .malformed
        }
    }

    var message: WireLeaseRequest {
        var message = WireLeaseRequest()
        switch self {
        case .take(let name, let group, let milliseconds, let wait):
            message.operation = 1
            message.name = Data(name)
            message.accessGroup = group ?? ""
            message.milliseconds = milliseconds
            message.waitMilliseconds = wait
        case .renew(let token, let milliseconds):
            message.operation = 2
            message.lease = token.number
            message.milliseconds = milliseconds
        case .giveBack(let token):
            message.operation = 3
            message.lease = token.number
        }
        return message
    }
}

extension WireLeaseReply {
    /// Nil for a lease that was given back.
    init(_ token: LeaseToken?) {
        self.init()
        lease = token?.number ?? 0
    }
}

extension LeaseRequest {
    /// The same request with other names of access groups; nil when a name isn't a group.
    func namingGroups(_ other: (String) -> String?) -> LeaseRequest? {
        guard case .take(let name, let group?, let milliseconds, let wait) = self else {
            return self
        }
        return other(group).map {
            .take(
                name: name, accessGroup: $0, milliseconds: milliseconds, waitMilliseconds: wait)
        }
    }
}
