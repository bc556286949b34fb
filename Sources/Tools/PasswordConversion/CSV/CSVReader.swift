// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire

/// A line of a table.
struct CSVRow {
    /// The first line of the file that it is in.
    let line: Int
    let fields: [String]
}

/// Reads RFC 4180's tables. A line may also end with a line feed alone, and empty lines are skipped.
struct CSVReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int
    private var line = 1

    /// - Parameter text: UTF-8 that was checked.
    init(_ text: ArraySlice<UInt8>) {
        bytes = text
        index = text.startIndex
    }

    /// Reads the next line.
    /// - Parameter columnCount: How many columns it must have; nil for any.
    /// - Returns: Nil at the end.
    /// - Throws: the reason, with the line.
    mutating func next(columnCount: Int?) throws(ConversionFailure) -> CSVRow? {
        while index < bytes.endIndex, takeLineEnd() {}
        guard index < bytes.endIndex else { return nil }
        let start = line
        var fields: [String] = []
        while true {
            fields.append(try field(start))
            guard fields.count <= ConversionLimits.partCount else {
                throw ConversionFailure(over: .partCount, line: start)
            }
            if index < bytes.endIndex, bytes[index] == ASCII.comma {
                index += 1
                continue
            }
            guard index == bytes.endIndex || takeLineEnd() else {
                throw ConversionFailure(.badQuote, line: line)
            }
            break
        }
        if let columnCount, fields.count != columnCount {
            throw ConversionFailure(.wrongColumnCount, line: start)
        }
        return CSVRow(line: start, fields: fields)
    }

    private mutating func takeLineEnd() -> Bool {
        if bytes[index] == ASCII.lineFeed {
            index += 1
        } else if bytes[index] == ASCII.carriageReturn, index + 1 < bytes.endIndex,
            bytes[index + 1] == ASCII.lineFeed
        {
            index += 2
        } else {
            return false
        }
        line += 1
        return true
    }

    private mutating func field(_ start: Int) throws(ConversionFailure) -> String {
        if index < bytes.endIndex, bytes[index] == ASCII.quote { return try quoted(start) }
        let first = index
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == ASCII.comma || byte == ASCII.lineFeed || byte == ASCII.carriageReturn {
                break
            }
            guard byte != ASCII.quote else { throw ConversionFailure(.badQuote, line: line) }
            index += 1
        }
        return try text(bytes[first..<index], start)
    }

    private mutating func quoted(_ start: Int) throws(ConversionFailure) -> String {
        let opening = line
        index += 1
        var value: [UInt8] = []
        var first = index
        while true {
            guard index < bytes.endIndex else {
                throw ConversionFailure(.badQuote, line: opening)
            }
            let byte = bytes[index]
            if byte == ASCII.lineFeed { line += 1 }
            index += 1
            guard byte == ASCII.quote else { continue }
            value += bytes[first..<index - 1]
            guard value.count <= ConversionLimits.fieldByteCount else {
                throw ConversionFailure(over: .fieldByteCount, line: start)
            }
            guard index < bytes.endIndex, bytes[index] == ASCII.quote else { break }
            // Two quotes are one: the second begins the next part.
            first = index
            index += 1
        }
        return try text(value[...], start)
    }

    private func text(
        _ bytes: ArraySlice<UInt8>, _ start: Int
    ) throws(ConversionFailure) -> String {
        guard bytes.count <= ConversionLimits.fieldByteCount else {
            throw ConversionFailure(over: .fieldByteCount, line: start)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
