// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import FuzzEntries
import Testing

/// The short form of the fuzzers (`make fuzz`): valid bytes with a few changes. A decoder that
/// traps ends the process; the printed seed reproduces the input.
@Suite struct DecoderTests {
    private static let changesPerDecoder = 20_000
    /// Chains are judged whole; BadCertificateTests change certificates of one 10,000 times, and
    /// DamagedFileTests each format of a file.
    private static let changesOfChains = 2000

    @Test(arguments: FuzzEntry.allCases)
    func changedBytesBreakNoDecoder(_ entry: FuzzEntry) {
        print("Changed bytes for \(entry): LLAVERO_MODEL_SEED=\(Trial.seed)")
        var random = SplitMix64(seed: Trial.seed)
        let seeds = entry.seeds
        #expect(!seeds.isEmpty)
        for seed in seeds { Self.run(entry, seed) }
        let slow: [FuzzEntry] = [
            .certificatePath, .ocspResponse, .revocationList, .importedFile, .passwordTable,
            .passwordJSON, .passwordArchive, .keePassFile, .keePassContent,
        ]
        let isSlow = slow.contains(entry)
        let count = isSlow ? Self.changesOfChains : Self.changesPerDecoder
        for _ in 0..<count {
            Self.run(entry, Self.changed(random.pick(seeds), random.pick(seeds), &random))
        }
    }

    private static func run(_ entry: FuzzEntry, _ data: Data) {
        unsafe data.withUnsafeBytes { unsafe entry.run($0) }
    }

    private static func changed(
        _ data: Data, _ other: Data, _ random: inout SplitMix64
    ) -> Data {
        var bytes = [UInt8](data)
        for _ in 0...random.below(4) {
            guard !bytes.isEmpty else { return Data([UInt8(random.below(256))]) }
            let place = random.below(bytes.count)
            switch random.below(7) {
            case 0: bytes[place] ^= 1 << UInt8(random.below(8))
            case 1: bytes[place] = UInt8(random.below(256))
            case 2: bytes[place] = random.pick([0, 1, 0x7F, 0x80, 0xFF])
            case 3: bytes.insert(UInt8(random.below(256)), at: place)
            case 4: bytes.remove(at: place)
            case 5: bytes.removeLast(random.below(min(bytes.count, 9)))
            default:
                let part = other.prefix(random.below(other.count + 1)).suffix(16)
                bytes.replaceSubrange(place..<min(place + part.count, bytes.count), with: part)
            }
        }
        return Data(bytes)
    }
}
