// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import EnclaveWire
import IPC
import KeychainVocabulary
package import SecurityWire

/// What the database says of a keychain with a password of its own. It is a generic password of login in
/// a group that no program holds, so it is sealed, in the ledger and recovered as any other row
/// (decision 50).
package struct KeychainRecord: Hashable, Sendable {
    /// Where it stands between the daemons. Raw values are stored: only ever added.
    package enum State: UInt8, Sendable {
        /// Its keys may be in enclaved already; nothing uses it.
        case creating = 1
        /// It is there.
        case live = 2
        /// Its keys may be destroyed already; nothing uses it.
        case deleting = 3
    }

    /// The longest path, as Linux has it.
    package static let pathByteCountLimit = 4096
    private static let version: UInt8 = 1
    private static let service = AttributeValue.text("keychain")
    private static let groupByteCountLimit = 4096

    /// Its number in rows; never that of login.
    package let number: UInt32
    /// 16 bytes, chosen by its creator.
    package let uuid: [UInt8]
    /// Where its marker is: any bytes but 0.
    package let path: [UInt8]
    /// The access group of its creator, by its stored name.
    package let group: String
    /// Where it stands.
    package var state: State

    /// Describes a keychain.
    /// - Returns: Nil for what can't be one: the number of login, a UUID of another length, no absolute
    ///   path, or too long a path or group.
    package init?(
        number: UInt32, uuid: [UInt8], path: [UInt8], group: String, state: State = .creating
    ) {
        guard number != 0, uuid.count == KeychainLimits.uuidByteCount,
            path.first == UInt8(ascii: "/"), path.count <= Self.pathByteCountLimit,
            !path.contains(0), group.utf8.count <= Self.groupByteCountLimit
        else { return nil }
        self.number = number
        self.uuid = uuid
        self.path = path
        self.group = group
        self.state = state
    }

    // MARK: - As an item

    /// The attributes that all records have.
    static var common: ItemAttributes {
        var attributes = ItemAttributes()
        attributes[.service] = service
        attributes[.accessGroup] = .text(ReservedGroup.keychains.rawValue)
        return attributes
    }

    /// The attributes of the record of one keychain, by which it is found.
    static func named(_ uuid: [UInt8]) -> ItemAttributes {
        var attributes = common
        attributes[.label] = .data(uuid)
        return attributes
    }

    /// Its attributes. The path is part of the primary key: two keychains never have the same one.
    package var attributes: ItemAttributes {
        var attributes = Self.named(uuid)
        attributes[.account] = .data(path)
        attributes[.generic] = .data(content)
        return attributes
    }

    /// Reads a record's attributes.
    /// - Returns: Nil for another item of the group, and for a record of a newer version.
    package init?(_ attributes: ItemAttributes) {
        guard attributes[.service] == Self.service, case .data(let path)? = attributes[.account],
            case .data(let content)? = attributes[.generic]
        else { return nil }
        let parsed = unsafe content.withUnsafeBytes { bytes in
            try? unsafe Self.parse(bytes)
        }
        guard let parsed else { return nil }
        self.init(
            number: parsed.number, uuid: parsed.uuid, path: path, group: parsed.group,
            state: parsed.state)
    }

    /// u8 1, u8 state, u32 number, 16 UUID, u16 byte count and the creator's group.
    private var content: [UInt8] {
        var bytes = [Self.version, state.rawValue]
        bytes.append(littleEndian: number)
        bytes += uuid
        bytes.append(littleEndian: UInt16(group.utf8.count))
        return bytes + group.utf8
    }

    private static func parse(
        _ bytes: UnsafeRawBufferPointer
    ) throws(DecodingFailure) -> (number: UInt32, uuid: [UInt8], group: String, state: State) {
        var reader = unsafe ByteReader(bytes)
        guard try unsafe reader.u8() == version,
            let state = State(rawValue: try unsafe reader.u8())
        else { throw DecodingFailure() }
        let number = try unsafe reader.u32()
        let uuid = try unsafe reader.array(KeychainLimits.uuidByteCount)
        let count = try unsafe Int(reader.u16())
        let group = String(validating: try unsafe reader.array(count), as: UTF8.self)
        try unsafe reader.finish()
        guard let group else { throw DecodingFailure() }
        return (number, uuid, group, state)
    }
}

/// What a start of securityd does with a record whose operation a crash has cut short.
package enum KeychainRepair: Equatable, Sendable {
    /// Nothing: no operation was under way.
    case none
    /// The keys are there: the creation ends as its creator wanted.
    case finishCreation
    /// There are no keys: the record goes, and nothing was ever stored under it.
    case forgetCreation
    /// Destroy the keys, if they are still there, and delete the rows.
    case finishDeletion

    /// - Parameters:
    ///   - record: The record.
    ///   - keychains: What enclaved has. It must be known: an enclave that can't read its list decides
    ///     nothing.
    package init(_ record: KeychainRecord, _ keychains: [ListedKeychain]) {
        let hasKeys = keychains.contains {
            $0.number == record.number && $0.uuid == record.uuid
        }
        switch record.state {
        case .live: self = .none
        case .creating: self = hasKeys ? .finishCreation : .forgetCreation
        case .deleting: self = .finishDeletion
        }
    }
}
