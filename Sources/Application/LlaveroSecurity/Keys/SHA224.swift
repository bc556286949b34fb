// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// SHA-224 (FIPS 180-4 §6.3), which swift-crypto doesn't have: the computation of SHA-256 from
/// another start, of which the first 28 bytes are kept.
///
/// It has no branch and no index that depends on the message, only on its byte count.
/// Vectors: FIPS 180-4's examples and openssl's, in `DigestTests`.
struct SHA224 {
    static let byteCount = 28
    /// The byte count of a block, which HMAC needs.
    static let blockByteCount = 64

    private var state = SIMD8<UInt32>(
        0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511,
        0x64f9_8fa7, 0xbefa_4fa4)
    private var rest = SIMD64<UInt8>()
    private var byteCount: UInt64 = 0

    /// The digest of bytes.
    static func digest(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var context = SHA224()
        unsafe context.update(bytes)
        return context.finalize()
    }

    /// Takes more of the message.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        for index in bytes.indices { append(unsafe bytes[index]) }
    }

    private mutating func append(_ byte: UInt8) {
        let position = Int(byteCount % 64)
        rest[position] = byte
        byteCount += 1
        if position == 63 { compress() }
    }

    /// The digest of all that was taken.
    consuming func finalize() -> [UInt8] {
        let bitCount = byteCount * 8
        append(0x80)
        while byteCount % 64 != 56 { append(0) }
        for shift in stride(from: 56, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
        }
        return (0..<7).flatMap { word in
            stride(from: 24, through: 0, by: -8).map {
                UInt8(truncatingIfNeeded: state[word] >> UInt32($0))
            }
        }
    }

    private mutating func compress() {
        unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
            for index in 0..<16 {
                let bytes = (0..<4).map { UInt32(rest[index * 4 + $0]) }
                unsafe schedule.initializeElement(
                    at: index, to: bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3])
            }
            for index in 16..<64 {
                let (a, b) = unsafe (schedule[index - 15], schedule[index - 2])
                let first = Self.rotated(a, 7) ^ Self.rotated(a, 18) ^ a >> 3
                let second = Self.rotated(b, 17) ^ Self.rotated(b, 19) ^ b >> 10
                unsafe schedule.initializeElement(
                    at: index, to: schedule[index - 16] &+ first &+ schedule[index - 7] &+ second)
            }
            unsafe mix(UnsafeBufferPointer(schedule))
            // The message of HMAC is a key.
            unsafe schedule.update(repeating: 0)
        }
    }

    private mutating func mix(_ schedule: UnsafeBufferPointer<UInt32>) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for round in 0..<64 {
            let sum = Self.rotated(e, 6) ^ Self.rotated(e, 11) ^ Self.rotated(e, 25)
            let choice = (e & f) ^ (~e & g)
            let first = unsafe h &+ sum &+ choice &+ Self.constants[round] &+ schedule[round]
            let other = Self.rotated(a, 2) ^ Self.rotated(a, 13) ^ Self.rotated(a, 22)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ other &+ majority)
        }
        state = state &+ SIMD8(a, b, c, d, e, f, g, h)
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    /// FIPS 180-4 §4.2.2.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1,
        0x923f_82a4, 0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
        0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786,
        0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147,
        0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
        0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
        0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a,
        0x5b9c_ca4f, 0x682e_6ff3, 0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
        0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
