// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import KeychainVocabulary
import SecurityWire

/// What of a keychain belongs to its device, and goes along with no backup (BACKUP.md, "What goes along").
enum BackupRules {
    /// Trust settings, so that a restore adds no root; the records of keychains; keys of the system.
    static let groupsThatStay: Set<String> =
        Set(ReservedGroup.allCases.map(\.rawValue))
        .union(["com.apple.security.sos", "lockdown-identities"])

    private static let systemGroup = "apple"
    private static let servicesThatStay: Set<String> = [
        "com.apple.account.CloudKit.token", "com.apple.account.idms.continuation-key",
    ]
    private static let managedService = "com.apple.managedconfiguration"
    private static let managedAccounts: Set<String> = ["Public", "Private"]

    /// Whether an item stays on its device. Source: Apple's published rules for rows that are bound to a
    /// system.
    static func stays(_ attributes: ItemAttributes, _ itemClass: ItemClass) -> Bool {
        guard let group = attributes.accessGroup else { return true }
        if groupsThatStay.contains(group) { return true }
        guard group == systemGroup, itemClass == .genericPassword,
            let service = attributes.text(.service)
        else { return false }
        if servicesThatStay.contains(service) { return true }
        return service == managedService
            && attributes.text(.account).map { managedAccounts.contains($0) } ?? false
    }

    /// The group of a restored item: that of the user's programs without an identity is named after the
    /// user's number.
    static func group(_ group: String, ofUser archived: UInt32, restoredBy userID: UInt32) -> String
    {
        group == "unsigned.\(archived)" ? "unsigned.\(userID)" : group
    }
}

extension ItemAttributes {
    fileprivate func text(_ attribute: Attribute) -> String? {
        if case .text(let text)? = self[attribute] { return text }
        return nil
    }
}
