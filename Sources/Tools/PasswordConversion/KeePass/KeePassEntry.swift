// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import SecretBytes

/// An entry of KeePass while it is read: named values become a record.
struct KeePassEntry {
    /// Names of values that are no further fields.
    enum Key {
        static let title = "Title"
        static let userName = "UserName"
        static let password = "Password"
        static let address = "URL"
        static let notes = "Notes"
        /// KeePassXC's and KeePass's own.
        static let oneTimePassword = "otp"
        /// Further addresses, of browsers' plug-ins and KeePassXC.
        static let furtherAddress = "KP2A_URL"
        static let passkey = "KPEX_PASSKEY_"
        static let standard = [title, userName, password, address, notes]
        /// An older way to keep one-time passwords: the key, and its parameters.
        static let seed = "TOTP Seed"
        static let seedSettings = "TOTP Settings"
        static let usualSettings = "30;6"
    }

    /// Our own values, where KeePass has no place.
    enum Custom {
        static let kind = "Llavero.Kind"
        static let favorite = "Llavero.Favorite"
        static let archived = "Llavero.Archived"
        /// Names of the fields that a format names, a line each.
        static let parts = "Llavero.Parts"
        /// KeePassXC's time of the list itself.
        static let lastChange = "_LAST_MODIFIED"
    }

    var record: ConvertedRecord
    /// What isn't in the record; an empty name stands for the title.
    var leftOut: [(LeftOut.Kind, String)] = []
    private var expiry: String?
    private var expires = false
    private var kind: ConvertedRecord.Kind?
    private var parts: Set<String> = []
    private var furtherAddresses: [String] = []

    init(number: Int) { record = ConvertedRecord(.login, number: number) }

    mutating func add(
        _ key: String, _ bytes: [UInt8], _ isProtected: Bool
    ) throws(ConversionFailure) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConversionFailure(.invalidText)
        }
        let secret = bytes.isEmpty ? nil : Secret(bytes: bytes)
        switch key {
        case Key.title: record.title = text
        case Key.userName: record.userName = text
        case Key.password: record.password = secret
        case Key.address: if !text.isEmpty { record.addresses = [text] }
        case Key.notes: record.notes = secret
        case Key.oneTimePassword: record.oneTimePassword = secret
        case _ where key.hasPrefix(Key.furtherAddress):
            if !text.isEmpty { furtherAddresses.append(text) }
        case _ where key.hasPrefix(Key.passkey):
            if !leftOut.contains(where: { $0.0 == .passkey }) { leftOut.append((.passkey, "")) }
        default:
            record.fields.append(
                .init(key, secret ?? Secret(bytes: []), isProtected ? .hidden : .text))
        }
    }

    mutating func setTags(_ text: String) {
        record.tags = text.split { $0 == ";" || $0 == "," }.map(\.trimmed).filter { !$0.isEmpty }
    }

    mutating func setTime(_ name: String, _ text: String) {
        switch name {
        case "CreationTime": record.created = Self.time(text)
        case "LastModificationTime": record.modified = Self.time(text)
        case "LastAccessTime": record.used = Self.time(text)
        case "ExpiryTime": expiry = Self.time(text).flatMap { Moment.text($0, hasFraction: false) }
        case "Expires": expires = text.lowercased() == "true"
        default: break
        }
    }

    /// A time of version 3.1 is text, one of version 4 seconds since the year 1.
    private static func time(_ text: String) -> Int64? {
        if let time = Moment.parse(text) { return time }
        guard let bytes = Base64.decoded(text.utf8), bytes.count == 8 else { return nil }
        let seconds = Int64(bitPattern: LittleEndian.number(bytes[...]))
        let (value, overflows) = seconds.subtractingReportingOverflow(Moment.keePassOffset)
        return overflows ? nil : Moment.milliseconds(seconds: value)
    }

    mutating func setCustom(_ key: String, _ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        switch key {
        case Custom.kind: kind = UInt8(text).flatMap(ConvertedRecord.Kind.init(rawValue:))
        case Custom.favorite: record.isFavorite = text == "1"
        case Custom.archived: record.isArchived = text == "1"
        case Custom.parts: parts = Set(text.split(separator: "\n").map(String.init))
        case Custom.lastChange: break
        default: leftOut.append((.field, key))
        }
    }

    /// The record, once all values are there.
    mutating func finished() -> ConvertedRecord {
        record.addresses += furtherAddresses
        for index in record.fields.indices where parts.contains(record.fields[index].name) {
            record.fields[index].kind = record.fields[index].isHidden ? .hiddenPart : .part
        }
        if expires, let expiry { record.add("ExpiryTime", expiry, .part) }
        takeSeed()
        let isLogin =
            !record.userName.isEmpty || record.password != nil || !record.addresses.isEmpty
            || record.oneTimePassword != nil
        record.kind = kind ?? (isLogin ? .login : .note)
        return record
    }

    private mutating func takeSeed() {
        guard record.oneTimePassword == nil,
            let seed = record.fields.first(where: { $0.name == Key.seed }),
            let settings = record.fields.first(where: { $0.name == Key.seedSettings }),
            settings.value.text == Key.usualSettings
        else { return }
        record.oneTimePassword = seed.value
        record.fields.removeAll { $0.name == Key.seed || $0.name == Key.seedSettings }
    }
}
