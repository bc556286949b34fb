// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
package import SecretBytes

/// One thing that a password manager keeps, outside of any format.
package struct ConvertedRecord: Sendable {
    /// What it is. The numbers are on the wire.
    package enum Kind: UInt8, CaseIterable, Sendable {
        /// A login of a web page or a program.
        case login = 1
        /// A note.
        case note = 2
        /// A payment card.
        case card = 3
        /// A person's names and addresses.
        case identity = 4
        /// A key pair of OpenSSH.
        case sshKey = 5
        /// Anything else, as fields.
        case other = 6
    }

    /// A further value of a record.
    package struct Field: Sendable {
        /// What it is. The numbers are on the wire.
        package enum Kind: UInt8, CaseIterable, Sendable {
            /// A value that its owner named.
            case text = 0
            /// The same, not shown.
            case hidden = 1
            /// "true" or "false".
            case boolean = 2
            /// The number of another field (Bitwarden).
            case linked = 3
            /// A value that the format names: a card's number, a realm.
            case part = 4
            /// The same, not shown.
            case hiddenPart = 5
        }

        package var name: String
        package var value: Secret
        package var kind: Kind

        /// A further value.
        package init(_ name: String, _ value: Secret, _ kind: Kind = .text) {
            self.name = name
            self.value = value
            self.kind = kind
        }
    }

    package var kind: Kind
    package var isFavorite = false
    package var isArchived = false
    /// Whether it is in the file's recycle bin.
    package var isDeleted = false
    /// Where it begins in the file: a line of text, or the number of the entry; from 1.
    package var number: UInt32
    /// Milliseconds since 1970; nil if the file doesn't say.
    package var created: Int64?
    /// The last change, in milliseconds since 1970.
    package var modified: Int64?
    /// The last use, in milliseconds since 1970.
    package var used: Int64?
    package var title = ""
    /// Web addresses, as written in the file.
    package var addresses: [String] = []
    package var userName = ""
    package var password: Secret?
    package var notes: Secret?
    /// The secret of one-time passwords: an address (otpauth), or a key in base 32.
    package var oneTimePassword: Secret?
    /// Names of folders, the outermost one first.
    package var folder: [String] = []
    package var tags: [String] = []
    package var fields: [Field] = []

    /// A record without values.
    package init(_ kind: Kind, number: Int) {
        self.kind = kind
        self.number = UInt32(clamping: number)
    }

    /// The limit that it is over; nil for none.
    package var limit: ConversionLimit? {
        let lists = [addresses.count, folder.count, tags.count, fields.count]
        guard lists.allSatisfy({ $0 <= ConversionLimits.partCount }) else { return .partCount }
        guard byteCounts.allSatisfy({ $0 <= ConversionLimits.fieldByteCount }) else {
            return .fieldByteCount
        }
        return byteCount <= ConversionLimits.recordByteCount ? nil : .recordByteCount
    }

    /// How large its values are, with their counts.
    package var byteCount: Int { byteCounts.reduce(0) { $0 + $1 + 6 } }

    private var byteCounts: [Int] {
        var counts = [title.utf8.count, userName.utf8.count]
        for text in addresses + folder + tags { counts.append(text.utf8.count) }
        for secret in [password, notes, oneTimePassword] {
            if let secret { counts.append(secret.bytes.byteCount) }
        }
        for field in fields {
            counts.append(field.name.utf8.count)
            counts.append(field.value.bytes.byteCount)
        }
        return counts
    }
}

// MARK: - Layout

private enum RecordFlag {
    static let favorite: UInt8 = 1
    static let archived: UInt8 = 2
    static let deleted: UInt8 = 4
    static let all: UInt8 = 7
}

/// Stands for a time that the file doesn't say.
private let noTime = Int64.min

extension ConvertedRecord {
    func encode(into writer: inout LayoutWriter) {
        writer.u8(kind.rawValue)
        writer.u8(
            (isFavorite ? RecordFlag.favorite : 0) | (isArchived ? RecordFlag.archived : 0)
                | (isDeleted ? RecordFlag.deleted : 0))
        writer.u32(number)
        for time in [created, modified, used] { writer.i64(time ?? noTime) }
        writer.text(title)
        writer.text(userName)
        for secret in [password, notes, oneTimePassword] { writer.optional(secret) }
        for list in [addresses, folder, tags] {
            writer.u16(list.count)
            for text in list { writer.text(text) }
        }
        writer.u16(fields.count)
        for field in fields {
            writer.u8(field.kind.rawValue)
            writer.text(field.name)
            writer.secret(field.value)
        }
    }

    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        guard let kind = Kind(rawValue: try unsafe reader.u8()) else { throw DecodingFailure() }
        let flags = try unsafe reader.u8()
        guard flags & ~RecordFlag.all == 0 else { throw DecodingFailure() }
        self.init(kind, number: Int(try unsafe reader.u32()))
        isFavorite = flags & RecordFlag.favorite != 0
        isArchived = flags & RecordFlag.archived != 0
        isDeleted = flags & RecordFlag.deleted != 0
        created = try unsafe reader.time()
        modified = try unsafe reader.time()
        used = try unsafe reader.time()
        title = try unsafe reader.text()
        userName = try unsafe reader.text()
        password = try unsafe reader.optional()
        notes = try unsafe reader.optional()
        oneTimePassword = try unsafe reader.optional()
        addresses = try unsafe reader.texts()
        folder = try unsafe reader.texts()
        tags = try unsafe reader.texts()
        for _ in 0..<(try unsafe reader.partCount()) {
            guard let kind = Field.Kind(rawValue: try unsafe reader.u8()) else {
                throw DecodingFailure()
            }
            let name = try unsafe reader.text()
            fields.append(Field(name, try unsafe reader.secret(), kind))
        }
    }
}

extension ByteReader {
    fileprivate mutating func time() throws(DecodingFailure) -> Int64? {
        let value = Int64(bitPattern: try unsafe u64())
        return value == noTime ? nil : value
    }

    fileprivate mutating func texts() throws(DecodingFailure) -> [String] {
        var texts: [String] = []
        for _ in 0..<(try unsafe partCount()) { texts.append(try unsafe text()) }
        return texts
    }
}
