// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire
package import TrustWire

// Questions about certificates, which trustd answers.

extension KeychainConnection {
    /// Evaluates a chain of certificates.
    /// - Returns: What was found out; a refusal is an answer, too.
    /// - Throws: ``FailureReason/unreachable`` when no trustd answers;
    ///   ``FailureReason/invalidRequest`` for a leaf that can't be judged;
    ///   ``FailureReason/tooLarge`` for more certificates than one question may have.
    package func evaluate(_ question: TrustQuestion) throws(KeychainError) -> TrustAnswer {
        switch try ask(.evaluate(question)) {
        case .evaluated(let answer): return answer
        case .unreadableCertificate: throw .invalidRequest
        case .systemRoots, .unreadableSettings: throw .unreachable
        }
    }

    /// The system's roots.
    /// - Returns: Their DER, in the order of their file.
    /// - Throws: ``FailureReason/unreachable`` when no trustd answers.
    package func systemRoots() throws(KeychainError) -> [[UInt8]] {
        guard case .systemRoots(let roots) = try ask(.systemRoots) else { throw .unreachable }
        return roots
    }

    private func ask(_ request: TrustRequest) throws(KeychainError) -> TrustReply {
        let question = request.encoded()
        guard question.count <= TrustLimits.questionByteCount else { throw .tooLarge }
        let received = try read(.trust(question), deadline: Self.writeDeadline)
        guard case .trust(let bytes) = received,
            let reply = unsafe bytes.withUnsafeBytes({ unsafe try? TrustReply(decoding: $0) })
        else { throw .unreachable }
        return reply
    }
}
