// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import Testing

@testable import PasswordConversion

/// Ciphers and derivations that have no other test than a whole file.
@Suite struct CipherTests {
    private func hex(_ text: String) -> [UInt8] { Base64.hexadecimal(text.utf8) ?? [] }

    /// ECRYPT's vectors of Salsa20 with 256 bits: set 1, vector 0, and set 3, vector 0.
    @Test func salsa20GivesThePublishedStream() {
        var key = [UInt8](repeating: 0, count: 32)
        key[0] = 0x80
        let first = Salsa20(key: key, nonce: [UInt8](repeating: 0, count: 8))
        #expect(
            first.block(0)
                == hex(
                    """
                    E3BE8FDD8BECA2E3EA8EF9475B29A6E7003951E1097A5C38D23B7A5FAD9F6844
                    B22C97559E2723C7CBBD3FE4FC8D9A0744652A83E72A9C461876AF4D7EF1A117
                    """))
        #expect(
            first.block(3)
                == hex(
                    """
                    57BE81F47B17D9AE7C4FF15429A73E10ACF250ED3A90A93C711308A74C6216A9
                    ED84CD126DA7F28E8ABF8BB63517E1CA98E712F4FB2E1A6AED9FDC73291FAA17
                    """))
        let second = Salsa20(
            key: (0..<32).map { UInt8($0) }, nonce: [UInt8](repeating: 0, count: 8))
        #expect(
            second.block(0)
                == hex(
                    """
                    B580F7671C76E5F7441AF87C146D6B513910DC8B4146EF1B3211CF12AF4A4B49
                    E5C874B3EF4F85E7D7ED539FFEBA73EB73E0CCA74FBD306D8AA716C7783E89AF
                    """))
    }

    /// RFC 8439 §2.4.2, whose text begins at block 1.
    @Test func chaCha20GoesOnAcrossSkippedBytes() throws {
        let key = (0..<32).map { UInt8($0) }
        let nonce = hex("000000000000004a00000000")
        var stream = try KeyStream(chaCha20: key, nonce: nonce)
        stream.skip(64)
        var text = Array("Ladies and Gentlemen of the class of '99".utf8)
        try stream.apply(to: &text)
        #expect(
            text.starts(
                with: hex("6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b")))
    }

    @Test func aStreamIsTheSameInAnyParts() throws {
        let whole = try applied([40_000])
        #expect(try applied([1, 63, 64, 65, 16_383, 16_384, 7040]) == whole)
        var skipping = KeyStream(innerSalsa20: [1])
        skipping.skip(20_000)
        var rest = [UInt8](repeating: 0, count: 20_000)
        try skipping.apply(to: &rest)
        #expect(rest == Array(whole[20_000...]))
    }

    private func applied(_ counts: [Int]) throws -> [UInt8] {
        var stream = KeyStream(innerSalsa20: [1])
        var result: [UInt8] = []
        for count in counts {
            var part = [UInt8](repeating: 0, count: count)
            try stream.apply(to: &part)
            result += part
        }
        return result
    }

    /// RFC 9106 §5.3 has a key and associated data, too; §5.1 for Argon2d.
    @Test func argon2GivesThePublishedTags() throws {
        var parameters = Argon2Parameters(
            salt: [UInt8](repeating: 2, count: 16), memoryKiB: 32, passes: 3, lanes: 4,
            secret: [UInt8](repeating: 3, count: 8), associated: [UInt8](repeating: 4, count: 12))
        let password = [UInt8](repeating: 1, count: 32)
        #expect(
            try parameters.key(password)
                == hex("0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"))
        parameters.kind = .d
        #expect(
            try parameters.key(password)
                == hex("512b391b6f1162975371d30919734294f868e3be3984f3c1a13a4db9fabe4acb"))
    }

    @Test func aDerivationOverALimitIsRefusedAtOnce() {
        func limit(_ memoryKiB: UInt64, _ passes: UInt64, _ lanes: UInt64 = 1) -> ConversionFailure?
        {
            let parameters = Argon2Parameters(
                salt: [UInt8](repeating: 2, count: 16), memoryKiB: memoryKiB, passes: passes,
                lanes: lanes)
            do throws(ConversionFailure) {
                _ = try parameters.key([1])
                return nil
            } catch { return error }
        }
        #expect(limit(1 << 20 + 1, 1) == ConversionFailure(over: .derivationMemory))
        #expect(limit(1 << 20, 17) == ConversionFailure(over: .derivationWork))
        #expect(limit(1 << 10, .max) == ConversionFailure(over: .derivationWork))
        #expect(limit(1024, 1, 65) == ConversionFailure(over: .derivationLanes))
        #expect(limit(1024, 1, 64) == nil)
        #expect(limit(8, 1, 2) == ConversionFailure(.damaged))
        #expect(limit(64, 0) == ConversionFailure(.damaged))
    }

    @Test func roundsOverALimitAreRefusedAtOnce() {
        let key = [UInt8](repeating: 0, count: 32)
        #expect(throws: ConversionFailure(over: .cipherRounds)) {
            try OtherDerivation.cipherRounds(
                key, seed: key, rounds: ConversionLimits.cipherRounds + 1)
        }
        #expect(throws: ConversionFailure(over: .hashRounds)) {
            try OtherDerivation.hashRounds(
                key, salt: key, rounds: ConversionLimits.hashRounds + 1)
        }
    }

    /// Rounds one by one, against the chain of zeros.
    @Test(arguments: [0, 1, 2, 4095, 4096, 4097])
    func cipherRoundsAreSingleEncryptions(_ rounds: Int) throws {
        let key = (0..<32).map { UInt8($0) }
        let seed = (0..<32).map { UInt8(255 - $0) }
        var halves = [Array(key[..<16]), Array(key[16...])]
        for _ in 0..<rounds {
            for half in 0..<2 {
                var chain = try AESChain(key: seed, vector: halves[half])
                halves[half] = try chain.encrypt([UInt8](repeating: 0, count: 16)[...])
            }
        }
        #expect(
            try OtherDerivation.cipherRounds(key, seed: seed, rounds: UInt64(rounds))
                == Digests.sha256(halves[0] + halves[1]))
    }

    @Test func aChainIsTheSameInAnyParts() throws {
        let key = [UInt8](repeating: 7, count: 32)
        let vector = [UInt8](repeating: 9, count: 16)
        let text = (0..<4096).map { UInt8(truncatingIfNeeded: $0) }
        var whole = try AESChain(key: key, vector: vector)
        let encrypted = try whole.encrypt(text[...])
        var parts = try AESChain(key: key, vector: vector)
        #expect(try parts.encrypt(text[..<16]) + parts.encrypt(text[16...]) == encrypted)
        var back = try AESChain(key: key, vector: vector)
        #expect(try back.decrypt(encrypted[..<48]) + back.decrypt(encrypted[48...]) == text)
    }

    // MARK: - Texts

    @Test(arguments: [0, 1, 2, 3, 4, 255, 256])
    func base64ComesBackTheSame(_ count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        #expect(Base64.decoded(Base64.encoded(bytes)) == bytes)
    }

    @Test func otherTextIsNoBase64() {
        for text in ["A", "AAA", "AA=", "A===", "AA=A", "AA==A", "A*==", "=AAA", "AAAA="] {
            #expect(Base64.decoded(text.utf8) == nil, "\(text)")
        }
        #expect(Base64.decoded("QU\nJD".utf8) == Array("ABC".utf8))
    }

    @Test func timesAreThoseOfTheCalendar() {
        #expect(Moment.parse("1970-01-01T00:00:00Z") == 0)
        #expect(Moment.parse("2024-02-29T12:34:56.789Z") == 1_709_210_096_789)
        #expect(Moment.parse("2024-02-29T12:34:56.7+02:00") == 1_709_202_896_700)
        #expect(Moment.parse("0001-01-01T00:00:00Z") == -62_135_596_800_000)
        for text in ["", "2024", "2024-13-01T00:00:00Z", "2024-02-29", "2024-02-29T12:34:56.Z"] {
            #expect(Moment.parse(text) == nil, "\(text)")
        }
        for time: Int64 in [0, -1, 1_709_210_096_789, -62_135_596_800_000, 253_402_300_799_999] {
            #expect(Moment.text(time).flatMap(Moment.parse) == time)
        }
        #expect(Moment.text(.max) == nil && Moment.text(.min) == nil)
        #expect(Moment.text(253_402_300_800_000) == nil)
    }
}
