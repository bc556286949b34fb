// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import KeychainVocabulary
package import SecurityWire

/// A user's search list and default keychain: one item beside the records of keychains.
package struct KeychainPreferences: Equatable, Sendable {
    private static let version: UInt8 = 1
    private static let service = AttributeValue.text("keychain-preferences")

    /// In the order in which keychains are searched.
    package var searchList: [KeychainID]
    /// Where new items go; nil: there is none.
    package var defaultKeychain: KeychainID?

    /// Those of a user who has chosen nothing: login alone.
    package init() {
        searchList = [.login]
        defaultKeychain = .login
    }

    /// The same without a keychain that is deleted. Login takes its place as the default one.
    package func without(_ id: KeychainID) -> KeychainPreferences {
        var preferences = self
        preferences.searchList.removeAll { $0 == id }
        if defaultKeychain == id { preferences.defaultKeychain = .login }
        return preferences
    }

    // MARK: - As an item

    /// The attributes by which the item is found.
    static var name: ItemAttributes {
        var attributes = ItemAttributes()
        attributes[.service] = service
        attributes[.account] = .text("user")
        attributes[.accessGroup] = .text(ReservedGroup.keychains.rawValue)
        return attributes
    }

    /// Its attributes.
    package var attributes: ItemAttributes {
        var attributes = Self.name
        attributes[.generic] = .data(content)
        return attributes
    }

    /// Reads the item's attributes.
    /// - Returns: Nil for another item, and for one of a newer version.
    package init?(_ attributes: ItemAttributes) {
        guard attributes[.service] == Self.service,
            case .data(let content)? = attributes[.generic]
        else { return nil }
        let parsed = unsafe content.withUnsafeBytes { bytes in
            try? unsafe Self.parse(bytes)
        }
        guard let parsed else { return nil }
        self = parsed
    }

    /// u8 1, u8 1 and 16 UUID of the default keychain or u8 0, u16 count and 16 UUID each.
    private var content: [UInt8] {
        var bytes = [Self.version, defaultKeychain == nil ? 0 : 1]
        if let defaultKeychain { bytes += defaultKeychain.uuid }
        bytes.append(littleEndian: UInt16(clamping: searchList.count))
        for id in searchList { bytes += id.uuid }
        return bytes
    }

    private static func parse(
        _ bytes: UnsafeRawBufferPointer
    ) throws(DecodingFailure) -> KeychainPreferences {
        var reader = unsafe ByteReader(bytes)
        guard try unsafe reader.u8() == version else { throw DecodingFailure() }
        var preferences = KeychainPreferences()
        switch try unsafe reader.u8() {
        case 0: preferences.defaultKeychain = nil
        case 1: preferences.defaultKeychain = try unsafe keychain(&reader)
        case _: throw DecodingFailure()
        }
        let count = try unsafe Int(reader.u16())
        guard count <= KeychainCall.searchListLimit else { throw DecodingFailure() }
        preferences.searchList = []
        for _ in 0..<count { preferences.searchList.append(try unsafe keychain(&reader)) }
        try unsafe reader.finish()
        return preferences
    }

    private static func keychain(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> KeychainID {
        guard let id = KeychainID(try unsafe reader.array(KeychainLimits.uuidByteCount)) else {
            throw DecodingFailure()
        }
        return id
    }
}
