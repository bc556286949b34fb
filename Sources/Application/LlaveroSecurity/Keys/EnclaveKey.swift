// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import KeychainVocabulary
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
    /// How the person is asked when a key with an access control is used.
    var asking = Asking()

    struct Asking: Sendable {
        /// What was approved; nil: each use has a context of its own.
        var context: AccessContext?
        /// Whether the person may be asked.
        var mayAsk = true
        /// The reason that the person is shown; nil is the context's.
        var prompt: String?
    }

    /// What the use of the key demands; nil for nothing. Its clear form: enclaved proves it.
    var accessControl: AccessControl? {
        let start = 20
        guard sealed.count > start, sealed[0] == 2 else { return nil }
        let end = start + (Int(sealed[2]) | Int(sealed[3]) << 8)
        return end <= sealed.count ? AccessControl(decoding: sealed[start..<end]) : nil
    }

    /// Whether its use demands what an access control says.
    func hasAccessControl(_ other: AccessControl) -> Bool {
        var own = accessControl
        own?.salt = []
        own?.enrolment = nil
        return own == other
    }

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
        making accessibility: Accessibility, _ control: AccessControl?, accessGroup: String?,
        _ context: AccessContext?, connection: KeychainConnection
    ) throws(KeyFailure) {
        let made = try Self.asked { () throws(KeychainError) in
            try connection.asking(context) { (connection, access) throws(KeychainError) in
                try connection.makeKey(
                    accessibility, accessGroup: accessGroup, control: control, access: access)
            }
        }
        publicKey = made.publicKey
        sealed = made.sealed
        self.accessGroup = made.accessGroup
        self.connection = connection
        asking.context = context
    }

    /// Signs a digest in the enclave.
    /// - Returns: R ‖ S.
    func sign(_ digest: [UInt8]) throws(KeyFailure) -> Data {
        guard KeyLimits.digestByteCounts.contains(digest.count) else {
            throw KeyFailure(errSecParam, "The digest is of the wrong size.")
        }
        let signature = try used { (connection, access) throws(KeychainError) in
            try connection.sign(
                digest: digest, sealed: sealed, accessGroup: accessGroup, access: access)
        }
        return signature.publicData
    }

    /// Agrees on a secret with the owner of a point.
    func agree(with point: [UInt8]) throws(KeyFailure) -> Secret {
        try used { (connection, access) throws(KeychainError) in
            try connection.agree(
                publicKey: point, sealed: sealed, accessGroup: accessGroup, access: access)
        }
    }

    /// The person is asked if the key demands that.
    private func used<Value>(
        _ call: (KeychainConnection, ItemAccess) throws(KeychainError) -> Value
    ) throws(KeyFailure) -> Value {
        try Self.asked { () throws(KeychainError) in
            try connection.asking(asking.context, mayAsk: asking.mayAsk) {
                (connection, access) throws(KeychainError) in
                var access = access
                if let prompt = asking.prompt { access.purpose = prompt }
                return try call(connection, access)
            }
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
