// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import Glibc
import IPC
import PasscodeDeriver
import SecretBytes
import Testing

@Suite struct PasscodeDeriverTests {
    private static func job(
        _ cost: DerivationJob.Cost, _ passcode: [UInt8] = [1, 2, 3]
    ) -> DerivationJob {
        DerivationJob(
            cost: cost, salt: [UInt8](repeating: 9, count: 32),
            passcode: Secret(SecretBytes(copying: passcode)))
    }

    private static func derived(_ outcome: DerivationOutcome) -> (Secret, DerivationParameters)? {
        switch outcome {
        case .derived(let key, let parameters): (key, parameters)
        case .failed, .opened, .enrolled, .made, .refused: nil
        }
    }

    private static func derived(
        _ news: DeriverConnection.News
    ) -> (Secret, DerivationParameters)? {
        guard case .derived(let outcome) = news else { return nil }
        return derived(outcome)
    }

    @Test func calibrationStaysInItsBoundsAndTellsWhatItUsed() throws {
        let (key, parameters) = try #require(
            Self.derived(PasscodeDeriver.run(Self.job(.calibrated))))
        #expect(DerivationParameters.memoryBounds.contains(parameters.memoryKiB))
        #expect(parameters.passes == 2)
        let (again, _) = try #require(
            Self.derived(PasscodeDeriver.run(Self.job(.given(parameters)))))
        #expect(key.bytes.byteCount == 32)
        #expect(key.array == again.array)
    }

    /// Recorded from the library's own one-call form (Argon2id, version 19, one lane).
    @Test func aDerivationMatchesItsVector() throws {
        let expected: [UInt8] = [
            0x06, 0xC4, 0xD7, 0x74, 0x14, 0x9B, 0xB1, 0x94, 0x05, 0x59, 0x1B, 0xA1, 0xAD, 0x67,
            0x56, 0x61, 0xDF, 0x40, 0x95, 0xC7, 0x92, 0xD4, 0x4A, 0x59, 0xD0, 0x88, 0xAA, 0x06,
            0x21, 0x45, 0xF9, 0x4C,
        ]
        let (key, _) = try #require(Self.derived(PasscodeDeriver.run(Self.job(.given(.floor)))))
        #expect(key.array == expected)
    }

    @Test func anotherPasscodeGivesAnotherKey() throws {
        let (first, _) = try #require(
            Self.derived(PasscodeDeriver.run(Self.job(.given(.floor)))))
        let (second, _) = try #require(
            Self.derived(PasscodeDeriver.run(Self.job(.given(.floor), [1, 2, 4]))))
        #expect(first.array != second.array)
    }

    @Test func jobsAreServedOverTheSocketUntilItEnds() throws {
        let (mine, theirs) = try UnixSocket.pair()
        try NativeThread.start { PasscodeDeriver.serve(Descriptor(owning: theirs)) }
        let deriver = DeriverConnection(Descriptor(owning: mine))
        try deriver.start(Self.job(.given(.floor)))
        let (key, parameters) = try #require(Self.derived(try deriver.takeNews()))
        let (direct, _) = try #require(
            Self.derived(PasscodeDeriver.run(Self.job(.given(.floor)))))
        #expect(key.array == direct.array)
        #expect(parameters == .floor)
    }

    @Test func aJobOutsideTheBoundsEndsTheDeriver() throws {
        func job(_ cost: [UInt8], _ passcode: [UInt8]) -> [UInt8] {
            let content =
                cost + [UInt8](repeating: 9, count: 32) + [0, 0, 0, 0, 0, 0, 0, 0, 0] + passcode
            return [UInt8(content.count & 255), UInt8(content.count >> 8), 0, 0, 1] + content
        }
        // Memory 1 KiB, 1 pass, a passcode of 1 byte.
        let tooCheap = job([1, 0, 0, 0, 1, 0, 0, 0], [7])
        let tooLong = job(
            [UInt8](repeating: 0, count: 8), [UInt8](repeating: 7, count: 1025))
        for bytes in [tooCheap, tooLong] {
            let (mine, theirs) = try UnixSocket.pair()
            let socket = Descriptor(owning: mine)
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe send(socket.rawValue, bytes.baseAddress, bytes.count, 0)
            }
            #expect(count == bytes.count)
            PasscodeDeriver.serve(Descriptor(owning: theirs))
            let deriver = DeriverConnection(socket)
            #expect(throws: DeriverConnection.Gone.self) { try deriver.takeNews() }
        }
    }
}
