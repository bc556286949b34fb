// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

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
    /// Decodes a question for entitlements.
    static func decodeEntitlements(_ content: FrameContent) throws(WireError) -> ClientRequest {
        let request: WireEntitlementsRequest = try unsafe content.decodedAlone()
        guard (1...IdentityLimits.entitlementCount).contains(request.names.count),
            request.names.allSatisfy({ $0.utf8.count <= IdentityLimits.nameByteCount })
        else { throw .malformed }
        return .entitlements(request.names)
    }
}

extension WireEntitlementsRequest {
    init(_ names: [String]) {
        self.init()
        self.names = names
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
