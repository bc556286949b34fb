// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import TestSupport
import Testing

/// RSA with the paddings that are made here, each way with the `openssl` command.
@Suite struct RSAPaddingTests {
    private static let message = Data("a message".utf8)

    /// A folder with `key.der` and `public.der` of a new key (PKCS #1), and both as objects.
    private func withKey(
        bits: Int = 2048, _ body: (OpensslTool, SecKey, SecKey) throws -> Void
    ) throws {
        try TemporaryDirectory.lend { directory in
            let openssl = OpensslTool(directory: directory)
            try openssl("genrsa", "-traditional", "-out", "key.pem", "\(bits)")
            try openssl(
                "rsa", "-in", "key.pem", "-traditional", "-outform", "DER", "-out", "key.der")
            try openssl("rsa", "-in", "key.pem", "-pubout", "-out", "public.pem")
            let key = try #require(
                makeKey(
                    try openssl.read("key.der"), kSecAttrKeyTypeRSA, kSecAttrKeyClassPrivate))
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            try body(openssl, key, publicKey)
        }
    }

    private func signature(
        _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ input: Data
    ) throws -> Data {
        var error: Unmanaged<CFError>?
        let made = unsafe SecKeyCreateSignature(key, algorithm, input as CFData, &error) as Data?
        let reason = unsafe error?.takeRetainedValue().localizedDescription
        return try #require(made, "\(reason ?? "")")
    }

    @Test(arguments: [1024, 2048, 4096]) func signaturesWithSHA224AreOpenssls(_ bits: Int) throws {
        try withKey(bits: bits) { openssl, key, publicKey in
            try openssl.write("message", Self.message)
            let pss = [
                "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest",
            ]
            let kinds: [(SecKeyAlgorithm, [String])] = [
                (.rsaSignatureMessagePKCS1v15SHA224, []), (.rsaSignatureMessagePSSSHA224, pss),
            ]
            for (algorithm, options) in kinds {
                try openssl.write("ours", try signature(key, algorithm, Self.message))
                let check = ["dgst", "-sha224", "-verify", "public.pem", "-signature", "ours"]
                #expect(try openssl.succeeds(check + options + ["message"]))
                let sign = ["dgst", "-sha224", "-sign", "key.pem", "-out", "theirs"]
                #expect(try openssl.succeeds(sign + options + ["message"]))
                let theirs = try openssl.read("theirs")
                #expect(isValid(publicKey, algorithm, Self.message, theirs))
                for index in [0, theirs.count / 2, theirs.count - 1] {
                    var other = theirs
                    other[index] ^= 1
                    #expect(!isValid(publicKey, algorithm, Self.message, other))
                }
                #expect(!isValid(publicKey, algorithm, Data("another".utf8), theirs))
            }
            // Both paddings differ.
            let pkcs1 = try signature(key, .rsaSignatureMessagePKCS1v15SHA224, Self.message)
            #expect(!isValid(publicKey, .rsaSignatureMessagePSSSHA224, Self.message, pkcs1))
            // PSS has a random salt.
            let one = try signature(key, .rsaSignatureMessagePSSSHA224, Self.message)
            #expect(try signature(key, .rsaSignatureMessagePSSSHA224, Self.message) != one)
        }
    }

    @Test func blocksWithoutADigestsNameAreOpenssls() throws {
        try withKey { openssl, key, publicKey in
            // `pkeyutl` without a digest pads what it is given.
            let content = Data("not a digest".utf8)
            try openssl.write("content", content)
            try openssl("pkeyutl", "-sign", "-inkey", "key.pem", "-in", "content", "-out", "theirs")
            let ours = try signature(key, .rsaSignatureDigestPKCS1v15Raw, content)
            #expect(ours == (try openssl.read("theirs")))
            #expect(isValid(publicKey, .rsaSignatureDigestPKCS1v15Raw, content, ours))
            #expect(!isValid(publicKey, .rsaSignatureDigestPKCS1v15Raw, Self.message, ours))
            // The largest content, and one byte more.
            let largest = Data(repeating: 7, count: 245)
            let block = try signature(key, .rsaSignatureDigestPKCS1v15Raw, largest)
            #expect(isValid(publicKey, .rsaSignatureDigestPKCS1v15Raw, largest, block))
            let more = Data(repeating: 7, count: 246) as CFData
            #expect(SecKeyCreateSignature(key, .rsaSignatureDigestPKCS1v15Raw, more, nil) == nil)
        }
    }

    @Test(arguments: [1024, 2048, 3072]) func rawBlocksAreOpenssls(_ bits: Int) throws {
        try withKey(bits: bits) { openssl, key, publicKey in
            let count = bits / 8
            let block = Data([0, 1]) + Data((0..<count - 2).map { UInt8($0 % 251) })
            try openssl.write("block", block)
            let raw = ["-pkeyopt", "rsa_padding_mode:none"]
            // Decryption without padding is the same operation.
            let sign = [
                "pkeyutl", "-decrypt", "-inkey", "key.pem", "-in", "block", "-out", "signed",
            ]
            #expect(try openssl.succeeds(sign + raw))
            let ours = try signature(key, .rsaSignatureRaw, block)
            #expect(ours == (try openssl.read("signed")))
            #expect(isValid(publicKey, .rsaSignatureRaw, block, ours))
            #expect(!isValid(publicKey, .rsaSignatureRaw, block.dropLast() + [0], ours))
            // Apple fills a shorter block with zeros in front.
            let short = Data([9, 8, 7])
            let filled = Data(count: count - 3) + short
            #expect(
                try signature(key, .rsaSignatureRaw, short)
                    == signature(key, .rsaSignatureRaw, filled))

            let encrypt = [
                "pkeyutl", "-encrypt", "-pubin", "-inkey", "public.pem", "-in", "block", "-out",
                "theirs",
            ]
            #expect(try openssl.succeeds(encrypt + raw))
            let theirs = try openssl.read("theirs")
            let sealed = SecKeyCreateEncryptedData(
                publicKey, .rsaEncryptionRaw, block as CFData, nil)
            #expect(sealed as Data? == theirs)
            let opened = SecKeyCreateDecryptedData(key, .rsaEncryptionRaw, theirs as CFData, nil)
            #expect(opened as Data? == block)
            // A number that isn't below the modulus.
            let large = Data(repeating: 0xff, count: count) as CFData
            #expect(SecKeyCreateEncryptedData(publicKey, .rsaEncryptionRaw, large, nil) == nil)
            #expect(SecKeyCreateDecryptedData(key, .rsaEncryptionRaw, large, nil) == nil)
            #expect(SecKeyCreateSignature(key, .rsaSignatureRaw, large, nil) == nil)
            #expect(
                SecKeyCreateDecryptedData(
                    key, .rsaEncryptionRaw, theirs.dropFirst() as CFData, nil) == nil)
        }
    }

    private static let oaep: [(SecKeyAlgorithm, String, Int)] = [
        (.rsaEncryptionOAEPSHA1, "sha1", 20), (.rsaEncryptionOAEPSHA224, "sha224", 28),
        (.rsaEncryptionOAEPSHA256, "sha256", 32), (.rsaEncryptionOAEPSHA384, "sha384", 48),
        (.rsaEncryptionOAEPSHA512, "sha512", 64),
    ]

    @Test func oaepIsOpensslsWithEachDigest() throws {
        try withKey { openssl, key, publicKey in
            for (algorithm, digest, digestByteCount) in Self.oaep {
                let options = [
                    "-pkeyopt", "rsa_padding_mode:oaep", "-pkeyopt", "rsa_oaep_md:\(digest)",
                    "-pkeyopt", "rsa_mgf1_md:\(digest)",
                ]
                for byteCount in [0, 1, 254 - 2 * digestByteCount] {
                    let plain = Data((0..<byteCount).map { UInt8($0 % 256) })
                    try openssl.write("plain", plain)
                    let ours = SecKeyCreateEncryptedData(publicKey, algorithm, plain as CFData, nil)
                    try openssl.write("ours", try #require(ours as Data?))
                    let decrypt = [
                        "pkeyutl", "-decrypt", "-inkey", "key.pem", "-in", "ours", "-out", "opened",
                    ]
                    #expect(try openssl.succeeds(decrypt + options), "\(digest) \(byteCount)")
                    #expect(try openssl.read("opened") == plain)
                    let encrypt = [
                        "pkeyutl", "-encrypt", "-pubin", "-inkey", "public.pem", "-in", "plain",
                        "-out", "theirs",
                    ]
                    #expect(try openssl.succeeds(encrypt + options))
                    let theirs = try openssl.read("theirs")
                    let opened = SecKeyCreateDecryptedData(key, algorithm, theirs as CFData, nil)
                    #expect(opened as Data? == plain, "\(digest) \(byteCount)")
                    for (other, _, _) in Self.oaep where other != algorithm {
                        #expect(SecKeyCreateDecryptedData(key, other, theirs as CFData, nil) == nil)
                    }
                }
            }
        }
    }

    /// A block that has each kind of fault, encrypted raw: all are refused alike.
    @Test func aBlockThatIsNotOAEPIsRefused() throws {
        try withKey { _, key, publicKey in
            let plain = Data("secret".utf8) as CFData
            let sealed = SecKeyCreateEncryptedData(publicKey, .rsaEncryptionOAEPSHA384, plain, nil)
            let block = SecKeyCreateDecryptedData(
                key, .rsaEncryptionRaw, try #require(sealed), nil)
            let bytes = try #require(block as Data?)
            #expect(bytes.count == 256 && bytes.first == 0)
            func opens(_ block: Data) throws -> Bool {
                let sealed = SecKeyCreateEncryptedData(
                    publicKey, .rsaEncryptionRaw, block as CFData, nil)
                var error: Unmanaged<CFError>?
                let opened = unsafe SecKeyCreateDecryptedData(
                    key, .rsaEncryptionOAEPSHA384, try #require(sealed), &error)
                if opened == nil {
                    let reason = unsafe error?.takeRetainedValue()
                    #expect(reason?.code == Int(errSecParam))
                }
                return opened != nil
            }
            #expect(try opens(bytes))
            // Each byte of the block counts.
            for index in [0, 1, 48, 49, 96, 97, 150, 249, 255] {
                var other = bytes
                other[index] ^= 1
                #expect(try !opens(other), "\(index)")
            }
        }
    }

    @Test func theOlderCallsHaveThePaddingsToo() throws {
        try withKey { _, key, publicKey in
            let paddings: [(SecPadding, SecKeyAlgorithm, Int)] = [
                ([], .rsaSignatureRaw, 30), (.PKCS1, .rsaSignatureDigestPKCS1v15Raw, 30),
                (.PKCS1SHA224, .rsaSignatureDigestPKCS1v15SHA224, 28),
            ]
            for (padding, algorithm, count) in paddings {
                let input = [UInt8](repeating: 5, count: count)
                var bytes = [UInt8](repeating: 0, count: 256)
                var size = 256
                unsafe #expect(
                    SecKeyRawSign(key, padding, input, count, &bytes, &size) == errSecSuccess)
                #expect(isValid(publicKey, algorithm, Data(input), Data(bytes)))
                unsafe #expect(
                    SecKeyRawVerify(publicKey, padding, input, count, bytes, size)
                        == errSecSuccess)
            }
            let block = [UInt8](repeating: 5, count: 256)
            var sealed = [UInt8](repeating: 0, count: 256)
            var opened = sealed
            var (size, room) = (256, 256)
            unsafe #expect(
                SecKeyEncrypt(publicKey, [], block, 256, &sealed, &size) == errSecSuccess)
            unsafe #expect(
                SecKeyDecrypt(key, [], sealed, size, &opened, &room) == errSecSuccess)
            #expect(opened == block && room == 256)
        }
    }
}
