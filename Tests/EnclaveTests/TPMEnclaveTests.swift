// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveState
import EnclaveWire
import Foundation
import SecretBytes
import TPMClient
import TestSupport
import Testing

/// The enclave on real files and a software TPM, with a clock that is put forward.
@Suite struct TPMEnclaveTests {
    private static let user: UInt32 = 7

    /// An enclave, its files and its TPM; restarted at will.
    private final class Fixture {
        let tpm: TestTPM
        let path: String
        let record: TPMRecord
        var seconds: UInt64 = 10_000
        var notices: [EnclaveNotice] = []
        private var enclave: Enclave?

        init(_ tpm: TestTPM, _ path: String) throws {
            self.tpm = tpm
            self.path = path
            record = try TPMDevice.make(
                try Self.connection(tpm), isShared: false, mayBeHardware: false, hasCounter: false
            ).record
        }

        private static func connection(_ tpm: TestTPM) throws -> TPMConnection {
            TPMConnection(
                DescriptorTransport(owning: try tpm.connect()), operationMilliseconds: 30_000)
        }

        func stop() { enclave = nil }

        func start() throws {
            stop()
            let state = try StateDirectory(statePath: path)
            let device = TPMDevice(record, try Self.connection(tpm), isShared: false)
            enclave = Enclave(
                deviceKey: TPMDeviceKey(device), state: FileState(state) { _ in },
                clock: { [unowned self] in seconds },
                notify: { [unowned self] in notices.append($0) })
        }

        func status() throws -> EnclaveStatus {
            guard case .reply(let reply)? = enclave?.handle(.status, user: user),
                case .status(let status) = reply
            else { throw TestFailure("no status") }
            return status
        }

        func passcode(
            _ operation: PasscodeOperation, _ texts: String..., settings: [UInt8] = []
        ) throws -> EnclaveStatusCode {
            guard case .reply(let reply)? = enclave?.handle(.challenge, user: user),
                case .challenge(let nonce) = reply, let key = enclave?.publicKey
            else { throw TestFailure("no challenge") }
            let parts = texts.map { EnclaveFixture.counted([UInt8]($0.utf8)) } + [settings]
            let letter = EnclaveFixture.letter(
                operation, nonce: nonce, parts: parts, key: key, user: user)
            guard let answer = enclave?.handle(letter, user: user) else {
                throw TestFailure("no enclave")
            }
            return try finish(answer)
        }

        private func finish(_ answer: consuming EnclaveAnswer) throws -> EnclaveStatusCode {
            switch consume answer {
            case .reply(let reply): return reply.statusCode
            case .deferred(let job):
                let derived = Cryptography.deriveByAuthenticating(
                    job.passcode.bytes, using: SymmetricKey(data: job.salt))
                guard let next = enclave?.derivationFinished(.derived(derived, .floor)) else {
                    throw TestFailure("no enclave")
                }
                return try finish(next)
            case .waiting: throw TestFailure("no answer")
            case .ended: throw TestFailure("it has ended")
            }
        }
    }

    private static func run(_ body: (Fixture) throws -> Void) throws {
        try TestTPM.run { tpm in
            try TemporaryDirectory.lend { path in
                let fixture = try Fixture(tpm, path)
                try fixture.start()
                #expect(try fixture.passcode(.set, "right") == .success)
                try body(fixture)
                fixture.stop()
            }
        }
    }

