// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC

/// The trust settings of a domain: of a user, or of the machine (Documentation/STORAGE.md, "Trust
/// settings"). They are one item's secret, so that each change is whole and sealed.
package struct TrustSettings: Equatable, Sendable {
    /// The service attribute of their item.
    package static let service = "trust-settings"

    /// The settings of a certificate.
    package struct Entry: Equatable, Sendable {
        /// SHA-1 of the certificate, 20 bytes: its name in the external form.
        package var digest: [UInt8]
        /// The certificate, DER; empty where only its name is known.
        package var certificate: [UInt8]
        /// The issuer's name, DER.
        package var issuer: [UInt8]
        /// The serial number: the content of its INTEGER.
        package var serialNumber: [UInt8]
        /// When they were changed, in seconds since 1970.
        package var modified: Int64
        /// The rules, in order. None means: always trusted.
        package var rules: [Rule]

        /// Settings of a certificate.
        package init(
            digest: [UInt8], certificate: [UInt8], issuer: [UInt8], serialNumber: [UInt8],
            modified: Int64, rules: [Rule]
        ) {
            self.digest = digest
            self.certificate = certificate
            self.issuer = issuer
            self.serialNumber = serialNumber
            self.modified = modified
            self.rules = rules
        }
    }

    /// A rule: what it demands must all fit, and the first one that fits counts.
    package struct Rule: Equatable, Sendable {
        /// The content of the policy's object identifier.
        package var policy: [UInt8]?
        /// The policy's name.
        package var policyName: String?
        /// The program: its application identifier or its path.
        package var application: [UInt8]?
        /// A host name or a mail address.
        package var policyString: String?
        /// The uses of the key, as bits.
        package var keyUsage: UInt32?
        /// A failure that is accepted.
        package var allowedError: Int32?
        /// What it says; nil is ``Result/trustRoot``.
        package var result: Result?

        /// A rule that fits always.
        package init() {}
    }

    /// What a rule says; Apple's numbers.
    package enum Result: UInt8, Sendable {
        case trustRoot = 1
        case trustAsRoot = 2
        case deny = 3
        case unspecified = 4
    }

    /// CSSM's numbers of the failures that rules can accept.
    package enum AcceptedError: UInt32, Sendable {
        case expired = 0x8001_210A
        case hostName = 0x8001_2400
        case mailAddress = 0x8001_2418
    }

    /// The uses of an authority's key: certificates and revocation lists.
    package static let certificateUses: UInt32 = 0x18

    /// Each certificate once, in the order in which they were added.
    package var entries: [Entry]

    /// Settings.
    package init(_ entries: [Entry] = []) { self.entries = entries }

    /// The settings of a certificate; nil if it has none.
    package func entry(ofDigest digest: [UInt8]) -> Entry? {
        entries.first { $0.digest == digest }
    }

    /// Sets or replaces the settings of a certificate.
    package mutating func set(_ entry: Entry) {
        if let index = entries.firstIndex(where: { $0.digest == entry.digest }) {
            entries[index] = entry
        } else {
            entries.append(entry)
        }
    }
}

extension TrustSettings.Rule {
    /// What it says.
    package var outcome: TrustSettings.Result { result ?? .trustRoot }

    /// The failure that it accepts; nil also for a number that isn't known.
    package var acceptedError: TrustSettings.AcceptedError? {
        allowedError.flatMap { TrustSettings.AcceptedError(rawValue: UInt32(bitPattern: $0)) }
    }
}

// MARK: - Coding

extension TrustSettings {
    private static let version: UInt8 = 1
    private static let digestByteCount = 20
    private static let ruleLimit = 256
    private static let textByteCount = 1024

    /// Which parts a rule has.
    private struct Parts: OptionSet {
        let rawValue: UInt8

        static let policy = Parts(rawValue: 1)
        static let policyName = Parts(rawValue: 2)
        static let application = Parts(rawValue: 4)
        static let policyString = Parts(rawValue: 8)
        static let keyUsage = Parts(rawValue: 16)
        static let allowedError = Parts(rawValue: 32)
        static let result = Parts(rawValue: 64)
    }

