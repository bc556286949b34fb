// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import SecretBytes

extension TPMConnection {
    /// The purpose of a session.
    enum SessionKind: UInt8 {
        case authorization = 0
        case policy = 1
    }

    /// Starts a session whose key only the owner of the storage key's private half can know.
    func startSession(
        _ kind: SessionKind, saltedTo key: StorageKey
    ) throws(TPMFailure) -> TPMSession {
        let nonce = TPMSession.nonce()
        let ephemeral = P256.KeyAgreement.PrivateKey()
        let point = [UInt8](ephemeral.publicKey.x963Representation.dropFirst())
        guard let shared = try? ephemeral.sharedSecretFromKeyAgreement(with: key.publicKey) else {
            throw .garbage
        }
        let salt = TPMKeyDerivation.agree(shared, "SECRET", [UInt8](point[..<32]), key.x)
        let encryptedSalt = TPMWriter.bytes { writer in
            writer.sized([UInt8](point[..<32]))
            writer.sized([UInt8](point[32...]))
        }
        let parameters = TPMWriter.bytes { writer in
            writer.sized(nonce)
            writer.sized(encryptedSalt)
            writer.u8(kind.rawValue)
            writer.raw(TPMTemplates.sessionAlgorithms)
        }
        var response = try run(
            .startSession, [key.handle, .null], parameters, givesHandle: true)
        let nonceTPM = try response.parameters.sized(64)
        guard let handle = response.handle, nonceTPM.count == TPMKeyDerivation.digestByteCount
        else { throw .garbage }
        return TPMSession(
            handle: handle, key: TPMKeyDerivation.derive(salt, "ATH", nonceTPM, nonce),
            nonceTPM: nonceTPM)
    }

    /// Proves an index's authorization value to a policy session.
    func policySecret(
        _ policy: TPMSession, of index: TPMHandle, authorization: Secret, _ session: TPMSession
    ) throws(TPMFailure) {
        let parameters = TPMWriter.bytes { writer in
            for _ in 0..<3 { writer.sized([]) }
            writer.u32(0)
        }
        _ = try run(
            .policySecret, [index, TPMHandle(policy.handle)],
            TPMAuthorization(session: session, value: authorization), parameters)
    }

    /// Binds a policy session to the authorization value of the object that it is used for.
    func policyAuthValue(_ policy: TPMSession) throws(TPMFailure) {
        _ = try run(.policyAuthValue, [TPMHandle(policy.handle)])
    }

    /// Proves a signature to a policy session.
    func policySigned(
        _ policy: TPMSession, by verifier: TPMHandle, _ key: P256.Signing.PrivateKey
    ) throws(TPMFailure) {
        let signed = SHA256.hash(data: policy.nonceTPM + [0, 0, 0, 0])
        guard let signature = try? key.signature(for: signed) else { throw .garbage }
        let parameters = TPMWriter.bytes { writer in
            writer.sized(policy.nonceTPM)
            writer.sized([])
            writer.sized([])
            writer.u32(0)
            writer.raw(TPMTemplates.signature(signature))
        }
        _ = try run(.policySigned, [verifier, TPMHandle(policy.handle)], parameters)
    }
}
