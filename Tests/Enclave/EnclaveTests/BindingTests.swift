// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import KeychainVocabulary
import Testing

/// The binding of the enclave's files to the counter of a device key, which can't be set back.
@Suite struct BindingTests {
    private static let user = EnclaveFixture.user

    /// A keybag with commit 3, which is recorded and counted.
    private static func fixture() -> EnclaveFixture {
        let fixture = EnclaveFixture()
        fixture.deviceKey.maker = .tpm
        #expect(fixture.send(.bindAnchor(3)) == .commit(3))
        return fixture
    }

    private static func accept(_ fixture: EnclaveFixture) -> Outcome {
        fixture.letter(.acceptRollback, [EnclaveFixture.counted([])])
    }

    @Test func filesAndCounterAgreeOverRestarts() {
        let fixture = Self.fixture()
        for commit in UInt64(4)...9 {
            #expect(fixture.send(.bindAnchor(commit)) == .commit(commit))
            fixture.restart()
            #expect(fixture.send(.anchor(0)) == .commit(commit))
        }
        #expect(fixture.notices.all == [])
    }

    @Test func whatIsNotCountedCountsOnTheDiskAlone() {
        let fixture = Self.fixture()
        let before = fixture.deviceKey.increments
        #expect(fixture.send(.anchor(4)) == .commit(4))
        #expect(fixture.deviceKey.increments == before)
        #expect(fixture.send(.bindAnchor(4)) == .commit(4))
        #expect(fixture.deviceKey.increments == before + 1)
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .commit(4))
    }

    @Test func aFileCountsNothing() {
        let fixture = EnclaveFixture()
        #expect(fixture.send(.bindAnchor(3)) == .commit(3))
        #expect(fixture.deviceKey.increments == 0)
        #expect(fixture.state.records[.binding] == nil)
    }

    // MARK: - Rollbacks

    @Test func allFilesThatArePutBackAreRefusedUntilTheyAreAccepted() {
        let fixture = Self.fixture()
        let old = fixture.state.records
        #expect(fixture.send(.bindAnchor(4)) == .commit(4))
        fixture.state.records = old
        fixture.restart()
        for commit in [UInt64(0), 3, 5] {
            #expect(fixture.send(.anchor(commit)) == .failure(.undecodable))
            #expect(fixture.send(.bindAnchor(commit)) == .failure(.undecodable))
        }
        #expect(fixture.notices.all == [.filesRolledBack(user: Self.user)])
        #expect(Self.accept(fixture) == .done)
        #expect(fixture.send(.bindAnchor(7)) == .commit(7))
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .commit(7))
        // Again: the first attempt revealed nothing.
        fixture.state.records = old
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .failure(.undecodable))
    }

    @Test func aPasscodeThatWasSetIsNotTakenBackByOldFiles() {
        let fixture = Self.fixture()
        let old = fixture.state.records
        #expect(fixture.passcode(.set, "1234") == .done)
        fixture.state.records = old
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .failure(.undecodable))
    }

    @Test func oneFileThatIsPutBackOrTakenAwayIsNoticed() {
        for record in [StateRecord.anchor(user: Self.user), .binding] {
            let fixture = Self.fixture()
            let old = fixture.state.records[record]
            #expect(fixture.send(.bindAnchor(4)) == .commit(4))
            let last = fixture.state.records[record]
            #expect(old != last)
            for bytes in [old, nil, [UInt8](repeating: 0, count: last?.count ?? 0)] {
                fixture.state.records[record] = bytes
                fixture.restart()
                #expect(fixture.send(.anchor(0)) == .failure(.undecodable), "\(record)")
            }
            fixture.state.records[record] = last
            fixture.restart()
            #expect(fixture.send(.anchor(0)) == .commit(4))
        }
    }

    @Test(arguments: [true, false])
    func aDamagedByteOfANewAnchorCostsNothing(isCounted: Bool) throws {
        let fixture = isCounted ? Self.fixture() : EnclaveFixture()
        #expect(fixture.send(.anchor(3)) == .commit(3))
        let bytes = try #require(fixture.state.records[.anchor(user: Self.user)])
        for index in bytes.indices {
            fixture.state.records[.anchor(user: Self.user)]?[index] ^= 1 << UInt8(index % 8)
            fixture.restart()
            #expect(fixture.send(.anchor(0)) == .commit(3), "byte \(index)")
            fixture.state.records[.anchor(user: Self.user)] = bytes
        }
    }

    /// An older anchor's slot is in the file beside the latest: it isn't valid either.
    @Test func theEarlierSlotOfAnAnchorDoesNotHold() {
        let fixture = Self.fixture()
        #expect(fixture.send(.bindAnchor(4)) == .commit(4))
        for half in [0..<512, 512..<1024] {
            let whole = fixture.state.records[.anchor(user: Self.user)]
            fixture.state.records[.anchor(user: Self.user)]?
                .replaceSubrange(half, with: [UInt8](repeating: 0, count: 512))
            fixture.restart()
            let isLast = fixture.send(.anchor(0)) == .commit(4)
            #expect(isLast || fixture.send(.anchor(0)) == .failure(.undecodable))
            fixture.state.records[.anchor(user: Self.user)] = whole
        }
    }

    // MARK: - Crashes

    /// The record is written, and the process ends before the counter increments.
    @Test func aCrashBeforeTheCounterIsMadeUpFor() {
        let fixture = Self.fixture()
        fixture.deviceKey.lostIncrements = [false]
        #expect(fixture.send(.bindAnchor(4)) == .commit(4))
        let between = fixture.state.records
        let count = fixture.deviceKey.count
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .commit(4))
        #expect(fixture.deviceKey.count == count.map { $0 + 1 })
        // That state can't be used later: its files are stale after the next increment.
        #expect(fixture.send(.bindAnchor(5)) == .commit(5))
        fixture.state.records = between
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .failure(.undecodable))
    }

    @Test(arguments: [false, true])
    func anAnswerOfTheTPMThatIsLostCostsNothing(_ hasCounted: Bool) {
        let fixture = Self.fixture()
        fixture.deviceKey.lostIncrements = [hasCounted]
        #expect(fixture.send(.bindAnchor(4)) == .commit(4))
        let between = fixture.state.records
        #expect(fixture.notices.all == [.deviceKeyFailed(user: Self.user, .timedOut)])
        #expect(fixture.send(.bindAnchor(5)) == .commit(5))
        let last = fixture.state.records
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .commit(5))
        fixture.state.records = between
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .failure(.undecodable))
        fixture.state.records = last
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .commit(5))
    }

    // MARK: - A slow device key

    private static func slowFixture() -> EnclaveFixture {
        let fixture = Self.fixture()
        fixture.deviceKey.takesLong = true
        return fixture
    }

    private static func begun(_ fixture: EnclaveFixture) -> [KnownDeviceKey.Begun] {
        fixture.deviceKey.begun
    }

    @Test func nobodyWaitsWhileItCounts() throws {
        let fixture = Self.slowFixture()
        let count = try #require(fixture.deviceKey.count)
        #expect(fixture.send(.bindAnchor(4)) == .commit(4))
        #expect(Self.begun(fixture) == [.init(number: count + 1, isCertain: true)])
        #expect(fixture.isCounting(Self.user))
        #expect(!fixture.isCounting(2))
        #expect(fixture.lockState == .noPasscode)
        #expect(fixture.open(fixture.seal([1, 2])) == .bytes([1, 2]))
        #expect(fixture.send(.anchor(5)) == .commit(5))
        fixture.finishCounting()
        #expect(!fixture.isCounting)
        #expect(fixture.deviceKey.count == count + 1)
        #expect(fixture.notices.all == [])
    }

    @Test func whatIsBoundMeanwhileIsCountedNextAllAtOnce() throws {
        let fixture = Self.slowFixture()
        let count = try #require(fixture.deviceKey.count)
        let before = fixture.state.records
        #expect(fixture.send(.bindAnchor(4)) == .commit(4))
        let first = fixture.state.records
        #expect(fixture.send(.bindAnchor(5)) == .commit(5))
        #expect(fixture.send(.bindAnchor(3), user: 2) == .commit(3))
        #expect(fixture.send(.bindAnchor(6)) == .commit(6))
        #expect(Self.begun(fixture).count == 1)
        fixture.finishCounting()
        #expect(Self.begun(fixture) == [.init(number: count + 2, isCertain: true)])
        for user in [Self.user, 2] { #expect(fixture.isCounting(user)) }
        fixture.finishCounting()
        #expect(!fixture.isCounting)
        #expect(Self.begun(fixture).isEmpty)
        let last = fixture.state.records
        for old in [before, first] {
            fixture.state.records = old
            fixture.restart()
            #expect(fixture.send(.anchor(0)) == .failure(.undecodable))
        }
        fixture.state.records = last
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .commit(6))
        #expect(fixture.send(.anchor(0), user: 2) == .commit(3))
    }

    @Test(arguments: [true, false])
    func aCrashWhileItCountsCostsNothing(_ hasCounted: Bool) {
        let fixture = Self.slowFixture()
        let before = fixture.state.records
        #expect(fixture.send(.bindAnchor(4)) == .commit(4))
        #expect(fixture.send(.anchor(5)) == .commit(5))
        if hasCounted { _ = fixture.deviceKey.finishCounting() }
        fixture.deviceKey.takesLong = false
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .commit(5))
        fixture.state.records = before
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .failure(.undecodable))
    }

    @Test(arguments: [true, false])
    func whatItDidNotSayIsAskedBeforeItCountsOn(_ hasCounted: Bool) throws {
        let fixture = Self.slowFixture()
        let count = try #require(fixture.deviceKey.count)
        fixture.deviceKey.lostIncrements = [hasCounted]
        #expect(fixture.send(.bindAnchor(4)) == .commit(4))
        #expect(fixture.send(.bindAnchor(5)) == .commit(5))
        fixture.finishCounting()
        #expect(fixture.notices.all == [.deviceKeyFailed(user: Self.user, .timedOut)])
        // It isn't asked repeatedly, and no request waits for it.
        #expect(Self.begun(fixture).isEmpty)
        #expect(!fixture.isCounting(Self.user))
        #expect(fixture.send(.bindAnchor(6)) == .commit(6))
        #expect(Self.begun(fixture) == [.init(number: count + 1, isCertain: false)])
        #expect(fixture.isCounting(Self.user))
        fixture.finishCounting()
        #expect(Self.begun(fixture) == [.init(number: count + 2, isCertain: true)])
        fixture.finishCounting()
        #expect(fixture.deviceKey.count == count + 2)
        #expect(!fixture.isCounting)
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .commit(6))
    }

    @Test func whatAnotherDeviceKeySaysIsNoAnswer() {
        let fixture = Self.slowFixture()
        #expect(fixture.send(.bindAnchor(4)) == .commit(4))
        fixture.enclave.counted(by: KnownDeviceKey(), nil)
        #expect(fixture.isCounting(Self.user))
        fixture.finishCounting()
        #expect(!fixture.isCounting(Self.user))
        // An unsolicited notification doesn't count, either.
        fixture.enclave.counted(by: fixture.deviceKey, .timedOut)
        #expect(fixture.notices.all == [])
    }

    // MARK: - The counter

    /// The counter is missing; another one replaced it; or the files say that there never was one.
    @Test(arguments: [DeviceKeyFailure.replaced, .wrongPasscode, .noCounter])
    func aCounterThatIsGoneIsMadeAnewForWhoAcceptsIt(_ failure: DeviceKeyFailure) {
        let fixture = Self.fixture()
        fixture.deviceKey.count = nil
        fixture.deviceKey.counterFailure = failure
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .failure(.undecodable))
        #expect(fixture.notices.all == [.counterLost(user: Self.user)])
        #expect(Self.accept(fixture) == .done)
        #expect(fixture.send(.bindAnchor(9)) == .commit(9))
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .commit(9))
    }

    /// If the disk can't be read during the acceptance, the list of users with a keybag would be
    /// lost.
    @Test func aRecordThatCanNotBeReadIsNotOneThatIsGone() {
        let fixture = Self.fixture()
        fixture.deviceKey.count = nil
        fixture.restart()
        fixture.state.unreadable = [.binding]
        #expect(fixture.send(.anchor(0)) == .failure(.deviceKeyUnavailable))
        fixture.state.unreadable = []
        #expect(fixture.send(.anchor(0)) == .failure(.undecodable))
        #expect(Self.accept(fixture) == .done)
    }

    @Test func noKeybagIsMadeBeforeThereIsItsCounter() {
        let fixture = EnclaveFixture()
        fixture.deviceKey.maker = .tpm
        let count = fixture.deviceKey.count
        fixture.deviceKey.count = nil
        for failure in [DeviceKeyFailure.full, .busy, .timedOut, .gone] {
            fixture.deviceKey.counterFailure = failure
            #expect(fixture.send(.anchor(0)) == .failure(.deviceKeyUnavailable))
            #expect(fixture.status() == nil)
            #expect(fixture.state.records.isEmpty)
        }
        fixture.deviceKey.count = count
        #expect(fixture.send(.bindAnchor(3)) == .commit(3))
        let old = fixture.state.records
        #expect(fixture.send(.bindAnchor(4)) == .commit(4))
        fixture.state.records = old
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .failure(.undecodable))
    }

    @Test(arguments: [UInt64(0), 5])
    func aCounterThatWasSetBackIsNotBelieved(_ count: UInt64) {
        let fixture = Self.fixture()
        fixture.deviceKey.count = count
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .failure(.undecodable))
        #expect(fixture.notices.all == [.counterLost(user: Self.user)])
        #expect(Self.accept(fixture) == .done)
        #expect(fixture.send(.anchor(0)) == .commit(0))
    }

    /// An acceptance applies to only one user.
    @Test func oneUserDoesNotAcceptForAnother() {
        let fixture = Self.fixture()
        #expect(fixture.send(.bindAnchor(3), user: 2) == .commit(3))
        let old = fixture.state.records
        #expect(fixture.send(.bindAnchor(4), user: 2) == .commit(4))
        #expect(fixture.send(.bindAnchor(4)) == .commit(4))
        fixture.state.records = old
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .failure(.undecodable))
        #expect(fixture.send(.anchor(0), user: 2) == .failure(.undecodable))
        #expect(Self.accept(fixture) == .done)
        #expect(fixture.send(.anchor(0)) == .commit(0))
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .commit(0))
        #expect(fixture.send(.anchor(0), user: 2) == .failure(.undecodable))
    }

    @Test(arguments: [true, false])
    func aRecordThatIsLostIsAcceptedByEachUserAlone(_ isMissing: Bool) {
        let fixture = Self.fixture()
        #expect(fixture.send(.bindAnchor(3), user: 2) == .commit(3))
        let byteCount = fixture.state.records[.binding]?.count ?? 0
        fixture.state.records[.binding] =
            isMissing ? nil : [UInt8](repeating: 0, count: byteCount)
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .failure(.undecodable))
        #expect(Self.accept(fixture) == .done)
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .commit(0))
        #expect(fixture.send(.anchor(0), user: 2) == .failure(.undecodable))
    }

    // MARK: - A deleted keybag

    /// A new keybag's anchor would start at 0, and the old files would be valid after it.
    @Test func aKeybagThatWasCountedIsNotMadeAnew() {
        let fixture = Self.fixture()
        let whole = fixture.state.records
        let count = fixture.deviceKey.count
        fixture.state.records[.keybag(user: Self.user)] = nil
        fixture.state.records[.keybagCopy(user: Self.user)] = nil
        fixture.state.records[.anchor(user: Self.user)] = nil
        let left = fixture.state.records
        fixture.restart()
        #expect(fixture.send(.bindAnchor(1)) == .failure(.stateNotWritten))
        #expect(fixture.notices.all == [.keybagMissing(user: Self.user)])
        #expect(fixture.state.records == left)
        // A user who never had a keybag gets one.
        #expect(fixture.send(.bindAnchor(1), user: 2) == .commit(1))
        fixture.state.records = left
        fixture.state.records.merge(whole) { $1 }
        fixture.deviceKey.count = count
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .commit(3))
    }

    @Test func aKeybagThatIsMadeWhereNothingTellsHowNewFilesAreWaitsForItsOwner() {
        let fixture = Self.fixture()
        #expect(fixture.send(.anchor(0), user: 2) == .commit(0))
        fixture.state.records[.binding] = nil
        fixture.restart()
        #expect(fixture.send(.anchor(0), user: 3) == .failure(.undecodable))
    }
}
