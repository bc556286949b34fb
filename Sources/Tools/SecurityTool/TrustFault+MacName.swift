// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import TrustWire

extension TrustFault {
    /// macOS's name of an error.
    var macName: String {
        switch self {
        case .hostName: "CSSMERR_APPLETP_HOSTNAME_MISMATCH"
        case .mailAddress: "CSSMERR_APPLETP_SMIME_EMAIL_ADDRS_NOT_FOUND"
        case .validity: "CSSMERR_TP_CERT_EXPIRED"
        case .weakKey, .keySize: "CSSMERR_CSP_UNSUPPORTED_KEY_SIZE"
        case .weakSignature, .signatureDigest: "CSSMERR_CSP_INVALID_DIGEST_ALGORITHM"
        case .keyUsage: "CSSMERR_APPLETP_INVALID_KEY_USAGE"
        case .extendedKeyUsage: "CSSMERR_APPLETP_INVALID_EXTENDED_USAGE"
        case .noBasicConstraints: "CSSMERR_APPLETP_NO_BASIC_CONSTRAINTS"
        case .notAnAuthority: "CSSMERR_APPLETP_INVALID_CA"
        case .pathLength: "CSSMERR_APPLETP_PATH_LEN_CONSTRAINT"
        case .notTrusted, .noIssuer: "CSSMERR_TP_NOT_TRUSTED"
        case .emptySubject: "CSSMERR_APPLETP_INVALID_EMPTY_SUBJECT"
        case .keyIdentifiers: "CSSMERR_APPLETP_INVALID_ID_LINKAGE"
        case .criticalExtension: "CSSMERR_APPLETP_UNKNOWN_CRITICAL_EXTEN"
        case .extensionUnreadable, .extensionTwice: "CSSMERR_APPLETP_UNKNOWN_CERT_EXTEN"
        case .nameConstraints: "CSSMERR_TP_INVALID_NAME"
        case .policyConstraints: "CSSMERR_TP_INVALID_POLICY_IDENTIFIERS"
        case .validityPeriod: "errSecCertificateValidityPeriodTooLong"
        case .revoked: "CSSMERR_TP_CERT_REVOKED"
        case .revocationUnknown: "CSSMERR_APPLETP_INCOMPLETE_REVOCATION_CHECK"
        case .denied: "CSSMERR_APPLETP_TRUST_SETTING_DENY"
        }
    }
}
