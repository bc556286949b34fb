// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import IPC
import TestSupport
import Testing

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
        var digests: [KnownDigest] = []
        let first = try look(process, nil, .candidate, &digests)
        guard first.identity.grade != .unsigned else { return (first, !digests.isEmpty) }
        let second = try look(process, first.traces, .full, &digests)
        return (second, !digests.isEmpty)
    }

    /// Who a process is now, through what the first look has opened.
    func lookAgain(
        _ peer: borrowing PeerProcess, _ known: EstablishedPeer
    ) throws -> ClientIdentity {
        guard let process = InspectedProcess(peer) else { throw TestFailure("No descriptor.") }
        var digests: [KnownDigest] = []
        return try look(process, known.traces, .full, &digests).identity
    }

    private func look(
        _ process: InspectedProcess, _ traces: PeerTraces?, _ stage: InspectionStage,
        _ digests: inout [KnownDigest]
    ) throws -> EstablishedPeer {
        var traces = traces
        while true {
            let order = InspectionOrder(stage, digests: digests)
            guard case .outcome(let outcome) = try ask(.who(process, traces, order)) else {
                throw TestFailure("The inspector answers something else.")
            }
            switch outcome {
            case .known(let who): return who
            case .unknown: throw TestFailure("It isn't known.")
            case .needsDigest(let file, let found):
                traces = found
                guard case .digest(let digest?) = try ask(.digest(file)) else {
                    throw TestFailure("No digest.")
                }
                digests.append(digest)
            }
        }
    }

    private func ask(_ question: InspectionQuestion) throws -> InspectionAnswer {
        guard connection.ask(question),
            Waiting.forReadable(connection.rawSocket, until: .now + Waiting.patience),
            let answer = connection.answer(to: question)
        else { throw TestFailure("The inspector doesn't answer.") }
        return answer
    }
}
