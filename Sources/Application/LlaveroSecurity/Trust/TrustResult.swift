// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import Keychain
import SecurityWire
import TrustWire

/// The result of an evaluation, with the asker's exceptions.
struct TrustEvaluation: Sendable {
    let answer: TrustAnswer
    /// The certificates of the chain.
    let chain: [SecCertificate]
    /// For each certificate, the failed checks that no exception covers.
    let faults: [[TrustFault]]
    let result: SecTrustResultType
    let date: Date

    /// - Parameters:
    ///   - answer: What the service found out.
    ///   - certificates: The asker's own objects, which stand for the same certificates of the chain.
    ///   - exceptions: Failures that the asker accepts.
    ///   - names: The names that the policies demand.
    init?(
        _ answer: TrustAnswer, _ certificates: [SecCertificate], _ exceptions: TrustExceptions?,
        names: [String]
    ) {
        var chain: [SecCertificate] = []
        for link in answer.chain {
            let der = Data(link.certificate)
            guard
                let certificate = certificates.first(where: { $0.der == der })
                    ?? SecCertificate(der: der)
            else { return nil }
            chain.append(certificate)
        }
        let faults = zip(answer.chain.indices, chain).map { index, certificate in
            answer.chain[index].faults.filter { fault in
                fault.isFatal || fault == .denied
                    || exceptions?.cover(fault, index, certificate, names: names) != true
            }
        }
        self.answer = answer
        self.chain = chain
        self.faults = faults
        date = Date()
        let left = faults.joined()
        if left.contains(where: \.isFatal) {
            result = .fatalTrustFailure
        } else if left.contains(.denied) {
            result = .deny
        } else if !left.isEmpty {
            result = .recoverableTrustFailure
        } else {
            // By a setting, or only thanks to exceptions.
            let isBySetting = answer.anchor == .user || answer.anchor == .machine
            result = answer.isTrusted && !isBySetting ? .unspecified : .proceed
        }
    }

    var isTrusted: Bool { result == .unspecified || result == .proceed }

    /// The worst failed check, and the index of its certificate.
    var worst: (fault: TrustFault, index: Int)? {
        var worst: (fault: TrustFault, index: Int)?
        for (index, faults) in faults.enumerated() {
            for fault in faults where worst.map({ fault.kind < $0.fault.kind }) ?? true {
                worst = (fault, index)
            }
        }
        return worst
    }

    /// Why it isn't trusted, for a program and for a person; nil if it is.
    var failure: NSError? {
        guard let worst else { return nil }
        let about =
            worst.fault.kind == .pinning
            ? chain.map { "\u{201C}\(Self.summary($0))\u{201D}" }.joined(separator: ",")
            : Self.summary(chain[worst.index])
        let texts = zip(chain, faults).enumerated().compactMap { index, link -> String? in
            guard !link.1.isEmpty else { return nil }
            let details = link.1.map { $0.detail + ";" }.joined(separator: " ")
                .replacingOccurrences(of: "; ", with: ", ")
            return "Certificate \(index) \u{201C}\(Self.summary(link.0))\u{201D} has errors: "
                + details
        }
        let underlying = NSError(
            domain: NSOSStatusErrorDomain, code: Int(worst.fault.status),
            userInfo: [NSLocalizedDescriptionKey: texts.joined(separator: " ")])
        return NSError(
            domain: NSOSStatusErrorDomain, code: Int(worst.fault.status),
            userInfo: [
                NSLocalizedDescriptionKey: worst.fault.sentence(about: about),
                NSUnderlyingErrorKey: underlying,
            ])
    }

    private static func summary(_ certificate: SecCertificate) -> String {
        certificate.fields.summary ?? ""
    }
}

/// Failures of certain certificates that an asker accepts.
struct TrustExceptions: Sendable {
    private static let digestKey = "SHA1Digest"

    private struct Entry: Sendable {
        let digest: Data
        /// For each failed check, what else must be the same.
        let checks: [String: String]
    }

    private let entries: [Entry]

    /// Reads a property list.
    /// - Returns: Nil unless its first entry is of this leaf.
    init?(_ data: Data, leaf: SecCertificate) {
        guard data.count <= 1 << 20,
            let list = try? unsafe PropertyListSerialization.propertyList(from: data, format: nil),
            let dictionaries = list as? [[String: Any]]
        else { return nil }
        entries = dictionaries.map { dictionary in
            var checks: [String: String] = [:]
            for (key, value) in dictionary where key != Self.digestKey {
                checks[key] = value as? String ?? ""
            }
            return Entry(digest: dictionary[Self.digestKey] as? Data ?? Data(), checks: checks)
        }
        guard entries.first?.digest == Self.digest(leaf) else { return nil }
    }

    /// Whether a failure is accepted: of this certificate at this place, and for these names.
    func cover(
        _ fault: TrustFault, _ index: Int, _ certificate: SecCertificate, names: [String]
    ) -> Bool {
        guard entries.indices.contains(index), entries[index].digest == Self.digest(certificate),
            let condition = entries[index].checks[fault.key]
        else { return false }
        return condition == Self.condition(fault, names)
    }

    /// The property list that accepts all failures of an evaluation.
    static func encoded(_ evaluation: TrustEvaluation, names: [String]) -> Data? {
        var list: [[String: Any]] = []
        for (index, certificate) in evaluation.chain.enumerated() {
            var entry: [String: Any] = [:]
            for fault in evaluation.answer.chain[index].faults {
                let condition = condition(fault, names)
                entry[fault.key] = condition.isEmpty ? false as Any : condition
            }
            if !entry.isEmpty || index == 0 { entry[digestKey] = digest(certificate) }
            list.append(entry)
        }
        while list.count > 1, list.last?.isEmpty == true { list.removeLast() }
        return try? PropertyListSerialization.data(
            fromPropertyList: list, format: .binary, options: 0)
    }

    /// Another host fails again.
    private static func condition(_ fault: TrustFault, _ names: [String]) -> String {
        fault == .hostName || fault == .mailAddress ? names.joined(separator: ",") : ""
    }

    private static func digest(_ certificate: SecCertificate) -> Data {
        Data(Insecure.SHA1.hash(data: certificate.der))
    }
}
