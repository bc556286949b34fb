// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveState
import EnclaveWire
import SecretBytes
import Testing

/// An enclave on real files: one file damaged at any byte costs nothing.
@Suite struct FlippedFileTests {
    private static let user: UInt32 = 7

    /// Starts an enclave on the files.
    private static func enclave(_ state: StateDirectory) throws -> Enclave {
        Enclave(
            deviceKey: try FileDeviceKey(state), state: FileState(state) { _ in },
            clock: { 1 }, notify: { _ in })
    }

    private static func status(_ enclave: inout Enclave) -> EnclaveStatus? {
        guard case .reply(let reply) = enclave.handle(.status, user: user),
            case .status(let status) = reply
        else { return nil }
        return status
    }

    private static func passcode(
        _ operation: PasscodeOperation, _ passcode: String, _ enclave: inout Enclave
    ) -> EnclaveStatusCode {
        guard case .reply(let reply) = enclave.handle(.challenge, user: user),
            case .challenge(let nonce) = reply,
            case .deferred(let job) = enclave.handle(
                EnclaveFixture.letter(
                    operation, nonce: nonce, [passcode], key: enclave.publicKey, user: user),
                user: user)
        else { return .malformed }
        let key = Cryptography.deriveByAuthenticating(
            job.passcode.bytes, using: SymmetricKey(data: job.salt))
        guard case .reply(let answer) = enclave.derivationFinished(.derived(key, .floor)) else {
            return .malformed
        }
        return answer.statusCode
    }

    @Test(arguments: ["keybag.7", "keybag.7.2"])
    func eachFlippedByteOfOneKeybagCostsNothing(name: String) throws {
        let directory = try TemporaryState()
        let state = try directory.open()
        var first = try Self.enclave(state)
        #expect(Self.passcode(.set, "right", &first) == .success)
        let uuid = Self.status(&first)?.keybagUUID
        let bytes = try #require(try state.read(name, limit: 10_000))
        for index in bytes.indices {
            var flipped = bytes
            flipped[index] ^= 1 << UInt8(index % 8)
            try state.write(name, flipped)
            var enclave = try Self.enclave(state)
            let status = Self.status(&enclave)
            #expect(status?.keybagUUID == uuid)
            #expect(status?.failedAttempts == 0)
            #expect(try state.read(name, limit: 10_000) == bytes)
            if index % 64 == 0 { #expect(Self.passcode(.unlock, "right", &enclave) == .success) }
        }
    }
}
