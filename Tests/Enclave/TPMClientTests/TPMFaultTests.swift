// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc
import IPC
import SecretBytes
import TPMClient
import TestSupport
import Testing

extension TPMTests {
    /// A TPM that is absent, busy, full, silent, in lockout, killed, or replies with invalid data.
    @Suite struct Faults {
        private static func enrolled(
            _ body: (TestTPM, TPMRecord, [UInt8], [UInt8]) throws -> Void
        ) throws {
            try TestTPM.run { tpm in
                var device: TPMDevice? = try TPMFixture.make(tpm)
                let made = try #require(
                    try device?.enrol(
                        TPMFixture.passcode(1), context: TPMFixture.context,
                        attemptLimit: TPMFixture.limit))
                let record = try #require(device?.record)
                device = nil
                try body(tpm, record, made.sealed, made.opened.entropy.array)
            }
        }

        @Test func silentTPMCostsItsTimeAndNoMoreAndIsUsedWhenItSpeaksAgain() throws {
            try Self.enrolled { tpm, record, sealed, entropy in
                let device = try TPMFixture.use(record, tpm, milliseconds: 2000)
                try device.check()
                tpm.signal(SIGSTOP)
                let start = ContinuousClock.now
                #expect(TPMFixture.outcome(device, 1, sealed) == .failure(.timedOut))
                // Not the fifteen seconds of a TPM without a time limit.
                #expect(start.duration(to: .now) < .seconds(12))
                tpm.signal(SIGCONT)
                let again = try Waiting.value("the TPM to be used again") {
                    try? TPMFixture.outcome(device, 1, sealed).get()
                }
                #expect(again == entropy)
            }
        }

        @Test func killedTPMIsAFailureAndNothingElse() throws {
            try Self.enrolled { tpm, record, sealed, entropy in
                // A power cut after a protected object was used uses up one of the TPM's tries.
                try tpm.mustRun("dictionarylockout", "-s", "-n", "1000", "-t", "1", "-l", "1")
                // Killed before each command of an operation in turn.
                for count in 0..<18 {
                    let inner = DescriptorTransport(owning: try tpm.connect())
                    let transport = ActingTransport(inner, before: count) { tpm.stop() }
                    let device = TPMDevice(
                        record,
                        TPMConnection(transport, operationMilliseconds: TPMFixture.milliseconds),
                        isShared: false)
                    let outcome = TPMFixture.outcome(device, 1, sealed)
                    #expect(outcome == .failure(.gone) || outcome == .success(entropy))
                    tpm.stop()
                    try tpm.start()
                }
                let device = try TPMFixture.use(record, tpm)
                #expect(TPMFixture.outcome(device, 1, sealed) == .success(entropy))
            }
        }

