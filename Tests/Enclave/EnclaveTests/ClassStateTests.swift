// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import KeychainVocabulary
import Testing

@Suite struct ClassStateTests {
    private static let always: [ProtectionClass] = [.ak, .ck, .dk, .aku, .cku, .dku]

    private static func set(_ classes: [ProtectionClass]) -> ProtectionClassSet {
        classes.reduce(into: []) { $0.formUnion(ProtectionClassSet($1)) }
    }

    /// Seals in each class and returns the classes by result.
    private static func usable(_ fixture: EnclaveFixture) -> [ProtectionClass] {
        ProtectionClass.allCases.filter { protectionClass in
            guard case .bytes = fixture.seal([1], protectionClass) else { return false }
            return true
        }
    }

    @Test func withoutAPasscodeAllButAkpuAreUsable() {
        let fixture = EnclaveFixture()
        #expect(fixture.lockState == .noPasscode)
        #expect(Self.usable(fixture) == Self.always)
        #expect(fixture.seal([1], .akpu) == .failure(.classMissing))
        #expect(fixture.status()?.existingClasses == Self.set(Self.always))
    }

    @Test func lockingWithoutAPasscodeHasNoEffect() {
        let fixture = EnclaveFixture()
        #expect(fixture.send(.lock(.now)) == .done)
        #expect(fixture.lockState == .noPasscode)
        #expect(Self.usable(fixture) == Self.always)
    }

    @Test func settingAPasscodeUnlocksAndMakesAkpu() {
        let fixture = EnclaveFixture()
        #expect(fixture.passcode(.set, "1234") == .done)
        #expect(fixture.lockState == .unlocked)
        #expect(Self.usable(fixture) == ProtectionClass.allCases)
        #expect(fixture.passcode(.set, "1234") == .failure(.wrongState))
    }

    @Test func lockDropsClassAAndKeepsTheOthers() {
        let fixture = EnclaveFixture()
        _ = fixture.passcode(.set, "1234")
        #expect(fixture.send(.lock(.now)) == .done)
        #expect(fixture.lockState == .locked)
        #expect(Self.usable(fixture) == [.ck, .dk, .cku, .dku])
        #expect(fixture.seal([1], .ak) == .failure(.locked))
        #expect(fixture.seal([1], .akpu) == .failure(.locked))
        #expect(fixture.status()?.existingClasses == Self.set(ProtectionClass.allCases))
        #expect(fixture.passcode(.unlock, "1234") == .done)
        #expect(fixture.lockState == .unlocked)
        #expect(Self.usable(fixture) == ProtectionClass.allCases)
    }

    @Test func aRestartWithAPasscodeLeavesClassDAlone() {
        let fixture = EnclaveFixture()
        _ = fixture.passcode(.set, "1234")
        let sealed = fixture.seal([7], .ak)
        fixture.restart()
        #expect(fixture.lockState == .beforeFirstUnlock)
        #expect(Self.usable(fixture) == [.dk, .dku])
        #expect(fixture.open(sealed, .ak) == .failure(.locked))
        #expect(fixture.send(.lock(.now)) == .done)
        #expect(fixture.lockState == .beforeFirstUnlock)
        #expect(fixture.passcode(.unlock, "1234") == .done)
        #expect(fixture.open(sealed, .ak) == .bytes([7]))
    }

    @Test func aRestartWithoutAPasscodeChangesNothing() {
        let fixture = EnclaveFixture()
        let sealed = fixture.seal([7], .ak)
        fixture.restart()
        #expect(fixture.open(sealed, .ak) == .bytes([7]))
    }

    @Test func secretsOutliveSettingChangingAndRemovingThePasscode() {
        let fixture = EnclaveFixture()
        let before = Self.always.map { fixture.seal([$0.rawValue], $0) }
        _ = fixture.passcode(.set, "1234")
        let akpu = fixture.seal([42], .akpu)
        #expect(fixture.passcode(.change, "1234", new: "5678") == .done)
        #expect(fixture.open(akpu, .akpu) == .bytes([42]))
        fixture.restart()
        #expect(fixture.passcode(.unlock, "1234") == .failure(.wrongPasscode))
        #expect(fixture.passcode(.unlock, "5678") == .done)
        #expect(fixture.open(akpu, .akpu) == .bytes([42]))
        #expect(fixture.passcode(.remove, "5678") == .done)
        #expect(fixture.lockState == .noPasscode)
        for (protectionClass, sealed) in zip(Self.always, before) {
            #expect(fixture.open(sealed, protectionClass) == .bytes([protectionClass.rawValue]))
        }
        #expect(fixture.open(akpu, .akpu) == .failure(.classMissing))
    }

    @Test func akpuAfterRemovingAndSettingAPasscodeIsAnotherKey() {
        let fixture = EnclaveFixture()
        _ = fixture.passcode(.set, "1234")
        let sealed = fixture.seal([42], .akpu)
        _ = fixture.passcode(.remove, "1234")
        _ = fixture.passcode(.set, "1234")
        #expect(fixture.open(sealed, .akpu) == .failure(.undecodable))
        guard case .bytes = fixture.seal([43], .akpu) else {
            Issue.record("akpu is not usable")
            return
        }
    }

    @Test func withoutAPasscodeThereIsNoneToUse() {
        let fixture = EnclaveFixture()
        for operation in [PasscodeOperation.unlock, .remove] {
            #expect(fixture.passcode(operation, "1234") == .failure(.wrongState))
        }
        #expect(fixture.passcode(.change, "1", new: "2") == .failure(.wrongState))
    }

