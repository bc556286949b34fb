// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import FuzzEntries

/// Draws calls. It reads the model only to draw calls with an effect: on existing items, collisions
/// with them, references to existing and deleted ones.
struct Generator: Sendable {
    private var random: SplitMix64
    private let groups: [String]
    private var step = 0
    private var dead: [Reference] = []
    /// The items before a deletion.
    private var living: [Reference] = []
    private var pending: [Call] = []
    /// After this many calls everything is deleted.
    private static let episode = 250

    private let locks: Bool

    /// The same seed gives the same calls; `locks` says whether the device is locked from time to
    /// time.
    init(seed: UInt64, groups: [String], locks: Bool = false) {
        random = SplitMix64(seed: seed)
        self.groups = groups
        self.locks = locks
    }

    /// Deletes everything, including the tombstones that deleting leaves.
    static func reset() -> [Call] {
        ItemClass.stored.flatMap { itemClass -> [Call] in
            let all: Entries = [
                "class": .string(itemClass.rawValue), "sync": .string("syna"),
                "u_Tomb": .boolean(false),
            ]
            return [
                Call(operation: .delete, query: all),
                Call(operation: .delete, query: all.merging(["tomb": .boolean(true)]) { $1 }),
            ]
        }
    }

    mutating func next(_ model: Model) -> Call {
        step += 1
        remember(model)
        if step % Self.episode == 0 {
            pending = (locks ? [Call(operation: .unlock)] : []) + Self.reset()
        }
        var call = pending.isEmpty ? drawClear(model) : pending.removeFirst()
        call.step = step
        if call.operation == .delete {
            living = model.items.filter { !$0.isTombstone }
                .map { Reference(item: $0.name, itemClass: $0.itemClass) }
        }
        return call
    }

    /// A call whose effect is specified.
    private mutating func drawClear(_ model: Model) -> Call {
        if locks, random.chance(model.isLocked ? 3 : 2) {
            return Call(operation: model.isLocked ? .unlock : .lock)
        }
        guard model.isLocked else { return draw(model) }
        for _ in 0..<20 {
            let call = draw(model)
            var trial = model
            if !trial.apply(call).isUnclear { return call }
        }
        return Call(operation: .unlock)
    }

    /// Keeps the names of items that the last call deleted, for references to them.
    private mutating func remember(_ model: Model) {
        guard !living.isEmpty else { return }
        let names = Set(model.items.map(\.name))
        dead += living.filter { $0.item.map { !names.contains($0) } ?? false }
        dead.removeFirst(max(0, dead.count - 12))
        living = []
    }

    private mutating func draw(_ model: Model) -> Call {
        let weight = model.items.count > 22 ? 20 : 42
        switch random.below(100) {
        case ..<weight: return add(model)
        case ..<(weight + 33): return copy(model)
        case ..<85: return update(model)
        default: return delete(model)
        }
    }

    // MARK: - Calls

    private mutating func add(_ model: Model) -> Call {
        if random.chance(3) { return addIdentity() }
        let itemClass = pickClass(identities: 1)
        var entries: Entries = ["class": .string(itemClass.rawValue)]
        let similar = model.items.filter { $0.itemClass == itemClass && $0.row >= 0 }
        if !similar.isEmpty, random.chance(40) {
            takePrimaryKey(of: random.pick(similar), &entries)
            // Items that differ in one attribute of the primary key alone.
            if random.chance(25) {
                let names = Column.primaryKey(of: itemClass).map(\.name)
                set(random.pick(names), itemClass, &entries)
            }
        } else {
            addSampleOrAttributes(itemClass, &entries)
        }
        for _ in 0..<random.below(3) { setAttribute(itemClass, &entries, isQuery: false) }
        setSynchronizable(&entries, percent: 20)
        setGroup(&entries, percent: 25)
        if random.chance(12) {
            entries["accc"] = random.pick(Pools.values(of: "accc", .accessControl))
        }
        if entries["accc"] != nil {
            if !random.chance(10) { entries["pdmn"] = nil }
            if case .number? = entries["sync"] { entries["sync"] = .boolean(true) }
            if case .string("1")? = entries["sync"] { entries["sync"] = .boolean(false) }
        }
        if random.chance(3) { entries["pdmn"] = .string("akpu") }
        if entries["v_Ref"] == nil, random.chance(75) {
            entries["v_Data"] = drawSecret()
        }
        if random.chance(5) { entries["tomb"] = .boolean(random.chance(50)) }
        if random.chance(4) { entries["cdat"] = .date(1000.5) }
        if random.chance(4) { entries["mdat"] = .date(1000.5) }
        setReturns(&entries, oftenReference: true)
        if random.chance(10) { spoil(&entries, itemClass) }
        if random.chance(3) { entries["m_Limit"] = .string("m_LimitAll") }
        if random.chance(1) { entries["v_PersistentRef"] = .reference(pickReference(model)) }
        return Call(operation: .add, query: entries, ignoresResult: random.chance(5))
    }

