// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Keys of the result of a trust evaluation. Source: Apple's `SecTrust.h` and its published source;
// the last two are newer than that source and their values this project's own.

// MARK: - Results

/// When it was evaluated.
@safe public nonisolated(unsafe) let kSecTrustEvaluationDate: CFString = "TrustEvaluationDate"
/// Whether the validation was extended.
@safe public nonisolated(unsafe) let kSecTrustExtendedValidation: CFString =
    "TrustExtendedValidation"
/// The organization, of an extended validation.
@safe public nonisolated(unsafe) let kSecTrustOrganizationName: CFString = "Organization"
/// The result, as a number.
@safe public nonisolated(unsafe) let kSecTrustResultValue: CFString = "TrustResultValue"
/// Whether revocation was checked.
@safe public nonisolated(unsafe) let kSecTrustRevocationChecked: CFString = "TrustRevocationChecked"
/// Until when that answer is valid.
@safe public nonisolated(unsafe) let kSecTrustRevocationValidUntilDate: CFString =
    "TrustExpirationDate"
/// Whether the certificate is in transparency logs.
@safe public nonisolated(unsafe) let kSecTrustCertificateTransparency: CFString =
    "TrustCertificateTransparency"
/// Whether it is exempt from them.
@safe public nonisolated(unsafe) let kSecTrustCertificateTransparencyWhiteList: CFString =
    "TrustCertificateTransparencyWhiteList"
/// Statements of a qualified certificate.
@safe public nonisolated(unsafe) let kSecTrustQCStatements: CFString = "TrustQCStatements"
/// Whether it is a qualified certificate of a web site.
@safe public nonisolated(unsafe) let kSecTrustQWACValidation: CFString = "TrustQWACValidation"

// MARK: - Properties

/// A property's title.
@safe public nonisolated(unsafe) let kSecPropertyTypeTitle: CFString = "title"
/// A property's error.
@safe public nonisolated(unsafe) let kSecPropertyTypeError: CFString = "error"
