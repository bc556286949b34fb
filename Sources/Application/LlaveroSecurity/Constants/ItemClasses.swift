// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Source: Apple's `SecItem.h`; the values are observed.

// MARK: - The class of an item

/// Key: the class of the item; one of the values below.
@safe public nonisolated(unsafe) let kSecClass: CFString = "class"
/// A password, token or other secret of an application.
@safe public nonisolated(unsafe) let kSecClassGenericPassword: CFString = "genp"
/// A password for a server.
@safe public nonisolated(unsafe) let kSecClassInternetPassword: CFString = "inet"
/// An X.509 certificate.
@safe public nonisolated(unsafe) let kSecClassCertificate: CFString = "cert"
/// A cryptographic key.
@safe public nonisolated(unsafe) let kSecClassKey: CFString = "keys"
/// A certificate with its private key.
@safe public nonisolated(unsafe) let kSecClassIdentity: CFString = "idnt"
/// Private in Apple's headers; there is no such class here.
@safe public nonisolated(unsafe) let kSecClassAppleSharePassword: CFString = "apls"
