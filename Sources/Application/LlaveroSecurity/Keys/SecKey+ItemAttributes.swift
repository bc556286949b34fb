// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Keychain
package import SecretBytes
package import SecurityWire

extension SecKey {
    /// The attributes of an item that is this key.
    ///
    /// Source: Apple's SecKey, as observed, including its oddities: a public key is private and an
    /// RSA one decrypts. No symmetric keys were observed. They allow all operations of ciphers, and
    /// have no application label, since a digest of the key itself would help to guess it.
    /// - Parameter forQuery: Whether the attributes are for finding the key. Then attributes are
    ///   omitted that a stored key may have otherwise: whether it is permanent, and its allowed
    ///   uses.
    /// - Returns: Numbers and one label; nothing secret.
    package func itemAttributes(forQuery: Bool) -> ItemAttributes {
        var attributes = ItemAttributes()
        attributes[.keyClass] = .integer(keyClass.rawValue)
        if let publicBytes {
            attributes[.applicationLabel] = .data([UInt8](Insecure.SHA1.hash(data: publicBytes)))
        }
        attributes[.type] = .integer(algorithm.type)
        attributes[.keySizeInBits] = .integer(Int64(algorithm.bitCount))
        attributes[.effectiveKeySize] = .integer(Int64(algorithm.bitCount))
        for attribute in [Attribute.isPrivate, .isModifiable, .isExtractable] {
            attributes[attribute] = .integer(1)
        }
        for attribute in [Attribute.isSensitive, .wasAlwaysSensitive, .wasNeverExtractable] {
            attributes[attribute] = .integer(0)
        }
        if !isExtractable { attributes[.isExtractable] = .integer(0) }
        if enclaveKey != nil {
            attributes[.tokenID] = .text(EnclaveKey.tokenID)
            attributes[.isExtractable] = .integer(0)
            attributes[.isSensitive] = .integer(1)
            attributes[.wasAlwaysSensitive] = .integer(1)
            attributes[.wasNeverExtractable] = .integer(1)
        }
        if !forQuery {
            attributes[.isPermanent] = .integer(1)
            for (attribute, isSet) in uses { attributes[attribute] = .integer(isSet ? 1 : 0) }
        }
        return attributes
    }

    private var uses: [(Attribute, Bool)] {
        let hasPublicUses = keyClass != .privateKey
        let hasPrivateUses = keyClass != .publicKey
        let isSymmetric = keyClass == .symmetricKey
        let isRSA = if case .rsa = algorithm { true } else { false }
        return [
            (.canEncrypt, hasPublicUses),
            (.canDecrypt, hasPrivateUses || isRSA),
            (.canDerive, hasPrivateUses && !isRSA),
            (.canSign, hasPrivateUses && !isSymmetric),
            (.canVerify, hasPublicUses && !isSymmetric),
            (.canSignRecover, false),
            (.canVerifyRecover, false),
            (.canWrap, hasPublicUses),
            (.canUnwrap, hasPrivateUses),
        ]
    }

    /// The key of an item.
    /// - Parameters:
    ///   - attributes: The item's.
    ///   - data: The item's.
    ///   - connection: The connection to the enclave, for a key that is in it.
    ///   - asking: How the person is asked when such a key is used.
    /// - Returns: Nil unless the item is a key.
    static func stored(
        _ attributes: ItemAttributes, _ data: Secret, connection: KeychainConnection,
        asking: EnclaveKey.Asking = EnclaveKey.Asking()
    ) -> SecKey? {
        if attributes[.tokenID] == .text(EnclaveKey.tokenID),
            case .text(let group)? = attributes[.accessGroup]
        {
            let bytes = unsafe data.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
            if var key = EnclaveKey(data: bytes, accessGroup: group, connection: connection) {
                key.asking = asking
                return SecKey(key)
            }
        }
        return SecKey(stored: attributes, data: data)
    }

    /// Makes the key from an item that contains all of it.
    /// - Returns: Nil unless the item has the key's type and class, and its data is such a key.
    package convenience init?(stored attributes: ItemAttributes, data: Secret) {
        guard let type = attributes[.type]?.decimalNumber,
            let keyClass = attributes[.keyClass]?.decimalNumber.flatMap(KeyClass.init)
        else { return nil }
        self.init(
            type: type, keyClass: keyClass, representation: data,
            isExtractable: attributes[.isExtractable]?.decimalNumber != 0)
    }
}

extension AttributeValue {
    /// The number of a value that is a number, or a decimal text.
    fileprivate var decimalNumber: Int64? {
        switch self {
        case .integer(let number): number
        case .text(let text): Int64(text).flatMap { String($0) == text ? $0 : nil }
        case .data, .real, .date: nil
        }
    }
}
