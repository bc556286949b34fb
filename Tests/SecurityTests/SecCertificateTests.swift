// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

@Suite struct SecCertificateTests {
    private static func make(_ bytes: [UInt8]) -> SecCertificate? {
        SecCertificateCreateWithData(nil, Data(bytes) as CFData)
    }

    @Test func aSequenceThatFillsTheDataComesBackAsItIs() throws {
        let long = [0x30, 0x81, 0x80] + [UInt8](repeating: 5, count: 128)
        for bytes in [[0x30, 0x00], [0x30, 0x03, 0x02, 0x01, 0x01], long] as [[UInt8]] {
            let certificate = try #require(Self.make(bytes))
            #expect(SecCertificateCopyData(certificate) as Data == Data(bytes))
            #expect(CFGetTypeID(certificate) == SecCertificateGetTypeID())
            #expect(certificate == Self.make(bytes))
        }
    }

    @Test func whatIsNoSequenceOrDoesNotFillTheDataIsNoCertificate() {
        let refused: [[UInt8]] = [
            [], [0x30], [0x31, 0x00], [0x30, 0x01], [0x30, 0x00, 0x00], [0x30, 0x80, 0x00, 0x00],
            [0x30, 0x81, 0x02, 0x05, 0x00],
            [0x30, 0x82, 0x00, 0x80] + [UInt8](repeating: 0, count: 128),
            [0x30, 0x85, 1, 1, 1, 1, 1], [0x30, 0x84, 0xff, 0xff, 0xff, 0xff], [0x30, 0x82, 0x01],
        ]
        for bytes in refused { #expect(Self.make(bytes) == nil) }
    }
}
