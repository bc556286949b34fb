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
    /// A TPM that is absent, busy, full, silent, in lockout, killed, or says nonsense.
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
                // Not the fifteen seconds of one that nobody gave a time.
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
                // A power cut after a protected object was used costs the TPM one of its tries.
                try tpm.mustRun("dictionarylockout", "-s", "-n", "1000", "-t", "1", "-l", "1")
                // Killed before each command in turn of an operation.
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
                // What needs no passcode works.
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

        /// Another's lockout authorization is left as it is, and nothing here needs it.
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
                // connection stays, the handles don't.
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

/// Does something before a command.
final class ActingTransport: TPMTransport {
    private let inner: any TPMTransport
    private var left: Int
    private let action: () -> Void

    init(_ inner: any TPMTransport, before count: Int, _ action: @escaping () -> Void) {
        self.inner = inner
        left = count
        self.action = action
    }

    func exchange(_ command: [UInt8], deadline: Int) throws(TPMFailure) -> [UInt8] {
        if left == 0 { action() }
        left -= 1
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

/// Answers each command with a code.
final class AnsweringTransport: TPMTransport {
    private let code: UInt32

    init(_ code: UInt32) { self.code = code }

    func exchange(_ command: [UInt8], deadline: Int) throws(TPMFailure) -> [UInt8] {
        [0x80, 0x01, 0, 0, 0, 10] + (0..<4).map { UInt8(truncatingIfNeeded: code >> (24 - 8 * $0)) }
    }
}

/// Asks to be asked again, each command once.
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