    private mutating func drawSecret() -> Value {
        random.pick(random.below(200) == 0 ? Pools.largeSecrets : Pools.secrets)
    }

    private mutating func addIdentity() -> Call {
        let (certificate, key) = random.pick(Derived.identities)
        var entries: Entries = [:]
        for name in ["labl", "alis", "vwht", "tkid", "pdmn"] where random.chance(12) {
            set(name, .identity, &entries)
        }
        if random.chance(5) { setAttribute(.identity, &entries, isQuery: false) }
        setSynchronizable(&entries, percent: 20)
        setGroup(&entries, percent: 25)
        setReturns(&entries, oftenReference: true)
        if random.chance(10) { spoil(&entries, .identity) }
        entries["class"] =
            random.chance(40) ? .string(random.pick(ItemClass.allCases).rawValue) : nil
        entries["v_Ref"] = .identity(certificate, key)
        return Call(operation: .add, query: entries, ignoresResult: random.chance(5))
    }

    private mutating func addSampleOrAttributes(_ itemClass: ItemClass, _ entries: inout Entries) {
        if itemClass == .certificate, random.chance(75) {
            entries["v_Ref"] = .certificate(random.below(CertificateSample.all.count))
        } else if itemClass == .key, random.chance(50) {
            entries["v_Ref"] = .key(random.below(KeySample.all.count))
        } else {
            if itemClass == .key, random.chance(50) { makePrivateKey(&entries) }
            for (name, _) in Column.primaryKey(of: itemClass) where random.chance(45) {
                set(name, itemClass, &entries)
            }
        }
        if entries["v_Ref"] != nil, random.chance(40) { entries["class"] = nil }
    }

    /// A key that is half of an identity.
    private mutating func makePrivateKey(_ entries: inout Entries) {
        entries["kcls"] = .string(random.pick(["1", "1", "0"]))
        entries["priv"] = .number(1)
        set("klbl", .key, &entries)
    }

    private mutating func copy(_ model: Model) -> Call {
        let itemClass = pickClass(identities: 12)
        var entries = query(itemClass, model)
        setReturns(&entries, oftenReference: false)
        setLimit(&entries)
        if random.chance(25) { setMatch(queryClass(entries) ?? itemClass, &entries, model) }
        if random.chance(3) { entries["tomb"] = random.pick([.boolean(true), .number(0)]) }
        if entries["tomb"] == .boolean(true) { entries = keepPrimaryKey(entries) }
        if random.chance(3) {
            entries["u_AuthUI"] = .string(random.pick(["u_AuthUIA", "u_AuthUIF", "u_AuthUIS"]))
        }
        if random.chance(8) { spoil(&entries, itemClass) }
        return Call(operation: .copy, query: entries, ignoresResult: random.chance(3))
    }

