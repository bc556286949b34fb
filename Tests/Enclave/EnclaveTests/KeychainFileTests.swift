// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import KeychainVocabulary
import Testing

/// The list of keychains on the disk: after a crash at any step it is the old or the new one.
@Suite struct KeychainFileTests {
    private typealias Fixture = EnclaveFixture
    private typealias Records = [StateRecord: [UInt8]]
    private static let user = EnclaveFixture.user
    private static let number = EnclaveFixture.number
    private static let other = EnclaveFixture.other
    private static let files: [StateRecord] = [
        .keychains(user: user), .keychainsCopy(user: user),
    ]

    private static func withKeychain() -> EnclaveFixture {
        let fixture = EnclaveFixture()
        #expect(fixture.create() == .done)
        return fixture
    }

    /// Makes a change, and returns the records after each of its steps, before the first one too.
    private static func steps(
        _ fixture: EnclaveFixture, _ change: (EnclaveFixture) -> Outcome
    ) -> [Records] {
        var records = fixture.state.records
        let count = fixture.state.changes.count
        #expect(change(fixture) == .done)
        var steps = [records]
        for step in fixture.state.changes[count...].joined() {
            switch step {
            case .replace(let record, let bytes): records[record] = bytes
            case .remove(let record): records[record] = nil
            }
            steps.append(records)
        }
        return steps
    }

    /// The enclave as the next start finds it after a crash behind each step.
    private static func afterEachStep(
        _ fixture: EnclaveFixture, _ change: (EnclaveFixture) -> Outcome,
        _ check: (EnclaveFixture, _ isFirst: Bool, _ isLast: Bool) -> Void
    ) {
        let steps = steps(fixture, change)
        #expect(steps.count > 4)
        for (place, records) in steps.enumerated() {
            fixture.state.records = records
            fixture.restart()
            check(fixture, place == 0, place == steps.count - 1)
        }
    }

