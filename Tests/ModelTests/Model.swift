// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation

/// The items specification as a list in memory. It is written only from the specification and
/// shares no code with the tested system. It prefers clarity over speed.
struct Model: Sendable {
    struct Item: Sendable {
        var name: ItemName
        let itemClass: ItemClass
        var row: Int
        var group: String
        /// The attributes that were set, converted; with `pdmn`, `sync`; without dates and group.
        var attributes: [String: Value]
        var data: Data?
        /// It was added with an access control, which its dictionaries then contain.
        var hasAccessControl = false
        var isTombstone = false
        /// Changes with each write.
        var revision = 0
        /// The date of creation that an update set.
        var created: Double?
    }

    /// Oldest first.
    private(set) var items: [Item] = []
    /// The groups that the caller holds, in order.
    let groups: [String]
    /// The device has a passcode.
    let hasPasscode: Bool
    /// The device is locked, after it was unlocked once.
    private(set) var isLocked = false
    /// The injected fault.
    let defect: Defect?
    /// How many rows each class has ever had.
    private var rowCounts: [ItemClass: Int] = [:]
    private var tombstoneCount = 0
    /// Every item that was ever added.
    private(set) var rows: [ItemName: Int] = [:]

    static let tokenGroup = "com.apple.token"

    init(groups: [String], hasPasscode: Bool = false, defect: Defect? = nil) {
        self.groups = groups
        self.hasPasscode = hasPasscode
        self.defect = defect
    }

    /// Carries out the call and returns the expected answer.
    mutating func apply(_ call: Call) -> Expectation {
        switch call.operation {
        case .add: add(call)
        case .copy: copy(call)
        case .update: update(call)
        case .delete: delete(call)
        case .lock: setLocked(true)
        case .unlock: setLocked(false)
        }
    }

    private mutating func setLocked(_ isLocked: Bool) -> Expectation {
        self.isLocked = isLocked
        return .success(.anything)
    }

    // MARK: - Groups

    /// The error for the group that a call names.
    private func groupErrors(_ request: Request, writes: Bool) -> Set<Int32> {
        guard case .string(let group)? = request.attributes["agrp"] else { return [] }
        if !groups.contains(group) || group == "*" || group.isEmpty {
            return [
                defect == .foreignGroupIsNotFound ? Status.itemNotFound : Status.missingEntitlement
            ]
        }
        return writes && group == Self.tokenGroup ? [Status.missingEntitlement] : []
    }

    // MARK: - Adding

    private mutating func add(_ call: Call, isKeyOfIdentity: Bool = false) -> Expectation {
        if case .identity(let certificate, let key)? = call.query["v_Ref"] {
            return add(call, certificate, key)
        }
        let request = Request(call.query, .add, defect)
        var errors = request.errors.union(groupErrors(request, writes: true))
        if request.itemClass == .identity { errors.insert(Status.parameter) }
        guard errors.isEmpty, let itemClass = request.itemClass, let first = groups.first else {
            return Expectation(errors: errors)
        }
        if first == Self.tokenGroup, request.attributes["agrp"] == nil {
            return .failure(Status.missingEntitlement)
        }
        var item = newItem(
            request, itemClass, group: first,
            ItemName(step: call.step, isKeyOfIdentity: isKeyOfIdentity))
        let isDuplicate = items.contains { collides($0, item) && !$0.isTombstone }
        if isClosed(item) { return .failure(Status.locked) }
        if isLocked, let other = items.first(where: { collides($0, item) }), isClosed(other) {
            // It is unknown whether it is a duplicate.
            return Expectation(
                errors: [Status.duplicateItem, Status.locked], isUnclear: other.isTombstone)
        }
        if item.attributes["pdmn"] == .string("akpu"), !hasPasscode {
            let further: Set = isDuplicate ? [Status.duplicateItem] : []
            return Expectation(errors: further.union([Status.notAvailable]))
        }
        if isDuplicate { return .failure(Status.duplicateItem) }
        items = items.filter { !collides($0, item) }
        rowCounts[itemClass, default: 0] += 1
        item.row = rowCounts[itemClass, default: 0]
        rows[item.name] = item.row
        if request.meansTombstones {
            addTombstone(item)
            return .success(.anything)
        }
        items.append(item)
        return .success(Shapes(self).ofAdd(request, item))
    }

