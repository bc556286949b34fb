// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Makes a ``FakeTPM`` hostile after a while: its replies are authentic, but wrong.
final class Hostility {
    private static let temporary: [UInt32] = [0x920, 0x922, 0x908, 0x90A]
    private static let codes: [UInt32] = [
        0x100, 0x101, 0x128, 0x12F, 0x14A, 0x14B, 0x14C, 0x901, 0x902, 0x906, 0x910, 0x918, 0x921,
        0x084, 0x18B, 0x28B, 0x08E, 0x98E, 0x09D, 0x09F, 0x1DF, 0x0A2, 0x9A2,
    ]

    private var generator: SplitMix
    private var patience: Int
    /// The content of the sealed object, as this TPM reported it to the client.
    private(set) var unsealed: [UInt8]?

    /// - Parameters:
    ///   - seed: Determines its behavior.
    ///   - patience: How many replies stay unchanged.
    init(seed: UInt64, patience: Int) {
        generator = SplitMix(state: seed)
        self.patience = patience
    }

    /// Makes a TPM reply so.
    func possess(_ fake: FakeTPM) {
        fake.change = { [self] code, answer in
            change(&answer)
            if code == 0x15E { unsealed = answer.secret }
        }
        fake.changeFrame = { [self] frame in changeFrame(&frame) }
    }

    private func below(_ limit: Int) -> Int { Int(generator.next() % UInt64(limit)) }

    private func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }

    private func change(_ answer: inout FakeTPM.Answer) {
        guard patience == 0 else {
            patience -= 1
            return
        }
        guard below(4) == 0 else { return }
        if answer.secret != nil, below(2) == 0 {
            answer.secret = bytes([0, 1, 31, 32, 32, 33, below(1200)][below(7)])
        } else if answer.handle != nil, below(4) == 0 {
            answer.handle = UInt32(truncatingIfNeeded: generator.next())
        } else if below(4) == 0 {
            answer.code = code()
        } else {
            answer.parameters = changed(answer.parameters)
        }
    }

    private func code() -> UInt32 {
        switch below(16) {
        case 0: Self.temporary[below(Self.temporary.count)]
        case 1...3: UInt32(truncatingIfNeeded: generator.next())
        case 4...6: UInt32(below(0xA00))
        case _: Self.codes[below(Self.codes.count)]
        }
    }

    private func changed(_ parameters: [UInt8]) -> [UInt8] {
        var changed = parameters
        switch below(7) {
        case 0: return bytes(below(400))
        // Two parts of the largest count that is read.
        case 1: return (FakeBytes.sized(bytes(1024)) + FakeBytes.sized(bytes(1024)))
        case 2: return changed + bytes(below(64))
        case 3: changed.removeLast(below(changed.count + 1))
        case 4 where changed.count >= 2:
            // A possible byte count.
            let index = below(changed.count - 1)
            let count = [0, 1, 0x0400, 0x0401, 0xFFFF, below(0x10000)][below(6)]
            changed.replaceSubrange(index...index + 1, with: FakeBytes.u16(count))
        case 5 where changed.count >= 4:
            // A possible number.
            let index = below(changed.count - 3)
            let number = [0, 1, 64, 65, 256, 257, 0xFFFF_FFFF][below(7)]
            changed.replaceSubrange(index...index + 3, with: FakeBytes.u32(number))
        case _ where !changed.isEmpty:
            changed[below(changed.count)] ^= 1 << UInt8(below(8))
        case _: return bytes(below(16))
        }
        return changed
    }

    /// Bytes that no session authenticates.
    private func changeFrame(_ frame: inout [UInt8]) {
        guard patience == 0, below(64) == 0 else { return }
        frame[below(frame.count)] ^= 1 << UInt8(below(8))
    }
}
