// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveWire
import KeychainVocabulary
import SecretBytes
import Testing

/// Keychains with a password of their own.
@Suite struct KeychainPasswordTests {
    private typealias Fixture = EnclaveFixture
    private static let number = EnclaveFixture.number
    private static let other = EnclaveFixture.other
    private static let table = TableKeyName(
        purpose: .metadata, protectionClass: .dku, generation: 1)

    private static func withKeychain() -> EnclaveFixture {
        let fixture = EnclaveFixture()
        #expect(fixture.create() == .done)
        return fixture
    }

    // MARK: - Password

    @Test func aNewOneIsUnlockedAndTheRightPasswordUnlocksIt() {
        let fixture = Self.withKeychain()
        let sealed = fixture.store([1, 2])
        #expect(fixture.openInKeychain(sealed) == .bytes([1, 2]))
        #expect(fixture.lock() == .done)
        #expect(fixture.listed == [Self.number: false])
        #expect(fixture.openInKeychain(sealed) == .failure(.keychainLocked))
        #expect(fixture.store([3]) == .failure(.keychainLocked))
        #expect(fixture.unlock(Self.number, "wrong") == .failure(.wrongPasscode))
        #expect(fixture.openInKeychain(sealed) == .failure(.keychainLocked))
        #expect(fixture.unlock() == .done)
        #expect(fixture.openInKeychain(sealed) == .bytes([1, 2]))
    }

    @Test func aRestartLocksIt() {
        let fixture = Self.withKeychain()
        let sealed = fixture.store([1])
        fixture.restart()
        #expect(fixture.openInKeychain(sealed) == .failure(.keychainLocked))
        #expect(fixture.unlock() == .done)
        #expect(fixture.openInKeychain(sealed) == .bytes([1]))
    }

    @Test func wrongPasswordsDontCountAgainstTheDevice() {
        let fixture = Self.withKeychain()
        #expect(fixture.passcode(.set, "passcode") == .done)
        for _ in 0..<20 {
            #expect(fixture.unlock(Self.number, "wrong") == .failure(.wrongPasscode))
        }
        #expect(fixture.status()?.failedAttempts == 0)
        #expect(fixture.unlock() == .done)
    }

    @Test(arguments: ["", String(repeating: "p", count: 1023)])
    func aPasswordMayBeEmptyOrLong(password: String) {
        let fixture = EnclaveFixture()
        #expect(fixture.create(Self.number, password) == .done)
        fixture.restart()
        #expect(fixture.unlock(Self.number, password + "\u{1}") != .done)
        #expect(fixture.unlock(Self.number, password) == .done)
    }

    @Test func aPasswordOfMoreThan1023BytesIsRefused() {
        let fixture = EnclaveFixture()
        let long = String(repeating: "p", count: 1024)
        #expect(fixture.create(Self.number, long) == .failure(.passcodeUnacceptable))
        #expect(fixture.listed == [:])
    }

    @Test func anotherPasswordReplacesTheOldOne() {
        let fixture = Self.withKeychain()
        let sealed = fixture.store([1])
        #expect(fixture.change(Self.number, "wrong", "new") == .failure(.wrongPasscode))
        #expect(fixture.change(Self.number, "right", "new") == .done)
        // It stays as it was.
        #expect(fixture.openInKeychain(sealed) == .bytes([1]))
        fixture.restart()
        #expect(fixture.change(Self.number, "new", "newer") == .done)
        #expect(fixture.listed == [Self.number: false])
        for old in ["right", "new"] {
            #expect(fixture.unlock(Self.number, old) == .failure(.wrongPasscode))
        }
        #expect(fixture.unlock(Self.number, "newer") == .done)
        #expect(fixture.openInKeychain(sealed) == .bytes([1]))
    }