    private mutating func update(_ model: Model) -> Call {
        let itemClass = pickClass(identities: 3)
        var entries = query(itemClass, model)
        let changed = queryClass(entries) ?? itemClass
        if random.chance(20) { entries["m_Limit"] = .string("m_LimitAll") }
        if random.chance(10) { entries[.text(random.pick(Pools.returns))] = .boolean(true) }
        if random.chance(2) {
            entries["m_Limit"] = random.pick([.number(2), .string("m_LimitOne")])
        }
        if random.chance(5) { entries["u_Tomb"] = .boolean(random.chance(50)) }
        if random.chance(6) { spoil(&entries, changed) }
        if changed == .identity {
            return Call(operation: .update, query: entries, changes: identityChanges())
        }
        var changes: Entries = [:]
        let names = Column.primaryKey(of: changed).map(\.name)
        if random.chance(60) { set(random.pick(names), changed, &changes) }
        for _ in 0..<random.below(3) { setAttribute(changed, &changes, isQuery: false) }
        if random.chance(35) { changes["v_Data"] = drawSecret() }
        setGroup(&changes, percent: 12)
        setSynchronizable(&changes, percent: 10)
        if random.chance(6) { changes["cdat"] = random.pick([.date(1000.5), .date(77)]) }
        if random.chance(5) { changes["mdat"] = .date(1000.5) }
        if random.chance(4) { changes["tomb"] = random.pick([.boolean(true), .number(0)]) }
        if random.chance(8), changes["sync"] == nil, changes["pdmn"] == nil {
            changes["accc"] = random.pick(Pools.values(of: "accc", .accessControl))
        }
        if random.chance(2) { changes["pdmn"] = .string("akpu") }
        if changes["accc"] != nil {
            switch changes["sync"] {
            case .boolean?, nil: break
            default: changes["sync"] = nil
            }
        }
        if random.chance(8) { spoilChanges(&changes, changed) }
        return Call(operation: .update, query: entries, changes: changes)
    }

    /// Without a possible collision: an update of two halves isn't one transaction.
    private mutating func identityChanges() -> Entries {
        var changes: Entries = [:]
        for name in ["labl", "alis", "pdmn"] where random.chance(40) {
            set(name, .identity, &changes)
        }
        if random.chance(5) { setAttribute(.identity, &changes, isQuery: false) }
        if let name = changes.keys.first(where: { name in
            Column.primaryKey(of: .certificate).contains { .text($0.name) == name }
        }) {
            changes[name] = nil
        }
        if random.chance(5) { changes["v_Data"] = .data(Data()) }
        if random.chance(10) { spoilChanges(&changes, .identity) }
        return changes
    }

    private mutating func delete(_ model: Model) -> Call {
        let itemClass = pickClass(identities: 4)
        var entries = query(itemClass, model)
        if random.chance(3) {
            entries["tomb"] = .boolean(true)
            entries = keepPrimaryKey(entries)
        }
        if random.chance(15) { entries["m_Limit"] = .string("m_LimitAll") }
        if random.chance(10) { entries[.text(random.pick(Pools.returns))] = .boolean(true) }
        if random.chance(3) {
            entries[.text(random.pick(["m_Limit", "m_SearchList", "m_CaseInsensitive"]))] =
                random.pick([.number(2), .string("m_LimitOne")])
        }
        if random.chance(10) { entries["u_Tomb"] = .boolean(random.chance(50)) }
        if random.chance(6) { spoil(&entries, itemClass) }
        return Call(operation: .delete, query: entries)
    }
}

// MARK: - Parts of dictionaries

extension Generator {
    private mutating func pickClass(identities: Int) -> ItemClass {
        if random.chance(identities) { return .identity }
        return switch random.below(100) {
        case ..<35: .genericPassword
        case ..<65: .internetPassword
        case ..<83: .certificate
        default: .key
        }
    }

    private func queryClass(_ entries: Entries) -> ItemClass? {
        if case .string(let text)? = entries["class"] { return ItemClass(rawValue: text) }
        if case .reference(let reference)? = entries["v_PersistentRef"] {
            return reference.itemClass
        }
        return nil
    }

    private mutating func set(
        _ name: String, _ itemClass: ItemClass, _ entries: inout Entries
    ) {
        if name == "sync" { return setSynchronizable(&entries, percent: 30) }
        guard let kind = Column.kind(of: name, in: itemClass) else { return }
        entries[.text(name)] = random.pick(Pools.values(of: name, kind))
    }

    /// Sets some attribute to a valid value.
    private mutating func setAttribute(
        _ itemClass: ItemClass, _ entries: inout Entries, isQuery: Bool
    ) {
        set(random.pick(Column.plainNames[itemClass] ?? []), itemClass, &entries)
        if isQuery, random.chance(2) { entries["tkid"] = .string("token") }
    }

