// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// The classes of items, with samples of each.
enum ItemKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case genericPassword = "genp"
    case internetPassword = "inet"
    case certificate = "cert"
    case key = "keys"
    case identity = "idnt"

    /// Classes with their own table; an identity is a join.
    static let stored: [ItemKind] = [.genericPassword, .internetPassword, .certificate, .key]
    /// Classes whose items have no object as a reference.
    static let passwords: [ItemKind] = [.genericPassword, .internetPassword]

    var testDescription: String { rawValue }
    var isPassword: Bool { Self.passwords.contains(self) }

    /// A sample item; samples of different numbers (1 to 3) differ in their primary keys.
    func sample(_ number: Int = 1) -> Entries {
        let key = Self.keys[number - 1]
        let ofKeys: Entries = ["type": key.type, "kcls": 1, "bsiz": key.bits, "esiz": key.bits]
        return query(number) + ["v_Data": secret(number)] + (self == .key ? ofKeys : [:])
    }

    /// A query for only the sample with that number.
    func query(_ number: Int = 1) -> Entries {
        let own: Entries =
            switch self {
            case .genericPassword: ["acct": "account \(number)", "svce": "service"]
            case .internetPassword: ["acct": "account \(number)", "srvr": "server.example"]
            case .certificate: ["slnr": Self.certificates[number - 1].serialNumber]
            case .key: ["atag": "tag \(number)"]
            case .identity: ["alis": "alias \(number)"]
            }
        return ["class": rawValue] + own
    }

    /// The secret of the sample with that number.
    func secret(_ number: Int = 1) -> Data {
        switch self {
        case .genericPassword, .internetPassword: bytes("secret \(number)")
        case .certificate: Self.certificates[number - 1].der
        case .key, .identity: Self.keys[number - 1].privateKey
        }
    }

    static let certificates: [CertificateSample] = [.anna, .future, .berta]
    private static let keys: [KeySample] = [.anna, .other, .berta]

    /// Stores the sample with that number.
    func put(_ number: Int = 1, into keychain: ConformanceKeychain, _ more: Entries = [:]) throws {
        guard self == .identity else {
            return #expect(keychain.add(sample(number) + more) == errSecSuccess)
        }
        let certificate = try Self.certificates[number - 1].reference()
        let key = try Self.keys[number - 1].reference()
        let own = query(number).without("class")
        #expect(keychain.add(["v_Ref": certificate] + own + more) == errSecSuccess)
        #expect(keychain.add(["v_Ref": key] + own + more) == errSecSuccess)
    }

    /// Whether an object is the `kSecReturnRef` result for the sample with that number.
    func isReference(_ object: Any?, to number: Int = 1) -> Bool {
        guard let object = object as AnyObject? else { return false }
        switch self {
        case .genericPassword, .internetPassword: return false
        case .certificate:
            return (object as? SecCertificate).map {
                SecCertificateCopyData($0) as Data == secret(number)
            } ?? false
        case .key:
            return (object as? SecKey).map {
                SecKeyCopyExternalRepresentation($0, nil) as Data? == secret(number)
            } ?? false
        case .identity: return (object as? SecIdentity).map { isIdentity($0, number) } ?? false
        }
    }

    private func isIdentity(_ identity: SecIdentity, _ number: Int) -> Bool {
        var certificate: SecCertificate?
        var key: SecKey?
        guard unsafe SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess,
            unsafe SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess
        else { return false }
        return ItemKind.certificate.isReference(certificate, to: number)
            && ItemKind.key.isReference(key, to: number)
    }
}

extension CertificateSample {
    /// The certificate as an object; null if it can't be made.
    var object: AnyObject { (try? reference()) ?? NSNull() }

    /// The certificate as an object.
    func reference() throws -> SecCertificate {
        try #require(SecCertificateCreateWithData(nil, der as NSData))
    }
}

extension KeySample {
    /// The private key as an object; null if it can't be made.
    var object: AnyObject { (try? reference()) ?? NSNull() }

    /// The public key as an object; null if it can't be made.
    var publicObject: AnyObject { (try? publicReference()) ?? NSNull() }

    /// The private key as an object.
    func reference() throws -> SecKey { try reference(privateKey, keyClass: 1) }

    /// The public key as an object.
    func publicReference() throws -> SecKey { try reference(publicKey, keyClass: 0) }

    private func reference(_ data: Data, keyClass: Int) throws -> SecKey {
        let attributes: NSDictionary = ["type": "\(type)", "kcls": "\(keyClass)"]
        let key = SecKeyCreateWithData(data as NSData, attributes, nil)
        return try #require(key)
    }
}

/// A certificate with its private key, as an object.
func identity(_ certificate: CertificateSample, _ key: KeySample) throws -> SecIdentity {
    try #require(SecIdentityCreate(nil, try certificate.reference(), try key.reference()))
}

/// An access control that requires nothing beyond an accessibility.
func accessControl(_ accessibility: String) throws -> SecAccessControl {
    let access = SecAccessControlCreateWithFlags(nil, accessibility as NSString, [], nil)
    return try #require(access)
}
