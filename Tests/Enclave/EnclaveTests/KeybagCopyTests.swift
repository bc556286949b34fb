// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import KeychainVocabulary
import Testing

@Suite struct KeybagCopyTests {
    private static let user = EnclaveFixture.user
    private static let first = StateRecord.keybag(user: user)
    private static let second = StateRecord.keybagCopy(user: user)

    @Test func bothCopiesAreReplacedBeforeTheAnswer() {
        let fixture = EnclaveFixture()
        fixture.makeKeybag()
        for step in ["1", "2", "3"] {
            if step == "1" { #expect(fixture.passcode(.set, "1") == .done) }
            if step == "2" { #expect(fixture.passcode(.change, "1", new: "2") == .done) }
            if step == "3" { #expect(fixture.passcode(.remove, "2") == .done) }
            #expect(fixture.state.records[Self.first] == fixture.state.records[Self.second])
            let records = fixture.state.changes.joined().compactMap { change -> StateRecord? in
                guard case .replace(let record, _) = change else { return nil }
                return record
            }
            // The anchor's record of the keybag is written after both.
            #expect(
                records.filter { $0 != .anchor(user: Self.user) }.suffix(2)
                    == [Self.first, Self.second])
        }
    }

    @Test(arguments: [first, second])
    func oneMissingCopyIsMadeFromTheOther(record: StateRecord) {
        let fixture = EnclaveFixture()
        let sealed = fixture.seal([7], .ak)
        let bytes = fixture.state.records[record]
        fixture.state.records[record] = nil
        fixture.restart()
        #expect(fixture.open(sealed, .ak) == .bytes([7]))
        #expect(fixture.state.records[record] == bytes)
        #expect(fixture.notices.all == [.keybagMended(user: Self.user)])
    }

    @Test(arguments: [first, second])
    func theLaterCopyHolds(older: StateRecord) {
        let fixture = EnclaveFixture()
        _ = fixture.passcode(.set, "old")
        let old = fixture.state.records[older]
        _ = fixture.passcode(.change, "old", new: "new")
        let new = fixture.state.records[older]
        fixture.state.records[older] = old
        fixture.restart()
        #expect(fixture.passcode(.unlock, "old") == .failure(.wrongPasscode))
        #expect(fixture.passcode(.unlock, "new") == .done)
        #expect(fixture.state.records[older] == new)
    }

    @Test func aCopyThatCannotBeMendedCostsNothing() {
        let fixture = EnclaveFixture()
        let sealed = fixture.seal([7], .ak)
        fixture.state.records[Self.first] = nil
        fixture.state.isWritable = false
        fixture.restart()
        #expect(fixture.open(sealed, .ak) == .bytes([7]))
    }

    @Test func aMissingKeybagOfAUserWithACountIsNotMadeAnew() {
        let fixture = EnclaveFixture()
        _ = fixture.passcode(.set, "right")
        let records = fixture.state.records
        fixture.state.records[Self.first] = nil
        fixture.state.records[Self.second] = nil
        fixture.restart()
        #expect(fixture.send(.status) == .failure(.stateNotWritten))
        #expect(fixture.notices.all == [.keybagMissing(user: Self.user)])
        #expect(fixture.state.records.count == 2)
        fixture.state.records = records
        fixture.restart()
        #expect(fixture.passcode(.unlock, "right") == .done)
    }

    @Test func aMissingKeybagWhoseCopyIsDamagedIsNotMadeAnew() {
        let fixture = EnclaveFixture()
        fixture.makeKeybag()
        fixture.state.records[Self.first] = nil
        fixture.state.records[Self.second]?[50] ^= 1
        let damaged = fixture.state.records
        fixture.restart()
        #expect(fixture.send(.status) == .failure(.stateNotWritten))
        #expect(fixture.state.records == damaged)
        #expect(
            fixture.notices.all == [.keybagRefused(user: Self.user, .badSignature)])
    }
}
