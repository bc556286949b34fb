// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import ItemStore
import SecurityWire

/// Conditions that the database can't check.
struct RowFilter {
    /// Values of attributes that have no index.
    let contents: [(attribute: Attribute, content: [UInt8])]
    let accessibility: Accessibility?
    let heldGroups: Set<String>
    /// For items of other programs: to whom they must be granted.
    let grantee: GrantedProgram?

    /// Whether metadata must be opened to decide.
    var needsMetadata: Bool { !contents.isEmpty }

    /// Whether the row can match, by its clear fields: a locked row of another class must not
    /// affect the query.
    func admits(_ item: SealedItem) -> Bool {
        accessibility.map { $0.rawValue == item.keyClass } ?? true
    }

    /// Whether the opened row matches. It checks the row's access group again: a row in a group
    /// that the caller doesn't hold is treated as absent.
    func admits(_ stored: ItemAttributes) -> Bool {
        admits(group: stored.accessGroup) && admits(stored.grants) && hasContents(stored)
    }

    /// Whether the opened row matches, as above; parses its attributes only if necessary.
    func admits(_ stored: StoredAttributes) -> Bool {
        guard admits(group: stored.accessGroup), admits(stored.grants) else { return false }
        guard needsMetadata else { return true }
        guard let attributes = try? stored.decoded() else { return false }
        return hasContents(attributes)
    }

    private func admits(_ grants: ItemGrants?) -> Bool {
        guard let grantee else { return true }
        return grants.map(grantee.isGranted) ?? false
    }

    private func admits(group: String?) -> Bool {
        guard let group else { return false }
        // Most programs hold one group: a comparison is faster than a hash.
        return heldGroups.count == 1 ? heldGroups.first == group : heldGroups.contains(group)
    }

    private func hasContents(_ stored: ItemAttributes) -> Bool {
        contents.allSatisfy { attribute, content in
            if attribute == .sha1 { return stored.digest == content }
            let found = stored.indexedContent(attribute)
            return attribute.valueKind == .text ? found ?? [] == content : found == content
        }
    }
}

extension ItemAttributes {
    /// The value of the attribute `sha1`: the SHA-1 of the secret's stored form. It is never
    /// stored.
    fileprivate var digest: [UInt8] { Array(Insecure.SHA1.hash(data: serializedBytes())) }
}
