// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import FuzzEntries
import TestSupport
import Testing
import TranscodingWire

/// Files that were cut off or changed.
@Suite struct DamagedFileTests {
    private static let passphrase = "secret"

    /// One of each format, with one round of key derivation.
    private static let formats = [
        "openssl-aes.p12", "openssl-legacy.p12", "openssl-nomac.p12", "rsa-pkcs8.der",
        "ec-pbes2.pem", "ec-pbes1.pem", "ec-scrypt.der", "rsa-pkcs1.pem", "rsa-openssl.pem",
        "ec-sec1.der", "ed25519-pkcs8.pem", "ec-public.der", "rsa-pkcs1-public.pem",
        "certificate.der", "sequence.pem", "certificates.p7b", "netscape.pem", "ssh-rsa",
        "ssh-ecdsa", "ssh-ed25519", "ssh-rsa.pub", "ssh-ecdsa.pub",
    ]

    /// A beginning has fewer objects than the file, and never others.
    @Test(arguments: formats) func everyBeginningIsRefusedOrHasLess(_ name: String) throws {
        let data = try ImportSamples.data(name)
        let whole = try ImportSamples.read(data, Self.passphrase)
        let known = whole.objects.map { ImportSamples.bytes($0.bytes) }
        for count in 0..<data.count {
            guard let part = try? ImportSamples.read(data.prefix(count), Self.passphrase) else {
                continue
            }
            // The line of a public key may lack the end of its comment, and a text its line feed.
            #expect(part.objects.count <= known.count, "\(count)")
            for object in part.objects {
                #expect(known.contains(ImportSamples.bytes(object.bytes)), "\(count)")
            }
        }
    }

    /// The others differ from one of these in an algorithm alone.
    @Test(
        arguments: formats.filter {
            !["openssl-nomac.p12", "ed25519-pkcs8.pem", "ssh-ecdsa", "ssh-ecdsa.pub"].contains($0)
        })
    func tenThousandChangesBreakNothing(_ name: String) throws {
        let data = try [UInt8](ImportSamples.data(name))
        var generator = Changes(name)
        for _ in 0..<10_000 {
            let changed = generator.changed(data)
            unsafe changed.withUnsafeBytes { unsafe FuzzEntry.importedFile.run($0) }
        }
    }

    /// The same changes each time.
    private struct Changes {
        private var state: UInt64

        init(_ name: String) {
            state = name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        }

        private mutating func below(_ limit: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(limit))
        }

        mutating func changed(_ bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            for _ in 0...below(3) {
                let place = below(bytes.count)
                switch below(5) {
                case 0: bytes[place] ^= 1 << UInt8(below(8))
                case 1: bytes[place] = UInt8(below(256))
                case 2: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF][below(5)]
                case 3: bytes.insert(UInt8(below(256)), at: place)
                default: if bytes.count > 1 { bytes.remove(at: place) }
                }
            }
            return bytes
        }
    }
}
