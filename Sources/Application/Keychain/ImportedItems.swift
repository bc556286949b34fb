// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import SecretBytes
package import SecurityWire
package import TranscodingWire
import TrustWire

/// The items that the objects of a file become, and the objects that items are.
package enum ImportedItems {
    private static let aes: Int64 = 0x8000_0001
    private static let types: [(type: TranscodedObject.KeyType, number: Int64)] = [
        (.rsa, 42), (.curve, 73), (.ed25519, 105), (.x25519, 106),
    ]
    /// The label of a private key without one. Source: macOS, as observed.
    private static let privateKeyLabel = "Imported Private Key"

    /// The item that an object becomes.
    /// - Parameters:
    ///   - object: The object.
    ///   - isExtractable: Whether a private key may be exported again.
    /// - Returns: Nil for bytes that aren't such an object.
    package static func item(
        _ object: TranscodedObject, isExtractable: Bool = true
    ) -> NewItem? {
        object.kind == .certificate
            ? certificate(object) : key(object, isExtractable: isExtractable)
    }

    private static func certificate(_ object: TranscodedObject) -> NewItem? {
        let der = unsafe object.bytes.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
        guard let outline = CertificateOutline(der) else { return nil }
        var item = NewItem(.certificate)
        item.attributes = outline.itemAttributes
        item.attributes[.label] = .text(CertificateSubject.summary(der))
        item.secret = object.bytes
        return item
    }

    private static func key(_ object: TranscodedObject, isExtractable: Bool) -> NewItem? {
        let isSymmetric = object.kind == .symmetricKey
        let isPrivate = object.kind == .privateKey
        let publicBytes =
            isPrivate
            ? object.publicBytes
            : unsafe object.bytes.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
        guard let bitCount = isSymmetric ? publicBytes.count * 8 : bitCount(object, publicBytes)
        else { return nil }
        var item = NewItem(.key)
        var attributes = ItemAttributes()
        attributes[.keyClass] = .integer(isSymmetric ? 2 : isPrivate ? 1 : 0)
        if !isSymmetric {
            attributes[.applicationLabel] = .data(digest(publicBytes))
        }
        attributes[.type] = .integer(typeNumber(object.keyType))
        attributes[.keySizeInBits] = .integer(Int64(bitCount))
        attributes[.effectiveKeySize] = .integer(Int64(bitCount))
        for attribute in [Attribute.isPrivate, .isModifiable, .isPermanent] {
            attributes[attribute] = .integer(1)
        }
        attributes[.isExtractable] = .integer(isExtractable || object.kind == .publicKey ? 1 : 0)
        for attribute in [Attribute.isSensitive, .wasAlwaysSensitive, .wasNeverExtractable] {
            attributes[attribute] = .integer(0)
        }
        for (attribute, isSet) in uses(object) { attributes[attribute] = .integer(isSet ? 1 : 0) }
        if let label = object.label ?? (isPrivate ? privateKeyLabel : nil) {
            attributes[.label] = .text(label)
        }
        item.attributes = attributes
        item.secret = object.bytes
        return item
    }

    /// The same as of a key that SecItem adds.
    private static func uses(_ object: TranscodedObject) -> [(Attribute, Bool)] {
        let hasPublicUses = object.kind != .privateKey
        let hasPrivateUses = object.kind != .publicKey
        let isSymmetric = object.kind == .symmetricKey
        let isRSA = object.keyType == .rsa
        return [
            (.canEncrypt, hasPublicUses), (.canDecrypt, hasPrivateUses || isRSA),
            (.canDerive, hasPrivateUses && !isRSA), (.canSign, hasPrivateUses && !isSymmetric),
            (.canVerify, hasPublicUses && !isSymmetric), (.canSignRecover, false),
            (.canVerifyRecover, false), (.canWrap, hasPublicUses), (.canUnwrap, hasPrivateUses),
        ]
    }

    private static func bitCount(_ object: TranscodedObject, _ publicBytes: [UInt8]) -> Int? {
        switch object.keyType {
        case .none: return nil
        case .ed25519, .x25519: return publicBytes.count == 32 ? 256 : nil
        case .curve: return [65: 256, 97: 384, 133: 521][publicBytes.count]
        case .rsa:
            guard let numbers = DERElements.only(publicBytes[...])?.elements(DERTag.sequence),
                numbers.count == 2,
                let modulus = numbers[0].content(DERTag.integer)?.drop(while: { $0 == 0 }),
                let first = modulus.first
            else { return nil }
            return modulus.count * 8 - first.leadingZeroBitCount
        }
    }

    private static func typeNumber(_ type: TranscodedObject.KeyType) -> Int64 {
        types.first { $0.type == type }?.number ?? aes
    }

    /// The number of an attribute that is one, or a decimal text.
    package static func number(_ value: AttributeValue) -> Int64? {
        switch value {
        case .integer(let number): number
        case .text(let text): Int64(text)
        case .data, .real, .date: nil
        }
    }

    /// What relates a key and its certificate.
    package static func digest(_ publicBytes: [UInt8]) -> [UInt8] {
        [UInt8](Insecure.SHA1.hash(data: publicBytes))
    }

    /// Why an item isn't exported.
    package enum Refusal: Error {
        /// The key isn't extractable, or is the enclave's.
        case dataNotAvailable
        /// It isn't a certificate, nor a key that a format has.
        case unsupported
    }

    /// The object that an item is.
    package static func object(_ found: FoundItem) throws(Refusal) -> TranscodedObject {
        guard let secret = found.secret else { throw .dataNotAvailable }
        var label: String?
        if case .text(let text)? = found.attributes[.label], !text.isEmpty { label = text }
        guard found.itemClass == .key else {
            var object = TranscodedObject(.certificate, bytes: secret, label: label)
            if case .data(let digest)? = found.attributes[.publicKeyHash] { object.keyID = digest }
            return object
        }
        let kind: TranscodedObject.Kind =
            switch found.attributes[.keyClass].flatMap(number) {
            case 0: .publicKey
            case 1: .privateKey
            case 2: .symmetricKey
            default: throw .unsupported
            }
        if kind != .publicKey {
            guard found.attributes[.tokenID] == nil || found.attributes[.tokenID] == .text(""),
                found.attributes[.isExtractable].flatMap(number) != 0
            else { throw .dataNotAvailable }
        }
        var type = TranscodedObject.KeyType.none
        if kind != .symmetricKey {
            let wanted = found.attributes[.type].flatMap(number)
            guard let known = types.first(where: { $0.number == wanted }) else {
                throw .unsupported
            }
            type = known.type
        }
        var object = TranscodedObject(kind, type, bytes: secret, label: label)
        if kind == .privateKey, case .data(let digest)? = found.attributes[.applicationLabel] {
            object.keyID = digest
        }
        return object
    }
}
