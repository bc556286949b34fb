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
    let keyParamsTaken = unsafe TakenParameters<SecItemImportExportKeyParameters>(keyParams)
    defer { unsafe withExtendedLifetime(keyParamsTaken) {} }
    var exportedDataObject: CFData?
    let answer = unsafe LlaveroSecurity.SecItemExport(secItemOrArrayObject, outputFormatValue, SecItemImportExportFlags(rawValue: flags), keyParamsTaken?.pointer, &exportedDataObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(exportedDataObject, exportedData)
    return answer
}

/// Reads objects in a format of other programs.
@_cdecl("SecItemImport")
public func interfaceSecItemImport(
    _ importedData: UnsafeRawPointer?, _ fileNameOrExtension: UnsafeRawPointer?, _ inputFormat: UnsafeMutablePointer<UInt32>?, _ itemType: UnsafeMutablePointer<UInt32>?, _ flags: UInt32, _ keyParams: UnsafeMutableRawPointer?, _ importKeychain: UnsafeRawPointer?, _ outItems: ObjectSlot?
) -> Int32 {
    guard let importedDataObject = unsafe Taken.required(importedData, as: NSData.self),
        let fileNameOrExtensionObject = unsafe Taken.optional(fileNameOrExtension, as: NSString.self),
        var inputFormatCase = unsafe Taken.number(inputFormat, as: SecExternalFormat.self),
        var itemTypeCase = unsafe Taken.number(itemType, as: SecExternalItemType.self),
        let importKeychainObject = unsafe Taken.optional(importKeychain, as: SecKeychain.self)
    else { return errSecParam }
    let keyParamsTaken = unsafe TakenParameters<SecItemImportExportKeyParameters>(keyParams)
    defer { unsafe withExtendedLifetime(keyParamsTaken) {} }
    var outItemsObject: CFArray?
    let answer = unsafe LlaveroSecurity.SecItemImport(importedDataObject, fileNameOrExtensionObject.value, &inputFormatCase, &itemTypeCase, SecItemImportExportFlags(rawValue: flags), keyParamsTaken?.pointer, importKeychainObject.value, &outItemsObject)
    guard answer == errSecSuccess else { return answer }
    unsafe inputFormat?.pointee = inputFormatCase.rawValue
    unsafe itemType?.pointee = itemTypeCase.rawValue
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
    let keyParamsTaken = unsafe TakenParameters<SecKeyImportExportParameters>(keyParams)
    defer { unsafe withExtendedLifetime(keyParamsTaken) {} }
    var exportedDataObject: CFData?
    let answer = unsafe LlaveroSecurity.SecKeychainItemExport(keychainItemOrArrayObject, outputFormatValue, SecItemImportExportFlags(rawValue: flags), keyParamsTaken?.pointer, &exportedDataObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(exportedDataObject, exportedData)
    return answer
}

/// The older form of ``SecItemImport(_:_:_:_:_:_:_:_:)``.
@_cdecl("SecKeychainItemImport")
public func interfaceSecKeychainItemImport(
    _ importedData: UnsafeRawPointer?, _ fileNameOrExtension: UnsafeRawPointer?, _ inputFormat: UnsafeMutablePointer<UInt32>?, _ itemType: UnsafeMutablePointer<UInt32>?, _ flags: UInt32, _ keyParams: UnsafeMutableRawPointer?, _ importKeychain: UnsafeRawPointer?, _ outItems: ObjectSlot?
) -> Int32 {
    guard let importedDataObject = unsafe Taken.required(importedData, as: NSData.self),
        let fileNameOrExtensionObject = unsafe Taken.optional(fileNameOrExtension, as: NSString.self),
        var inputFormatCase = unsafe Taken.number(inputFormat, as: SecExternalFormat.self),
        var itemTypeCase = unsafe Taken.number(itemType, as: SecExternalItemType.self),
        let importKeychainObject = unsafe Taken.optional(importKeychain, as: SecKeychain.self)
    else { return errSecParam }
    let keyParamsTaken = unsafe TakenParameters<SecKeyImportExportParameters>(keyParams)
    defer { unsafe withExtendedLifetime(keyParamsTaken) {} }
    var outItemsObject: CFArray?
    let answer = unsafe LlaveroSecurity.SecKeychainItemImport(importedDataObject, fileNameOrExtensionObject.value, &inputFormatCase, &itemTypeCase, SecItemImportExportFlags(rawValue: flags), keyParamsTaken?.pointer, importKeychainObject.value, &outItemsObject)
    guard answer == errSecSuccess else { return answer }
    unsafe inputFormat?.pointee = inputFormatCase.rawValue
    unsafe itemType?.pointee = itemTypeCase.rawValue
    unsafe put(outItemsObject, outItems)
    return answer
}

/// Reads the identities of a PKCS #12 file.
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
