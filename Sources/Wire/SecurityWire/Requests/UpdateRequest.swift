// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecretBytes

/// The changes that an update makes to each matching item.
public struct ItemChanges: Sendable {
    /// Attributes to set; the others stay.
    public var attributes = ItemAttributes()
    /// The new secret; nil leaves the old one.
    public var secret: Secret?
    /// What becomes of the access control.
    package var accessControl = AccessControlChange.none

    /// No changes (an update then sets only the modification date).
    public init() {}
}

extension ClientRequest {
    /// Decodes an update.
    static func decodeUpdate(_ content: FrameContent) throws(WireError) -> ClientRequest {
        let request: WireUpdateRequest = try unsafe content.decoded()
        guard unsafe request.hasSecret_p || !content.hasSecret else { throw .malformed }
        var changes = ItemChanges()
        changes.attributes = try ItemAttributes(checking: request.changes)
        changes.secret = unsafe request.hasSecret_p ? try Secret(checking: content.secret) : nil
        changes.accessControl = try AccessControlChange(request)
        let query = try ItemQuery(request.query, besides: request.besides)
        return .update(query, changes, try WriteIdentity(request.identity))
    }
}

extension ItemChanges {
    /// The message of an update.
    func message(of query: ItemQuery, _ write: WriteIdentity) -> WireUpdateRequest {
        var message = WireUpdateRequest()
        message.query = query.message
        message.besides = query.besides.map(\.message)
        message.changes = attributes.serialized()
        message.hasSecret_p = secret != nil
        accessControl.put(into: &message)
        message.identity = write.message
        return message
    }
}

extension ItemChanges {
    /// The same changes with other names of access groups; nil when a name isn't a group.
    func namingGroups(_ name: (String) -> String?) -> ItemChanges? {
        var changes = self
        return changes.attributes.nameGroup(name) ? changes : nil
    }
}
