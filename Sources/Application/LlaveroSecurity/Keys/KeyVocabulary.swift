// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

// Numbers of the interfaces to keys. Source: Apple's `SecKey.h`, under the names that Swift gives them.

/// The operation of an algorithm.
public enum SecKeyOperationType: Int, Sendable {
    /// Sign.
    case sign = 0
    /// Verify a signature.
    case verify = 1
    /// Encrypt.
    case encrypt = 2
    /// Decrypt.
    case decrypt = 3
    /// Agree on a secret.
    case keyExchange = 4
}

/// The padding of a block, in the calls from before ``SecKeyAlgorithm``.
public struct SecPadding: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// A set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// PKCS #1 v1.5.
    public static let PKCS1 = SecPadding(rawValue: 1)
    /// OAEP with SHA-1.
    public static let OAEP = SecPadding(rawValue: 2)
    /// The two numbers of a signature, concatenated.
    public static let sigRaw = SecPadding(rawValue: 0x4000)
    /// A digest by MD2.
    public static let PKCS1MD2 = SecPadding(rawValue: 0x8000)
    /// A digest by MD5.
    public static let PKCS1MD5 = SecPadding(rawValue: 0x8001)
    /// A digest by SHA-1.
    public static let PKCS1SHA1 = SecPadding(rawValue: 0x8002)
    /// A digest by SHA-224.
    public static let PKCS1SHA224 = SecPadding(rawValue: 0x8003)
    /// A digest by SHA-256.
    public static let PKCS1SHA256 = SecPadding(rawValue: 0x8004)
    /// A digest by SHA-384.
    public static let PKCS1SHA384 = SecPadding(rawValue: 0x8005)
    /// A digest by SHA-512.
    public static let PKCS1SHA512 = SecPadding(rawValue: 0x8006)
}

/// What a certificate's key may be used for.
public struct SecKeyUsage: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// A set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Signatures.
    public static let digitalSignature = SecKeyUsage(rawValue: 1 << 0)
    /// Nonrepudiation.
    public static let nonRepudiation = SecKeyUsage(rawValue: 1 << 1)
    /// The same as nonrepudiation.
    public static let contentCommitment = SecKeyUsage(rawValue: 1 << 1)
    /// Encrypting keys.
    public static let keyEncipherment = SecKeyUsage(rawValue: 1 << 2)
    /// Encrypting data.
    public static let dataEncipherment = SecKeyUsage(rawValue: 1 << 3)
    /// Agreeing on keys.
    public static let keyAgreement = SecKeyUsage(rawValue: 1 << 4)
    /// Signing certificates.
    public static let keyCertSign = SecKeyUsage(rawValue: 1 << 5)
    /// Signing revocation lists.
    public static let crlSign = SecKeyUsage(rawValue: 1 << 6)
    /// Agreement, to encrypt only.
    public static let encipherOnly = SecKeyUsage(rawValue: 1 << 7)
    /// Agreement, to decrypt only.
    public static let decipherOnly = SecKeyUsage(rawValue: 1 << 8)
    /// The certificate is critical: a program that doesn't support the key usage must refuse it.
    public static let critical = SecKeyUsage(rawValue: 1 << 31)
    /// Everything.
    public static let all = SecKeyUsage(rawValue: 0x7fff_ffff)
}

/// Whether the use of a key may ask the user.
public enum SecCredentialType: UInt32, Sendable {
    /// As the key's settings say.
    case `default` = 0
    /// By asking.
    case withUI = 1
    /// Without asking.
    case noUI = 2
}

/// Sizes of keys in bits. Several have the same number, so this isn't an `enum`.
public struct SecKeySizes: RawRepresentable, Hashable, Sendable {
    /// The size in bits.
    public let rawValue: UInt32