    private mutating func setSynchronizable(_ entries: inout Entries, percent: Int) {
        guard random.chance(percent) else { return }
        entries["sync"] = random.pick([
            .boolean(true), .boolean(true), .boolean(false), .number(1), .string("syna"),
            .string("1"),
        ])
    }

    private mutating func setGroup(_ entries: inout Entries, percent: Int) {
        guard random.chance(percent) else { return }
        let group =
            random.chance(20)
            ? random.pick(["", "*", "foreign.group", Model.tokenGroup]) : random.pick(groups)
        entries["agrp"] = random.chance(10) ? .data(Data(group.utf8)) : .string(group)
    }

    private mutating func setReturns(_ entries: inout Entries, oftenReference: Bool) {
        for name in Pools.returns where random.chance(name == "r_Attributes" ? 40 : 25) {
            entries[.text(name)] = .boolean(!random.chance(10))
        }
        if oftenReference, random.chance(50) { entries["r_PersistentRef"] = .boolean(true) }
    }

    private mutating func setLimit(_ entries: inout Entries) {
        switch random.below(100) {
        case ..<45: break
        case ..<50: entries["m_Limit"] = .string("m_LimitOne")
        case ..<85: entries["m_Limit"] = .string("m_LimitAll")
        default: entries["m_Limit"] = .number(random.pick([0, 1, 2, 3, -1, 100]))
        }
    }

    private mutating func setMatch(
        _ itemClass: ItemClass, _ entries: inout Entries, _ model: Model
    ) {
        switch itemClass {
        case .internetPassword where random.chance(80):
            entries["m_HostOrSubdomainOfHost"] = .string(
                random.pick(["example.com", "com", "www.example.com", "a"]))
        case .certificate, .identity:
            setCertificateMatch(&entries)
        default:
            if random.chance(50) {
                let list = (0..<random.below(3) + 1).map { _ in
                    Value.reference(pickReference(model))
                }
                entries["m_ItemList"] = .array(list)
            } else {
                entries[.text(random.pick(Pools.ignoredMatches))] = .string("a")
            }
        }
        if random.chance(6) {
            let name = random.pick(["m_Issuers", "m_Policy", "m_HostOrSubdomainOfHost"])
            entries[.text(name)] = .string("a")
        }
    }

    private mutating func setCertificateMatch(_ entries: inout Entries) {
        switch random.below(6) {
        case 0:
            let names = CertificateSample.all.map { Value.data(Derived.bytes($0.subjectName)) }
            entries["m_Issuers"] = random.pick([
                .array([random.pick(names)]), .array([random.pick(names), random.pick(names)]),
                .array([.number(1)]), .array([]), .string("a"), .array([.bytes(1, 2)]),
            ])
        case 1:
            entries["m_EmailAddressIfPresent"] = random.pick([
                .string("ana@EXAMPLE.com"), .string("bo@example.com"), .string("no@example.com"),
                .string("ana@EXAMPLE.com"), .number(1),
            ])
        case 2:
            entries["m_ValidOnDate"] = random.pick([
                .null, .date(0), .date(126_230_400), .date(126_230_401), .date(700_000_000),
                .string("now"),
            ])
        case 3:
            // What is trusted, the model doesn't know.
            entries["m_TrustedOnly"] = random.pick([.boolean(false), .number(1)])
        case 4:
            setSubjectMatch(&entries)
        default: entries["m_Foo"] = .string("a")
        }
    }

    private mutating func setSubjectMatch(_ entries: inout Entries) {
        for _ in 0...random.below(2) {
            entries[.text(random.pick(ModelMatchFilter.subjectKeys))] = .string(
                random.pick(Pools.subjects))
        }
        for flag in ModelMatchFilter.subjectFlags where random.chance(35) {
            entries[.text(flag)] = .boolean(random.chance(80))
        }
        if random.chance(4) {
            let names = ModelMatchFilter.subjectKeys + ModelMatchFilter.subjectFlags
            entries[.text(random.pick(names))] = .number(1)
        }
    }

