// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation

/// The shapes of results (the tables of sections 3.2 and 3.3).
struct Shapes {
    private let defect: Defect?

    init(_ model: Model) { defect = model.defect }

    // MARK: - Add

    func ofAdd(_ request: Request, _ item: Model.Item) -> Shape {
        let returns = request.returns
        switch returns {
        case []: return .unchanged
        case ["r_Data"]: return .exactly(.data(item.data ?? Data()))
        case ["r_PersistentRef"]: return reference(item)
        case ["r_Ref"]: return referenceObject(item) ?? .unchanged
        default: break
        }
        var required: [String: Shape] = [:]
        var optional: [String: Shape] = [:]
        if returns.contains("r_Attributes") {
            required = attributes(item)
            for (name, value) in Column.primaryKey(of: item.itemClass)
            where item.attributes[name] == nil || name == "musr" {
                required[name] = nil
                optional[name] = .exactly(value)
            }
            for name in ["tkid", "vwht"] where item.attributes[name] == .string("") {
                required[name] = nil
                optional[name] = .exactly(.string(""))
            }
            required["tomb"] = nil
            if request.attributes["tomb"] != nil { optional["tomb"] = .exactly(.number(0)) }
            if request.accessControl == nil { required["accc"] = nil }
        }
        if returns.contains("r_Data") {
            if let data = item.data {
                required["v_Data"] = .exactly(.data(data))
            } else {
                optional["v_Data"] = .exactly(.data(Data()))
            }
        }
        addReferences(returns, item, &required, &optional)
        return .dictionary(required, optional: optional)
    }

    // MARK: - Copy

    /// For one item; nil for an item without an element.
    func element(_ request: Request, _ item: Model.Item) -> Shape? {
        let returns = request.returns
        if item.isTombstone { return tombstone(returns, item) }
        switch returns {
        case []: return nil
        case ["r_Data"]: return item.data.map { .exactly(.data($0)) }
        case ["r_PersistentRef"]: return reference(item)
        case ["r_Ref"]: return referenceObject(item)
        default: break
        }
        var required: [String: Shape] = [:]
        var optional: [String: Shape] = [:]
        let all = attributes(item)
        let includesAttributes =
            returns.contains("r_Attributes")
            || (returns.contains("r_PersistentRef") && returns.contains("r_Data"))
        if includesAttributes {
            required = all
            for name in ["tkid", "vwht"] {
                if case .exactly(.string(""))? = all[name] {
                    required[name] = nil
                    optional[name] = all[name]
                }
            }
        } else {
            optional = all
        }
        if returns.contains("r_Data"), let data = item.data {
            required["v_Data"] = .exactly(.data(data))
        }
        addReferences(returns, item, &required, &optional)
        return .dictionary(required, optional: optional)
    }

    /// For an identity: the key's attributes and the certificate's, which take precedence.
    func element(_ request: Request, _ pair: Model.Pair) -> Shape? {
        let returns = request.returns
        let reference = Shape.reference(
            Reference(item: pair.certificate.name, itemClass: .identity))
        switch returns {
        case []: return nil
        case ["r_Data"]: return pair.key.data.map { .exactly(.data($0)) }
        case ["r_PersistentRef"]: return reference
        case ["r_Ref"]: return object(pair)
        default: break
        }
        var all = attributes(pair.key).merging(attributes(pair.certificate)) { $1 }
        // Neither shows which of the two is older.
        for name in ["sha1", "cdat", "mdat", "tkid", "vwht"] { all[name] = .anything }
        all["certdata"] = pair.certificate.data.map { .exactly(.data($0)) }
        var required: [String: Shape] = [:]
        var optional: [String: Shape] = ["certtkid": .anything]
        let isFull =
            returns.contains("r_Attributes")
            || returns.isSuperset(of: ["r_Data", "r_PersistentRef"])
        for (name, shape) in all {
            if isFull, !["tkid", "vwht"].contains(name) {
                required[name] = shape
            } else {
                optional[name] = shape
            }
        }
        if returns.contains("r_Data"), let data = pair.key.data {
            required["v_Data"] = .exactly(.data(data))
        }
        if returns.contains("r_PersistentRef") { required["v_PersistentRef"] = reference }
        if returns.contains("r_Ref") {
            required["class"] = .exactly(.string(ItemClass.identity.rawValue))
            switch object(pair) {
            case .anything: optional["v_Ref"] = .anything
            case let shape: required["v_Ref"] = shape
            }
        }
        return .dictionary(required, optional: optional)
    }

