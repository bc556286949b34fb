// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import IPC
import TestSupport

/// A peerinspector, asked as securityd asks it.
final class TestedInspector {
    private let connection: InspectorConnection

    init(_ connection: InspectorConnection) { self.connection = connection }

    /// Who a process is: first whether it can be more than any program of its user, then everything.
    /// - Returns: Also whether a digest had to be taken.
    /// - Throws: when there is no answer, or none that says it.
    func inspect(
        _ peer: borrowing PeerProcess
    ) throws -> (peer: EstablishedPeer, hadDigest: Bool) {
        guard let process = InspectedProcess(peer) else { throw TestFailure("No descriptor.") }
        var hadDigest = false
        var digests: [KnownDigest] = []
        var traces: PeerTraces?
        for stage in [InspectionStage.candidate, .full] {
            while true {
                let order = InspectionOrder(stage, digests: digests)
                guard case .outcome(let outcome) = try ask(.who(process, traces, order)) else {
                    throw TestFailure("The inspector answers something else.")
                }
                if case .needsDigest(let file, let found) = outcome {
                    hadDigest = true
                    traces = found
                    guard case .digest(let digest?) = try ask(.digest(file)) else {
                        throw TestFailure("No digest.")
                    }
                    digests.append(digest)
                    continue
                }
                guard case .known(let who) = outcome else { throw TestFailure("It isn't known.") }
                guard stage == .candidate, who.identity.grade != .unsigned else {
                    return (who, hadDigest)
                }
                traces = who.traces
                break
            }
        }
        throw TestFailure("not reached")
    }

    private func ask(_ question: InspectionQuestion) throws -> InspectionAnswer {
        guard connection.ask(question),
            Waiting.forReadable(connection.rawSocket, until: .now + Waiting.patience),
            let answer = connection.answer(to: question)
        else { throw TestFailure("The inspector doesn't answer.") }
        return answer
    }
}
