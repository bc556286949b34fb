// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveWire
import Testing

@Suite struct KeybagTests {
    private static let key = SymmetricKey(data: [UInt8](repeating: 9, count: 32))

    private static func keybag(withPasscode isPasscodeSet: Bool) -> Keybag {
        var wrapped: [ProtectionClass: [UInt8]] = [:]
        for protectionClass in Keybag.classes(withPasscode: isPasscodeSet) {
            wrapped[protectionClass] = [UInt8](repeating: protectionClass.rawValue, count: 40)
        }
        let protection = Keybag.PasscodeProtection(
            salt: [UInt8](repeating: 3, count: 32), parameters: .floor,
            sealedEntropy: [UInt8](repeating: 4, count: 60))
        return Keybag(
            uuid: [UInt8](0..<16), generation: 5, passcode: isPasscodeSet ? protection : nil,
            wrappedKeys: wrapped,
            settings: Keybag.Settings(eraseAfter: 10, graceSeconds: 300) ?? .init(), erasures: 3)
    }

    /// Signs bytes that the encoder would not write.
    private static func signed(_ content: [UInt8]) -> [UInt8] {
        content + [UInt8]("SIGN".utf8) + [0, 0, 0, 32]
            + Cryptography.authenticate(content, using: key)
    }

    private static func content(_ keybag: Keybag) -> [UInt8] {
        [UInt8](keybag.encode(signingKey: key).dropLast(40))
    }

    @Test(arguments: [false, true])
    func aKeybagComesBackAsItWasWritten(withPasscode isPasscodeSet: Bool) throws {
        let keybag = Self.keybag(withPasscode: isPasscodeSet)
        #expect(try Keybag(keybag.encode(signingKey: Self.key), signingKey: Self.key) == keybag)
    }

