// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CArgon2
import ConversionWire
import Crypto
import CryptoExtras
import Glibc

/// Argon2 with parameters of a file, which are bounded before anything is computed.
struct Argon2Parameters {
    enum Kind {
        case d
        case id
    }

    static let keyByteCount = 32
    private static let saltByteCounts = 8...1024
    private static let versions: Set<UInt32> = [0x10, 0x13]

    var kind = Kind.id
    var version: UInt32 = 0x13
    var salt: [UInt8]
    var memoryKiB: UInt64
    var passes: UInt64
    var lanes: UInt64
    /// A further secret (KeePass).
    var secret: [UInt8] = []
    /// Further bytes (KeePass).
    var associated: [UInt8] = []

    /// Derives a key of 32 bytes.
    func key(_ password: [UInt8]) throws(ConversionFailure) -> [UInt8] {
        try check()
        var result = [UInt8](repeating: 0, count: Self.keyByteCount)
        var password = password
        var salt = salt
        var secret = secret
        var associated = associated
        let status = unsafe password.withUnsafeMutableBufferPointer { password in
            unsafe salt.withUnsafeMutableBufferPointer { salt in
                unsafe secret.withUnsafeMutableBufferPointer { secret in
                    unsafe associated.withUnsafeMutableBufferPointer { associated in
                        unsafe result.withUnsafeMutableBufferPointer { result in
                            unsafe run(password, salt, secret, associated, into: result)
                        }
                    }
                }
            }
        }
        guard status == ARGON2_OK.rawValue else { throw ConversionFailure(.failed) }
        return result
    }

    private func check() throws(ConversionFailure) {
        guard memoryKiB <= ConversionLimits.derivationKiB else {
            throw ConversionFailure(over: .derivationMemory)
        }
        guard lanes <= ConversionLimits.derivationLanes else {
            throw ConversionFailure(over: .derivationLanes)
        }
        let work = memoryKiB.multipliedReportingOverflow(by: passes)
        guard !work.overflow, work.partialValue <= ConversionLimits.derivationWork else {
            throw ConversionFailure(over: .derivationWork)
        }
        // The library's own least values.
        guard lanes > 0, passes > 0, memoryKiB >= 8 * lanes,
            Self.saltByteCounts.contains(salt.count), Self.versions.contains(version)
        else { throw ConversionFailure(.damaged) }
    }

    private func run(
        _ password: UnsafeMutableBufferPointer<UInt8>, _ salt: UnsafeMutableBufferPointer<UInt8>,
        _ secret: UnsafeMutableBufferPointer<UInt8>,
        _ associated: UnsafeMutableBufferPointer<UInt8>,
        into result: UnsafeMutableBufferPointer<UInt8>
    ) -> Int32 {
        var context = unsafe argon2_context()
        unsafe context.out = result.baseAddress
        unsafe context.outlen = UInt32(result.count)
        unsafe context.pwd = password.baseAddress
        unsafe context.pwdlen = UInt32(password.count)
        unsafe context.salt = salt.baseAddress
        unsafe context.saltlen = UInt32(salt.count)
        unsafe context.secret = secret.isEmpty ? nil : secret.baseAddress
        unsafe context.secretlen = UInt32(secret.count)
        unsafe context.ad = associated.isEmpty ? nil : associated.baseAddress
        unsafe context.adlen = UInt32(associated.count)
        unsafe context.t_cost = UInt32(passes)
        unsafe context.m_cost = UInt32(memoryKiB)
        unsafe context.lanes = UInt32(lanes)
        // One thread: the process can't make others. The result is the same.
        unsafe context.threads = 1
        unsafe context.version = version
        unsafe context.allocate_cbk = { unsafe mapMemory($0, $1) }
        unsafe context.free_cbk = { unsafe unmapMemory($0, $1) }
        return unsafe argon2_ctx(&context, kind == .d ? Argon2_d : Argon2_id)
    }
}

/// A mapping of its own, so that all of it returns to the system.
private func mapMemory(
    _ memory: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, _ byteCount: Int
) -> Int32 {
    let pages = unsafe mmap(
        nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let pages = unsafe pages, unsafe pages != MAP_FAILED else {
        return ARGON2_MEMORY_ALLOCATION_ERROR.rawValue
    }
    unsafe memory?.pointee = pages.assumingMemoryBound(to: UInt8.self)
    return ARGON2_OK.rawValue
}

private func unmapMemory(_ memory: UnsafeMutablePointer<UInt8>?, _ byteCount: Int) {
    unsafe munmap(memory, byteCount)
}

/// The other key derivations of files.
enum OtherDerivation {
    private static let zeros = [UInt8](repeating: 0, count: 64 << 10)

    /// KeePass's AES-KDF: both halves of a key are encrypted many times, and hashed. Encrypting zeros
    /// in a chain is the same, since each block is combined with the one before it.
    static func cipherRounds(
        _ key: [UInt8], seed: [UInt8], rounds: UInt64
    ) throws(ConversionFailure) -> [UInt8] {
        guard rounds <= ConversionLimits.cipherRounds else {
            throw ConversionFailure(over: .cipherRounds)
        }
        guard key.count == 32, seed.count == 32 else { throw ConversionFailure(.damaged) }
        var result: [UInt8] = []
        for half in [key[..<16], key[16...]] {
            var block = Array(half)
            var left = Int(rounds)
            while left > 0 {
                let count = min(left, zeros.count / AESChain.blockByteCount)
                var chain = try AESChain(key: seed, vector: block)
                let encrypted = try chain.encrypt(zeros[..<(count * AESChain.blockByteCount)])
                block = Array(encrypted.suffix(AESChain.blockByteCount))
                left -= count
            }
            result += block
        }
        return Digests.sha256(result)
    }

    /// PBKDF2 with HMAC-SHA-256, 32 bytes.
    static func hashRounds(
        _ password: [UInt8], salt: [UInt8], rounds: UInt64
    ) throws(ConversionFailure) -> [UInt8] {
        guard rounds <= ConversionLimits.hashRounds else {
            throw ConversionFailure(over: .hashRounds)
        }
        guard rounds > 0 else { throw ConversionFailure(.damaged) }
        do {
            let key = try KDF.Insecure.PBKDF2.deriveKey(
                from: password, salt: salt, using: .sha256, outputByteCount: 32,
                unsafeUncheckedRounds: Int(rounds))
            return unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
        } catch { throw ConversionFailure(.failed) }
    }
}
