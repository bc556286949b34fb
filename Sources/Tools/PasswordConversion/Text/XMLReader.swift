// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire

/// A start tag.
struct XMLTag {
    let name: String
    private(set) var attributes: [(name: String, value: String)] = []

    /// Whether an attribute is "True", as .NET writes it.
    func isTrue(_ name: String) -> Bool {
        attributes.contains { $0.name == name && $0.value.lowercased() == "true" }
    }

    init(_ name: String) { self.name = name }

    mutating func add(_ name: String, _ value: String) { attributes.append((name, value)) }
}

/// Reads XML 1.0 in UTF-8 as it comes, element by element. There are no document types, and no
/// entities but the five of XML: what would need more is refused.
struct XMLReader {
    private enum Limits {
        static let nameByteCount = 256
        static let attributeByteCount = 4096
        static let attributeCount = 32
        static let instructionByteCount = 1024
    }

    private static let entities: [String: UInt8] = [
        "amp": ASCII.ampersand, "lt": ASCII.less, "gt": ASCII.greater, "quot": ASCII.quote,
        "apos": ASCII.apostrophe,
    ]

    private let source: any ChunkSource
    private var chunk: [UInt8] = []
    private var index = 0
    /// The open elements.
    private var names: [String] = []
    /// Whether the last start tag was an end, too.
    private var isEmptyElement = false

    init(_ source: any ChunkSource) { self.source = source }

    // MARK: - Elements

    /// The start tag of the document.
    mutating func root() throws(ConversionFailure) -> XMLTag {
        if try peek() == FileHead.mark[0] {
            for byte in FileHead.mark {
                guard try next() == byte else { throw ConversionFailure(.damaged) }
            }
        }
        while true {
            guard let byte = try peek() else { throw ConversionFailure(.damaged) }
            guard byte == ASCII.less || ASCII.isSpace(byte) else {
                throw ConversionFailure(.damaged)
            }
            _ = try next()
            if byte == ASCII.less, let tag = try markup(), case .start(let start) = tag {
                return start
            }
        }
    }

    /// The next element in the open one; nil at the end of that. Text between them is skipped.
    mutating func child() throws(ConversionFailure) -> XMLTag? {
        while true {
            switch try piece(keepsText: false) {
            case .start(let tag): return tag
            case .end: return nil
            case .text: break
            }
        }
    }

    /// The text of the open element up to its end; there may be no other element in it.
    mutating func text() throws(ConversionFailure) -> [UInt8] {
        var text: [UInt8] = []
        while true {
            switch try piece(keepsText: true) {
            case .start: throw ConversionFailure(.damaged)
            case .end: return text
            case .text(let part):
                text += part
                guard text.count <= ConversionLimits.fieldByteCount else {
                    throw ConversionFailure(over: .fieldByteCount)
                }
            }
        }
    }

    /// Reads over the text of the open element.
    /// - Returns: How many bytes it is as base 64.
    mutating func skipBase64() throws(ConversionFailure) -> Int {
        var letterCount = 0
        while true {
            switch try piece(keepsText: true) {
            case .start: throw ConversionFailure(.damaged)
            case .end: return letterCount * 3 / 4
            case .text(let part):
                for byte in part where byte != ASCII.equal && !ASCII.isSpace(byte) {
                    letterCount += 1
                }
            }
        }
    }

    /// Checks that only comments and white space follow the document.
    mutating func finish() throws(ConversionFailure) {
        while let byte = try next() {
            if byte == ASCII.less {
                guard try markup() == nil else { throw ConversionFailure(.damaged) }
            } else if !ASCII.isSpace(byte) {
                throw ConversionFailure(.damaged)
            }
        }
    }

    // MARK: - Pieces

    private enum Piece {
        case start(XMLTag)
        case end
        case text([UInt8])
    }

    private mutating func piece(keepsText: Bool) throws(ConversionFailure) -> Piece {
        if isEmptyElement {
            isEmptyElement = false
            return .end
        }
        guard let byte = try peek() else { throw ConversionFailure(.damaged) }
        if byte == ASCII.less {
            _ = try next()
            return try markup() ?? .text([])
        }
        if byte == ASCII.ampersand {
            _ = try next()
            return .text(try reference())
        }
        if byte == ASCII.carriageReturn {
            // Both ends of lines are one line feed (XML 1.0 §2.11).
            _ = try next()
            if try peek() == ASCII.lineFeed { _ = try next() }
            return .text([ASCII.lineFeed])
        }
        let first = index
        while index < chunk.count, chunk[index] != ASCII.less, chunk[index] != ASCII.ampersand,
            chunk[index] != ASCII.carriageReturn
        {
            index += 1
        }
        return .text(keepsText ? Array(chunk[first..<index]) : [])
    }

    /// What follows `<`; nil for a comment or an instruction.
    private mutating func markup() throws(ConversionFailure) -> Piece? {
        switch try peek() {
        case ASCII.slash:
            _ = try next()
            let name = try readName()
            try skipSpace()
            guard try next() == ASCII.greater, names.popLast() == name else {
                throw ConversionFailure(.damaged)
            }
            return .end
        case ASCII.question:
            try instruction()
            return nil
        case ASCII.exclamation:
            _ = try next()
            return try declaration()
        default: return .start(try startTag())
        }
    }

