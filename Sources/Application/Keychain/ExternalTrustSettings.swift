// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import KeychainVocabulary
import SecurityWire
package import TrustWire

/// Trust settings as a property list, the form of files that other programs read, change and write
/// (Documentation/STORAGE.md, "Trust settings").
package enum ExternalTrustSettings {
    private static let version = 1
    private static let largestByteCount = 4 << 20
    /// From 1970 to the end of the year 9999.
    private static let seconds = 0.0...253_402_300_799

    private struct Document: Codable {
        var trustVersion: Int
        var trustList: [String: Entry]
    }

    private struct Entry: Codable {
        var issuerName: Data
        var serialNumber: Data
        var modDate: Date?
        var trustSettings: [Rule]?
        /// The certificate itself, so that a file can be taken to another machine. Not Apple's.
        var llaveroCertificate: Data?
    }

    private struct Rule: Codable {
        var policy: Data?
        var policyName: String?
        var application: Data?
        var policyString: String?
        var keyUsage: Int64?
        var allowedError: Int64?
        var result: Int?

        enum CodingKeys: String, CodingKey {
            case policy = "kSecTrustSettingsPolicy"
            case policyName = "kSecTrustSettingsPolicyName"
            case application = "kSecTrustSettingsApplication"
            case policyString = "kSecTrustSettingsPolicyString"
            case keyUsage = "kSecTrustSettingsKeyUsage"
            case allowedError = "kSecTrustSettingsAllowedError"
            case result = "kSecTrustSettingsResult"
        }
    }

    /// The XML property list of settings.
    /// - Returns: Nil if it can't be made.
    package static func encoded(_ settings: TrustSettings) -> [UInt8]? {
        var list: [String: Entry] = [:]
        for entry in settings.entries {
            list[hex(entry.digest)] = Entry(
                issuerName: Data(entry.issuer), serialNumber: Data(entry.serialNumber),
                modDate: Date(timeIntervalSince1970: Double(entry.modified)),
                trustSettings: entry.rules.map(external),
                llaveroCertificate: entry.certificate.isEmpty ? nil : Data(entry.certificate))
        }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        let data = try? encoder.encode(Document(trustVersion: version, trustList: list))
        return data.map { [UInt8]($0) }
    }

    private static func external(_ rule: TrustSettings.Rule) -> Rule {
        Rule(
            policy: rule.policy.map { Data($0) }, policyName: rule.policyName,
            application: rule.application.map { Data($0) }, policyString: rule.policyString,
            keyUsage: rule.keyUsage.map { Int64($0) },
            allowedError: rule.allowedError.map { Int64($0) },
            result: rule.result.map { Int($0.rawValue) })
    }

    /// Reads a property list, XML or binary.
    /// - Returns: Nil for anything else, an unknown number, or a name that isn't a digest.
    package static func decoded(_ bytes: [UInt8]) -> TrustSettings? {
        guard bytes.count <= largestByteCount,
            let document = try? PropertyListDecoder().decode(Document.self, from: Data(bytes)),
            document.trustVersion == version
        else { return nil }
        var settings = TrustSettings()
        for (name, entry) in document.trustList.sorted(by: { $0.key < $1.key }) {
            guard let digest = Self.bytes(hex: name), digest.count == 20 else { return nil }
            var rules: [TrustSettings.Rule] = []
            for rule in entry.trustSettings ?? [] {
                guard let rule = self.rule(rule) else { return nil }
                rules.append(rule)
            }
            let certificate = entry.llaveroCertificate.map { [UInt8]($0) } ?? []
            guard certificate.isEmpty || TrustSettings.Entry.digest(certificate) == digest else {
                return nil
            }
            let seconds = entry.modDate?.timeIntervalSince1970.rounded() ?? 0
            settings.set(
                TrustSettings.Entry(
                    digest: digest, certificate: certificate, issuer: [UInt8](entry.issuerName),
                    serialNumber: [UInt8](entry.serialNumber),
                    modified: Self.seconds.contains(seconds) ? Int64(seconds) : 0, rules: rules))
        }
        return settings
    }

    private static func rule(_ external: Rule) -> TrustSettings.Rule? {
        var rule = TrustSettings.Rule()
        rule.policy = external.policy.map { [UInt8]($0) }
        rule.policyName = external.policyName
        rule.application = external.application.map { [UInt8]($0) }
        rule.policyString = external.policyString
        if let usage = external.keyUsage {
            // -1 is every use.
            rule.keyUsage = UInt32(truncatingIfNeeded: usage)
        }
        if let error = external.allowedError {
            rule.allowedError = Int32(truncatingIfNeeded: error)
        }
        if let number = external.result {
            guard let byte = UInt8(exactly: number),
                let result = TrustSettings.Result(rawValue: byte)
            else { return nil }
            rule.result = result
        }
        return rule
    }

    /// Upper-case hexadecimal.
    package static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }

    /// Bytes of hexadecimal digits; nil for anything else.
    package static func bytes(hex: String) -> [UInt8]? {
        let digits = hex.utf8.map { UInt8(Character(Unicode.Scalar($0)).hexDigitValue ?? 255) }
        guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0 < 16 }) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension KeychainConnection {
    /// Replaces the settings of a domain by those of a property list.
    ///
    /// The certificates of entries that have none come from the present settings, from the System
    /// keychain and from the caller's groups. An entry whose certificate isn't known is kept by its
    /// name.
    /// - Throws: ``FailureReason/undecodable`` for a list that can't be read; as
    ///   ``changeTrustSettings(_:_:)``.
    package func importTrustSettings(
        _ list: [UInt8], _ domain: TrustDomain
    ) throws(KeychainError) {
        guard var imported = ExternalTrustSettings.decoded(list) else {
            throw .undecodable("this isn't a list of trust settings")
        }
        let other = try trustSettings(domain == .user ? .machine : .user)
        for index in imported.entries.indices where imported.entries[index].certificate.isEmpty {
            let entry = imported.entries[index]
            if let known = other.entry(ofDigest: entry.digest) {
                imported.entries[index].certificate = known.certificate
            } else {
                imported.entries[index].certificate = try storedCertificate(entry)
            }
        }
        try changeTrustSettings(domain) { [imported] (settings) throws(KeychainError) in
            let before = settings
            settings = imported
            for index in settings.entries.indices where settings.entries[index].certificate.isEmpty
            {
                let digest = settings.entries[index].digest
                if let known = before.entry(ofDigest: digest) {
                    settings.entries[index].certificate = known.certificate
                }
            }
        }
    }

    private func storedCertificate(
        _ entry: TrustSettings.Entry
    ) throws(KeychainError) -> [UInt8] {
        guard let issuer = CertificateName.normalizedContent(entry.issuer[...]) else { return [] }
        var query = ItemQuery(.certificate)
        query.attributes[.issuer] = .data(issuer)
        query.attributes[.serialNumber] = .data(entry.serialNumber)
        query.synchronizable = .any
        query.limit = nil
        query.returning = .data
        for group in [nil, ReservedGroup.machineKeychain.rawValue] {
            query.attributes[.accessGroup] = group.map { .text($0) }
            do throws(KeychainError) {
                for item in try find(query) {
                    guard let secret = item.secret else { continue }
                    let der = unsafe secret.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
                    if TrustSettings.Entry.digest(der) == entry.digest { return der }
                }
            } catch {
                guard error.reason == .absent || error.reason == .denied else { throw error }
            }
        }
        return []
    }
}
