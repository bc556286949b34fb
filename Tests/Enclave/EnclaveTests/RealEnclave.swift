// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveState
import EnclaveWire
import KeychainVocabulary
import SecretBytes

/// An enclave on real files, for one user.
enum RealEnclave {
    static let user: UInt32 = 7
    /// Starts an enclave on the files.
    static func enclave(_ state: StateDirectory) throws -> Enclave {
        Enclave(
            deviceKey: try FileDeviceKey(state), state: FileState(state) { _ in },
            clock: { 1 }, notify: { _ in })
    }

    static func status(_ enclave: inout Enclave) -> EnclaveStatus? {
        guard case .reply(let reply) = enclave.handle(.status, user: user),
            case .status(let status) = reply
        else { return nil }
        return status
    }

    static func passcode(
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
}
