// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Crypto
import Foundation
package import ItemStore
import SecurityWire

/// Seals and opens the metadata half of a row: one format byte, then nonce, ciphertext and tag
/// (STORAGE.md, "Sealed metadata").
package enum MetadataSealer {
    private static let format: UInt8 = 1

    /// The result of opening.
    enum Opened<Attributes: Sendable>: Sendable {
        case attributes(Attributes)
        /// It can never be opened.
        case corrupt
        /// Its key is missing; the row itself may be intact.
        case keyMissing
        /// A newer version wrote it.
        case newerFormat
    }

    /// Seals attributes for a row whose other fields are set.
    /// - Returns: The sealed half, and the attributes as they were encoded for it.
    static func seal(
        _ attributes: ItemAttributes, for item: SealedItem, under key: SymmetricKey
    ) throws(DaemonError) -> (bytes: Data, encoded: Data) {
        let plaintext = try serialize(attributes)
        do {
            let box = try AES.GCM.seal(
                plaintext, using: key, authenticating: AssociatedData.forMetadata(item))
            guard let combined = box.combined else { throw DaemonError.invalidRequest }
            return (Data([format]) + combined, plaintext)
        } catch let error as DaemonError {
            throw error
        } catch { throw .invalidRequest }
    }

    /// Opens a row's attributes.
    static func open(
        _ item: SealedItem, under key: SymmetricKey
    ) -> Opened<StoredAttributes> {
        var associatedData: [UInt8] = []
        return open(item, under: key, &associatedData)
    }

    /// Opens a row's attributes.
    /// - Parameters:
    ///   - item: The row.
    ///   - key: The metadata key that it names.
    ///   - associatedData: Memory for the row's associated data, so that a scan allocates it once.
    /// - Returns: The attributes, or why it failed.
    static func open(
        _ item: SealedItem, under key: SymmetricKey, _ associatedData: inout [UInt8]
    ) -> Opened<StoredAttributes> {
        guard let first = item.metadata.first else { return .corrupt }
        guard first == format else { return first > format ? .newerFormat : .corrupt }
        AssociatedData.encodeForMetadata(item, into: &associatedData)
        do {
            let box = try unsafe item.metadata.withUnsafeBytes { bytes in
                try unsafe AES.GCM.SealedBox(
                    combined: UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
            }
            let plaintext = try AES.GCM.open(box, using: key, authenticating: associatedData)
            return .attributes(try StoredAttributes(plaintext))
        } catch { return .corrupt }
    }

    /// Whether a row's metadata can be opened with a key.
    package static func opens(_ item: SealedItem, under key: SymmetricKey) -> Bool {
        if case .attributes = open(item, under: key) { return true }
        return false
    }

    private static func serialize(_ attributes: ItemAttributes) throws(DaemonError) -> Data {
        let bytes = attributes.serialized()
        guard bytes.count <= ItemLimits.attributesByteCount else { throw .tooLarge }
        return bytes
    }
}
