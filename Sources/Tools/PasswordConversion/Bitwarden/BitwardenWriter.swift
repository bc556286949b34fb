// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import SecretBytes

/// Writes Bitwarden's JSON in clear.
enum BitwardenWriter {
    static func file(_ records: [ConvertedRecord], _ leaveOut: (LeftOut) -> Void) -> [UInt8] {
        var folders: [String: String] = [:]
        var writer = JSONWriter()
        writer.object { writer in
            writer.bool("encrypted", false)
            writer.array("folders") { writer in
                for record in records where !record.folder.isEmpty {
                    let name = record.folder.joined(separator: "/")
                    guard folders[name] == nil else { continue }
                    let id = RandomID.text()
                    folders[name] = id
                    writer.object { writer in
                        writer.text("id", id)
                        writer.text("name", name)
                    }
                }
            }
            writer.array("items") { writer in
                for record in records {
                    writer.object { write(record, folders, to: &$0) }
                    if !record.tags.isEmpty {
                        leaveOut(LeftOut(.label, number: record.number, name: record.title))
                    }
                }
            }
        }
        return writer.bytes
    }

    private static func write(
        _ record: ConvertedRecord, _ folders: [String: String], to writer: inout JSONWriter
    ) {
        let type = BitwardenType.type(record.kind)
        let time = { (milliseconds: Int64?) in milliseconds.flatMap { Moment.text($0) } }
        let removed = time(record.modified ?? record.created ?? 0)
        writer.text("id", RandomID.text())
        writer.null("organizationId")
        writer.text("folderId", folders[record.folder.joined(separator: "/")])
        writer.number("type", type.number)
        writer.number("reprompt", Int(record.part("reprompt")?.text ?? "") ?? 0)
        writer.text("name", record.title)
        writer.text("notes", record.notes?.text)
        writer.bool("favorite", record.isFavorite)
        writer.null("collectionIds")
        writer.text("creationDate", time(record.created))
        writer.text("revisionDate", time(record.modified))
        writer.text("deletedDate", record.isDeleted ? removed : nil)
        writer.text("archivedDate", record.isArchived ? removed : nil)
        writer.array("fields") { writer in
            for field in fields(record, except: type.parts) { write(field, to: &writer) }
        }
        writer.object(type.name) { writer in
            switch record.kind {
            case .login: writeLogin(record, to: &writer)
            case .note, .other: writer.number("type", 0)
            case .card, .identity, .sshKey:
                for part in type.parts { writer.text(part, record.part(part)?.text) }
            }
        }
    }

    private static func writeLogin(_ record: ConvertedRecord, to writer: inout JSONWriter) {
        writer.array("uris") { writer in
            for (number, address) in record.addresses.enumerated() {
                writer.object { writer in
                    let match = record.part("\(BitwardenType.match)\(number + 1)")?.text
                    if let match = match.flatMap({ Int($0) }) {
                        writer.number("match", match)
                    } else {
                        writer.null("match")
                    }
                    writer.text("uri", address)
                }
            }
        }
        writer.text("username", record.userName.isEmpty ? nil : record.userName)
        writer.text("password", record.password?.text)
        writer.text("totp", record.oneTimePassword?.text)
        writer.text("passwordRevisionDate", record.part("passwordRevisionDate")?.text)
    }

    private static func write(_ field: ConvertedRecord.Field, to writer: inout JSONWriter) {
        let type =
            switch field.kind {
            case .text, .part: 0
            case .hidden, .hiddenPart: 1
            case .boolean: 2
            case .linked: 3
            }
        writer.object { writer in
            writer.text("name", field.name)
            writer.text("value", field.kind == .linked ? nil : field.value.text)
            writer.number("type", type)
            if field.kind == .linked, let number = Int(field.value.text) {
                writer.number("linkedId", number)
            } else {
                writer.null("linkedId")
            }
        }
    }

    /// What has no member of its own: further fields, parts of other formats, and the login of
    /// something that Bitwarden keeps no login for.
    private static func fields(
        _ record: ConvertedRecord, except parts: [String]
    ) -> [ConvertedRecord.Field] {
        var fields = record.fields.filter { field in
            guard field.isPart else { return true }
            return !parts.contains(field.name) && field.name != "reprompt"
                && !field.name.hasPrefix(BitwardenType.match)
        }
        guard record.kind != .login else { return fields }
        for address in record.addresses {
            fields.append(.init("url", Secret(text: address)))
        }
        if !record.userName.isEmpty {
            fields.append(.init("username", Secret(text: record.userName)))
        }
        if let password = record.password { fields.append(.init("password", password, .hidden)) }
        if let secret = record.oneTimePassword { fields.append(.init("totp", secret, .hidden)) }
        return fields
    }
}
