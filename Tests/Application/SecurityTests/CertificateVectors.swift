// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

/// Certificates and keys made by openssl, with its results (Tests/Vectors/certificates/generate).
struct CertificateVector: Decodable, Sendable {
    let der: Data
    let publicKey: Data
    let privateKey: Data
    let publicKeyHash: String
    let serialNumber: String
    let subjectKeyID: String?
    let subject: Data
    let normalized: Data
    let normalizedIssuer: Data
    let notBefore: String
    let notAfter: String

    /// By name.
    static let all: [String: CertificateVector] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Vectors/certificates/certificates.json")
        let data = (try? Data(contentsOf: file)) ?? Data()
        return (try? JSONDecoder().decode([String: CertificateVector].self, from: data)) ?? [:]
    }()

    /// The names, in a fixed order.
    static let names = all.keys.sorted()

    static func named(_ name: String) throws -> CertificateVector {
        guard let vector = all[name] else { throw CocoaError(.fileReadNoSuchFile) }
        return vector
    }

    /// The certificate.
    static func certificate(_ name: String) throws -> SecCertificate {
        guard let made = SecCertificateCreateWithData(nil, try named(name).der as CFData) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return made
    }

    /// The type of its keys, as passed to openssl; nil for one that isn't supported.
    static func keyType(_ name: String) -> CFString? {
        switch name.prefix(while: { $0 != "-" }) {
        case "rsa": kSecAttrKeyTypeRSA
        case "p256", "p384", "p521": kSecAttrKeyTypeECSECPrimeRandom
        case "ed25519": kSecAttrKeyTypeEd25519
        default: nil
        }
    }

    /// Its private key.
    static func privateKey(_ name: String) throws -> SecKey {
        let made = keyType(name).flatMap {
            makeKey(all[name]?.privateKey ?? Data(), $0, kSecAttrKeyClassPrivate)
        }
        guard let made else { throw CocoaError(.fileReadCorruptFile) }
        return made
    }
}

/// Makes a key; nil if the library refuses it.
func makeKey(_ data: Data, _ type: CFString, _ keyClass: CFString) -> SecKey? {
    let attributes = [kSecAttrKeyType: type, kSecAttrKeyClass: keyClass] as CFDictionary
    return SecKeyCreateWithData(data as CFData, attributes, nil)
}

/// A DER element whose content is the parts.
func der(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
    let content = parts.flatMap { $0 }
    let count = content.count
    switch count {
    case 0..<0x80: return [tag, UInt8(count)] + content
    case 0x80..<0x100: return [tag, 0x81, UInt8(count)] + content
    case 0x100..<0x10000: return [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xff)] + content
    default:
        return [tag, 0x83, UInt8(count >> 16), UInt8(count >> 8 & 0xff), UInt8(count & 0xff)]
            + content
    }
}

/// Lower-case hexadecimal.
func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// Mutations of bytes, determined by a seed.
struct Mutator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// `LLAVERO_MUTATION_SEED`, else a new one.
    static let seed =
        ProcessInfo.processInfo.environment["LLAVERO_MUTATION_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: 0...UInt64.max)

    /// `LLAVERO_MUTATIONS`, else 50 000.
    static let count =
        ProcessInfo.processInfo.environment["LLAVERO_MUTATIONS"].flatMap { Int($0) } ?? 50_000

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Changes bytes in one to four places.
    mutating func mutate(_ original: [UInt8], others: [[UInt8]]) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            guard !bytes.isEmpty else { return bytes }
            let place = Int.random(in: 0..<bytes.count, using: &self)
            let count = Int.random(in: 0...min(40, bytes.count - place), using: &self)
            switch Int.random(in: 0..<8, using: &self) {
            case 0, 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 2: bytes[place] = UInt8.random(in: 0...255, using: &self)
            // Numbers at which the encoding of lengths and tags changes.
            case 3:
                bytes[place] =
                    [0x00, 0x1f, 0x30, 0x3f, 0x7f, 0x80, 0x81, 0x82, 0x84, 0x88, 0xff]
                    .randomElement(using: &self) ?? 0
            case 4: bytes.removeSubrange(place..<place + count)
            case 5: bytes.insert(contentsOf: bytes[place..<place + count], at: place)
            case 6: bytes.removeSubrange(place...)
            default:
                let other = others.randomElement(using: &self) ?? []
                bytes.replaceSubrange(place..., with: other.dropFirst(place))
            }
        }
        return bytes
    }
}
