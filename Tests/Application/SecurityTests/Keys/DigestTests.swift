// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import TestSupport
import Testing

/// SHA-224, seen through signatures: one of a digest that others computed verifies the message.
@Suite struct DigestTests {
    private func matches(_ message: Data, _ digest: Data, _ key: SecKey) throws -> Bool {
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        let signature = SecKeyCreateSignature(
            key, .ecdsaSignatureDigestX962SHA224, digest as CFData, nil)
        return isValid(
            publicKey, .ecdsaSignatureMessageX962SHA224, message, try #require(signature as Data?))
    }

    /// FIPS 180-4's examples, as NIST publishes them.
    @Test func theStandardsExamplesAreMet() throws {
        let key = try KeyOperationTests.made(kSecAttrKeyTypeEC, 256)
        let known = [
            ("", "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"),
            ("abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"
            ),
        ]
        for (message, digest) in known {
            #expect(try matches(Data(message.utf8), unhex(digest), key))
            #expect(try !matches(Data((message + "x").utf8), unhex(digest), key))
        }
    }

    /// Around the borders of blocks.
    @Test func digestsOfAllLengthsAreOpenssls() throws {
        let key = try KeyOperationTests.made(kSecAttrKeyTypeEC, 256)
        try TemporaryDirectory.lend { directory in
            let openssl = OpensslTool(directory: directory)
            for count in [1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 1000, 100_000] {
                let message = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) })
                try openssl.write("message", message)
                try openssl("dgst", "-sha224", "-binary", "-out", "digest", "message")
                #expect(try matches(message, try openssl.read("digest"), key), "\(count)")
            }
        }
    }
}