    private func newItem(
        _ request: Request, _ itemClass: ItemClass, group: String, _ name: ItemName
    ) -> Item {
        var item = Item(
            name: name, itemClass: itemClass, row: 0, group: group,
            attributes: request.attributes, data: request.data)
        for automatic in ["agrp", "cdat", "mdat", "tomb", "sha1", "UUID"] {
            item.attributes[automatic] = nil
        }
        if case .string(let group)? = request.attributes["agrp"] { item.group = group }
        item.attributes["sync"] = request.synchronizable ?? .number(0)
        if let accessible = request.accessControl {
            item.attributes["pdmn"] = .string(accessible)
            item.hasAccessControl = true
        } else if item.attributes["pdmn"] == nil {
            item.attributes["pdmn"] = .string(defaultAccessible(of: item))
        }
        if defect == .creationDateFromCaller, case .date(let date)? = request.attributes["cdat"] {
            item.created = date
        }
        if defect == .emptyDataIsNoData, item.data?.isEmpty == true { item.data = nil }
        return item
    }

    /// Adds an identity: its certificate, then its key; one of them may exist already.
    private mutating func add(_ call: Call, _ certificate: Int, _ key: Int) -> Expectation {
        // It isn't specified which half a lock leaves.
        if isLocked { return Expectation(errors: [], isUnclear: true) }
        var halves = [call, call]
        for (index, half) in [Value.certificate(certificate), .key(key)].enumerated() {
            halves[index].query["class"] = nil
            halves[index].query["v_Ref"] = half
        }
        let before = self
        let answers = [add(halves[0]), add(halves[1], isKeyOfIdentity: true)]
        let errors = answers.reduce(into: Set<Int32>()) { $0.formUnion($1.errors) }
        let areThere = answers.allSatisfy { !$0.canSucceed }
        guard errors.subtracting([Status.duplicateItem]).isEmpty, !areThere else {
            self = before
            return Expectation(errors: errors)
        }
        let request = Request(halves[0].query, .add, defect)
        guard request.returns.contains("r_PersistentRef"), let first = groups.first else {
            return .success(.unchanged)
        }
        let wanted = newItem(request, .certificate, group: first, ItemName(step: call.step))
        let stored = items.first { !$0.isTombstone && collides($0, wanted) }
        return .success(.reference(Reference(item: stored?.name, itemClass: .identity)))
    }

    private func defaultAccessible(of item: Item) -> String {
        if case .string(let token)? = item.attributes["tkid"], !token.isEmpty { return "dk" }
        return switch item.itemClass {
        case .certificate: defect == .certificatesDefaultToWhenUnlocked ? "ak" : "dk"
        case .genericPassword, .internetPassword:
            defect == .passwordsDefaultToAlways ? "dk" : "ak"
        default: "ak"
        }
    }

    // MARK: - Uniqueness

    private func collides(_ first: Item, _ second: Item) -> Bool {
        guard first.itemClass == second.itemClass, first.group == second.group else {
            return false
        }
        return primaryKey(of: first.itemClass).allSatisfy { column in
            value(column, of: first).map { content($0, of: column) }
                == value(column, of: second).map { content($0, of: column) }
        }
    }

    /// The attributes that make items of a class unique, besides their group.
    private func primaryKey(of itemClass: ItemClass) -> [String] {
        let columns = Column.primaryKey(of: itemClass).map(\.name)
        return switch defect {
        case .pathMissingFromPrimaryKey: columns.filter { $0 != "path" }
        case .tagMissingFromPrimaryKey: columns.filter { $0 != "atag" }
        case .genericInPrimaryKey: columns + ["gena"]
        case .labelInPrimaryKey: columns + ["labl"]
        default: columns
        }
    }

