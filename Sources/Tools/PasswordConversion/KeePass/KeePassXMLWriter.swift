// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import SecretBytes

/// Writes the XML of a KDBX file.
struct KeePassXMLWriter {
    /// Groups below the outermost one. A reader with our limit of levels reads them, with an entry's
    /// values below.
    private static let groupDepth = 8
    private static let rootName = "Llavero"
    private static let recycleBinName = "Recycle Bin"

    private var bytes: [UInt8] = []
    private var stream: KeyStream

    static func document(
        _ records: [ConvertedRecord], _ stream: KeyStream
    ) throws(ConversionFailure) -> [UInt8] {
        var writer = KeePassXMLWriter(stream: stream)
        try writer.write(records)
        return writer.bytes
    }

    private init(stream: KeyStream) { self.stream = stream }

    /// A group and what is in it.
    private struct Group {
        let name: String
        var id = RandomID.bytes()
        var records: [Int] = []
        var groups: [Group] = []
        private var places: [String: Int] = [:]

        init(_ name: String) { self.name = name }

        mutating func add(_ record: Int, at path: ArraySlice<String>) {
            guard let first = path.first else { return records.append(record) }
            let place: Int
            if let known = places[first] {
                place = known
            } else {
                place = groups.count
                places[first] = place
                groups.append(Group(first))
            }
            groups[place].add(record, at: path.dropFirst())
        }
    }

    private mutating func write(_ records: [ConvertedRecord]) throws(ConversionFailure) {
        var root = Group(Self.rootName)
        var bin = Group(Self.recycleBinName)
        for (index, record) in records.enumerated() {
            var path = record.folder
            if path.count > Self.groupDepth {
                let rest = path[(Self.groupDepth - 1)...].joined(separator: "/")
                path = Array(path[..<(Self.groupDepth - 1)]) + [rest]
            }
            if record.isDeleted {
                bin.add(index, at: path.prefix(Self.groupDepth - 1))
            } else {
                root.add(index, at: path[...])
            }
        }
        let hasBin = !bin.records.isEmpty || !bin.groups.isEmpty
        if hasBin { root.groups.append(bin) }
        bytes += Array("<?xml version=\"1.0\" encoding=\"utf-8\" standalone=\"yes\"?>\n".utf8)
        try element("KeePassFile") { writer throws(ConversionFailure) in
            writer.element("Meta") { writer in
                writer.text("Generator", "Llavero")
                writer.text("DatabaseName", Self.rootName)
                writer.element("MemoryProtection") { writer in
                    for (name, isProtected) in [
                        ("Title", false), ("UserName", false), ("Password", true), ("URL", false),
                        ("Notes", false),
                    ] { writer.text("Protect" + name, isProtected ? "True" : "False") }
                }
                writer.text("RecycleBinEnabled", "True")
                let id = hasBin ? bin.id : [UInt8](repeating: 0, count: 16)
                writer.text("RecycleBinUUID", Self.base64(id))
            }
            try writer.element("Root") { writer throws(ConversionFailure) in
                try writer.write(root, records)
            }
        }
    }

    private mutating func write(
        _ group: Group, _ records: [ConvertedRecord]
    ) throws(ConversionFailure) {
        try element("Group") { writer throws(ConversionFailure) in
            writer.text("UUID", Self.base64(group.id))
            writer.text("Name", group.name)
            writer.text("IconID", "48")
            writer.writeTimes(nil)
            writer.text("IsExpanded", "True")
            for index in group.records { try writer.write(records[index]) }
            for child in group.groups { try writer.write(child, records) }
        }
    }

    // MARK: - Entries

    private mutating func write(_ record: ConvertedRecord) throws(ConversionFailure) {
        try element("Entry") { writer throws(ConversionFailure) in
            writer.text("UUID", Self.base64(RandomID.bytes()))
            writer.text("IconID", "0")
            writer.text("Tags", record.tags.joined(separator: ";"))
            writer.writeTimes(record)
            var keys: Set<String> = []
            func pair(_ key: String, _ value: [UInt8], _ isProtected: Bool)
                throws(ConversionFailure)
            {
                var name = key
                var number = 1
                while !keys.insert(name).inserted {
                    number += 1
                    name = "\(key) (\(number))"
                }
                try writer.pair(name, value, isProtected)
            }
            try pair(KeePassEntry.Key.title, Array(record.title.utf8), false)
            try pair(KeePassEntry.Key.userName, Array(record.userName.utf8), false)
            try pair(KeePassEntry.Key.password, record.password?.array ?? [], true)
            try pair(KeePassEntry.Key.address, Array((record.addresses.first ?? "").utf8), false)
            try pair(KeePassEntry.Key.notes, record.notes?.array ?? [], false)
            if let secret = record.oneTimePassword {
                try pair(KeePassEntry.Key.oneTimePassword, secret.array, true)
            }
            for (place, address) in record.addresses.dropFirst().enumerated() {
                let suffix = place == 0 ? "" : "_\(place)"
                try pair(KeePassEntry.Key.furtherAddress + suffix, Array(address.utf8), false)
            }
            for field in record.fields where !Self.isExpiry(field) {
                try pair(field.name, field.value.array, field.isHidden)
            }
            writer.writeCustom(record)
        }
    }

