// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import SecretBytes

/// The storage key, and the public point to which session salts are encrypted.
struct StorageKey {
    let handle: TPMHandle
    let publicKey: P256.KeyAgreement.PublicKey

    /// Its x coordinate, 32 bytes.
    var x: [UInt8] { [UInt8](publicKey.x963Representation.dropFirst().prefix(32)) }
}

/// An object outside the TPM: its public and private areas.
struct TPMBlob: Hashable, Sendable {
    var privateArea: [UInt8]
    var publicArea: [UInt8]

    var name: [UInt8] { TPMTemplates.name(publicArea) }
}

extension TPMConnection {
    /// Creates the storage key again from the owner's seed.
    func createStorageKey() throws(TPMFailure) -> StorageKey {
        let parameters = TPMWriter.bytes { writer in
            writer.sized([0, 0, 0, 0])
            writer.sized(TPMTemplates.storageKey)
            writer.sized([])
            writer.u32(0)
        }
        var response: TPMResponse
        do throws(TPMFailure) {
            response = try runUnprotected(
                .createPrimary, [.owner], parameters, givesHandle: true)
        } catch { throw error.ofOwner }
        guard let number = response.handle else { throw .garbage }
        let publicArea = try response.parameters.sized()
        var reader = TPMReader(publicArea)
        guard try reader.raw(TPMTemplates.storageKeyHead.count) == TPMTemplates.storageKeyHead
        else { throw .garbage }
        let x = try reader.coordinate()
        let y = try reader.coordinate()
        try reader.finish()
        guard let key = try? P256.KeyAgreement.PublicKey(x963Representation: [4] + x + y) else {
            throw .garbage
        }
        return StorageKey(
            handle: TPMHandle(number, name: TPMTemplates.name(publicArea)), publicKey: key)
    }

    /// Makes an object below the storage key.
    /// - Parameters:
    ///   - template: Its public area.
    ///   - parent: The storage key.
    ///   - session: Encrypts the secret parts.
    ///   - authorization: The object's authorization value; nil: empty.
    ///   - data: The data to seal; nil: the TPM makes a key.
    /// - Returns: Its two areas.
    /// - Throws: the TPM's failure.
    func create(
        _ template: [UInt8], below parent: TPMHandle, _ session: TPMSession,
        authorization: Secret? = nil, data: Secret? = nil
    ) throws(TPMFailure) -> TPMBlob {
        let empty = Secret(SecretBytes(byteCount: 0))
        let sensitive = Secret(SecretBytes.sized([authorization ?? empty, data ?? empty]))
        let parameters = TPMWriter.bytes { writer in
            writer.sized(template)
            writer.sized([])
            writer.u32(0)
        }
        var response = try run(
            .create, [parent], TPMAuthorization(session: session), secret: sensitive, parameters)
        let privateArea = try response.parameters.sized()
        let publicArea = try response.parameters.sized()
        return TPMBlob(privateArea: privateArea, publicArea: publicArea)
    }

    /// Loads an object.
    func load(
        _ blob: TPMBlob, below parent: TPMHandle, _ session: TPMSession
    ) throws(TPMFailure) -> TPMHandle {
        let parameters = TPMWriter.bytes { writer in
            writer.sized(blob.privateArea)
            writer.sized(blob.publicArea)
        }
        var response = try run(
            .load, [parent], TPMAuthorization(session: session), parameters, givesHandle: true)
        guard let number = response.handle, try response.parameters.sized() == blob.name else {
            throw .garbage
        }
        return TPMHandle(number, name: blob.name)
    }

    /// Loads a key with which the TPM only verifies signatures.
    func loadVerifier(_ publicArea: [UInt8]) throws(TPMFailure) -> TPMHandle {
        let parameters = TPMWriter.bytes { writer in
            writer.sized([])
            writer.sized(publicArea)
            writer.u32(TPMHandle.null.number)
        }
        var response = try run(.loadExternal, [], parameters, givesHandle: true)
        let name = TPMTemplates.name(publicArea)
        guard let number = response.handle, try response.parameters.sized() == name else {
            throw .garbage
        }
        return TPMHandle(number, name: name)
    }

    /// Flushes an object or session. If it doesn't exist any more, that is no failure.
    func flush(_ number: UInt32) {
        _ = try? run(.flush, [TPMHandle(number)])
    }

    /// HMAC-SHA-256 inside the TPM.
    func authenticate(
        _ input: Secret, with key: TPMHandle, _ session: TPMSession
    ) throws(TPMFailure) -> Secret {
        let response = try run(
            .hmac, [key],
            TPMAuthorization(session: session, attributes: [.continues, .encryptsResponse]),
            secret: input, TPMWriter.bytes { $0.u16(0x000B) })
        guard let code = response.secret,
            code.bytes.byteCount == TPMKeyDerivation.digestByteCount
        else { throw .garbage }
        return code
    }

    /// The data sealed in an object; ends the session.
    func unseal(
        _ object: TPMHandle, authorization: Secret, _ session: TPMSession
    ) throws(TPMFailure) -> Secret {
        let response = try run(
            .unseal, [object],
            TPMAuthorization(
                session: session, value: authorization, attributes: .encryptsResponse))
        guard let data = response.secret else { throw .garbage }
        return data
    }
}

extension TPMReader {
    /// A coordinate of P-256, with the leading zeros that some TPMs omit.
    fileprivate mutating func coordinate() throws(TPMFailure) -> [UInt8] {
        let bytes = try sized(32)
        return [UInt8](repeating: 0, count: 32 - bytes.count) + bytes
    }
}
