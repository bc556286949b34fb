// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import KeychainVocabulary
import Testing

/// When a keychain locks by itself.
@Suite struct KeychainIdleTests {
    private typealias Fixture = EnclaveFixture
    private static let number = EnclaveFixture.number
    private static let other = EnclaveFixture.other

    private static func withKeychain(
        _ settings: KeychainSettings
    ) -> (fixture: EnclaveFixture, sealed: Outcome) {
        let fixture = EnclaveFixture()
        #expect(fixture.create(number, "right", settings) == .done)
        return (fixture, fixture.store([1]))
    }

    @Test func itLocksWhenItWasntUsedForSoLong() {
        let (fixture, sealed) = Self.withKeychain(Fixture.settings(seconds: 60))
        fixture.clock.seconds += 59
        #expect(fixture.openInKeychain(sealed) == .bytes([1]))
        // Each use counts from anew, of a read and of a write.
        fixture.clock.seconds += 59
        #expect(fixture.store([2]) != .failure(.keychainLocked))
        fixture.clock.seconds += 59
        #expect(fixture.openInKeychain(sealed) == .bytes([1]))
        fixture.clock.seconds += 60
        #expect(fixture.openInKeychain(sealed) == .failure(.keychainLocked))
        #expect(
            fixture.notices.all.contains(.keychainLockedInTime(user: Fixture.user)))
    }

    @Test func theLoopHearsOfItWithoutARequest() {
        let (fixture, _) = Self.withKeychain(Fixture.settings(seconds: 60))
        #expect(fixture.enclave.secondsUntilDeadline == 60)
        fixture.clock.seconds += 60
        fixture.enclave.tick()
        #expect(fixture.listed == [Self.number: false])
        #expect(fixture.enclave.secondsUntilDeadline == nil)
    }

    @Test func aListIsNoUse() {
        let (fixture, sealed) = Self.withKeychain(Fixture.settings(seconds: 60))
        fixture.clock.seconds += 59
        #expect(fixture.listed == [Self.number: true])
        fixture.clock.seconds += 1
        #expect(fixture.openInKeychain(sealed) == .failure(.keychainLocked))
    }

    @Test func withoutAnIntervalItStaysOpen() {
        let (fixture, sealed) = Self.withKeychain(Fixture.settings())
        fixture.clock.seconds += 10_000_000
        #expect(fixture.openInKeychain(sealed) == .bytes([1]))
        #expect(fixture.enclave.secondsUntilDeadline == nil)
    }

    @Test func eachHasItsOwnInterval() {
        let (fixture, _) = Self.withKeychain(Fixture.settings(seconds: 60))
        #expect(fixture.create(Self.other, "x", Fixture.settings(seconds: 600)) == .done)
        fixture.clock.seconds += 60
        #expect(fixture.listed == [Self.number: false, Self.other: true])
        fixture.clock.seconds += 540
        #expect(fixture.listed == [Self.number: false, Self.other: false])
    }

    @Test func anotherIntervalHoldsAtOnceAndAfterARestart() {
        let (fixture, sealed) = Self.withKeychain(Fixture.settings())
        let request = KeychainRequest.configure(
            number: Self.number, Fixture.settings(sleep: false, seconds: 5))
        #expect(fixture.keychain(request) == .done)
        fixture.clock.seconds += 5
        #expect(fixture.openInKeychain(sealed) == .failure(.keychainLocked))
        // It takes the password to change it.
        #expect(fixture.keychain(request) == .failure(.keychainLocked))
        fixture.restart()
        guard case .keychains(let list) = fixture.keychain(.list) else {
            Issue.record("no list")
            return
        }
        #expect(list.map(\.settings) == [Fixture.settings(sleep: false, seconds: 5)])
        #expect(fixture.unlock() == .done)
        fixture.clock.seconds += 5
        #expect(fixture.openInKeychain(sealed) == .failure(.keychainLocked))
    }

    @Test func sleepLocksThoseThatAskForIt() {
        let (fixture, sealed) = Self.withKeychain(Fixture.settings(sleep: true))
        #expect(fixture.create(Self.other, "x", Fixture.settings(sleep: false)) == .done)
        #expect(fixture.send(.lock(.now), user: EverybodysLock.userID) == .done)
        #expect(fixture.listed == [Self.number: false, Self.other: true])
        #expect(fixture.openInKeychain(sealed) == .failure(.keychainLocked))
    }

    // MARK: - While a password is derived

    /// Begins to unlock a keychain, does something, and finishes.
    private static func unlockMeanwhile(
        _ settings: KeychainSettings, _ body: (Fixture) -> Void
    ) throws -> (outcome: Outcome, listed: [UInt32: Bool]) {
        let (fixture, _) = withKeychain(settings)
        #expect(fixture.lock() == .done)
        #expect(fixture.unlock(deriving: false) == .deferred)
        let job = try #require(fixture.job)
        body(fixture)
        return (fixture.finish(fixture.derive(job)), fixture.listed)
    }

    @Test func aLockWhileItsPasswordIsDerivedIsKept() throws {
        let result = try Self.unlockMeanwhile(Fixture.settings()) { fixture in
            #expect(fixture.lock() == .done)
        }
        #expect(result.outcome == .failure(.keychainLocked))
        #expect(result.listed == [Self.number: false])
    }

    @Test func aLockOfAnotherKeychainMeanwhileKeepsNothingLocked() throws {
        let fixture = Fixture()
        #expect(fixture.create() == .done)
        #expect(fixture.create(Self.other, "x") == .done)
        #expect(fixture.lock() == .done)
        #expect(fixture.unlock(deriving: false) == .deferred)
        let job = try #require(fixture.job)
        #expect(fixture.lock(Self.other) == .done)
        #expect(fixture.finish(fixture.derive(job)) == .done)
        #expect(fixture.listed == [Self.number: true, Self.other: false])
    }

    @Test func aLogOutWhileItsPasswordIsDerivedIsKept() throws {
        let result = try Self.unlockMeanwhile(Fixture.settings(sleep: false)) { fixture in
            #expect(fixture.send(.lock(.logOut)) == .done)
        }
        #expect(result.outcome == .failure(.keychainLocked))
        #expect(result.listed == [Self.number: false])
    }

    @Test(arguments: [true, false])
    func sleepWhileItsPasswordIsDerivedLocksWhatAsksForIt(locksOnSleep: Bool) throws {
        let settings = Fixture.settings(sleep: locksOnSleep)
        let result = try Self.unlockMeanwhile(settings) { fixture in
            #expect(fixture.send(.lock(.now), user: EverybodysLock.userID) == .done)
        }
        #expect(result.outcome == (locksOnSleep ? .failure(.keychainLocked) : .done))
        #expect(result.listed == [Self.number: !locksOnSleep])
    }

    @Test func aLockBeforeItsPasswordIsDerivedKeepsNothingLocked() throws {
        let result = try Self.unlockMeanwhile(Fixture.settings()) { _ in }
        #expect(result.outcome == .done)
        #expect(result.listed == [Self.number: true])
    }

    @Test func aNewOneStaysLockedAfterALogOut() throws {
        let fixture = Fixture()
        #expect(fixture.create(deriving: false) == .deferred)
        let job = try #require(fixture.job)
        #expect(fixture.send(.lock(.logOut)) == .done)
        #expect(fixture.finish(fixture.derive(job)) == .done)
        #expect(fixture.listed == [Self.number: false])
        #expect(fixture.unlock() == .done)
    }
}
