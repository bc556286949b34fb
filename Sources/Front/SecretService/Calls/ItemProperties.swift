// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// An item's properties on the bus.
enum ItemProperties {
    /// All, in the order of the interface.
    static func all(_ item: StoredItem) -> [(name: String, value: BusValue)] {
        let schema = String(
            decoding: item.attributes[SecretAttributes.schemaName] ?? [], as: UTF8.self)
        return [
            ("Locked", .flag(item.state.looksLocked)), ("Attributes", .attributes(item.attributes)),
            ("Label", .string(item.label)), ("Type", .string(schema)),
            ("Created", .number(item.created)), ("Modified", .number(item.modified)),
        ]
    }
}
