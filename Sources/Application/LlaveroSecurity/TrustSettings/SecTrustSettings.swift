// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import Keychain
import SecurityWire
import TrustWire

// Settings of a user and of the machine lie in the keychain's database. The roots of the system are a
// file that root updates: their domain can be read, and never changed.

/// The settings of a certificate in a domain.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` when the certificate has none there;
///   `errSecNoTrustSettings` when nothing has; `errSecNotAvailable`.
@discardableResult
public func SecTrustSettingsCopyTrustSettings(
    _ certRef: SecCertificate, _ domain: SecTrustSettingsDomain,
    _ trustSettings: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    reported { () throws(KeychainError) in
        let entry = try entry(certRef, domain)
        unsafe trustSettings.pointee =
            entry.map { $0.rules.map(dictionary) as NSArray } ?? NSArray()
    }
}

/// Sets or replaces the settings of a certificate.
/// - Parameters:
///   - certRef: The certificate.
///   - domain: Whose settings.
///   - trustSettingsDictOrArray: A dictionary of `kSecTrustSettings…` keys, or an array of them; nil
///     or empty for a root that is trusted for everything.
/// - Returns: `errSecSuccess`; `errSecParam` for other values, for `trustRoot` of a certificate that
///   isn't self-signed and `trustAsRoot` of one that is; `errSecAuthFailed` for the machine's
///   settings without its administrator. Where a passcode is set, the person is asked for it:
///   `errSecUserCanceled`, and `errSecInteractionNotAllowed` where nobody can be asked;
///   `errSecDataNotModifiable` for the system's.
@discardableResult
public func SecTrustSettingsSetTrustSettings(
    _ certRef: SecCertificate, _ domain: SecTrustSettingsDomain,
    _ trustSettingsDictOrArray: CFTypeRef?
) -> OSStatus {
    guard let stored = domain.stored else { return errSecDataNotModifiable }
    guard let rules = rules(trustSettingsDictOrArray),
        let entry = TrustSettings.Entry([UInt8](certRef.der), rules: rules), entry.refusal == nil
    else { return errSecParam }
    return reported { () throws(KeychainError) in
        try processConnection.changeTrustSettingsAsking(stored) { $0.set(entry) }
    }
}

/// Removes the settings of a certificate.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; otherwise as
///   ``SecTrustSettingsSetTrustSettings(_:_:_:)``.
@discardableResult
public func SecTrustSettingsRemoveTrustSettings(
    _ certRef: SecCertificate, _ domain: SecTrustSettingsDomain
) -> OSStatus {
    guard let stored = domain.stored else { return errSecDataNotModifiable }
    let digest = TrustSettings.Entry.digest([UInt8](certRef.der))
    return reported { () throws(KeychainError) in
        try processConnection.changeTrustSettingsAsking(stored) {
            (settings) throws(KeychainError) in
            guard settings.entry(ofDigest: digest) != nil else {
                throw KeychainError(status: errSecItemNotFound, reason: .absent)
            }
            settings.entries.removeAll { $0.digest == digest }
        }
    }
}

/// The certificates that have settings.
/// - Returns: `errSecSuccess`; `errSecNoTrustSettings` when none has. In the domain of the system
///   these are its roots.
@discardableResult
public func SecTrustSettingsCopyCertificates(
    _ domain: SecTrustSettingsDomain, _ certArray: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    reported { () throws(KeychainError) in
        let ders: [[UInt8]]
        if let stored = domain.stored {
            let settings = try processConnection.trustSettings(stored)
            guard !settings.entries.isEmpty else { throw .noTrustSettings }
            ders = settings.entries.map(\.certificate)
        } else {
            ders = try processConnection.systemRoots()
        }
        let certificates = ders.compactMap { SecCertificate(der: Data($0)) }
        if let certArray = unsafe certArray {
            unsafe certArray.pointee = certificates as NSArray
        }
    }
}

/// When a certificate's settings were changed.
/// - Returns: As ``SecTrustSettingsCopyTrustSettings(_:_:_:)``.
@discardableResult
public func SecTrustSettingsCopyModificationDate(
    _ certRef: SecCertificate, _ domain: SecTrustSettingsDomain,
    _ modificationDate: UnsafeMutablePointer<CFDate?>
) -> OSStatus {
    reported { () throws(KeychainError) in
        guard let entry = try entry(certRef, domain) else {
            throw KeychainError(status: errSecItemNotFound, reason: .absent)
        }
        unsafe modificationDate.pointee = NSDate(
            timeIntervalSince1970: TimeInterval(entry.modified))
    }
}

/// All settings of a domain as an XML property list.
/// - Returns: `errSecSuccess`; `errSecNoTrustSettings` when there are none. The domain of the system
///   has no settings to export.
@discardableResult
public func SecTrustSettingsCreateExternalRepresentation(
    _ domain: SecTrustSettingsDomain, _ trustSettings: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    guard let stored = domain.stored else { return errSecNoTrustSettings }
    return reported { () throws(KeychainError) in
        let settings = try processConnection.trustSettings(stored)
        guard !settings.entries.isEmpty, let data = ExternalTrustSettings.encoded(settings) else {
            throw .noTrustSettings
        }
        unsafe trustSettings.pointee = Data(data) as NSData
    }
}

/// Replaces all settings of a domain by those of a property list.
/// - Returns: `errSecSuccess`; `errSecInvalidTrustSettings` for other bytes, and then nothing is
///   changed; otherwise as ``SecTrustSettingsSetTrustSettings(_:_:_:)``.
@discardableResult
public func SecTrustSettingsImportExternalRepresentation(
    _ domain: SecTrustSettingsDomain, _ trustSettings: CFData
) -> OSStatus {
    guard let stored = domain.stored else { return errSecDataNotModifiable }
    let data = unsafe Data(bytes: trustSettings.bytes, count: trustSettings.length)
    return reported { () throws(KeychainError) in
        do throws(KeychainError) {
            try processConnection.asOwner { (connection) throws(KeychainError) in
                try connection.importTrustSettings([UInt8](data), stored)
            }
        } catch {
            guard error.reason == .undecodable else { throw error }
            throw KeychainError(status: errSecInvalidTrustSettings, reason: .undecodable)
        }
    }
}

