// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import KeychainVocabulary
import SecretBytes
import Testing

/// What unlocks a keybag besides the passcode.
@Suite struct ProtectorTests {
    private static let user = EnclaveFixture.user
    private static let none = EnclaveFixture.counted([])
    private static let right = EnclaveFixture.counted([UInt8]("right".utf8))

    private static func key(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    private static func withPasscode() -> EnclaveFixture {
        let fixture = EnclaveFixture()
        #expect(fixture.passcode(.set, "right") == .done)
        return fixture
    }

    private static func add(
        _ fixture: EnclaveFixture, _ name: String, _ key: [UInt8], passcode: [UInt8] = right,
        kind: ProtectorKind = .keyFile, locks: Bool = false, isRoot: Bool = false
    ) -> Outcome {
        guard let choice = ProtectorChoice(kind: kind, name: name, locksAfterwards: locks) else {
            return .failure(.malformed)
        }
        return fixture.letter(
            .addProtector, [passcode, EnclaveFixture.counted(key), choice.bytes], isRoot: isRoot)
    }

    private static func remove(
        _ fixture: EnclaveFixture, _ name: String, passcode: [UInt8] = right, isRoot: Bool = false
    ) -> Outcome {
        fixture.letter(
            .removeProtector, [passcode, [UInt8(name.utf8.count)] + name.utf8], isRoot: isRoot)
    }

    private static func unlock(_ fixture: EnclaveFixture, _ key: [UInt8]) -> Outcome {
        fixture.letter(.unlockByProtector, [EnclaveFixture.counted(key)])
    }

    private static func names(_ fixture: EnclaveFixture) -> [String] {
        guard case .protectors(let list) = fixture.send(.protectors) else { return ["?"] }
        return list.map(\.choice.name)
    }

    // MARK: - Beside a passcode

    @Test func aProtectorUnlocksAllButThePasscodeSetClass() {
        let fixture = Self.withPasscode()
        let sealed = ProtectionClass.allCases.map { fixture.seal([1], $0) }
        #expect(Self.add(fixture, "boot", Self.key(1)) == .done)
        fixture.restart()
        #expect(fixture.lockState == .beforeFirstUnlock)
        #expect(Self.unlock(fixture, Self.key(2)) == .failure(.wrongPasscode))
        #expect(fixture.lockState == .beforeFirstUnlock)
        #expect(Self.unlock(fixture, Self.key(1)) == .done)
        #expect(fixture.lockState == .unlocked)
        #expect(fixture.status()?.isPasscodeSet == true)
        for (protectionClass, sealed) in zip(ProtectionClass.allCases, sealed) {
            let expected: Outcome =
                protectionClass == .akpu ? .failure(.locked) : .bytes([1])
            #expect(fixture.open(sealed, protectionClass) == expected)
        }
        #expect(fixture.passcode(.unlock, "right") == .done)
        #expect(fixture.open(sealed[6], .akpu) == .bytes([1]))
    }

    @Test func aLockDropsWhatAProtectorOpened() {
        let fixture = Self.withPasscode()
        let (ak, ck) = (fixture.seal([1], .ak), fixture.seal([2], .ck))
        #expect(Self.add(fixture, "boot", Self.key(1)) == .done)
        fixture.restart()
        #expect(Self.unlock(fixture, Self.key(1)) == .done)
        #expect(fixture.send(.lock(.now)) == .done)
        #expect(fixture.lockState == .locked)
        #expect(fixture.open(ak, .ak) == .failure(.locked))
        #expect(fixture.open(ck, .ck) == .bytes([2]))
        #expect(fixture.send(.lock(.logOut)) == .done)
        #expect(fixture.lockState == .beforeFirstUnlock)
    }

    @Test func oneThatLocksAfterwardsLeadsToTheStateAfterTheFirstUnlock() {
        let fixture = Self.withPasscode()
        let (ak, ck) = (fixture.seal([1], .ak), fixture.seal([2], .ck))
        #expect(Self.add(fixture, "boot", Self.key(1), locks: true) == .done)
        fixture.restart()
        #expect(Self.unlock(fixture, Self.key(1)) == .done)
        #expect(fixture.lockState == .locked)
        #expect(fixture.open(ak, .ak) == .failure(.locked))
        #expect(fixture.open(ck, .ck) == .bytes([2]))
    }

    @Test func protectorsAndThePasscodesCountDontTouchEachOther() {
        let fixture = Self.withPasscode()
        #expect(Self.add(fixture, "boot", Self.key(1)) == .done)
        for attempt in 0..<3 {
            #expect(fixture.passcode(.unlock, "wrong \(attempt)") == .failure(.wrongPasscode))
        }
        for byte in UInt8(2)..<60 {
            #expect(Self.unlock(fixture, Self.key(byte)) == .failure(.wrongPasscode))
        }
        #expect(fixture.status()?.failedAttempts == 3)
        #expect(Self.unlock(fixture, Self.key(1)) == .done)
        #expect(fixture.status()?.failedAttempts == 3)
        fixture.restart()
        #expect(fixture.status()?.failedAttempts == 3)
        for attempt in 3..<10 {
            fixture.clock.seconds += 3_600
            #expect(fixture.passcode(.unlock, "wrong \(attempt)") == .failure(.wrongPasscode))
        }
        #expect(fixture.passcode(.unlock, "right") == .failure(.disabled))
        // The passcode is disabled, and stays so; the protector is another way.
        #expect(Self.unlock(fixture, Self.key(1)) == .done)
        #expect(fixture.passcode(.unlock, "right") == .failure(.disabled))
        #expect(Self.add(fixture, "more", Self.key(9)) == .failure(.disabled))
    }

    @Test func changingTheListNeedsThePasscode() {
        let fixture = Self.withPasscode()
        let wrong = EnclaveFixture.counted([UInt8]("wrong".utf8))
        #expect(Self.add(fixture, "a", Self.key(1), passcode: wrong) == .failure(.wrongPasscode))
        #expect(fixture.status()?.failedAttempts == 1)
        #expect(
            Self.add(fixture, "a", Self.key(1), passcode: Self.none, isRoot: true)
                == .failure(.passcodeUnacceptable))
        #expect(Self.add(fixture, "a", Self.key(1)) == .done)
        #expect(Self.add(fixture, "b", Self.key(2)) == .done)
        #expect(Self.remove(fixture, "a", passcode: wrong) == .failure(.wrongPasscode))
        #expect(
            Self.remove(fixture, "a", passcode: Self.none, isRoot: true)
                == .failure(.passcodeUnacceptable))
        #expect(Self.names(fixture) == ["a", "b"])
        #expect(Self.remove(fixture, "a") == .done)
        #expect(Self.remove(fixture, "a") == .failure(.noSuchProtector))
        #expect(Self.names(fixture) == ["b"])
        fixture.restart()
        #expect(Self.unlock(fixture, Self.key(1)) == .failure(.wrongPasscode))
        #expect(Self.unlock(fixture, Self.key(2)) == .done)
    }

    @Test func namesAreUniqueAndSixteenFit() {
        let fixture = Self.withPasscode()
        for number in 0..<16 {
            #expect(Self.add(fixture, "p\(number)", Self.key(UInt8(number))) == .done)
        }
        #expect(Self.add(fixture, "more", Self.key(99)) == .failure(.tooManyProtectors))
        #expect(Self.add(fixture, "p3", Self.key(99)) == .failure(.nameTaken))
        for name in ["", "-a", ".a", "a b", "ä", String(repeating: "a", count: 65)] {
            #expect(ProtectorChoice(kind: .keyFile, name: name) == nil)
        }
        #expect(ProtectorChoice(kind: .keyFile, name: ProtectorChoice.recoveryCodeName) == nil)
        fixture.restart()
        #expect(Self.names(fixture).count == 16)
        #expect(Self.unlock(fixture, Self.key(15)) == .done)
    }

    @Test func aChangedPasscodeKeepsThemAndARemovedOneTakesThemAlong() {
        let fixture = Self.withPasscode()
        #expect(Self.add(fixture, "boot", Self.key(1)) == .done)
        #expect(fixture.passcode(.change, "right", new: "new") == .done)
        fixture.restart()
        #expect(Self.unlock(fixture, Self.key(1)) == .done)
        #expect(fixture.passcode(.remove, "new") == .done)
        #expect(fixture.lockState == .noPasscode)
        #expect(Self.names(fixture).isEmpty)
        #expect(fixture.state.records[.protectors(user: Self.user)] == nil)
        #expect(fixture.state.records[.protectorsCopy(user: Self.user)] == nil)
        #expect(Self.unlock(fixture, Self.key(1)) == .failure(.wrongState))
    }

    @Test func anErasureTakesThemAlong() {
        let fixture = Self.withPasscode()
        let sealed = fixture.seal([1], .ck)
        #expect(Self.add(fixture, "boot", Self.key(1)) == .done)
        let old = fixture.state.records
        #expect(fixture.configure("right", erasing: true) == .done)
        for attempt in 0..<10 {
            fixture.clock.seconds += 3_600
            #expect(fixture.passcode(.unlock, "wrong \(attempt)") == .failure(.wrongPasscode))
        }
        #expect(fixture.status()?.erasures == 1)
        #expect(Self.names(fixture).isEmpty)
        // The old list belongs to a keybag that isn't there any more.
        for record in [StateRecord.protectors(user: Self.user), .protectorsCopy(user: Self.user)] {
            fixture.state.records[record] = old[record]
        }
        fixture.restart()
        #expect(Self.unlock(fixture, Self.key(1)) == .failure(.wrongState))
        #expect(fixture.open(sealed, .ck) == .failure(.undecodable))
    }

    @Test func theDatesOfUseAndOfAddingAreListed() {
        let fixture = Self.withPasscode()
        #expect(Self.add(fixture, "boot", Self.key(1)) == .done)
        let added = 1_700_000_000 + fixture.clock.seconds
        fixture.clock.seconds += 500
        #expect(Self.unlock(fixture, Self.key(1)) == .done)
        fixture.restart()
        guard case .protectors(let list) = fixture.send(.protectors) else {
            Issue.record("no list")
            return
        }
        #expect(list.map(\.created) == [added])
        #expect(list.map(\.lastUsed) == [added + 500])
        #expect(
            fixture.notices.all.contains(.unlocked(user: Self.user, protector: "boot")))
    }

    @Test func aTestChangesNothing() {
        let fixture = Self.withPasscode()
        #expect(Self.add(fixture, "a", Self.key(1)) == .done)
        #expect(Self.add(fixture, "b", Self.key(2)) == .done)
        fixture.restart()
        func test(_ name: String, _ key: [UInt8]) -> Outcome {
            fixture.letter(
                .testProtector,
                [EnclaveFixture.counted(key), [UInt8(name.utf8.count)] + name.utf8])
        }
        let before = fixture.state.records
        #expect(test("a", Self.key(1)) == .done)
        #expect(test("a", Self.key(2)) == .failure(.wrongPasscode))
        #expect(test("c", Self.key(2)) == .failure(.noSuchProtector))
        #expect(test("a", []) == .failure(.malformed))
        #expect(fixture.lockState == .beforeFirstUnlock)
        #expect(fixture.state.records == before)
    }

    @Test func aListThatCantBeReadNowIsNotReplaced() {
        let fixture = Self.withPasscode()
        #expect(Self.add(fixture, "boot", Self.key(1)) == .done)
        let before = fixture.state.records
        fixture.state.unreadable = [
            .protectors(user: Self.user), .protectorsCopy(user: Self.user),
        ]
        fixture.restart()
        // The passcode works meanwhile.
        #expect(fixture.passcode(.unlock, "right") == .done)
        #expect(Self.add(fixture, "other", Self.key(2)) == .failure(.stateNotWritten))
        #expect(Self.remove(fixture, "boot") == .failure(.stateNotWritten))
        #expect(fixture.letter(.remove, [Self.right]) == .failure(.stateNotWritten))
        for record in [StateRecord.protectors(user: Self.user), .keybag(user: Self.user)] {
            #expect(fixture.state.records[record] == before[record])
        }
        // It can be read again.
        fixture.state.unreadable = []
        #expect(Self.add(fixture, "other", Self.key(2)) == .done)
        #expect(Self.names(fixture) == ["boot", "other"])
    }

    // MARK: - Forgetting a user

    @Test func rootForgetsAUserWithAllKeys() {
        let fixture = Self.withPasscode()
        let sealed = ProtectionClass.allCases.map { fixture.seal([1], $0) }
        #expect(Self.add(fixture, "boot", Self.key(1)) == .done)
        func forget(isRoot: Bool) -> Outcome {
            fixture.letter(.forget, [Self.none], isRoot: isRoot)
        }
        #expect(forget(isRoot: false) == .failure(.administratorNeeded))
        #expect(fixture.lockState == .unlocked)
        fixture.restart()
        // No passcode is needed: the owner is gone.
        #expect(forget(isRoot: true) == .done)
        #expect(fixture.lockState == .noPasscode)
        #expect(Self.names(fixture) == [])
        for (protectionClass, sealed) in zip(ProtectionClass.allCases, sealed) {
            guard case .failure = fixture.open(sealed, protectionClass) else {
                Issue.record("\(protectionClass) opens")
                continue
            }
        }
        fixture.restart()
        #expect(fixture.lockState == .noPasscode)
        #expect(Self.unlock(fixture, Self.key(1)) == .failure(.wrongState))
        #expect(fixture.passcode(.set, "new") == .done)
    }

    // MARK: - Without a passcode

    @Test func withoutAPasscodeRootAloneChangesTheList() {
        let fixture = EnclaveFixture()
        let sealed = [ProtectionClass.ak, .ck, .dk].map { fixture.seal([1], $0) }
        #expect(
            Self.add(fixture, "boot", Self.key(1), passcode: Self.none)
                == .failure(.administratorNeeded))
        #expect(fixture.lockState == .noPasscode)
        #expect(Self.add(fixture, "boot", Self.key(1), passcode: Self.none, isRoot: true) == .done)
        #expect(fixture.lockState == .unlocked)
        #expect(fixture.status()?.isPasscodeSet == false)
        #expect(fixture.seal([1], .akpu) == .failure(.classMissing))
        fixture.restart()
        #expect(fixture.lockState == .beforeFirstUnlock)
        #expect(fixture.open(sealed[0], .ak) == .failure(.locked))
        #expect(fixture.open(sealed[1], .ck) == .failure(.locked))
        #expect(fixture.open(sealed[2], .dk) == .bytes([1]))
        // Nothing that would be free without a passcode is free now.
        #expect(
            fixture.letter(
                .makeRecoveryCode,
                [Self.none, EnclaveFixture.counted([UInt8](repeating: 48, count: 26))])
                == .failure(.administratorNeeded))
        #expect(fixture.passcode(.set, "mine") == .failure(.locked))
        #expect(fixture.passcode(.unlock, "any") == .failure(.wrongState))
        #expect(fixture.letter(.remove, [Self.none]) == .failure(.administratorNeeded))
        #expect(fixture.letter(.remove, [Self.none], isRoot: true) == .failure(.locked))
        #expect(Self.unlock(fixture, Self.key(1)) == .done)
        for (protectionClass, sealed) in zip([ProtectionClass.ak, .ck, .dk], sealed) {
            #expect(fixture.open(sealed, protectionClass) == .bytes([1]))
        }
    }

    @Test func theLastOneGoesOnlyWithAllThatLocks() {
        let fixture = EnclaveFixture()
        let sealed = fixture.seal([1], .ak)
        for (name, byte) in [("a", UInt8(1)), ("b", 2)] {
            let added = Self.add(
                fixture, name, Self.key(byte), passcode: Self.none, isRoot: true)
            #expect(added == .done)
        }
        #expect(Self.remove(fixture, "a", passcode: Self.none) == .failure(.administratorNeeded))
        #expect(Self.remove(fixture, "a", passcode: Self.none, isRoot: true) == .done)
        #expect(
            Self.remove(fixture, "b", passcode: Self.none, isRoot: true)
                == .failure(.lastProtector))
        fixture.restart()
        #expect(Self.unlock(fixture, Self.key(2)) == .done)
        #expect(fixture.letter(.remove, [Self.none], isRoot: true) == .done)
        #expect(fixture.lockState == .noPasscode)
        fixture.restart()
        #expect(fixture.lockState == .noPasscode)
        #expect(fixture.open(sealed, .ak) == .bytes([1]))
    }

    @Test func aPasscodeThatIsSetLaterLeavesThem() {
        let fixture = EnclaveFixture()
        #expect(Self.add(fixture, "boot", Self.key(1), passcode: Self.none, isRoot: true) == .done)
        let sealed = fixture.seal([1], .ak)
        #expect(fixture.passcode(.set, "right") == .done)
        let akpu = fixture.seal([2], .akpu)
        fixture.restart()
        #expect(Self.unlock(fixture, Self.key(1)) == .done)
        #expect(fixture.open(sealed, .ak) == .bytes([1]))
        #expect(fixture.open(akpu, .akpu) == .failure(.locked))
        #expect(Self.remove(fixture, "boot") == .done)
        fixture.restart()
        #expect(fixture.passcode(.unlock, "right") == .done)
        #expect(fixture.open(sealed, .ak) == .bytes([1]))
    }

    // MARK: - Files

    @Test func anOlderListIsNotUsed() {
        let fixture = Self.withPasscode()
        #expect(Self.add(fixture, "a", Self.key(1)) == .done)
        let records = [StateRecord.protectors(user: Self.user), .protectorsCopy(user: Self.user)]
        let old = records.map { fixture.state.records[$0] }
        #expect(Self.add(fixture, "b", Self.key(2)) == .done)
        #expect(Self.remove(fixture, "a") == .done)
        for (record, bytes) in zip(records, old) { fixture.state.records[record] = bytes }
        fixture.restart()
        #expect(Self.unlock(fixture, Self.key(1)) == .failure(.wrongState))
        #expect(fixture.notices.all.contains(.protectorsRefused(user: Self.user)))
        #expect(fixture.passcode(.unlock, "right") == .done)
    }

    @Test func oneDamagedCopyCostsNothing() {
        for damaged in [StateRecord.protectors(user: Self.user), .protectorsCopy(user: Self.user)] {
            let fixture = Self.withPasscode()
            #expect(Self.add(fixture, "a", Self.key(1)) == .done)
            let whole = fixture.state.records[damaged]
            fixture.state.records[damaged]?[30] ^= 1
            fixture.restart()
            #expect(Self.unlock(fixture, Self.key(1)) == .done)
            #expect(fixture.state.records[damaged]?.count == whole?.count)
        }
    }

    /// Each prefix of the changes is what a crash can leave.
    @Test func aCrashAtAnyStepLeavesAKeybagThatOpens() {
        func check(_ body: (EnclaveFixture) -> Void, _ keys: [UInt8], hasPasscode: Bool) {
            let origin = hasPasscode ? Self.withPasscode() : EnclaveFixture()
            let passcode = hasPasscode ? Self.right : Self.none
            let sealed = origin.seal([7], .ak)
            _ = Self.add(origin, "a", Self.key(1), passcode: passcode, isRoot: !hasPasscode)
            let before = origin.state.records
            body(origin)
            guard let changes = origin.state.changes.last(where: { $0.count > 3 }) else {
                Issue.record("no change")
                return
            }
            for count in 0...changes.count {
                let fixture = EnclaveFixture()
                fixture.state.records = before
                try? fixture.state.apply(Array(changes.prefix(count)))
                fixture.restart()
                let opened =
                    keys.contains { Self.unlock(fixture, Self.key($0)) == .done }
                    || hasPasscode && fixture.passcode(.unlock, "right") == .done
                    || fixture.lockState == .noPasscode
                #expect(opened, "after \(count) changes")
                #expect(fixture.open(sealed, .ak) == .bytes([7]), "after \(count) changes")
            }
        }
        check({ _ = Self.add($0, "b", Self.key(2)) }, [1], hasPasscode: true)
        check({ _ = Self.remove($0, "a") }, [], hasPasscode: true)
        check(
            { _ = Self.add($0, "b", Self.key(2), passcode: Self.none, isRoot: true) }, [1],
            hasPasscode: false)
        check({ _ = $0.letter(.remove, [Self.none], isRoot: true) }, [1], hasPasscode: false)
    }

    @Test func withoutTheDeviceKeyAKeyOpensNothing() {
        let fixture = Self.withPasscode()
        #expect(Self.add(fixture, "boot", Self.key(1)) == .done)
        let stolen = EnclaveFixture()
        stolen.state.records = fixture.state.records
        stolen.deviceKey = KnownDeviceKey(byte: 2)
        stolen.restart()
        #expect(stolen.send(.protectors) == .failure(.stateNotWritten))
    }

    // MARK: - The TPM

    @Test func theTPMUnlocksAtTheStart() {
        let fixture = EnclaveFixture()
        fixture.deviceKey.maker = .softwareTPM
        fixture.restart()
        #expect(fixture.passcode(.set, "right") == .done)
        let sealed = fixture.seal([1], .ak)
        let akpu = fixture.seal([1], .akpu)
        #expect(Self.add(fixture, "boot", [], kind: .tpm) == .done)
        fixture.restart()
        #expect(fixture.lockState == .beforeFirstUnlock)
        #expect(fixture.enclave.usersWithProtectors() == [Self.user])
        guard let job = fixture.enclave.beginUnlockAtStart(Self.user) else {
            Issue.record("no job")
            return
        }
        #expect(job.cost == .none)
        #expect(fixture.finish(fixture.derive(job)) == .done)
        #expect(fixture.lockState == .unlocked)
        #expect(fixture.open(sealed, .ak) == .bytes([1]))
        #expect(fixture.open(akpu, .akpu) == .failure(.locked))
        #expect(fixture.enclave.beginUnlockAtStart(Self.user) == nil)
    }

    @Test func aDeviceKeyInAFileMakesNoProtectorOfATPM() {
        let fixture = Self.withPasscode()
        #expect(Self.add(fixture, "boot", [], kind: .tpm) == .failure(.wrongState))
        #expect(Self.names(fixture).isEmpty)
    }
}
