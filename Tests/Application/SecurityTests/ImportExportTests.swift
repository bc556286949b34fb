// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// `SecPKCS12Import`, `SecItemImport` and `SecItemExport`, with files of other programs.
@Suite(.serialized) struct ImportExportTests {
    init() throws { _ = try EphemeralKeychain.shared.get() }

    private static let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Vectors/imports")

    private func sample(_ name: String) throws -> CFData {
        try Data(contentsOf: Self.samples.appendingPathComponent(name)) as CFData
    }

    private func identities(
        _ name: String, _ options: [CFString: Any]
    ) throws -> (OSStatus, [[String: Any]]?) {
        var items: CFArray?
        let status = unsafe SecPKCS12Import(
            try sample(name), options as CFDictionary, &items)
        return (status, items as? [[String: Any]])
    }

    private struct Imported {
        var status: OSStatus
        var items: [Any]?
        var format: SecExternalFormat
        var type: SecExternalItemType
    }

    private func imported(
        _ data: CFData, passphrase: String? = nil, format: SecExternalFormat = .formatUnknown,
        type: SecExternalItemType = .itemTypeUnknown, flags: SecKeyImportExportFlags = [],
        attributes: [CFString]? = nil
    ) -> Imported {
        var result = Imported(status: 0, items: nil, format: format, type: type)
        var items: CFArray?
        let text = passphrase.map { NSString(string: $0) }
        let list = attributes.map { NSArray(array: $0) }
        withExtendedLifetime((text, list)) {
            var parameters = unsafe SecItemImportExportKeyParameters()
            unsafe parameters.flags = flags
            unsafe parameters.passphrase = text.map { unsafe Unmanaged.passUnretained($0) }
            unsafe parameters.keyAttributes = list.map { unsafe Unmanaged.passUnretained($0) }
            result.status = unsafe SecItemImport(
                data, nil, &result.format, &result.type, [], &parameters, nil, &items)
        }
        result.items = items.map { Array($0) }
        return result
    }

    private func exported(
        _ item: CFTypeRef, _ format: SecExternalFormat, _ flags: SecItemImportExportFlags = [],
        passphrase: String? = nil
    ) -> (OSStatus, CFData?) {
        var data: CFData?
        let text = passphrase.map { NSString(string: $0) }
        let status = withExtendedLifetime(text) {
            var parameters = unsafe SecItemImportExportKeyParameters()
            unsafe parameters.passphrase = text.map { unsafe Unmanaged.passUnretained($0) }
            return unsafe SecItemExport(item, format, flags, &parameters, &data)
        }
        return (status, data)
    }

    // MARK: - SecPKCS12Import

    @Test func anIdentityComesWithWhatBelongsToIt() throws {
        let (status, found) = try identities(
            "openssl-chain.p12", [kSecImportExportPassphrase: "secret"])
        #expect(status == errSecSuccess)
        let entry = try #require(found?.first)
        #expect(found?.count == 1)
        let identity = try #require(entry["identity"] as? SecIdentity)
        var certificate: SecCertificate?
        unsafe SecIdentityCopyCertificate(identity, &certificate)
        let chain = try #require(entry["chain"] as? [SecCertificate])
        #expect(chain == [try #require(certificate)])
        #expect(entry["label"] as? String == "sample")
        #expect((entry["keyid"] as? Data)?.count == 20)
        let trust = try #require(entry["trust"] as? SecTrust)
        #expect(SecTrustGetCertificateCount(trust) == 1)
        #expect(Set(entry.keys) == ["identity", "chain", "label", "keyid", "trust"])
    }

