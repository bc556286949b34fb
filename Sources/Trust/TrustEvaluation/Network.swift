// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CPathChecks
import TrustWire

/// What one question may learn from the network. What comes from there is judged here like everything
/// else: who signed it, about whom it is, and when.
final class Network {
    /// What is known about one certificate.
    struct Answer {
        let isRevoked: Bool
        let until: Int64
    }

    private static let placeCount = 2
    private static let certificateCount = 8
    private static let certificateByteCount = 64 * 1024
    private static let nonceByteCount = 32
    /// The clocks of those who answer may be so many seconds ahead: what they make for the question
    /// is a moment younger than it.
    private static let skew: Int64 = 300
    /// How long a list without an end counts, in seconds.
    private static let endlessListSeconds: Int64 = 86400

    private struct Subject: Hashable {
        let certificate: [UInt8]
        let issuer: [UInt8]
    }

    private let fetch: (FetchRequest) -> [UInt8]?
    private var count = 0
    private var contents: [String: [UInt8]?] = [:]
    private var responses: [Subject: Answer?] = [:]

    /// - Returns: Nil where the asker, or a policy, doesn't want it.
    init?(_ question: TrustQuestion, _ fetch: @escaping (FetchRequest) -> [UInt8]?) {
        guard question.options.contains(.usesNetwork) else { return nil }
        var wants = false
        for policy in question.policies {
            switch policy.kind {
            case .sslServer, .mail: wants = true
            case .revocation:
                if policy.revocation.contains(.noNetwork) { return nil }
                wants = true
            case .eapServer, .eapClient: return nil
            case .basic, .sslClient, .codeSigning, .ipsec, .timeStamping: break
            }
        }
        guard wants else { return nil }
        self.fetch = fetch
    }

    /// What the certificate's responder says about it.
    func response(
        _ certificate: JudgedCertificate, _ issuer: JudgedCertificate, at time: Int64
    ) -> Answer? {
        let subject = Subject(certificate: certificate.der, issuer: issuer.der)
        if let known = responses[subject] { return known }
        var found: Answer?
        for place in Self.places(certificate, Int32(LLAVERO_PLACE_RESPONSE)) where found == nil {
            found = ask(place, certificate, issuer, at: time)
        }
        responses[subject] = .some(found)
        return found
    }

    /// What a list of its issuer says about the certificate at an index of a path.
    func list(_ path: CandidatePath, _ index: Int, at time: Int64) -> Answer? {
        for place in Self.places(path.certificates[index], Int32(LLAVERO_PLACE_LIST)) {
            guard let bytes = get(.list, place),
                let list = RevocationList(bytes)
                    ?? PEMText.blocks("X509 CRL", in: bytes).first.flatMap(RevocationList.init),
                let result = LibraryChecks.check(
                    path, at: time, lists: [list], signers: path.certificates, skew: Self.skew),
                result.isPath
            else { continue }
            let (end, overflows) = time.addingReportingOverflow(Self.endlessListSeconds)
            let until = list.nextUpdate ?? (overflows ? .max : end)
            switch result.lists[index] {
            case .noneRevoked: return Answer(isRevoked: false, until: until)
            case .revoked: return Answer(isRevoked: true, until: until)
            case .unknown: continue
            }
        }
        return nil
    }

    /// The certificates at the place that a certificate names for its issuer's.
    func issuers(of certificate: JudgedCertificate) -> [JudgedCertificate] {
        for place in Self.places(certificate, Int32(LLAVERO_PLACE_ISSUERS)) {
            guard let bytes = get(.issuers, place) else { continue }
            let found = Self.certificates(bytes).compactMap(JudgedCertificate.init)
            if !found.isEmpty { return found }
        }
        return []
    }

    // MARK: - Asking

    private func ask(
        _ place: String, _ certificate: JudgedCertificate, _ issuer: JudgedCertificate,
        at time: Int64
    ) -> Answer? {
        var generator = SystemRandomNumberGenerator()
        let nonce = (0..<Self.nonceByteCount).map { _ in
            UInt8.random(in: 0...(.max), using: &generator)
        }
        var request = [UInt8](repeating: 0, count: 4096)
        let size = unsafe llavero_make_request(
            certificate.handle, issuer.handle, nonce, nonce.count, &request, request.count)
        guard size > 0, takesOne(),
            let response = fetch(
                FetchRequest(.response, address: place, body: Array(request.prefix(size))))
        else { return nil }
        var until: Int64 = 0
        let answer = unsafe llavero_check_response(
            response, response.count, certificate.handle, issuer.handle, time, Self.skew, nonce,
            nonce.count, &until)
        switch answer {
        case Int32(LLAVERO_RESPONSE_REVOKED): return Answer(isRevoked: true, until: until)
        case Int32(LLAVERO_RESPONSE_GOOD): return Answer(isRevoked: false, until: until)
        default: return nil
        }
    }

    private func get(_ kind: FetchRequest.Kind, _ place: String) -> [UInt8]? {
        if let known = contents[place] { return known }
        guard takesOne() else { return nil }
        let content = fetch(FetchRequest(kind, address: place))
        contents[place] = .some(content)
        return content
    }

    private func takesOne() -> Bool {
        guard count < FetchLimits.requestCount else { return false }
        count += 1
        return true
    }

    // MARK: - Reading

    private static func places(_ certificate: JudgedCertificate, _ kind: Int32) -> [String] {
        var text = [CChar](repeating: 0, count: FetchLimits.addressByteCount)
        return (0..<placeCount).compactMap { index in
            let count = unsafe llavero_place(
                certificate.handle, kind, index, &text, text.count)
            guard count > 0 else { return nil }
            return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    private static func certificates(_ bytes: [UInt8]) -> [[UInt8]] {
        let blocks = PEMText.blocks("CERTIFICATE", in: bytes)
        guard blocks.isEmpty else { return Array(blocks.prefix(certificateCount)) }
        var der = [UInt8](repeating: 0, count: certificateByteCount)
        var found: [[UInt8]] = []
        for index in 0..<certificateCount {
            let size = unsafe llavero_bag_certificate(
                bytes, bytes.count, index, &der, der.count)
            guard size > 0 else { break }
            found.append(Array(der.prefix(size)))
        }
        return found.isEmpty ? [bytes] : found
    }
}
