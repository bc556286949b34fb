// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing
import TranscodingWire

/// Files of openssl, certtool, pk12util, pyca and ssh-keygen.
@Suite struct FileReadingTests {
    private static let pair = ["certificate", "privateKey curve"]

    /// Name, passphrase, format, and what is in it.
    private static let samples: [(String, String?, CodingFormat, [String])] = [
        ("openssl-aes.p12", "secret", .pkcs12, pair),
        ("openssl-legacy.p12", "secret", .pkcs12, pair),
        ("openssl-3des.p12", "secret", .pkcs12, pair),
        ("openssl-nomac.p12", "secret", .pkcs12, pair),
        ("openssl-empty.p12", nil, .pkcs12, pair),
        ("openssl-empty.p12", "", .pkcs12, pair),
        ("openssl-umlaut.p12", "schlüssel", .pkcs12, pair),
        (
            "openssl-chain.p12", "secret", .pkcs12,
            ["certificate", "certificate", "privateKey curve"]
        ),
        ("openssl-certificate.p12", "secret", .pkcs12, ["certificate"]),
        ("certtool.p12", "secret", .pkcs12, pair),
        ("certtool-3des.p12", "secret", .pkcs12, pair),
        ("pk12util.p12", "secret", .pkcs12, pair),
        ("pyca.p12", "secret", .pkcs12, pair),
        ("gpgsm.p12", "secret", .pkcs12, ["certificate", "privateKey rsa"]),
        ("rsa-pkcs8.der", nil, .openSSL, ["privateKey rsa"]),
        ("ec-pbes2.pem", "secret", .wrappedPKCS8, ["privateKey curve"]),
        ("ec-pbes1.pem", "secret", .wrappedPKCS8, ["privateKey curve"]),
        ("ec-scrypt.der", "secret", .wrappedPKCS8, ["privateKey curve"]),
        ("certtool-pkcs8.pem", "secret", .wrappedPKCS8, ["privateKey rsa"]),
        ("pyca-pkcs8.pem", "secret", .wrappedPKCS8, ["privateKey curve"]),
        ("rsa-pkcs1.pem", nil, .openSSL, ["privateKey rsa"]),
        ("rsa-openssl.pem", "secret", .wrappedOpenSSL, ["privateKey rsa"]),
        ("ec-sec1.der", nil, .openSSL, ["privateKey curve"]),
        ("ed25519-pkcs8.pem", nil, .openSSL, ["privateKey ed25519"]),
        ("rsa-public.pem", nil, .openSSL, ["publicKey rsa"]),
        ("rsa-pkcs1-public.pem", nil, .openSSL, ["publicKey rsa"]),
        ("ec-public.der", nil, .openSSL, ["publicKey curve"]),
        ("certificate.der", nil, .x509, ["certificate"]),
        (
            "sequence.pem", nil, .pemSequence, ["certificate", "certificate", "privateKey curve"]
        ),
        ("certificates.p7b", nil, .pkcs7, ["certificate", "certificate"]),
        ("certificates-p7b.pem", nil, .pkcs7, ["certificate"]),
        ("netscape.pem", nil, .netscape, ["certificate"]),
        ("ssh-rsa", nil, .wrappedSSH, ["privateKey rsa"]),
        ("ssh-ecdsa", nil, .wrappedSSH, ["privateKey curve"]),
        ("ssh-ed25519", nil, .wrappedSSH, ["privateKey ed25519"]),
        ("ssh-rsa.pub", nil, .ssh, ["publicKey rsa"]),
        ("ssh-ecdsa.pub", nil, .ssh, ["publicKey curve"]),
        ("ssh-ed25519.pub", nil, .ssh, ["publicKey ed25519"]),
        ("ssh-encrypted.pub", nil, .ssh, ["publicKey ed25519"]),
    ]

    private func failure(
        _ data: Data, _ passphrase: String? = nil, format: CodingFormat = .unknown
    ) -> TranscodingFailure? {
        do throws(TranscodingFailure) {
            _ = try ImportSamples.read(data, passphrase, format: format)
            return nil
        } catch { return error }
    }

