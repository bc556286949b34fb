// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecretBytes
import TPMClient
import TestSupport
import Testing

extension TPMTests {
    /// An attacker at the other end of the socket, or in between, without a key.
    @Suite struct Hostile {
        private static let seed: UInt64 = 0x5EED_0F_7B3
        /// The long form (`make campaign`) sets LLAVERO_TPM_CONVERSATIONS.
        static let conversationCount =
            ProcessInfo.processInfo.environment["LLAVERO_TPM_CONVERSATIONS"].flatMap(Int.init)
            ?? 4000

        /// Random replies, some of them with the header of a response: each call soon ends with an
        /// error.
        @Test func randomAnswersNeverPass() throws {
            let record = try TestTPM.run { try TPMFixture.make($0).record }
            var generator = SplitMix(state: Self.seed)
            for _ in 0..<Self.conversationCount {
                let transport = RandomTransport(generator.next())
                let connection = TPMConnection(transport, operationMilliseconds: 50)
                let device = TPMDevice(record, connection, isShared: true)
                #expect(throws: TPMFailure.self) { try device.check() }
                #expect(throws: TPMFailure.self) {
                    _ = try TPMDevice.make(
                        connection, isShared: false, mayBeHardware: true, hasCounter: true)
                }
            }
        }

        /// A real TPM whose replies are changed on their way: the result is right, or an error.
        @Test func changedAnswersAreRightOrNothing() throws {
            try TestTPM.run { tpm in
                var device: TPMDevice? = try TPMFixture.make(tpm)
                let record = try #require(device?.record)
                let made = try [TPMRegisterBinding.none, .registers(mask: 0x85)].map { binding in
                    try #require(
                        try device?.enrol(
                            TPMFixture.passcode(1), context: TPMFixture.context,
                            attemptLimit: 10_000, binding))
                }
                let mac = try #require(
                    try device?.authenticate(TPMFixture.secret([5])).array)
                device = nil
                var generator = SplitMix(state: Self.seed)
                var (right, refused) = (0, 0)
                let transport = ChangingTransport(
                    DescriptorTransport(owning: try tpm.connect()), seed: generator.next())
                for number in 0..<600 {
                    // No loaded object is reused, so that every reply is used.
                    let changed = TPMDevice(
                        record,
                        TPMConnection(transport, operationMilliseconds: TPMFixture.milliseconds),
                        isShared: false)
                    transport.begin(changing: Int(generator.next() % 20))
                    let one = made[number % 2]
                    switch TPMFixture.outcome(changed, 1, one.sealed) {
                    case .success(let entropy):
                        right += 1
                        #expect(entropy == one.opened.entropy.array)
                    case .failure: refused += 1
                    }
                    if let tangled = try? changed.authenticate(TPMFixture.secret([5])) {
                        #expect(tangled.array == mac)
                    }
                }
                #expect(refused > 100)
                #expect(right > 10)
            }
        }
    }
}

/// Numbers determined by a seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// Replies with invalid data, some of it with a valid start.
final class RandomTransport: TPMTransport {
    private var generator: SplitMix

    init(_ seed: UInt64) { generator = SplitMix(state: seed) }

    func exchange(_ command: [UInt8], deadline: Int) throws(TPMFailure) -> [UInt8] {
        let count = Int(generator.next() % 400)
        var bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        guard generator.next() % 4 != 0, count >= 10 else { return bytes }
        let isSession = command[1] == 2
        bytes[0] = 0x80
        bytes[1] = isSession ? 2 : 1
        bytes[2] = 0
        bytes[3] = 0
        bytes[4] = UInt8(count >> 8)
        bytes[5] = UInt8(count & 255)
        for index in 6..<10 { bytes[index] = 0 }
        // Byte counts that are small enough to be plausible.
        for index in stride(from: 10, to: count, by: 2) where generator.next() % 2 == 0 {
            bytes[index] = 0
        }
        return bytes
    }
}

/// Changes one reply of a TPM.
final class ChangingTransport: TPMTransport {
    private let inner: any TPMTransport
    private var generator: SplitMix
    private var left = -1

    init(_ inner: any TPMTransport, seed: UInt64) {
        self.inner = inner
        generator = SplitMix(state: seed)
    }

    func begin(changing count: Int) { left = count }

    func exchange(_ command: [UInt8], deadline: Int) throws(TPMFailure) -> [UInt8] {
        var response = try inner.exchange(command, deadline: deadline)
        defer { left -= 1 }
        guard left == 0 else { return response }
        switch generator.next() % 4 {
        case 0:
            let index = Int(generator.next() % UInt64(response.count))
            response[index] ^= UInt8(truncatingIfNeeded: 1 << (generator.next() % 8))
        case 1:
            response.removeLast(Int(generator.next() % UInt64(response.count)))
        case 2:
            for index in response.indices.dropFirst(10) where generator.next() % 8 == 0 {
                response[index] = UInt8(truncatingIfNeeded: generator.next())
            }
        case _:
            response += (0..<Int(generator.next() % 50)).map { _ in 0 }
            response[4] = UInt8(response.count >> 8)
            response[5] = UInt8(response.count & 255)
        }
        return response
    }
}