    @Test func aLetterIsForOneKeychainAndOneOperation() {
        let fixture = Self.withKeychain()
        #expect(fixture.create(Self.other, "right") == .done)
        #expect(fixture.lock(0) == .done)
        #expect(
            fixture.unlock(Self.number, uuid: Fixture.uuid(Self.other))
                == .failure(.noSuchKeychain))
        let letter = fixture.keychainLetter(.unlockKeychain, ["right"], Fixture.uuid(Self.number))
        #expect(
            fixture.keychain(.create(number: 9, Fixture.settings(), letter: letter))
                == .failure(.undecodable))
        #expect(fixture.keychain(.unlock(number: Self.number, letter: letter)) == .done)
        // Its nonce is used up.
        #expect(
            fixture.keychain(.unlock(number: Self.number, letter: letter))
                == .failure(.staleChallenge))
    }

    @Test func noPasscodeRequestTakesALetterOfAKeychain() {
        let fixture = Self.withKeychain()
        for operation in [PasscodeOperation.createKeychain, .unlockKeychain] {
            #expect(fixture.passcode(operation, "right") == .failure(.malformed))
        }
    }

    // MARK: - Names and limits

    @Test func numberAndUUIDAreTakenOnce() {
        let fixture = Self.withKeychain()
        #expect(fixture.create() == .failure(.keychainExists))
        let letter = fixture.keychainLetter(.createKeychain, ["x"], Fixture.uuid(Self.number))
        #expect(
            fixture.keychain(.create(number: Self.other, Fixture.settings(), letter: letter))
                == .failure(.keychainExists))
        #expect(fixture.listed == [Self.number: true])
    }

    @Test func twoCreatorsOfOneNumberGetOneKeychain() {
        let fixture = EnclaveFixture()
        #expect(fixture.create(deriving: false) == .deferred)
        // One password is derived at a time.
        #expect(fixture.create(Self.other) == .failure(.busy))
        #expect(fixture.unlock() == .failure(.busy))
        guard let job = fixture.job else {
            Issue.record("nothing is derived")
            return
        }
        #expect(fixture.finish(fixture.derive(job)) == .done)
        #expect(fixture.listed == [Self.number: true])
    }

    @Test func sixtyFourAreUnlockedAtATime() {
        let fixture = EnclaveFixture()
        for number in UInt32(1)...64 { #expect(fixture.create(number) == .done) }
        #expect(fixture.create(65) == .failure(.tooManyKeychains))
        #expect(fixture.lock(3) == .done)
        #expect(fixture.create(65) == .done)
        #expect(fixture.unlock(3) == .failure(.tooManyKeychains))
        // One that is unlocked may be asked for once more.
        #expect(fixture.unlock(4) == .done)
        #expect(fixture.lock(4) == .done)
        #expect(fixture.unlock(3) == .done)
    }

    /// A user with so many keychains: copies of one under other names, in a list that the keybag knows.
    private static func withKeychains(_ count: UInt16) throws -> EnclaveFixture {
        let fixture = withKeychain()
        let user = Fixture.user
        let file = try #require(fixture.state.records[.keychains(user: user)])
        let (head, entry) = (file.prefix(24), Array(file.dropFirst(26)))
        var list = Array(head) + [UInt8(truncatingIfNeeded: count), UInt8(count >> 8)]
        for number in 1...count {
            let name = [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]
            list += name + [0, 0] + name + [UInt8](repeating: 0, count: 14) + entry.dropFirst(20)
        }
        let root = try fixture.deviceKey.tangle(
            .keybag, SecretBytes(copying: [0xE8, 0x03, 0, 0]))
        let signingKey = Cryptography.derive(
            from: root.bytes.symmetricKey(), info: [UInt8]("llavero.keybag.signature.1".utf8))
        let bytes = try #require(fixture.state.records[.keybag(user: user)])
        var keybag = try Keybag(bytes, signingKey: signingKey)
        keybag.keychainsDigest = Array(SHA256.hash(data: list))
        for record in [StateRecord.keybag(user: user), .keybagCopy(user: user)] {
            fixture.state.records[record] = keybag.encode(signingKey: signingKey)
        }
        for record in [StateRecord.keychains(user: user), .keychainsCopy(user: user)] {
            fixture.state.records[record] = list
        }
        fixture.restart()
        return fixture
    }

    @Test func thereAreAThousand() throws {
        let fixture = try Self.withKeychains(1000)
        #expect(fixture.listed.count == 1000)
        #expect(fixture.create() == .failure(.tooManyKeychains))
        #expect(fixture.keychain(.destroy(number: 500)) == .done)
        #expect(fixture.create() == .done)
        fixture.restart()
        #expect(fixture.listed.count == 1000)
        #expect(fixture.listed[500] == nil)
        #expect(fixture.unlock() == .done)
        // A longer list is none.
        let tooMany = try Self.withKeychains(1001)
        #expect(tooMany.keychain(.list) == .failure(.stateNotWritten))
    }

    // MARK: - Binding

    @Test func aSecretOpensInItsPlaceAlone() {
        let fixture = Self.withKeychain()
        #expect(fixture.create(Self.other, "right") == .done)
        guard case .bytes(let sealed) = fixture.store([1, 2, 3]) else {
            Issue.record("not sealed")
            return
        }
        #expect(fixture.openInKeychain(.bytes(sealed), context: 2) == .failure(.undecodable))
        #expect(fixture.open(sealed, .dk, context: 1) == .failure(.undecodable))
        var moved = sealed
        moved[4..<8] = [2, 0, 0, 0x10]
        #expect(fixture.openInKeychain(.bytes(moved)) == .failure(.undecodable))
        moved[4..<8] = [9, 9, 9, 9]
        #expect(fixture.openInKeychain(.bytes(moved)) == .failure(.noSuchKeychain))
        for index in sealed.indices where !(4..<8).contains(index) {
            var flipped = sealed
            flipped[index] ^= 1
            #expect(fixture.openInKeychain(.bytes(flipped)) == .failure(.undecodable), "\(index)")
        }
        for count in 0..<sealed.count {
            #expect(
                fixture.openInKeychain(.bytes(Array(sealed.prefix(count))))
                    == .failure(.undecodable))
        }
        #expect(fixture.openInKeychain(.bytes(sealed)) == .bytes([1, 2, 3]))
        #expect(
            fixture.openInKeychain(.bytes(sealed), user: 1001) == .failure(.noSuchKeychain))
    }

    @Test func rebindingKeepsTheKeychain() {
        let fixture = Self.withKeychain()
        guard case .bytes(let sealed) = fixture.store([7]) else {
            Issue.record("not sealed")
            return
        }
        let (source, target) = (Fixture.binding(.dku, 1), Fixture.binding(.dku, 2))
        let again = fixture.send(.rebind(from: source, to: target, sealed: sealed))
        #expect(fixture.openInKeychain(again, context: 2) == .bytes([7]))
        #expect(fixture.lock() == .done)
        #expect(fixture.openInKeychain(again, context: 2) == .failure(.keychainLocked))
        #expect(
            fixture.send(.rebind(from: source, to: target, sealed: sealed))
                == .failure(.keychainLocked))
        // It can't leave its keychain, whose rows are of one class.
        #expect(fixture.unlock() == .done)
        #expect(
            fixture.send(.rebind(from: source, to: Fixture.binding(.ck, 2), sealed: sealed))
                == .failure(.malformed))
    }

    @Test func tableKeysOpenWhileItIsLockedAndForItAlone() {
        let fixture = Self.withKeychain()
        #expect(fixture.create(Self.other) == .done)
        #expect(fixture.lock() == .done)
        guard
            case .bytes(let made) = fixture.keychain(
                .makeTableKey(number: Self.number, Self.table))
        else {
            Issue.record("not made")
            return
        }
        let (wrapped, key) = (Array(made.prefix(60)), Array(made.dropFirst(60)))
        func open(_ number: UInt32, _ name: TableKeyName = Self.table) -> Outcome {
            fixture.keychain(.openTableKey(number: number, name, wrapped: wrapped))
        }
        #expect(open(Self.number) == .bytes(key))
        #expect(open(Self.other) == .failure(.undecodable))
        #expect(open(9) == .failure(.noSuchKeychain))
        let later = TableKeyName(purpose: .metadata, protectionClass: .dku, generation: 2)
        #expect(open(Self.number, later) == .failure(.undecodable))
        #expect(
            fixture.send(.openTableKey(Self.table, wrapped: wrapped)) == .failure(.undecodable))
        let ofAnotherClass = TableKeyName(
            purpose: .metadata, protectionClass: .ck, generation: 1)
        #expect(open(Self.number, ofAnotherClass) == .failure(.malformed))
    }

    @Test func theDevicesLockLeavesItOpen() {
        let fixture = Self.withKeychain()
        #expect(fixture.passcode(.set, "passcode") == .done)
        let sealed = fixture.store([1])
        #expect(fixture.send(.lock(.now)) == .done)
        #expect(fixture.openInKeychain(sealed) == .bytes([1]))
        // Logging out doesn't.
        #expect(fixture.send(.lock(.logOut)) == .done)
        #expect(fixture.openInKeychain(sealed) == .failure(.keychainLocked))
    }

    // MARK: - Deleting

    @Test func whatIsDestroyedNeverOpensAgain() {
        let fixture = Self.withKeychain()
        let sealed = fixture.store([1])
        let table = fixture.keychain(.makeTableKey(number: Self.number, Self.table))
        #expect(fixture.keychain(.destroy(number: Self.number)) == .done)
        #expect(fixture.listed == [:])
        #expect(fixture.openInKeychain(sealed) == .failure(.noSuchKeychain))
        // Once more is no error: a daemon that ended in between asks again.
        #expect(fixture.keychain(.destroy(number: Self.number)) == .done)
        // Neither number, UUID nor password bring it back.
        #expect(fixture.create() == .done)
        #expect(fixture.openInKeychain(sealed) == .failure(.undecodable))
        guard case .bytes(let made) = table else {
            Issue.record("not made")
            return
        }
        #expect(
            fixture.keychain(
                .openTableKey(
                    number: Self.number, Self.table, wrapped: Array(made.prefix(60))))
                == .failure(.undecodable))
    }

    @Test func oneThatIsDestroyedWhileItsPasswordIsDerivedStaysDestroyed() {
        let fixture = Self.withKeychain()
        #expect(fixture.lock() == .done)
        #expect(fixture.unlock(deriving: false) == .deferred)
        guard let job = fixture.job else {
            Issue.record("nothing is derived")
            return
        }
        #expect(fixture.keychain(.destroy(number: Self.number)) == .done)
        #expect(fixture.finish(fixture.derive(job)) == .failure(.noSuchKeychain))
        #expect(fixture.listed == [:])
    }

    @Test func forgettingTheUserDestroysAll() {
        let fixture = Self.withKeychain()
        let sealed = fixture.store([1])
        #expect(fixture.letter(.forget, [Fixture.counted([])], isRoot: true) == .done)
        #expect(fixture.listed == [:])
        #expect(fixture.openInKeychain(sealed) == .failure(.noSuchKeychain))
        #expect(fixture.state.records[.keychains(user: Fixture.user)] == nil)
        #expect(fixture.state.records[.keychainsCopy(user: Fixture.user)] == nil)
    }

    @Test func theMachineHasOneKeychain() {
        let fixture = EnclaveFixture()
        #expect(
            fixture.keychain(.list, user: MachineKeybag.userID) == .failure(.wrongState))
    }

    @Test func aQuestionMakesNoKeybag() {
        let fixture = EnclaveFixture()
        #expect(fixture.listed == [:])
        #expect(fixture.state.records.isEmpty)
    }
}
