// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import SecretBytes

/// A JSON file of Bitwarden, in clear or protected by a password.
struct BitwardenFile {
    private let text: ArraySlice<UInt8>
    private let request: ConversionRequest

    init(_ file: [UInt8], _ request: ConversionRequest) throws(ConversionFailure) {
        text = try CheckedText.checked(file)
        self.request = request
    }

    func read(into sink: any RecordSink) throws(ConversionFailure) {
        let outline = try Outline(text)
        guard outline.isEncrypted else {
            guard outline.items != nil || outline.folders != nil else {
                throw ConversionFailure(.unknownFormat)
            }
            try PasswordConversion.expect(.bitwardenJSON, request.format)
            try sink.recognize(.bitwardenJSON)
            return try BitwardenItems(text, outline).read(into: sink)
        }
        // Bitwarden's other encryption has a key that only its account has.
        guard outline.isPasswordProtected else { throw ConversionFailure(.unsupported) }
        try PasswordConversion.expect(.bitwardenEncryptedJSON, request.format)
        try sink.recognize(.bitwardenEncryptedJSON)
        guard let password = request.password else { throw ConversionFailure(.passwordNeeded) }
        let clear = try BitwardenProtection.clear(outline, password: password)
        let inner = try CheckedText.checked(clear)
        try BitwardenItems(inner, Outline(inner)).read(into: sink)
    }

    /// The members of a file, and where its lists begin.
    struct Outline {
        private(set) var isEncrypted = false
        private(set) var isPasswordProtected = false
        private(set) var items: Int?
        private(set) var folders: Int?
        private(set) var collections: Int?
        /// What is encrypted, as written.
        private(set) var data: ArraySlice<UInt8>?
        /// The other members that have one value.
        private(set) var scalars: [String: JSONValue] = [:]

        /// Checks the whole text.
        init(_ text: ArraySlice<UInt8>) throws(ConversionFailure) {
            var reader = JSONReader(text)
            var result = Self()
            try reader.object { reader, name throws(ConversionFailure) in
                let isList = reader.isArray()
                switch name {
                case _ where !isList && ["items", "folders", "collections"].contains(name): break
                case "items": result.items = reader.index
                case "folders": result.folders = reader.index
                case "collections": result.collections = reader.index
                case "data":
                    result.data = try reader.longString()
                    return
                case "encrypted", "passwordProtected", "salt", "kdfType", "kdfIterations",
                    "kdfMemory", "kdfParallelism", "encKeyValidation_DO_NOT_EDIT":
                    result.scalars[name] = try reader.value()
                    return
                default: break
                }
                try reader.skip()
            }
            try reader.finish()
            result.isEncrypted = result.scalars["encrypted"]?.isTrue ?? false
            result.isPasswordProtected = result.scalars["passwordProtected"]?.isTrue ?? false
            self = result
        }

        private init() {}
    }
}

/// The folders and items of a file in clear.
struct BitwardenItems {
    private let text: ArraySlice<UInt8>
    private let items: Int?
    private let folders: [String: String]
    private let collections: [String: String]

    init(
        _ text: ArraySlice<UInt8>, _ outline: BitwardenFile.Outline
    ) throws(ConversionFailure) {
        self.text = text
        items = outline.items
        folders = try Self.names(text, outline.folders)
        collections = try Self.names(text, outline.collections)
    }

    /// Names by identifier.
    private static func names(
        _ text: ArraySlice<UInt8>, _ start: Int?
    ) throws(ConversionFailure) -> [String: String] {
        guard let start else { return [:] }
        var names: [String: String] = [:]
        var reader = JSONReader(text, at: start, depth: 1)
        try reader.array { reader throws(ConversionFailure) in
            let value = try reader.value()
            if let id = value["id"].text { names[id] = value["name"].text ?? "" }
            guard names.count <= ConversionLimits.recordCount else {
                throw ConversionFailure(over: .recordCount)
            }
        }
        return names
    }

    func read(into sink: any RecordSink) throws(ConversionFailure) {
        guard let items else { return }
        var reader = JSONReader(text, at: items, depth: 1)
        var number = 0
        try reader.array { reader throws(ConversionFailure) in
            number += 1
            guard reader.isObject() else { throw ConversionFailure(.damaged) }
            try read(reader.value(), number, into: sink)
        }
    }

    private func read(
        _ item: JSONValue, _ number: Int, into sink: any RecordSink
    ) throws(ConversionFailure) {
        var record = ConvertedRecord(BitwardenType.kind(item["type"].integer), number: number)
        record.title = item["name"].text ?? ""
        record.notes = item["notes"].text.map { Secret(text: $0) }
        record.isFavorite = item["favorite"].isTrue
        record.isArchived = item["archivedDate"].text != nil
        record.isDeleted = item["deletedDate"].text != nil
        record.created = item["creationDate"].text.flatMap(Moment.parse)
        record.modified = item["revisionDate"].text.flatMap(Moment.parse)
        label(&record, item)
        Self.addLogin(item["login"], to: &record)
        Self.addParts(item, to: &record)
        for field in item["fields"].elements { Self.add(field, to: &record) }
        try sink.take(record)
        for kind in Self.leftOut(item) {
            try sink.leaveOut(LeftOut(kind, number: record.number, name: record.title))
        }
    }

