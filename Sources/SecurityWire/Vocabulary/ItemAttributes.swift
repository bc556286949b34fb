// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Attributes of one item, or the values that a query asks for.
public struct ItemAttributes: Equatable, Sendable {
    /// One attribute that is set.
    public struct Entry: Equatable, Sendable {
        /// Which one.
        public let attribute: Attribute
        /// Its value.
        public fileprivate(set) var value: AttributeValue
    }

    /// The attributes that are set, in an order that is always the same: that of the stored form.
    public private(set) var entries: [Entry] = []

    /// In stored metadata: whether the item has a secret, empty or not.
    package var hasSecret = false

    /// No attributes.
    public init() {}

    /// The value of one attribute; nil when it isn't set. A value of the wrong type for the
    /// attribute's ``Attribute/valueKind`` is not stored: setting it clears the attribute.
    public subscript(attribute: Attribute) -> AttributeValue? {
        get {
            let position = position(of: attribute)
            return isSet(attribute, at: position) ? entries[position].value : nil
        }
        set {
            let position = position(of: attribute)
            let exists = isSet(attribute, at: position)
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

    /// Whether no attribute is set.
    public var isEmpty: Bool { entries.isEmpty }

    /// Sets each attribute that `changes` has.
    public mutating func merge(_ changes: ItemAttributes) {
        for entry in changes.entries { self[entry.attribute] = entry.value }
    }

    /// The protection class; nil when not set.
    public var accessibility: Accessibility? {
        get {
            guard case .text(let code)? = self[.accessible] else { return nil }
            return Accessibility(code: code)
        }
        set { self[.accessible] = newValue.map { .text($0.code) } }
    }

    /// Adds an attribute behind all others.
    /// - Returns: False when it isn't behind them, or takes no such value; nothing is added then.
    mutating func append(_ attribute: Attribute, _ value: AttributeValue) -> Bool {
        guard entries.last.map({ $0.attribute.fieldNumber < attribute.fieldNumber }) ?? true,
            attribute.takes(value)
        else { return false }
        entries.append(Entry(attribute: attribute, value: value))
        return true
    }

    mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }

    private func position(of attribute: Attribute) -> Int {
        let number = attribute.fieldNumber
        // A dozen entries: looking at each is quicker than halving.
        return entries.firstIndex { $0.attribute.fieldNumber >= number } ?? entries.count
    }

    private func isSet(_ attribute: Attribute, at position: Int) -> Bool {
        position < entries.count && entries[position].attribute == attribute
    }
}

extension Attribute {
    /// Whether a value has a type that this attribute takes.
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

    /// Whether data of a size can be a value, if data can.
    func takesData(byteCount: Int) -> Bool {
        switch self {
        case .multiUser: byteCount == 0 || byteCount == 16
        case .sha1: byteCount == 20
        default: true
        }
    }
}

// MARK: - What counts as equal

extension ItemAttributes {
    /// The content by which two values count as equal; nil when the attribute isn't set.
    ///
    /// Of blobs it is the bytes without their type, so that the text "abc" and the data "abc" are
    /// the same account. Of numbers it is type and bytes, so that the port "" isn't the port 0;
    /// the creator and the type of an item, whose index is older, go without.
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