    @Test func aKillInAnyStepOfACreationLeavesOldOrNew() {
        let fixture = Self.withKeychain()
        let sealed = fixture.store([1])
        Self.afterEachStep(fixture) {
            $0.create(Self.other, "second")
        } _: {
            fixture, isFirst, isLast in
            let hasOther = fixture.listed[Self.other] != nil
            if isFirst { #expect(!hasOther) }
            if isLast { #expect(hasOther) }
            #expect(fixture.listed[Self.number] == false)
            #expect(fixture.unlock() == .done)
            #expect(fixture.openInKeychain(sealed) == .bytes([1]))
            if hasOther { #expect(fixture.unlock(Self.other, "second") == .done) }
            // Both copies are the same again.
            #expect(fixture.state.records[Self.files[0]] == fixture.state.records[Self.files[1]])
        }
    }

    @Test func aKillInAnyStepOfTheFirstCreationLeavesOldOrNew() {
        let fixture = EnclaveFixture()
        fixture.makeKeybag()
        Self.afterEachStep(fixture) {
            $0.create()
        } _: { fixture, isFirst, isLast in
            if isFirst { #expect(fixture.listed == [:]) }
            if isLast { #expect(fixture.listed == [Self.number: false]) }
            if !fixture.listed.isEmpty { #expect(fixture.unlock() == .done) }
        }
    }

    @Test func aKillInAnyStepOfAChangeLeavesOneOfBothPasswords() {
        let fixture = Self.withKeychain()
        let sealed = fixture.store([1])
        Self.afterEachStep(fixture) {
            $0.change(Self.number, "right", "new")
        } _: {
            fixture, isFirst, isLast in
            let old = fixture.unlock(Self.number, "right")
            #expect(fixture.lock() == .done)
            let new = fixture.unlock(Self.number, "new")
            #expect((old == .done) != (new == .done))
            if isFirst { #expect(old == .done) }
            if isLast { #expect(new == .done) }
            if old == .done { #expect(fixture.unlock() == .done) }
            #expect(fixture.openInKeychain(sealed) == .bytes([1]))
        }
    }

    @Test(arguments: [false, true])
    func aKillInAnyStepOfADeletionLeavesAllOrNothing(isLastOne: Bool) {
        let fixture = Self.withKeychain()
        let sealed = fixture.store([1])
        if !isLastOne { #expect(fixture.create(Self.other, "second") == .done) }
        Self.afterEachStep(fixture) {
            $0.keychain(.destroy(number: Self.number))
        } _: {
            fixture, isFirst, isLast in
            let exists = fixture.listed[Self.number] != nil
            if isFirst { #expect(exists) }
            if isLast { #expect(!exists) }
            if exists {
                #expect(fixture.unlock() == .done)
                #expect(fixture.openInKeychain(sealed) == .bytes([1]))
            } else {
                #expect(fixture.openInKeychain(sealed) == .failure(.noSuchKeychain))
                #expect((fixture.state.records[Self.files[0]] == nil) == isLastOne)
                #expect((fixture.state.records[Self.files[1]] == nil) == isLastOne)
            }
            if !isLastOne { #expect(fixture.unlock(Self.other, "second") == .done) }
        }
    }

    @Test func aDiskThatCantBeWrittenChangesNothing() {
        let fixture = Self.withKeychain()
        let sealed = fixture.store([1])
        fixture.state.isWritable = false
        #expect(fixture.create(Self.other) == .failure(.stateNotWritten))
        #expect(fixture.change(Self.number, "right", "new") == .failure(.stateNotWritten))
        #expect(fixture.keychain(.destroy(number: Self.number)) == .failure(.stateNotWritten))
        fixture.state.isWritable = true
        #expect(fixture.listed == [Self.number: true])
        #expect(fixture.openInKeychain(sealed) == .bytes([1]))
        fixture.restart()
        #expect(fixture.unlock() == .done)
    }

    @Test func aLostOutcomeEndsTheProcess() {
        let fixture = Self.withKeychain()
        fixture.state.losesTheOutcome = true
        #expect(fixture.keychain(.destroy(number: Self.number)) == .ended)
        fixture.state.losesTheOutcome = false
        fixture.restart()
        #expect(fixture.listed == [:])
    }

    @Test(arguments: [0, 1])
    func oneMissingOrDamagedCopyIsMadeFromTheOther(place: Int) {
        for bytes in [nil, [UInt8]("LLKEYCH1".utf8)] {
            let fixture = Self.withKeychain()
            let whole = fixture.state.records[Self.files[place]]
            fixture.state.records[Self.files[place]] = bytes
            fixture.restart()
            #expect(fixture.unlock() == .done)
            #expect(fixture.state.records[Self.files[place]] == whole)
        }
    }

    @Test func anOlderListIsntUsed() {
        let fixture = Self.withKeychain()
        let old = Self.files.map { fixture.state.records[$0] }
        let sealed = fixture.store([1])
        #expect(fixture.change(Self.number, "right", "new") == .done)
        for (file, bytes) in zip(Self.files, old) { fixture.state.records[file] = bytes }
        fixture.restart()
        #expect(fixture.keychain(.list) == .failure(.stateNotWritten))
        #expect(fixture.notices.all.contains(.keychainsRefused(user: Self.user)))
        #expect(fixture.unlock() == .failure(.stateNotWritten))
        #expect(fixture.openInKeychain(sealed) == .failure(.stateNotWritten))
        // What can't be known isn't replaced.
        #expect(fixture.create(Self.other) == .failure(.stateNotWritten))
        #expect(fixture.keychain(.destroy(number: Self.number)) == .failure(.stateNotWritten))
        #expect(fixture.state.records[Self.files[0]] == old[0])
    }

    @Test func theOwnerAcceptsAnOlderList() {
        let fixture = Self.withKeychain()
        let old = Self.files.map { fixture.state.records[$0] }
        let sealed = fixture.store([1])
        #expect(fixture.change(Self.number, "right", "new") == .done)
        for (file, bytes) in zip(Self.files, old) { fixture.state.records[file] = bytes }
        fixture.restart()
        #expect(fixture.unlock() == .failure(.stateNotWritten))
        #expect(fixture.passcode(.acceptRollback, "") == .done)
        for _ in 0..<2 {
            #expect(fixture.unlock(Self.number, "right") == .done)
            #expect(fixture.openInKeychain(sealed) == .bytes([1]))
            fixture.restart()
        }
    }

    @Test func theOwnerAcceptsThatNoListIsLeft() {
        let fixture = Self.withKeychain()
        for file in Self.files { fixture.state.records[file] = [0] }
        fixture.restart()
        #expect(fixture.create(Self.other) == .failure(.stateNotWritten))
        #expect(fixture.passcode(.acceptRollback, "") == .done)
        #expect(fixture.listed == [:])
        for file in Self.files { #expect(fixture.state.records[file] == nil) }
        #expect(fixture.create(Self.other) == .done)
        fixture.restart()
        #expect(fixture.listed == [Self.other: false])
    }

    @Test func aListOfADeletedKeychainIsntUsed() {
        let fixture = Self.withKeychain()
        let old = Self.files.map { fixture.state.records[$0] }
        #expect(fixture.keychain(.destroy(number: Self.number)) == .done)
        for (file, bytes) in zip(Self.files, old) { fixture.state.records[file] = bytes }
        fixture.restart()
        #expect(fixture.unlock() == .failure(.noSuchKeychain))
        // Its keys don't stay.
        for file in Self.files { #expect(fixture.state.records[file] == nil) }
    }

    @Test func aListThatCantBeReadNowIsReadLater() {
        let fixture = Self.withKeychain()
        fixture.state.unreadable = Set(Self.files)
        fixture.restart()
        #expect(fixture.keychain(.list) == .failure(.stateNotWritten))
        #expect(fixture.create(Self.other) == .failure(.stateNotWritten))
        fixture.state.unreadable = []
        #expect(fixture.unlock() == .done)
        #expect(fixture.listed == [Self.number: true])
    }

    @Test func everyFlippedByteOfTheListIsNoticed() {
        let fixture = Self.withKeychain()
        guard let whole = fixture.state.records[Self.files[0]] else {
            Issue.record("no list")
            return
        }
        for index in whole.indices {
            var flipped = whole
            flipped[index] ^= 1
            for file in Self.files { fixture.state.records[file] = flipped }
            fixture.restart()
            #expect(fixture.unlock() == .failure(.stateNotWritten), "\(index)")
        }
        for count in 0..<whole.count {
            #expect(KeychainList(Array(whole.prefix(count))) == nil)
        }
    }

    @Test func passcodesComeAndGoWithoutTouchingIt() {
        let fixture = Self.withKeychain()
        let sealed = fixture.store([1])
        let list = fixture.state.records[Self.files[0]]
        #expect(fixture.passcode(.set, "one") == .done)
        #expect(fixture.passcode(.change, "one", new: "two") == .done)
        #expect(fixture.configure("two", grace: 5) == .done)
        #expect(fixture.passcode(.remove, "two") == .done)
        #expect(fixture.state.records[Self.files[0]] == list)
        fixture.restart()
        #expect(fixture.unlock() == .done)
        #expect(fixture.openInKeychain(sealed) == .bytes([1]))
    }
}