    private func label(_ record: inout ConvertedRecord, _ item: JSONValue) {
        let shared = item["collectionIds"].elements.compactMap {
            $0.text.flatMap { collections[$0] }
        }
        let name = item["folderId"].text.flatMap { folders[$0] } ?? shared.first ?? ""
        record.folder = name.split(separator: "/").map(String.init)
        record.tags = shared.filter { $0 != name }
    }

    private static func addLogin(_ login: JSONValue, to record: inout ConvertedRecord) {
        record.userName = login["username"].text ?? ""
        record.password = login["password"].text.map { Secret(text: $0) }
        record.oneTimePassword = login["totp"].text.map { Secret(text: $0) }
        for address in login["uris"].elements {
            guard let text = address["uri"].text else { continue }
            record.addresses.append(text)
            record.add(
                "\(BitwardenType.match)\(record.addresses.count)",
                address["match"].integer.map(String.init) ?? "", .part)
        }
        record.add("passwordRevisionDate", login["passwordRevisionDate"].text ?? "", .part)
    }

    private static func addParts(_ item: JSONValue, to record: inout ConvertedRecord) {
        if let reprompt = item["reprompt"].integer, reprompt != 0 {
            record.add("reprompt", String(reprompt), .part)
        }
        for name in ["card", "identity", "sshKey"] {
            for (part, value) in item[name].members {
                guard let text = value.scalar else { continue }
                let isHidden = BitwardenType.hiddenParts.contains(part)
                record.add(part, text, isHidden ? .hiddenPart : .part)
            }
        }
        guard record.kind == .other else { return }
        // A type that came later: nothing of it is known.
        for (name, value) in item.members where !BitwardenType.members.contains(name) {
            for (part, nested) in value.members {
                record.add("\(name).\(part)", nested.scalar ?? "", .hiddenPart)
            }
        }
    }

    private static func add(_ field: JSONValue, to record: inout ConvertedRecord) {
        let kind: ConvertedRecord.Field.Kind =
            switch field["type"].integer {
            case 1: .hidden
            case 2: .boolean
            case 3: .linked
            default: .text
            }
        let value = kind == .linked ? field["linkedId"] : field["value"]
        record.fields.append(
            .init(field["name"].text ?? "", Secret(text: value.scalar ?? ""), kind))
    }

    private static func leftOut(_ item: JSONValue) -> [LeftOut.Kind] {
        let lists: [(LeftOut.Kind, JSONValue)] = [
            (.history, item["passwordHistory"]), (.passkey, item["login"]["fido2Credentials"]),
            (.attachment, item["attachments"]),
        ]
        return lists.flatMap { kind, list in list.elements.map { _ in kind } }
    }
}

/// The numbers and names of Bitwarden's items.
enum BitwardenType {
    static let login = 1
    static let note = 2
    static let card = 3
    static let identity = 4
    static let sshKey = 5
    /// How an address is compared; with the address's number after it.
    static let match = "match "
    static let hiddenParts: Set<String> = [
        "number", "code", "ssn", "passportNumber", "licenseNumber", "privateKey",
    ]
    static let cardParts = ["cardholderName", "brand", "number", "expMonth", "expYear", "code"]
    static let identityParts = [
        "title", "firstName", "middleName", "lastName", "address1", "address2", "address3", "city",
        "state", "postalCode", "country", "company", "email", "phone", "ssn", "username",
        "passportNumber", "licenseNumber",
    ]
    static let sshParts = ["privateKey", "publicKey", "keyFingerprint"]
    /// Members of an item that say nothing about a type.
    static let members: Set<String> = [
        "fields", "login", "card", "identity", "sshKey", "secureNote",
    ]

    static func kind(_ number: Int64?) -> ConvertedRecord.Kind {
        switch number {
        case 1: .login
        case 2: .note
        case 3: .card
        case 4: .identity
        case 5: .sshKey
        default: .other
        }
    }

    /// The number and the parts of a kind.
    static func type(_ kind: ConvertedRecord.Kind) -> (number: Int, name: String, parts: [String]) {
        switch kind {
        case .login: (login, "login", ["passwordRevisionDate"])
        case .card: (card, "card", cardParts)
        case .identity: (identity, "identity", identityParts)
        case .sshKey: (sshKey, "sshKey", sshParts)
        case .note, .other: (note, "secureNote", [])
        }
    }
}
