// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

@Suite struct AccessControlTests {
    private static func make(
        _ flags: SecAccessControlCreateFlags,
        _ protection: CFTypeRef = kSecAttrAccessibleWhenUnlocked
    ) -> SecAccessControl? {
        SecAccessControlCreateWithFlags(kCFAllocatorDefault, protection, flags, nil)
    }

    @Test func everyAccessibilityIsTaken() {
        for code in ["ak", "ck", "dk", "aku", "cku", "dku", "akpu", "f"] {
            #expect(Self.make([], code as CFString) != nil)
        }
    }

    @Test func anotherProtectionIsRefusedWithAnError() throws {
        var error: Unmanaged<CFError>?
        let access = unsafe SecAccessControlCreateWithFlags(nil, "zz" as CFString, [], &error)
        #expect(access == nil)
        let reason = unsafe try #require(unsafe error).takeRetainedValue()
        #expect(CFErrorGetCode(reason) == CFIndex(errSecParam))
        #expect(CFErrorGetDomain(reason) as String? == NSOSStatusErrorDomain)
        #expect(Self.make([], NSNumber(value: 6)) == nil)
    }

    private static let contradictions: [SecAccessControlCreateFlags] = [
        [.or, .and, .devicePasscode], [.biometryAny, .biometryCurrentSet],
        [.userPresence, .devicePasscode], [.userPresence, .biometryAny],
        [.userPresence, .companion], [.userPresence, .or], [.userPresence, .and],
    ]

    @Test(arguments: contradictions)
    func combinationsThatContradictThemselvesAreRefused(
        _ flags: SecAccessControlCreateFlags
    ) throws {
        #expect(Self.make(flags) == nil)
        var error: Unmanaged<CFError>?
        let access = unsafe SecAccessControlCreateWithFlags(
            nil, kSecAttrAccessibleWhenUnlocked, flags, &error)
        #expect(access == nil)
        let reason = unsafe try #require(unsafe error).takeRetainedValue()
        #expect(CFErrorGetCode(reason) == CFIndex(errSecParam))
        #expect(CFErrorGetDomain(reason) as String? == NSOSStatusErrorDomain)
    }

    @Test func combinationsThatMakeSenseAreTaken() {
        #expect(Self.make([.userPresence, .applicationPassword, .privateKeyUsage]) != nil)
        #expect(Self.make([.biometryAny, .devicePasscode, .or]) != nil)
        #expect(Self.make([.biometryCurrentSet, .devicePasscode]) != nil)
        #expect(Self.make(.or) != nil)
        #expect(Self.make(SecAccessControlCreateFlags(rawValue: 1 << 20)) != nil)
    }

    @Test func equalContentMakesEqualObjects() {
        #expect(Self.make(.userPresence) == Self.make(.userPresence))
        #expect(Self.make(.userPresence)?.hash == Self.make(.userPresence)?.hash)
        #expect(Self.make(.userPresence) != Self.make(.devicePasscode))
        #expect(Self.make([]) != Self.make([], kSecAttrAccessibleAlways))
        #expect(
            Self.make([.biometryAny, .devicePasscode, .or])
                != Self.make([.biometryAny, .devicePasscode, .and]))
        #expect(
            Self.make([.biometryAny, .devicePasscode])
                == Self.make([.biometryAny, .devicePasscode, .and]))
    }

    @Test func whatAsksForTheSameIsEqual() {
        // "Or" and "and" have no effect with fewer than two constraints; unknown bits have no
        // effect.
        let unknown = SecAccessControlCreateFlags(rawValue: 1 << 20)
        for flags in [.or, .and, unknown] as [SecAccessControlCreateFlags] {
            #expect(Self.make(flags) == Self.make([]))
            #expect(Self.make(flags.union(.devicePasscode)) == Self.make(.devicePasscode))
        }
        #expect(
            Self.make([.devicePasscode, .companion])
                == Self.make([.devicePasscode, .companion, .and]))
        // Each row of the table of operations differs from the others.
        let rows: [SecAccessControlCreateFlags] = [
            [], .applicationPassword, .devicePasscode, [.devicePasscode, .applicationPassword],
            .privateKeyUsage, [.privateKeyUsage, .applicationPassword],
            [.privateKeyUsage, .devicePasscode],
            [.privateKeyUsage, .devicePasscode, .applicationPassword], .biometryAny,
            .biometryCurrentSet, .companion, .userPresence, [.devicePasscode, .companion],
            [.devicePasscode, .companion, .or],
        ]
        #expect(Set(rows.map { Self.make($0) }).count == rows.count)
    }

    @Test func aDictionaryIsTakenUnchecked() {
        let protection: NSDictionary = ["anything": 1]
        #expect(Self.make([], protection) != nil)
        #expect(Self.make([], protection) == Self.make([], protection))
        #expect(Self.make([], protection) != Self.make([], ["other": 1] as NSDictionary))
    }

    @Test func flagsHaveApplesBits() {
        let bits: [(SecAccessControlCreateFlags, UInt)] = [
            (.userPresence, 1), (.biometryAny, 2), (.touchIDAny, 2), (.biometryCurrentSet, 8),
            (.touchIDCurrentSet, 8), (.devicePasscode, 16), (.watch, 32), (.companion, 32),
            (.or, 16384), (.and, 32768), (.privateKeyUsage, 1 << 30),
            (.applicationPassword, 1 << 31),
        ]
        for (flag, raw) in bits { #expect(flag.rawValue == raw) }
    }

    @Test func itsTypeIsItsOwn() throws {
        let access = try #require(Self.make([]))
        #expect(CFGetTypeID(access) == SecAccessControlGetTypeID())
        #expect(SecAccessControlGetTypeID() != SecCertificateGetTypeID())
    }
}
