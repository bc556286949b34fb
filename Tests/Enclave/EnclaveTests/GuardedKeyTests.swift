// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveWire
import Foundation
import KeychainVocabulary
import Testing

/// Private keys with an access control.
@Suite struct GuardedKeyTests {
    private typealias Fixture = EnclaveFixture

    private static let digest = [UInt8](SHA256.hash(data: Data("message".utf8)))

    private static func control(
        _ constraint: AccessControl.Constraint = .owner, password: Bool = false
    ) -> AccessControl {
        AccessControl(
            protectionClass: ProtectionClass.ak.rawValue,
            operations: [
                .sign: constraint, .computeKey: constraint, .decapsulate: constraint,
                .attest: .always, .delete: .always,
            ], demandsPassword: password)
    }

    private struct Made {
        let publicKey: [UInt8]
        let key: SealedSecret

        /// What a person is asked for.
        func question(
            _ operation: AccessControl.Operation, _ scope: AccessScope = Fixture.scope()
        ) -> AccessQuestion {
            let end = 20 + Int(key.sealed[2])
            guard let control = AccessControl(decoding: key.sealed[20..<end]) else {
                preconditionFailure("the key has an access control")
            }
            return Fixture.question(
                control, scope, uuid: Array(key.sealed[4..<20]), operation: operation)
        }
    }

    private static func make(
        _ fixture: EnclaveFixture, _ control: AccessControl = control()
    ) throws -> Made {
        let binding = Fixture.binding(.ak, 1)
        let outcome = fixture.send(.access(.key(Fixture.scope(), .make(binding, control))))
        guard case .bytes(let bytes) = outcome else { throw CocoaError(.fileReadUnknown) }
        return Made(
            publicKey: Array(bytes.prefix(65)),
            key: SealedSecret(binding: binding, sealed: Array(bytes.dropFirst(65))))
    }

    private static func sign(
        _ fixture: EnclaveFixture, _ key: SealedSecret, _ scope: AccessScope = Fixture.scope()
    ) -> Outcome {
        fixture.send(.access(.key(scope, .sign(digest: digest, key: key))))
    }

    private static func fixture() -> EnclaveFixture {
        let fixture = EnclaveFixture()
        #expect(fixture.passcode(.set, "1234") == .done)
        return fixture
    }

