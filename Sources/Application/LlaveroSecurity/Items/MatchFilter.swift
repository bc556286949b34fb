// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import SecurityWire
import TrustWire

/// The filters that the service doesn't know, judged for each item that it finds: so a limit
/// counts items that passed, and no certificate is parsed in the service.
struct MatchFilter {
    /// What an item must come with to be judged.
    let fields: ReturnFields
    private let itemClass: ItemClass
    private let host: String?
    private let emailAddress: String?
    /// Seconds since 2001-01-01 00:00:00 UTC.
    private let validOn: Double?
    private let subjects: [SubjectFilter]
    private let list: ItemList?
    private var issuers: IssuerChain?
    /// A policy that must not fail. Who issued the certificate doesn't matter to it.
    private let policy: TrustPolicy?
    /// Whether the certificate must be trusted.
    private let isTrustedOnly: Bool
    private let connection: KeychainConnection

    /// The filters of a query for items of a class; nil when there are none. Unless the query names
    /// synchronizability, an object in a list of items means a local item.
    /// - Throws: `errSecUnimplemented` for a filter that the class hasn't or that isn't offered;
    ///   `errSecParam` for a value of the wrong type.
    init?(
        _ keys: MatchKeys, of itemClass: ItemClass, namesSynchronizability: Bool,
        connection: KeychainConnection
    ) throws(ItemFailure) {
        let hasCertificate = itemClass == .certificate || itemClass == .identity
        let isForAnotherClass =
            (keys.hasIssuers && !hasCertificate) || (keys.hasPolicy && !hasCertificate)
            || (keys.host != nil && itemClass != .internetPassword)
        guard !isForAnotherClass, !keys.hasPolicy || keys.policy != nil else {
            throw ItemFailure(errSecUnimplemented, .filter)
        }
        policy = keys.policy
        isTrustedOnly = hasCertificate && keys.isTrustedOnly
        self.connection = connection
        self.itemClass = itemClass
        host = keys.host
        emailAddress = hasCertificate ? keys.emailAddress : nil
        validOn = hasCertificate ? keys.validOn.map(Self.seconds) : nil
        subjects = hasCertificate ? try Self.subjects(keys) : []
        issuers =
            keys.issuers.isEmpty ? nil : IssuerChain(names: keys.issuers, connection: connection)
        var list: ItemList?
        if let items = keys.items {
            list = try ItemList(
                items, of: itemClass, objectsAreLocal: !namesSynchronizability,
                connection: connection)
        }
        self.list = list
        var fields = list?.fields ?? []
        if host != nil || issuers != nil { fields.insert(.attributes) }
        let looksInside =
            emailAddress != nil || validOn != nil || !subjects.isEmpty || policy != nil
            || isTrustedOnly
        if looksInside { fields.insert(.data) }
        self.fields = fields
        guard host != nil || issuers != nil || looksInside || list != nil else { return nil }
    }

    /// Whether an item passes every filter.
    /// - Throws: A failure to look up certificates of issuers.
    mutating func passes(_ item: FoundItem) throws(ItemFailure) -> Bool {
        if let list, !list.contains(item) { return false }
        if let host, !Self.isServer(item.attributes[.server], hostOrSubdomainOf: host) {
            return false
        }
        if fields.contains(.data) {
            guard hasWantedCertificate(item), try isJudgedWell(item) else { return false }
        }
        guard issuers != nil else { return true }
        let attributes = item.certificate?.attributes ?? item.attributes
        guard case .data(let issuer)? = attributes[.issuer] else { return false }
        return try issuers?.reaches(from: issuer) ?? true
    }

    private func hasWantedCertificate(_ item: FoundItem) -> Bool {
        let data = itemClass == .identity ? item.certificate?.data : item.secret
        guard let data, let certificate = SecCertificate(der: data.publicData) else { return false }
        let fields = certificate.fields
        if let emailAddress, !Self.contains(fields.emailAddresses, emailAddress) { return false }
        if let validOn, validOn < fields.notBefore || validOn > fields.notAfter { return false }
        guard !subjects.isEmpty else { return true }
        let texts = fields.subjectTexts
        return subjects.allSatisfy { $0.passes(texts) }
    }

    /// Whether the policy doesn't refuse the certificate, and it is trusted where that is wanted.
    private func isJudgedWell(_ item: FoundItem) throws(ItemFailure) -> Bool {
        if let policy {
            let answer = try answer(item, policy)
            // That nobody vouches for it is no matter of the policy.
            let others = answer.chain.flatMap(\.faults).filter {
                $0 != .notTrusted && $0 != .noIssuer
            }
            guard others.isEmpty else { return false }
        }
        guard isTrustedOnly else { return true }
        return try answer(item, TrustPolicy(.basic)).isTrusted
    }

    private func answer(
        _ item: FoundItem, _ policy: TrustPolicy
    ) throws(ItemFailure) -> TrustAnswer {
        let data = itemClass == .identity ? item.certificate?.data : item.secret
        let time = (validOn ?? Date().timeIntervalSinceReferenceDate) + Self.epoch
        let question = TrustQuestion(
            time: Int64(exactly: time.rounded(.down)) ?? (time > 0 ? .max : .min),
            certificates: [[UInt8](data?.publicData ?? Data())], policies: [policy])
        do throws(KeychainError) { return try connection.evaluate(question) } catch {
            throw ItemFailure(error.status)
        }
    }

    /// From 1970-01-01 to 2001-01-01.
    private static let epoch = 978_307_200.0

    private static func contains(_ addresses: [String], _ wanted: String) -> Bool {
        let wanted = wanted.lowercased()
        return addresses.contains { $0.lowercased() == wanted }
    }

    private static func isServer(
        _ server: AttributeValue?, hostOrSubdomainOf host: String
    ) -> Bool {
        guard case .text(let server)? = server else { return false }
        // Byte by byte: texts that only look the same are different servers.
        let domain = ("." + host).utf8
        return server.utf8.elementsEqual(host.utf8)
            || server.utf8.suffix(domain.count).elementsEqual(domain)
    }

    private static func seconds(_ moment: MatchKeys.Moment) -> Double {
        switch moment {
        case .now: Date().timeIntervalSinceReferenceDate
        case .date(let seconds): seconds
        }
    }

    private static func subjects(_ keys: MatchKeys) throws(ItemFailure) -> [SubjectFilter] {
        var options: NSString.CompareOptions = []
        for (option, value) in keys.subjectOptions {
            guard let isWanted = boolean(value) else { throw ItemFailure(errSecParam, .filter) }
            if isWanted { options.insert(option) }
        }
        var subjects: [SubjectFilter] = []
        for (place, value) in keys.subjects {
            guard let text = value as? NSString else { throw ItemFailure(errSecParam, .filter) }
            subjects.append(SubjectFilter(place: place, text: text as String, options: options))
        }
        return subjects
    }
}
