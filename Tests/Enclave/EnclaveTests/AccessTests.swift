// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import KeychainVocabulary
import SecretBytes
import Testing

/// What enclaved itself demands, whatever securityd says.
@Suite struct AccessTests {
    private typealias Fixture = EnclaveFixture

    /// A fixture with a passcode, and a row that demands the owner.
    private static func make(
        _ control: AccessControl = Fixture.control()
    ) -> (EnclaveFixture, SealedSecret) {
        let fixture = EnclaveFixture()
        #expect(fixture.passcode(.set, "1234") == .done)
        return (fixture, fixture.row(fixture.guarded([1, 2, 3], control)))
    }

    @Test func theSealedFormHasTheDocumentedLayout() {
        let (_, row) = Self.make()
        let control = Fixture.control().encoded
        #expect(row.sealed.prefix(2) == [2, 6])
        #expect(Int(row.sealed[2]) | Int(row.sealed[3]) << 8 == control.count)
        #expect(Array(row.sealed[4..<20]) == Fixture.uuid)
        #expect(Array(row.sealed[20..<20 + control.count]) == control)
        #expect(row.sealed.count == 20 + control.count + 60 + 12 + 24 + 16)
    }

    /// As a securityd that skips its own checks would ask: by any request.
    @Test func a14WithoutAnApprovalNothingOpensIt() {
        let (fixture, row) = Self.make()
        #expect(fixture.openGuarded(row) == .personNeeded)
        #expect(fixture.open(row.sealed, .ak) == .failure(.personNeeded))
        #expect(
            fixture.send(
                .rebind(
                    from: row.binding, to: Fixture.binding(.ak, 2), sealed: row.sealed))
                == .failure(.personNeeded))
        for change: NewControl in [.same, .removed, .replaced(Fixture.control(.always))] {
            #expect(
                fixture.send(
                    .access(
                        .rebind(
                            Fixture.scope(), row, to: Fixture.binding(.ak, 2),
                            uuid: Fixture.uuid, change))) == .failure(.personNeeded))
        }
        // Whether it is intact may be found out, but it isn't opened for that.
        #expect(fixture.send(.verify([row])) == .rows([.success]))
    }

    @Test func anApprovalOpensThisItemInThisContextAgainAndAgain() {
        let (fixture, row) = Self.make()
        #expect(fixture.approve(Fixture.question(Fixture.control()), "1234") == .done)
        #expect(fixture.openGuarded(row) == .success)
        #expect(fixture.openGuarded(row) == .success)
        #expect(fixture.openGuarded(row, Fixture.scope(8)) == .personNeeded)
        // Deleting is free, but another item is another question.
        let other = fixture.row(
            fixture.guarded([4], Fixture.control(), uuid: [UInt8](repeating: 5, count: 16)))
        #expect(fixture.openGuarded(other) == .personNeeded)
    }

    @Test func a18AnotherProcessCannotUseTheContext() {
        let (fixture, row) = Self.make()
        #expect(fixture.approve(Fixture.question(Fixture.control()), "1234") == .done)
        let stolen = Fixture.scope(7, Fixture.otherApplication)
        #expect(fixture.send(.access(.open(stolen, [row]))) == .failure(.accessRefused))
        // Nor end it.
        #expect(fixture.send(.access(.drop(stolen))) == .done)
        #expect(fixture.openGuarded(row) == .success)
    }

    @Test func anApprovalIsGoodForItsQuestionAlone() {
        let control = Fixture.control()
        let (fixture, row) = Self.make(control)
        let question = Fixture.question(control)
        let others = [
            Fixture.question(control, uuid: [UInt8](repeating: 5, count: 16)),
            Fixture.question(control, operation: .delete),
            Fixture.question(control, Fixture.scope(8)),
            Fixture.question(control, Fixture.scope(7, Fixture.otherApplication)),
            Fixture.question(control, purpose: "another reason"),
            Fixture.question(Fixture.control(.passcode)),
        ]
        for other in others {
            #expect(
                fixture.approve(question, "1234", sealing: other) == .failure(.accessRefused))
        }
        #expect(fixture.openGuarded(row) == .personNeeded)
        #expect(fixture.approve(question, "1234") == .done)
        #expect(fixture.openGuarded(row) == .success)
    }

    @Test func anApprovalIsGoodOnceAndForSeconds() throws {
        let (fixture, row) = Self.make()
        let question = Fixture.question(Fixture.control())
        let nonce = try #require(fixture.nonce())
        #expect(fixture.approve(question, "1234", nonce: nonce) == .done)
        #expect(fixture.send(.access(.drop(Fixture.scope()))) == .done)
        #expect(fixture.openGuarded(row) == .personNeeded)
        #expect(fixture.approve(question, "1234", nonce: nonce) == .failure(.staleChallenge))
        let late = try #require(fixture.nonce())
        fixture.clock.seconds += 10
        #expect(fixture.approve(question, "1234", nonce: late) == .failure(.staleChallenge))
        #expect(
            fixture.approve(question, "1234", nonce: [UInt8](repeating: 3, count: 32))
                == .failure(.staleChallenge))
        #expect(fixture.openGuarded(row) == .personNeeded)
    }

    @Test func wrongPasscodesCountAgainstTheDevice() {
        let (fixture, row) = Self.make()
        let question = Fixture.question(Fixture.control())
        for guess in ["a", "b", "c", "d", "e"] {
            #expect(fixture.approve(question, guess) == .failure(.wrongPasscode))
        }
        #expect(fixture.status()?.failedAttempts == 5)
        #expect(fixture.approve(question, "1234") == .throttled(60))
        #expect(fixture.openGuarded(row) == .personNeeded)
        fixture.clock.seconds += 60
        #expect(fixture.approve(question, "1234") == .done)
        #expect(fixture.status()?.failedAttempts == 0)
    }

    @Test func alwaysTrueWithoutAProofIsNoApproval() {
        let (fixture, row) = Self.make()
        // A letter for another operation, with the right passcode.
        #expect(fixture.passcode(.unlock, "1234") == .done)
        #expect(fixture.openGuarded(row) == .personNeeded)
        let question = Fixture.question(Fixture.control())
        #expect(
            fixture.send(
                .access(
                    .approve(
                        question, letter: [UInt8](repeating: 0, count: 64), isIdentified: true)))
                == .failure(.undecodable))
        #expect(fixture.passcode(.approve, "1234") == .failure(.malformed))
    }

    @Test func aLockEndsWhatWasApproved() {
        let (fixture, row) = Self.make()
        let question = Fixture.question(Fixture.control())
        #expect(fixture.approve(question, "1234") == .done)
        #expect(fixture.send(.lock(.now)) == .done)
        #expect(fixture.openGuarded(row) == .locked)
        #expect(fixture.approve(question, "1234") == .failure(.locked))
        #expect(fixture.passcode(.unlock, "1234") == .done)
        #expect(fixture.openGuarded(row) == .personNeeded)
    }

    @Test func aLockDuringTheApprovalWins() {
        let (fixture, row) = Self.make()
        let question = Fixture.question(Fixture.control())
        #expect(fixture.approve(question, "1234", deriving: false) == .deferred)
        #expect(fixture.send(.lock(.now)) == .done)
        let job = fixture.job
        #expect(job.map { fixture.finish(fixture.derive($0)) } == .failure(.locked))
        #expect(fixture.passcode(.unlock, "1234") == .done)
        #expect(fixture.openGuarded(row) == .personNeeded)
    }

    @Test func withoutAPasscodeNothingCanBeApproved() {
        let fixture = EnclaveFixture()
        let row = fixture.row(fixture.guarded([1], Fixture.control()))
        #expect(fixture.openGuarded(row) == .personNeeded)
        #expect(
            fixture.approve(Fixture.question(Fixture.control()), "1234")
                == .failure(.wrongState))
    }

    @Test func a13EachFlippedByteIsRefused() {
        let (fixture, row) = Self.make()
        for index in row.sealed.indices {
            var flipped = row.sealed
            flipped[index] ^= 1
            let changed = SealedSecret(binding: row.binding, sealed: flipped)
            let scope = Fixture.scope()
            // Whatever the changed row now says it demands is approved.
            if flipped.count > 20,
                let end = Optional(20 + (Int(flipped[2]) | Int(flipped[3]) << 8)),
                end <= flipped.count, let control = AccessControl(decoding: flipped[20..<end])
            {
                _ = fixture.approve(
                    Fixture.question(control, uuid: Array(flipped[4..<20])), "1234")
            }
            let code = fixture.openGuarded(changed, scope)
            #expect(code != .success, "byte \(index)")
        }
        let elsewhere = SealedSecret(binding: Fixture.binding(.ak, 2), sealed: row.sealed)
        #expect(fixture.approve(Fixture.question(Fixture.control()), "1234") == .done)
        #expect(fixture.openGuarded(elsewhere) == .undecodable)
        #expect(fixture.openGuarded(row) == .success)
    }

    @Test func biometryCannotBeBoundHere() {
        let fixture = EnclaveFixture()
        for constraint: AccessControl.Constraint in [
            .biometry, .enrolledBiometry, .companion, .some(1, of: [.biometry, .passcode]),
        ] {
            #expect(
                fixture.guarded([1], Fixture.control(constraint)) == .failure(.accessRefused))
        }
    }

    @Test func forbiddenStoringIsRefused() {
        let fixture = EnclaveFixture()
        var control = Fixture.control()
        control.operations[.encrypt] = .never
        #expect(fixture.guarded([1], control) == .failure(.accessRefused))
    }

    @Test func a10DeletingWithoutAnEntryIsRefused() {
        let fixture = EnclaveFixture()
        var control = Fixture.control()
        control.operations[.delete] = nil
        let row = fixture.row(fixture.guarded([1], control))
        let judge = AccessRequest.judge(Fixture.scope(), .delete, [row])
        #expect(fixture.send(.access(judge)) == .rows([.accessRefused]))
    }

    @Test func contextsDoNotPileUp() {
        let (fixture, row) = Self.make()
        let question = Fixture.question(Fixture.control())
        #expect(fixture.approve(question, "1234") == .done)
        for number in 100..<UInt8(100 + 64) {
            #expect(fixture.supply("x", Fixture.scope(number)) == .done)
        }
        // The oldest made room.
        #expect(fixture.openGuarded(row) == .personNeeded)
    }
}

