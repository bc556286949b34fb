// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecretBytes
import SecurityWire

/// What `kSecValueRef` holds: an object that stands for the attributes of an item.
enum ItemReference {
    case certificate(SecCertificate)
    case key(SecKey)
    case identity(SecIdentity)

    /// Takes the object from a dictionary; nil for any other.
    init?(_ object: AnyObject) {
        switch object {
        case let certificate as SecCertificate: self = .certificate(certificate)
        case let key as SecKey: self = .key(key)
        case let identity as SecIdentity: self = .identity(identity)
        default: return nil
        }
    }

    /// The private key in the enclave that it is, if any.
    var enclaveKey: EnclaveKey? {
        guard case .key(let key) = self else { return nil }
        return key.enclaveKey
    }

    /// The class of the item, where the caller names none.
    var itemClass: ItemClass {
        switch self {
        case .certificate: .certificate
        case .key: .key
        case .identity: .identity
        }
    }

    /// What the object says about an item that is to be stored. An identity is stored as its two
    /// halves, so that nobody asks this of it.
    var attributesToStore: ItemAttributes {
        switch self {
        case .certificate(let certificate): certificate.itemAttributes
        case .key(let key): key.itemAttributes(forQuery: false)
        case .identity: ItemAttributes()
        }
    }

    /// What a stored item has if it is the object's.
    var attributesToMatch: ItemAttributes {
        switch self {
        case .certificate(let certificate): return certificate.itemAttributes
        case .key(let key): return key.itemAttributes(forQuery: true)
        case .identity(let identity):
            var attributes = identity.key.itemAttributes(forQuery: true)
            attributes.merge(identity.certificate.itemAttributes)
            return attributes
        }
    }

    /// What is stored as the item's secret.
    var secret: Secret? {
        switch self {
        case .certificate(let certificate): Secret.copying(certificate.der)
        case .key(let key): key.externalRepresentation
        case .identity: nil
        }
    }

    /// The name that people see, where the caller gives none.
    var label: AttributeValue? {
        guard case .certificate(let certificate) = self else { return nil }
        return certificate.summaryLabel.map { .text($0) }
    }
}

/// What `kSecValuePersistentRef` holds.
enum StoredReference {
    /// 20 bytes: class and UUID.
    case item(PersistentReference)
    /// 12 bytes, the older form: class and row number, big-endian.
    case row(ItemClass, Int64)

    /// Takes the reference from a dictionary.
    /// - Throws: `errSecParam` unless it is data of one of the two forms.
    init(_ object: AnyObject) throws(ItemFailure) {
        guard let data = object as? NSData, [12, 20].contains(data.length) else {
            throw ItemFailure(errSecParam)
        }
        let bytes = data.byteArray
        if let reference = PersistentReference(bytes: bytes) {
            self = .item(reference)
            return
        }
        guard bytes.count == 12, let name = String(validating: bytes.prefix(4), as: UTF8.self),
            let itemClass = ItemClass(rawValue: name)
        else { throw ItemFailure(errSecParam) }
        let number = bytes.dropFirst(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self = .row(itemClass, Int64(bitPattern: number))
    }

    /// The class of the item.
    var itemClass: ItemClass {
        switch self {
        case .item(let reference): reference.itemClass
        case .row(let itemClass, _): itemClass
        }
    }
}

extension Secret {
    /// Copies bytes that are no secret to a place where secrets are.
    static func copying(_ data: Data) -> Secret {
        unsafe data.withUnsafeBytes { bytes in Secret(unsafe SecretBytes(copying: bytes)) }
    }

    /// A copy for what is no secret: a certificate.
    var publicData: Data { unsafe bytes.withUnsafeBytes { bytes in unsafe Data(bytes) } }
}
