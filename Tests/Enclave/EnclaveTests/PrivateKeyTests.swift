// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveWire
import Foundation
import KeychainVocabulary
import Testing

@Suite struct PrivateKeyTests {
    private struct Made {
        let publicKey: [UInt8]
        let sealed: [UInt8]
    }

    private func make(
        _ fixture: EnclaveFixture, _ keyClass: ProtectionClass = .ck, context: UInt8 = 1
    ) throws -> Made {
        let binding = EnclaveFixture.binding(keyClass, context)
        guard case .bytes(let bytes) = fixture.send(.makePrivateKey(binding)) else {
            throw CocoaError(.fileReadUnknown)
        }
        return Made(publicKey: [UInt8](bytes.prefix(65)), sealed: [UInt8](bytes.dropFirst(65)))
    }

    private func sign(
        _ fixture: EnclaveFixture, _ sealed: [UInt8], _ keyClass: ProtectionClass = .ck,
        context: UInt8 = 1, user: UInt32 = EnclaveFixture.user
    ) -> Outcome {
        let key = SealedSecret(binding: EnclaveFixture.binding(keyClass, context), sealed: sealed)
        return fixture.send(.sign(digest: Self.digest, key: key), user: user)
    }

    private static let digest = [UInt8](SHA256.hash(data: Data("message".utf8)))

    @Test func aSignatureIsThePublicKeys() throws {
        let fixture = EnclaveFixture()
        let made = try make(fixture)
        guard case .bytes(let bytes) = sign(fixture, made.sealed) else {
            Issue.record("no signature")
            return
        }
        let key = try P256.Signing.PublicKey(x963Representation: made.publicKey)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: bytes)
        #expect(key.isValidSignature(signature, for: Data("message".utf8)))
        #expect(!key.isValidSignature(signature, for: Data("massage".utf8)))
    }

    @Test func anAgreementIsTheOthersToo() throws {
        let fixture = EnclaveFixture()
        let made = try make(fixture)
        let other = P256.KeyAgreement.PrivateKey()
        let key = SealedSecret(binding: EnclaveFixture.binding(.ck, 1), sealed: made.sealed)
        let agreed = fixture.send(
            .agree(publicKey: [UInt8](other.publicKey.x963Representation), key: key))
        let shared = try other.sharedSecretFromKeyAgreement(
            with: P256.KeyAgreement.PublicKey(x963Representation: made.publicKey))
        #expect(agreed == .bytes(unsafe shared.withUnsafeBytes { unsafe [UInt8]($0) }))
        let noPoint = [UInt8](repeating: 4, count: 65)
        #expect(fixture.send(.agree(publicKey: noPoint, key: key)) == .failure(.malformed))
    }

    @Test func aSealedKeyHasTheDocumentedLayout() throws {
        let made = try make(EnclaveFixture(), .aku)
        #expect(made.sealed.prefix(4) == [1, ProtectionClass.aku.rawValue, 1, 0])
        #expect(made.sealed.count == 4 + 40 + 12 + 32 + 16)
        #expect(made.publicKey.first == 4)
    }

    @Test func noTwoKeysAreEqual() throws {
        let fixture = EnclaveFixture()
        let keys = try (0..<8).map { _ in try make(fixture).publicKey }
        #expect(Set(keys).count == 8)
    }

    /// The label separates the two kinds of sealed data: a key must not be returned as a secret.
    @Test func noRequestOpensAKey() throws {
        let fixture = EnclaveFixture()
        let made = try make(fixture)
        #expect(fixture.open(made.sealed) == .failure(.undecodable))
        let binding = EnclaveFixture.binding(.ck, 1)
        let rebound = fixture.send(.rebind(from: binding, to: binding, sealed: made.sealed))
        #expect(rebound == .failure(.undecodable))
        let row = SealedSecret(binding: binding, sealed: made.sealed)
        #expect(fixture.send(.verify([row])) == .rows([.undecodable]))
    }

    @Test func aSecretIsNoKey() {
        let fixture = EnclaveFixture()
        guard case .bytes(let sealed) = fixture.seal([UInt8](repeating: 1, count: 32)) else {
            Issue.record("nothing sealed")
            return
        }
        #expect(sign(fixture, sealed) == .failure(.undecodable))
    }

    @Test func anotherContextClassOrUserIsUndecodable() throws {
        let fixture = EnclaveFixture()
        let made = try make(fixture)
        #expect(sign(fixture, made.sealed, context: 2) == .failure(.undecodable))
        #expect(sign(fixture, made.sealed, .cku) == .failure(.undecodable))
        #expect(sign(fixture, made.sealed, user: 2) == .failure(.undecodable))
    }

    @Test func eachFlippedByteIsUndecodable() throws {
        let fixture = EnclaveFixture()
        let made = try make(fixture)
        for index in made.sealed.indices {
            var flipped = made.sealed
            flipped[index] ^= 1
            #expect(sign(fixture, flipped) == .failure(.undecodable))
        }
        for count in made.sealed.indices {
            #expect(
                sign(fixture, [UInt8](made.sealed.prefix(count))) == .failure(.undecodable))
        }
        #expect(sign(fixture, made.sealed + [0]) == .failure(.undecodable))
    }

    @Test func aLockedClassMakesAndUsesNoKey() throws {
        let fixture = EnclaveFixture()
        _ = fixture.passcode(.set, "1234")
        let (locking, staying) = (try make(fixture, .aku), try make(fixture, .dku))
        _ = fixture.send(.lock(.now))
        #expect(sign(fixture, locking.sealed, .aku) == .failure(.locked))
        guard case .bytes = sign(fixture, staying.sealed, .dku) else {
            Issue.record("A key of a class that doesn't lock is usable.")
            return
        }
        let binding = EnclaveFixture.binding(.aku, 1)
        #expect(fixture.send(.makePrivateKey(binding)) == .failure(.locked))
        _ = fixture.passcode(.unlock, "1234")
        guard case .bytes = sign(fixture, locking.sealed, .aku) else {
            Issue.record("A key is usable again after the unlock.")
            return
        }
    }

    @Test func aClassThatIsMissingMakesNoKey() {
        let fixture = EnclaveFixture()
        let binding = EnclaveFixture.binding(.akpu, 1)
        #expect(fixture.send(.makePrivateKey(binding)) == .failure(.classMissing))
    }

    @Test func aKeyOutlivesTheProcess() throws {
        let fixture = EnclaveFixture()
        let made = try make(fixture)
        fixture.restart()
        guard case .bytes = sign(fixture, made.sealed) else {
            Issue.record("A key is usable after a restart.")
            return
        }
    }
}
