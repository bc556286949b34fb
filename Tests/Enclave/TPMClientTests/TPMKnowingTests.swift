// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes
import TPMClient
import Testing

extension TPMTests {
    /// A hostile TPM that has its keys: its replies pass every authentication.
    @Suite struct Knowing {
        private static let seed: UInt64 = 0x5EED_0F_7B4
        /// More than twice the commands of the longest operation, with all flushes.
        private static let commandLimit = 1000

        private enum Operation: CaseIterable {
            case make, check, authenticate, enrol, enrolBound, enrolAgain, open, openBound, release
            case makeCounter, renewCounter, readCounter, incrementCounter, removeCounter, registers
        }

        /// The result of an honest conversation.
        private struct Kept {
            let fake = FakeTPM(seed: seed)
            let fresh: TPMRecord
            let record: TPMRecord
            let sealed: [UInt8]
            let bound: [UInt8]
            let entropy: [[UInt8]]

            init() throws {
                let device = try TPMDevice.make(
                    TPMConnection(fake), isShared: false, mayBeHardware: true, hasCounter: true)
                fresh = device.record
                try device.makeCounter()
                record = device.record
                let made = try [TPMRegisterBinding.none, .registers(mask: 0x3FFFF)].map {
                    try device.enrol(
                        TPMFixture.passcode(1), context: TPMFixture.context, attemptLimit: 10, $0)
                }
                sealed = made[0].sealed
                bound = made[1].sealed
                entropy = made.map(\.opened.entropy.array)
            }
        }

        /// The control: the fake's replies are what the client expects, and vice versa.
        @Test func aFakeTPMThatKeepsItsWordIsBelieved() throws {
            let kept = try Kept()
            #expect(kept.fake.sealedData == kept.entropy)
            let fake = FakeTPM(copying: kept.fake, seed: 1)
            let device = TPMDevice(kept.record, TPMConnection(fake), isShared: true)
            #expect(TPMFixture.outcome(device, 1, kept.sealed) == .success(kept.entropy[0]))
            #expect(TPMFixture.outcome(device, 1, kept.bound) == .success(kept.entropy[1]))
            let count = try device.readCounter()
            try device.incrementCounter()
            #expect(try device.readCounter() == count + 1)
            #expect(fake.indexes.count == 3)
            try device.release(kept.sealed)
            try device.removeCounter()
            #expect(fake.indexes.count == 1)
            #expect(kept.fake.wrongCommandCount == 0)
            #expect(fake.wrongCommandCount == 0)
        }

        /// Authentic replies with arbitrary content: nothing traps, each operation ends, and
        /// everything that the client checks is right or refused.
        @Test func authenticAnswersAreRightOrRefused() throws {
            let kept = try Kept()
            var generator = SplitMix(state: Self.seed)
            var succeeded: [Operation: Int] = [:]
            var refused: [Operation: Int] = [:]
            for _ in 0..<Hostile.conversationCount {
                let fake = FakeTPM(copying: kept.fake, seed: generator.next())
                let hostility = Hostility(
                    seed: generator.next(), patience: Int(generator.next() % 24))
                hostility.possess(fake)
                let operation =
                    Operation.allCases[Int(generator.next() % UInt64(Operation.allCases.count))]
                let connection = TPMConnection(fake, operationMilliseconds: TPMFixture.milliseconds)
                let isShared = generator.next() % 2 == 0
                do {
                    try Self.perform(operation, connection, kept, fake, hostility, isShared)
                    succeeded[operation, default: 0] += 1
                } catch {
                    #expect(error is TPMFailure)
                    refused[operation, default: 0] += 1
                }
                #expect(connection.commandCount < Self.commandLimit)
            }
            // Each of them occurred in both ways.
            #expect(succeeded.count == Operation.allCases.count, "seed \(Self.seed)")
            #expect(refused.count == Operation.allCases.count, "seed \(Self.seed)")
        }

        private static func perform(
            _ operation: Operation, _ connection: TPMConnection, _ kept: Kept, _ fake: FakeTPM,
            _ hostility: Hostility, _ isShared: Bool
        ) throws {
            let record = operation == .makeCounter ? kept.fresh : kept.record
            let device = TPMDevice(record, connection, isShared: isShared)
            switch operation {
            case .make:
                let made = try TPMDevice.make(
                    connection, isShared: isShared, mayBeHardware: true, hasCounter: true)
                // The stored record can be read again.
                #expect(TPMRecord(made.record.bytes) == made.record)
            case .check: try device.check()
            case .authenticate:
                #expect(try device.authenticate(TPMFixture.secret([5])).array.count == 32)
            case .enrol: try enrol(device, .none, fake, hostility)
            case .enrolBound: try enrol(device, .registers(mask: 0xFF_FFFF), fake, hostility)
            case .enrolAgain: try enrol(device, .asBefore(sealed: kept.bound), fake, hostility)
            case .open: try open(device, kept.sealed, hostility)
            case .openBound: try open(device, kept.bound, hostility)
            case .release: try device.release(kept.sealed)
            case .makeCounter: try device.makeCounter()
            case .renewCounter: try device.renewCounter()
            case .readCounter: _ = try device.readCounter()
            case .incrementCounter: try device.incrementCounter()
            case .removeCounter: try device.removeCounter()
            case .registers:
                let all = try #require(TPMRegisters(mask: TPMRegisters.all))
                #expect(try connection.state(of: all).digest.count == 32)
            }
            #expect(TPMRecord(device.record.bytes) == device.record)
        }

        /// Before the value was used, the TPM had returned exactly the value that was to be sealed.
        private static func enrol(
            _ device: TPMDevice, _ binding: TPMRegisterBinding, _ fake: FakeTPM,
            _ hostility: Hostility
        ) throws {
            let made = try device.enrol(
                TPMFixture.passcode(1), context: TPMFixture.context, attemptLimit: 10, binding)
            #expect(made.opened.entropy.array == fake.sealedData.last)
            #expect(made.opened.entropy.array == hostility.unsealed)
            #expect(made.opened.tangled.array.count == 32)
            #expect(try TPMSealedEntropy(made.sealed).bytes == made.sealed)
        }

        /// The value is only as trustworthy as the TPM: the class keys show whether it is the
        /// sealed one.
        private static func open(
            _ device: TPMDevice, _ sealed: [UInt8], _ hostility: Hostility
        ) throws {
            let opened = try device.open(
                TPMFixture.passcode(1), sealed: sealed, context: TPMFixture.context)
            #expect(opened.entropy.array == hostility.unsealed)
            #expect(opened.entropy.array.count == 32)
        }
    }
}