/// Passwords of applications.
@Suite struct ApplicationPasswordTests {
    private typealias Fixture = EnclaveFixture

    private static let control = Fixture.control(.always, password: true)

    @Test func a12ThePasswordIsPartOfTheKey() {
        let fixture = EnclaveFixture()
        #expect(fixture.guarded([1], Self.control) == .failure(.passwordNeeded))
        #expect(fixture.supply("word") == .done)
        let row = fixture.row(fixture.guarded([1, 2], Self.control))
        #expect(fixture.openGuarded(row) == .success)
        #expect(fixture.openGuarded(row, Fixture.scope(8)) == .passwordNeeded)
        #expect(fixture.supply("wrong", Fixture.scope(8)) == .done)
        #expect(fixture.openGuarded(row, Fixture.scope(8)) == .accessRefused)
        // The wrong one is forgotten.
        #expect(fixture.openGuarded(row, Fixture.scope(8)) == .passwordNeeded)
        #expect(fixture.supply("word", Fixture.scope(8)) == .done)
        #expect(fixture.openGuarded(row, Fixture.scope(8)) == .success)
    }

    @Test func eachItemHasASaltOfItsOwn() {
        let fixture = EnclaveFixture()
        #expect(fixture.supply("word") == .done)
        let first = fixture.row(fixture.guarded([1], Self.control))
        let second = fixture.row(
            fixture.guarded([1], Self.control, uuid: [UInt8](repeating: 5, count: 16)))
        #expect(first.sealed[26..<58] != second.sealed[26..<58])
        let before = fixture.derivations
        #expect(
            fixture.send(.access(.open(Fixture.scope(), [first, second, first])))
                == .rows([.success, .success, .success]))
        // Both were derived when they were sealed.
        #expect(fixture.derivations == before)
    }

    @Test func bothThePersonAndThePasswordAreNeeded() {
        let fixture = EnclaveFixture()
        #expect(fixture.passcode(.set, "1234") == .done)
        #expect(fixture.supply("word") == .done)
        let row = fixture.row(fixture.guarded([1], Fixture.control(.passcode, password: true)))
        #expect(fixture.openGuarded(row) == .personNeeded)
        guard let control = AccessControl(decoding: row.sealed[20..<(20 + Int(row.sealed[2]))])
        else {
            Issue.record("The access control can't be read.")
            return
        }
        #expect(fixture.approve(Fixture.question(control), "1234") == .done)
        #expect(fixture.openGuarded(row) == .success)
        #expect(fixture.send(.lock(.now)) == .done)
        #expect(fixture.passcode(.unlock, "1234") == .done)
        #expect(fixture.approve(Fixture.question(control), "1234") == .done)
        #expect(fixture.openGuarded(row) == .passwordNeeded)
    }
}
