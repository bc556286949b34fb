// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire

/// A column of a password manager's table.
enum CSVColumn: Hashable {
    case title
    case address
    case userName
    case password
    case notes
    case oneTimePassword
    case folder
    case favorite
    case archived
    case tags
    case kind
    /// Bitwarden's further fields, a line each.
    case fields
    case created
    case used
    case modified
    /// A part that the format names.
    case part(String)
    /// A column that the format doesn't name.
    case other(String)
}

/// The columns of a format.
struct CSVLayout {
    let format: ConversionFormat
    /// The names that are written, in their order, and what the columns have.
    let columns: [(name: String, column: CSVColumn)]
    /// Columns without which a table has another format.
    let needed: [String]

    /// In the order in which a head is compared: one with more columns of its own comes first.
    static let all = [bitwarden, firefox, onePassword, apple, chrome]

    static let chrome = CSVLayout(
        format: .chromeCSV,
        columns: [
            ("name", .title), ("url", .address), ("username", .userName),
            ("password", .password), ("note", .notes),
        ], needed: ["name", "url", "username", "password"])

    static let firefox = CSVLayout(
        format: .firefoxCSV,
        columns: [
            ("url", .address), ("username", .userName), ("password", .password),
            ("httpRealm", .part("httpRealm")), ("formActionOrigin", .part("formActionOrigin")),
            ("guid", .part("guid")), ("timeCreated", .created), ("timeLastUsed", .used),
            ("timePasswordChanged", .modified),
        ], needed: ["url", "username", "password", "httprealm", "formactionorigin"])

    static let apple = CSVLayout(
        format: .appleCSV,
        columns: [
            ("Title", .title), ("URL", .address), ("Username", .userName),
            ("Password", .password), ("Notes", .notes), ("OTPAuth", .oneTimePassword),
        ], needed: ["title", "url", "username", "password"])

    static let onePassword = CSVLayout(
        format: .onePasswordCSV,
        columns: [
            ("Title", .title), ("Url", .address), ("Username", .userName),
            ("Password", .password), ("OTPAuth", .oneTimePassword), ("Favorite", .favorite),
            ("Archived", .archived), ("Tags", .tags), ("Notes", .notes),
        ], needed: ["title", "url", "username", "password", "favorite"])

    static let bitwarden = CSVLayout(
        format: .bitwardenCSV,
        columns: [
            ("folder", .folder), ("favorite", .favorite), ("type", .kind), ("name", .title),
            ("notes", .notes), ("fields", .fields), ("reprompt", .part("reprompt")),
            ("login_uri", .address), ("login_username", .userName),
            ("login_password", .password), ("login_totp", .oneTimePassword),
        ], needed: ["name", "login_uri", "login_username", "login_password"])

    /// The layout of a head.
    /// - Throws: ``ConversionFailure/Reason/unknownFormat`` if it has none, or not the wanted one.
    static func recognize(
        _ head: CSVRow, _ wanted: ConversionFormat
    ) throws(ConversionFailure) -> CSVLayout {
        let names = Set(head.fields.map(plain))
        guard names.count == head.fields.count else {
            throw ConversionFailure(.columnTwice, line: head.line)
        }
        let layout = all.first {
            (wanted == .any || wanted == $0.format) && $0.needed.allSatisfy(names.contains)
        }
        guard let layout else { throw ConversionFailure(.unknownFormat, line: head.line) }
        return layout
    }

    /// What the columns of a head have, in its order.
    func columns(of head: CSVRow) -> [CSVColumn] {
        let known = Dictionary(columns.map { (Self.plain($0.name), $0.column) }) { first, _ in
            first
        }
        return head.fields.map { known[Self.plain($0)] ?? .other($0) }
    }

    /// A name without its case and the spaces around it.
    private static func plain(_ name: String) -> String {
        let trimmed = name.utf8.drop(while: ASCII.isSpace).reversed().drop(while: ASCII.isSpace)
        return String(decoding: trimmed.reversed(), as: UTF8.self).lowercased()
    }
}
