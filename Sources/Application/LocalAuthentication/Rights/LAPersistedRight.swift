// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import Foundation
import Keychain
public import LlaveroSecurity

/// A saved right: it has a secret, and a key of the enclave, that open only after an approval.
///
/// Authorizing it asks for the secret. Each operation with the key is another approval, so its first
/// use asks once more.
public final class LAPersistedRight: LARight {
    let identifier: String

    init(_ identifier: String, _ requirement: LAAuthenticationRequirement) {
        self.identifier = identifier
        super.init(requirement: requirement)
    }

    /// The right's secret.
    public var secret: LASecret {
        LASecret(SavedRight(identifier: identifier), SharedContext(context.accessContext))
    }

    /// The right's key.
    public var key: LAPrivateKey {
        LAPrivateKey(SavedRight(identifier: identifier), SharedContext(context.accessContext))
    }

    override func prove(_ reason: String) async throws {
        do { _ = try await secret.rawData } catch {
            throw LAError.make(Self.code((error as NSError).code))
        }
    }

    private static func code(_ status: Int) -> LAError.Code {
        switch OSStatus(truncatingIfNeeded: status) {
        case errSecUserCanceled: .userCancel
        case errSecInteractionNotAllowed: .notInteractive
        default: .authenticationFailed
        }
    }
}

/// The secret of a saved right.
public struct LASecret: Sendable {
    private let right: SavedRight
    private let context: SharedContext

    init(_ right: SavedRight, _ context: SharedContext) {
        self.right = right
        self.context = context
    }

    /// The secret; asks the person unless the right is authorized.
    public var rawData: Data {
        get async throws {
            try await Blocking.call { [right, context] in try right.secret(context) }
        }
    }
}

/// The private key of a saved right. It stays in the enclave.
public struct LAPrivateKey: Sendable {
    private let right: SavedRight
    private let context: SharedContext

    init(_ right: SavedRight, _ context: SharedContext) {
        self.right = right
        self.context = context
    }

    /// The public half.
    public var publicKey: LAPublicKey {
        get throws {
            guard let key = SecKeyCopyPublicKey(try right.key(context)) else {
                throw SavedRight.failure(errSecItemNotFound)
            }
            return LAPublicKey(key)
        }
    }

    /// Signs data; the first time the person is asked.
    public func sign(_ data: Data, algorithm: SecKeyAlgorithm) async throws -> Data {
        try await Blocking.call { [right, context] in
            var error: Unmanaged<CFError>?
            let signature = unsafe SecKeyCreateSignature(
                try right.key(context), algorithm, data as CFData, &error)
            guard let signature else { throw unsafe SavedRight.failure(error) }
            return signature as Data
        }
    }

    /// Agrees on a secret with the owner of a public key; the first time the person is asked.
    /// - Parameters:
    ///   - publicKey: 65 bytes.
    ///   - algorithm: How the secret is made.
    /// - Returns: The secret.
    /// - Throws: what the key's use answers, as an error with its status.
    public func exchangeKeys(
        publicKey: Data, algorithm: SecKeyAlgorithm
    ) async throws -> Data {
        try await Blocking.call { [right, context] in
            let attributes: [CFString: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
                kSecAttrKeyClass: kSecAttrKeyClassPublic,
            ]
            var error: Unmanaged<CFError>?
            let other = unsafe SecKeyCreateWithData(
                publicKey as CFData, attributes as CFDictionary, &error)
            guard let other else { throw unsafe SavedRight.failure(error) }
            let agreed = unsafe SecKeyCopyKeyExchangeResult(
                try right.key(context), algorithm, other, [:] as CFDictionary, &error)
            guard let agreed else { throw unsafe SavedRight.failure(error) }
            return agreed as Data
        }
    }

    /// Whether it signs by an algorithm.
    public func canSign(using algorithm: SecKeyAlgorithm) throws -> Bool {
        SecKeyIsAlgorithmSupported(try right.key(context), .sign, algorithm)
    }
}

/// The public key of a saved right.
public struct LAPublicKey: Sendable {
    private let key: SecKey

    init(_ key: SecKey) { self.key = key }

    /// 65 bytes.
    public var bytes: Data {
        get throws {
            var error: Unmanaged<CFError>?
            guard let bytes = unsafe SecKeyCopyExternalRepresentation(key, &error) else {
                throw unsafe SavedRight.failure(error)
            }
            return bytes as Data
        }
    }

    /// Whether a signature is the key's.
    public func verify(_ data: Data, signature: Data, algorithm: SecKeyAlgorithm) -> Bool {
        SecKeyVerifySignature(key, algorithm, data as CFData, signature as CFData, nil)
    }
}
