// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import KeychainVocabulary
import Testing

@Suite struct SealingTests {
    @Test(arguments: [0, 1, 19, 20, 21, 44, 45, 100_000])
    func aSecretComesBack(byteCount: Int) {
        let fixture = EnclaveFixture()
        let secret = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0) }
        #expect(fixture.open(fixture.seal(secret)) == .bytes(secret))
    }

    @Test func aSealedSecretHasTheDocumentedLayout() {
        let fixture = EnclaveFixture()
        guard case .bytes(let sealed) = fixture.seal([1, 2, 3], .cku) else { return }
        #expect(sealed.prefix(4) == [1, 10, 0, 0])
        #expect(sealed.count == 4 + 40 + 12 + 24 + 16)
    }

    @Test func secretsOf0To20BytesHaveOneSealedSize() {
        let fixture = EnclaveFixture()
        let sizes = (0...21).map { count -> Int in
            guard case .bytes(let sealed) = fixture.seal([UInt8](repeating: 1, count: count))
            else { return 0 }
            return sealed.count
        }
        #expect(Set(sizes.prefix(21)) == [96])
        #expect(sizes[21] == 120)
    }

    @Test func equalSecretsSealDifferently() {
        let fixture = EnclaveFixture()
        #expect(fixture.seal([1, 2, 3]) != fixture.seal([1, 2, 3]))
    }

    @Test func anotherContextClassOrUserIsUndecodable() {
        let fixture = EnclaveFixture()
        let sealed = fixture.seal([1], .ck, context: 1)
        #expect(fixture.open(sealed, .ck, context: 2) == .failure(.undecodable))
        #expect(fixture.open(sealed, .cku, context: 1) == .failure(.undecodable))
        #expect(fixture.open(sealed, .ck, context: 1, user: 2) == .failure(.undecodable))
        #expect(fixture.open(sealed, .ck, context: 1) == .bytes([1]))
    }

    @Test func eachFlippedByteIsUndecodable() {
        let fixture = EnclaveFixture()
        guard case .bytes(let sealed) = fixture.seal([1, 2, 3]) else { return }
        for index in sealed.indices {
            var flipped = sealed
            flipped[index] ^= 1
            #expect(fixture.open(flipped) == .failure(.undecodable))
        }
        for count in sealed.indices {
            #expect(fixture.open([UInt8](sealed.prefix(count))) == .failure(.undecodable))
        }
        #expect(fixture.open(sealed + [0]) == .failure(.undecodable))
    }

    @Test func aBatchTellsEachRowsStatus() {
        let fixture = EnclaveFixture()
        _ = fixture.passcode(.set, "1234")
        guard case .bytes(let good) = fixture.seal([1], .ck),
            case .bytes(let locked) = fixture.seal([2], .ak)
        else { return }
        _ = fixture.send(.lock(.now))
        let rows = [(good, ProtectionClass.ck), (locked, .ak), ([0], .dk)].map {
            SealedSecret(binding: EnclaveFixture.binding($1, 1), sealed: $0)
        }
        #expect(fixture.send(.open(rows)) == .rows([.success, .locked, .undecodable]))
    }

    @Test func rebindMovesASecretAndNothingElseOpensIt() {
        let fixture = EnclaveFixture()
        guard case .bytes(let sealed) = fixture.seal([5], .ck, context: 1) else { return }
        let moved = fixture.send(
            .rebind(
                from: EnclaveFixture.binding(.ck, 1), to: EnclaveFixture.binding(.aku, 2),
                sealed: sealed))
        #expect(fixture.open(moved, .aku, context: 2) == .bytes([5]))
        #expect(fixture.open(moved, .ck, context: 1) == .failure(.undecodable))
        #expect(
            fixture.send(
                .rebind(
                    from: EnclaveFixture.binding(.ck, 3), to: EnclaveFixture.binding(.aku, 2),
                    sealed: sealed)) == .failure(.undecodable))
        #expect(
            fixture.send(
                .rebind(
                    from: EnclaveFixture.binding(.ck, 1), to: EnclaveFixture.binding(.akpu, 2),
                    sealed: sealed)) == .failure(.classMissing))
    }

    // MARK: - Table keys

    private static func name(
        _ purpose: TableKeyPurpose = .metadata, _ protectionClass: ProtectionClass = .ck,
        generation: UInt32 = 1
    ) -> TableKeyName {
        TableKeyName(
            purpose: purpose, protectionClass: protectionClass, generation: generation)
    }

    private static func make(
        _ fixture: EnclaveFixture, _ name: TableKeyName = name()
    ) -> (wrapped: [UInt8], key: [UInt8])? {
        guard case .bytes(let bytes) = fixture.send(.makeTableKey(name)), bytes.count == 92 else {
            return nil
        }
        return ([UInt8](bytes.prefix(60)), [UInt8](bytes.suffix(32)))
    }

    @Test func aTableKeyComesBackAlsoAfterARestart() throws {
        let fixture = EnclaveFixture()
        let made = try #require(Self.make(fixture))
        fixture.restart()
        #expect(
            fixture.send(.openTableKey(Self.name(), wrapped: made.wrapped)) == .bytes(made.key))
        #expect(try #require(Self.make(fixture)).key != made.key)
    }

    @Test func aTableKeyOfAnotherNameOrUserIsUndecodable() throws {
        let fixture = EnclaveFixture()
        let made = try #require(Self.make(fixture))
        for name in [
            Self.name(.blindIndex), Self.name(.metadata, .cku), Self.name(generation: 2),
        ] {
            #expect(
                fixture.send(.openTableKey(name, wrapped: made.wrapped))
                    == .failure(.undecodable))
        }
        #expect(
            fixture.send(.openTableKey(Self.name(), wrapped: made.wrapped), user: 2)
                == .failure(.undecodable))
    }

    @Test func aTableKeyOfALockedClassIsLocked() throws {
        let fixture = EnclaveFixture()
        _ = fixture.passcode(.set, "1234")
        let made = try #require(Self.make(fixture, Self.name(.metadata, .ak)))
        _ = fixture.send(.lock(.now))
        #expect(
            fixture.send(.openTableKey(Self.name(.metadata, .ak), wrapped: made.wrapped))
                == .failure(.locked))
        #expect(fixture.send(.makeTableKey(Self.name(.metadata, .ak))) == .failure(.locked))
        #expect(Self.make(fixture, Self.name(.metadata, .ck)) != nil)
    }
}
