// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecretBytes
import TPMClient
import TestSupport
import Testing

extension TPMTests {
    /// The device key in use.
    @Suite struct Device {
        @Test func keyIsTheSameAfterTheTPMRestartsAndAnotherOnAnotherTPM() throws {
            try TestTPM.run { tpm in
                var device: TPMDevice? = try TPMFixture.make(tpm)
                let record = try #require(device?.record)
                let input = TPMFixture.secret([1, 2, 3])
                let first = try #require(try device?.authenticate(input)).array
                #expect(first.count == 32)
                device = nil
                tpm.stop()
                try tpm.start()
                device = try TPMFixture.use(record, tpm)
                #expect(try device?.authenticate(input).array == first)
                #expect(
                    try device?.authenticate(TPMFixture.secret([1, 2, 4])).array != first)
                try TestTPM.run { other in
                    #expect(throws: TPMFailure.otherDevice) {
                        try TPMFixture.use(record, other).authenticate(input)
                    }
                    let foreign = try TPMFixture.make(other)
                    #expect(try foreign.authenticate(input).array != first)
                }
            }
        }

        @Test func softwareTPMSaysThatItIsOne() throws {
            try TestTPM.run { tpm in
                // Also if it isn't known that there can't be a chip.
                let device = try TPMDevice.make(
                    try TPMFixture.connection(tpm), isShared: false, mayBeHardware: true,
                    hasCounter: false)
                #expect(device.record.kind == .software)
            }
        }

        @Test func recordIsReadBackAndDamageIsSeen() throws {
            try TestTPM.run { tpm in
                let bytes = try TPMFixture.make(tpm, hasCounter: true).record.bytes
                #expect(TPMRecord(bytes)?.bytes == bytes)
                for index in bytes.indices {
                    var damaged = bytes
                    damaged[index] ^= 1
                    #expect(TPMRecord(damaged) == nil)
                    #expect(TPMRecord([UInt8](bytes[..<index])) == nil)
                }
                #expect(TPMRecord(bytes + [0]) == nil)
            }
        }

        // MARK: - Passcodes

        @Test func unlockIsSevenCommands() throws {
            try TestTPM.run { tpm in
                let device = try TPMFixture.make(tpm, hasCounter: true)
                try device.makeCounter()
                let made = try device.enrol(
                    TPMFixture.passcode(1), context: TPMFixture.context,
                    attemptLimit: TPMFixture.limit)
                for _ in 0..<3 {
                    let before = device.commandCount
                    let opened = TPMFixture.outcome(device, 1, made.sealed)
                    #expect(device.commandCount - before == 7)
                    #expect(opened == .success(made.opened.entropy.array))
                }
                // With the count that follows it: eight.
                let before = device.commandCount
                _ = TPMFixture.outcome(device, 1, made.sealed)
                try device.incrementCounter()
                #expect(device.commandCount - before == 8)
            }
        }

        @Test func tangleIsOneCommand() throws {
            try TestTPM.run { tpm in
                let device = try TPMFixture.make(tpm)
                try device.check()
                // As is reading a counter.
                let before = device.commandCount
                _ = try device.authenticate(TPMFixture.secret([1]))
                #expect(device.commandCount - before == 1)
            }
        }

        @Test func wrongPasscodesAreCountedInTheTPMAndTheRightOneForgetsThem() throws {
            try TestTPM.run { tpm in
                let device = try TPMFixture.make(tpm)
                let made = try device.enrol(
                    TPMFixture.passcode(1), context: TPMFixture.context,
                    attemptLimit: TPMFixture.limit)
                let right = Result<[UInt8], TPMFailure>.success(made.opened.entropy.array)
                for _ in 0..<2 {
                    for number in UInt8(2)..<6 {
                        let outcome = TPMFixture.outcome(device, number, made.sealed)
                        #expect(outcome == .failure(.wrongAuthorization))
                    }
                    #expect(TPMFixture.outcome(device, 1, made.sealed) == right)
                }
                for number in UInt8(2)..<7 {
                    let outcome = TPMFixture.outcome(device, number, made.sealed)
                    #expect(outcome == .failure(.wrongAuthorization))
                }
                // Five in a row: not even the right one is accepted, not even after a power cut.
                #expect(TPMFixture.outcome(device, 1, made.sealed) == .failure(.exhausted))
                tpm.stop()
                try tpm.start()
                let again = try TPMFixture.use(device.record, tpm)
                #expect(TPMFixture.outcome(again, 1, made.sealed) == .failure(.exhausted))
            }
        }

        @Test func sealedBytesOpenForTheirContextAlone() throws {
            try TestTPM.run { tpm in
                let device = try TPMFixture.make(tpm)
                // To the TPM another index's name is like a wrong passcode: it counts.
                let made = try device.enrol(
                    TPMFixture.passcode(1), context: TPMFixture.context, attemptLimit: 1000)
                #expect(throws: TPMFailure.wrongAuthorization) {
                    try device.open(
                        TPMFixture.passcode(1), sealed: made.sealed, context: [8])
                }
                for index in made.sealed.indices {
                    var damaged = made.sealed
                    damaged[index] ^= 1
                    let outcome = TPMFixture.outcome(device, 1, damaged)
                    #expect((try? outcome.get()) == nil, "byte \(index)")
                }
                #expect((try? TPMFixture.outcome(device, 1, made.sealed).get()) != nil)
            }
        }

        @Test func releasedBytesNeverOpenAgain() throws {
            try TestTPM.run { tpm in
                let device = try TPMFixture.make(tpm)
                let made = try device.enrol(
                    TPMFixture.passcode(1), context: TPMFixture.context,
                    attemptLimit: TPMFixture.limit)
                try device.release(made.sealed)
                #expect(TPMFixture.outcome(device, 1, made.sealed) == .failure(.replaced))
            }
        }

        @Test func enrolmentThatIsCutOffLeavesAtMostAnIndexOfAKnownNumber() throws {
            try TestTPM.run { tpm in
                var device: TPMDevice? = try TPMFixture.make(tpm)
                let record = try #require(device?.record)
                device = nil
                let number: UInt32 = 0x0181_2345
                var leavings: Set<Bool> = []
                // The connection ends after each number of commands in turn.
                for count in 0..<22 {
                    let transport = CuttingTransport(
                        DescriptorTransport(owning: try tpm.connect()), after: count)
                    let failing = TPMDevice(
                        record, TPMConnection(transport, operationMilliseconds: 2000),
                        isShared: false)
                    _ = try? failing.enrol(
                        TPMFixture.passcode(1), context: TPMFixture.context,
                        attemptLimit: TPMFixture.limit, number: number)
                    transport.end()
                    let left = try tpm.indexes().map { UInt32($0.dropFirst(2), radix: 16) }
                    #expect(left == [] || left == [number], "command \(count)")
                    leavings.insert(left.isEmpty)
                    device = try TPMFixture.use(record, tpm)
                    // Whether it exists or not.
                    try device?.release(indexNumber: number)
                    device = nil
                    #expect(try tpm.indexes() == [], "command \(count)")
                }
                #expect(leavings == [true, false], "both sides of the step were met")
                // The TPM still works.
                device = try TPMFixture.use(record, tpm)
                let made = try #require(
                    try device?.enrol(
                        TPMFixture.passcode(1), context: TPMFixture.context,
                        attemptLimit: TPMFixture.limit))
                let opened = TPMFixture.outcome(try #require(device), 1, made.sealed)
                #expect(opened == .success(made.opened.entropy.array))
            }
        }

        // MARK: - Counter

        @Test func counterOnlyEverGoesUp() throws {
            try TestTPM.run { tpm in
                var device: TPMDevice? = try TPMFixture.make(tpm, hasCounter: true)
                #expect(device?.record.counterState == .chosen)
                try device?.makeCounter()
                // As after a crash between making it and storing the record.
                try device?.makeCounter()
                let record = try #require(device?.record)
                #expect(record.counterState == .made)
                let first = try #require(try device?.readCounter())
                try device?.incrementCounter()
                try device?.incrementCounter()
                #expect(try device?.readCounter() == first + 2)
                device = nil
                tpm.stop()
                try tpm.start()
                device = try TPMFixture.use(record, tpm)
                #expect(try device?.readCounter() == first + 2)
                device = nil
                // The TPM's owner deletes it: this is detected, and no number is made up.
                let number = "0x" + String(RecordParts(record).counterNumber, radix: 16)
                try tpm.mustRun("nvundefine", "-C", "o", number)
                device = try TPMFixture.use(record, tpm)
                #expect(throws: TPMFailure.replaced) { try device?.readCounter() }
                device = nil
                // Then the owner makes a new one, which starts above all earlier numbers; its value
                // isn't accepted as ours.
                try tpm.mustRun(
                    "nvdefine", "-C", "o", "-s", "8", "-a",
                    "nt=counter|ownerwrite|ownerread|authread|authwrite|no_da", number)
                try tpm.mustRun("nvincrement", "-C", "o", number)
                device = try TPMFixture.use(record, tpm)
                #expect(throws: TPMFailure.self) { try device?.readCounter() }
            }
        }

        @Test func counterIsFoundAfterACrashBeforeItsRecordWasKept() throws {
            try TestTPM.run { tpm in
                var device: TPMDevice? = try TPMFixture.make(tpm, hasCounter: true)
                let chosen = try #require(device?.record)
                try device?.makeCounter()
                device = nil
                device = try TPMFixture.use(chosen, tpm)
                try device?.makeCounter()
                #expect(device?.record.counterState == .made)
                #expect((try? device?.readCounter()) != nil)
            }
        }
    }
}

/// A connection that ends after this many commands.
final class CuttingTransport: TPMTransport {
    private var inner: (any TPMTransport)?
    private var left: Int

    init(_ inner: any TPMTransport, after count: Int) {
        self.inner = inner
        left = count
    }

    /// The connection ends: a TPM serves one client at a time.
    func end() { inner = nil }

    func exchange(_ command: [UInt8], deadline: Int) throws(TPMFailure) -> [UInt8] {
        guard left > 0, let inner else { throw .gone }
        left -= 1
        return try inner.exchange(command, deadline: deadline)
    }
}