    private mutating func startTag() throws(ConversionFailure) -> XMLTag {
        var tag = XMLTag(try readName())
        while true {
            try skipSpace()
            switch try peek() {
            case ASCII.greater:
                _ = try next()
                try open(tag.name)
                return tag
            case ASCII.slash:
                _ = try next()
                guard try next() == ASCII.greater else { throw ConversionFailure(.damaged) }
                try open(tag.name)
                names.removeLast()
                isEmptyElement = true
                return tag
            default:
                guard tag.attributes.count < Limits.attributeCount else {
                    throw ConversionFailure(.damaged)
                }
                let name = try readName()
                try skipSpace()
                guard try next() == ASCII.equal else { throw ConversionFailure(.damaged) }
                try skipSpace()
                tag.add(name, try attributeValue())
            }
        }
    }

    private mutating func open(_ name: String) throws(ConversionFailure) {
        names.append(name)
        guard names.count <= ConversionLimits.depth else { throw ConversionFailure(over: .depth) }
    }

    private mutating func attributeValue() throws(ConversionFailure) -> String {
        guard let quote = try next(), quote == ASCII.quote || quote == ASCII.apostrophe else {
            throw ConversionFailure(.damaged)
        }
        var value: [UInt8] = []
        while true {
            guard let byte = try next(), byte != ASCII.less,
                value.count < Limits.attributeByteCount
            else { throw ConversionFailure(.damaged) }
            if byte == quote { break }
            if byte == ASCII.ampersand {
                value += try reference()
            } else {
                value.append(byte)
            }
        }
        return try checked(value)
    }

    private mutating func readName() throws(ConversionFailure) -> String {
        var name: [UInt8] = []
        while let byte = try peek(), Self.isNameByte(byte) {
            name.append(byte)
            _ = try next()
            guard name.count <= Limits.nameByteCount else { throw ConversionFailure(.damaged) }
        }
        guard let first = name.first, !ASCII.isDigit(first) else {
            throw ConversionFailure(.damaged)
        }
        return try checked(name)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...58, 65...90, 97...122, 45, 46, 95, 0x80...0xFF: true
        default: false
        }
    }

    /// What follows `&`.
    private mutating func reference() throws(ConversionFailure) -> [UInt8] {
        var name: [UInt8] = []
        while true {
            guard let byte = try next(), name.count < 16 else { throw ConversionFailure(.damaged) }
            if byte == ASCII.semicolon { break }
            name.append(byte)
        }
        if name.first == ASCII.hash {
            let isHexadecimal = name.dropFirst().first == UInt8(ascii: "x")
            let digits = String(decoding: name.dropFirst(isHexadecimal ? 2 : 1), as: UTF8.self)
            guard let number = UInt32(digits, radix: isHexadecimal ? 16 : 10), number != 0,
                let scalar = Unicode.Scalar(number)
            else { throw ConversionFailure(.damaged) }
            return Array(String(Character(scalar)).utf8)
        }
        guard let byte = Self.entities[String(decoding: name, as: UTF8.self)] else {
            throw ConversionFailure(.entity)
        }
        return [byte]
    }

    /// What follows `<!`: a comment, or text that is taken as it is.
    private mutating func declaration() throws(ConversionFailure) -> Piece? {
        if try take("--") {
            var hyphenCount = 0
            while true {
                guard let byte = try next() else { throw ConversionFailure(.damaged) }
                if byte == ASCII.greater, hyphenCount >= 2 { return nil }
                hyphenCount = byte == ASCII.hyphen ? hyphenCount + 1 : 0
            }
        }
        guard try take("[CDATA["), !names.isEmpty else { throw ConversionFailure(.entity) }
        var text: [UInt8] = []
        while true {
            guard let byte = try next() else { throw ConversionFailure(.damaged) }
            text.append(byte)
            if byte == ASCII.greater, text.suffix(3).elementsEqual("]]>".utf8) {
                return .text(text.dropLast(3))
            }
            guard text.count <= ConversionLimits.fieldByteCount else {
                throw ConversionFailure(over: .fieldByteCount)
            }
        }
    }

    /// An instruction; that of the encoding must name UTF-8.
    private mutating func instruction() throws(ConversionFailure) {
        var text: [UInt8] = []
        while !text.suffix(2).elementsEqual("?>".utf8) || text.count < 3 {
            guard let byte = try next(), text.count < Limits.instructionByteCount else {
                throw ConversionFailure(.damaged)
            }
            text.append(byte)
        }
        let words = try checked(text).lowercased()
        guard !words.hasPrefix("?xml ") || !words.contains("encoding") || words.contains("utf-8")
        else { throw ConversionFailure(.unsupported) }
    }

    // MARK: - Bytes

    private func checked(_ bytes: [UInt8]) throws(ConversionFailure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConversionFailure(.invalidText)
        }
        return text
    }

    private mutating func skipSpace() throws(ConversionFailure) {
        while let byte = try peek(), ASCII.isSpace(byte) { _ = try next() }
    }

    /// Takes these letters, which must then all be there.
    private mutating func take(_ letters: String) throws(ConversionFailure) -> Bool {
        guard try peek() == letters.utf8.first else { return false }
        for letter in letters.utf8 {
            guard try next() == letter else { throw ConversionFailure(.damaged) }
        }
        return true
    }

    private mutating func peek() throws(ConversionFailure) -> UInt8? {
        if index == chunk.count {
            guard let more = try source.nextChunk() else { return nil }
            chunk = more
            index = 0
        }
        return chunk[index]
    }

    private mutating func next() throws(ConversionFailure) -> UInt8? {
        guard let byte = try peek() else { return nil }
        index += 1
        return byte
    }
}
