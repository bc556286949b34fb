// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Keys and types in descriptions of certificates. Source: Apple's `SecCertificate.h`, with the
// values of its published source.

// MARK: - Keys

/// The kind of value; `kSecPropertyType…`.
@safe public nonisolated(unsafe) let kSecPropertyKeyType: CFString = "type"
/// Its name.
@safe public nonisolated(unsafe) let kSecPropertyKeyLabel: CFString = "label"
/// Its name in the language of the user.
@safe public nonisolated(unsafe) let kSecPropertyKeyLocalizedLabel: CFString = "localized label"
/// Its value.
@safe public nonisolated(unsafe) let kSecPropertyKeyValue: CFString = "value"

// MARK: - Types

/// A warning.
@safe public nonisolated(unsafe) let kSecPropertyTypeWarning: CFString = "warning"
/// That all is well.
@safe public nonisolated(unsafe) let kSecPropertyTypeSuccess: CFString = "success"
/// A list of properties.
@safe public nonisolated(unsafe) let kSecPropertyTypeSection: CFString = "section"
/// Bytes.
@safe public nonisolated(unsafe) let kSecPropertyTypeData: CFString = "data"
/// Text.
@safe public nonisolated(unsafe) let kSecPropertyTypeString: CFString = "string"
/// A URL.
@safe public nonisolated(unsafe) let kSecPropertyTypeURL: CFString = "url"
/// A point in time.
@safe public nonisolated(unsafe) let kSecPropertyTypeDate: CFString = "date"
/// A list of values.
@safe public nonisolated(unsafe) let kSecPropertyTypeArray: CFString = "array"
/// A number.
@safe public nonisolated(unsafe) let kSecPropertyTypeNumber: CFString = "number"

// MARK: - Attributes of items of the old keychain

/// The subject.
public let kSecSubjectItemAttr = 0x7375_626a
/// The issuer.
public let kSecIssuerItemAttr = 0x6973_7375
/// The serial number.
public let kSecSerialNumberItemAttr = 0x736e_6272
/// The digest of the public key.
public let kSecPublicKeyHashItemAttr = 0x6870_6b79
/// The subject's key identifier.
public let kSecSubjectKeyIdentifierItemAttr = 0x736b_6964
/// The certificate's type.
public let kSecCertTypeItemAttr = 0x6374_7970
/// Its encoding.
public let kSecCertEncodingItemAttr = 0x6365_6e63