    private func content(_ value: Value, of column: String) -> Value {
        if defect == .typeOfAccountMatters, column == "acct" { return value }
        return Column.content(value)
    }

    /// The value of a column; nil when it was never set and has no default.
    private func value(_ column: String, of item: Item) -> Value? {
        switch column {
        case "agrp": return .string(item.group)
        case "cdat": return item.created.map { .date($0) }
        case "mdat", "sha1", "UUID", "tomb": return nil
        default: break
        }
        if let value = item.attributes[column] { return value }
        return Column.byDefault(column, of: item.itemClass)
    }

    // MARK: - Matching

    private func isVisible(_ item: Item, _ request: Request) -> Bool {
        guard groups.contains(item.group), item.isTombstone == request.meansTombstones else {
            return defect == .tombstonesAreVisible && item.isTombstone
        }
        if request.role != .copy, item.group == Self.tokenGroup { return false }
        if request.takesAnySynchronizable, defect != .anySynchronizableIsNo { return true }
        let isImplied =
            request.reference == nil && !request.listsReferences
            && defect != .synchronizableIsNotImplied
        guard let wanted = request.synchronizable ?? (isImplied ? .number(0) : nil) else {
            return true
        }
        return item.attributes["sync"] == wanted
    }

    private func satisfies(_ item: Item, _ column: String, _ wanted: Value) -> Bool {
        if column == "tomb" { return true }
        guard let value = value(column, of: item) else {
            return defect == .absentIsEmpty
                && [.number(0), .data(Data())].contains(
                    Column.content(wanted))
        }
        return content(value, of: column) == content(wanted, of: column)
    }

    private func refers(_ reference: Reference, to item: Item) -> Bool {
        reference.itemClass == item.itemClass && names(reference, item) && !item.isTombstone
    }

    /// The short form is a row's number, which an item of another class may also have.
    private func names(_ reference: Reference, _ item: Item) -> Bool {
        guard let name = reference.item else { return false }
        return switch reference.form {
        case .long: name == item.name
        case .short: rows[name] == item.row
        }
    }

    /// The stored items that match a request, oldest first, before match keys.
    func candidates(_ request: Request) -> [Item] {
        let found = items.filter { item in
            guard item.itemClass == request.itemClass, isVisible(item, request) else {
                return false
            }
            if let reference = request.reference, !refers(reference, to: item) { return false }
            return request.attributes.allSatisfy { satisfies(item, $0.key, $0.value) }
        }
        return defect == .newestFirst ? found.reversed() : found
    }

    /// A key and a certificate of it.
    struct Pair {
        let key: Item
        let certificate: Item
    }

    /// The identities that match a request, in the order of their certificates.
    func identities(_ request: Request) -> [Pair] {
        items.filter { $0.itemClass == .certificate }.flatMap { certificate in
            items.filter { $0.itemClass == .key }.compactMap { key in
                let pair = Pair(key: key, certificate: certificate)
                return isIdentity(pair) && isMeant(pair, request) ? pair : nil
            }
        }
    }

    private func isIdentity(_ pair: Pair) -> Bool {
        guard let hash = value("pkhh", of: pair.certificate),
            let label = value("klbl", of: pair.key)
        else { return false }
        let isPrivate =
            value("kcls", of: pair.key) == .number(1) || defect == .publicKeysMakeIdentities
        return Column.content(hash) == Column.content(label) && isPrivate
            && pair.key.attributes["priv"] == .number(1)
    }

    private func isMeant(_ pair: Pair, _ request: Request) -> Bool {
        guard isVisible(pair.key, request), isVisible(pair.certificate, request) else {
            return false
        }
        if let reference = request.reference {
            guard names(reference, pair.certificate) else { return false }
        }
        return request.attributes.allSatisfy { column, wanted in
            let item = Column.ofCertificateInIdentity.contains(column) ? pair.certificate : pair.key
            return satisfies(item, column, wanted)
        }
    }

