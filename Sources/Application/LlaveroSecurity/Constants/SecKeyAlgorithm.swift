// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The name of an algorithm with all its parameters.
///
/// The texts are those of Apple's published source. ``SecKeyIsAlgorithmSupported(_:_:_:)`` reports
/// which of them work.
public struct SecKeyAlgorithm: RawRepresentable, Hashable, @unchecked Sendable {
    // `@unchecked Sendable`: an immutable text.

    /// The name.
    public let rawValue: CFString

    /// The algorithm with a name; any text is accepted.
    public init(rawValue: CFString) { self.rawValue = NSString(string: rawValue as String) }

    private init(_ name: String) { rawValue = NSString(string: name) }

    // MARK: - RSA signatures

    /// `sign:RSA:digest-PKCS1v15`.
    public static let rsaSignatureDigestPKCS1v15Raw =
        SecKeyAlgorithm("algid:sign:RSA:digest-PKCS1v15")
    /// `sign:RSA:digest-PKCS1v15:SHA1`.
    public static let rsaSignatureDigestPKCS1v15SHA1 =
        SecKeyAlgorithm("algid:sign:RSA:digest-PKCS1v15:SHA1")
    /// `sign:RSA:digest-PKCS1v15:SHA224`.
    public static let rsaSignatureDigestPKCS1v15SHA224 =
        SecKeyAlgorithm("algid:sign:RSA:digest-PKCS1v15:SHA224")
    /// `sign:RSA:digest-PKCS1v15:SHA256`.
    public static let rsaSignatureDigestPKCS1v15SHA256 =
        SecKeyAlgorithm("algid:sign:RSA:digest-PKCS1v15:SHA256")
    /// `sign:RSA:digest-PKCS1v15:SHA384`.
    public static let rsaSignatureDigestPKCS1v15SHA384 =
        SecKeyAlgorithm("algid:sign:RSA:digest-PKCS1v15:SHA384")
    /// `sign:RSA:digest-PKCS1v15:SHA512`.
    public static let rsaSignatureDigestPKCS1v15SHA512 =
        SecKeyAlgorithm("algid:sign:RSA:digest-PKCS1v15:SHA512")
    /// `sign:RSA:digest-PSS:SHA1:SHA1:20`.
    public static let rsaSignatureDigestPSSSHA1 =
        SecKeyAlgorithm("algid:sign:RSA:digest-PSS:SHA1:SHA1:20")
    /// `sign:RSA:digest-PSS:SHA224:SHA224:28`.
    public static let rsaSignatureDigestPSSSHA224 =
        SecKeyAlgorithm("algid:sign:RSA:digest-PSS:SHA224:SHA224:28")
    /// `sign:RSA:digest-PSS:SHA256:SHA256:32`.
    public static let rsaSignatureDigestPSSSHA256 =
        SecKeyAlgorithm("algid:sign:RSA:digest-PSS:SHA256:SHA256:32")
    /// `sign:RSA:digest-PSS:SHA384:SHA384:48`.
    public static let rsaSignatureDigestPSSSHA384 =
        SecKeyAlgorithm("algid:sign:RSA:digest-PSS:SHA384:SHA384:48")
    /// `sign:RSA:digest-PSS:SHA512:SHA512:64`.
    public static let rsaSignatureDigestPSSSHA512 =
        SecKeyAlgorithm("algid:sign:RSA:digest-PSS:SHA512:SHA512:64")
    /// `sign:RSA:message-PKCS1v15:SHA1`.
    public static let rsaSignatureMessagePKCS1v15SHA1 =
        SecKeyAlgorithm("algid:sign:RSA:message-PKCS1v15:SHA1")
    /// `sign:RSA:message-PKCS1v15:SHA224`.
    public static let rsaSignatureMessagePKCS1v15SHA224 =
        SecKeyAlgorithm("algid:sign:RSA:message-PKCS1v15:SHA224")
    /// `sign:RSA:message-PKCS1v15:SHA256`.
    public static let rsaSignatureMessagePKCS1v15SHA256 =
        SecKeyAlgorithm("algid:sign:RSA:message-PKCS1v15:SHA256")
    /// `sign:RSA:message-PKCS1v15:SHA384`.
    public static let rsaSignatureMessagePKCS1v15SHA384 =
        SecKeyAlgorithm("algid:sign:RSA:message-PKCS1v15:SHA384")
    /// `sign:RSA:message-PKCS1v15:SHA512`.
    public static let rsaSignatureMessagePKCS1v15SHA512 =
        SecKeyAlgorithm("algid:sign:RSA:message-PKCS1v15:SHA512")
    /// `sign:RSA:message-PSS:SHA1:SHA1:20`.
    public static let rsaSignatureMessagePSSSHA1 =
        SecKeyAlgorithm("algid:sign:RSA:message-PSS:SHA1:SHA1:20")
    /// `sign:RSA:message-PSS:SHA224:SHA224:28`.
    public static let rsaSignatureMessagePSSSHA224 =
        SecKeyAlgorithm("algid:sign:RSA:message-PSS:SHA224:SHA224:28")
    /// `sign:RSA:message-PSS:SHA256:SHA256:32`.
    public static let rsaSignatureMessagePSSSHA256 =
        SecKeyAlgorithm("algid:sign:RSA:message-PSS:SHA256:SHA256:32")
    /// `sign:RSA:message-PSS:SHA384:SHA384:48`.
    public static let rsaSignatureMessagePSSSHA384 =
        SecKeyAlgorithm("algid:sign:RSA:message-PSS:SHA384:SHA384:48")
    /// `sign:RSA:message-PSS:SHA512:SHA512:64`.
    public static let rsaSignatureMessagePSSSHA512 =
        SecKeyAlgorithm("algid:sign:RSA:message-PSS:SHA512:SHA512:64")
    /// `sign:RSA:raw`.
    public static let rsaSignatureRaw = SecKeyAlgorithm("algid:sign:RSA:raw")