    @Test func eachSampleIsRead() throws {
        for (name, passphrase, format, kinds) in Self.samples {
            let data = try ImportSamples.data(name)
            #expect(failure(data, passphrase) == nil, "\(name)")
            guard let file = try? ImportSamples.read(data, passphrase) else { continue }
            #expect(file.format == format, "\(name)")
            #expect(file.kinds.sorted() == kinds.sorted(), "\(name)")
            #expect(file.isText == (data.contains(0) == false), "\(name)")
        }
        let named = Set(Self.samples.map(\.0)).union(["ssh-encrypted"])
        #expect(Set(try ImportSamples.names) == named)
    }

    @Test func aNameAndAnIdentifierComeWithAPair() throws {
        let file = try ImportSamples.read(ImportSamples.data("openssl-aes.p12"), "secret")
        #expect(file.objects.map(\.label) == ["sample", "sample"])
        #expect(file.objects[0].keyID.count == 20)
        #expect(file.objects[0].keyID == file.objects[1].keyID)
    }

    @Test func theSameKeyIsTheSameInEachFormat() throws {
        func key(_ name: String, _ passphrase: String?) throws -> TranscodedObject {
            let file = try ImportSamples.read(ImportSamples.data(name), passphrase)
            return try #require(file.objects.first { $0.kind != .certificate })
        }
        let curve = try key("ec-sec1.der", nil)
        #expect(ImportSamples.bytes(curve.bytes).count == 97)
        for name in ["ec-pbes1.pem", "ec-pbes2.pem", "ec-scrypt.der", "pyca.p12", "certtool.p12"] {
            let other = try key(name, "secret")
            #expect(ImportSamples.bytes(other.bytes) == ImportSamples.bytes(curve.bytes), "\(name)")
        }
        let rsa = try key("rsa-pkcs1.pem", nil)
        for name in ["rsa-pkcs8.der", "rsa-openssl.pem", "certtool-pkcs8.pem"] {
            let other = try key(name, "secret")
            #expect(ImportSamples.bytes(other.bytes) == ImportSamples.bytes(rsa.bytes), "\(name)")
        }
        #expect(
            try ImportSamples.bytes(key("rsa-public.pem", nil).bytes)
                == ImportSamples.bytes(key("rsa-pkcs1-public.pem", nil).bytes))
        // A private key's public half is what its public file has.
        for name in ["ssh-rsa", "ssh-ecdsa", "ssh-ed25519"] {
            let publicKey = try key(name + ".pub", nil)
            #expect(
                try key(name, nil).publicBytes == ImportSamples.bytes(publicKey.bytes), "\(name)")
        }
    }

    @Test func aWrongOrMissingPassphraseIsSaidToBeThat() throws {
        for (name, passphrase, _, _) in Self.samples where passphrase == "secret" {
            let data = try ImportSamples.data(name)
            #expect(failure(data) == .passphraseNeeded, "\(name)")
            #expect(failure(data, "another") == .passphraseWrong, "\(name)")
            #expect(failure(data, "") == .passphraseWrong, "\(name)")
        }
        #expect(failure(try ImportSamples.data("openssl-empty.p12"), "x") == .passphraseWrong)
    }

    @Test func anEncryptedKeyOfOpenSSHIsNamed() throws {
        let data = try ImportSamples.data("ssh-encrypted")
        #expect(failure(data) == .encryptedSSH)
        #expect(failure(data, "secret") == .encryptedSSH)
    }

    /// A certificate may have any text in it, also another certificate's or a key's block.
    @Test(arguments: ["certificates-p7b.pem", "ssh-rsa"])
    func textInDERIsNoBlock(_ name: String) throws {
        let text = String(decoding: try ImportSamples.data(name), as: UTF8.self)
        let lines = text.split(separator: "\n").joined(separator: "\\n")
        let der = try TemporaryDirectory.lend { directory in
            let made = try TestCertificates(in: directory)
            try made.make(
                "comment", "CN = Comment", signer: nil, "nsComment = x\\n\(lines)\\n")
            return Data(try made.der("comment"))
        }
        #expect(der.range(of: Data("\n-----BEGIN ".utf8)) != nil)
        let file = try ImportSamples.read(der)
        #expect(file.format == .x509 && !file.isText)
        #expect(file.objects.map { Data(ImportSamples.bytes($0.bytes)) } == [der])
    }

    @Test func whatIsNoFormatIsUnknown() throws {
        let certificate = try ImportSamples.data("certificate.der")
        for data in [Data([1]), Data("text".utf8), certificate + [0], certificate.dropLast()] {
            #expect(failure(data) == .unknownFormat)
        }
        #expect(failure(certificate, format: .pkcs12) == .unknownFormat)
        #expect(failure(try ImportSamples.data("ec-sec1.der"), format: .x509) == .unknownFormat)
    }

    @Test func anUnknownCurveIsUnsupported() throws {
        try TemporaryDirectory.lend { directory in
            let file = directory + "/key"
            _ = try TestProcess.run(
                "/usr/bin/openssl",
                ["ecparam", "-name", "secp256k1", "-genkey", "-noout", "-out", file])
            let data = try Data(contentsOf: URL(fileURLWithPath: file))
            #expect(failure(data) == .unsupported)
        }
    }

    /// The counts of a file are looked at before any is computed.
    @Test func tooManyRoundsAreRefusedAtOnce() throws {
        let data = try ImportSamples.data("openssl-aes.p12")
        let one: [UInt8] = [0x02, 0x02, 0x08, 0x00]
        try TemporaryDirectory.lend { directory in
            let key = directory + "/key"
            _ = try TestProcess.run(
                "/usr/bin/openssl",
                ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key])
            _ = try TestProcess.run(
                "/usr/bin/openssl",
                [
                    "pkcs8", "-topk8", "-in", key, "-iter", "2048", "-passout", "pass:secret",
                    "-outform", "DER", "-out", key + ".der",
                ])
            var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: key + ".der")))
            let place = try #require(
                (0..<bytes.count - 4).first { Array(bytes[$0..<$0 + 4]) == one })
            #expect(failure(Data(bytes), "secret") == nil)
            // 32,767 rounds, which are few: the passphrase is another one then.
            bytes[place + 2] = 0x7F
            bytes[place + 3] = 0xFF
            #expect(failure(Data(bytes), "secret") == .passphraseWrong)
        }
        #expect(failure(data, "secret") == nil)
        let start = ContinuousClock.now
        #expect(failure(Data(ManyRounds.file(count: 1 << 31)), "secret") == .tooMuch)
        #expect(failure(Data(ManyRounds.file(count: 10_000_001)), "secret") == .tooMuch)
        #expect(start.duration(to: .now) < .seconds(2))
    }
}

/// A PKCS #12 file with one MAC of many rounds.
enum ManyRounds {
    static func file(count: UInt64) -> [UInt8] {
        func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            precondition(content.count < 128)
            return [tag, UInt8(content.count)] + content
        }
        var number: [UInt8] = []
        var rest = count
        while rest > 0 {
            number.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        if (number.first ?? 0) >= 0x80 { number.insert(0, at: 0) }
        let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
        let sha1: [UInt8] = [0x2B, 0x0E, 0x03, 0x02, 0x1A]
        let safe = element(0x30, element(0x06, data) + element(0xA0, element(0x04, [0x30, 0])))
        let digest = element(
            0x30,
            element(0x30, element(0x06, sha1) + [0x05, 0])
                + element(0x04, [UInt8](repeating: 1, count: 20)))
        let mac = element(0x30, digest + element(0x04, [1, 2, 3, 4]) + element(0x02, number))
        return element(0x30, element(0x02, [3]) + safe + mac)
    }
}
