// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Made by Scripts/generate-c-interface; edits here are lost.
// swift-format-ignore-file

import CSecurityObjects
import Foundation
import LlaveroSecurity

/// The settings of a certificate in a domain.
@_cdecl("SecTrustSettingsCopyTrustSettings")
public func interfaceSecTrustSettingsCopyTrustSettings(
    _ certRef: UnsafeRawPointer?, _ domain: UInt32, _ trustSettings: ObjectSlot?
) -> Int32 {
    guard let certRefObject = unsafe Taken.required(certRef, as: SecCertificate.self),
        let domainValue = SecTrustSettingsDomain(rawValue: domain),
        unsafe trustSettings != nil
    else { return errSecParam }
    var trustSettingsObject: CFArray?
    let answer = unsafe LlaveroSecurity.SecTrustSettingsCopyTrustSettings(certRefObject, domainValue, &trustSettingsObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(trustSettingsObject, trustSettings)
    return answer
}

/// Sets or replaces the settings of a certificate.
@_cdecl("SecTrustSettingsSetTrustSettings")
public func interfaceSecTrustSettingsSetTrustSettings(
    _ certRef: UnsafeRawPointer?, _ domain: UInt32, _ trustSettingsDictOrArray: UnsafeRawPointer?
) -> Int32 {
    guard let certRefObject = unsafe Taken.required(certRef, as: SecCertificate.self),
        let domainValue = SecTrustSettingsDomain(rawValue: domain)
    else { return errSecParam }
    let trustSettingsDictOrArrayObject = unsafe Taken.object(trustSettingsDictOrArray)
    return LlaveroSecurity.SecTrustSettingsSetTrustSettings(certRefObject, domainValue, trustSettingsDictOrArrayObject)
}

/// Removes the settings of a certificate.
@_cdecl("SecTrustSettingsRemoveTrustSettings")
public func interfaceSecTrustSettingsRemoveTrustSettings(
    _ certRef: UnsafeRawPointer?, _ domain: UInt32
) -> Int32 {
    guard let certRefObject = unsafe Taken.required(certRef, as: SecCertificate.self),
        let domainValue = SecTrustSettingsDomain(rawValue: domain)
    else { return errSecParam }
    return LlaveroSecurity.SecTrustSettingsRemoveTrustSettings(certRefObject, domainValue)
}

/// The certificates that have settings.
@_cdecl("SecTrustSettingsCopyCertificates")
public func interfaceSecTrustSettingsCopyCertificates(
    _ domain: UInt32, _ certArray: ObjectSlot?
) -> Int32 {
    guard let domainValue = SecTrustSettingsDomain(rawValue: domain)
    else { return errSecParam }
    guard unsafe certArray != nil else {
        return LlaveroSecurity.SecTrustSettingsCopyCertificates(domainValue, nil)
    }
    var certArrayObject: CFArray?
    let answer = unsafe LlaveroSecurity.SecTrustSettingsCopyCertificates(domainValue, &certArrayObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(certArrayObject, certArray)
    return answer
}

/// When a certificate's settings were changed.
@_cdecl("SecTrustSettingsCopyModificationDate")
public func interfaceSecTrustSettingsCopyModificationDate(
    _ certRef: UnsafeRawPointer?, _ domain: UInt32, _ modificationDate: ObjectSlot?
) -> Int32 {
    guard let certRefObject = unsafe Taken.required(certRef, as: SecCertificate.self),
        let domainValue = SecTrustSettingsDomain(rawValue: domain),
        unsafe modificationDate != nil
    else { return errSecParam }
    var modificationDateObject: CFDate?
    let answer = unsafe LlaveroSecurity.SecTrustSettingsCopyModificationDate(certRefObject, domainValue, &modificationDateObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(modificationDateObject, modificationDate)
    return answer
}

/// All settings of a domain as an XML property list.
@_cdecl("SecTrustSettingsCreateExternalRepresentation")
public func interfaceSecTrustSettingsCreateExternalRepresentation(
    _ domain: UInt32, _ trustSettings: ObjectSlot?
) -> Int32 {
    guard let domainValue = SecTrustSettingsDomain(rawValue: domain),
        unsafe trustSettings != nil
    else { return errSecParam }
    var trustSettingsObject: CFData?
    let answer = unsafe LlaveroSecurity.SecTrustSettingsCreateExternalRepresentation(domainValue, &trustSettingsObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(trustSettingsObject, trustSettings)
    return answer
}

/// Replaces all settings of a domain by those of a property list.
@_cdecl("SecTrustSettingsImportExternalRepresentation")
public func interfaceSecTrustSettingsImportExternalRepresentation(
    _ domain: UInt32, _ trustSettings: UnsafeRawPointer?
) -> Int32 {
    guard let domainValue = SecTrustSettingsDomain(rawValue: domain),
        let trustSettingsObject = unsafe Taken.required(trustSettings, as: NSData.self)
    else { return errSecParam }
    return LlaveroSecurity.SecTrustSettingsImportExternalRepresentation(domainValue, trustSettingsObject)
}
