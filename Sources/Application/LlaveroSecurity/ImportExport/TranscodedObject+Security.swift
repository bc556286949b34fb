// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import SecurityWire
import TranscodingWire

/// Why objects aren't imported or exported.
struct ImportExportFailure: Error {
    let status: OSStatus

    init(_ status: OSStatus) { self.status = status }
}

/// The numbers of `kSecAttrKeyType…`; a file's objects have a type of the same name.
private typealias KeyNumber = KeyType

extension TranscodedObject {
    /// The certificate; nil for another object, and for what isn't one.
    var certificate: SecCertificate? {
        guard kind == .certificate else { return nil }
        return SecCertificate(der: unsafe bytes.bytes.withUnsafeBytes { unsafe Data($0) })
    }

    /// The key; nil for another object, and for what isn't one.
    func key(isExtractable: Bool) -> SecKey? {
        let keyClass: KeyClass
        switch kind {
        case .certificate: return nil
        case .privateKey: keyClass = .privateKey
        case .publicKey: keyClass = .publicKey
        case .symmetricKey: keyClass = .symmetricKey
        }
        let type: Int64 =
            switch keyType {
            case .none: KeyNumber.aes
            case .rsa: KeyNumber.rsa
            case .curve: KeyNumber.ellipticCurve
            case .ed25519: KeyNumber.ed25519
            case .x25519: KeyNumber.x25519
            }
        return SecKey(
            type: type, keyClass: keyClass, representation: bytes, isExtractable: isExtractable)
    }

    init(_ certificate: SecCertificate) {
        self.init(
            .certificate,
            bytes: Secret(copying: NSData(data: certificate.der)),
            label: certificate.summaryLabel)
    }

    /// - Throws: `errSecDataNotAvailable` for a key that doesn't leave its place; an error for a type
    ///   that no format has.
    init(_ key: SecKey) throws(ImportExportFailure) {
        if key.keyClass != .publicKey, key.enclaveKey != nil || !key.isExtractable {
            throw ImportExportFailure(errSecDataNotAvailable)
        }
        let type: KeyType =
            switch key.algorithm {
            case .rsa: .rsa
            case .ellipticCurve: .curve
            case .ed25519: .ed25519
            case .x25519: .x25519
            case .symmetric: .none
            }
        let kind: Kind =
            switch key.keyClass {
            case .privateKey: .privateKey
            case .publicKey: .publicKey
            case .symmetricKey: .symmetricKey
            }
        self.init(kind, type, bytes: key.externalRepresentation)
    }
}

extension TranscodingFailure {
    /// The status of `SecItemImport` and `SecItemExport`.
    var status: OSStatus {
        switch self {
        case .passphraseNeeded: errSecPassphraseRequired
        case .passphraseWrong: errSecPkcs12VerifyFailure
        case .unknownFormat: errSecUnknownFormat
        case .unsupported, .encryptedSSH: errSecUnsupportedFormat
        case .tooMuch: errSecDecode
        case .failed: errSecInternalComponent
        }
    }
}

/// What was read from a file, as objects of this interface.
struct ImportedFile {
    struct Identity {
        let identity: SecIdentity
        let label: String?
    }

    let objects: [TranscodedObject]
    let format: CodingFormat
    /// Certificates in the order of the file.
    private(set) var certificates: [(certificate: SecCertificate, object: TranscodedObject)] = []
    /// Keys in the order of the file.
    private(set) var keys: [(key: SecKey, object: TranscodedObject)] = []

    /// Has a file read.
    /// - Throws: a status of `SecItemImport`; `errSecDecode` for an object that isn't what its format
    ///   says.
    init(
        _ reading: TranscodingRequest.Reading, areExtractable: Bool = true,
        _ connection: KeychainConnection = processConnection
    ) throws(ImportExportFailure) {
        let reply: TranscodingReply
        do throws(KeychainError) { reply = try connection.transcode(.read(reading)) } catch {
            throw ImportExportFailure(error.status)
        }
        switch reply {
        case .failed(let failure): throw ImportExportFailure(failure.status)
        case .file: throw ImportExportFailure(errSecInternalComponent)
        case .objects(let objects, let format, isText: _):
            self.objects = objects
            self.format = format
            for object in objects {
                if let certificate = object.certificate {
                    certificates.append((certificate, object))
                } else if let key = object.key(isExtractable: areExtractable) {
                    keys.append((key, object))
                } else {
                    throw ImportExportFailure(errSecDecode)
                }
            }
        }
    }

    /// Each private key with its certificate, in the order of the keys. A certificate with the key's
    /// identifier comes first, for files with several certificates of a key.
    var identities: [Identity] {
        keys.compactMap { entry in
            let related = certificates.filter {
                !entry.object.keyID.isEmpty && $0.object.keyID == entry.object.keyID
            }
            for candidate in related + certificates {
                if let identity = SecIdentity(certificate: candidate.certificate, key: entry.key) {
                    return Identity(
                        identity: identity,
                        label: entry.object.label ?? candidate.object.label)
                }
            }
            return nil
        }
    }

    /// A leaf and those of the file's certificates that lead up from it.
    func chain(of leaf: SecCertificate) -> [SecCertificate] {
        var chain = [leaf]
        while let last = chain.last, last.fields.normalizedSubject != last.fields.normalizedIssuer {
            let issuer = certificates.first { entry in
                entry.certificate.fields.normalizedSubject == last.fields.normalizedIssuer
                    && !chain.contains(entry.certificate)
            }
            guard let issuer else { break }
            chain.append(issuer.certificate)
        }
        return chain
    }
}

extension Secret {
    /// A passphrase that came as text or data; nil for nothing and for another object.
    convenience init?(passphrase object: Any?) {
        if let data = object as? NSData {
            let bytes = unsafe UnsafeRawBufferPointer(
                start: data.length > 0 ? data.bytes : nil, count: data.length)
            self.init(unsafe SecretBytes(copying: bytes))
        } else if let text = object as? NSString {
            // `String(text)` reads the storage of a usual NSString, which a constant of C has not.
            let letters = (text as String).utf8
            self.init(
                unsafe SecretBytes(byteCount: letters.count) { unsafe $0.copyBytes(from: letters) })
        } else {
            return nil
        }
    }

    /// The bytes of data that came from a program.
    convenience init(copying data: CFData) {
        let bytes = unsafe UnsafeRawBufferPointer(
            start: data.length > 0 ? data.bytes : nil, count: data.length)
        self.init(unsafe SecretBytes(copying: bytes))
    }
}
