// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TrustEvaluation
import TrustWire

/// What an authority says of its certificates. No change of it may make a revoked certificate good, or
/// a good one revoked.
enum RevocationEntries {
    /// The samples are valid then.
    private static let time: Int64 = 1_700_000_000

    static func response(_ data: Data) {
        check(.ocsp) { question, _ in question.stapledResponses = [[UInt8](data)] }
    }

    static func list(_ data: Data) {
        guard TrustJudge.prepare(), let list = RevocationList([UInt8](data)) else { return }
        check(.crl) { _, judge in judge.lists = [list] }
    }

    private static func check(
        _ kind: TrustPolicy.RevocationFlags,
        _ change: (inout TrustQuestion, inout TrustJudge) -> Void
    ) {
        guard TrustJudge.prepare() else { return }
        let says = [RevocationSamples.good, RevocationSamples.bad].map { leaf in
            var judge = TrustJudge(roots: RootSet(bundle: []), lists: [])
            var question = TrustQuestion(
                time: time, certificates: [bytes(leaf)],
                policies: [
                    TrustPolicy(.basic),
                    TrustPolicy(.revocation, revocation: [kind, .requiresPositiveAnswer]),
                ])
            question.anchors = [bytes(RevocationSamples.root)]
            question.options = .givenAnchorsOnly
            change(&question, &judge)
            return judge.answer(question)
        }
        precondition(says[0]?.isTrusted == true || says[0]?.worst?.fault == .revocationUnknown)
        precondition(says[1]?.isTrusted == false)
    }

    private static func bytes(_ text: String) -> [UInt8] {
        Data(base64Encoded: text).map { [UInt8]($0) } ?? []
    }

    // MARK: - Seeds

    static var responses: [Data] {
        [RevocationSamples.goodResponse, RevocationSamples.badResponse].map { Data(bytes($0)) }
    }

    static var lists: [Data] { [Data(bytes(RevocationSamples.list))] }
}
