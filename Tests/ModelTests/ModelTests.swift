// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import TestSupport
import Testing

/// Random dictionaries, valid and invalid, compared with an independent model of the specification.
@Suite struct ModelTests {
    private static let parts = 4

    @Test(arguments: 0..<parts)
    func theDaemonsAnswerAsTheModelDoes(_ part: Int) throws {
        let seed = Trial.seed &+ UInt64(part)
        print("Random calls on the daemons: LLAVERO_MODEL_SEED=\(Trial.seed)")
        let trial = Trial(groups: Trial.daemonGroups, seed: seed, lend: Trial.lendDaemons)
        try trial.run(Trial.calls / Self.parts)
    }

    /// Groups that a signed program may hold.
    private static let groups = [
        "ABCDE12345.first", "ABCDE12345.second", "ABCDE12345.app", Model.tokenGroup,
    ]

    @Test func severalGroupsAndALockAreAsInTheModel() throws {
        let seed = Trial.seed &+ UInt64(Self.parts)
        print("Random calls in process: LLAVERO_MODEL_SEED=\(Trial.seed)")
        let trial = Trial(groups: Self.groups, seed: seed, locks: true) {
            try Trial.lendService(Self.groups, $0)
        }
        try trial.run(Trial.calls / 10)
    }

    // MARK: - The comparison sees faults

    /// Enough calls to detect each of the faults.
    private static let recordedCalls = 6000

    /// Answers of the daemons, for comparison with faulty models.
    private static let recording = Result {
        try Trial(groups: Trial.daemonGroups, seed: 1, lend: Trial.lendDaemons)
            .run(recordedCalls, isStrict: false, keeps: true)
    }

    /// The step at which a model differs from the recording.
    private static func stepOfDifference(_ defect: Defect?) throws -> Int? {
        var model = Model(groups: Trial.daemonGroups, defect: defect)
        var comparison = Comparison()
        for (index, entry) in try recording.get().enumerated() {
            let expected = model.apply(entry.call)
            let difference = Session.difference(expected, entry.answer, entry.call, &comparison)
            if difference != nil { return index + 1 }
        }
        return nil
    }

    @Test func aModelWithoutFaultsIsNotFoundToDiffer() throws {
        #expect(try Self.stepOfDifference(nil) == nil)
        #expect(try Self.recording.get().count == Self.recordedCalls)
    }

    @Test(arguments: Defect.allCases)
    func aFaultIsNoticed(_ defect: Defect) throws {
        let step = try #require(try Self.stepOfDifference(defect), "\(defect) goes unnoticed")
        #expect(step <= Self.recordedCalls)
    }
}
