// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes

/// Sealed files, without a keychain.
enum SealedFileEntries {
    /// A changed header fails by its checksum; with the right one the test gets further.
    static func file(_ data: Data) {
        let bytes = [UInt8](data)
        read(bytes)
        read(SealedFileHeader.checked(bytes))
    }

    private static func read(_ bytes: [UInt8]) {
        let head = bytes.prefix(SealedFileHeader.byteCount)
        guard let header = try? SealedFileHeader(decoding: head) else { return }
        precondition(header.bytes.elementsEqual(head))
        guard let layout = try? SealedFileLayout(fileByteCount: UInt64(bytes.count), header: header)
        else { return }
        precondition(layout.chunkCount > 0)
        let keys = keys(header)
        var end = SealedFileHeader.byteCount
        var plaintext: [UInt8] = []
        var areAuthentic = header.isAuthentic(keys)
        for index in 0..<layout.chunkCount {
            precondition(layout.offset(of: index) == UInt64(end))
            let count = layout.byteCount(of: index)
            precondition(count >= 0 && count <= header.chunkByteCount)
            let next = end + count + SealedFileKeys.tagByteCount
            let chunk = opened(bytes[end..<next], count, index, layout.isLast(index), keys)
            areAuthentic = areAuthentic && chunk != nil
            plaintext += chunk ?? []
            end = next
        }
        precondition(end == bytes.count)
        // Opened content equals the sealed content.
        guard areAuthentic else { return }
        precondition(plaintext.count == layout.size && plaintexts.contains(plaintext))
    }

    private static func opened(
        _ sealed: ArraySlice<UInt8>, _ count: Int, _ index: UInt64, _ isLast: Bool,
        _ keys: SealedFileKeys
    ) -> [UInt8]? {
        var combined = [UInt8](repeating: 0, count: 12) + sealed
        var plaintext = [UInt8](repeating: 0, count: count)
        let isAuthentic = unsafe combined.withUnsafeMutableBytes { combined in
            unsafe plaintext.withUnsafeMutableBytes { target in
                unsafe keys.open(combined, index: index, isLast: isLast, into: target)
            }
        }
        return isAuthentic ? plaintext : nil
    }

    private static func keys(_ header: SealedFileHeader) -> SealedFileKeys {
        SealedFileKeys(secret: SecretBytes(byteCount: 32), header: header, recipient: [])
    }

    // MARK: - Seeds

    private static let plaintexts: [[UInt8]] = [0, 1, 100, 4096, 4097, 9000].map { count in
        (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
    }

    static var files: [Data] { plaintexts.map(sealed) }

    private static func sealed(_ plaintext: [UInt8]) -> Data {
        var header = SealedFileHeader(
            protection: .none, chunkBits: 12, keyID: [UInt8](repeating: 5, count: 16), point: nil)
        let keys = keys(header)
        header.authenticate(keys)
        var file = Data(header.bytes)
        let chunkCount = max(1, (plaintext.count + 4095) / 4096)
        for index in 0..<chunkCount {
            let part = [UInt8](plaintext.dropFirst(index * 4096).prefix(4096))
            unsafe part.withUnsafeBytes { bytes in
                try? unsafe keys.seal(
                    bytes, index: UInt64(index), isLast: index == chunkCount - 1
                ) { unsafe file.append(contentsOf: $0) }
            }
        }
        return file
    }
}