        /// Kills the TPM before each command of an operation in turn, until there is no such
        /// command; then checks the state after its restart.
        private static func killedBeforeEachCommand<R>(
            _ tpm: TestTPM, _ record: TPMRecord,
            _ operation: (TPMDevice) throws -> R,
            judged: (TPMDevice, Result<R, any Error>) throws -> Void
        ) throws {
            // A power cut after a protected object was used uses up one of the TPM's tries.
            try tpm.mustRun("dictionarylockout", "-s", "-n", "1000", "-t", "1", "-l", "1")
            for count in 0..<64 {
                var isKilled = false
                let transport = ActingTransport(
                    DescriptorTransport(owning: try tpm.connect()), before: -1
                ) {
                    isKilled = true
                    tpm.stop()
                }
                var device: TPMDevice? = TPMDevice(
                    record,
                    TPMConnection(transport, operationMilliseconds: TPMFixture.milliseconds),
                    isShared: false)
                try device?.check()
                transport.left = count
                let outcome = Result { try operation(#require(device)) }
                transport.end()
                device = nil
                // Each command counts an attempt.
                if isKilled, count == 0 { #expect((try? outcome.get()) == nil) }
                tpm.stop()
                try tpm.start()
                device = try TPMFixture.use(record, tpm)
                try judged(#require(device), outcome)
                device = nil
                if !isKilled {
                    // The control: without a fault it works.
                    #expect((try? outcome.get()) != nil)
                    #expect(count > 0)
                    return
                }
            }
            Issue.record("An operation has no end.")
        }

        private static let number: UInt32 = 0x0181_2345

        private static func enrol(
            _ device: TPMDevice
        ) throws -> (sealed: [UInt8], entropy: [UInt8]) {
            let made = try device.enrol(
                TPMFixture.passcode(2), context: TPMFixture.context,
                attemptLimit: TPMFixture.limit, number: number)
            return (made.sealed, made.opened.entropy.array)
        }

        @Test func enrolmentOnAKilledTPMFailsOrIsWhole() throws {
            try Self.enrolled { tpm, record, sealed, entropy in
                try Self.killedBeforeEachCommand(tpm, record, Self.enrol) { device, outcome in
                    if case .success(let made) = outcome {
                        #expect(
                            TPMFixture.outcome(device, 2, made.sealed) == .success(made.entropy))
                    }
                    #expect(TPMFixture.outcome(device, 1, sealed) == .success(entropy))
                    try device.release(indexNumber: Self.number)
                }
            }
        }

        @Test func releaseOnAKilledTPMCanBeDoneAgain() throws {
            try Self.enrolled { tpm, record, sealed, entropy in
                var other = try Self.enrol(TPMFixture.use(record, tpm))
                try Self.killedBeforeEachCommand(tpm, record) {
                    try $0.release(indexNumber: Self.number)
                } judged: { device, outcome in
                    let found = TPMFixture.outcome(device, 2, other.sealed)
                    if case .success = outcome {
                        #expect(found == .failure(.replaced))
                    } else {
                        #expect(
                            found == .failure(.replaced) || found == .success(other.entropy))
                    }
                    try device.release(indexNumber: Self.number)
                    #expect(
                        TPMFixture.outcome(device, 2, other.sealed) == .failure(.replaced))
                    #expect(TPMFixture.outcome(device, 1, sealed) == .success(entropy))
                    other = try Self.enrol(device)
                }
            }
        }

        @Test func counterOnAKilledTPMStaysOrGoesUpByOne() throws {
            try TestTPM.run { tpm in
                var device: TPMDevice? = try TPMFixture.make(tpm, hasCounter: true)
                try device?.makeCounter()
                let record = try #require(device?.record)
                var last = try #require(try device?.readCounter())
                device = nil
                try Self.killedBeforeEachCommand(tpm, record) {
                    try $0.incrementCounter()
                } judged: { device, outcome in
                    let number = try device.readCounter()
                    if case .success = outcome {
                        #expect(number == last + 1)
                    } else {
                        #expect(number == last || number == last + 1)
                    }
                    last = number
                }
            }
        }

        @Test func counterThatAKilledTPMDidNotMakeIsMadeLater() throws {
            try TestTPM.run { tpm in
                let record = try TPMFixture.make(tpm, hasCounter: true).record
                try Self.killedBeforeEachCommand(tpm, record) {
                    try $0.makeCounter()
                } judged: { device, _ in
                    // The record says that its number is chosen, as after a crash.
                    try device.makeCounter()
                    let number = try device.readCounter()
                    try device.incrementCounter()
                    #expect(try device.readCounter() == number + 1)
                    try device.removeCounter()
                }
            }
        }

        /// A key beside the current one, on the same connection, as for a move.
        @Test func deviceKeyThatIsMadeOnAKilledTPMLeavesTheOneThatIsUsed() throws {
            try Self.enrolled { tpm, record, sealed, entropy in
                try Self.killedBeforeEachCommand(tpm, record) { device in
                    let made = try TPMDevice.make(
                        device.connection, isShared: false, mayBeHardware: false,
                        hasCounter: true, counterNumber: Self.number)
                    try made.makeCounter()
                    return made.record
                } judged: { device, _ in
                    #expect(TPMFixture.outcome(device, 1, sealed) == .success(entropy))
                    try device.release(indexNumber: Self.number)
                }
            }
        }

        @Test func lockoutIsToldAndEndsWithoutACountedPasscode() throws {
            try Self.enrolled { tpm, record, sealed, entropy in
                let folder = tpm.directory
                try tpm.mustRun("dictionarylockout", "-s", "-n", "3", "-t", "1000", "-l", "1000")
                try tpm.mustRun("createprimary", "-C", "o", "-G", "ecc", "-c", folder + "/parent")
                try tpm.mustRun(
                    "create", "-C", folder + "/parent", "-G", "hmac", "-p", "right", "-u",
                    folder + "/pub", "-r", folder + "/priv", "-c", folder + "/key")
                for _ in 0..<4 {
                    _ = try tpm.tool("hmac", "-c", folder + "/key", "-p", "wrong", "/dev/null")
                }
                let said = try tpm.mustRun("getcap", "properties-variable")
                #expect(said.contains("inLockout:                 1"))
                var device: TPMDevice? = try TPMFixture.use(record, tpm)
                for _ in 0..<7 {
                    let outcome = TPMFixture.outcome(try #require(device), 1, sealed)
                    #expect(outcome == .failure(.lockout))
                }
                // Operations without a passcode work.
                #expect((try? device?.authenticate(TPMFixture.secret([1]))) != nil)
                device = nil
                try tpm.mustRun("dictionarylockout", "-c")
                device = try TPMFixture.use(record, tpm)
                let outcome = TPMFixture.outcome(try #require(device), 1, sealed)
                #expect(outcome == .success(entropy))
            }
        }

        @Test func ownersAuthorizationIsNamed() throws {
            try TestTPM.run { tpm in
                try tpm.mustRun("changeauth", "-c", "o", "somebody's")
                #expect(throws: TPMFailure.ownerAuthorization) { try TPMFixture.make(tpm) }
            }
        }

        /// The lockout authorization of another program isn't changed, and nothing here needs it.
        @Test func anothersLockoutAuthorizationDoesNotMatter() throws {
            try TestTPM.run { tpm in
                try tpm.mustRun("changeauth", "-c", "l", "somebody's")
                var device: TPMDevice? = try TPMFixture.make(tpm)
                let made = try #require(
                    try device?.enrol(
                        TPMFixture.passcode(1), context: TPMFixture.context,
                        attemptLimit: TPMFixture.limit))
                let outcome = TPMFixture.outcome(try #require(device), 1, made.sealed)
                #expect(outcome == .success(made.opened.entropy.array))
                device = nil
                try tpm.mustRun("changeauth", "-c", "l", "-p", "somebody's", "")
            }
        }

        @Test func forgottenHandlesAreLoadedAnew() throws {
            try Self.enrolled { tpm, record, sealed, entropy in
                // A TPM that restarts under its client, as after a suspended machine wakes: the
                // connection stays, but the handles are lost.
                let transport = ReconnectingTransport {
                    DescriptorTransport(owning: try tpm.connect())
                }
                let device = TPMDevice(record, TPMConnection(transport), isShared: false)
                #expect(TPMFixture.outcome(device, 1, sealed) == .success(entropy))
                transport.end()
                tpm.stop()
                try tpm.start()
                #expect(TPMFixture.outcome(device, 1, sealed) == .success(entropy))
            }
        }

        @Test func busyAndFullTPMsAreToldApart() throws {
            let record = try TestTPM.run { try TPMFixture.make($0).record }
            func failure(_ code: UInt32) -> TPMFailure? {
                let transport = AnsweringTransport(code)
                let device = TPMDevice(
                    record, TPMConnection(transport, operationMilliseconds: 100), isShared: true)
                do throws(TPMFailure) { try device.check() } catch { return error }
                return nil
            }
            for code: UInt32 in [0x922, 0x908, 0x90A, 0x920] { #expect(failure(code) == .busy) }
            for code: UInt32 in 0x901...0x906 { #expect(failure(code) == .full) }
            #expect(failure(0x921) == .lockout)
            #expect(failure(0x101) == .broken)
            #expect(failure(0x1DF) == .otherDevice)
            #expect(failure(0x143) == .code(0x143))
        }

        @Test func busyTPMIsAskedAgainUntilItHasTime() throws {
            try Self.enrolled { tpm, record, sealed, entropy in
                let transport = StutteringTransport(
                    DescriptorTransport(owning: try tpm.connect()))
                let device = TPMDevice(record, TPMConnection(transport), isShared: false)
                #expect(TPMFixture.outcome(device, 1, sealed) == .success(entropy))
                #expect(transport.refusals > 10)
            }
        }
    }
}

/// Runs an action before a command.
final class ActingTransport: TPMTransport {
    private var inner: (any TPMTransport)?
    /// The number of commands before.
    var left: Int
    private let action: () -> Void

    init(_ inner: any TPMTransport, before count: Int, _ action: @escaping () -> Void) {
        self.inner = inner
        left = count
        self.action = action
    }

    /// The connection ends: a TPM serves one client at a time.
    func end() { inner = nil }

    func exchange(_ command: [UInt8], deadline: Int) throws(TPMFailure) -> [UInt8] {
        if left == 0 { action() }
        left -= 1
        guard let inner else { throw .gone }
        return try inner.exchange(command, deadline: deadline)
    }
}

/// Connects when there is no connection.
final class ReconnectingTransport: TPMTransport {
    private let connect: () throws -> DescriptorTransport
    private var inner: DescriptorTransport?

    init(_ connect: @escaping () throws -> DescriptorTransport) { self.connect = connect }

    func end() { inner = nil }

    func exchange(_ command: [UInt8], deadline: Int) throws(TPMFailure) -> [UInt8] {
        if inner == nil { inner = try? connect() }
        guard let inner else { throw .gone }
        return try inner.exchange(command, deadline: deadline)
    }
}

/// Replies to each command with a code.
final class AnsweringTransport: TPMTransport {
    private let code: UInt32

    init(_ code: UInt32) { self.code = code }

    func exchange(_ command: [UInt8], deadline: Int) throws(TPMFailure) -> [UInt8] {
        [0x80, 0x01, 0, 0, 0, 10] + (0..<4).map { UInt8(truncatingIfNeeded: code >> (24 - 8 * $0)) }
    }
}

/// Asks for a retry of each command once.
final class StutteringTransport: TPMTransport {
    private let inner: any TPMTransport
    private var last: [UInt8] = []
    private(set) var refusals = 0

    init(_ inner: any TPMTransport) { self.inner = inner }

    func exchange(_ command: [UInt8], deadline: Int) throws(TPMFailure) -> [UInt8] {
        guard last == command else {
            last = command
            refusals += 1
            return [0x80, 0x01, 0, 0, 0, 10, 0, 0, 9, 0x22]
        }
        return try inner.exchange(command, deadline: deadline)
    }
}
