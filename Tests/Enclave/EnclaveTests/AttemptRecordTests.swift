// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveState
import EnclaveWire
import Glibc
import KeychainVocabulary
import Testing

@Suite struct AttemptRecordTests {
    private static let key = SymmetricKey(data: [UInt8](repeating: 9, count: 32))
    private static let uuid = [UInt8](0..<16)
    private static let record = StateRecord.attempts(user: EnclaveFixture.user)

    private static func file(_ older: AttemptRecord, _ newer: AttemptRecord) -> [UInt8] {
        var file = older.file(uuid: uuid, key: key)
        file.replaceSubrange(
            newer.offset..<newer.offset + AttemptRecord.slotByteCount,
            with: newer.slot(uuid: uuid, key: key))
        return file
    }

    private static func read(_ file: [UInt8], uuid: [UInt8] = uuid) -> AttemptRecord? {
        AttemptRecord(file, uuid: uuid, key: key)
    }

    private static func withPasscode() -> EnclaveFixture {
        let fixture = EnclaveFixture()
        #expect(fixture.passcode(.set, "right") == .done)
        return fixture
    }

    @Test func theLaterSlotHolds() {
        for first in UInt32(1)...2 {
            let older = AttemptRecord(sequence: first, failures: 3)
            let newer = AttemptRecord(sequence: first + 1, failures: 4)
            #expect(Self.read(Self.file(older, newer)) == newer)
            #expect(Self.read(older.file(uuid: Self.uuid, key: Self.key)) == older)
        }
    }

    @Test func eachFlippedByteLeavesOneOfTheTwoCounts() {
        let older = AttemptRecord(sequence: 8, failures: 3)
        let newer = AttemptRecord(sequence: 9, failures: 4)
        let file = Self.file(older, newer)
        #expect(file.count == 1024)
        for index in file.indices {
            var flipped = file
            flipped[index] ^= 4
            let isSigned = index % 512 < 64
            let isNewer = index >= newer.offset
            #expect(Self.read(flipped) == (isSigned && isNewer ? older : newer))
        }
    }

    @Test func aSlotThatACrashToreLeavesTheCountBeforeIt() {
        let older = AttemptRecord(sequence: 8, failures: 3)
        let newer = AttemptRecord(sequence: 9, failures: 4)
        let before = Self.file(AttemptRecord(sequence: 7, failures: 2), older)
        let after = Self.file(newer, older)
        for count in 0..<512 {
            var torn = before
            torn.replaceSubrange(512..<512 + count, with: after[512..<512 + count])
            #expect([older, newer].contains(Self.read(torn)))
        }
    }

    @Test func anotherKeybagsAnotherKeysAndAShorterFileAreNone() {
        let file = AttemptRecord(sequence: 1, failures: 0).file(uuid: Self.uuid, key: Self.key)
        #expect(Self.read(file, uuid: [UInt8](1...16)) == nil)
        #expect(
            AttemptRecord(file, uuid: Self.uuid, key: SymmetricKey(size: .bits256)) == nil)
        for count in [0, 40, 512, 1023] {
            #expect(Self.read([UInt8](file.prefix(count))) == nil)
        }
        #expect(Self.read(file + [0]) == nil)
    }

    // MARK: - In use

    @Test func countingIsOneWriteInPlace() {
        let fixture = Self.withPasscode()
        let changes = fixture.state.changes.count
        #expect(fixture.passcode(.unlock, "wrong") == .failure(.wrongPasscode))
        #expect(fixture.state.overwriteCount == 1)
        #expect(fixture.passcode(.unlock, "right") == .done)
        #expect(fixture.state.overwriteCount == 3)
        #expect(fixture.state.changes.count == changes)
        #expect(fixture.state.records[Self.record]?.count == 1024)
    }

    @Test func theCountGoesOnAfterARestart() {
        let fixture = Self.withPasscode()
        for attempt in UInt32(1)...4 {
            #expect(fixture.passcode(.unlock, "wrong \(attempt)") == .failure(.wrongPasscode))
            fixture.restart()
            #expect(fixture.status()?.failedAttempts == attempt)
        }
        #expect(fixture.passcode(.unlock, "right") == .done)
        fixture.restart()
        #expect(fixture.status()?.failedAttempts == 0)
    }

    @Test func aPasscodeThatIsSetAgainStartsAtNothing() {
        let fixture = Self.withPasscode()
        for attempt in 0..<4 { _ = fixture.passcode(.unlock, "wrong \(attempt)") }
        #expect(fixture.passcode(.remove, "right") == .done)
        fixture.restart()
        #expect(fixture.passcode(.set, "next") == .done)
        fixture.restart()
        #expect(fixture.status()?.failedAttempts == 0)
        #expect(fixture.passcode(.unlock, "wrong") == .failure(.wrongPasscode))
        fixture.restart()
        #expect(fixture.status()?.failedAttempts == 1)
    }

    @Test func aCountThatCannotBeWrittenIsWrittenToTheSameSlotNextTime() {
        let fixture = Self.withPasscode()
        #expect(fixture.passcode(.unlock, "wrong") == .failure(.wrongPasscode))
        let before = fixture.state.records[Self.record]
        fixture.state.isWritable = false
        #expect(fixture.passcode(.unlock, "other") == .failure(.stateNotWritten))
        fixture.state.isWritable = true
        #expect(fixture.passcode(.unlock, "other") == .failure(.wrongPasscode))
        let after = fixture.state.records[Self.record]
        #expect(before?.prefix(512) == after?.prefix(512))
        #expect(before?.suffix(512) != after?.suffix(512))
    }

    // MARK: - Files

    @Test func aPartIsOverwrittenInItsPlace() throws {
        let directory = try TemporaryState()
        let state = try directory.open()
        #expect(try !state.overwrite("x", byteCount: 4, at: 0, [9]))
        try state.write("x", [1, 2, 3, 4])
        let open = unsafe Glibc.open("\(directory.path)/enclave/x", O_RDONLY)
        defer { close(open) }
        #expect(try state.overwrite("x", byteCount: 4, at: 2, [8, 9]))
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(unsafe Glibc.read(open, &bytes, bytes.count) == 4)
        #expect(bytes.prefix(4) == [1, 2, 8, 9])
        #expect(try !state.overwrite("x", byteCount: 5, at: 0, [7]))
        #expect(try !state.overwrite("x", byteCount: 4, at: 3, [7, 7]))
        #expect(try state.read("x", limit: 9) == [1, 2, 8, 9])
    }
}
