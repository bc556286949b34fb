// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Platform configuration registers of the SHA-256 bank: digests of the software with which a
/// machine was started.
package struct TPMRegisters: Hashable, Sendable {
    /// Registers 0 to 23.
    package static let all: UInt32 = 0xFF_FFFF
    private static let sha256: UInt16 = 0x000B

    /// Bit n stands for register n; never empty.
    package let mask: UInt32

    /// - Returns: Nil for an empty list, or a register that doesn't exist.
    package init?(mask: UInt32) {
        guard mask != 0, mask & ~Self.all == 0 else { return nil }
        self.mask = mask
    }

    private init(unchecked mask: UInt32) { self.mask = mask }

    /// How many there are.
    var count: Int { mask.nonzeroBitCount }

    /// The first of them, at most eight: the limit of one reply.
    /// Source: TPM 2.0 Library, part 2, 10.9.7 (TPML_DIGEST).
    var firstPart: TPMRegisters {
        var (part, rest) = (UInt32(0), mask)
        for _ in 0..<8 where rest != 0 {
            let lowest = rest & (~rest &+ 1)
            part |= lowest
            rest ^= lowest
        }
        return TPMRegisters(unchecked: part)
    }

    /// The others; nil when there are none.
    func without(_ part: TPMRegisters) -> TPMRegisters? {
        TPMRegisters(mask: mask & ~part.mask)
    }

    /// The encoding in commands.
    /// Source: TPM 2.0 Library, part 2, 10.9.8 (TPML_PCR_SELECTION).
    var selection: [UInt8] {
        TPMWriter.bytes { writer in
            writer.u32(1)
            writer.u16(Self.sha256)
            writer.u8(3)
            for byte in 0..<3 { writer.u8(UInt8(truncatingIfNeeded: mask >> (8 * byte))) }
        }
    }
}

/// Registers, and their values at some time.
package struct TPMRegisterState: Hashable, Sendable {
    /// The registers.
    package let registers: TPMRegisters
    /// The digest of their values, in ascending order of their numbers.
    package let digest: [UInt8]
}

extension TPMConnection {
    /// The current values of registers. The reply isn't authenticated: a policy made from wrong
    /// values opens nothing.
    /// - Throws: `code` when the TPM has no such bank; other TPM failures.
    package func state(of registers: TPMRegisters) throws(TPMFailure) -> TPMRegisterState {
        var values: [UInt8] = []
        var rest: TPMRegisters? = registers
        while let remaining = rest {
            let part = remaining.firstPart
            var response = try run(.readRegisters, [], part.selection)
            _ = try response.parameters.u32()
            guard try response.parameters.raw(part.selection.count) == part.selection else {
                throw .code(ResponseCode.value)
            }
            guard try response.parameters.u32() == UInt32(part.count) else { throw .garbage }
            for _ in 0..<part.count {
                let value = try response.parameters.sized(64)
                guard value.count == TPMKeyDerivation.digestByteCount else { throw .garbage }
                values += value
            }
            try response.parameters.finish()
            rest = remaining.without(part)
        }
        return TPMRegisterState(registers: registers, digest: TPMKeyDerivation.digest(values))
    }

    /// Binds a policy session to the earlier values of registers.
    /// - Throws: `otherRegisters` when they have other values now.
    func policyRegisters(
        _ policy: TPMSession, _ state: TPMRegisterState
    ) throws(TPMFailure) {
        let parameters = TPMWriter.bytes { writer in
            writer.sized(state.digest)
            writer.raw(state.registers.selection)
        }
        do throws(TPMFailure) {
            _ = try run(.policyRegisters, [TPMHandle(policy.handle)], parameters)
        } catch {
            guard case .code(let code) = error, ResponseCode.base(code) == ResponseCode.value
            else { throw error }
            throw .otherRegisters
        }
    }
}
