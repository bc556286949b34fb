// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Made by Scripts/generate-c-interface; edits here are lost.
// swift-format-ignore-file

import CSecurityObjects
import Foundation
import LlaveroSecurity

/// Writes objects in a format of other programs.
@_cdecl("SecItemExport")
public func interfaceSecItemExport(
    _ secItemOrArray: UnsafeRawPointer?, _ outputFormat: UInt32, _ flags: UInt32, _ keyParams: UnsafeMutableRawPointer?, _ exportedData: ObjectSlot?
) -> Int32 {
    guard let secItemOrArrayObject = unsafe Taken.object(secItemOrArray),
        let outputFormatValue = SecExternalFormat(rawValue: outputFormat),
        unsafe exportedData != nil
    else { return errSecParam }
    var exportedDataObject: CFData?
    let answer = unsafe LlaveroSecurity.SecItemExport(secItemOrArrayObject, outputFormatValue, SecItemImportExportFlags(rawValue: flags), keyParams.map { unsafe UnsafePointer($0.assumingMemoryBound(to: (SecItemImportExportKeyParameters).self)) }, &exportedDataObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(exportedDataObject, exportedData)
    return answer
}

/// Reads objects in a format of other programs.
@_cdecl("SecItemImport")
public func interfaceSecItemImport(
    _ importedData: UnsafeRawPointer?, _ fileNameOrExtension: UnsafeRawPointer?, _ inputFormat: UnsafeMutableRawPointer?, _ itemType: UnsafeMutableRawPointer?, _ flags: UInt32, _ keyParams: UnsafeMutableRawPointer?, _ importKeychain: UnsafeRawPointer?, _ outItems: ObjectSlot?
) -> Int32 {
    guard let importedDataObject = unsafe Taken.required(importedData, as: NSData.self),
        let fileNameOrExtensionObject = unsafe Taken.optional(fileNameOrExtension, as: NSString.self),
        unsafe importKeychain == nil
    else { return errSecParam }
    guard unsafe outItems != nil else {
        return unsafe LlaveroSecurity.SecItemImport(importedDataObject, fileNameOrExtensionObject.value, inputFormat?.assumingMemoryBound(to: (SecExternalFormat).self), itemType?.assumingMemoryBound(to: (SecExternalItemType).self), SecItemImportExportFlags(rawValue: flags), keyParams.map { unsafe UnsafePointer($0.assumingMemoryBound(to: (SecItemImportExportKeyParameters).self)) }, nil, nil)
    }
    var outItemsObject: CFArray?
    let answer = unsafe LlaveroSecurity.SecItemImport(importedDataObject, fileNameOrExtensionObject.value, inputFormat?.assumingMemoryBound(to: (SecExternalFormat).self), itemType?.assumingMemoryBound(to: (SecExternalItemType).self), SecItemImportExportFlags(rawValue: flags), keyParams.map { unsafe UnsafePointer($0.assumingMemoryBound(to: (SecItemImportExportKeyParameters).self)) }, nil, &outItemsObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(outItemsObject, outItems)
    return answer
}

/// The older form of ``SecItemExport(_:_:_:_:_:)``.
@_cdecl("SecKeychainItemExport")
public func interfaceSecKeychainItemExport(
    _ keychainItemOrArray: UnsafeRawPointer?, _ outputFormat: UInt32, _ flags: UInt32, _ keyParams: UnsafeMutableRawPointer?, _ exportedData: ObjectSlot?
) -> Int32 {
    guard let keychainItemOrArrayObject = unsafe Taken.object(keychainItemOrArray),
        let outputFormatValue = SecExternalFormat(rawValue: outputFormat),
        unsafe exportedData != nil
    else { return errSecParam }
    var exportedDataObject: CFData?
    let answer = unsafe LlaveroSecurity.SecKeychainItemExport(keychainItemOrArrayObject, outputFormatValue, SecItemImportExportFlags(rawValue: flags), keyParams.map { unsafe UnsafePointer($0.assumingMemoryBound(to: (SecKeyImportExportParameters).self)) }, &exportedDataObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(exportedDataObject, exportedData)
    return answer
}

/// The older form of ``SecItemImport(_:_:_:_:_:_:_:_:)``.
@_cdecl("SecKeychainItemImport")
public func interfaceSecKeychainItemImport(
    _ importedData: UnsafeRawPointer?, _ fileNameOrExtension: UnsafeRawPointer?, _ inputFormat: UnsafeMutableRawPointer?, _ itemType: UnsafeMutableRawPointer?, _ flags: UInt32, _ keyParams: UnsafeMutableRawPointer?, _ importKeychain: UnsafeRawPointer?, _ outItems: ObjectSlot?
) -> Int32 {
    guard let importedDataObject = unsafe Taken.required(importedData, as: NSData.self),
        let fileNameOrExtensionObject = unsafe Taken.optional(fileNameOrExtension, as: NSString.self),
        unsafe importKeychain == nil
    else { return errSecParam }
    guard unsafe outItems != nil else {
        return unsafe LlaveroSecurity.SecKeychainItemImport(importedDataObject, fileNameOrExtensionObject.value, inputFormat?.assumingMemoryBound(to: (SecExternalFormat).self), itemType?.assumingMemoryBound(to: (SecExternalItemType).self), SecItemImportExportFlags(rawValue: flags), keyParams.map { unsafe UnsafePointer($0.assumingMemoryBound(to: (SecKeyImportExportParameters).self)) }, nil, nil)
    }
    var outItemsObject: CFArray?
    let answer = unsafe LlaveroSecurity.SecKeychainItemImport(importedDataObject, fileNameOrExtensionObject.value, inputFormat?.assumingMemoryBound(to: (SecExternalFormat).self), itemType?.assumingMemoryBound(to: (SecExternalItemType).self), SecItemImportExportFlags(rawValue: flags), keyParams.map { unsafe UnsafePointer($0.assumingMemoryBound(to: (SecKeyImportExportParameters).self)) }, nil, &outItemsObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(outItemsObject, outItems)
    return answer
}

/// Reads identities and certificates from a PKCS #12 file.
@_cdecl("SecPKCS12Import")
public func interfaceSecPKCS12Import(
    _ pkcs12_data: UnsafeRawPointer?, _ options: UnsafeRawPointer?, _ items: ObjectSlot?
) -> Int32 {
    guard let pkcs12_dataObject = unsafe Taken.required(pkcs12_data, as: NSData.self),
        let optionsObject = unsafe Taken.required(options, as: NSDictionary.self),
        unsafe items != nil
    else { return errSecParam }
    var itemsObject: CFArray?
    let answer = unsafe LlaveroSecurity.SecPKCS12Import(pkcs12_dataObject, optionsObject, &itemsObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(itemsObject, items)
    return answer
}
