// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
package import SecretBytes

/// Identifies a table key: all of it is authenticated with the wrapped key.
package struct TableKeyName: Hashable, Sendable {
    /// The purpose of the key.
    package let purpose: TableKeyPurpose
    /// The class whose key wraps it.
    package let protectionClass: ProtectionClass
    /// The count of table keys of this purpose and class so far.
    package let generation: UInt32

    /// Names a table key.
    package init(purpose: TableKeyPurpose, protectionClass: ProtectionClass, generation: UInt32) {
        self.purpose = purpose
        self.protectionClass = protectionClass
        self.generation = generation
    }
}

/// The purpose of a table key.
package enum TableKeyPurpose: UInt8, CaseIterable, Sendable {
    /// Sealing the metadata of one class.
    case metadata = 1
    /// Blind indexes.
    case blindIndex = 2
    /// Sealing the records of one file of the audit log.
    case audit = 3
}

/// A new table key: wrapped for the disk, plain for the memory.
package struct MadeTableKey: ~Copyable, Sendable {
    /// 60 bytes, for `openTableKey`.
    package let wrapped: [UInt8]
    /// 32 bytes.
    package let key: SecretBytes

    /// Combines the parts.
    package init(wrapped: [UInt8], key: consuming SecretBytes) {
        self.wrapped = wrapped
        self.key = key
    }
}

// MARK: - Layout

extension TableKeyName {
    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        guard let purpose = TableKeyPurpose(rawValue: try unsafe reader.u8()),
            let protectionClass = ProtectionClass(rawValue: try unsafe reader.u8())
        else { throw DecodingFailure() }
        self.init(
            purpose: purpose, protectionClass: protectionClass,
            generation: try unsafe reader.u32())
    }
}

extension MadeTableKey {
    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        let wrapped = try unsafe reader.array(EnclaveRequest.wrappedTableKeyByteCount)
        let key = try unsafe SecretBytes(copying: reader.bytes(EnclaveReply.tableKeyByteCount))
        self.init(wrapped: wrapped, key: key)
    }
}

extension MessageBuffer {
    mutating func append(_ name: TableKeyName) {
        u8(name.purpose.rawValue)
        u8(name.protectionClass.rawValue)
        u32(name.generation)
    }

    mutating func append(_ made: borrowing MadeTableKey) {
        bytes(made.wrapped)
        bytes(made.key)
    }
}

// MARK: - Calls

extension EnclaveClient {
    /// Makes a table key.
    package mutating func makeTableKey(
        purpose: TableKeyPurpose, class protectionClass: ProtectionClass, generation: UInt32,
        userID: UInt32
    ) throws(EnclaveCallError) -> MadeTableKey {
        let name = TableKeyName(
            purpose: purpose, protectionClass: protectionClass, generation: generation)
        switch try call(.makeTableKey(name), userID: userID) {
        case .madeTableKey(let made): return made
        case let reply: throw link.unexpected(reply)
        }
    }

    /// Opens a table key.
    /// - Parameters:
    ///   - purpose: The same as when it was made.
    ///   - protectionClass: The same as when it was made.
    ///   - generation: The same as when it was made.
    ///   - wrapped: The 60 bytes of `makeTableKey`.
    ///   - userID: The same as when it was made.
    /// - Returns: 32 bytes.
    /// - Throws: `locked`, `classMissing`, `undecodable`, or that the call failed.
    package mutating func openTableKey(
        purpose: TableKeyPurpose, class protectionClass: ProtectionClass, generation: UInt32,
        wrapped: [UInt8], userID: UInt32
    ) throws(EnclaveCallError) -> SecretBytes {
        guard wrapped.count == EnclaveRequest.wrappedTableKeyByteCount else { throw .undecodable }
        let name = TableKeyName(
            purpose: purpose, protectionClass: protectionClass, generation: generation)
        switch try call(.openTableKey(name, wrapped: wrapped), userID: userID) {
        case .openedTableKey(let key): return key
        case let reply: throw link.unexpected(reply)
        }
    }
}
