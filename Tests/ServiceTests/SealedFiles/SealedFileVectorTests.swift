// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import TestSupport
import Testing

/// Files that another implementation made from the format's description
/// (Tests/Vectors/sealed-files/generate). They must be readable for as long as version 1 is.
@Suite struct SealedFileVectorTests {
    private struct Vector: Decodable {
        let name: String
        let `class`: UInt8
        let secret: Data
        let recipient: Data
        let plaintext: Data
        let file: Data
    }

    private static func vectors() throws -> [Vector] {
        let path = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Vectors/sealed-files/vectors.json")
        return try JSONDecoder().decode([Vector].self, from: Data(contentsOf: path))
    }

    @Test func filesOfAnotherImplementationOpen() throws {
        let vectors = try Self.vectors()
        #expect(vectors.count == 4)
        for vector in vectors {
            let bytes = [UInt8](vector.file)
            let header = try SealedFileHeader(decoding: bytes[..<SealedFileHeader.byteCount])
            #expect(header.protection.rawValue == vector.class)
            let layout = try SealedFileLayout(fileByteCount: UInt64(bytes.count), header: header)
            #expect(layout.size == UInt64(vector.plaintext.count), "\(vector.name)")
            let secret = Secret(bytes: [UInt8](vector.secret))
            let keys = SealedFileKeys(
                secret: secret.bytes, header: header, recipient: [UInt8](vector.recipient))
            #expect(header.isAuthentic(keys), "\(vector.name)")
            var plaintext: [UInt8] = []
            for index in 0..<layout.chunkCount {
                let count = layout.byteCount(of: index)
                let start = Int(layout.offset(of: index))
                let end = start + count + SealedFileKeys.tagByteCount
                var combined = [UInt8](repeating: 0, count: 12) + bytes[start..<end]
                var chunk = [UInt8](repeating: 0, count: count)
                let isAuthentic = unsafe combined.withUnsafeMutableBytes { combined in
                    unsafe chunk.withUnsafeMutableBytes { target in
                        unsafe keys.open(
                            combined, index: index, isLast: layout.isLast(index), into: target)
                    }
                }
                #expect(isAuthentic, "\(vector.name), chunk \(index)")
                plaintext += chunk
            }
            #expect(plaintext == [UInt8](vector.plaintext), "\(vector.name)")
        }
    }
}
