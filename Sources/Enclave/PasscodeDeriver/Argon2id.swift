// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CArgon2
import Enclave
import Glibc
import SecretBytes

/// Argon2id with one lane, and the parameters that suit this machine.
enum Argon2id {
    /// The byte count of a derived key.
    static let keyByteCount = 32
    /// The target duration of one derivation, in milliseconds of processor time: long for an
    /// attacker, short for a person.
    private static let target: ClosedRange<Double> = 80...100
    private static let aim = 90.0
    private static let roundLimit = 5

    /// Derives a key.
    /// - Returns: Nil when the memory can't be allocated.
    static func derive(
        _ passcode: Secret, salt: [UInt8], parameters: DerivationParameters
    ) -> Secret? {
        var key = SecretBytes(byteCount: keyByteCount)
        var salt = salt
        let result = unsafe passcode.bytes.withUnsafeBytes { passcode in
            unsafe key.withUnsafeMutableBytes { key in
                unsafe salt.withUnsafeMutableBytes { salt in
                    unsafe run(passcode, salt, parameters, into: key)
                }
            }
        }
        guard result == ARGON2_OK.rawValue else { return nil }
        return Secret(key)
    }

    private static func run(
        _ passcode: UnsafeRawBufferPointer, _ salt: UnsafeMutableRawBufferPointer,
        _ parameters: DerivationParameters, into key: UnsafeMutableRawBufferPointer
    ) -> Int32 {
        var context = unsafe argon2_context()
        unsafe context.out = key.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe context.outlen = UInt32(key.count)
        // The library's parameter is writable, but it writes only if a flag asks it to wipe.
        unsafe context.pwd = UnsafeMutableRawPointer(mutating: passcode.baseAddress)?
            .assumingMemoryBound(to: UInt8.self)
        unsafe context.pwdlen = UInt32(passcode.count)
        unsafe context.salt = salt.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe context.saltlen = UInt32(salt.count)
        unsafe context.t_cost = parameters.passes
        unsafe context.m_cost = parameters.memoryKiB
        unsafe context.lanes = 1
        unsafe context.threads = 1
        unsafe context.version = ARGON2_VERSION_13.rawValue
        unsafe context.allocate_cbk = { unsafe mapMemory($0, $1) }
        unsafe context.free_cbk = { unsafe unmapMemory($0, $1) }
        return unsafe argon2_ctx(&context, Argon2_id)
    }

    /// Derives a key with enough memory to take 80 to 100 ms, within the bounds.
    ///
    /// It measures its own processor time, so that a busy machine doesn't lower the cost.
    static func calibrate(
        _ passcode: Secret, salt: [UInt8]
    ) -> (key: Secret, parameters: DerivationParameters)? {
        var parameters = DerivationParameters.floor
        var best: (key: Secret, parameters: DerivationParameters)?
        for _ in 0..<roundLimit {
            let start = processorMilliseconds()
            guard let key = derive(passcode, salt: salt, parameters: parameters) else { break }
            let taken = max(processorMilliseconds() - start, 0.1)
            best = (key, parameters)
            guard !target.contains(taken),
                let next = parameters.scaled(by: aim / taken), next != parameters
            else { break }
            parameters = next
        }
        return best
    }

    private static func processorMilliseconds() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
    }
}

/// The derivation uses a separate memory mapping, so that all of it returns to the system; by then
/// the library has overwritten it.
private func mapMemory(
    _ memory: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, _ byteCount: Int
) -> Int32 {
    let pages = unsafe mmap(
        nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let pages = unsafe pages, unsafe pages != MAP_FAILED else {
        return ARGON2_MEMORY_ALLOCATION_ERROR.rawValue
    }
    unsafe madvise(pages, byteCount, MADV_DONTDUMP)
    unsafe memory?.pointee = pages.assumingMemoryBound(to: UInt8.self)
    return ARGON2_OK.rawValue
}

private func unmapMemory(_ memory: UnsafeMutablePointer<UInt8>?, _ byteCount: Int) {
    unsafe munmap(memory, byteCount)
}

extension DerivationParameters {
    /// The memory multiplied by a factor, kept within the bounds.
    fileprivate func scaled(by factor: Double) -> DerivationParameters? {
        let bounds = Self.memoryBounds
        let wanted = Double(memoryKiB) * factor
        let memory = min(max(wanted, Double(bounds.lowerBound)), Double(bounds.upperBound))
        return DerivationParameters(memoryKiB: UInt32(memory), passes: passes)
    }
}
