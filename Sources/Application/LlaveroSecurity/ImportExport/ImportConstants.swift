// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Keys of import and export. Source: Apple's `SecImportExport.h`, with the values of its published
// source.

// MARK: - Options

/// The passphrase; text or data.
@safe public nonisolated(unsafe) let kSecImportExportPassphrase: CFString = "passphrase"
/// The keychain to import to.
@safe public nonisolated(unsafe) let kSecImportExportKeychain: CFString = "keychain"
/// The access rights of the imported items.
@safe public nonisolated(unsafe) let kSecImportExportAccess: CFString = "access"
/// Whether nothing is stored.
@safe public nonisolated(unsafe) let kSecImportToMemoryOnly: CFString = "memory"

// MARK: - Results

/// The name.
@safe public nonisolated(unsafe) let kSecImportItemLabel: CFString = "label"
/// The digest of the public key.
@safe public nonisolated(unsafe) let kSecImportItemKeyID: CFString = "keyid"
/// A trust object over the chain.
@safe public nonisolated(unsafe) let kSecImportItemTrust: CFString = "trust"
/// The certificates.
@safe public nonisolated(unsafe) let kSecImportItemCertChain: CFString = "chain"
/// The identity.
@safe public nonisolated(unsafe) let kSecImportItemIdentity: CFString = "identity"
