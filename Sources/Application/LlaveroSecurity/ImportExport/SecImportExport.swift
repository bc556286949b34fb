// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

// Formats of other programs can't be read or written yet; every function returns an error.

/// Writes objects in a format of other programs.
/// - Returns: `errSecUnimplemented`; nothing is written.
@discardableResult
public func SecItemExport(
    _ secItemOrArray: CFTypeRef, _ outputFormat: SecExternalFormat,
    _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?,
    _ exportedData: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    errSecUnimplemented
}

/// Reads objects in a format of other programs.
/// - Returns: `errSecUnimplemented`; nothing is read or stored.
@discardableResult
public func SecItemImport(
    _ importedData: CFData, _ fileNameOrExtension: CFString?,
    _ inputFormat: UnsafeMutablePointer<SecExternalFormat>?,
    _ itemType: UnsafeMutablePointer<SecExternalItemType>?, _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?,
    _ importKeychain: SecKeychain?, _ outItems: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    errSecUnimplemented
}

/// The older form of ``SecItemExport(_:_:_:_:_:)``.
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecKeychainItemExport(
    _ keychainItemOrArray: CFTypeRef, _ outputFormat: SecExternalFormat,
    _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecKeyImportExportParameters>?,
    _ exportedData: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    errSecUnimplemented
}

/// The older form of ``SecItemImport(_:_:_:_:_:_:_:_:)``.
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecKeychainItemImport(
    _ importedData: CFData, _ fileNameOrExtension: CFString?,
    _ inputFormat: UnsafeMutablePointer<SecExternalFormat>?,
    _ itemType: UnsafeMutablePointer<SecExternalItemType>?, _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecKeyImportExportParameters>?,
    _ importKeychain: SecKeychain?, _ outItems: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    errSecUnimplemented
}

/// Reads identities and certificates from a PKCS #12 file.
/// - Returns: `errSecUnimplemented`; nothing is read or stored.
@discardableResult
public func SecPKCS12Import(
    _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    errSecUnimplemented
}
