// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import SecurityWire

/// What a connection is. Each kind carries its own requests; any other one ends it (PROTOCOL.md,
/// "Fronts").
package enum ConnectionKind: Sendable {
    /// A program's own connection.
    case client
    /// A front's, over which it asks for channels.
    case control(FrontName)
    /// A front's channel for one of its callers, or for its own records.
    case channel(FrontName, BusReach)

    /// What a channel reaches; nil of any other connection.
    package var reach: BusReach? {
        if case .channel(_, let reach) = self { reach } else { nil }
    }

    /// Whether a request belongs on it.
    package func carries(_ request: ClientRequest) -> Bool {
        switch self {
        case .client: !request.isOfFronts
        case .control: if case .represent = request { true } else { false }
        case .channel(_, let reach): request.isOfChannels(reaching: reach)
        }
    }
}

extension ClientRequest {
    /// Whether it is for a control connection or a channel alone.
    fileprivate var isOfFronts: Bool {
        switch self {
        case .represent, .secrets: true
        case .find, .add, .update, .delete, .deviceStatus, .challenge, .passcode, .lock, .watch,
            .auditPage, .assertion, .check, .recover, .key, .prove, .identity, .entitlements,
            .move, .openGroup, .lease, .revoke, .protectors, .access, .trust, .adoption,
            .transcode, .keychains, .backup, .front, .busOwner:
            false
        }
    }

    fileprivate func isOfChannels(reaching reach: BusReach) -> Bool {
        switch self {
        case .secrets(.add(let new, _)):
            reach.isOfFront ? !new.group.isEmpty : !new.isOfFront
        case .secrets, .watch, .revoke: true
        case .find, .add, .update, .delete, .deviceStatus, .challenge, .passcode, .lock,
            .auditPage, .assertion, .check, .recover, .key, .prove, .identity, .entitlements,
            .move, .openGroup, .lease, .protectors, .access, .trust, .adoption, .transcode,
            .keychains, .backup, .front, .represent, .busOwner:
            false
        }
    }
}