    private static func isExpiry(_ field: ConvertedRecord.Field) -> Bool {
        field.isPart && field.name == "ExpiryTime"
    }

    /// The kind and the marks that KeePass has no place for.
    private mutating func writeCustom(_ record: ConvertedRecord) {
        var items: [(String, String)] = []
        let isUsual = record.kind == .login || record.kind == .note
        if !isUsual { items.append((KeePassEntry.Custom.kind, "\(record.kind.rawValue)")) }
        if record.isFavorite { items.append((KeePassEntry.Custom.favorite, "1")) }
        if record.isArchived { items.append((KeePassEntry.Custom.archived, "1")) }
        let parts = record.fields.filter { $0.isPart && !Self.isExpiry($0) }.map(\.name)
        if !parts.isEmpty {
            items.append((KeePassEntry.Custom.parts, parts.joined(separator: "\n")))
        }
        guard !items.isEmpty else { return }
        element("CustomData") { writer in
            for (key, value) in items {
                writer.element("Item") { writer in
                    writer.text("Key", key)
                    writer.text("Value", value)
                }
            }
        }
    }

    private mutating func writeTimes(_ record: ConvertedRecord?) {
        let expiry = record?.fields.first(where: Self.isExpiry)
        let expiryTime = expiry.flatMap { Moment.parse($0.value.text) }
        let created = record?.created ?? record?.modified ?? 0
        element("Times") { writer in
            writer.text("LastModificationTime", Self.time(record?.modified ?? created))
            writer.text("CreationTime", Self.time(created))
            writer.text("LastAccessTime", Self.time(record?.used ?? record?.modified ?? created))
            writer.text("ExpiryTime", Self.time(expiryTime ?? created))
            writer.text("Expires", expiryTime == nil ? "False" : "True")
            writer.text("UsageCount", "0")
            writer.text("LocationChanged", Self.time(created))
        }
    }

    private static func time(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000 + Moment.keePassOffset
        return base64(LittleEndian.bytes(UInt64(bitPattern: seconds), 8))
    }

    /// A key and its value. A value that XML can't say is protected, too: then it is base 64.
    private mutating func pair(
        _ key: String, _ value: [UInt8], _ isProtected: Bool
    ) throws(ConversionFailure) {
        try element("String") { writer throws(ConversionFailure) in
            writer.text("Key", key)
            let text = String(decoding: value, as: UTF8.self)
            guard isProtected || !text.unicodeScalars.allSatisfy(Self.isAllowed) else {
                return writer.text("Value", text)
            }
            var bytes = value
            try writer.stream.apply(to: &bytes)
            writer.bytes += Array("<Value Protected=\"True\">".utf8)
            writer.bytes += Base64.encoded(bytes) + Array("</Value>".utf8)
        }
    }

    // MARK: - XML

    /// Whether XML 1.0 has this character (§2.2).
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 9, 10, 13, 0x20...0xFFFD, 0x10000...: true
        default: false
        }
    }

    /// Whether a byte is the same in XML, and so is all of a text that has only such bytes.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0xEF && byte != ASCII.ampersand && byte != ASCII.less
            && byte != ASCII.greater
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.encoded(bytes), as: UTF8.self)
    }

    private mutating func element<E: Error>(
        _ name: String, _ body: (inout KeePassXMLWriter) throws(E) -> Void
    ) throws(E) {
        bytes += Array("<\(name)>".utf8)
        try body(&self)
        bytes += Array("</\(name)>".utf8)
    }

    private mutating func text(_ name: String, _ text: String) {
        element(name) { writer in
            guard !text.utf8.allSatisfy(Self.isPlain) else {
                writer.bytes += Array(text.utf8)
                return
            }
            for scalar in text.unicodeScalars where Self.isAllowed(scalar) {
                switch scalar {
                case "&": writer.bytes += Array("&amp;".utf8)
                case "<": writer.bytes += Array("&lt;".utf8)
                case ">": writer.bytes += Array("&gt;".utf8)
                // A reader would take it for the end of a line.
                case "\r": writer.bytes += Array("&#13;".utf8)
                default: writer.bytes += Array(String(Character(scalar)).utf8)
                }
            }
        }
    }
}
