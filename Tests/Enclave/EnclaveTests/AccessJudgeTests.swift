// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import KeychainVocabulary
import Testing

extension AccessJudge {
    /// Of a device whose owner doesn't accept fingerprints.
    fileprivate static let withPasscodeAlone = AccessJudge(Keybag.Biometry())
}

/// The judgement of access controls alone, without keys.
@Suite struct AccessJudgeTests {
    private typealias Operations = [AccessControl.Operation: AccessControl.Constraint]

    private static let full = AccessJudge(
        obtainable: [.passcode, .biometry, .enrolledBiometry, .companion])

    private static func control(_ operations: Operations) -> AccessControl {
        full.bound(AccessControl(protectionClass: 6, operations: operations))
    }

    private static func verdict(
        _ constraint: AccessControl.Constraint, _ proofs: AccessProofs,
        by judge: AccessJudge = full
    ) -> AccessVerdict {
        judge.verdict(on: .decrypt, control([.decrypt: constraint]), with: proofs)
    }

    // MARK: - Which entry counts

    @Test func anEmptyTableAllowsEverything() {
        for operation in AccessControl.Operation.allCases {
            let verdict = AccessJudge.withPasscodeAlone.verdict(
                on: operation, Self.control([:]), with: [])
            #expect(verdict == .allowed)
        }
    }

    @Test func theEntryOfTheOperationCountsBeforeTheOneForAll() {
        let control = Self.control([.decrypt: .passcode, .fallback: .always])
        #expect(AccessJudge.withPasscodeAlone.verdict(on: .decrypt, control, with: []) == .unmet)
        #expect(AccessJudge.withPasscodeAlone.verdict(on: .delete, control, with: []) == .allowed)
        let closed = Self.control([.decrypt: .always, .fallback: .never])
        #expect(AccessJudge.withPasscodeAlone.verdict(on: .decrypt, closed, with: []) == .allowed)
        #expect(
            AccessJudge.withPasscodeAlone.verdict(on: .delete, closed, with: .passcode) == .refused)
    }

    @Test func a10AnOperationWithoutAnEntryIsRefused() {
        let control = Self.control([.decrypt: .always, .encrypt: .always])
        #expect(
            AccessJudge.withPasscodeAlone.verdict(on: .delete, control, with: .passcode) == .refused
        )
        #expect(
            AccessJudge.withPasscodeAlone.verdict(on: .sign, control, with: .passcode) == .refused)
    }

    @Test func aForbiddenOperationIsRefusedWhateverIsProven() {
        #expect(Self.verdict(.never, [.passcode, .biometry, .companion]) == .refused)
    }

    // MARK: - What satisfies what

    @Test func theOwnerIsProvenByPasscodeOrBiometry() {
        #expect(Self.verdict(.owner, []) == .unmet)
        #expect(Self.verdict(.owner, .passcode) == .allowed)
        #expect(Self.verdict(.owner, .biometry) == .allowed)
        #expect(Self.verdict(.owner, .enrolledBiometry) == .allowed)
        #expect(Self.verdict(.owner, .companion) == .unmet)
    }

    @Test func a08APasscodeIsNoBiometry() {
        #expect(Self.verdict(.biometry, .passcode) == .unmet)
        #expect(Self.verdict(.passcode, .biometry) == .unmet)
        #expect(Self.verdict(.biometry, .passcode, by: .withPasscodeAlone) == .refused)
    }

    /// a06 is the same judgement.
    @Test func a05AnotherEnrolmentIsAnyBiometryButNotTheCurrentSet() {
        #expect(Self.verdict(.enrolledBiometry, .biometry) == .unmet)
        #expect(Self.verdict(.biometry, .biometry) == .allowed)
        #expect(Self.verdict(.enrolledBiometry, .enrolledBiometry) == .allowed)
        #expect(Self.verdict(.biometry, .enrolledBiometry) == .allowed)
    }

    @Test func a09OrNeedsOneAndNeedsAll() {
        let choices: [AccessControl.Constraint] = [.biometry, .passcode]
        #expect(Self.verdict(.some(1, of: choices), []) == .unmet)
        #expect(Self.verdict(.some(1, of: choices), .passcode) == .allowed)
        #expect(Self.verdict(.some(1, of: choices), .biometry) == .allowed)
        #expect(Self.verdict(.some(2, of: choices), .passcode) == .unmet)
        #expect(Self.verdict(.some(2, of: choices), .biometry) == .unmet)
        #expect(Self.verdict(.some(2, of: choices), [.passcode, .biometry]) == .allowed)
        // On a device without biometry the first can be met, and the second never.
        #expect(Self.verdict(.some(1, of: choices), [], by: .withPasscodeAlone) == .unmet)
        #expect(Self.verdict(.some(2, of: choices), .passcode, by: .withPasscodeAlone) == .refused)
    }

    @Test func choicesNest() {
        let inner = AccessControl.Constraint.some(2, of: [.biometry, .companion])
        let outer = AccessControl.Constraint.some(1, of: [.passcode, inner])
        #expect(Self.verdict(outer, .biometry) == .unmet)
        #expect(Self.verdict(outer, [.biometry, .companion]) == .allowed)
        #expect(Self.verdict(outer, .passcode) == .allowed)
    }

    // MARK: - Binding

    @Test func whatIsNotThereCannotBeBound() {
        for constraint: AccessControl.Constraint in [.biometry, .enrolledBiometry, .companion] {
            let control = Self.control([.decrypt: constraint])
            #expect(!AccessJudge.withPasscodeAlone.canBind(control))
            #expect(Self.full.canBind(control))
            let either = Self.control([.decrypt: .some(1, of: [constraint, .passcode])])
            #expect(!AccessJudge.withPasscodeAlone.canBind(either))
        }
        for constraint: AccessControl.Constraint in [.owner, .passcode, .never, .always] {
            #expect(AccessJudge.withPasscodeAlone.canBind(Self.control([.decrypt: constraint])))
        }
    }

    // MARK: - Reuse

    @Test(arguments: [(0, 0), (10, 10), (300, 300), (900, 300)] as [(UInt64, UInt64)])
    func a15OnlyABiometricUnlockIsReusedAndAtMostFiveMinutes(_ duration: UInt64, _ limit: UInt64) {
        let start: UInt64 = 5000
        func reuses(_ seconds: UInt64, isByBiometry: Bool = true) -> Bool {
            AccessJudge.reuses(
                unlock: (time: start, isByBiometry: isByBiometry), duration: duration,
                now: start + seconds)
        }
        #expect(reuses(0) == (limit > 0))
        if limit > 0 { #expect(reuses(limit)) }
        #expect(!reuses(limit + 1))
        #expect(!reuses(0, isByBiometry: false) && !reuses(limit, isByBiometry: false))
    }

    @Test func anUnlockInTheFutureIsNotReused() {
        #expect(
            !AccessJudge.reuses(unlock: (time: 100, isByBiometry: true), duration: 300, now: 99))
    }
}
