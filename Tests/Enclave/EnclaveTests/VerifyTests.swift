// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import KeychainVocabulary
import SecretBytes
import Testing

@Suite struct VerifyTests {
    private static func row(
        _ sealed: Outcome, _ protectionClass: ProtectionClass, context: UInt8 = 1
    ) -> SealedSecret {
        guard case .bytes(let bytes) = sealed else {
            return SealedSecret(
                binding: EnclaveFixture.binding(protectionClass, context), sealed: [])
        }
        return SealedSecret(
            binding: EnclaveFixture.binding(protectionClass, context), sealed: bytes)
    }

    @Test func eachRowIsToldAsOpenWouldTellIt() {
        let fixture = EnclaveFixture()
        _ = fixture.passcode(.set, "1234")
        let a = fixture.seal([1], .ak)
        let c = fixture.seal([2], .ck)
        guard case .bytes(var damaged) = c else { return }
        damaged[60] ^= 1
        let rows = [
            Self.row(a, .ak), Self.row(c, .ck), Self.row(c, .ck, context: 2),
            Self.row(.bytes(damaged), .ck), Self.row(c, .cku),
        ]
        let unlocked: [EnclaveStatusCode] = [
            .success, .success, .undecodable, .undecodable, .undecodable,
        ]
        #expect(fixture.send(.verify(rows)) == .rows(unlocked))
        #expect(fixture.send(.open(rows)) == .rows(unlocked))
        _ = fixture.send(.lock(.now))
        #expect(fixture.send(.verify(rows)) == .rows([.locked] + unlocked.dropFirst()))
    }

    @Test func withoutAPasscodeAkpuIsMissing() {
        let fixture = EnclaveFixture()
        let row = Self.row(fixture.seal([1], .dk), .akpu)
        #expect(fixture.send(.verify([row])) == .rows([.classMissing]))
    }

    @Test func noSecretLeavesTheEnclave() {
        let fixture = EnclaveFixture()
        let secret = [UInt8](repeating: 0xA5, count: 64)
        let row = Self.row(fixture.seal(secret), .ck)
        guard case .reply(let reply) = fixture.enclave.handle(.verify([row]), user: 1000) else {
            Issue.record("there is no reply")
            return
        }
        var buffer = MessageBuffer()
        reply.encode(kind: 12, requestID: 1, userID: 1000, into: &buffer)
        let message = unsafe buffer.withUnsafeBytes { unsafe [UInt8]($0) }
        #expect(message.count == EnclaveHeader.byteCount + 4)
        #expect(!message.contains(0xA5))
    }
}
