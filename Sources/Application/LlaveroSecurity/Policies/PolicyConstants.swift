// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Names of policies: object identifiers below Apple's arc. Source: Apple's `SecPolicy.h` and its
// published source. The four whose value ends in a word are this project's own: they are newer than
// that source, and are only compared.

// MARK: - Policies

/// Only signatures and dates of a chain.
@safe public nonisolated(unsafe) let kSecPolicyAppleX509Basic: CFString = "1.2.840.113635.100.1.2"
/// TLS, of either side.
@safe public nonisolated(unsafe) let kSecPolicyAppleSSL: CFString = "1.2.840.113635.100.1.3"
/// TLS, of a server. The value is this project's own.
@safe public nonisolated(unsafe) let kSecPolicyAppleSSLServer: CFString =
    "1.2.840.113635.100.1.3.server"
/// TLS, of a client. The value is this project's own.
@safe public nonisolated(unsafe) let kSecPolicyAppleSSLClient: CFString =
    "1.2.840.113635.100.1.3.client"
/// S/MIME.
@safe public nonisolated(unsafe) let kSecPolicyAppleSMIME: CFString = "1.2.840.113635.100.1.8"
/// EAP, of either side.
@safe public nonisolated(unsafe) let kSecPolicyAppleEAP: CFString = "1.2.840.113635.100.1.9"
/// EAP, of a server. The value is this project's own.
@safe public nonisolated(unsafe) let kSecPolicyAppleEAPServer: CFString =
    "1.2.840.113635.100.1.9.server"
/// EAP, of a client. The value is this project's own.
@safe public nonisolated(unsafe) let kSecPolicyAppleEAPClient: CFString =
    "1.2.840.113635.100.1.9.client"
/// IPsec, of either side.
@safe public nonisolated(unsafe) let kSecPolicyAppleIPsec: CFString = "1.2.840.113635.100.1.11"
/// IPsec, of a server. The value is this project's own.
@safe public nonisolated(unsafe) let kSecPolicyAppleIPSecServer: CFString =
    "1.2.840.113635.100.1.11.server"
/// IPsec, of a client. The value is this project's own.
@safe public nonisolated(unsafe) let kSecPolicyAppleIPSecClient: CFString =
    "1.2.840.113635.100.1.11.client"
/// iChat.
@safe public nonisolated(unsafe) let kSecPolicyAppleiChat: CFString = "1.2.840.113635.100.1.12"
/// Kerberos PKINIT, of a client.
@safe public nonisolated(unsafe) let kSecPolicyApplePKINITClient: CFString =
    "1.2.840.113635.100.1.14"
/// Kerberos PKINIT, of a server.
@safe public nonisolated(unsafe) let kSecPolicyApplePKINITServer: CFString =
    "1.2.840.113635.100.1.15"
/// Signatures of code.
@safe public nonisolated(unsafe) let kSecPolicyAppleCodeSigning: CFString =
    "1.2.840.113635.100.1.16"
/// Apple ID validation records.
@safe public nonisolated(unsafe) let kSecPolicyAppleIDValidation: CFString =
    "1.2.840.113635.100.1.18"
/// Receipts of the Mac App Store.
@safe public nonisolated(unsafe) let kSecPolicyMacAppStoreReceipt: CFString =
    "1.2.840.113635.100.1.19"
/// Time stamps.
@safe public nonisolated(unsafe) let kSecPolicyAppleTimeStamping: CFString =
    "1.2.840.113635.100.1.20"
/// Revocation.
@safe public nonisolated(unsafe) let kSecPolicyAppleRevocation: CFString = "1.2.840.113635.100.1.21"
/// Passes.
@safe public nonisolated(unsafe) let kSecPolicyApplePassbookSigning: CFString =
    "1.2.840.113635.100.1.22"
/// Apple Pay issuers.
@safe public nonisolated(unsafe) let kSecPolicyApplePayIssuerEncryption: CFString =
    "1.2.840.113635.100.1.39"

// MARK: - Properties of a policy

/// The policy; a `kSecPolicyApple…` value.
@safe public nonisolated(unsafe) let kSecPolicyOid: CFString = "SecPolicyOid"
/// The name that must be in the certificate: a host, an address.
@safe public nonisolated(unsafe) let kSecPolicyName: CFString = "SecPolicyName"
/// Whether the certificate is a client's.
@safe public nonisolated(unsafe) let kSecPolicyClient: CFString = "SecPolicyClient"
/// How to ask for revocation; `kSecRevocation…`.
@safe public nonisolated(unsafe) let kSecPolicyRevocationFlags: CFString =
    "SecPolicyRevocationFlags"
/// The team that must have made the signature.
@safe public nonisolated(unsafe) let kSecPolicyTeamIdentifier: CFString = "SecPolicyTeamIdentifier"

// MARK: - Key usage

/// A key usage that the certificate must have.
@safe public nonisolated(unsafe) let kSecPolicyKU_DigitalSignature: CFString =
    "CE_KU_DigitalSignature"
/// A key usage that the certificate must have.
@safe public nonisolated(unsafe) let kSecPolicyKU_NonRepudiation: CFString = "CE_KU_NonRepudiation"
/// A key usage that the certificate must have.
@safe public nonisolated(unsafe) let kSecPolicyKU_KeyEncipherment: CFString =
    "CE_KU_KeyEncipherment"
/// A key usage that the certificate must have.
@safe public nonisolated(unsafe) let kSecPolicyKU_DataEncipherment: CFString =
    "CE_KU_DataEncipherment"
/// A key usage that the certificate must have.
@safe public nonisolated(unsafe) let kSecPolicyKU_KeyAgreement: CFString = "CE_KU_KeyAgreement"
/// A key usage that the certificate must have.
@safe public nonisolated(unsafe) let kSecPolicyKU_KeyCertSign: CFString = "CE_KU_KeyCertSign"
/// A key usage that the certificate must have.
@safe public nonisolated(unsafe) let kSecPolicyKU_CRLSign: CFString = "CE_KU_CRLSign"
/// A key usage that the certificate must have.
@safe public nonisolated(unsafe) let kSecPolicyKU_EncipherOnly: CFString = "CE_KU_EncipherOnly"
/// A key usage that the certificate must have.
@safe public nonisolated(unsafe) let kSecPolicyKU_DecipherOnly: CFString = "CE_KU_DecipherOnly"

// MARK: - Revocation

/// Ask by OCSP.
public let kSecRevocationOCSPMethod: CFOptionFlags = 1 << 0
/// Ask by revocation lists.
public let kSecRevocationCRLMethod: CFOptionFlags = 1 << 1
/// Revocation lists first.
public let kSecRevocationPreferCRL: CFOptionFlags = 1 << 2
/// Revocation fails if there is no answer.
public let kSecRevocationRequirePositiveResponse: CFOptionFlags = 1 << 3
/// Use only cached answers.
public let kSecRevocationNetworkAccessDisabled: CFOptionFlags = 1 << 4
/// Either method.
public let kSecRevocationUseAnyAvailableMethod: CFOptionFlags =
    kSecRevocationOCSPMethod | kSecRevocationCRLMethod
