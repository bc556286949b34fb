// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import SecretBytes

/// A table of logins: a browser's, Apple's, 1Password's or Bitwarden's.
struct CSVFile {
    private let text: ArraySlice<UInt8>
    private let wanted: ConversionFormat

    init(_ file: [UInt8], _ wanted: ConversionFormat) throws(ConversionFailure) {
        text = try CheckedText.checked(file)
        self.wanted = wanted
    }

    func read(into sink: any RecordSink) throws(ConversionFailure) {
        var reader = CSVReader(text)
        guard let head = try reader.next(columnCount: nil) else {
            throw ConversionFailure(.unknownFormat)
        }
        let layout = try CSVLayout.recognize(head, wanted)
        let columns = layout.columns(of: head)
        try sink.recognize(layout.format)
        while let row = try reader.next(columnCount: columns.count) {
            try sink.take(Self.record(row, columns))
        }
    }

    private static func record(_ row: CSVRow, _ columns: [CSVColumn]) -> ConvertedRecord {
        var record = ConvertedRecord(.login, number: row.line)
        for (column, value) in zip(columns, row.fields) where !value.isEmpty {
            set(column, value, in: &record)
        }
        return record
    }

    private static func set(
        _ column: CSVColumn, _ value: String, in record: inout ConvertedRecord
    ) {
        switch column {
        case .title: record.title = value
        case .address: record.addresses = addresses(value)
        case .userName: record.userName = value
        case .password: record.password = Secret(text: value)
        case .notes: record.notes = Secret(text: value)
        case .oneTimePassword: record.oneTimePassword = Secret(text: value)
        case .folder: record.folder = value.split(separator: "/").map(String.init)
        case .favorite: record.isFavorite = isTrue(value)
        case .archived: record.isArchived = isTrue(value)
        case .tags: record.tags = tags(value)
        case .kind: record.kind = value == "note" ? .note : .login
        case .fields: addFields(value, to: &record)
        case .created: record.created = Int64(value)
        case .used: record.used = Int64(value)
        case .modified: record.modified = Int64(value)
        case .part(let name): if value != "0" { record.add(name, value, .part) }
        case .other(let name): record.add(name, value, .text)
        }
    }

    /// An address; several are on lines of their own, or follow a comma and begin with a scheme.
    private static func addresses(_ value: String) -> [String] {
        var addresses: [String] = []
        for line in value.split(whereSeparator: \.isNewline) {
            for part in line.split(separator: ",", omittingEmptySubsequences: false) {
                if let last = addresses.indices.last, !beginsWithScheme(part) {
                    addresses[last] += "," + part
                } else {
                    addresses.append(String(part))
                }
            }
        }
        return addresses.filter { !$0.isEmpty }
    }

    private static func beginsWithScheme(_ text: Substring) -> Bool {
        text.contains("://")
            && text.prefix { $0 != ":" }.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// "true" or "1"; Bitwarden writes 1 and 1Password true.
    private static func isTrue(_ value: String) -> Bool {
        ["1", "true", "yes"].contains(value.lowercased())
    }

    static func tags(_ value: String) -> [String] {
        let separator: Character = value.contains(";") ? ";" : ","
        return value.split(separator: separator).map(\.trimmed).filter { !$0.isEmpty }
    }

    /// Lines of a name, a colon and a value; a line without one continues the value before it.
    private static func addFields(_ value: String, to record: inout ConvertedRecord) {
        var pairs: [(name: String, value: String)] = []
        for line in value.split(separator: "\n", omittingEmptySubsequences: false) {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 {
                pairs.append((parts[0].trimmed, parts[1].trimmed))
            } else if let last = pairs.indices.last {
                pairs[last].value += "\n" + line
            } else if !line.isEmpty {
                pairs.append((String(line), ""))
            }
        }
        for pair in pairs {
            record.fields.append(.init(pair.name, Secret(text: pair.value)))
        }
    }
}

extension StringProtocol {
    /// Without the spaces around it.
    var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
