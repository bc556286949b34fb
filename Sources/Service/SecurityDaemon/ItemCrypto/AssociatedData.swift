// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import IPC
import ItemStore

/// The associated data of a row's sealed halves: all clear fields of the row, including all blind
/// indexes (STORAGE.md, "Associated data").
enum AssociatedData {
    private static let label = [UInt8]("llavero.row.1".utf8)
    /// Of a row in another keychain than login: its number follows the user's.
    private static let keychainLabel = [UInt8]("llavero.row.2".utf8)
    /// Of a row with tags, which is in login: their digest follows the columns.
    private static let taggedLabel = [UInt8]("llavero.row.3".utf8)
    /// Of the sealed metadata.
    private static let tagByteCount = 16

    private enum Part: UInt8 {
        case metadata = 1
        case secret = 2
    }

    /// For the metadata half.
    static func forMetadata(_ item: SealedItem) -> [UInt8] {
        var bytes: [UInt8] = []
        encodeForMetadata(item, into: &bytes)
        return bytes
    }

    /// For the metadata half; replaces the content of `bytes`.
    static func encodeForMetadata(_ item: SealedItem, into bytes: inout [UInt8]) {
        encode(item, .metadata, into: &bytes)
    }

    /// For the secret half: a digest, because the enclave only compares it. It covers the tag of
    /// the metadata half, so that the halves of two rows, or of two writes of one row, can't be
    /// combined.
    /// - Returns: 32 bytes.
    static func contextForSecret(_ item: SealedItem) -> [UInt8] {
        var bytes: [UInt8] = []
        encode(item, .secret, into: &bytes)
        unsafe item.metadata.withUnsafeBytes { metadata in
            unsafe bytes.append(
                contentsOf: UnsafeRawBufferPointer(rebasing: metadata.suffix(tagByteCount)))
        }
        return SHA256.bytes(of: bytes)
    }

    private static func encode(_ item: SealedItem, _ part: Part, into bytes: inout [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        bytes.reserveCapacity(
            64 + tagByteCount + item.indexes.count * (1 + IndexValue.byteCount))
        let isInLogin = item.keychain == KeychainNumber.login
        bytes += isInLogin ? item.tagDigest == nil ? label : taggedLabel : keychainLabel
        bytes.append(part.rawValue)
        bytes += item.table.rawValue.utf8
        bytes.append(littleEndian: UInt32(item.uuid.count))
        bytes += item.uuid
        bytes.append(littleEndian: item.userID)
        if !isInLogin { bytes.append(littleEndian: item.keychain) }
        bytes.append(item.keyClass)
        bytes.append(littleEndian: item.keyGeneration)
        bytes.append(littleEndian: item.rowGeneration)
        bytes.append(item.isTombstone ? 1 : 0)
        bytes.append(UInt8(item.indexes.count))
        IndexValue.append(item.indexes, to: &bytes)
        guard isInLogin, let digest = item.tagDigest else { return }
        unsafe digest.withBytes { unsafe bytes.append(contentsOf: $0) }
    }
}
