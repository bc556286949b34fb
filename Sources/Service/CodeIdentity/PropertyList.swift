// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A reader of XML property lists, as far as entitlements need them: dictionaries, arrays, texts,
/// flags and numbers. It is small, bounded, and needs no Foundation: securityd reads with it what
/// any program carries.
///
/// Not understood, and so refused: document types with an inner subset, CDATA, processing
/// instructions but the first, and entities but the five of XML and numbers of characters.
package struct PropertyList {
    /// Most bytes of a document.
    package static let byteLimit = 64 * 1024
    /// How deep arrays and dictionaries may lie in each other.
    package static let depthLimit = 8
    /// Most values of one document.
    package static let valueLimit = 4096

    private struct Unreadable: Error {}

    private let bytes: [UInt8]
    private var offset = 0
    private var valueCount = 0

    /// The dictionary that a document is; nil when it is anything else.
    package static func dictionary(_ bytes: [UInt8]) -> [String: Entitlements.Value]? {
        guard bytes.count <= byteLimit else { return nil }
        var reader = PropertyList(bytes)
        do throws(Unreadable) { return try reader.document() } catch { return nil }
    }

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    // MARK: - Structure

    private mutating func document() throws(Unreadable) -> [String: Entitlements.Value] {
        if starts(with: "\u{FEFF}") { offset += 3 }
        skipSpace()
        if starts(with: "<?xml") { try skip(past: "?>") }
        try skipComments()
        if starts(with: "<!DOCTYPE") {
            let start = offset
            try skip(past: ">")
            guard !bytes[start..<offset].contains(UInt8(ascii: "[")) else { throw Unreadable() }
            try skipComments()
        }
        let root = try tag()
        guard root.name == "plist", !root.isEmpty, !root.isEnd else { throw Unreadable() }
        let first = try tag()
        guard first.name == "dict", !first.isEnd else { throw Unreadable() }
        let values = first.isEmpty ? [:] : try dictionary(depth: 1)
        try end("plist")
        try skipComments()
        guard offset == bytes.count else { throw Unreadable() }
        return values
    }

    private mutating func dictionary(
        depth: Int
    ) throws(Unreadable) -> [String: Entitlements.Value] {
        var values: [String: Entitlements.Value] = [:]
        while true {
            let key = try tag()
            if key.isEnd {
                guard key.name == "dict" else { throw Unreadable() }
                return values
            }
            guard key.name == "key" else { throw Unreadable() }
            let name = key.isEmpty ? "" : try text("key")
            let value = try self.value(tag(), depth: depth)
            // Which of two counts would be a guess.
            guard values.updateValue(value, forKey: name) == nil else { throw Unreadable() }
        }
    }

    private mutating func value(
        _ tag: Tag, depth: Int
    ) throws(Unreadable) -> Entitlements.Value {
        valueCount += 1
        guard !tag.isEnd, depth <= Self.depthLimit, valueCount <= Self.valueLimit else {
            throw Unreadable()
        }
        switch tag.name {
        case "string": return .text(tag.isEmpty ? "" : try text("string"))
        case "true", "false":
            if !tag.isEmpty { try end(tag.name) }
            return .flag(tag.name == "true")
        case "array": return .list(tag.isEmpty ? [] : try list(depth: depth + 1))
        case "dict":
            if !tag.isEmpty { _ = try dictionary(depth: depth + 1) }
            return .other
        case "integer", "real", "date", "data":
            if !tag.isEmpty { _ = try text(tag.name) }
            return .other
        default: throw Unreadable()
        }
    }

    private mutating func list(depth: Int) throws(Unreadable) -> [Entitlements.Value] {
        var list: [Entitlements.Value] = []
        while true {
            let next = try tag()
            if next.isEnd {
                guard next.name == "array" else { throw Unreadable() }
                return list
            }
            list.append(try value(next, depth: depth))
        }
    }

    // MARK: - Tags and texts

    private struct Tag {
        var name: String
        var isEnd: Bool
        var isEmpty: Bool
    }

    private mutating func tag() throws(Unreadable) -> Tag {
        try skipComments()
        guard take(UInt8(ascii: "<")) else { throw Unreadable() }
        let isEnd = take(UInt8(ascii: "/"))
        let start = offset
        while offset < bytes.count, Self.isNameByte(bytes[offset]) { offset += 1 }
        let name = String(decoding: bytes[start..<offset], as: UTF8.self)
        guard !name.isEmpty, name.utf8.count <= 16 else { throw Unreadable() }
        try skipAttributes(of: name, isEnd: isEnd)
        let isEmpty = take(UInt8(ascii: "/"))
        guard take(UInt8(ascii: ">")), !(isEnd && isEmpty) else { throw Unreadable() }
        return Tag(name: name, isEnd: isEnd, isEmpty: isEmpty)
    }

    /// Only the outermost tag has any: its version.
    private mutating func skipAttributes(of name: String, isEnd: Bool) throws(Unreadable) {
        skipSpace()
        guard name == "plist", !isEnd else { return }
        while offset < bytes.count, bytes[offset] != UInt8(ascii: ">"),
            bytes[offset] != UInt8(ascii: "/")
        {
            guard bytes[offset] != UInt8(ascii: "<") else { throw Unreadable() }
            offset += 1
        }
    }

    private mutating func end(_ name: String) throws(Unreadable) {
        let tag = try tag()
        guard tag.isEnd, tag.name == name else { throw Unreadable() }
    }

    /// The text up to an end tag.
    private mutating func text(_ name: String) throws(Unreadable) -> String {
        var text: [UInt8] = []
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "<") {
                try end(name)
                guard let valid = String(validating: text, as: UTF8.self) else {
                    throw Unreadable()
                }
                return valid
            }
            if byte == UInt8(ascii: "&") {
                text += try entity()
            } else {
                guard byte != 0 else { throw Unreadable() }
                text.append(byte)
                offset += 1
            }
        }
        throw Unreadable()
    }

    private mutating func entity() throws(Unreadable) -> [UInt8] {
        guard let end = bytes[offset...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
            throw Unreadable()
        }
        let name = String(decoding: bytes[(offset + 1)..<end], as: UTF8.self)
        offset = end + 1
        let named = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        if let character = named[name] { return Array(character.utf8) }
        guard name.hasPrefix("#") else { throw Unreadable() }
        let digits = name.dropFirst()
        let number =
            digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let number, number != 0, let scalar = Unicode.Scalar(number) else {
            throw Unreadable()
        }
        return Array(String(Character(scalar)).utf8)
    }

    // MARK: - Bytes

    private func starts(with text: String) -> Bool { bytes[offset...].starts(with: text.utf8) }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }

    private mutating func skipSpace() {
        while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
    }

    private mutating func skipComments() throws(Unreadable) {
        skipSpace()
        while starts(with: "<!--") {
            offset += 4
            try skip(past: "-->")
            skipSpace()
        }
    }

    private mutating func skip(past text: String) throws(Unreadable) {
        let end = Array(text.utf8)
        while offset + end.count <= bytes.count {
            if bytes[offset..<offset + end.count].elementsEqual(end) {
                offset += end.count
                return
            }
            offset += 1
        }
        throw Unreadable()
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}

extension Entitlements {
    /// Reads entitlements from an XML property list; nil when it isn't one, or isn't a dictionary.
    package init?(propertyList bytes: [UInt8]) {
        guard let values = PropertyList.dictionary(bytes) else { return nil }
        self.init(values)
    }
}
