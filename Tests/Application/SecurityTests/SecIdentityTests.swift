// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

@Suite struct SecIdentityTests {
    private static let names = CertificateVector.names.filter {
        CertificateVector.keyType($0) != nil
    }

    private static func identity(_ certificate: String, _ key: String) throws -> SecIdentity? {
        SecIdentityCreate(
            nil, try CertificateVector.certificate(certificate),
            try CertificateVector.privateKey(key))
    }

    @Test(arguments: names) func aCertificateAndItsKeyAreAnIdentity(_ name: String) throws {
        let identity = try #require(try Self.identity(name, name))
        #expect(CFGetTypeID(identity) == SecIdentityGetTypeID())
        var certificate: SecCertificate?
        var status = unsafe SecIdentityCopyCertificate(identity, &certificate)
        #expect(status == errSecSuccess)
        #expect(try certificate == CertificateVector.certificate(name))
        var key: SecKey?
        status = unsafe SecIdentityCopyPrivateKey(identity, &key)
        #expect(status == errSecSuccess)
        #expect(try key == CertificateVector.privateKey(name))
    }

    @Test func theKeyOfAnotherCertificateMakesNoIdentity() throws {
        for certificate in CertificateVector.names {
            for key in Self.names where key != certificate {
                #expect(try Self.identity(certificate, key) == nil)
            }
        }
    }

    @Test(arguments: names) func thePublicHalfMakesNoIdentity(_ name: String) throws {
        let certificate = try CertificateVector.certificate(name)
        let key = try #require(SecCertificateCopyKey(certificate))
        #expect(SecIdentityCreate(nil, certificate, key) == nil)
        let secret = try #require(
            makeKey(Data([1]), kSecAttrKeyTypeAES, kSecAttrKeyClassSymmetric))
        #expect(SecIdentityCreate(nil, certificate, secret) == nil)
    }

    @Test func aKeyOfTheSameBytesAndAnotherAlgorithmMakesNoIdentity() throws {
        let vector = try CertificateVector.named("ed25519-teletex")
        let key = try #require(
            makeKey(vector.privateKey, kSecAttrKeyTypeX25519, kSecAttrKeyClassPrivate))
        let certificate = try CertificateVector.certificate("ed25519-teletex")
        #expect(SecIdentityCreate(nil, certificate, key) == nil)
    }

    @Test func identitiesAreEqualWhenBothHalvesAre() throws {
        let one = try #require(try Self.identity("rsa", "rsa"))
        let again = try #require(try Self.identity("rsa", "rsa"))
        let other = try #require(try Self.identity("p256-issued", "p256-issued"))
        #expect(one == again && one.hash == again.hash && CFEqual(one, again))
        #expect(one != other)
        #expect(one != (try CertificateVector.certificate("rsa") as NSObject))
    }

    @Test func typeNumbersOfObjectsDiffer() {
        let types = [
            SecCertificateGetTypeID(), SecKeyGetTypeID(), SecIdentityGetTypeID(),
            SecAccessControlGetTypeID(),
        ]
        #expect(Set(types).count == types.count)
    }
}