// MARK: - Entries

extension SecTrustSettingsDomain {
    /// The domain in the database; nil of the system's.
    fileprivate var stored: TrustDomain? {
        switch self {
        case .user: .user
        case .admin: .machine
        case .system: nil
        }
    }
}

extension KeychainError {
    fileprivate static let noTrustSettings = KeychainError(
        status: errSecNoTrustSettings, reason: .absent)
}

private func reported(_ body: () throws(KeychainError) -> Void) -> OSStatus {
    do throws(KeychainError) {
        try body()
        return errSecSuccess
    } catch { return error.status }
}

/// - Returns: Nil for a root of the system: it is trusted for everything.
private func entry(
    _ certificate: SecCertificate, _ domain: SecTrustSettingsDomain
) throws(KeychainError) -> TrustSettings.Entry? {
    let der = [UInt8](certificate.der)
    guard let stored = domain.stored else {
        guard try processConnection.systemRoots().contains(der) else {
            throw KeychainError(status: errSecItemNotFound, reason: .absent)
        }
        return nil
    }
    let settings = try processConnection.trustSettings(stored)
    guard !settings.entries.isEmpty else { throw .noTrustSettings }
    guard let entry = settings.entry(ofDigest: TrustSettings.Entry.digest(der)) else {
        throw KeychainError(status: errSecItemNotFound, reason: .absent)
    }
    return entry
}

// MARK: - Rules

private func rules(_ value: CFTypeRef?) -> [TrustSettings.Rule]? {
    if value == nil || value is NSNull { return [] }
    let dictionaries: [NSDictionary]
    if let dictionary = value as? NSDictionary {
        dictionaries = [dictionary]
    } else if let list = value as? NSArray {
        dictionaries = list.compactMap { $0 as? NSDictionary }
        guard dictionaries.count == list.count else { return nil }
    } else {
        return nil
    }
    var rules: [TrustSettings.Rule] = []
    for dictionary in dictionaries {
        guard let rule = rule(dictionary) else { return nil }
        rules.append(rule)
    }
    return rules
}

private func rule(_ dictionary: NSDictionary) -> TrustSettings.Rule? {
    var rule = TrustSettings.Rule()
    for (key, value) in dictionary {
        switch key as? String {
        case kSecTrustSettingsPolicy:
            guard let kind = (value as? SecPolicy)?.trustPolicy?.kind,
                let identifier = kind.settingsIdentifier
            else { return nil }
            rule.policy = identifier
            rule.policyName = kind.settingsPolicyName
        case kSecTrustSettingsApplication:
            guard let application = value as? NSData else { return nil }
            rule.application = [UInt8](application as Data)
        case kSecTrustSettingsPolicyString:
            guard let string = value as? String else { return nil }
            rule.policyString = string
        case kSecTrustSettingsKeyUsage:
            guard let number = value as? NSNumber else { return nil }
            rule.keyUsage = number.uint32Value
        case kSecTrustSettingsAllowedError:
            guard let number = value as? NSNumber else { return nil }
            rule.allowedError = number.int32Value
        case kSecTrustSettingsResult:
            guard let number = value as? NSNumber, let byte = UInt8(exactly: number.intValue),
                let result = TrustSettings.Result(rawValue: byte)
            else { return nil }
            rule.result = result
        // A key that isn't known would limit the setting in a way that isn't understood.
        default: return nil
        }
    }
    return rule
}

private func dictionary(_ rule: TrustSettings.Rule) -> NSDictionary {
    var dictionary: [String: Any] = [:]
    if let policy = rule.policy {
        dictionary[kSecTrustSettingsPolicy] = SecPolicy(settingsIdentifier: policy)
    }
    if let name = rule.policyName { dictionary["kSecTrustSettingsPolicyName"] = name }
    if let application = rule.application {
        dictionary[kSecTrustSettingsApplication] = Data(application) as NSData
    }
    if let string = rule.policyString { dictionary[kSecTrustSettingsPolicyString] = string }
    if let usage = rule.keyUsage {
        dictionary[kSecTrustSettingsKeyUsage] = NSNumber(value: usage)
    }
    if let error = rule.allowedError {
        dictionary[kSecTrustSettingsAllowedError] = NSNumber(value: error)
    }
    if let result = rule.result {
        dictionary[kSecTrustSettingsResult] = NSNumber(value: result.rawValue)
    }
    return dictionary as NSDictionary
}

extension SecPolicy {
    /// The policy of a setting; nil for one that isn't known.
    fileprivate convenience init?(settingsIdentifier: [UInt8]) {
        guard let kind = TrustPolicy.Kind(settingsIdentifier: settingsIdentifier) else {
            return nil
        }
        let identifier: CFString
        switch kind {
        case .sslServer, .sslClient: identifier = kSecPolicyAppleSSL
        case .mail: identifier = kSecPolicyAppleSMIME
        case .eapServer, .eapClient: identifier = kSecPolicyAppleEAP
        case .ipsec: identifier = kSecPolicyAppleIPsec
        case .codeSigning: identifier = kSecPolicyAppleCodeSigning
        case .timeStamping: identifier = kSecPolicyAppleTimeStamping
        case .basic, .revocation: identifier = kSecPolicyAppleX509Basic
        }
        self.init(identifier as String)
    }
}
