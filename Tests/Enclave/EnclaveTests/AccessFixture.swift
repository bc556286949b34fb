// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveWire
import KeychainVocabulary
import SecretBytes

/// Secrets with an access control, in the fixture.
extension EnclaveFixture {
    static let uuid = [UInt8](repeating: 9, count: 16)
    static let application = [UInt8](repeating: 1, count: 32)
    static let otherApplication = [UInt8](repeating: 2, count: 32)

    static func scope(_ context: UInt8 = 7, _ origin: [UInt8] = application) -> AccessScope {
        guard
            let scope = AccessScope(
                context: [UInt8](repeating: context, count: 32), origin: origin)
        else { preconditionFailure("both have 32 bytes") }
        return scope
    }

    static func control(
        _ constraint: AccessControl.Constraint = .owner, _ protectionClass: ProtectionClass = .ak,
        password: Bool = false
    ) -> AccessControl {
        AccessControl(
            protectionClass: protectionClass.rawValue,
            operations: [.decrypt: constraint, .encrypt: .always, .delete: .always],
            demandsPassword: password)
    }

    static func subject(_ control: AccessControl, _ uuid: [UInt8] = uuid) -> AccessSubject {
        guard
            let subject = AccessSubject(
                uuid: uuid, controlDigest: Array(SHA256.hash(data: control.encoded)))
        else { preconditionFailure("the sizes are right") }
        return subject
    }

    static func question(
        _ control: AccessControl, _ scope: AccessScope = scope(), uuid: [UInt8] = uuid,
        operation: AccessControl.Operation = .decrypt, purpose: String = "why"
    ) -> AccessQuestion {
        guard
            let question = AccessQuestion(
                operation: operation, scope: scope, subjects: [subject(control, uuid)],
                application: "app", purpose: purpose)
        else { preconditionFailure("one item fits") }
        return question
    }

    func guarded(
        _ secret: [UInt8], _ control: AccessControl, _ protectionClass: ProtectionClass = .ak,
        scope: AccessScope = scope(), uuid: [UInt8] = uuid
    ) -> Outcome {
        let new = GuardedSecret(
            binding: Self.binding(protectionClass, 1), uuid: uuid, control: control,
            secret: Secret(SecretBytes(copying: secret)))
        return send(.access(.seal(scope, new)))
    }

    func row(
        _ sealed: Outcome, _ protectionClass: ProtectionClass = .ak, context: UInt8 = 1
    ) -> SealedSecret {
        guard case .bytes(let bytes) = sealed else {
            return SealedSecret(binding: Self.binding(protectionClass, context), sealed: [])
        }
        return SealedSecret(binding: Self.binding(protectionClass, context), sealed: bytes)
    }

    /// Whether a guarded secret opens; why not.
    func openGuarded(_ row: SealedSecret, _ scope: AccessScope = scope()) -> EnclaveStatusCode {
        guard case .rows(let codes) = send(.access(.open(scope, [row]))), let code = codes.first
        else { return .malformed }
        return code
    }

    /// An approval by the passcode.
    func approve(
        _ question: AccessQuestion, _ passcode: String, sealing sealed: AccessQuestion? = nil,
        nonce: [UInt8]? = nil, deriving: Bool = true
    ) -> Outcome {
        let digest = Array(SHA256.hash(data: (sealed ?? question).encoded))
        guard let letter = accessLetter(.approve, passcode, digest, nonce: nonce) else {
            return .failure(.malformed)
        }
        return send(
            .access(.approve(question, letter: letter, isIdentified: true)), user: Self.user,
            deriving: deriving)
    }

    /// A password of the application.
    func supply(_ password: String, _ scope: AccessScope = scope()) -> Outcome {
        let digest = Array(SHA256.hash(data: scope.context))
        guard let letter = accessLetter(.supply, password, digest, nonce: nil) else {
            return .failure(.malformed)
        }
        return send(.access(.supply(scope, letter: letter)))
    }

    func nonce() -> [UInt8]? {
        guard case .bytes(let nonce) = send(.challenge) else { return nil }
        return nonce
    }

    func accessLetter(
        _ operation: PasscodeOperation, _ passcode: String, _ digest: [UInt8], nonce: [UInt8]?
    ) -> [UInt8]? {
        guard let nonce = nonce ?? self.nonce() else { return nil }
        var data = [operation.rawValue]
        for shift in [UInt32(0), 8, 16, 24] {
            data.append(UInt8(truncatingIfNeeded: Self.user >> shift))
        }
        let plaintext = nonce + Self.counted([UInt8](passcode.utf8)) + digest
        let sealed = Self.sealed(plaintext, data, enclave.publicKey)
        return sealed.key + sealed.ciphertext
    }
}
