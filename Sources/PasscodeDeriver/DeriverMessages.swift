// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import IPC
import SecretBytes

/// The two messages between enclaved and its child; both are the same program, so the layouts have
/// no version.
///
/// Job: u32 memory (0: calibrate), u32 passes, u32 passcode byte count, 32 salt, passcode.
/// Reply: u32 memory, u32 passes (both 0: failed), 32 derived bytes.
enum DeriverMessages {
    static let saltByteCount = 32
    static let jobHeaderByteCount = 12 + saltByteCount
    static let replyByteCount = 8 + Argon2id.keyByteCount

    static func encode(_ job: DerivationJob) -> SecretBytes {
        var header = ByteWriter(reserving: jobHeaderByteCount)
        switch job.cost {
        case .calibrated:
            header.u32(0)
            header.u32(0)
        case .given(let parameters):
            header.u32(parameters.memoryKiB)
            header.u32(parameters.passes)
        }
        header.u32(UInt32(truncatingIfNeeded: job.passcode.bytes.byteCount))
        header.bytes(job.salt)
        return join(header.bytes, job.passcode)
    }

    static func encode(_ outcome: DerivationOutcome) -> SecretBytes {
        var header = ByteWriter()
        switch outcome {
        case .derived(let key, let parameters):
            header.u32(parameters.memoryKiB)
            header.u32(parameters.passes)
            return join(header.bytes, key)
        case .failed:
            return SecretBytes(byteCount: replyByteCount)
        }
    }

    /// The passcode byte count in a job's header.
    static func passcodeByteCount(_ header: borrowing SecretBytes) throws(DecodingFailure) -> Int {
        try unsafe header.withUnsafeBytes { (bytes) throws(DecodingFailure) in
            var reader = unsafe ByteReader(bytes)
            _ = try unsafe reader.bytes(8)
            let count = try unsafe Int(reader.u32())
            guard (1...DerivationJob.passcodeByteCountLimit).contains(count) else {
                throw DecodingFailure()
            }
            return count
        }
    }

    static func decodeJob(
        _ header: borrowing SecretBytes, passcode: Secret
    ) throws(DecodingFailure) -> DerivationJob {
        try unsafe header.withUnsafeBytes { (bytes) throws(DecodingFailure) in
            var reader = unsafe ByteReader(bytes)
            let memoryKiB = try unsafe reader.u32()
            let passes = try unsafe reader.u32()
            _ = try unsafe reader.u32()
            let salt = try unsafe reader.array(saltByteCount)
            guard memoryKiB != 0 || passes != 0 else {
                return DerivationJob(cost: .calibrated, salt: salt, passcode: passcode)
            }
            guard let parameters = DerivationParameters(memoryKiB: memoryKiB, passes: passes)
            else { throw DecodingFailure() }
            return DerivationJob(cost: .given(parameters), salt: salt, passcode: passcode)
        }
    }

    static func decodeOutcome(
        _ message: borrowing SecretBytes
    ) throws(DecodingFailure) -> DerivationOutcome {
        try unsafe message.withUnsafeBytes { (bytes) throws(DecodingFailure) in
            var reader = unsafe ByteReader(bytes)
            let memoryKiB = try unsafe reader.u32()
            let passes = try unsafe reader.u32()
            guard memoryKiB != 0 || passes != 0 else { return .failed }
            guard let parameters = DerivationParameters(memoryKiB: memoryKiB, passes: passes)
            else { throw DecodingFailure() }
            return .derived(Secret(unsafe SecretBytes(copying: reader.rest())), parameters)
        }
    }

    private static func join(_ header: [UInt8], _ secret: Secret) -> SecretBytes {
        var message = SecretBytes(byteCount: header.count + secret.bytes.byteCount)
        unsafe message.withUnsafeMutableBytes { target in
            unsafe header.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
            unsafe secret.bytes.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[header.count...])
                    .copyMemory(from: source)
            }
        }
        return message
    }
}
