// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials

/// A change of one item.
public struct ItemChange: Hashable, Sendable {
    /// The kinds of changes.
    public enum Kind: UInt32, Sendable {
        /// It was added.
        case added = 1
        /// Its attributes or its secret have changed.
        case updated = 2
        /// It was deleted.
        case deleted = 3
    }

    /// The kind of change.
    public let kind: Kind
    /// The item; a reference to a deleted item finds nothing.
    public let reference: PersistentReference
    /// The state after the change; for a deleted item its last one.
    public let generation: ItemGeneration

    package init?(kind: Kind, itemClass: ItemClass, uuid: [UInt8], generation: UInt32) {
        guard let reference = PersistentReference(itemClass: itemClass, uuid: uuid),
            let generation = ItemGeneration(uuid: uuid, number: generation)
        else { return nil }
        self.kind = kind
        self.reference = reference
        self.generation = generation
    }
}

extension WireChangeReply {
    init(_ changes: [ItemChange], missedSome: Bool) {
        self.init()
        self.changes = changes.map(\.message)
        self.missedSome = missedSome
    }
}

extension ReceivedReply {
    /// Decodes news for a connection that watches.
    static func decodeChanges(_ content: FrameContent) throws(WireError) -> ReceivedReply {
        let reply: WireChangeReply = try unsafe content.decoded()
        var changes: [ItemChange] = []
        for change in reply.changes { changes.append(try ItemChange(change)) }
        return .changes(changes, missedSome: reply.missedSome)
    }
}

extension ItemChange {
    fileprivate var message: WireChange {
        var message = WireChange()
        message.kind = kind.rawValue
        message.itemClass = reference.itemClass.wireValue
        message.persistentUuid = Data(reference.uuid)
        message.generation = generation.number
        return message
    }

    fileprivate init(_ message: WireChange) throws(WireError) {
        guard let kind = Kind(rawValue: message.kind),
            let itemClass = ItemClass(wireValue: message.itemClass),
            let change = ItemChange(
                kind: kind, itemClass: itemClass, uuid: [UInt8](message.persistentUuid),
                generation: message.generation)
        else { throw .malformed }
        self = change
    }
}
