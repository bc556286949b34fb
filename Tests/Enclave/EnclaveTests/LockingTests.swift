// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import KeychainVocabulary
import Testing

/// Delayed locks, and keys that expire.
/// `Documentation/attack-list.md` explains the numbers in names of tests.
@Suite struct LockingTests {
    private static let user = EnclaveFixture.user

    private static func unlocked(grace: UInt16 = 0) -> EnclaveFixture {
        let fixture = EnclaveFixture()
        #expect(fixture.passcode(.set, "right") == .done)
        if grace > 0 { #expect(fixture.configure("right", grace: grace) == .done) }
        return fixture
    }

    private static func assertion(_ fixture: EnclaveFixture, _ seconds: UInt16) -> Outcome {
        fixture.send(.assertion(.take(seconds: seconds)))
    }

    private static func dropped(_ classes: ProtectionClass...) -> ProtectionClassSet {
        classes.reduce(into: []) { $0.formUnion(ProtectionClassSet($1)) }
    }

    // MARK: - Everybody

    /// Before the machine sleeps; a program that holds the device unlocked doesn't delay it.
    @Test func everybodysLockLocksEachUserAtOnce() {
        let fixture = Self.unlocked(grace: 100)
        #expect(fixture.passcode(.set, "right", user: 7) == .done)
        #expect(fixture.seal([7], user: 8) != .failure(.locked))
        _ = Self.assertion(fixture, 60)
        #expect(fixture.send(.lock(.afterGrace), user: EverybodysLock.userID) == .done)
        #expect(fixture.lockState == .locked)
        #expect(fixture.status(user: 7)?.state == .locked)
        // Without a passcode there is nothing to lock.
        #expect(fixture.status(user: 8)?.state == .noPasscode)
        #expect(fixture.passcode(.unlock, "right") == .done)
        #expect(fixture.lockState == .unlocked)
    }

    @Test func aLockMakesNoKeybag() {
        let fixture = EnclaveFixture()
        #expect(fixture.send(.lock(.now), user: 7) == .done)
        #expect(fixture.send(.lock(.now), user: EverybodysLock.userID) == .done)
        #expect(fixture.state.records.isEmpty)
        fixture.makeKeybag(user: 7)
        #expect(!fixture.state.records.isEmpty)
    }

    // MARK: - Grace

    @Test func s13AfterTheGracePeriodClassAIsLocked() {
        let fixture = Self.unlocked(grace: 10)
        let sealed = fixture.seal([7], .ak)
        #expect(fixture.send(.lock(.afterGrace)) == .locks(10))
        fixture.clock.seconds += 9
        #expect(fixture.open(sealed, .ak) == .bytes([7]))
        #expect(fixture.status()?.secondsUntilLocked == 1)
        fixture.clock.seconds += 2
        #expect(fixture.open(sealed, .ak) == .failure(.locked))
        #expect(fixture.lockState == .locked)
        #expect(fixture.status()?.secondsUntilLocked == 0)
    }

    @Test func s13TheGracePeriodCountsFromTheFirstAsk() {
        let fixture = Self.unlocked(grace: 10)
        #expect(fixture.send(.lock(.afterGrace)) == .locks(10))
        fixture.clock.seconds += 9
        #expect(fixture.send(.lock(.afterGrace)) == .locks(1))
        fixture.clock.seconds += 1
        #expect(fixture.lockState == .locked)
    }

    @Test func s13ALockNowDoesNotWaitForTheGracePeriod() {
        let fixture = Self.unlocked(grace: 300)
        #expect(fixture.send(.lock(.afterGrace)) == .locks(300))
        #expect(fixture.send(.lock(.now)) == .done)
        #expect(fixture.lockState == .locked)
    }

    @Test func anUnlockCallsALockOff() {
        let fixture = Self.unlocked(grace: 10)
        #expect(fixture.send(.lock(.afterGrace)) == .locks(10))
        #expect(fixture.passcode(.unlock, "right") == .done)
        fixture.clock.seconds += 100
        #expect(fixture.lockState == .unlocked)
    }

    @Test func anUnlockDoesNotCallOffALockThatWasAskedForAfterItBegan() {
        let fixture = Self.unlocked(grace: 10)
        _ = fixture.send(.lock(.now))
        #expect(fixture.passcode(.unlock, "right", deriving: false) == .deferred)
        #expect(fixture.send(.lock(.afterGrace)) == .locks(10))
        guard let job = fixture.job else { return }
        #expect(fixture.finish(fixture.derive(job)) == .done)
        #expect(fixture.lockState == .unlocked)
        fixture.clock.seconds += 10
        #expect(fixture.lockState == .locked)
    }

    @Test func aLockThatComesDueDuringAnUnlockHolds() {
        let fixture = Self.unlocked(grace: 10)
        _ = fixture.send(.lock(.now))
        #expect(fixture.passcode(.unlock, "right", deriving: false) == .deferred)
        #expect(fixture.send(.lock(.afterGrace)) == .locks(10))
        fixture.clock.seconds += 10
        guard let job = fixture.job else { return }
        #expect(fixture.finish(fixture.derive(job)) == .failure(.locked))
        #expect(fixture.lockState == .locked)
    }

    @Test func withoutAGracePeriodNothingWaits() {
        let fixture = Self.unlocked()
        #expect(fixture.send(.lock(.afterGrace)) == .done)
        #expect(fixture.lockState == .locked)
    }

    @Test func aRestartForgetsTheGracePeriodAndAllKeys() {
        let fixture = Self.unlocked(grace: 10)
        #expect(fixture.send(.lock(.afterGrace)) == .locks(10))
        fixture.restart()
        #expect(fixture.lockState == .beforeFirstUnlock)
        #expect(fixture.passcode(.unlock, "right") == .done)
        fixture.clock.seconds += 100
        #expect(fixture.lockState == .unlocked)
    }

    // MARK: - Assertions

    @Test func s14AnAssertionDelaysALockForAMinute() {
        let fixture = Self.unlocked()
        #expect(Self.assertion(fixture, 60) == .token(1))
        fixture.clock.seconds += 1
        #expect(fixture.send(.lock(.now)) == .locks(59))
        fixture.clock.seconds += 58
        #expect(fixture.lockState == .unlocked)
        fixture.clock.seconds += 1
        #expect(fixture.lockState == .locked)
    }

    @Test func s14AnAssertionTakenWhileLockedIsRefused() {
        let fixture = Self.unlocked()
        _ = fixture.send(.lock(.now))
        #expect(Self.assertion(fixture, 60) == .failure(.locked))
        fixture.restart()
        #expect(Self.assertion(fixture, 60) == .failure(.locked))
    }

    @Test func s14ALockThatHasBeenAskedForIsNotDelayedFurther() {
        let fixture = Self.unlocked()
        #expect(Self.assertion(fixture, 30) == .token(1))
        #expect(fixture.send(.lock(.now)) == .locks(30))
        fixture.clock.seconds += 29
        #expect(Self.assertion(fixture, 60) == .failure(.locked))
        fixture.clock.seconds += 1
        #expect(fixture.lockState == .locked)
    }

    @Test func givingTheLastAssertionBackLocksAtOnce() {
        let fixture = Self.unlocked()
        #expect(Self.assertion(fixture, 60) == .token(1))
        #expect(Self.assertion(fixture, 50) == .token(2))
        #expect(fixture.send(.lock(.now)) == .locks(60))
        #expect(fixture.send(.assertion(.release(token: 1))) == .token(1))
        #expect(fixture.status()?.secondsUntilLocked == 50)
        #expect(fixture.send(.assertion(.release(token: 2))) == .token(2))
        #expect(fixture.lockState == .locked)
    }

    @Test func anAssertionThatIsOverDelaysNothing() {
        let fixture = Self.unlocked()
        #expect(Self.assertion(fixture, 1) == .token(1))
        fixture.clock.seconds += 1
        #expect(fixture.send(.lock(.now)) == .done)
        #expect(fixture.lockState == .locked)
    }

    @Test func aUserHoldsEightAssertions() {
        let fixture = Self.unlocked()
        for token in UInt32(1)...8 { #expect(Self.assertion(fixture, 60) == .token(token)) }
        #expect(Self.assertion(fixture, 60) == .failure(.busy))
        #expect(fixture.send(.assertion(.take(seconds: 60)), user: 2) == .token(9))
        fixture.clock.seconds += 60
        #expect(Self.assertion(fixture, 60) == .token(10))
    }

    @Test func anotherUsersAssertionDelaysNothing() {
        let fixture = Self.unlocked()
        #expect(fixture.send(.assertion(.take(seconds: 60)), user: 2) == .token(1))
        #expect(fixture.send(.lock(.now)) == .done)
        #expect(fixture.lockState == .locked)
    }

    @Test func theGracePeriodAndAnAssertionDoNotAddUp() {
        let fixture = Self.unlocked(grace: 10)
        #expect(Self.assertion(fixture, 60) == .token(1))
        #expect(fixture.send(.lock(.afterGrace)) == .locks(60))
    }

    // MARK: - Class C

    @Test func s15After72HoursLockedClassCIsLocked() {
        let fixture = Self.unlocked()
        let sealed = fixture.seal([7], .ck)
        _ = fixture.send(.lock(.now))
        fixture.clock.seconds += 72 * 3600 - 1
        #expect(fixture.open(sealed) == .bytes([7]))
        fixture.clock.seconds += 1
        #expect(fixture.open(sealed) == .failure(.locked))
        #expect(fixture.lockState == .beforeFirstUnlock)
        #expect(fixture.open(fixture.seal([8], .dk), .dk) == .bytes([8]))
        #expect(fixture.passcode(.unlock, "right") == .done)
        #expect(fixture.open(sealed) == .bytes([7]))
    }

    @Test func s15AnUnlockStartsThe72HoursAgain() {
        let fixture = Self.unlocked()
        _ = fixture.send(.lock(.now))
        fixture.clock.seconds += 71 * 3600
        #expect(fixture.passcode(.unlock, "right") == .done)
        fixture.clock.seconds += 71 * 3600
        _ = fixture.send(.lock(.now))
        fixture.clock.seconds += 71 * 3600
        #expect(fixture.lockState == .locked)
        fixture.clock.seconds += 3600
        #expect(fixture.lockState == .beforeFirstUnlock)
    }

    @Test func s15ALockOfALockedUserDoesNotStartThe72HoursAgain() {
        let fixture = Self.unlocked()
        _ = fixture.send(.lock(.now))
        fixture.clock.seconds += 71 * 3600
        _ = fixture.send(.lock(.now))
        _ = fixture.send(.lock(.afterGrace))
        fixture.clock.seconds += 3600
        #expect(fixture.lockState == .beforeFirstUnlock)
    }

    @Test func loggingOutLeavesClassDAloneAndOtherUsersUntouched() {
        let fixture = Self.unlocked(grace: 10)
        _ = fixture.passcode(.set, "other", user: 2)
        #expect(Self.assertion(fixture, 60) == .token(1))
        #expect(fixture.send(.lock(.logOut)) == .done)
        #expect(fixture.lockState == .beforeFirstUnlock)
        #expect(fixture.seal([1], .ck) == .failure(.locked))
        #expect(fixture.seal([1], .dk) != .failure(.locked))
        #expect(fixture.status(user: 2)?.state == .unlocked)
    }

    @Test func loggingOutDuringAnUnlockHolds() {
        let fixture = Self.unlocked()
        _ = fixture.send(.lock(.now))
        #expect(fixture.passcode(.unlock, "right", deriving: false) == .deferred)
        #expect(fixture.send(.lock(.logOut)) == .done)
        guard let job = fixture.job else { return }
        #expect(fixture.finish(fixture.derive(job)) == .failure(.locked))
        #expect(fixture.lockState == .beforeFirstUnlock)
    }

    @Test func loggingOutWhileThePasscodeIsSetHolds() {
        let fixture = EnclaveFixture()
        #expect(fixture.passcode(.set, "right", deriving: false) == .deferred)
        #expect(fixture.send(.lock(.logOut)) == .done)
        guard let job = fixture.job else { return }
        #expect(fixture.finish(fixture.derive(job)) == .done)
        #expect(fixture.lockState == .beforeFirstUnlock)
    }

    @Test func loggingOutWithoutAPasscodeHasNoEffect() {
        let fixture = EnclaveFixture()
        #expect(fixture.send(.lock(.logOut)) == .done)
        #expect(fixture.lockState == .noPasscode)
    }

    // MARK: - Lock events

    @Test func theLockCountTellsHowOftenKeysWereDropped() {
        let fixture = Self.unlocked()
        #expect(fixture.status()?.lockCount == 0)
        for count in UInt32(1)...3 {
            _ = fixture.send(.lock(.now))
            _ = fixture.send(.lock(.now))
            #expect(fixture.status()?.lockCount == count)
            guard
                case .reply(.locked(let told)) = fixture.enclave.handle(
                    .makeTableKey(
                        TableKeyName(purpose: .metadata, protectionClass: .ak, generation: 1)),
                    user: Self.user)
            else {
                Issue.record("it isn't locked")
                return
            }
            #expect(told == count)
            #expect(fixture.passcode(.unlock, "right") == .done)
        }
        #expect(fixture.passcode(.remove, "right") == .done)
        #expect(fixture.status()?.lockCount == 4)
    }

    @Test func aRowThatIsLockedTellsTheLockCount() {
        let fixture = Self.unlocked()
        guard case .bytes(let sealed) = fixture.seal([1], .ak) else { return }
        _ = fixture.send(.lock(.now))
        let row = SealedSecret(binding: EnclaveFixture.binding(.ak, 1), sealed: sealed)
        guard case .reply(.opened(let rows)) = fixture.enclave.handle(.open([row]), user: 1000),
            case .locked(lockCount: 1) = rows.first
        else {
            Issue.record("the row doesn't say so")
            return
        }
    }

    @Test func anEventTellsWhichKeysWereDropped() {
        let fixture = Self.unlocked()
        #expect(fixture.send(.awaitLock(after: 0)) == .waiting)
        #expect(fixture.enclave.lockEvent(after: 0) == nil)
        _ = fixture.send(.lock(.now))
        let classA = Self.dropped(.ak, .aku, .akpu)
        let first = LockEvent(number: 1, userID: Self.user, dropped: classA, lockCount: 1)
        #expect(fixture.enclave.lockEvent(after: 0) == first)
        #expect(fixture.send(.awaitLock(after: 0)) == .event(first))
        #expect(fixture.send(.awaitLock(after: 1)) == .waiting)
        fixture.clock.seconds += 72 * 3600
        fixture.enclave.tick()
        let all = classA.union(Self.dropped(.ck, .cku))
        let second = LockEvent(number: 2, userID: Self.user, dropped: all, lockCount: 2)
        #expect(fixture.send(.awaitLock(after: 1)) == .event(second))
        // A waiter that arrives late gets one combined event for the user.
        #expect(fixture.send(.awaitLock(after: 0)) == .event(second))
    }

    @Test func eventsOfAllUsersAreToldInTheirOrder() {
        let fixture = EnclaveFixture()
        for user in UInt32(1)...3 { _ = fixture.passcode(.set, "right", user: user) }
        for user in [UInt32(3), 1, 2] { _ = fixture.send(.lock(.now), user: user) }
        var (last, users): (UInt32, [UInt32]) = (0, [])
        while let event = fixture.enclave.lockEvent(after: last) {
            last = event.number
            users.append(event.userID)
        }
        #expect(users == [3, 1, 2])
    }

    @Test func waitingForALockMakesNoKeybag() {
        let fixture = EnclaveFixture()
        #expect(fixture.send(.awaitLock(after: 0), user: 77) == .waiting)
        #expect(fixture.state.records.isEmpty)
    }

    @Test func nothingIsDueWhenNothingWasAskedFor() {
        let fixture = Self.unlocked(grace: 10)
        #expect(fixture.enclave.secondsUntilDeadline == nil)
        _ = fixture.send(.lock(.afterGrace))
        #expect(fixture.enclave.secondsUntilDeadline == 10)
        fixture.clock.seconds += 10
        fixture.enclave.tick()
        #expect(fixture.enclave.lockEvent(after: 0)?.number == 1)
        #expect(fixture.enclave.secondsUntilDeadline == 72 * 3600)
        #expect(fixture.notices.all == [.lockedInTime(user: Self.user)])
    }
}
