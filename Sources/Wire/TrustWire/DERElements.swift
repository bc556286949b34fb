// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// An element of DER (X.690): definite lengths in the shortest form, tags of one byte.
package struct DERElement {
    /// The identifier byte.
    package let tag: UInt8
    /// The content.
    package let content: ArraySlice<UInt8>
    /// The element with its identifier and length.
    package let whole: ArraySlice<UInt8>

    /// The elements of the content, if they fill it.
    /// - Parameter tag: The identifier that this element must have.
    /// - Returns: Nil for another identifier, and for a content that isn't DER.
    package func elements(_ tag: UInt8) -> [DERElement]? {
        guard self.tag == tag else { return nil }
        var reader = DERElements(content)
        return reader.all()
    }

    /// The content, if the element has this identifier.
    package func content(_ tag: UInt8) -> ArraySlice<UInt8>? { self.tag == tag ? content : nil }

    /// A small number that isn't negative.
    package var number: Int? {
        guard let bytes = content(DERTag.integer), let first = bytes.first, first < 0x80,
            bytes.count <= 8,
            bytes.count == 1 || first != 0 || (bytes.dropFirst().first ?? 0) >= 0x80
        else { return nil }
        return bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    /// The bits of a BIT STRING, and how many of the last byte don't count.
    package var bits: (bytes: ArraySlice<UInt8>, unused: UInt8)? {
        guard let content = content(DERTag.bitString), let unused = content.first, unused < 8,
            content.count > 1 || unused == 0
        else { return nil }
        return (content.dropFirst(), unused)
    }

    /// TRUE or FALSE.
    package var flag: Bool? {
        guard let content = content(DERTag.boolean), content.count == 1 else { return nil }
        return switch content.first {
        case 0: false
        case 0xFF: true
        default: nil
        }
    }
}

/// Identifier bytes.
package enum DERTag {
    package static let boolean: UInt8 = 0x01
    package static let integer: UInt8 = 0x02
    package static let bitString: UInt8 = 0x03
    package static let octetString: UInt8 = 0x04
    package static let objectIdentifier: UInt8 = 0x06
    package static let utcTime: UInt8 = 0x17
    package static let generalizedTime: UInt8 = 0x18
    package static let sequence: UInt8 = 0x30
    package static let set: UInt8 = 0x31

    /// A tag whose meaning depends on its place, without elements.
    package static func context(_ number: UInt8) -> UInt8 { 0x80 | number }
    /// The same, with elements.
    package static func contextElements(_ number: UInt8) -> UInt8 { 0xA0 | number }
}

/// Reads elements one after the other.
package struct DERElements {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    package var isAtEnd: Bool { rest.isEmpty }

    /// The identifier of the next element.
    package var nextTag: UInt8? { rest.first }

    /// The next element; nil at the end, and for what isn't DER.
    package mutating func next() -> DERElement? {
        let start = rest.startIndex
        guard rest.count >= 2, rest[start] & 0x1F != 0x1F else { return nil }
        var place = start + 2
        var count = Int(rest[start + 1])
        if count >= 0x80 {
            let lengthByteCount = count & 0x7F
            guard (1...4).contains(lengthByteCount), rest.count >= 2 + lengthByteCount,
                rest[place] != 0
            else { return nil }
            count = 0
            for _ in 0..<lengthByteCount {
                count = count << 8 | Int(rest[place])
                place += 1
            }
            guard count >= 0x80 else { return nil }
        }
        guard count <= rest.endIndex - place else { return nil }
        defer { rest = rest[(place + count)...] }
        return DERElement(
            tag: rest[start], content: rest[place..<place + count],
            whole: rest[start..<place + count])
    }

    /// The next element, if it has this identifier.
    package mutating func next(_ tag: UInt8) -> DERElement? { nextTag == tag ? next() : nil }

    /// All that are left; nil if what is left isn't DER.
    package mutating func all() -> [DERElement]? {
        var elements: [DERElement] = []
        while !isAtEnd {
            guard let element = next() else { return nil }
            elements.append(element)
        }
        return elements
    }

    /// The only element of some bytes.
    package static func only(_ bytes: ArraySlice<UInt8>) -> DERElement? {
        var reader = DERElements(bytes)
        guard let element = reader.next(), reader.isAtEnd else { return nil }
        return element
    }
}
