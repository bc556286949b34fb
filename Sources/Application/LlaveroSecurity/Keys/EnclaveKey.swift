// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import SecurityWire

/// A private key on P-256 that enclaved made and only enclaved can use. This process has only the
/// sealed form.
struct EnclaveKey: Sendable {
    /// The value of `kSecAttrTokenID`.
    static let tokenID = "com.apple.setoken"

    /// 04 ‖ X ‖ Y.
    let publicKey: [UInt8]
    /// The sealed key, which only enclaved opens.
    let sealed: [UInt8]
    /// The access group whose programs may use it.
    let accessGroup: String
    let connection: KeychainConnection

    // MARK: - As an item's data

    private static let formatVersion: UInt8 = 1

    /// The data of an item that is this key: u8 1, 65 bytes public key, sealed key.
    var data: [UInt8] { [Self.formatVersion] + publicKey + sealed }

    /// Reads an item's data; nil for data of another kind.
    init?(data: [UInt8], accessGroup: String, connection: KeychainConnection) {
        let split = 1 + KeyLimits.publicKeyByteCount
        guard data.first == Self.formatVersion, data.count > split,
            data.count <= split + KeyLimits.sealedByteCount,
            EllipticCurve.p256.isPoint([UInt8](data[1..<split]))
        else { return nil }
        publicKey = [UInt8](data[1..<split])
        sealed = [UInt8](data[split...])
        self.accessGroup = accessGroup
        self.connection = connection
    }

    // MARK: - Use

    /// Makes a key in the enclave.
    init(
        making accessibility: Accessibility, accessGroup: String?, connection: KeychainConnection
    ) throws(KeyFailure) {
        let made = try Self.asked { () throws(KeychainError) in
            try connection.makeKey(accessibility, accessGroup: accessGroup)
        }
        publicKey = made.publicKey
        sealed = made.sealed
        self.accessGroup = made.accessGroup
        self.connection = connection
    }

    /// Signs a digest in the enclave.
    /// - Returns: R ‖ S.
    func sign(_ digest: [UInt8]) throws(KeyFailure) -> Data {
        guard KeyLimits.digestByteCounts.contains(digest.count) else {
            throw KeyFailure(errSecParam, "The digest is of the wrong size.")
        }
        let signature = try Self.asked { () throws(KeychainError) in
            try connection.sign(digest: digest, sealed: sealed, accessGroup: accessGroup)
        }
        return signature.publicData
    }

    /// Agrees on a secret with the owner of a point.
    func agree(with point: [UInt8]) throws(KeyFailure) -> Secret {
        try Self.asked { () throws(KeychainError) in
            try connection.agree(publicKey: point, sealed: sealed, accessGroup: accessGroup)
        }
    }

    private static func asked<Value>(
        _ question: () throws(KeychainError) -> Value
    ) throws(KeyFailure) -> Value {
        do throws(KeychainError) { return try question() } catch {
            throw KeyFailure(error.status)
        }
    }
}

extension EnclaveKey: Hashable {
    /// Whether both are the same sealed key.
    static func == (left: EnclaveKey, right: EnclaveKey) -> Bool {
        left.publicKey == right.publicKey && left.sealed == right.sealed
            && left.accessGroup == right.accessGroup
    }

    func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }
}
