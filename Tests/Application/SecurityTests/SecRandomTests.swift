// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

@Suite struct SecRandomTests {
    @Test(arguments: [0, 1, 32, 256, 257, 100_000])
    func exactlyTheGivenCountIsFilled(count: Int) {
        var bytes = [UInt8](repeating: 0xa5, count: count + 8)
        #expect(unsafe SecRandomCopyBytes(kSecRandomDefault, count, &bytes) == errSecSuccess)
        #expect(bytes.suffix(8).allSatisfy { $0 == 0xa5 })
        if count >= 32 { #expect(Set(bytes.prefix(count)).count > 8) }
    }

    @Test func aNegativeCountIsRefused() {
        var byte: UInt8 = 0
        #expect(unsafe SecRandomCopyBytes(nil, -1, &byte) == errSecParam)
        #expect(byte == 0)
    }

    /// As Apple's function, which ignores it.
    @Test func anySourceIsTaken() {
        var bytes = [UInt8](repeating: 0, count: 32)
        #expect(
            unsafe SecRandomCopyBytes(OpaquePointer(bitPattern: 8), 32, &bytes) == errSecSuccess)
        #expect(Set(bytes).count > 8)
    }
}