    @Test(arguments: [PasscodeOperation.unlock, .change, .remove], [false, true])
    func aLockDuringADerivationLetsNothingOfClassABeOpened(
        operation: PasscodeOperation, restarting: Bool
    ) {
        let fixture = EnclaveFixture()
        _ = fixture.passcode(.set, "1234")
        if restarting { fixture.restart() } else { _ = fixture.send(.lock(.now)) }
        let new = operation == .change ? "5678" : nil
        #expect(fixture.passcode(operation, "1234", new: new, deriving: false) == .deferred)
        #expect(fixture.send(.lock(.now)) == .done)
        guard let job = fixture.job else { return }
        #expect(fixture.finish(fixture.derive(job)) == .failure(.locked))
        // It was the right passcode: the first unlock happened, and no failure is counted.
        #expect(fixture.lockState == .locked)
        #expect(Self.usable(fixture) == [.ck, .dk, .cku, .dku])
        #expect(fixture.status()?.failedAttempts == 0)
        #expect(fixture.passcode(.unlock, "1234") == .done)
        #expect(fixture.lockState == .unlocked)
    }

    @Test func aLockDuringTheDerivationOfAWrongPasscodeChangesNothing() {
        let fixture = EnclaveFixture()
        _ = fixture.passcode(.set, "1234")
        fixture.restart()
        #expect(fixture.passcode(.unlock, "wrong", deriving: false) == .deferred)
        #expect(fixture.send(.lock(.now)) == .done)
        guard let job = fixture.job else { return }
        #expect(fixture.finish(fixture.derive(job)) == .failure(.wrongPasscode))
        #expect(fixture.lockState == .beforeFirstUnlock)
    }

    @Test func aLockDuringAChangeStopsIt() {
        let fixture = EnclaveFixture()
        _ = fixture.passcode(.set, "1234")
        #expect(fixture.passcode(.change, "1234", new: "5678", deriving: false) == .deferred)
        guard let first = fixture.job else { return }
        #expect(fixture.finish(fixture.derive(first), deriving: false) == .deferred)
        #expect(fixture.send(.lock(.now)) == .done)
        guard let second = fixture.job else { return }
        #expect(fixture.finish(fixture.derive(second)) == .failure(.locked))
        #expect(fixture.lockState == .locked)
        #expect(fixture.passcode(.unlock, "1234") == .done)
    }

    @Test func oneUsersLockDoesNotTouchAnother() {
        let fixture = EnclaveFixture()
        _ = fixture.passcode(.set, "1234", user: 1)
        _ = fixture.passcode(.set, "1234", user: 2)
        #expect(fixture.send(.lock(.now), user: 1) == .done)
        #expect(fixture.status(user: 1)?.state == .locked)
        #expect(fixture.status(user: 2)?.state == .unlocked)
    }

    @Test func aNewKeybagIsDurableBeforeItIsTold() {
        let fixture = EnclaveFixture()
        fixture.state.isWritable = false
        #expect(fixture.seal([1], .dk) == .failure(.stateNotWritten))
        fixture.state.isWritable = true
        fixture.makeKeybag()
        let uuid = fixture.status()?.keybagUUID
        fixture.restart()
        #expect(fixture.status()?.keybagUUID == uuid)
    }

    @Test func aPasscodeThatCannotBeWrittenIsNotSet() {
        let fixture = EnclaveFixture()
        let sealed = fixture.seal([7], .ak)
        fixture.state.isWritable = false
        #expect(fixture.passcode(.set, "1234") == .failure(.stateNotWritten))
        #expect(fixture.lockState == .noPasscode)
        #expect(fixture.open(sealed, .ak) == .bytes([7]))
        fixture.state.isWritable = true
        fixture.restart()
        #expect(fixture.lockState == .noPasscode)
    }

    @Test func eachRewriteCountsTheGeneration() {
        let fixture = EnclaveFixture()
        fixture.makeKeybag()
        #expect(fixture.status()?.keybagGeneration == 1)
        _ = fixture.passcode(.set, "1")
        #expect(fixture.status()?.keybagGeneration == 2)
        _ = fixture.passcode(.change, "1", new: "2")
        #expect(fixture.status()?.keybagGeneration == 3)
        _ = fixture.passcode(.remove, "2")
        #expect(fixture.status()?.keybagGeneration == 4)
    }

    @Test func aDamagedKeybagIsRefusedAndNeverReplaced() {
        let fixture = EnclaveFixture()
        fixture.makeKeybag()
        let record = StateRecord.keybag(user: EnclaveFixture.user)
        guard var bytes = fixture.state.records[record] else {
            Issue.record("there is no keybag")
            return
        }
        bytes[40] ^= 1
        fixture.state.records[record] = bytes
        fixture.state.records[.keybagCopy(user: EnclaveFixture.user)] = bytes
        fixture.restart()
        #expect(fixture.send(.status) == .failure(.stateNotWritten))
        #expect(fixture.seal([1], .dk) == .failure(.stateNotWritten))
        #expect(fixture.state.records[record] == bytes)
        #expect(
            fixture.notices.all.first
                == .keybagRefused(user: EnclaveFixture.user, .badSignature))
    }

    @Test func anotherUsersKeybagIsRefused() {
        let fixture = EnclaveFixture()
        fixture.makeKeybag(user: 1)
        fixture.state.records[.keybag(user: 2)] = fixture.state.records[.keybag(user: 1)]
        #expect(fixture.send(.status, user: 2) == .failure(.stateNotWritten))
    }

    @Test func anotherDevicesKeybagIsRefused() {
        let fixture = EnclaveFixture()
        fixture.makeKeybag()
        fixture.deviceKey = KnownDeviceKey(byte: 2)
        fixture.restart()
        #expect(fixture.send(.status) == .failure(.stateNotWritten))
    }
}
