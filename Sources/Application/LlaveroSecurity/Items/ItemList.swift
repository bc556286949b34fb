// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecurityWire

/// The items that a query may choose from: those of `kSecMatchItemList`.
///
/// Apple documents the list, and its daemon passes over it. An empty list here means no item.
struct ItemList {
    private var references: Set<PersistentReference> = []
    /// What an item has that is meant by an object.
    private var objects: [ItemAttributes] = []
    /// Whether an object means no item that synchronizes.
    private let objectsAreLocal: Bool

    /// Reads a list for a query of one class; elements of another class mean none of its items.
    /// - Throws: A failure to find out which items old references mean.
    init(
        _ elements: [MatchKeys.ListElement], of itemClass: ItemClass, objectsAreLocal: Bool,
        connection: KeychainConnection
    ) throws(ItemFailure) {
        self.objectsAreLocal = objectsAreLocal
        for element in elements {
            switch element {
            case .reference(let reference):
                if reference.itemClass == itemClass { objects.append(reference.attributesToMatch) }
            case .persistentReference(.item(let reference)): references.insert(reference)
            case .persistentReference(.row(let rowClass, let number)):
                guard rowClass == itemClass,
                    let reference = try Self.reference(number, of: itemClass, connection)
                else { continue }
                references.insert(reference)
            }
        }
    }

    /// What an item must come with to be judged.
    var fields: ReturnFields {
        var fields: ReturnFields = []
        if !references.isEmpty { fields.insert(.persistentReference) }
        if !objects.isEmpty { fields.insert(.attributes) }
        return fields
    }

    /// Whether an item is one of the list.
    func contains(_ item: FoundItem) -> Bool {
        if let reference = item.persistentReference, references.contains(reference) { return true }
        if objectsAreLocal, Self.isSynchronizing(item) { return false }
        return objects.contains { Self.has(item, $0) }
    }

    private static func isSynchronizing(_ item: FoundItem) -> Bool {
        [item.attributes, item.certificate?.attributes].contains {
            $0?[.synchronizable] == .integer(1)
        }
    }

    private static func has(_ item: FoundItem, _ wanted: ItemAttributes) -> Bool {
        wanted.entries.allSatisfy { entry in
            let ofCertificate = item.certificate?.attributes[entry.attribute]
            return ofCertificate ?? item.attributes[entry.attribute] == entry.value
        }
    }

    private static func reference(
        _ rowNumber: Int64, of itemClass: ItemClass, _ connection: KeychainConnection
    ) throws(ItemFailure) -> PersistentReference? {
        var query = ItemQuery(itemClass)
        query.rowNumber = rowNumber
        query.synchronizable = .any
        query.returning = .persistentReference
        do throws(KeychainError) {
            return try connection.find(query).first?.persistentReference
        } catch  where error.reason == .absent {
            return nil
        } catch { throw ItemFailure(error.status) }
    }
}
