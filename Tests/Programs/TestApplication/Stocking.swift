// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecretBytes
import SecurityWire

/// `SOCKET stock`: stores an item of each class of item in each protection class, and deletes one
/// that synchronizes. Scripts/make-store-fixture makes the stores of Tests/Vectors/stores with it,
/// and ServiceTests/UpgradeTests reads them.
enum Stocking {
    private static let classes: [(String, ItemClass)] = [
        ("genp", .genericPassword), ("inet", .internetPassword), ("cert", .certificate),
        ("keys", .key),
    ]

    static func run(_ connection: KeychainConnection) -> Int32 {
        do throws(KeychainError) {
            for (table, itemClass) in classes {
                for accessibility in Accessibility.allCases {
                    _ = try connection.add(
                        item(itemClass, "\(table) \(accessibility.code)", accessibility))
                }
            }
            var deleted = item(.genericPassword, "deleted", .whenUnlocked)
            deleted.attributes[.synchronizable] = .integer(1)
            _ = try connection.add(deleted)
            var query = ItemQuery(.genericPassword)
            query.attributes[.label] = .text("deleted")
            query.synchronizable = .yes
            try connection.delete(query)
            _ = try connection.add(item(.internetPassword, "damaged", .always))
            return Application.say("ok")
        } catch { return Application.say("failed \(error.status)") }
    }

    private static func item(
        _ itemClass: ItemClass, _ name: String, _ accessibility: Accessibility
    ) -> NewItem {
        var item = NewItem(itemClass)
        item.attributes.accessibility = accessibility
        let names: [Attribute] = [
            .label, .account, .service, .server, .issuer, .serialNumber, .applicationLabel,
            .applicationTag,
        ]
        for attribute in names where attribute.isKnown(in: itemClass) {
            let isData = attribute.valueKind == .data
            item.attributes[attribute] = isData ? .data(Array(name.utf8)) : .text(name)
        }
        let bytes = Array("secret of \(name)".utf8)
        item.secret = Secret(
            unsafe SecretBytes(byteCount: bytes.count) { unsafe $0.copyBytes(from: bytes) })
        return item
    }
}
