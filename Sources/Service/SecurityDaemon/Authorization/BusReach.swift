// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import CodeIdentity
package import KeychainVocabulary
import SecurityWire

/// What a channel reaches: the groups, and in which of them a new item goes.
package struct BusReach: Sendable {
    /// In the order in which a replaced item is looked for; the first is that of new items.
    package let groups: [String]
    /// Whether every group but the front's own is reached besides.
    package let reachesAll: Bool
    /// Whether other owners' items don't exist for it.
    package let isSandboxed: Bool
    /// Whether it is the front's own.
    package let isOfFront: Bool
    /// The groups of schemas.
    private let schemas: [String: String]

    /// What the front's own channel reaches; each of its items says which group it is in.
    package static let ofFront = BusReach(
        groups: [BusGroup.collections, BusGroup.portal, BusGroup.shared], reachesAll: false,
        isSandboxed: false, isOfFront: true, schemas: [:])

    /// What an owner's channel reaches.
    package init(of owner: BusOwner, _ policy: SecretServicePolicy) {
        let own = BusGroup.own(owner)
        guard !owner.isSandboxed else {
            self.init(
                groups: [own], reachesAll: false, isSandboxed: true, isOfFront: false, schemas: [:]
            )
            return
        }
        var families: [SecretServicePolicy.Family] = []
        if case .path(let path) = owner { families = policy.families(ofPath: path) }
        var schemas: [String: String] = [:]
        for schema in policy.sharedSchemas { schemas[schema] = BusGroup.shared }
        for family in families {
            for schema in family.schemas { schemas[schema] = BusGroup.family(family.name) }
        }
        var groups = [own] + families.map { BusGroup.family($0.name) }
        if own != BusGroup.shared { groups.append(BusGroup.shared) }
        self.init(
            groups: groups, reachesAll: !policy.isIsolating, isSandboxed: false, isOfFront: false,
            schemas: schemas)
    }

    private init(
        groups: [String], reachesAll: Bool, isSandboxed: Bool, isOfFront: Bool,
        schemas: [String: String]
    ) {
        self.groups = groups
        self.reachesAll = reachesAll
        self.isSandboxed = isSandboxed
        self.isOfFront = isOfFront
        self.schemas = schemas
    }

    /// The group of a new item with a schema, or with none.
    package func group(forSchema schema: String?) -> String {
        schema.flatMap { schemas[$0] } ?? groups[0]
    }

    /// The group of a new item.
    /// - Throws: ``DaemonError/groupNotHeld`` when it names another one than those of the channel.
    func group(of new: NewSecret) throws(DaemonError) -> String {
        let group = isOfFront ? new.group : group(forSchema: new.fields.pairs.schema)
        guard holds(group) else { throw .groupNotHeld }
        return group
    }

    /// Whether items of a group are reached.
    package func holds(_ group: String) -> Bool {
        groups.contains(group)
            || reachesAll && BusGroup.isOne(group) && !BusGroup.isOfFront(group)
    }
}