    // MARK: - ECDSA

    /// `sign:ECDSA:digest-RFC4754`.
    public static let ecdsaSignatureDigestRFC4754 =
        SecKeyAlgorithm("algid:sign:ECDSA:digest-RFC4754")
    /// `sign:ECDSA:digest-RFC4754:SHA1`.
    public static let ecdsaSignatureDigestRFC4754SHA1 =
        SecKeyAlgorithm("algid:sign:ECDSA:digest-RFC4754:SHA1")
    /// `sign:ECDSA:digest-RFC4754:SHA224`.
    public static let ecdsaSignatureDigestRFC4754SHA224 =
        SecKeyAlgorithm("algid:sign:ECDSA:digest-RFC4754:SHA224")
    /// `sign:ECDSA:digest-RFC4754:SHA256`.
    public static let ecdsaSignatureDigestRFC4754SHA256 =
        SecKeyAlgorithm("algid:sign:ECDSA:digest-RFC4754:SHA256")
    /// `sign:ECDSA:digest-RFC4754:SHA384`.
    public static let ecdsaSignatureDigestRFC4754SHA384 =
        SecKeyAlgorithm("algid:sign:ECDSA:digest-RFC4754:SHA384")
    /// `sign:ECDSA:digest-RFC4754:SHA512`.
    public static let ecdsaSignatureDigestRFC4754SHA512 =
        SecKeyAlgorithm("algid:sign:ECDSA:digest-RFC4754:SHA512")
    /// `sign:ECDSA:digest-X962`.
    public static let ecdsaSignatureDigestX962 = SecKeyAlgorithm("algid:sign:ECDSA:digest-X962")
    /// `sign:ECDSA:digest-X962:SHA1`.
    public static let ecdsaSignatureDigestX962SHA1 =
        SecKeyAlgorithm("algid:sign:ECDSA:digest-X962:SHA1")
    /// `sign:ECDSA:digest-X962:SHA224`.
    public static let ecdsaSignatureDigestX962SHA224 =
        SecKeyAlgorithm("algid:sign:ECDSA:digest-X962:SHA224")
    /// `sign:ECDSA:digest-X962:SHA256`.
    public static let ecdsaSignatureDigestX962SHA256 =
        SecKeyAlgorithm("algid:sign:ECDSA:digest-X962:SHA256")
    /// `sign:ECDSA:digest-X962:SHA384`.
    public static let ecdsaSignatureDigestX962SHA384 =
        SecKeyAlgorithm("algid:sign:ECDSA:digest-X962:SHA384")
    /// `sign:ECDSA:digest-X962:SHA512`.
    public static let ecdsaSignatureDigestX962SHA512 =
        SecKeyAlgorithm("algid:sign:ECDSA:digest-X962:SHA512")
    /// `sign:ECDSA:message-RFC4754:SHA1`.
    public static let ecdsaSignatureMessageRFC4754SHA1 =
        SecKeyAlgorithm("algid:sign:ECDSA:message-RFC4754:SHA1")
    /// `sign:ECDSA:message-RFC4754:SHA224`.
    public static let ecdsaSignatureMessageRFC4754SHA224 =
        SecKeyAlgorithm("algid:sign:ECDSA:message-RFC4754:SHA224")
    /// `sign:ECDSA:message-RFC4754:SHA256`.
    public static let ecdsaSignatureMessageRFC4754SHA256 =
        SecKeyAlgorithm("algid:sign:ECDSA:message-RFC4754:SHA256")
    /// `sign:ECDSA:message-RFC4754:SHA384`.
    public static let ecdsaSignatureMessageRFC4754SHA384 =
        SecKeyAlgorithm("algid:sign:ECDSA:message-RFC4754:SHA384")
    /// `sign:ECDSA:message-RFC4754:SHA512`.
    public static let ecdsaSignatureMessageRFC4754SHA512 =
        SecKeyAlgorithm("algid:sign:ECDSA:message-RFC4754:SHA512")
    /// `sign:ECDSA:message-X962:SHA1`.
    public static let ecdsaSignatureMessageX962SHA1 =
        SecKeyAlgorithm("algid:sign:ECDSA:message-X962:SHA1")
    /// `sign:ECDSA:message-X962:SHA224`.
    public static let ecdsaSignatureMessageX962SHA224 =
        SecKeyAlgorithm("algid:sign:ECDSA:message-X962:SHA224")
    /// `sign:ECDSA:message-X962:SHA256`.
    public static let ecdsaSignatureMessageX962SHA256 =
        SecKeyAlgorithm("algid:sign:ECDSA:message-X962:SHA256")
    /// `sign:ECDSA:message-X962:SHA384`.
    public static let ecdsaSignatureMessageX962SHA384 =
        SecKeyAlgorithm("algid:sign:ECDSA:message-X962:SHA384")
    /// `sign:ECDSA:message-X962:SHA512`.
    public static let ecdsaSignatureMessageX962SHA512 =
        SecKeyAlgorithm("algid:sign:ECDSA:message-X962:SHA512")
    /// `sign:ECDSA:RFC4754`.
    public static let ecdsaSignatureRFC4754 = SecKeyAlgorithm("algid:sign:ECDSA:RFC4754")