    // MARK: - Queries

    private mutating func query(_ itemClass: ItemClass, _ model: Model) -> Entries {
        if itemClass != .identity, random.chance(12) { return referenceQuery(model) }
        if itemClass == .identity { return identityQuery(model) }
        var entries: Entries = ["class": .string(itemClass.rawValue)]
        let items = model.items.filter { $0.itemClass == itemClass }
        if !items.isEmpty, random.chance(60) {
            let item = random.pick(items)
            for _ in 0..<random.below(4) { takeAttribute(of: item, &entries) }
            if item.attributes["sync"] == .number(1), random.chance(80) {
                entries["sync"] = random.pick([.boolean(true), .string("syna"), .number(1)])
            }
        } else {
            for _ in 0..<random.below(3) { setAttribute(itemClass, &entries, isQuery: true) }
            setSynchronizable(&entries, percent: 20)
        }
        if random.chance(5) {
            entries = ["class": entries["class"] ?? .null]
            if itemClass == .certificate {
                entries["v_Ref"] = .certificate(random.below(CertificateSample.all.count))
            } else if itemClass == .key {
                entries["v_Ref"] = .key(random.below(KeySample.all.count))
            }
        }
        setGroup(&entries, percent: 12)
        if random.chance(3) { entries["v_Data"] = .data(Data()) }
        if random.chance(3) { entries["nleg"] = .boolean(true) }
        if random.chance(2) { entries["accc"] = .accessControl("ck") }
        if entries["accc"] != nil, !random.chance(10) { entries["pdmn"] = nil }
        return entries
    }

    private mutating func identityQuery(_ model: Model) -> Entries {
        var entries: Entries = ["class": .string(ItemClass.identity.rawValue)]
        let pairs = model.items.filter { $0.itemClass == .key || $0.itemClass == .certificate }
        for _ in 0..<random.below(2) where !pairs.isEmpty {
            takeAttribute(of: random.pick(pairs), &entries)
        }
        entries["agrp"] = nil
        if random.chance(25) { setSynchronizable(&entries, percent: 100) }
        return entries
    }

    private mutating func referenceQuery(_ model: Model) -> Entries {
        var reference = pickReference(model)
        if random.chance(12) { reference.form = .short }
        if random.chance(6) { reference.itemClass = random.pick(ItemClass.stored) }
        var entries: Entries = ["v_PersistentRef": .reference(reference)]
        if random.chance(40) { entries["class"] = .string(reference.itemClass.rawValue) }
        if random.chance(5) { entries["class"] = .string(random.pick(ItemClass.stored).rawValue) }
        if random.chance(20) {
            let item = model.items.first { $0.name == reference.item }
            if let item, random.chance(70) {
                takeAttribute(of: item, &entries)
            } else {
                setAttribute(reference.itemClass, &entries, isQuery: true)
            }
        }
        return entries
    }

    private mutating func pickReference(_ model: Model) -> Reference {
        let living = model.items.filter { !$0.isTombstone }
        if !living.isEmpty, random.chance(75) {
            let item = random.pick(living)
            let isIdentity = item.itemClass == .certificate && random.chance(25)
            return Reference(
                item: item.name, itemClass: isIdentity ? .identity : item.itemClass)
        }
        if !dead.isEmpty, random.chance(80) { return random.pick(dead) }
        return Reference(item: nil, itemClass: random.pick(ItemClass.stored))
    }

    /// An attribute of an item, sometimes in another type of the same meaning.
    private mutating func takeAttribute(of item: Model.Item, _ entries: inout Entries) {
        var all = item.attributes
        all["sync"] = nil
        all["agrp"] = .string(item.group)
        if let created = item.created { all["cdat"] = .date(created) }
        let names = all.keys.sorted()
        guard !names.isEmpty else { return }
        let name = random.pick(names)
        guard let value = all[name] else { return }
        entries[.text(name)] = random.chance(25) ? other(value, name, item.itemClass) : value
    }

