// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import SwiftProtobuf

/// Sizes in messages about identities and groups.
package enum IdentityLimits {
    /// Maximum number of entitlements in one request.
    package static let entitlementCount = 64
    /// Larger than any access group or name of an entitlement.
    package static let nameByteCount = 4096
}

/// The value of a caller's entitlement, as the service honors it.
public enum EntitlementValue: Equatable, Sendable {
    /// A text.
    case text(String)
    /// An array of texts.
    case texts([String])
    /// True or false.
    case flag(Bool)
}

extension ClientRequest {
    /// Reads a request about the caller's identity and groups.
    static func ofIdentity(
        _ kind: FrameKind, _ message: UnsafeRawBufferPointer
    ) throws(WireError) -> ClientRequest {
        switch kind {
        case .entitlements:
            let request: WireEntitlementsRequest = try unsafe decode(message)
            guard (1...IdentityLimits.entitlementCount).contains(request.names.count),
                request.names.allSatisfy({ $0.utf8.count <= IdentityLimits.nameByteCount })
            else { throw .malformed }
            return .entitlements(request.names)
        case .move:
            let request: WireMoveRequest = try unsafe decode(message)
            return .move(try ItemMove(request), try WriteIdentity(request.identity))
        case .openGroup:
            let request: WireOpenGroupRequest = try unsafe decode(message)
            guard isGroup(request.group),
                request.sealed.count <= ItemLimits.sealedPasscodeByteCount
            else { throw .malformed }
            return .openGroup(request.group, sealed: [UInt8](request.sealed))
        default: throw .malformed
        }
    }
}

private func isGroup(_ text: String) -> Bool {
    (1...IdentityLimits.nameByteCount).contains(text.utf8.count)
}

extension ItemMove {
    init(_ message: WireMoveRequest) throws(WireError) {
        var classes: [ItemClass] = []
        for number in message.itemClasses {
            guard let itemClass = ItemClass(wireValue: number), itemClass != .identity,
                !classes.contains(itemClass)
            else { throw .malformed }
            classes.append(itemClass)
        }
        guard !classes.isEmpty, isGroup(message.source), isGroup(message.target) else {
            throw .malformed
        }
        self.init(from: message.source, to: message.target, itemClasses: classes)
    }

    func message(_ identity: WriteIdentity) -> WireMoveRequest {
        var message = WireMoveRequest()
        message.source = source
        message.target = target
        message.itemClasses = itemClasses.map(\.wireValue)
        message.identity = identity.message
        return message
    }
}

extension [String: EntitlementValue] {
    init(_ message: WireEntitlementsReply) throws(WireError) {
        self = [:]
        for entitlement in message.entitlements {
            let value: EntitlementValue
            switch entitlement.value {
            case .text(let text): value = .text(text)
            case .texts(let list): value = .texts(list.texts)
            case .flag(let flag): value = .flag(flag)
            case nil: throw .malformed
            }
            self[entitlement.name] = value
        }
    }

    var message: WireEntitlementsReply {
        var message = WireEntitlementsReply()
        message.entitlements = sorted { $0.key < $1.key }.map { name, value in
            var entitlement = WireEntitlement()
            entitlement.name = name
            switch value {
            case .text(let text): entitlement.text = text
            case .texts(let texts): entitlement.texts.texts = texts
            case .flag(let flag): entitlement.flag = flag
            }
            return entitlement
        }
        return message
    }
}
