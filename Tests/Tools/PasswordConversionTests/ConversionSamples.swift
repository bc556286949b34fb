// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import Foundation
import PasswordConversion
import SecretBytes

/// Keeps what a file has.
final class RecordList: RecordSink {
    private(set) var format: ConversionFormat?
    private(set) var records: [ConvertedRecord] = []
    private(set) var leftOut: [LeftOut] = []

    func recognize(_ format: ConversionFormat) { self.format = format }
    func take(_ record: ConvertedRecord) { records.append(record) }
    func leaveOut(_ leftOut: LeftOut) { self.leftOut.append(leftOut) }

    /// What was left out, in the order of its numbers.
    var leftOutLines: [String] {
        leftOut.map { "\($0.kind) \($0.number) \($0.name)" }
    }
}

/// The files of `Scripts/generate-password-samples`, and what the tests do with them.
enum ConversionSamples {
    static let password = "secret"

    static func bytes(_ name: String) throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return Array(
            try Data(contentsOf: folder.appendingPathComponent("Vectors/passwords/" + name)))
    }

    static func secret(_ text: String) -> Secret { secret(Array(text.utf8)) }

    static func secret(_ bytes: [UInt8]) -> Secret {
        unsafe bytes.withUnsafeBytes { Secret(unsafe SecretBytes(copying: $0)) }
    }

    static func text(_ secret: Secret?) -> String? {
        secret.map { secret in
            unsafe secret.bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }

    static func read(
        _ file: [UInt8], _ format: ConversionFormat = .any, password: String? = password,
        keyFile: [UInt8]? = nil
    ) throws(ConversionFailure) -> RecordList {
        let list = RecordList()
        let count = try PasswordConversion.read(
            file,
            ConversionRequest(
                .read, format, password: password.map(secret), keyFile: keyFile.map(secret)),
            into: list)
        precondition(Int(count) == list.records.count)
        return list
    }

    static func read(text: String) throws(ConversionFailure) -> RecordList {
        try read(Array(text.utf8))
    }

    /// Why a file isn't read; nil if it is.
    static func failure(
        _ file: [UInt8], _ format: ConversionFormat = .any, password: String? = password
    ) -> ConversionFailure? {
        do throws(ConversionFailure) {
            _ = try read(file, format, password: password)
            return nil
        } catch { return error }
    }

    static func failure(text: String) -> ConversionFailure? { failure(Array(text.utf8)) }

    static func write(
        _ records: [ConvertedRecord], _ format: ConversionFormat, password: String? = password
    ) throws(ConversionFailure) -> (file: [UInt8], leftOut: [LeftOut]) {
        var leftOut: [LeftOut] = []
        let file = try PasswordConversion.write(
            records, ConversionRequest(.write, format, password: password.map(secret))
        ) { leftOut.append($0) }
        return (file, leftOut)
    }

    /// A record as lines, for comparisons. Its number isn't in them.
    static func lines(_ record: ConvertedRecord) -> [String] {
        var lines = ["\(record.kind) \(record.title)"]
        let marks = [
            (record.isFavorite, "favorite"), (record.isArchived, "archived"),
            (record.isDeleted, "deleted"),
        ]
        lines += marks.filter(\.0).map(\.1)
        lines += record.addresses.map { "address \($0)" }
        if !record.userName.isEmpty { lines.append("user \(record.userName)") }
        for (name, secret) in [
            ("password", record.password), ("notes", record.notes),
            ("otp", record.oneTimePassword),
        ] {
            if let text = text(secret) { lines.append("\(name) \(text)") }
        }
        if !record.folder.isEmpty { lines.append("folder \(record.folder)") }
        if !record.tags.isEmpty { lines.append("tags \(record.tags)") }
        for field in record.fields {
            lines.append("\(field.kind) \(field.name)=\(text(field.value) ?? "")")
        }
        return lines
    }

    /// One of each kind, with texts that formats must quote.
    static var mixed: [ConvertedRecord] {
        let hard = "a\"b,c\r\nd\te<&>'é日\u{1F511}"
        var login = ConvertedRecord(.login, number: 1)
        login.title = "=SUM(A1)"
        login.addresses = ["https://a.example/?q=1,2", "https://b.example"]
        login.userName = hard
        login.password = secret(hard)
        login.notes = secret("line 1\nline 2")
        login.oneTimePassword = secret("otpauth://totp/a?secret=JBSWY3DPEHPK3PXP")
        login.folder = ["Work", "Deep"]
        login.isFavorite = true
        login.isArchived = true
        login.created = 1_577_934_245_000
        login.modified = 1_609_556_645_000
        login.fields = [
            .init("PIN", secret("1234"), .hidden), .init("Place", secret(hard), .text),
        ]
        var note = ConvertedRecord(.note, number: 2)
        note.title = "Note"
        note.notes = secret("\u{1}control, \u{FFFF} and ]]>")
        var card = ConvertedRecord(.card, number: 3)
        card.title = "Card"
        card.fields = [
            .init("brand", secret("Visa"), .part), .init("number", secret("4111"), .hiddenPart),
        ]
        var empty = ConvertedRecord(.login, number: 4)
        empty.userName = "only"
        return [login, note, card, empty]
    }
}