    private func other(_ value: Value, _ name: String, _ itemClass: ItemClass) -> Value {
        switch (value, Column.kind(of: name, in: itemClass)) {
        case (.string(let text), .blob?), (.string(let text), .text?): .data(Data(text.utf8))
        case (.data(let data), .blob?), (.data(let data), .data?):
            String(validating: data, as: UTF8.self).map { .string($0) } ?? value
        case (.number(let number), .number?): .string("\(number)")
        default: value
        }
    }

    private mutating func takePrimaryKey(of item: Model.Item, _ entries: inout Entries) {
        let names = Column.primaryKey(of: item.itemClass).map(\.name)
        for name in names + ["pdmn"] {
            if let value = item.attributes[name] { entries[.text(name)] = value }
        }
        entries["agrp"] = .string(item.group)
        if random.chance(60) { set(random.pick(names), item.itemClass, &entries) }
    }

    /// Tombstones have no other attributes.
    private func keepPrimaryKey(_ entries: Entries) -> Entries {
        let itemClass = queryClass(entries) ?? .genericPassword
        let kept = Set(Column.primaryKey(of: itemClass).map(\.name) + ["agrp", "tomb"])
        return entries.filter { key, _ in
            guard let text = key.text, text.utf16.count == 4 else {
                // A reference to an item doesn't match its tombstone.
                return key != "v_PersistentRef" && key != "m_ItemList"
            }
            return kept.contains(text)
        }
    }

    // MARK: - Invalid calls

    /// Makes one mistake.
    private mutating func spoil(_ entries: inout Entries, _ itemClass: ItemClass) {
        switch random.below(13) {
        case 0: entries[.text(random.pick(Pools.unknownAttributes))] = .string("a")
        case 11: entries["u_ItemList"] = .array([.number(1)])
        case 1: entries[.text(random.pick(Pools.unknownKeys))] = .string("a")
        case 2: entries[.text(random.pick(Pools.privilegedAttributes))] = .string("a")
        case 3:
            entries["class"] = random.pick([
                .string("apls"), .string(""), .string("GENP"), .number(1), .null,
                .data(Data("genp".utf8)),
            ])
        case 4: if entries["v_Ref"] == nil { entries["class"] = nil }
        case 5: entries[random.pick([.number(5), .data])] = .string("a")
        case 6:
            entries["v_Data"] = random.pick([.string("a"), .number(1), .null, .array([])])
        case 7:
            entries[.text(random.pick(Pools.returns))] = random.pick([
                .number(1), .string("true"), .null,
            ])
        case 8:
            entries["v_PersistentRef"] = random.pick([
                .data(Data("genp".utf8)), .data(Data()), .string("genp"), .number(1), .null,
                .data(Data("xxxx".utf8) + Data(repeating: 7, count: 16)),
                .data(Data("genp".utf8) + Data(repeating: 7, count: 17)),
            ])
        case 9:
            entries["m_Limit"] = random.pick([.string("all"), .null, .data(Data()), .array([])])
        case 10: entries["v_Ref"] = random.pick([.string("a"), .number(1), .null])
        default: setWrongValue(itemClass, &entries)
        }
    }

    private mutating func setWrongValue(_ itemClass: ItemClass, _ entries: inout Entries) {
        let all = Column.all(of: itemClass)
        let name = random.pick(all.keys.filter { $0 != "UUID" && $0 != "sha1" }.sorted())
        guard let kind = all[name] else { return }
        entries[.text(name)] = random.pick(Pools.wrongValues(of: name, kind))
    }

    private mutating func spoilChanges(_ entries: inout Entries, _ itemClass: ItemClass) {
        switch random.below(6) {
        case 0:
            let names = [
                "class", "r_Data", "m_Limit", "u_AuthUI", "v_Ref", "v_PersistentRef", "u_ItemList",
            ]
            entries[.text(random.pick(names))] = .string("genp")
        case 1: entries[.text(random.pick(Pools.unknownAttributes))] = .string("a")
        case 2: entries[random.pick([.number(5), .data])] = .string("a")
        case 3: entries["v_Data"] = random.pick([.string("a"), .null, .number(1)])
        case 4: entries[.text(random.pick(["abcde", "prf", "zz", "c", ""]))] = .string("a")
        default: setWrongValue(itemClass, &entries)
        }
    }
}