    /// The object of an identity; halves that were changed so that they only seem to belong
    /// together may have none.
    private func object(_ pair: Model.Pair) -> Shape {
        guard let certificate = pair.certificate.data,
            ModelMatchFilter.sample(pair.certificate) != nil,
            let key = pair.key.data, isKeySample(pair.key)
        else { return .anything }
        return .identity(certificate: certificate, key: key)
    }

    func ofCopy(_ request: Request, _ elements: [Shape?], isOrdered: Bool) -> Shape {
        // If a value isn't specified, it isn't specified either whether it is an element.
        let isUnclear = elements.contains { if case .anything? = $0 { true } else { false } }
        if isUnclear { return .anything }
        switch request.limit {
        case nil, .one:
            if !isOrdered, elements.count > 1 { return .anything }
            return elements.first.flatMap { $0 } ?? .nothing
        case .all:
            return .array(elements.compactMap { $0 }, isOrdered: isOrdered)
        case .count(let count):
            if !isOrdered, elements.count > count { return .anything }
            return .array(elements.prefix(count).compactMap { $0 }, isOrdered: isOrdered)
        }
    }

    private func tombstone(_ returns: Set<String>, _ item: Model.Item) -> Shape? {
        switch returns {
        case [], ["r_Data"]: nil
        case ["r_Attributes"]:
            .dictionary(
                ["tomb": .exactly(.number(1)), "agrp": .exactly(.string(item.group))],
                optional: Column.all(of: item.itemClass).mapValues { _ in .anything })
        default: .anything
        }
    }

    // MARK: - Parts

    private func reference(_ item: Model.Item) -> Shape {
        .reference(Reference(item: item.name, itemClass: item.itemClass))
    }

    /// Passwords have no objects.
    private func referenceObject(_ item: Model.Item) -> Shape? {
        switch item.itemClass {
        case .certificate:
            if let data = item.data, Derived.certificates.contains(data) {
                .certificate(data)
            } else {
                .anything
            }
        case .key: isKeySample(item) ? .object : .anything
        default: nil
        }
    }

    private func isKeySample(_ item: Model.Item) -> Bool {
        guard let data = item.data, let number = Derived.keys.firstIndex(of: data) else {
            return false
        }
        let derived = Derived.attributes(ofKey: number, forQuery: true)
        return derived.allSatisfy { item.attributes[$0.key] == $0.value }
    }

    private func addReferences(
        _ returns: Set<String>, _ item: Model.Item, _ required: inout [String: Shape],
        _ optional: inout [String: Shape]
    ) {
        if returns.contains("r_PersistentRef") { required["v_PersistentRef"] = reference(item) }
        guard returns.contains("r_Ref") else { return }
        required["class"] = .exactly(.string(item.itemClass.rawValue))
        switch referenceObject(item) {
        case .anything?: optional["v_Ref"] = .anything
        case let shape: required["v_Ref"] = shape
        }
    }

    /// All attributes of an existing item.
    private func attributes(_ item: Model.Item) -> [String: Shape] {
        var all: [String: Shape] = [:]
        for (name, value) in Column.primaryKey(of: item.itemClass) { all[name] = .exactly(value) }
        for (name, value) in item.attributes { all[name] = shape(of: value) }
        all["agrp"] = .exactly(.string(item.group))
        all["accc"] = .accessControl
        all["cdat"] = item.created.map { .exactly(.date($0)) } ?? .created(item.name)
        all["mdat"] = .modified(item.name, item.revision)
        all["tomb"] = .exactly(.number(0))
        all["sha1"] = .digest
        return all
    }

    private func shape(of value: Value) -> Shape {
        if defect == .typeIsNotPreserved, case .string(let text) = value {
            return .exactly(.data(Data(text.utf8)))
        }
        return .exactly(value)
    }
}
