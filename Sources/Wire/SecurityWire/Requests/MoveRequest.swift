// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A move from one access group to another.
package struct ItemMove: Equatable, Sendable {
    /// The current group of the items.
    package var source: String
    /// Their new group.
    package var target: String
    /// The classes of items; none of them twice, and not identities.
    package var itemClasses: [ItemClass]

    package init(from source: String, to target: String, itemClasses: [ItemClass]) {
        self.source = source
        self.target = target
        self.itemClasses = itemClasses
    }
}

extension ClientRequest {
    /// Decodes a move.
    static func decodeMove(_ content: FrameContent) throws(WireError) -> ClientRequest {
        let request: WireMoveRequest = try unsafe content.decodedAlone()
        return .move(try ItemMove(request), try WriteIdentity(request.identity))
    }
}

extension ItemMove {
    fileprivate init(_ message: WireMoveRequest) throws(WireError) {
        var classes: [ItemClass] = []
        for number in message.itemClasses {
            guard let itemClass = ItemClass(wireValue: number), itemClass != .identity,
                !classes.contains(itemClass)
            else { throw .malformed }
            classes.append(itemClass)
        }
        guard !classes.isEmpty, message.source.isGroupName, message.target.isGroupName else {
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

extension ItemMove {
    /// The same move with other names of access groups; nil when a name isn't a group.
    func namingGroups(_ name: (String) -> String?) -> ItemMove? {
        guard let source = name(source), let target = name(target) else { return nil }
        return ItemMove(from: source, to: target, itemClasses: itemClasses)
    }
}
