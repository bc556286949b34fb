// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import FoundationEssentials

/// The attributes of a row in their stored form, known to be valid, and decoded only on request: a
/// list returns most rows unchanged.
package struct StoredAttributes: Sendable {
    /// The stored form, which is also the form on the wire.
    package let encoded: Data
    /// Whether the item has a secret, empty or not.
    package let hasSecret: Bool
    /// Which programs have it; nil where nothing was said.
    package let grants: ItemGrants?
    /// What an item of the Secret Service has besides.
    package let secrets: SecretFields?
    /// The access group; nil when there is none.
    package let accessGroup: String?

    /// Validates the stored form.
    /// - Throws: ``WireError/malformed`` as ``ItemAttributes/init(serialized:)``.
    package init(_ encoded: Data) throws(WireError) {
        var group: String?
        let marks = try unsafe encoded.withUnsafeBytes { bytes in
            Result { () throws(WireError) in
                try unsafe ItemAttributes.forEachField(bytes) {
                    (attribute, reader) throws(WireError) in
                    if attribute == .accessGroup {
                        group = unsafe try FieldReader.text(try reader.content())
                    } else {
                        unsafe try reader.check(attribute)
                    }
                }
            }
        }.get()
        self.encoded = encoded
        hasSecret = marks.hasSecret
        grants = marks.grants
        secrets = marks.secrets
        accessGroup = group
    }

    /// All attributes.
    package func decoded() throws(WireError) -> ItemAttributes {
        try ItemAttributes(serialized: encoded)
    }
}