    @Test func x02DelaysAreThoseOfTheTableAndTheTenthIsTheLast() throws {
        try Self.run { fixture in
            let delays: [UInt32] = [0, 0, 0, 0, 60, 300, 900, 900, 3600]
            for (index, delay) in delays.enumerated() {
                #expect(try fixture.passcode(.unlock, "wrong \(index)") == .wrongPasscode)
                #expect(try fixture.status().secondsUntilNextAttempt == delay)
                if delay > 0 { #expect(try fixture.passcode(.unlock, "right") == .throttled) }
                fixture.seconds += UInt64(delay)
            }
            #expect(try fixture.passcode(.unlock, "wrong 10") == .wrongPasscode)
            fixture.seconds += 1_000_000
            #expect(try fixture.passcode(.unlock, "right") == .disabled)
            try fixture.start()
            fixture.seconds += 1_000_000
            #expect(try fixture.passcode(.unlock, "right") == .disabled)
        }
    }

    @Test func x09RightPasscodeAfterNineFailuresUnlocksAndTenMoreMayFollow() throws {
        try Self.run { fixture in
            for round in 0..<2 {
                for number in 0..<9 {
                    let outcome = try fixture.passcode(.unlock, "wrong \(round) \(number)")
                    #expect(outcome == .wrongPasscode)
                    fixture.seconds += 4000
                }
                #expect(try fixture.passcode(.unlock, "right") == .success)
                #expect(try fixture.status().failedAttempts == 0)
            }
        }
    }

    /// Every file of the enclave is put back after each wrong passcode: the TPM ends it at ten.
    @Test func x08TPMCountsOverFilesThatArePutBack() throws {
        try Self.run { fixture in
            fixture.stop()
            try TemporaryDirectory.lend { copies in
                let (ours, saved) = (fixture.path + "/enclave", copies + "/enclave")
                try FileManager.default.copyItem(atPath: ours, toPath: saved)
                for number in 0..<12 {
                    try fixture.start()
                    #expect(try fixture.status().failedAttempts == 0)
                    let outcome = try fixture.passcode(.unlock, "wrong \(number)")
                    #expect(outcome == (number < 10 ? .wrongPasscode : .disabled))
                    fixture.stop()
                    try FileManager.default.removeItem(atPath: ours)
                    try FileManager.default.copyItem(atPath: saved, toPath: ours)
                }
                try fixture.start()
                #expect(try fixture.passcode(.unlock, "right") == .disabled)
                // And the record says so from now on.
                #expect(try fixture.status().failedAttempts == 10)
                #expect(
                    fixture.notices.contains(.deviceKeyFailed(user: Self.user, .exhausted)))
            }
        }
    }

    @Test func x07TenWrongPasscodesEraseAndTheIndexGoesToo() throws {
        try Self.run { fixture in
            #expect(try fixture.passcode(.configure, "right", settings: [10, 0, 0]) == .success)
            #expect(try fixture.status().eraseAfter == 10)
            for number in 0..<10 {
                #expect(try fixture.passcode(.unlock, "wrong \(number)") == .wrongPasscode)
                fixture.seconds += 4000
            }
            let status = try fixture.status()
            #expect(status.erasures == 1 && !status.isPasscodeSet)
            #expect(try fixture.passcode(.unlock, "right") == .wrongState)
            fixture.stop()
            #expect(try fixture.tpm.indexes() == [])
        }
    }

    @Test func changedPasscodeTakesTheOldIndexAwayAndKeepsTheItemsKeys() throws {
        try Self.run { fixture in
            #expect(try fixture.passcode(.change, "right", "new") == .success)
            try fixture.start()
            #expect(try fixture.passcode(.unlock, "right") == .wrongPasscode)
            #expect(try fixture.passcode(.unlock, "new") == .success)
            #expect(try fixture.passcode(.remove, "new") == .success)
            fixture.stop()
            #expect(try fixture.tpm.indexes() == [])
        }
    }

    @Test func counterOfAFileGoesUpAndItsDamageIsSeen() throws {
        try TemporaryDirectory.lend { path in
            let state = try StateDirectory(statePath: path)
            let key = try FileDeviceKey(state)
            #expect(try key.readCounter() == 0)
            for number in UInt64(1)...3 {
                try key.incrementCounter()
                #expect(try key.readCounter() == number)
            }
            #expect(try FileDeviceKey(state).readCounter() == 3)
            let file = URL(fileURLWithPath: path + "/enclave/device.counter")
            var bytes = try Data(contentsOf: file)
            bytes[0] ^= 1
            try bytes.write(to: file)
            #expect(throws: DeviceKeyFailure.refused) { try key.readCounter() }
            #expect(throws: DeviceKeyFailure.refused) { try key.incrementCounter() }
        }
    }
}
