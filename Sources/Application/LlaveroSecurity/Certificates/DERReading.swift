// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SwiftASN1

// Reads a parsed tree without throwing: in dozens of places of a certificate "no match" is an
// ordinary result.

extension ASN1Node {
    /// The elements of a constructed node with the given identifier; nil for any other node.
    func elements(_ identifier: ASN1Identifier) -> [ASN1Node]? {
        guard self.identifier == identifier, case .constructed(let nodes) = content else {
            return nil
        }
        return Array(nodes)
    }

    /// The only element of a constructed node with the given identifier: an explicit tag.
    func onlyElement(_ identifier: ASN1Identifier) -> ASN1Node? {
        guard let elements = elements(identifier), elements.count == 1 else { return nil }
        return elements[0]
    }

    /// The content of a primitive node with the given identifier; nil for any other node.
    func bytes(_ identifier: ASN1Identifier) -> ArraySlice<UInt8>? {
        guard self.identifier == identifier, case .primitive(let bytes) = content else {
            return nil
        }
        return bytes
    }

    /// The object identifier that the node is.
    var objectIdentifier: ASN1ObjectIdentifier? { try? ASN1ObjectIdentifier(derEncoded: self) }

    /// The content of the INTEGER that the node is, with its sign byte: in the shortest form, at
    /// least one byte.
    var integerBytes: ArraySlice<UInt8>? {
        guard let bytes = bytes(.integer), let first = bytes.first else { return nil }
        if let second = bytes.dropFirst().first {
            let isSignAgain = (first == 0 && second < 0x80) || (first == 0xff && second >= 0x80)
            guard !isSignAgain else { return nil }
        }
        return bytes
    }

    /// The bytes of the BIT STRING that the node is; nil unless its bits are whole bytes.
    var wholeBitString: ArraySlice<UInt8>? {
        guard let bits = try? ASN1BitString(derEncoded: self), bits.paddingBits == 0 else {
            return nil
        }
        return bits.bytes
    }

    /// Whether the node is an AlgorithmIdentifier (RFC 5280 §4.1.1.2).
    var isAlgorithmIdentifier: Bool {
        guard let parts = elements(.sequence), (1...2).contains(parts.count) else { return false }
        return parts[0].objectIdentifier != nil
    }

    /// The text of a string of any type. Nil for a node that isn't a string, is empty, isn't text
    /// of its type, or contains a NUL, which would make a C program read another name.
    var text: String? {
        guard case .primitive(let bytes) = content else { return nil }
        let text: String?
        switch identifier {
        case .utf8String, .printableString, .ia5String, .visibleString, .numericString:
            // Real certificates contain UTF-8 where only ASCII is allowed.
            text = String(validating: bytes, as: UTF8.self)
        case .teletexString, .videotexString, .generalString:
            // In practice Latin-1, although the standard says T.61.
            text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case .bmpString:
            text = Self.units(of: bytes, as: UInt16.self).flatMap {
                String(validating: $0, as: UTF16.self)
            }
        case .universalString:
            text = Self.units(of: bytes, as: UInt32.self).flatMap {
                String(validating: $0, as: UTF32.self)
            }
        default: text = nil
        }
        return text.flatMap { $0.isEmpty || $0.utf8.contains(0) ? nil : $0 }
    }

    /// Big-endian numbers; nil unless the bytes are whole ones.
    private static func units<Unit: FixedWidthInteger>(
        of bytes: ArraySlice<UInt8>, as unit: Unit.Type
    ) -> [Unit]? {
        let size = Unit.bitWidth / 8
        guard bytes.count.isMultiple(of: size) else { return nil }
        return stride(from: bytes.startIndex, to: bytes.endIndex, by: size).map { start in
            bytes[start..<start + size].reduce(0) { $0 << 8 | Unit($1) }
        }
    }
}

/// Adds the header of a DER element before its content.
/// - Parameters:
///   - tag: The whole identifier byte; tags of more bytes aren't needed here.
///   - content: The element's content.
/// - Returns: The whole element.
func derElement(tag: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
    let count = content.count
    var result = [tag]
    result.reserveCapacity(count + 6)
    if count < 0x80 {
        result.append(UInt8(count))
    } else {
        let lengthByteCount = (Int.bitWidth - count.leadingZeroBitCount + 7) / 8
        result.append(0x80 | UInt8(lengthByteCount))
        for position in (0..<lengthByteCount).reversed() {
            result.append(UInt8(truncatingIfNeeded: count >> (8 * position)))
        }
    }
    result += content
    return result
}
