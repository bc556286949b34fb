// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import IPC
import ItemStore

/// The keys for the root over a user's rows; derived from the user's index key, which is always
/// available (STORAGE.md, "Ledger").
///
/// The root is the sum of a keyed digest of each leaf, so that a change of one leaf costs two
/// digests, however many there are. The sum must be secret: an attacker who knows sums of different
/// states could combine them into a wrong one. So it is stored sealed.
final class RootKeys: Sendable {
    private static let format: UInt8 = 1

    /// HMAC with the key absorbed.
    private let leafDigest: HMAC<SHA256>
    private let seal: SymmetricKey
    /// The index key's.
    let generation: UInt32

    /// Derives the keys.
    init(indexKey: SymmetricKey, generation: UInt32) {
        self.generation = generation
        leafDigest = HMAC(key: Self.derive(indexKey, "llavero.ledger.leaf.1"))
        seal = Self.derive(indexKey, "llavero.ledger.root.1")
    }

    private static func derive(_ key: SymmetricKey, _ label: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, info: Data(label.utf8), outputByteCount: 32)
    }

    /// A leaf's summand; zero when it is empty.
    func digest(_ number: LeafNumber, _ leaf: Leaf) -> LeafSum {
        guard !leaf.isEmpty else { return LeafSum() }
        var mac = leafDigest
        unsafe withUnsafeBytes(of: number.rawValue.littleEndian) {
            unsafe mac.update(data: $0)
        }
        mac.update(data: leaf.bytes)
        let code = unsafe mac.finalize().withUnsafeBytes { unsafe [UInt8]($0) }
        return LeafSum(code) ?? LeafSum()
    }

    /// The record to store.
    /// - Throws: StoreError/rootNotKept when it can't be sealed.
    func record(
        _ sum: LeafSum, number: Int64, userID: UInt32
    ) throws(StoreError) -> RootRecord {
        let box = try? AES.GCM.seal(
            sum.bytes, using: seal, authenticating: Self.associated(number, userID))
        guard let sealed = box?.combined else { throw .rootNotKept }
        return RootRecord(
            userID: userID, number: number, keyGeneration: generation,
            sealed: [Self.format] + sealed)
    }

    /// The sum of a record; nil when it isn't one of ours, of this user and number.
    func sum(_ record: RootRecord) -> LeafSum? {
        guard record.sealed.first == Self.format,
            let box = try? AES.GCM.SealedBox(combined: record.sealed.dropFirst()),
            let bytes = try? AES.GCM.open(
                box, using: seal,
                authenticating: Self.associated(record.number, record.userID))
        else { return nil }
        return LeafSum(bytes)
    }

    private static func associated(_ number: Int64, _ userID: UInt32) -> [UInt8] {
        var bytes = [UInt8]("llavero.root.1".utf8)
        bytes.append(littleEndian: userID)
        bytes.append(littleEndian: UInt64(bitPattern: number))
        return bytes
    }
}