    @Test func aPassphraseIsTextOrDataAndAMissingOneIsEmpty() throws {
        let data = Data("secret".utf8)
        #expect(try identities("openssl-aes.p12", [kSecImportExportPassphrase: data]).0 == 0)
        #expect(try identities("openssl-empty.p12", [:]).0 == errSecSuccess)
        #expect(
            try identities("openssl-empty.p12", [kSecImportExportPassphrase: ""]).0
                == errSecSuccess)
        for options in [[:], [kSecImportExportPassphrase: "another"]] as [[CFString: Any]] {
            let (status, found) = try identities("openssl-aes.p12", options)
            #expect(status == errSecAuthFailed)
            #expect(found == nil)
        }
        #expect(
            try identities("ec-pbes2.pem", [kSecImportExportPassphrase: "secret"]).0
                == errSecDecode)
        #expect(
            try identities("openssl-aes.p12", [kSecImportExportPassphrase: 5]).0 == errSecParam)
    }

    @Test func onlyTheDataProtectionKeychainStores() throws {
        let (_, found) = try identities(
            "openssl-aes.p12", [kSecImportExportPassphrase: "secret"])
        let identity = try #require(found?.first?["identity"] as? SecIdentity)
        let query = [kSecValueRef: identity, kSecUseDataProtectionKeychain: true] as CFDictionary
        defer { SecItemDelete(query) }
        #expect(SecItemCopyMatching(query, nil) == errSecItemNotFound)
        let storing: [CFString: Any] = [
            kSecImportExportPassphrase: "secret", kSecUseDataProtectionKeychain: true,
        ]
        var memory = storing
        memory[kSecImportToMemoryOnly] = true
        #expect(try identities("openssl-aes.p12", memory).0 == errSecSuccess)
        #expect(SecItemCopyMatching(query, nil) == errSecItemNotFound)
        #expect(try identities("openssl-aes.p12", storing).0 == errSecSuccess)
        #expect(SecItemCopyMatching(query, nil) == errSecSuccess)
        #expect(try identities("openssl-aes.p12", storing).0 == errSecDuplicateItem)
    }

    // MARK: - SecItemImport

    @Test func formatAndTypeAreFound() throws {
        let cases: [(String, SecExternalFormat, SecExternalItemType, Int)] = [
            ("certificate.der", .formatX509Cert, .itemTypeCertificate, 1),
            ("sequence.pem", .formatPEMSequence, .itemTypeAggregate, 3),
            ("certificates.p7b", .formatPKCS7, .itemTypeAggregate, 2),
            ("netscape.pem", .formatNetscapeCertSequence, .itemTypeCertificate, 1),
            ("ec-sec1.der", .formatOpenSSL, .itemTypePrivateKey, 1),
            ("rsa-public.pem", .formatOpenSSL, .itemTypePublicKey, 1),
            ("ec-pbes2.pem", .formatWrappedPKCS8, .itemTypePrivateKey, 1),
            ("ssh-ed25519", .formatWrappedSSH, .itemTypePrivateKey, 1),
            ("ssh-rsa.pub", .formatSSH, .itemTypePublicKey, 1),
            ("openssl-aes.p12", .formatPKCS12, .itemTypeAggregate, 1),
        ]
        for (name, format, type, count) in cases {
            let result = imported(try sample(name), passphrase: "secret")
            #expect(result.status == errSecSuccess, "\(name)")
            #expect(result.format == format, "\(name)")
            #expect(result.type == type, "\(name)")
            #expect(result.items?.count == count, "\(name)")
        }
        #expect(
            imported(try sample("openssl-aes.p12"), passphrase: "secret").items?.first
                is SecIdentity)
    }

    @Test func anImportThatFailsSaysWhy() throws {
        let cases: [(Imported, OSStatus)] = [
            (imported(try sample("openssl-aes.p12")), errSecPassphraseRequired),
            (
                imported(try sample("openssl-aes.p12"), passphrase: "x"),
                errSecPkcs12VerifyFailure
            ),
            (imported(try sample("ec-pbes2.pem"), passphrase: "x"), errSecPkcs12VerifyFailure),
            (imported(Data([1, 2]) as CFData), errSecUnknownFormat),
            (
                imported(try sample("certificate.der"), format: .formatPKCS12),
                errSecUnknownFormat
            ),
            (
                imported(try sample("certificate.der"), type: .itemTypePrivateKey),
                errSecUnknownFormat
            ),
            (imported(try sample("ssh-encrypted"), passphrase: "secret"), errSecUnsupportedFormat),
            (
                imported(try sample("certificate.der"), format: .formatBSAFE),
                errSecUnsupportedFormat
            ),
        ]
        for (result, status) in cases {
            #expect(result.status == status)
            #expect(result.items == nil)
        }
        var two = try Data(sample("ec-pbes2.pem") as Data)
        two.append(try sample("rsa-pkcs1.pem") as Data)
        let one = imported(two as CFData, passphrase: "secret", flags: .importOnlyOne)
        #expect(one.status == errSecMultiplePrivKeys)
        #expect(imported(two as CFData, passphrase: "secret").items?.count == 2)
    }

    @Test func theBytesOfASymmetricKeyAreTaken() throws {
        let data = Data(0..<32) as CFData
        let result = imported(data, type: .itemTypeSessionKey)
        #expect(result.format == .formatRawKey)
        let key = try #require(result.items?.first as? SecKey)
        #expect(exported(key, .formatUnknown).1 == data)
    }

    // MARK: - SecItemExport

    @Test func eachFormatIsWrittenAndReadAgain() throws {
        let pair = imported(try sample("openssl-aes.p12"), passphrase: "secret")
        let identity = try #require(pair.items?.first as? SecIdentity)
        var key: SecKey?
        unsafe SecIdentityCopyPrivateKey(identity, &key)
        let privateKey = try #require(key)
        let cases: [(CFTypeRef, SecExternalFormat, String?, SecExternalFormat)] = [
            (privateKey, .formatUnknown, nil, .formatOpenSSL),
            (privateKey, .formatWrappedPKCS8, "p", .formatWrappedPKCS8),
            (identity, .formatPKCS12, "p", .formatPKCS12),
            (identity, .formatUnknown, nil, .formatPEMSequence),
        ]
        for (item, format, passphrase, found) in cases {
            let (status, data) = exported(item, format, passphrase: passphrase)
            #expect(status == errSecSuccess)
            let again = imported(try #require(data), passphrase: passphrase)
            #expect(again.format == found)
            let objects = try #require(again.items)
            let isThere = objects.contains { object in
                (object as? SecKey) == privateKey || (object as? SecIdentity) == identity
            }
            #expect(isThere, "\(found)")
        }
        let text = try #require(exported(privateKey, .formatOpenSSL, .pemArmour).1)
        #expect(String(decoding: text as Data, as: UTF8.self).hasPrefix("-----BEGIN EC PRIVATE"))
    }

    @Test func anExportThatFailsSaysWhy() throws {
        let pair = imported(try sample("openssl-aes.p12"), passphrase: "secret")
        let identity = try #require(pair.items?.first as? SecIdentity)
        #expect(exported(identity, .formatPKCS12).0 == errSecPassphraseRequired)
        #expect(exported(identity, .formatX509Cert).0 == errSecUnsupportedFormat)
        #expect(exported(identity, .formatBSAFE, passphrase: "p").0 == errSecUnsupportedFormat)
        #expect(
            exported(identity, .formatWrappedOpenSSL, passphrase: "p").0 == errSecUnsupportedFormat)
        #expect(exported(NSArray(), .formatUnknown).0 == errSecParam)
        #expect(exported(NSString(string: "x"), .formatUnknown).0 == errSecParam)
    }

    @Test func aKeyThatIsNotExtractableStaysWhereItIs() throws {
        let read = imported(
            try sample("ec-sec1.der"), attributes: [kSecAttrIsSensitive, kSecAttrIsPermanent])
        let key = try #require(read.items?.first as? SecKey)
        for format in [SecExternalFormat.formatOpenSSL, .formatWrappedPKCS8, .formatPKCS12] {
            let (status, data) = exported(key, format, passphrase: "p")
            #expect(status == errSecDataNotAvailable)
            #expect(data == nil)
        }
        // Its public half is no secret.
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        #expect(exported(publicKey, .formatUnknown).0 == errSecSuccess)
        // Nor does it come out by way of the keychain.
        let item = [kSecValueRef: key, kSecReturnRef: true] as CFDictionary
        var stored: CFTypeRef?
        #expect(unsafe SecItemAdd(item, &stored) == errSecSuccess)
        defer { SecItemDelete([kSecValueRef: key] as CFDictionary) }
        let found = try #require(stored as? SecKey)
        #expect(exported(found, .formatOpenSSL).0 == errSecDataNotAvailable)
        let enclave = SecKeyCreateRandomKey(
            [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            ] as CFDictionary, nil)
        #expect(exported(try #require(enclave), .formatOpenSSL).0 == errSecDataNotAvailable)
    }
}
