// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import IPC
import SecretBytes

/// The nonces of passcode letters: each is good once, for one user, for 60 s.
///
/// A nonce says itself when it was made, and proves it. So nothing is kept of those that are given
/// out, and asking for more of them makes no other one stale. Of those that were used a bit is kept.
///
/// Layout, 32 bytes, little-endian: u64 serial number, u64 seconds, 16 bytes of HMAC-SHA-256 over
/// both and the user, under a key of this process.
struct PasscodeNonces: ~Copyable {
    static let seconds: UInt64 = 60
    /// The agent asks for a nonce when the person has answered, so that an approval that is held back
    /// is soon worthless.
    static let approvalSeconds: UInt64 = 10
    private static let bodyByteCount = 16
    private static let macByteCount = 16
    /// As many serial numbers are told apart; older ones are stale. To make a nonce stale within its
    /// 60 s, others would have to ask for 140,000 a second, while a call of the enclave takes some
    /// 10 µs. A bit each: 1 MiB.
    private static let window: UInt64 = 1 << 23
    private static let wordBitCount: UInt64 = 64

    private let key = SymmetricKey(size: .bits256)
    private var lastSerial: UInt64 = 0
    /// Which of the last serial numbers were used; empty until the first is.
    private var used: [UInt64] = []

    /// Makes one.
    mutating func make(user: UInt32, now: UInt64) -> [UInt8] {
        lastSerial += 1
        if !used.isEmpty { mark(lastSerial, isUsed: false) }
        var nonce: [UInt8] = []
        nonce.append(littleEndian: lastSerial)
        nonce.append(littleEndian: now)
        return nonce + mac(nonce[...], user)
    }

    /// Uses one up.
    /// - Throws: the status of a stale challenge for one that was used, is too old, or was never
    ///   made for this user.
    mutating func use(
        _ nonce: [UInt8], user: UInt32, now: UInt64, within seconds: UInt64 = seconds
    ) throws(Refusal) {
        guard nonce.count == EnclaveReply.nonceByteCount,
            Self.areEqual(
                mac(nonce.prefix(Self.bodyByteCount), user), nonce.suffix(Self.macByteCount))
        else { throw .status(.staleChallenge) }
        let serial = nonce.integer(UInt64.self, littleEndianAt: 0)
        let made = nonce.integer(UInt64.self, littleEndianAt: 8)
        guard serial <= lastSerial, lastSerial - serial < Self.window,
            now < made || now - made < seconds, !isUsed(serial)
        else { throw .status(.staleChallenge) }
        if used.isEmpty {
            used = [UInt64](repeating: 0, count: Int(Self.window / Self.wordBitCount))
        }
        mark(serial, isUsed: true)
    }

    private func isUsed(_ serial: UInt64) -> Bool {
        guard !used.isEmpty else { return false }
        let (word, bit) = Self.place(serial)
        return used[word] & bit != 0
    }

    private mutating func mark(_ serial: UInt64, isUsed: Bool) {
        let (word, bit) = Self.place(serial)
        if isUsed { used[word] |= bit } else { used[word] &= ~bit }
    }

    private static func place(_ serial: UInt64) -> (word: Int, bit: UInt64) {
        let place = serial % window
        return (Int(place / wordBitCount), 1 << (place % wordBitCount))
    }

    private func mac(_ body: ArraySlice<UInt8>, _ user: UInt32) -> [UInt8] {
        var message = Array(body)
        message.append(littleEndian: user)
        let code = HMAC<SHA256>.authenticationCode(for: message, using: key)
        return Array(code.prefix(Self.macByteCount))
    }

    /// In a time that doesn't depend on where they differ.
    private static func areEqual(_ left: [UInt8], _ right: ArraySlice<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(into: UInt8(0)) { $0 |= $1.0 ^ $1.1 } == 0
    }
}