    // MARK: - Finding

    private func copy(_ call: Call) -> Expectation {
        let request = Request(call.query, .copy, defect)
        var errors = request.errors.union(groupErrors(request, writes: false))
        if defect == .referenceWithAttributesIsTaken, request.reference != nil {
            errors.remove(Status.parameter)
        }
        // Two errors at once: nothing was requested, and the group isn't held.
        if !errors.isEmpty, request.limit == .count(0) { errors.insert(Status.itemNotFound) }
        guard errors.isEmpty else { return Expectation(errors: errors) }
        if let answer = lockedCopy(request) { return answer }
        let filter = ModelMatchFilter(request, self)
        let shapes = Shapes(self)
        if request.itemClass == .identity {
            let all = identities(request)
            let found = all.filter { filter.passes($0.certificate) }
            return expectation(
                request, count: found.count,
                isSure: all.allSatisfy { filter.isSure($0.certificate) }
            ) {
                shapes.ofCopy(request, found.map { shapes.element(request, $0) }, isOrdered: true)
            }
        }
        var all = candidates(request)
        if defect == .limitBeforeFilter, let count = limit(request) {
            all = Array(all.prefix(count))
        }
        let found = all.filter { filter.passes($0) }
        return expectation(
            request, count: found.count, isSure: all.allSatisfy(filter.isSure)
        ) { shapes.ofCopy(request, found.map { shapes.element(request, $0) }, isOrdered: true) }
    }

    private func limit(_ request: Request) -> Int? {
        switch request.limit {
        case nil, .one: 1
        case .all: nil
        case .count(let count): count
        }
    }

    private func expectation(
        _ request: Request, count: Int, isSure: Bool, _ shape: () -> Shape
    ) -> Expectation {
        guard isSure else {
            return Expectation(errors: [Status.itemNotFound], isOpen: true)
        }
        if count == 0 || request.limit == .count(0) { return .failure(Status.itemNotFound) }
        return .success(shape())
    }

    // MARK: - Updating

    private mutating func update(_ call: Call) -> Expectation {
        let request = Request(call.query, .update, defect)
        let changes = Request(call.changes, .changes, defect, itemClass: request.itemClass)
        let errors = request.errors.union(changes.errors)
            .union(groupErrors(request, writes: true)).union(groupErrors(changes, writes: true))
            .union(identityErrors(request)).union(identityErrors(of: changes, request))
            .union(request.tombstoneErrors(of: changes))
        guard errors.isEmpty else { return Expectation(errors: errors) }
        let found =
            request.itemClass == .identity
            ? allHalves(of: identities(request)) : candidates(request)
        let accessible = changes.accessControl ?? ""
        if !hasPasscode,
            accessible == "akpu" || changes.attributes["pdmn"] == .string("akpu")
        {
            let further: Set = found.isEmpty ? [Status.itemNotFound] : []
            return Expectation(errors: further.union([Status.notAvailable]))
        }
        if isLocked, let answer = lockedUpdate(request, changes, found) { return answer }
        guard !found.isEmpty else { return .failure(Status.itemNotFound) }
        let before = (items, rowCounts)
        for item in defect == .updateStopsAtOne ? Array(found.prefix(1)) : found {
            guard change(item, changes, leavesTombstone: request.tombstone) else {
                if defect != .updateIsNotAtomic { (items, rowCounts) = before }
                return .failure(Status.duplicateItem)
            }
        }
        return .success(.nothing)
    }

