// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
package import KeychainVocabulary
public import SecretBytes

/// An item to store.
public struct NewItem: Sendable {
    /// The class.
    public var itemClass: ItemClass
    /// Its attributes; missing ones get their defaults.
    public var attributes = ItemAttributes()
    /// Its secret; nil for an item without one.
    public var secret: Secret?
    /// The results for the stored item.
    public var returning: ReturnFields = []
    /// Whether an existing item with the same primary key gets these attributes and this secret,
    /// instead of being a duplicate. Its other attributes, and its persistent reference, stay.
    public var replacesExisting = false
    /// The minimum tier of the keychain; if it is lower, nothing is stored.
    public var demandedTier = StorageTier.software
    /// The item is stored only if the program still has this lease.
    package var lease: LeaseToken?
    /// The existing item to change instead, if there is one.
    public var replacement: ItemReplacement?
    /// What must be proven at each use; nil for nothing.
    package var accessControl: AccessControl?
    /// Of an item with an access control.
    package var access = ItemAccess()
    /// The keychain to store it in; nil is login.
    package var keychain: KeychainID?

    /// An item of a class, without attributes.
    public init(_ itemClass: ItemClass) { self.itemClass = itemClass }
}

/// An item that may exist already, with any primary key.
public struct ItemReplacement: Equatable, Sendable {
    /// The attributes by which it is found; of several items the oldest is chosen.
    public var filter: ItemAttributes
    /// Its new attributes, in addition to the new item's secret, if that has one; the rest stays.
    public var changes: ItemAttributes

    /// Changes an item that has some attributes.
    public init(of filter: ItemAttributes, changes: ItemAttributes) {
        self.filter = filter
        self.changes = changes
    }
}

// MARK: - Coding

extension ClientRequest {
    /// Decodes an add.
    static func decodeAdd(_ content: FrameContent) throws(WireError) -> ClientRequest {
        let request: WireAddRequest = try unsafe content.decoded()
        guard let itemClass = ItemClass(wireValue: request.itemClass),
            unsafe request.hasSecret_p || !content.hasSecret,
            let demandedTier = StorageTier(rawValue: request.demandedTier)
        else { throw .malformed }
        var item = NewItem(itemClass)
        item.attributes = try ItemAttributes(checking: request.attributes)
        item.returning = try ReturnFields(checking: request.returning)
        item.secret = unsafe request.hasSecret_p ? try Secret(checking: content.secret) : nil
        item.replacesExisting = request.replacesExisting
        item.demandedTier = demandedTier
        item.lease = LeaseToken(request.lease)
        item.accessControl = try AccessControl(checking: request.accessControl)
        item.access = try ItemAccess(
            context: request.accessContext, purpose: request.accessPurpose)
        item.keychain = try KeychainID(other: request.keychain)
        if request.hasReplacement {
            item.replacement = try ItemReplacement(request.replacement)
        }
        return .add(item, try WriteIdentity(request.identity))
    }
}

extension NewItem {
    /// The message of an add.
    func message(_ write: WriteIdentity) -> WireAddRequest {
        var message = WireAddRequest()
        message.itemClass = itemClass.wireValue
        message.attributes = attributes.serialized()
        message.hasSecret_p = secret != nil
        message.returning = returning.rawValue
        message.identity = write.message
        message.replacesExisting = replacesExisting
        message.demandedTier = demandedTier.rawValue
        message.lease = lease?.number ?? 0
        if let accessControl { message.accessControl = Data(accessControl.encoded) }
        message.accessContext = Data(access.context)
        message.accessPurpose = access.purpose
        if let replacement { message.replacement = replacement.message }
        if let keychain, !keychain.isLogin { message.keychain = Data(keychain.uuid) }
        return message
    }
}

extension ItemReplacement {
    /// - Throws: ``WireError/malformed`` for a filter that every item would pass.
    init(_ message: WireItemReplacement) throws(WireError) {
        let filter = try ItemAttributes(checking: message.filter)
        guard !filter.isEmpty else { throw .malformed }
        self.init(of: filter, changes: try ItemAttributes(checking: message.changes))
    }
}

extension ItemReplacement {
    var message: WireItemReplacement {
        var message = WireItemReplacement()
        message.filter = filter.serialized()
        message.changes = changes.serialized()
        return message
    }
}

extension NewItem {
    /// The same item with other names of access groups; nil when a name isn't a group.
    func namingGroups(_ name: (String) -> String?) -> NewItem? {
        var item = self
        guard item.attributes.nameGroup(name), item.replacement?.filter.nameGroup(name) ?? true,
            item.replacement?.changes.nameGroup(name) ?? true
        else { return nil }
        return item
    }
}
