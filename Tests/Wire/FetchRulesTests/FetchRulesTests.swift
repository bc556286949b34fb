// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FetchRules
import Testing

/// Which addresses a value of `fetch` allows.
@Suite struct FetchRulesTests {
    private static let loopback: [UInt8] = [127, 0, 0, 1]
    private static let longLoopback = [UInt8](repeating: 0, count: 15) + [1]
    private static let mapped: [UInt8] =
        Array(repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 1]

    private func long(_ first: UInt8...) -> [UInt8] {
        first + Array(repeating: 0, count: 15 - first.count) + [1]
    }

    @Test func offAllowsNothing() throws {
        let rules = try #require(FetchRules("off"))
        #expect(rules.isOff && rules == .off)
        #expect(!rules.allows([8, 8, 8, 8]))
        #expect(!rules.allows(Self.loopback))
    }

    @Test func onAllowsPublicAddressesAlone() throws {
        let rules = try #require(FetchRules("on"))
        #expect(!rules.isOff)
        #expect(rules.allows([8, 8, 8, 8]))
        #expect(rules.allows([172, 15, 255, 255]) && rules.allows([172, 32, 0, 1]))
        #expect(rules.allows(long(0x20, 0x01, 0x48, 0x60)))
        let refused: [[UInt8]] = [
            Self.loopback, Self.longLoopback, Self.mapped, [0, 0, 0, 0], [10, 1, 2, 3],
            [100, 64, 0, 1], [169, 254, 169, 254], [172, 16, 0, 1], [172, 31, 255, 255],
            [192, 168, 1, 1], [192, 0, 2, 1], [198, 18, 0, 1], [224, 0, 0, 1],
            [255, 255, 255, 255], long(0xFE, 0x80), long(0xFC, 0), long(0xFF, 0x02),
            long(0x20, 0x02, 127, 0, 0, 1), long(0x20, 0x01, 0, 0), long(0x20, 0x01, 0x0D, 0xB8),
            long(0, 0x64, 0xFF, 0x9B), [UInt8](repeating: 0, count: 16), [], [1, 2, 3],
        ]
        for address in refused { #expect(!rules.allows(address), "\(address)") }
    }

    @Test func rangesAllowThemselves() throws {
        let rules = try #require(FetchRules("127.0.0.0/8, 2001:db8::/33 fd00::7"))
        #expect(rules.allows(Self.loopback) && rules.allows(Self.mapped))
        #expect(!rules.allows([128, 0, 0, 1]) && !rules.allows([8, 8, 8, 8]))
        #expect(rules.allows(long(0x20, 0x01, 0x0D, 0xB8, 0x7F)))
        #expect(!rules.allows(long(0x20, 0x01, 0x0D, 0xB8, 0x80)))
        #expect(rules.allows([0xFD] + Array(repeating: 0, count: 14) + [7]))
        #expect(!rules.allows([0xFD] + Array(repeating: 0, count: 14) + [8]))
        let both = try #require(FetchRules("on 10.0.0.0/8"))
        #expect(both.allows([8, 8, 8, 8]) && both.allows([10, 0, 0, 1]))
        #expect(!both.allows([192, 168, 0, 1]))
        // What a daemon is told means the same.
        #expect(FetchRules(rules.text) == rules && FetchRules(both.text) == both)
        #expect(FetchRules("::/0")?.allows(Self.longLoopback) == true)
        #expect(FetchRules("::1")?.allows(Self.longLoopback) == true)
        #expect(FetchRules("0.0.0.0/0")?.allows(Self.loopback) == true)
    }

    @Test(arguments: [
        "", " ", "yes", "ON", "on on", "on off", "off 10.0.0.0/8", "10.0.0/8", "10.0.0.0/33",
        "10.0.0.0/-1", "10.0.0.0/", "/8", "1.2.3.4/8/8", "256.0.0.1", "01.2.3.4.5", "+1.2.3.4",
        ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::",
        "g::", "::1%1", "::/129", ":1::", "1::2:", "host.example",
    ])
    func otherValuesAreRefused(_ text: String) {
        #expect(FetchRules(text) == nil)
    }
}
