// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import SecretBytes

/// One item of 1Password's JSON.
struct OnePasswordItem {
    private(set) var record: ConvertedRecord
    /// What isn't in the record, and its name.
    private(set) var leftOut: [(LeftOut.Kind, String)] = []
    /// Identifiers of its files.
    private(set) var files: [String] = []

    /// The kinds by 1Password's numbers of categories.
    private static let kinds: [String: ConvertedRecord.Kind] = [
        "001": .login, "002": .card, "003": .note, "004": .identity, "005": .login, "114": .sshKey,
    ]
    /// Kinds of values that aren't shown.
    private static let hiddenValues: Set<String> = ["concealed", "creditCardNumber", "sshKey"]

    init(_ item: JSONValue, vault: String, number: Int) {
        let category = item["categoryUuid"].text ?? ""
        record = ConvertedRecord(Self.kinds[category] ?? .other, number: number)
        let overview = item["overview"]
        let details = item["details"]
        record.title = overview["title"].text ?? ""
        record.folder = vault.isEmpty ? [] : [vault]
        record.tags = overview["tags"].elements.compactMap(\.text)
        record.isFavorite = (item["favIndex"].integer ?? 0) != 0
        record.isArchived = item["state"].text == "archived"
        record.isDeleted = ["trashed", "deleted"].contains(item["state"].text ?? "")
        record.created = item["createdAt"].integer.flatMap(Moment.milliseconds(seconds:))
        record.modified = item["updatedAt"].integer.flatMap(Moment.milliseconds(seconds:))
        record.notes = details["notesPlain"].text.map { Secret(text: $0) }
        addAddresses(overview)
        addLogin(details)
        for section in details["sections"].elements { add(section) }
        for _ in details["passwordHistory"].elements { leftOut.append((.history, record.title)) }
        if case .object = details["passkey"] { leftOut.append((.passkey, record.title)) }
        addFile(details["documentAttributes"])
    }

    private mutating func addAddresses(_ overview: JSONValue) {
        let listed = overview["urls"].elements.compactMap { $0["url"].text }
        let first = overview["url"].text
        record.addresses = listed.isEmpty ? [first].compactMap { $0 } : listed
        if let first, !record.addresses.contains(first) { record.addresses.insert(first, at: 0) }
    }

    private mutating func addLogin(_ details: JSONValue) {
        for field in details["loginFields"].elements {
            guard let value = field["value"].text else { continue }
            let designation = field["designation"].text
            if designation == "username", record.userName.isEmpty {
                record.userName = value
            } else if designation == "password", record.password == nil {
                record.password = Secret(text: value)
            } else {
                let isHidden = field["fieldType"].text == "P"
                let name = field["name"].text ?? field["id"].text ?? ""
                record.add(name, value, isHidden ? .hidden : .text)
            }
        }
        if record.password == nil {
            record.password = details["password"].text.map { Secret(text: $0) }
        }
    }

    private mutating func add(_ section: JSONValue) {
        let title = section["title"].text
        for field in section["fields"].elements {
            let name = field["title"].text ?? field["id"].text ?? ""
            let full = title.map { "\($0): \(name)" } ?? name
            for (type, value) in field["value"].members { add(full, type, value) }
        }
    }

    private mutating func add(_ name: String, _ type: String, _ value: JSONValue) {
        switch type {
        case "totp" where record.oneTimePassword == nil:
            record.oneTimePassword = value.text.map { Secret(text: $0) }
        case "file":
            addFile(value)
        case "sshKey":
            record.add("privateKey", value["privateKey"].text ?? "", .hiddenPart)
            let metadata = value["metadata"]
            record.add("publicKey", metadata["publicKey"].text ?? "", .part)
            record.add("keyFingerprint", metadata["fingerprint"].text ?? "", .part)
        default:
            let isHidden = Self.hiddenValues.contains(type) || type == "totp"
            record.add(name, Self.text(type, value), isHidden ? .hidden : .text)
        }
    }

    private static func text(_ type: String, _ value: JSONValue) -> String {
        switch type {
        case "date":
            guard let time = value.integer.flatMap(Moment.milliseconds(seconds:)),
                let text = Moment.text(time)
            else { return "" }
            return String(text.prefix(10))
        case "email": return value["email_address"].text ?? value.text ?? ""
        case "monthYear":
            // 202512 is December 2025.
            guard let number = value.integer, number > 99 else { return value.scalar ?? "" }
            return "\(number / 100)-" + (number % 100 < 10 ? "0" : "") + "\(number % 100)"
        default:
            if let text = value.scalar { return text }
            return value.members.compactMap { $0.value.scalar }.joined(separator: ", ")
        }
    }

    private mutating func addFile(_ file: JSONValue) {
        guard let name = file["fileName"].text else { return }
        leftOut.append((.attachment, name))
        if let id = file["documentId"].text { files.append(id) }
    }
}
