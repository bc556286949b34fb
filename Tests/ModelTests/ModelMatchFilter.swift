// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import FuzzEntries

/// The match keys of a copy (section 3.3).
struct ModelMatchFilter {
    private let matches: [String: Value]
    private let model: Model

    init(_ request: Request, _ model: Model) {
        matches = request.matches
        self.model = model
    }

    /// Whether the specification defines the result for an item. It doesn't for certificate filters
    /// on rows whose content and attributes disagree.
    func isSure(_ item: Model.Item) -> Bool {
        guard item.itemClass == .certificate else { return true }
        let judging =
            ["m_Issuers", "m_EmailAddressIfPresent", "m_ValidOnDate"] + Self.subjectKeys
        guard judging.contains(where: { matches[$0] != nil }) else { return true }
        guard Self.sample(item) != nil else { return false }
        guard matches["m_Issuers"] != nil else { return true }
        return model.items.allSatisfy {
            $0.itemClass != .certificate || $0.isTombstone || Self.sample($0) != nil
        }
    }

    /// The unmodified sample that is this item.
    static func sample(_ item: Model.Item) -> Int? {
        guard item.itemClass == .certificate, let data = item.data,
            let number = Derived.certificates.firstIndex(of: data)
        else { return nil }
        let derived = Derived.attributes(ofCertificate: number)
        let isUnchanged = ["ctyp", "cenc", "subj", "issr", "slnr", "skid", "pkhh"].allSatisfy {
            derived[$0] == item.attributes[$0]
        }
        return isUnchanged ? number : nil
    }

    func passes(_ item: Model.Item) -> Bool {
        matches.allSatisfy { name, value in
            switch name {
            case "m_HostOrSubdomainOfHost": isAtHost(item, value)
            case "m_ItemList": isListed(item, value)
            case "m_Issuers": hasIssuer(item, value)
            case "m_EmailAddressIfPresent": hasAddress(item, value)
            case "m_ValidOnDate": isValid(item, value)
            case _ where Self.subjectKeys.contains(name): hasInSubject(item, name, value)
            default: true
            }
        }
    }

    private func isAtHost(_ item: Model.Item, _ host: Value) -> Bool {
        guard case .string(let host) = host, case .string(let server)? = item.attributes["srvr"]
        else { return false }
        let (name, suffix) = (Array(server.utf8), Array(("." + host).utf8))
        return name == Array(host.utf8) || name.suffix(suffix.count).elementsEqual(suffix)
    }

    private func isListed(_ item: Model.Item, _ list: Value) -> Bool {
        guard case .array(let elements) = list else { return true }
        return elements.contains { element in
            guard case .reference(let reference) = element else { return false }
            return reference.itemClass == item.itemClass && reference.item == item.name
        }
    }

    private func hasAddress(_ item: Model.Item, _ address: Value) -> Bool {
        guard case .string(let address) = address, let number = Self.sample(item),
            let email = CertificateSample.all[number].email
        else { return false }
        return email.lowercased() == address.lowercased()
    }

    private func isValid(_ item: Model.Item, _ date: Value) -> Bool {
        guard let number = Self.sample(item) else { return true }
        let sample = CertificateSample.all[number]
        let time: Double
        if case .date(let date) = date {
            time = date
        } else {
            time = Date().timeIntervalSinceReferenceDate
        }
        return sample.notBefore <= time && time <= sample.notAfter
    }

    // MARK: - Subjects

    static let subjectKeys = [
        "m_SubjectContains", "m_SubjectStartsWith", "m_SubjectEndsWith", "m_SubjectWholeString",
    ]
    /// The comparisons that they relax.
    static let subjectFlags = [
        "m_CaseInsensitive", "m_DiacriticInsensitive", "m_WidthInsensitive",
    ]

    private func hasInSubject(_ item: Model.Item, _ name: String, _ text: Value) -> Bool {
        guard case .string(let text) = text, let number = Self.sample(item) else { return true }
        let wanted = folded(text)
        return Derived.subjectTexts[number].map(folded).contains { candidate in
            switch name {
            case "m_SubjectStartsWith": candidate.starts(with: wanted)
            case "m_SubjectEndsWith": candidate.reversed().starts(with: wanted.reversed())
            case "m_SubjectWholeString": candidate == wanted
            default: wanted.isEmpty || candidate.contains(wanted)
            }
        }
    }

    /// A text without the ignored differences.
    private func folded(_ text: String) -> String {
        var scalars = Array(text.decomposedStringWithCanonicalMapping.unicodeScalars)
        if matches["m_DiacriticInsensitive"] == .boolean(true) {
            scalars.removeAll { (0x300...0x36F).contains($0.value) }
        }
        if matches["m_WidthInsensitive"] == .boolean(true) {
            scalars = scalars.map { scalar in
                let isWide = (0xFF01...0xFF5E).contains(scalar.value)
                return isWide ? Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar : scalar
            }
        }
        let result = String(String.UnicodeScalarView(scalars))
        return matches["m_CaseInsensitive"] == .boolean(true) ? result.lowercased() : result
    }

    // MARK: - Issuers

    /// The names in the list, normalized; nil when the list is ignored.
    private func listedNames(_ list: Value) -> Set<Data>? {
        guard case .array(let elements) = list else { return nil }
        var names: Set<Data> = []
        for element in elements {
            guard case .data(let data) = element else { return nil }
            for sample in CertificateSample.all where Derived.bytes(sample.issuerName) == data {
                names.insert(Derived.bytes(sample.issuer))
            }
            for sample in CertificateSample.all where Derived.bytes(sample.subjectName) == data {
                names.insert(Derived.bytes(sample.subject))
            }
        }
        return names.isEmpty ? nil : names
    }

    private func hasIssuer(_ item: Model.Item, _ list: Value) -> Bool {
        guard let names = listedNames(list), var number = Self.sample(item) else { return true }
        for _ in 0...10 {
            let issuer = Derived.bytes(CertificateSample.all[number].issuer)
            if names.contains(issuer) { return true }
            let next = model.items.first {
                $0.attributes["subj"] == .data(issuer) && !$0.isTombstone
                    && model.groups.contains($0.group)
            }
            guard let sample = next.flatMap(Self.sample) else { return false }
            number = sample
        }
        return false
    }
}