    private mutating func change(
        _ item: Item, _ changes: Request, leavesTombstone: Bool?
    ) -> Bool {
        guard let index = items.firstIndex(where: { $0.name == item.name }) else { return true }
        var changed = item
        for (name, value) in changes.attributes
        where !["agrp", "cdat", "mdat", "musr", "tomb", "sha1", "UUID"].contains(name) {
            changed.attributes[name] = value
        }
        if changes.attributes["pdmn"] != nil { changed.hasAccessControl = false }
        if let accessible = changes.accessControl {
            changed.attributes["pdmn"] = .string(accessible)
            changed.hasAccessControl = true
        }
        if let value = changes.synchronizable { changed.attributes["sync"] = value }
        if case .string(let group)? = changes.attributes["agrp"] { changed.group = group }
        if case .date(let date)? = changes.attributes["cdat"] { changed.created = date }
        if let data = changes.data {
            changed.data = defect == .emptyDataIsNoData && data.isEmpty ? nil : data
        }
        if defect != .modificationDateKept { changed.revision += 1 }
        if defect == .persistentReferenceChangedByUpdate { changed.name.renewals += 1 }
        if items.contains(where: {
            $0.name != item.name && !$0.isTombstone && collides($0, changed)
        }) {
            return false
        }
        items[index] = changed
        items = items.filter { !$0.isTombstone || !collides($0, changed) }
        if !collides(item, changed), leaveTombstone(of: item, isForced: leavesTombstone) {
            // It is a separate row; that of a deleted item is the item's.
            rowCounts[item.itemClass, default: 0] += 1
        }
        return true
    }

    // MARK: - Locked

    /// Whether an item can't be opened now.
    private func isClosed(_ item: Item) -> Bool {
        guard isLocked, case .string(let accessible)? = item.attributes["pdmn"] else {
            return false
        }
        return accessible.hasPrefix("ak")
    }

    /// Whether an unreadable item could match: columns without an index can't be compared.
    private func mayMeanClosedItems(_ request: Request) -> Bool {
        let isIdentity = request.itemClass == .identity
        return items.contains {
            isClosed($0) && ($0.itemClass == request.itemClass || isIdentity)
        }
    }

    /// Besides the primary key.
    private static let indexed: Set = ["agrp", "pdmn", "labl"]
    /// Columns of the primary key that can't be compared while an item is unreadable.
    private static let notIndexed: Set = ["vwht", "tkid", "esiz", "sdat", "edat"]

    /// Whether all of a request can be compared without opening items.
    private func isJudgedByIndexes(_ request: Request) -> Bool {
        guard let itemClass = request.itemClass, itemClass != .identity,
            !request.meansTombstones, request.matches.isEmpty
        else { return false }
        let names = Column.primaryKey(of: itemClass).map(\.name)
        return request.attributes.keys.allSatisfy {
            names.contains($0) && !Self.notIndexed.contains($0) || Self.indexed.contains($0)
        }
    }

    /// The effect of the first unreadable item of a copy.
    private func lockedCopy(_ request: Request) -> Expectation? {
        guard isLocked, mayMeanClosedItems(request), request.limit != .count(0) else { return nil }
        guard isJudgedByIndexes(request) else {
            return Expectation(
                errors: [Status.locked, Status.itemNotFound], isOpen: true)
        }
        let found = candidates(request)
        let reached = limit(request).map { found.prefix($0) } ?? found[...]
        return reached.contains(where: isClosed) ? .failure(Status.locked) : nil
    }

    private func lockedUpdate(
        _ request: Request, _ changes: Request, _ found: [Item]
    ) -> Expectation? {
        let isUnclear = mayMeanClosedItems(request) && !isJudgedByIndexes(request)
        var accessible = changes.accessControl.map { Value.string($0) }
        accessible = accessible ?? changes.attributes["pdmn"]
        var closes = found.contains(where: isClosed)
        if case .string(let text)? = accessible, text.hasPrefix("ak"), !found.isEmpty {
            closes = true
        }
        if closes {
            return Expectation(
                errors: [Status.locked, Status.duplicateItem, Status.itemNotFound],
                isUnclear: isUnclear)
        }
        // The duplicate may be unreadable.
        let others = items.contains { $0.itemClass == request.itemClass && isClosed($0) }
        guard isUnclear || (others && !found.isEmpty) else { return nil }
        return Expectation(errors: [], isUnclear: true)
    }

