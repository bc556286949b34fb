// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import SecretBytes

/// Writes tables of logins: RFC 4180, UTF-8. A field that begins with `=`, `+`, `-` or `@` is kept.
struct CSVWriter {
    private let layout: CSVLayout
    private let columns: Set<CSVColumn>

    init(_ format: ConversionFormat) {
        let layout = CSVLayout.all.first { $0.format == format } ?? .chrome
        self.layout = layout
        columns = Set(layout.columns.map(\.column))
    }

    /// A line for each address of each login.
    func file(_ records: [ConvertedRecord], _ leaveOut: (LeftOut) -> Void) -> [UInt8] {
        var bytes: [UInt8] = []
        append(layout.columns.map(\.name), to: &bytes)
        for record in records {
            guard record.kind == .login else {
                leaveOut(LeftOut(.record, number: record.number, name: record.title))
                continue
            }
            report(record, leaveOut)
            for address in record.addresses.isEmpty ? [""] : record.addresses {
                append(layout.columns.map { value($0.column, record, address) }, to: &bytes)
            }
        }
        return bytes
    }

    private func value(
        _ column: CSVColumn, _ record: ConvertedRecord, _ address: String
    ) -> String {
        switch column {
        case .title: record.title
        case .address: address
        case .userName: record.userName
        case .password: record.password?.text ?? ""
        case .notes: record.notes?.text ?? ""
        case .oneTimePassword: record.oneTimePassword?.text ?? ""
        case .favorite: record.isFavorite ? "true" : "false"
        case .archived: record.isArchived ? "true" : "false"
        case .tags: record.tags.joined(separator: ";")
        case .folder, .kind, .fields, .created, .used, .modified, .part, .other: ""
        }
    }

    private func append(_ fields: [String], to bytes: inout [UInt8]) {
        for (number, field) in fields.enumerated() {
            if number > 0 { bytes.append(ASCII.comma) }
            let isQuoted = field.utf8.contains { byte in
                byte == ASCII.quote || byte == ASCII.comma || byte == ASCII.lineFeed
                    || byte == ASCII.carriageReturn
            }
            guard isQuoted else {
                bytes += Array(field.utf8)
                continue
            }
            bytes.append(ASCII.quote)
            for byte in field.utf8 {
                if byte == ASCII.quote { bytes.append(ASCII.quote) }
                bytes.append(byte)
            }
            bytes.append(ASCII.quote)
        }
        bytes += [ASCII.carriageReturn, ASCII.lineFeed]
    }

    /// Says what of a login has no column.
    private func report(_ record: ConvertedRecord, _ leaveOut: (LeftOut) -> Void) {
        func missing(_ column: CSVColumn, _ isThere: Bool) -> Bool {
            isThere && !columns.contains(column)
        }
        var kinds: [LeftOut.Kind] = []
        if missing(.oneTimePassword, record.oneTimePassword != nil) {
            kinds.append(.oneTimePassword)
        }
        if missing(.notes, record.notes != nil) { kinds.append(.notes) }
        if missing(.tags, !record.tags.isEmpty) || missing(.folder, !record.folder.isEmpty)
            || missing(.favorite, record.isFavorite) || missing(.archived, record.isArchived)
        {
            kinds.append(.label)
        }
        for kind in kinds {
            leaveOut(LeftOut(kind, number: record.number, name: record.title))
        }
        for field in record.fields {
            leaveOut(LeftOut(.field, number: record.number, name: field.name))
        }
    }
}
