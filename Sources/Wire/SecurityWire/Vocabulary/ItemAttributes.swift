// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Attributes of one item, or the required values of a query.
public struct ItemAttributes: Equatable, Sendable {
    /// One attribute that is set.
    public struct Entry: Equatable, Sendable {
        /// Which one.
        public let attribute: Attribute
        /// Its value.
        public fileprivate(set) var value: AttributeValue
    }

    /// A program that lists thousands of items reads few attributes of each. So attributes of a
    /// reply stay in their stored form until they are changed.
    private enum Content: Sendable {
        case entries([Entry])
        case encoded(EncodedAttributes)
    }

    private var content = Content.entries([])

    /// The attributes that are set, always in the order of the stored form.
    public var entries: [Entry] {
        switch content {
        case .entries(let entries): entries
        case .encoded(let encoded): Self.entries(of: encoded)
        }
    }

    /// In stored metadata: whether the item has a secret, empty or not.
    package var hasSecret = false

    /// Which programs have the secret; nil where nothing is said. Never in a query.
    package var grants: ItemGrants?

    /// What an item of the Secret Service has besides; nil of any other, and in every query.
    package var secrets: SecretFields?

    /// No attributes.
    public init() {}

    /// Attributes in the order of their field numbers, each once and of its type.
    init(_ entries: [Entry], _ marks: Marks) {
        content = .entries(entries)
        hasSecret = marks.hasSecret
        grants = marks.grants
        secrets = marks.secrets
    }

    /// Attributes in their stored form.
    init(_ encoded: EncodedAttributes) {
        content = .encoded(encoded)
        hasSecret = encoded.marks.hasSecret
        grants = encoded.marks.grants
        secrets = encoded.marks.secrets
    }

    /// The stored form, if they are still in it.
    var encoded: EncodedAttributes? {
        guard case .encoded(let encoded) = content,
            encoded.marks == Marks(hasSecret: hasSecret, grants: grants, secrets: secrets)
        else { return nil }
        return encoded
    }

    private static func entries(of encoded: EncodedAttributes) -> [Entry] {
        var entries: [Entry] = []
        entries.reserveCapacity(16)
        encoded.forEachValue { entries.append(Entry(attribute: $0, value: $1)) }
        return entries
    }

    /// Whether the same attributes have the same values.
    public static func == (left: ItemAttributes, right: ItemAttributes) -> Bool {
        left.hasSecret == right.hasSecret && left.grants == right.grants
            && left.secrets == right.secrets && left.entries == right.entries
    }

    /// Calls `body` for each attribute that is set, in order.
    package func forEachValue(_ body: (Attribute, AttributeValue) -> Void) {
        switch content {
        case .entries(let entries): for entry in entries { body(entry.attribute, entry.value) }
        case .encoded(let encoded): encoded.forEachValue(body)
        }
    }

    /// The value of one attribute; nil when it isn't set. A value of the wrong type for the
    /// attribute's ``Attribute/valueKind`` is not stored: setting it clears the attribute.
    public subscript(attribute: Attribute) -> AttributeValue? {
        get {
            switch content {
            case .encoded(let encoded): return encoded[attribute]
            case .entries(let entries):
                let position = Self.position(of: attribute, in: entries)
                return Self.isSet(attribute, at: position, in: entries)
                    ? entries[position].value : nil
            }
        }
        set {
            modify { entries in
                let position = Self.position(of: attribute, in: entries)
                let exists = Self.isSet(attribute, at: position, in: entries)
                guard let newValue, attribute.takes(newValue) else {
                    if exists { entries.remove(at: position) }
                    return
                }
                if exists {
                    entries[position].value = newValue
                } else {
                    entries.insert(Entry(attribute: attribute, value: newValue), at: position)
                }
            }
        }
    }

    /// Whether no attribute is set.
    public var isEmpty: Bool { entries.isEmpty }

    /// Sets each attribute that `changes` has.
    public mutating func merge(_ changes: ItemAttributes) {
        for entry in changes.entries { self[entry.attribute] = entry.value }
        if let grants = changes.grants { self.grants = grants }
        if let secrets = changes.secrets { self.secrets = secrets }
    }

    /// The protection class; nil when not set.
    public var accessibility: Accessibility? {
        get {
            guard case .text(let code)? = self[.accessible] else { return nil }
            return Accessibility(code: code)
        }
        set { self[.accessible] = newValue.map { .text($0.code) } }
    }

    /// Passes the entries to a closure, which changes them in place.
    private mutating func modify<R>(_ body: (inout [Entry]) -> R) -> R {
        var entries = entries
        content = .entries([])
        defer { content = .entries(entries) }
        return body(&entries)
    }

    private static func position(of attribute: Attribute, in entries: [Entry]) -> Int {
        let number = attribute.fieldNumber
        // A dozen entries: a linear search is faster than a binary one.
        return entries.firstIndex { $0.attribute.fieldNumber >= number } ?? entries.count
    }

    private static func isSet(
        _ attribute: Attribute, at position: Int, in entries: [Entry]
    ) -> Bool {
        position < entries.count && entries[position].attribute == attribute
    }
}

extension Attribute {
    /// Whether this attribute accepts a value's type.
    func takes(_ value: AttributeValue) -> Bool {
        switch (self, value) {
        case (.accessible, .text(let code)): Accessibility(code: code) != nil
        case (.synchronizable, .integer), (.tombstone, .integer): true
        case (.synchronizable, _), (.tombstone, _): false
        case (.multiUser, .data(let bytes)), (.sha1, .data(let bytes)):
            takesData(byteCount: bytes.count)
        default:
            switch (valueKind, value) {
            case (.blob, .text), (.blob, .data), (.blob, .integer), (.blob, .real): true
            case (.number, .text), (.number, .integer), (.number, .real): true
            case (.data, .data), (.text, .text), (.date, .date): true
            // Other clients send any tagged value for these.
            case (.number, .data): true
            default: false
            }
        }
    }

    /// Whether data of this size is a valid value, if the attribute accepts data.
    func takesData(byteCount: Int) -> Bool {
        switch self {
        case .multiUser: byteCount == 0 || byteCount == 16
        case .sha1: byteCount == 20
        default: true
        }
    }
}

// MARK: - Equality

extension ItemAttributes {
    /// The content by which two values count as equal; nil when the attribute isn't set.
    ///
    /// For blobs it is the bytes without their type, so that the text "abc" and the data "abc" are
    /// the same account. For numbers it is type and bytes, so that the port "" isn't the port 0;
    /// the creator and the type of an item, whose index is older, have no type.
    package func indexedContent(_ attribute: Attribute) -> [UInt8]? {
        guard var value = self[attribute] else { return nil }
        var content: [UInt8] = []
        content.reserveCapacity(value.byteCount + 1)
        switch attribute.valueKind {
        case .blob, .data, .text: break
        case .number:
            value = value.normalized
            if attribute != .creator && attribute != .type { content.append(value.tag) }
        case .date: content.append(value.tag)
        }
        value.appendContent(to: &content)
        return content
    }
}

extension ItemAttributes {
    /// The access group, if one is set.
    package var accessGroup: String? {
        guard case .text(let group)? = self[.accessGroup] else { return nil }
        return group
    }

    /// Sets another name of the access group, if one is set.
    /// - Returns: False when the name isn't a group.
    mutating func nameGroup(_ name: (String) -> String?) -> Bool {
        guard let group = accessGroup else { return true }
        guard let other = name(group) else { return false }
        if !other.utf8.elementsEqual(group.utf8) { self[.accessGroup] = .text(other) }
        return true
    }
}