    private func lockedDelete(_ request: Request, _ found: [Item]) -> Expectation? {
        guard isLocked, mayMeanClosedItems(request) else { return nil }
        let leaves = found.contains {
            isClosed($0) && leavesTombstone($0, isForced: request.tombstone)
        }
        guard leaves || !isJudgedByIndexes(request) else { return nil }
        return Expectation(errors: [], isUnclear: true)
    }

    // MARK: - Identities

    /// A query that changes identities applies to their halves, unless a reference selects one.
    private func identityErrors(_ request: Request) -> Set<Int32> {
        guard request.itemClass == .identity, request.reference == nil else { return [] }
        let isKnown = request.attributes.keys.allSatisfy(Column.isOfBothHalves)
        return isKnown ? [] : [Status.noSuchAttribute]
    }

    private func identityErrors(of changes: Request, _ request: Request) -> Set<Int32> {
        guard request.itemClass == .identity else { return [] }
        var errors: Set<Int32> = []
        if !changes.attributes.keys.allSatisfy(Column.isOfBothHalves) {
            errors.insert(Status.noSuchAttribute)
        }
        if changes.data != nil { errors.insert(Status.parameter) }
        if request.reference != nil, changes.attributes["agrp"] != nil {
            errors.insert(Status.internalError)
        }
        return errors
    }

    private func allHalves(of pairs: [Pair]) -> [Item] {
        let names = Set(pairs.flatMap { [$0.certificate.name, $0.key.name] })
        return items.filter { names.contains($0.name) }
    }

    // MARK: - Deleting

    private mutating func delete(_ call: Call) -> Expectation {
        let request = Request(call.query, .delete, defect)
        var errors = request.errors.union(groupErrors(request, writes: true))
            .union(identityErrors(request))
        if defect == .limitInDeleteIsRefused, request.limit == .all {
            errors.insert(Status.parameter)
        }
        guard errors.isEmpty else { return Expectation(errors: errors) }
        let found =
            request.itemClass == .identity
            ? halves(of: identities(request)) : candidates(request)
        if let answer = lockedDelete(request, found) { return answer }
        guard !found.isEmpty else { return .failure(Status.itemNotFound) }
        let names = Set(found.map(\.name))
        items.removeAll { names.contains($0.name) }
        for item in found { _ = leaveTombstone(of: item, isForced: request.tombstone) }
        return .success(.nothing)
    }

    /// The deletion of identities: a key stays while another certificate for it exists.
    private func halves(of pairs: [Pair]) -> [Item] {
        let certificates = Set(pairs.map(\.certificate.name))
        let rest = items.filter {
            $0.itemClass == .certificate && !$0.isTombstone && groups.contains($0.group)
                && !certificates.contains($0.name)
        }
        let keys = pairs.map(\.key).filter { key in
            !rest.contains { isIdentity(Pair(key: key, certificate: $0)) }
        }
        return pairs.map(\.certificate) + keys
    }

    /// By default an item that synchronizes does, and what is a tombstone already doesn't.
    private func leavesTombstone(_ item: Item, isForced: Bool?) -> Bool {
        isForced ?? (item.attributes["sync"] == .number(1) && !item.isTombstone)
    }

    private mutating func leaveTombstone(of item: Item, isForced: Bool?) -> Bool {
        guard leavesTombstone(item, isForced: isForced), defect != .noTombstones else {
            return false
        }
        addTombstone(item)
        return true
    }

    /// Puts a tombstone in the place of an item, existing or not.
    private mutating func addTombstone(_ item: Item) {
        var tombstone = item
        let kept = Set(Column.primaryKey(of: item.itemClass).map(\.name) + ["pdmn"])
        tombstone.attributes = item.attributes.filter { kept.contains($0.key) }
        tombstone.data = nil
        tombstone.isTombstone = true
        // Nothing refers to it.
        tombstoneCount += 1
        tombstone.name = ItemName(step: -tombstoneCount)
        items = items.filter { !$0.isTombstone || !collides($0, tombstone) }
        items.append(tombstone)
    }
}
