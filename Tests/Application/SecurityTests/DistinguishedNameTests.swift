// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

@Suite struct DistinguishedNameTests {
    private static let commonName: [UInt8] = [6, 3, 0x55, 4, 3]
    private static let unit: [UInt8] = [6, 3, 0x55, 4, 11]

    /// A relative name of one pair.
    private static func step(_ tag: UInt8, _ text: String, _ type: [UInt8] = commonName) -> [UInt8]
    {
        der(0x31, der(0x30, type, der(tag, Array(text.utf8))))
    }

    private func normalized(_ steps: [UInt8]...) -> [UInt8]? {
        DistinguishedName.normalizedContent(ofName: der(0x30, steps.flatMap { $0 }))
    }

    @Test(arguments: [
        ("abcxyzAZ09", "ABCXYZAZ09"), ("  a ", "A"), ("a  b\t\tc \td", "A B C D"), ("\ta\t", "A"),
        ("", ""), (" \t ", ""), ("a\nb", "A\nB"), ("`{@[", "`{@["), ("ä", "ä"),
    ])
    func printableStringsAreFolded(_ text: String, _ expected: String) {
        #expect(normalized(Self.step(0x13, text)) == Self.step(0x13, expected))
    }

    @Test(arguments: [
        UInt8(0x0c), 0x12, 0x14, 0x15, 0x16, 0x1a, 0x1b, 0x1c, 0x1e, 0x04, 0x93, 0x80,
    ])
    func otherValuesStayAsTheyAre(_ tag: UInt8) {
        let step = Self.step(tag, "  a  b ")
        #expect(normalized(step) == step)
    }

    @Test func aConstructedValueStaysAsItIs() {
        let step = der(0x31, der(0x30, Self.commonName, der(0x33, der(0x13, [0x61]))))
        #expect(normalized(step) == step)
    }

    @Test func theLengthsAroundAFoldedValueAreCorrected() {
        let long = String(repeating: "ab  ", count: 100)
        let folded = String(repeating: "AB ", count: 99) + "AB"
        #expect(normalized(Self.step(0x13, long)) == Self.step(0x13, folded))
        let across = String(repeating: " ", count: 300) + "a"
        #expect(normalized(Self.step(0x13, across)) == Self.step(0x13, "A"))
    }

    @Test func stepsAndPairsKeepTheirOrder() {
        let pairs = der(
            0x31, der(0x30, Self.unit, der(0x13, [0x7a])),
            der(0x30, Self.commonName, der(0x13, [0x61])))
        let folded = der(
            0x31, der(0x30, Self.unit, der(0x13, [0x5a])),
            der(0x30, Self.commonName, der(0x13, [0x41])))
        #expect(
            normalized(Self.step(0x13, "z"), pairs, Self.step(0x0c, "a"))
                == Self.step(0x13, "Z") + folded + Self.step(0x0c, "a"))
    }

    @Test func anEmptyNameHasEmptyContent() {
        #expect(DistinguishedName.normalizedContent(ofName: [0x30, 0]) == [])
        #expect(DistinguishedName.isName([0x30, 0]))
    }

    @Test func whatIsNoNameHasNone() {
        let good = Self.step(0x13, "a")
        let bad: [[UInt8]] = [
            [], [0x30], der(0x31, good), der(0x30, good) + [0], der(0x30, [0x31, 0]),
            der(0x30, good, [0x31, 0]), der(0x30, der(0x30, Self.commonName, [5, 0])),
            der(0x30, der(0x31, der(0x30, Self.commonName))), der(0x30, der(0x31, [5, 0])),
            der(0x30, der(0x31, der(0x30, Self.commonName, [5, 0], [5, 0]))),
            der(0x30, der(0x31, der(0x30, [6, 0], [5, 0]))),
            der(0x30, der(0x31, der(0x30, [6, 1, 0x80], [5, 0]))),
            der(0x30, der(0x31, der(0x30, [5, 0], Self.commonName))), good, [0x30, 0x80, 0, 0],
            [0x30, 0x81, UInt8(good.count)] + good, Array(der(0x30, good).dropLast()),
            [0x10, UInt8(good.count)] + good,
        ]
        for bytes in bad {
            #expect(DistinguishedName.normalizedContent(ofName: bytes) == nil, "\(hex(bytes))")
            #expect(!DistinguishedName.isName(bytes), "\(hex(bytes))")
        }
    }

    @Test(arguments: CertificateVector.names)
    func theNormalFormOfOpensslsNamesIsTheOneWrittenByHand(_ name: String) throws {
        let vector = try CertificateVector.named(name)
        let content = DistinguishedName.normalizedContent(ofName: vector.subject)
        #expect(content == [UInt8](vector.normalized.dropFirst(2)))
        #expect(DistinguishedName.isName(vector.subject))
        // Normalized content can be distinguished from a name, and normalizing it again changes
        // nothing.
        #expect(!DistinguishedName.isName(content ?? []))
        #expect(DistinguishedName.normalizedContent(ofName: vector.normalized) == content)
    }

    @Test func normalizingTwiceIsNormalizingOnceOfAnyName() throws {
        let seed = Mutator.seed
        print("Mutations of names: LLAVERO_MUTATION_SEED=\(seed)")
        var mutator = Mutator(seed: seed)
        let originals = CertificateVector.names.compactMap {
            CertificateVector.all[$0].map { [UInt8]($0.subject) }
        }
        var takenCount = 0
        for number in 0..<Mutator.count {
            let bytes = mutator.mutate(originals[number % originals.count], others: originals)
            guard let once = DistinguishedName.normalizedContent(ofName: bytes) else { continue }
            takenCount += 1
            let twice = DistinguishedName.normalizedContent(ofName: der(0x30, once))
            try #require(twice == once, "seed \(seed): \(hex(bytes))")
        }
        #expect(takenCount > 0)
    }
}