    @Test func anApprovalIsForOneKeyAndOneOperation() throws {
        let fixture = Self.fixture()
        let made = try Self.make(fixture)
        let other = try Self.make(fixture)
        #expect(Self.sign(fixture, made.key) == .failure(.personNeeded))
        #expect(fixture.approve(made.question(.decrypt), "1234") == .done)
        #expect(Self.sign(fixture, made.key) == .failure(.personNeeded))
        #expect(fixture.approve(made.question(.sign), "1234") == .done)
        guard case .bytes(let signature) = Self.sign(fixture, made.key) else {
            Issue.record("no signature")
            return
        }
        let key = try P256.Signing.PublicKey(x963Representation: made.publicKey)
        #expect(
            key.isValidSignature(
                try P256.Signing.ECDSASignature(rawRepresentation: signature),
                for: Data("message".utf8)))
        #expect(Self.sign(fixture, other.key) == .failure(.personNeeded))
        #expect(Self.sign(fixture, made.key, Fixture.scope(8)) == .failure(.personNeeded))
        #expect(
            Self.sign(fixture, made.key, Fixture.scope(7, Fixture.otherApplication))
                == .failure(.accessRefused))
        let point = [UInt8](P256.KeyAgreement.PrivateKey().publicKey.x963Representation)
        let agreement = AccessRequest.key(
            Fixture.scope(), .agree(publicKey: point, key: made.key))
        #expect(fixture.send(.access(agreement)) == .failure(.personNeeded))
        #expect(fixture.send(.lock(.now)) == .done)
        #expect(fixture.passcode(.unlock, "1234") == .done)
        #expect(Self.sign(fixture, made.key) == .failure(.personNeeded))
    }

    @Test func anAgreementIsTheOthersToo() throws {
        let fixture = Self.fixture()
        let made = try Self.make(fixture)
        let other = P256.KeyAgreement.PrivateKey()
        #expect(fixture.approve(made.question(.computeKey), "1234") == .done)
        let agreement = AccessRequest.key(
            Fixture.scope(),
            .agree(publicKey: [UInt8](other.publicKey.x963Representation), key: made.key))
        let shared = try other.sharedSecretFromKeyAgreement(
            with: P256.KeyAgreement.PublicKey(x963Representation: made.publicKey))
        let expected = unsafe shared.withUnsafeBytes { unsafe [UInt8]($0) }
        #expect(fixture.send(.access(agreement)) == .bytes(expected))
    }

    /// As a securityd that skips its own checks would ask: by any request.
    @Test func a14NoRequestUsesOrOpensItWithoutAnApproval() throws {
        let fixture = Self.fixture()
        let made = try Self.make(fixture)
        let point = [UInt8](P256.KeyAgreement.PrivateKey().publicKey.x963Representation)
        #expect(
            fixture.send(.sign(digest: Self.digest, key: made.key)) == .failure(.personNeeded))
        #expect(
            fixture.send(.agree(publicKey: point, key: made.key)) == .failure(.personNeeded))
        for operation in AccessControl.Operation.allCases {
            #expect(fixture.approve(made.question(operation), "1234") == .done)
        }
        // Also what is approved opens no private key as if it were an item's secret.
        #expect(fixture.openGuarded(made.key) == .accessRefused)
        #expect(
            fixture.send(
                .access(
                    .rebind(
                        Fixture.scope(), made.key, to: Fixture.binding(.ak, 2),
                        uuid: Fixture.uuid, .removed))) == .failure(.accessRefused))
        // An item's secret is no key.
        let row = fixture.row(
            fixture.guarded([UInt8](repeating: 1, count: 32), Self.anything, .ak))
        #expect(Self.sign(fixture, row) == .failure(.undecodable))
    }

    /// An access control that allows everything, and so tells what the seal alone refuses.
    private static let anything = AccessControl(
        protectionClass: ProtectionClass.ak.rawValue, operations: [.fallback: .always])

    @Test func aKeyThatAllowsEverythingStillDoesNotOpen() throws {
        let fixture = Self.fixture()
        let made = try Self.make(fixture, Self.anything)
        #expect(fixture.openGuarded(made.key) == .undecodable)
        guard case .bytes = Self.sign(fixture, made.key) else {
            Issue.record("no signature")
            return
        }
    }

    @Test func a13EachFlippedByteIsRefused() throws {
        let fixture = Self.fixture()
        let made = try Self.make(fixture, Self.control(.always))
        for index in made.key.sealed.indices {
            var sealed = made.key.sealed
            sealed[index] ^= 1
            let outcome = Self.sign(
                fixture, SealedSecret(binding: made.key.binding, sealed: sealed))
            if case .bytes = outcome { Issue.record("byte \(index)") }
        }
    }

    @Test func withoutAnEntryAnOperationIsRefused() throws {
        let fixture = Self.fixture()
        let made = try Self.make(fixture, Fixture.control())
        #expect(Self.sign(fixture, made.key) == .failure(.accessRefused))
    }

    @Test func whatCannotBeBoundIsNotMade() {
        let fixture = Self.fixture()
        for constraint: AccessControl.Constraint in [.biometry, .enrolledBiometry, .companion] {
            let request = AccessRequest.key(
                Fixture.scope(), .make(Fixture.binding(.ak, 1), Self.control(constraint)))
            #expect(fixture.send(.access(request)) == .failure(.accessRefused))
        }
    }

    @Test func a12ThePasswordIsPartOfTheKey() throws {
        let fixture = EnclaveFixture()
        let control = Self.control(.always, password: true)
        let request = AccessRequest.key(
            Fixture.scope(), .make(Fixture.binding(.ak, 1), control))
        #expect(fixture.send(.access(request)) == .failure(.passwordNeeded))
        #expect(fixture.supply("word") == .done)
        let made = try Self.make(fixture, control)
        guard case .bytes = Self.sign(fixture, made.key) else {
            Issue.record("no signature")
            return
        }
        #expect(Self.sign(fixture, made.key, Fixture.scope(8)) == .failure(.passwordNeeded))
        #expect(fixture.supply("wrong", Fixture.scope(8)) == .done)
        #expect(Self.sign(fixture, made.key, Fixture.scope(8)) == .failure(.accessRefused))
    }
}
