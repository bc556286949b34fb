// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC

/// The attributes of an item of the Secret Service: names and values, byte-exact (STORAGE.md, "Secret
/// Service"). Names are in ascending order, each once.
package struct SecretPairs: Hashable, Sendable {
    /// A name and its value.
    package struct Pair: Hashable, Sendable {
        /// UTF-8 without a zero byte, as the value.
        package let name: [UInt8]
        /// May be empty.
        package let value: [UInt8]

        /// A pair of texts.
        package init(_ name: String, _ value: String) {
            self.name = [UInt8](name.utf8)
            self.value = [UInt8](value.utf8)
        }

        fileprivate init(name: [UInt8], value: [UInt8]) {
            self.name = name
            self.value = value
        }

        fileprivate var byteCount: Int { name.count + value.count }
    }

    /// libsecret's own schemas have 32.
    package static let countLimit = 64
    /// Of all names and values together: an item's metadata have room for four times as much.
    package static let byteLimit = 64 * 1024
    /// The name of the pair that says what kind of item it is.
    package static let schemaName = "xdg:schema"

    /// In the order of their names.
    package private(set) var pairs: [Pair] = []

    /// None.
    package init() {}

    /// Pairs in any order.
    /// - Throws: ``WireError/tooLarge`` over a limit; ``WireError/malformed`` for a name that is there
    ///   twice, or a zero byte.
    package init(_ pairs: [Pair]) throws(WireError) {
        self.pairs = pairs.sorted { $0.name.lexicographicallyPrecedes($1.name) }
        try check()
    }

    /// Whether there are none.
    package var isEmpty: Bool { pairs.isEmpty }

    /// The value of a name.
    package subscript(_ name: String) -> [UInt8]? {
        pairs.first { $0.name.elementsEqual(name.utf8) }?.value
    }

    /// The value of `xdg:schema`.
    package var schema: String? {
        self[Self.schemaName].flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Whether each pair of another one is here.
    package func contains(_ others: SecretPairs) -> Bool {
        var rest = pairs[...]
        for other in others.pairs {
            guard let place = rest.firstIndex(of: other) else { return false }
            rest = rest[(place + 1)...]
        }
        return true
    }

    private func check() throws(WireError) {
        guard pairs.count <= Self.countLimit,
            pairs.reduce(0, { $0 + $1.byteCount }) <= Self.byteLimit
        else { throw .tooLarge }
        for (pair, next) in zip(pairs, pairs.dropFirst()) {
            guard pair.name.lexicographicallyPrecedes(next.name) else { throw .malformed }
        }
        for text in pairs.flatMap({ [$0.name, $0.value] }) {
            guard !text.contains(0), String(validating: text, as: UTF8.self) != nil else {
                throw .malformed
            }
        }
    }
}

extension SecretPairs {
    /// The stored form; of none it is a byte 0.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.u8(UInt8(clamping: pairs.count))
        for pair in pairs {
            for text in [pair.name, pair.value] {
                writer.u32(UInt32(clamping: text.count))
                writer.bytes(text)
            }
        }
        return writer.bytes
    }

    /// Reads the stored form.
    /// - Throws: ``WireError/tooLarge`` over a limit; ``WireError/malformed`` for what ``encoded`` doesn't
    ///   write.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        do throws(DecodingFailure) {
            var reader = unsafe ByteReader(bytes)
            for _ in 0..<(try unsafe reader.u8()) {
                let name = try unsafe Self.text(&reader)
                pairs.append(Pair(name: name, value: try unsafe Self.text(&reader)))
            }
            try unsafe reader.finish()
        } catch { throw .malformed }
        try check()
    }

    private static func text(_ reader: inout ByteReader) throws(DecodingFailure) -> [UInt8] {
        guard let count = Int(exactly: try unsafe reader.u32()) else { throw DecodingFailure() }
        return try unsafe reader.array(count)
    }
}

/// What the metadata of an item of the Secret Service have besides an item's attributes.
package struct SecretFields: Hashable, Sendable {
    /// For collection and content type.
    package static let textByteLimit = 255

    /// What it is found by.
    package var pairs: SecretPairs
    /// The collection that it is in, not empty.
    package var collection: String
    /// Of its secret; may be empty.
    package var contentType: String

    /// - Returns: Nil when a text is over its limit, has a zero byte, or the collection is empty.
    package init?(_ pairs: SecretPairs, collection: String, contentType: String = "") {
        guard Self.isCollection(collection), Self.isText(contentType) else { return nil }
        self.pairs = pairs
        self.collection = collection
        self.contentType = contentType
    }

    /// Whether a text names a collection.
    package static func isCollection(_ text: String) -> Bool { !text.isEmpty && isText(text) }

    /// Whether a text can be a collection or a content type.
    package static func isText(_ text: String) -> Bool {
        text.utf8.count <= textByteLimit && !text.utf8.contains(0)
    }
}

// MARK: - In stored attributes

extension SecretFields {
    /// Field numbers of `Attributes`; they come last.
    enum Field {
        static let pairs: UInt64 = 64
        static let collection: UInt64 = 65
        static let contentType: UInt64 = 66
        static let all = pairs...contentType
    }

    func append(to bytes: inout [UInt8]) {
        if !pairs.isEmpty { Self.append(pairs.encoded, as: Field.pairs, to: &bytes) }
        Self.append([UInt8](collection.utf8), as: Field.collection, to: &bytes)
        if !contentType.isEmpty {
            Self.append([UInt8](contentType.utf8), as: Field.contentType, to: &bytes)
        }
    }

    private static func append(_ content: [UInt8], as field: UInt64, to bytes: inout [UInt8]) {
        bytes.appendFieldHead(field, byteCount: content.count)
        bytes += content
    }

    /// What was read of the fields so far.
    struct Reading {
        private var pairs: SecretPairs?
        private var collection: String?
        private var contentType: String?
        private var hasRead = false

        /// Reads one of the fields.
        mutating func take(_ field: UInt64, _ reader: inout FieldReader) throws(WireError) {
            hasRead = true
            let content = unsafe try reader.content()
            switch field {
            case Field.pairs:
                let read = unsafe try SecretPairs(decoding: content)
                guard !read.isEmpty else { throw .malformed }
                pairs = read
            case Field.collection: collection = unsafe try FieldReader.text(content)
            default:
                contentType = unsafe try FieldReader.text(content)
                guard contentType?.isEmpty == false else { throw .malformed }
            }
        }

        /// All of them.
        func fields() throws(WireError) -> SecretFields? {
            guard hasRead else { return nil }
            guard let collection,
                let fields = SecretFields(
                    pairs ?? SecretPairs(), collection: collection, contentType: contentType ?? "")
            else { throw .malformed }
            return fields
        }
    }
}