    @Test(arguments: [UInt8(0), 2, 255])
    func aKeybagOfAnotherVersionIsRefused(version: UInt8) {
        var content = Self.content(Self.keybag(withPasscode: true))
        content[11] = version
        #expect(throws: KeybagError.wrongValue("VERS")) {
            try Keybag(Self.signed(content), signingKey: Self.key)
        }
    }

    @Test func settingsOutsideTheirBoundsAreRefused() {
        let content = Self.content(Self.keybag(withPasscode: false))
        // The last bytes of ERAS, GRAC and ERAU.
        for (index, value, tag) in [(83, UInt8(9), "ERAS"), (95, 45, "ERAS"), (107, 2, "ERAU")] {
            var changed = content
            changed[index] = value
            #expect(throws: KeybagError.wrongValue(tag)) {
                try Keybag(Self.signed(changed), signingKey: Self.key)
            }
        }
    }

    @Test(arguments: [false, true])
    func eachFlippedByteIsRefused(withPasscode isPasscodeSet: Bool) {
        let bytes = Self.keybag(withPasscode: isPasscodeSet).encode(signingKey: Self.key)
        for index in bytes.indices {
            var flipped = bytes
            flipped[index] ^= 0x20
            #expect(throws: KeybagError.self) { try Keybag(flipped, signingKey: Self.key) }
        }
    }

    @Test(arguments: [false, true])
    func eachTruncationIsRefused(withPasscode isPasscodeSet: Bool) {
        let bytes = Self.keybag(withPasscode: isPasscodeSet).encode(signingKey: Self.key)
        for count in bytes.indices {
            let cut = [UInt8](bytes.prefix(count))
            #expect(throws: KeybagError.self) { try Keybag(cut, signingKey: Self.key) }
        }
    }

    @Test func anotherDevicesKeybagIsRefused() {
        let bytes = Self.keybag(withPasscode: true).encode(signingKey: Self.key)
        #expect(throws: KeybagError.badSignature) {
            try Keybag(bytes, signingKey: SymmetricKey(size: .bits256))
        }
    }

    @Test(arguments: [false, true])
    func signedContentThatIsCutAnywhereIsRefused(withPasscode isPasscodeSet: Bool) {
        let content = Self.content(Self.keybag(withPasscode: isPasscodeSet))
        for count in content.indices {
            let cut = Self.signed([UInt8](content.prefix(count)))
            #expect(throws: KeybagError.self) { try Keybag(cut, signingKey: Self.key) }
        }
    }

    @Test func signedContentThatIsNoKeybagIsRefused() {
        let content = Self.content(Self.keybag(withPasscode: true))
        let unknown = [UInt8]("XXXX".utf8) + [0, 0, 0, 0]
        let version = [UInt8](content.prefix(12))
        var longLength = content
        longLength[28] = 0xFF
        let cases: [(String, [UInt8])] = [
            ("nothing", []),
            ("an unknown tag first", unknown + content),
            ("an unknown tag last", content + unknown),
            ("a duplicate", version + content),
            ("a missing tag", [UInt8](content.dropFirst(12))),
            ("a length over the end", longLength),
            ("a second class entry", content + content.suffix(84)),
        ]
        for (name, content) in cases {
            #expect(throws: KeybagError.self, "\(name)") {
                try Keybag(Self.signed(content), signingKey: Self.key)
            }
        }
    }

    @Test func aFileOverTheLimitIsRefused() {
        let bytes = [UInt8](repeating: 0, count: Keybag.byteCountLimit + 1)
        #expect(throws: KeybagError.wrongByteCount(bytes.count)) {
            try Keybag(bytes, signingKey: Self.key)
        }
    }

    @Test func randomSignedContentNeverTraps() {
        for _ in 0..<5_000 {
            let content = (0..<Int.random(in: 0...300)).map { _ in UInt8.random(in: 0...255) }
            #expect(throws: KeybagError.self) {
                try Keybag(Self.signed(content), signingKey: Self.key)
            }
        }
    }

    @Test func derivationParametersOutsideTheBoundsCannotBeMade() {
        #expect(DerivationParameters(memoryKiB: 19 * 1024, passes: 2) != nil)
        #expect(DerivationParameters(memoryKiB: 19 * 1024 - 1, passes: 2) == nil)
        #expect(DerivationParameters(memoryKiB: 1024 * 1024, passes: 64) != nil)
        #expect(DerivationParameters(memoryKiB: 1024 * 1024 + 1, passes: 2) == nil)
        #expect(DerivationParameters(memoryKiB: 19 * 1024, passes: 1) == nil)
        #expect(DerivationParameters(memoryKiB: 19 * 1024, passes: 65) == nil)
    }

    /// Source: RFC 3394 §4.6, 256 bits of key data with a 256-bit key.
    @Test func keyWrapMatchesItsVector() {
        let wrappingKey = SymmetricKey(data: [UInt8](0..<32))
        let keyData: [UInt8] =
            (0..<16).map { UInt8($0) * 0x11 } + [UInt8](0..<16)
        let wrapped: [UInt8] = [
            0x28, 0xC9, 0xF4, 0x04, 0xC4, 0xB8, 0x10, 0xF4, 0xCB, 0xCC, 0xB3, 0x5C, 0xFB, 0x87,
            0xF8, 0x26, 0x3F, 0x57, 0x86, 0xE2, 0xD8, 0x0E, 0xD3, 0x26, 0xCB, 0xC7, 0xF0, 0xE7,
            0x1A, 0x99, 0xF4, 0x3B, 0xFB, 0x98, 0x8B, 0x9B, 0x7A, 0x02, 0xDD, 0x21,
        ]
        #expect(
            Cryptography.wrap(SymmetricKey(data: keyData), using: wrappingKey) == wrapped)
        let unwrapped = unsafe wrapped.withUnsafeBytes { bytes in
            unsafe Cryptography.unwrap(bytes, using: wrappingKey)
        }
        #expect(unwrapped == SymmetricKey(data: keyData))
        let wrong = unsafe wrapped.withUnsafeBytes { bytes in
            unsafe Cryptography.unwrap(bytes, using: SymmetricKey(data: keyData))
        }
        #expect(wrong == nil)
    }
}