    /// A size in bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The default size.
    public static let secDefaultKeySize = SecKeySizes(rawValue: 0)
    /// 192 bits.
    public static let sec3DES192 = SecKeySizes(rawValue: 192)
    /// 128 bits.
    public static let secAES128 = SecKeySizes(rawValue: 128)
    /// 192 bits.
    public static let secAES192 = SecKeySizes(rawValue: 192)
    /// 256 bits.
    public static let secAES256 = SecKeySizes(rawValue: 256)
    /// 192 bits.
    public static let secp192r1 = SecKeySizes(rawValue: 192)
    /// 256 bits.
    public static let secp256r1 = SecKeySizes(rawValue: 256)
    /// 384 bits.
    public static let secp384r1 = SecKeySizes(rawValue: 384)
    /// 521 bits.
    public static let secp521r1 = SecKeySizes(rawValue: 521)
    /// 1024 bits.
    public static let secRSAMin = SecKeySizes(rawValue: 1024)
    /// 4096 bits.
    public static let secRSAMax = SecKeySizes(rawValue: 4096)
}

/// Parameters of ``SecKeyCopyKeyExchangeResult(_:_:_:_:_:)``.
public struct SecKeyKeyExchangeParameter: RawRepresentable, Hashable, @unchecked Sendable {
    // `@unchecked Sendable`: an immutable text.

    /// The key in the dictionary.
    public let rawValue: CFString

    /// A parameter by its key.
    public init(rawValue: CFString) { self.rawValue = NSString(string: rawValue as String) }

    /// The requested byte count of the secret; a number.
    public static let requestedSize = SecKeyKeyExchangeParameter(rawValue: "requestedSize")
    /// Further input of the derivation besides the shared secret; data.
    public static let sharedInfo = SecKeyKeyExchangeParameter(rawValue: "sharedInfo")
}

// MARK: - Attributes of items of the old keychain

/// Number 0 of a key's attributes.
public let kSecKeyKeyClass = 0
/// Number 1 of a key's attributes.
public let kSecKeyPrintName = 1
/// Number 2 of a key's attributes.
public let kSecKeyAlias = 2
/// Number 3 of a key's attributes.
public let kSecKeyPermanent = 3
/// Number 4 of a key's attributes.
public let kSecKeyPrivate = 4
/// Number 5 of a key's attributes.
public let kSecKeyModifiable = 5
/// Number 6 of a key's attributes.
public let kSecKeyLabel = 6
/// Number 7 of a key's attributes.
public let kSecKeyApplicationTag = 7
/// Number 8 of a key's attributes.
public let kSecKeyKeyCreator = 8
/// Number 9 of a key's attributes.
public let kSecKeyKeyType = 9
/// Number 10 of a key's attributes.
public let kSecKeyKeySizeInBits = 10
/// Number 11 of a key's attributes.
public let kSecKeyEffectiveKeySize = 11
/// Number 12 of a key's attributes.
public let kSecKeyStartDate = 12
/// Number 13 of a key's attributes.
public let kSecKeyEndDate = 13
/// Number 14 of a key's attributes.
public let kSecKeySensitive = 14
/// Number 15 of a key's attributes.
public let kSecKeyAlwaysSensitive = 15
/// Number 16 of a key's attributes.
public let kSecKeyExtractable = 16
/// Number 17 of a key's attributes.
public let kSecKeyNeverExtractable = 17
/// Number 18 of a key's attributes.
public let kSecKeyEncrypt = 18
/// Number 19 of a key's attributes.
public let kSecKeyDecrypt = 19
/// Number 20 of a key's attributes.
public let kSecKeyDerive = 20
/// Number 21 of a key's attributes.
public let kSecKeySign = 21
/// Number 22 of a key's attributes.
public let kSecKeyVerify = 22
/// Number 23 of a key's attributes.
public let kSecKeySignRecover = 23
/// Number 24 of a key's attributes.
public let kSecKeyVerifyRecover = 24
/// Number 25 of a key's attributes.
public let kSecKeyWrap = 25
/// Number 26 of a key's attributes.
public let kSecKeyUnwrap = 26