    // MARK: - EdDSA

    /// `sign:EdDSA:message-Curve25519:SHA512`: Ed25519 (RFC 8032).
    public static let eddsaSignatureMessageCurve25519SHA512 =
        SecKeyAlgorithm("algid:sign:EdDSA:message-Curve25519:SHA512")

    // MARK: - RSA encryption

    /// `encrypt:RSA:OAEP:SHA1`.
    public static let rsaEncryptionOAEPSHA1 = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA1")
    /// `encrypt:RSA:OAEP:SHA1:AESGCM`.
    public static let rsaEncryptionOAEPSHA1AESGCM =
        SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA1:AESGCM")
    /// `encrypt:RSA:OAEP:SHA224`.
    public static let rsaEncryptionOAEPSHA224 = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA224")
    /// `encrypt:RSA:OAEP:SHA224:AESGCM`.
    public static let rsaEncryptionOAEPSHA224AESGCM =
        SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA224:AESGCM")
    /// `encrypt:RSA:OAEP:SHA256`.
    public static let rsaEncryptionOAEPSHA256 = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA256")
    /// `encrypt:RSA:OAEP:SHA256:AESGCM`.
    public static let rsaEncryptionOAEPSHA256AESGCM =
        SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA256:AESGCM")
    /// `encrypt:RSA:OAEP:SHA384`.
    public static let rsaEncryptionOAEPSHA384 = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA384")
    /// `encrypt:RSA:OAEP:SHA384:AESGCM`.
    public static let rsaEncryptionOAEPSHA384AESGCM =
        SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA384:AESGCM")
    /// `encrypt:RSA:OAEP:SHA512`.
    public static let rsaEncryptionOAEPSHA512 = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA512")
    /// `encrypt:RSA:OAEP:SHA512:AESGCM`.
    public static let rsaEncryptionOAEPSHA512AESGCM =
        SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA512:AESGCM")
    /// `encrypt:RSA:PKCS1`.
    public static let rsaEncryptionPKCS1 = SecKeyAlgorithm("algid:encrypt:RSA:PKCS1")
    /// `encrypt:RSA:raw`.
    public static let rsaEncryptionRaw = SecKeyAlgorithm("algid:encrypt:RSA:raw")

    // MARK: - ECIES