    /// The bytes of the settings.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.u8(Self.version)
        writer.u32(UInt32(clamping: entries.count))
        for entry in entries {
            writer.bytes(entry.digest)
            writer.object(entry.certificate)
            writer.object(entry.issuer)
            writer.object(entry.serialNumber)
            writer.u64(UInt64(bitPattern: entry.modified))
            writer.u16(UInt16(clamping: entry.rules.count))
            for rule in entry.rules.prefix(Int(UInt16.max)) { Self.write(rule, to: &writer) }
        }
        return writer.bytes
    }

    private static func write(_ rule: Rule, to writer: inout ByteWriter) {
        var parts: Parts = []
        if rule.policy != nil { parts.insert(.policy) }
        if rule.policyName != nil { parts.insert(.policyName) }
        if rule.application != nil { parts.insert(.application) }
        if rule.policyString != nil { parts.insert(.policyString) }
        if rule.keyUsage != nil { parts.insert(.keyUsage) }
        if rule.allowedError != nil { parts.insert(.allowedError) }
        if rule.result != nil { parts.insert(.result) }
        writer.u8(parts.rawValue)
        if let policy = rule.policy { writer.object(policy) }
        if let name = rule.policyName { writer.object([UInt8](name.utf8)) }
        if let application = rule.application { writer.object(application) }
        if let string = rule.policyString { writer.object([UInt8](string.utf8)) }
        if let usage = rule.keyUsage { writer.u32(usage) }
        if let error = rule.allowedError { writer.u32(UInt32(bitPattern: error)) }
        if let result = rule.result { writer.u8(result.rawValue) }
    }

    /// Reads settings.
    /// - Throws: for another layout, an unknown number, a certificate twice, or too many rules.
    package init(decoding bytes: [UInt8]) throws(DecodingFailure) {
        let settings = unsafe bytes.withUnsafeBytes { unsafe try? Self.read($0) }
        guard let settings else { throw DecodingFailure() }
        self = settings
    }

    private static func read(
        _ bytes: UnsafeRawBufferPointer
    ) throws(DecodingFailure) -> TrustSettings {
        var reader = unsafe ByteReader(bytes)
        guard try unsafe reader.u8() == version else { throw DecodingFailure() }
        var entries: [Entry] = []
        var digests: Set<[UInt8]> = []
        for _ in 0..<(try unsafe reader.u32()) {
            let entry = try unsafe entry(&reader)
            guard digests.insert(entry.digest).inserted else { throw DecodingFailure() }
            entries.append(entry)
        }
        try unsafe reader.finish()
        return TrustSettings(entries)
    }

    private static func entry(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> Entry {
        var entry = Entry(
            digest: try unsafe reader.array(digestByteCount),
            certificate: try unsafe reader.object(), issuer: try unsafe reader.object(),
            serialNumber: try unsafe reader.object(),
            modified: Int64(bitPattern: try unsafe reader.u64()), rules: [])
        let count = Int(try unsafe reader.u16())
        guard count <= ruleLimit else { throw DecodingFailure() }
        for _ in 0..<count { entry.rules.append(try unsafe rule(&reader)) }
        return entry
    }

    private static func rule(_ reader: inout ByteReader) throws(DecodingFailure) -> Rule {
        let parts = Parts(rawValue: try unsafe reader.u8())
        guard parts.rawValue < 1 << 7 else { throw DecodingFailure() }
        var rule = Rule()
        if parts.contains(.policy) { rule.policy = try unsafe reader.object() }
        if parts.contains(.policyName) { rule.policyName = try unsafe text(&reader) }
        if parts.contains(.application) { rule.application = try unsafe reader.object() }
        if parts.contains(.policyString) { rule.policyString = try unsafe text(&reader) }
        if parts.contains(.keyUsage) { rule.keyUsage = try unsafe reader.u32() }
        if parts.contains(.allowedError) {
            rule.allowedError = Int32(bitPattern: try unsafe reader.u32())
        }
        if parts.contains(.result) {
            guard let result = Result(rawValue: try unsafe reader.u8()) else {
                throw DecodingFailure()
            }
            rule.result = result
        }
        return rule
    }

    private static func text(_ reader: inout ByteReader) throws(DecodingFailure) -> String {
        let bytes = try unsafe reader.object()
        guard bytes.count <= textByteCount, let text = String(validating: bytes, as: UTF8.self)
        else { throw DecodingFailure() }
        return text
    }
}

// MARK: - Policies

extension TrustPolicy.Kind {
    /// 1.2.840.113635.100.1: the last number tells the policy.
    private static let arc: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x01]

    /// The last number of its object identifier, and its name in settings; nil of a policy that
    /// settings don't know.
    private var settingsName: (number: UInt8, name: String)? {
        switch self {
        case .basic: (2, "basicX509")
        case .sslServer, .sslClient: (3, "sslServer")
        case .mail: (8, "SMIME")
        case .eapServer, .eapClient: (9, "eapServer")
        case .ipsec: (11, "IPsec")
        case .codeSigning: (16, "CodeSigning")
        case .timeStamping: (20, "timestamping")
        case .revocation: nil
        }
    }

    /// The content of its object identifier in settings.
    package var settingsIdentifier: [UInt8]? { settingsName.map { Self.arc + [$0.number] } }

    /// Its name in settings.
    package var settingsPolicyName: String? { settingsName?.name }

    /// The policy of an identifier; nil for one that isn't known.
    package init?(settingsIdentifier: [UInt8]) {
        let kinds: [Self] = [
            .basic, .sslServer, .mail, .eapServer, .ipsec, .codeSigning, .timeStamping,
        ]
        guard let kind = kinds.first(where: { $0.settingsIdentifier == settingsIdentifier }) else {
            return nil
        }
        self = kind
    }
}
