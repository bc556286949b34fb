// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Types of CDSA that appear in signatures of functions which Apple has deprecated since 2011. There
// is no CDSA here: the functions say so, and nothing is ever made of these types.

/// A handle of a CDSA module.
public typealias CSSM_HANDLE = Int
/// A handle of a module for certificates.
public typealias CSSM_CL_HANDLE = CSSM_HANDLE
/// A handle of a module for trust.
public typealias CSSM_TP_HANDLE = CSSM_HANDLE
/// A handle of a module for cryptography.
public typealias CSSM_CSP_HANDLE = CSSM_HANDLE
/// A handle of a context of cryptography.
public typealias CSSM_CC_HANDLE = UInt64
/// An algorithm by its number.
public typealias CSSM_ALGORITHMS = UInt32
/// Uses of a key.
public typealias CSSM_KEYUSE = UInt32
/// Attributes of a key.
public typealias CSSM_KEYATTR_FLAGS = UInt32
/// A kind of certificate.
public typealias CSSM_CERT_TYPE = UInt32
/// How a certificate is encoded.
public typealias CSSM_CERT_ENCODING = UInt32
/// What an entry of an access list is for.
public typealias CSSM_ACL_AUTHORIZATION_TAG = Int32

/// Bytes somewhere.
@unsafe public struct SecAsn1Item {
    /// How many.
    public var Length: Int
    /// Where.
    public var Data: UnsafeMutablePointer<UInt8>!

    /// Bytes somewhere.
    public init(Length: Int, Data: UnsafeMutablePointer<UInt8>!) {
        unsafe self.Length = Length
        unsafe self.Data = Data
    }
}

/// Bytes somewhere.
public typealias CSSM_DATA = SecAsn1Item
/// An object identifier.
public typealias CSSM_OID = SecAsn1Item
/// A key of CDSA, which nobody can look into.
public typealias CSSM_KEY = OpaquePointer
/// A name in a certificate, which nobody can look into.
public typealias CSSM_X509_NAME = OpaquePointer
/// An algorithm in a certificate, which nobody can look into.
public typealias CSSM_X509_ALGORITHM_IDENTIFIER = OpaquePointer
/// Credentials, which nobody can look into.
public typealias CSSM_ACCESS_CREDENTIALS = OpaquePointer
/// What a module said of a chain, which nobody can look into.
public typealias CSSM_TP_VERIFY_CONTEXT_RESULT = OpaquePointer
/// What a module said of a certificate, which nobody can look into.
public typealias CSSM_TP_APPLE_EVIDENCE_INFO = OpaquePointer