    /// `encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV`.
    public static let eciesEncryptionCofactorVariableIVX963SHA224AESGCM =
        SecKeyAlgorithm("algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV")
    /// `encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV`.
    public static let eciesEncryptionCofactorVariableIVX963SHA256AESGCM =
        SecKeyAlgorithm("algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV")
    /// `encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV`.
    public static let eciesEncryptionCofactorVariableIVX963SHA384AESGCM =
        SecKeyAlgorithm("algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV")
    /// `encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV`.
    public static let eciesEncryptionCofactorVariableIVX963SHA512AESGCM =
        SecKeyAlgorithm("algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV")
    /// `encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM`.
    public static let eciesEncryptionCofactorX963SHA1AESGCM =
        SecKeyAlgorithm("algid:encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM")
    /// `encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM`.
    public static let eciesEncryptionCofactorX963SHA224AESGCM =
        SecKeyAlgorithm("algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM")
    /// `encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM`.
    public static let eciesEncryptionCofactorX963SHA256AESGCM =
        SecKeyAlgorithm("algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM")
    /// `encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM`.
    public static let eciesEncryptionCofactorX963SHA384AESGCM =
        SecKeyAlgorithm("algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM")
    /// `encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM`.
    public static let eciesEncryptionCofactorX963SHA512AESGCM =
        SecKeyAlgorithm("algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM")
    /// `encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV`.
    public static let eciesEncryptionStandardVariableIVX963SHA224AESGCM =
        SecKeyAlgorithm("algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV")
    /// `encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV`.
    public static let eciesEncryptionStandardVariableIVX963SHA256AESGCM =
        SecKeyAlgorithm("algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV")
    /// `encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV`.
    public static let eciesEncryptionStandardVariableIVX963SHA384AESGCM =
        SecKeyAlgorithm("algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV")
    /// `encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV`.
    public static let eciesEncryptionStandardVariableIVX963SHA512AESGCM =
        SecKeyAlgorithm("algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV")
    /// `encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM`.
    public static let eciesEncryptionStandardX963SHA1AESGCM =
        SecKeyAlgorithm("algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM")
    /// `encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM`.
    public static let eciesEncryptionStandardX963SHA224AESGCM =
        SecKeyAlgorithm("algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM")
    /// `encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM`.
    public static let eciesEncryptionStandardX963SHA256AESGCM =
        SecKeyAlgorithm("algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM")
    /// `encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM`.
    public static let eciesEncryptionStandardX963SHA384AESGCM =
        SecKeyAlgorithm("algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM")
    /// `encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM`.
    public static let eciesEncryptionStandardX963SHA512AESGCM =
        SecKeyAlgorithm("algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM")

    // MARK: - Key exchange

    /// `keyexchange:ECDHC`.
    public static let ecdhKeyExchangeCofactor = SecKeyAlgorithm("algid:keyexchange:ECDHC")
    /// `keyexchange:ECDHC:KDFX963:SHA1`.
    public static let ecdhKeyExchangeCofactorX963SHA1 =
        SecKeyAlgorithm("algid:keyexchange:ECDHC:KDFX963:SHA1")
    /// `keyexchange:ECDHC:KDFX963:SHA224`.
    public static let ecdhKeyExchangeCofactorX963SHA224 =
        SecKeyAlgorithm("algid:keyexchange:ECDHC:KDFX963:SHA224")
    /// `keyexchange:ECDHC:KDFX963:SHA256`.
    public static let ecdhKeyExchangeCofactorX963SHA256 =
        SecKeyAlgorithm("algid:keyexchange:ECDHC:KDFX963:SHA256")
    /// `keyexchange:ECDHC:KDFX963:SHA384`.
    public static let ecdhKeyExchangeCofactorX963SHA384 =
        SecKeyAlgorithm("algid:keyexchange:ECDHC:KDFX963:SHA384")
    /// `keyexchange:ECDHC:KDFX963:SHA512`.
    public static let ecdhKeyExchangeCofactorX963SHA512 =
        SecKeyAlgorithm("algid:keyexchange:ECDHC:KDFX963:SHA512")
    /// `keyexchange:ECDH`.
    public static let ecdhKeyExchangeStandard = SecKeyAlgorithm("algid:keyexchange:ECDH")
    /// `keyexchange:ECDH:KDFX963:SHA1`.
    public static let ecdhKeyExchangeStandardX963SHA1 =
        SecKeyAlgorithm("algid:keyexchange:ECDH:KDFX963:SHA1")
    /// `keyexchange:ECDH:KDFX963:SHA224`.
    public static let ecdhKeyExchangeStandardX963SHA224 =
        SecKeyAlgorithm("algid:keyexchange:ECDH:KDFX963:SHA224")
    /// `keyexchange:ECDH:KDFX963:SHA256`.
    public static let ecdhKeyExchangeStandardX963SHA256 =
        SecKeyAlgorithm("algid:keyexchange:ECDH:KDFX963:SHA256")
    /// `keyexchange:ECDH:KDFX963:SHA384`.
    public static let ecdhKeyExchangeStandardX963SHA384 =
        SecKeyAlgorithm("algid:keyexchange:ECDH:KDFX963:SHA384")
    /// `keyexchange:ECDH:KDFX963:SHA512`.
    public static let ecdhKeyExchangeStandardX963SHA512 =
        SecKeyAlgorithm("algid:keyexchange:ECDH:KDFX963:SHA512")
}
