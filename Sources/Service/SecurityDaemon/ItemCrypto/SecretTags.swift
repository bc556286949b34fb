// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import IPC
import ItemStore
import SecurityWire

/// Tags by which items of the Secret Service are found (STORAGE.md, "Secret Service").
extension BlindIndexer {
    private static let pairDomain = [UInt8]("llavero.tag.pair.1".utf8)
    private static let collectionDomain = [UInt8]("llavero.tag.collection.1".utf8)
    private static let everyDomain = [UInt8]("llavero.tag.every.1".utf8)
    private static let setDomain = [UInt8]("llavero.tag.set.1".utf8)

    /// The tag of a name and its value.
    func tag(_ pair: SecretPairs.Pair) -> IndexValue {
        tag(Self.pairDomain) { writer in
            for text in [pair.name, pair.value] {
                writer.u32(UInt32(clamping: text.count))
                writer.bytes(text)
            }
        }
    }

    /// The tag of a collection.
    func tag(collection: String) -> IndexValue {
        tag(Self.collectionDomain) { writer in
            writer.u32(UInt32(clamping: collection.utf8.count))
            writer.bytes(collection.utf8)
        }
    }

    /// The tag of exactly these pairs.
    func tag(set pairs: SecretPairs) -> IndexValue {
        tag(Self.setDomain) { $0.bytes(pairs.encoded) }
    }

    /// The tag that each item has.
    var tagOfEveryItem: IndexValue { tag(Self.everyDomain) { _ in } }

    /// All tags of an item, in ascending order of their bytes.
    func tags(_ fields: SecretFields) -> [IndexValue] {
        let tags =
            fields.pairs.pairs.map { tag($0) }
            + [tag(collection: fields.collection), tag(set: fields.pairs), tagOfEveryItem]
        return tags.sorted { $0.precedes($1) }
    }

    private func tag(_ domain: [UInt8], _ body: (inout ByteWriter) -> Void) -> IndexValue {
        var writer = ByteWriter()
        writer.bytes(domain)
        writer.u8(0)
        body(&writer)
        return unsafe keyed.withTag(of: writer.bytes) { unsafe IndexValue($0) }
    }
}

extension IndexValue {
    private static let digestDomain = [UInt8]("llavero.tags.1".utf8) + [0]

    /// The digest of an item's tags, which are in ascending order.
    static func digest(_ tags: [IndexValue]) -> IndexValue {
        var bytes = digestDomain
        for tag in tags { unsafe tag.withBytes { unsafe bytes.append(contentsOf: $0) } }
        return unsafe SHA256.bytes(of: bytes).withUnsafeBytes { unsafe IndexValue($0) }
    }

    fileprivate func precedes(_ other: IndexValue) -> Bool {
        unsafe withBytes { left in
            unsafe other.withBytes { unsafe left.lexicographicallyPrecedes($0) }
        }
    }
}

extension SealedItem {
    /// Takes the blind indexes and the tags of attributes.
    mutating func take(_ attributes: ItemAttributes, _ indexer: BlindIndexer) {
        indexes = indexer.values(table, attributes)
        let tags = attributes.secrets.map { indexer.tags($0) }
        newTags = tags ?? []
        tagDigest = tags.map { IndexValue.digest($0) }
    }
}
