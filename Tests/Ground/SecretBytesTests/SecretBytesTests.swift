// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes
import Testing

@Suite struct SecretBytesTests {
    private func make(_ bytes: [UInt8]) -> SecretBytes {
        unsafe SecretBytes(byteCount: bytes.count) { unsafe $0.copyBytes(from: bytes) }
    }

    private func array(_ secret: borrowing SecretBytes) -> [UInt8] {
        unsafe secret.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    @Test func freshBytesAreZero() {
        // The block was used for another value before.
        for byteCount in [1, 31, 32, 33, 4096, 16384, 16385, 100_000] {
            do {
                var dirty = SecretBytes(byteCount: byteCount)
                unsafe dirty.withUnsafeMutableBytes { bytes in
                    for index in bytes.indices { unsafe bytes[index] = 0xAA }
                }
            }
            #expect(array(SecretBytes(byteCount: byteCount)).allSatisfy { $0 == 0 })
        }
    }

    @Test func blocksOfLiveSecretsDontOverlap() {
        var secrets: [Secret] = []
        for index in 0..<2000 {
            let count = 1 + (index * 37) % 700
            secrets.append(Secret(make([UInt8](repeating: UInt8(index % 251), count: count))))
            if index % 3 == 0 { secrets.remove(at: secrets.count / 2) }
        }
        for secret in secrets {
            let bytes = array(secret.bytes)
            #expect(Set(bytes).count == 1)
        }
    }

    @Test func emptySecretIsEmpty() {
        let secret = SecretBytes(byteCount: 0)
        #expect(secret.byteCount == 0)
        #expect(array(secret) == [])
        let isEqual = secret.isEqual(to: SecretBytes(byteCount: 0))
        #expect(isEqual)
    }

    @Test func descriptionTellsTheCountAlone() {
        #expect(make(Array("hunter2".utf8)).description == "<7 bytes>")
        #expect("\(Secret(make(Array("hunter2".utf8))))" == "<7 bytes>")
    }

    @Test func sliceAndPrefixCopy() {
        let secret = make([1, 2, 3, 4, 5])
        #expect(array(secret.prefix(2)) == [1, 2])
        #expect(array(secret.slice(1..<4)) == [2, 3, 4])
        #expect(array(secret) == [1, 2, 3, 4, 5])
    }

    @Test func equalityComparesEveryByteAndTheCount() {
        func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
            make(left).isEqual(to: make(right))
        }
        #expect(areEqual([1, 2, 3], [1, 2, 3]))
        #expect(!areEqual([1, 2, 3], [1, 2, 4]))
        #expect(!areEqual([1, 2, 3], [1, 2]))
    }

    @Test func randomBytesDiffer() {
        let first = SecretBytes.random(byteCount: 32)
        let isRepeated = first.isEqual(to: SecretBytes.random(byteCount: 32))
        #expect(!isRepeated)
        #expect(array(first).contains { $0 != 0 })
    }

    @Test func sliceBeyondTheEndTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = SecretBytes(byteCount: 4).slice(2..<5)
        }
    }
}
