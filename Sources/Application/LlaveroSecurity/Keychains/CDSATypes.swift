// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Types of CDSA that appear in signatures of functions which Apple has deprecated since 2011. There
// is no CDSA here: the functions return an error, and no object of these types is ever made.

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
/// The purpose of an entry of an access list.
public typealias CSSM_ACL_AUTHORIZATION_TAG = Int32

/// Bytes at an address.
@unsafe public struct SecAsn1Item {
    /// The byte count.
    public var Length: Int
    /// The address.
    public var Data: UnsafeMutablePointer<UInt8>!

    /// Bytes at an address.
    public init(Length: Int, Data: UnsafeMutablePointer<UInt8>!) {
        unsafe self.Length = Length
        unsafe self.Data = Data
    }
}

/// Bytes at an address.
public typealias CSSM_DATA = SecAsn1Item
/// An object identifier.
public typealias CSSM_OID = SecAsn1Item
/// A key of CDSA, an opaque type.
public typealias CSSM_KEY = OpaquePointer
/// A name in a certificate, an opaque type.
public typealias CSSM_X509_NAME = OpaquePointer
/// An algorithm in a certificate, an opaque type.
public typealias CSSM_X509_ALGORITHM_IDENTIFIER = OpaquePointer
/// Credentials, an opaque type.
public typealias CSSM_ACCESS_CREDENTIALS = OpaquePointer
/// A module's result for a chain, an opaque type.
public typealias CSSM_TP_VERIFY_CONTEXT_RESULT = OpaquePointer
/// A module's result for a certificate, an opaque type.
public typealias CSSM_TP_APPLE_EVIDENCE_INFO = OpaquePointer
