// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
package import KeychainVocabulary

/// Under which authentication context a request uses items with an access control.
package struct ItemAccess: Hashable, Sendable {
    /// The byte count of a context.
    package static let contextByteCount = 32
    /// The maximum byte count of ``purpose``; enclaved's question has the same.
    package static let purposeByteCountLimit = 512

    /// 32 random bytes; empty for none.
    package var context: [UInt8] = []
    /// Whether items that the person would have to approve first are left out.
    package var skipsGuarded = false
    /// The reason that the person is shown; a longer text is cut.
    package var purpose = "" {
        didSet { purpose = Self.cut(purpose) }
    }
    /// The process that presents the context, as a digest. securityd sets it; it isn't on the wire.
    package var origin: [UInt8] = []

    /// No context.
    package init() {}

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > purposeByteCountLimit else { return text }
        var cut = ""
        for scalar in text.unicodeScalars {
            guard cut.utf8.count + UTF8.width(scalar) <= purposeByteCountLimit else { break }
            cut.unicodeScalars.append(scalar)
        }
        return cut
    }
}

/// What an update makes of an access control.
package enum AccessControlChange: Hashable, Sendable {
    /// It stays.
    case none
    /// It is removed.
    case removed
    /// Another one.
    case replaced(AccessControl)

    /// Whether it is another one.
    package var isReplacement: Bool { if case .replaced = self { true } else { false } }
}

/// How a person's presence is to be proven. The raw values are those of the request's operation.
package enum PresenceProof: UInt32, Sendable {
    /// By biometry or the passcode.
    case owner = 4
    /// By biometry.
    case biometry = 5
    /// By the passcode.
    case passcode = 6
}

/// A request about an authentication context.
package enum AccessCall: Hashable, Sendable {
    /// Ask the person what the last failed request with this context needs.
    case ask(context: [UInt8])
    /// A password of the application, sealed to enclaved.
    case supply(context: [UInt8], sealed: [UInt8])
    /// The context is over.
    case drop(context: [UInt8])
    /// Ask for the person's presence alone; it opens no item.
    case establish(context: [UInt8], purpose: String, by: PresenceProof)

    /// The context, 32 bytes.
    package var context: [UInt8] {
        switch self {
        case .ask(let context), .supply(let context, _), .drop(let context),
            .establish(let context, _, _):
            context
        }
    }
}

// MARK: - Coding

extension AccessCall {
    init(_ message: WireAccessRequest) throws(WireError) {
        guard message.context.count == ItemAccess.contextByteCount,
            message.sealed.count <= ItemLimits.sealedPasscodeByteCount,
            message.purpose.utf8.count <= ItemAccess.purposeByteCountLimit
        else { throw .malformed }
        let context = [UInt8](message.context)
        switch message.operation {
        case 1 where message.sealed.isEmpty: self = .ask(context: context)
        case 2: self = .supply(context: context, sealed: [UInt8](message.sealed))
        case 3 where message.sealed.isEmpty: self = .drop(context: context)
        case let number where message.sealed.isEmpty:
            guard let proof = PresenceProof(rawValue: number) else { throw .malformed }
            self = .establish(context: context, purpose: message.purpose, by: proof)
        case _: throw .malformed
        }
    }

    var message: WireAccessRequest {
        var message = WireAccessRequest()
        message.context = Data(context)
        switch self {
        case .ask: message.operation = 1
        case .supply(_, let sealed):
            message.operation = 2
            message.sealed = Data(sealed)
        case .drop: message.operation = 3
        case .establish(_, let purpose, let proof):
            message.operation = proof.rawValue
            message.purpose = purpose
        }
        return message
    }
}

extension ItemAccess {
    init(context: Data, purpose: String, skipsGuarded: Bool = false) throws(WireError) {
        guard context.isEmpty || context.count == Self.contextByteCount,
            purpose.utf8.count <= Self.purposeByteCountLimit
        else { throw .malformed }
        self.context = [UInt8](context)
        self.purpose = purpose
        self.skipsGuarded = skipsGuarded
    }
}

extension AccessControl {
    /// - Throws: ``WireError/malformed`` for what is no access control.
    init?(checking bytes: Data) throws(WireError) {
        guard !bytes.isEmpty else { return nil }
        guard let control = AccessControl(decoding: bytes) else { throw .malformed }
        self = control
    }
}

extension AccessControlChange {
    init(_ message: WireUpdateRequest) throws(WireError) {
        let control = try AccessControl(checking: message.accessControl)
        guard control == nil || !message.removesAccessControl else { throw .malformed }
        self = control.map { .replaced($0) } ?? (message.removesAccessControl ? .removed : .none)
    }

    func put(into message: inout WireUpdateRequest) {
        switch self {
        case .none: return
        case .removed: message.removesAccessControl = true
        case .replaced(let control): message.accessControl = Data(control.encoded)
        }
    }
}

extension ClientRequest {
    /// The same request, from a process: its contexts are that process's.
    package func presented(by origin: [UInt8]) -> ClientRequest {
        switch self {
        case .find(var query, let cursor):
            query.access.origin = origin
            return .find(query, cursor: cursor)
        case .add(var item, let write):
            item.access.origin = origin
            return .add(item, write)
        case .update(var query, let changes, let write):
            query.access.origin = origin
            return .update(query, changes, write)
        case .delete(var query, let write):
            query.access.origin = origin
            return .delete(query, write)
        case .key(var request):
            request.access.origin = origin
            return .key(request)
        case let request: return request
        }
    }

    /// The context of the request, with the reason to show; nil for a request without items.
    package var itemAccess: ItemAccess? {
        switch self {
        case .find(let query, _), .update(let query, _, _), .delete(let query, _): query.access
        case .add(let item, _): item.access
        case .key(let request): request.access
        case _: nil
        }
    }
}
