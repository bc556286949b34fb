// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto

/// The public areas of the objects and indexes that are made here.
///
/// Documentation/TPM.md has them as tables.
enum TPMTemplates {
    private static let sha256: UInt16 = 0x000B
    private static let aes: UInt16 = 0x0006
    private static let cfb: UInt16 = 0x0043
    private static let null: UInt16 = 0x0010
    private static let hmac: UInt16 = 0x0005
    private static let elliptic: UInt16 = 0x0023
    private static let keyedHash: UInt16 = 0x0008
    private static let p256: UInt16 = 0x0003

    /// TPMA_OBJECT.
    /// Source: TPM 2.0 Library, part 2, 8.3.
    private enum Object {
        static let fixedTPM: UInt32 = 1 << 1
        static let fixedParent: UInt32 = 1 << 4
        static let sensitiveDataOrigin: UInt32 = 1 << 5
        static let userWithAuth: UInt32 = 1 << 6
        static let adminWithPolicy: UInt32 = 1 << 7
        static let noDA: UInt32 = 1 << 10
        static let restricted: UInt32 = 1 << 16
        static let decrypt: UInt32 = 1 << 17
        static let sign: UInt32 = 1 << 18
    }

    /// The storage key, the parent of all other objects: ECC P-256 under the owner's seed, always
    /// the same on one TPM until it is cleared. Without its two coordinates.
    static let storageKeyHead = TPMWriter.bytes { writer in
        writer.u16(elliptic)
        writer.u16(sha256)
        writer.u32(
            Object.fixedTPM | Object.fixedParent | Object.sensitiveDataOrigin
                | Object.userWithAuth | Object.noDA | Object.restricted | Object.decrypt)
        writer.sized([])
        writer.u16(aes)
        writer.u16(128)
        writer.u16(cfb)
        writer.u16(null)
        writer.u16(p256)
        writer.u16(null)
    }

    static let storageKey = TPMWriter.bytes { writer in
        writer.raw(storageKeyHead)
        writer.sized([UInt8](repeating: 0, count: 32))
        writer.sized([UInt8](repeating: 0, count: 32))
    }

    /// The device key: an HMAC-SHA-256 key that the TPM makes itself.
    static let deviceKey = TPMWriter.bytes { writer in
        writer.u16(keyedHash)
        writer.u16(sha256)
        writer.u32(
            Object.fixedTPM | Object.fixedParent | Object.sensitiveDataOrigin
                | Object.userWithAuth | Object.noDA | Object.sign)
        writer.sized([])
        writer.u16(hmac)
        writer.u16(sha256)
        writer.sized([])
    }

    /// Sealed data that only its policy opens. A wrong authorization counts against the whole TPM's
    /// limit.
    static func sealed(policy: [UInt8]) -> [UInt8] {
        TPMWriter.bytes { writer in
            writer.u16(keyedHash)
            writer.u16(sha256)
            writer.u32(Object.fixedTPM | Object.fixedParent | Object.adminWithPolicy)
            writer.sized(policy)
            writer.u16(null)
            writer.sized([])
        }
    }

    /// A key outside the TPM, with which the TPM verifies signatures.
    static func verifier(_ key: P256.Signing.PublicKey) -> [UInt8] {
        let point = [UInt8](key.x963Representation.dropFirst())
        return TPMWriter.bytes { writer in
            writer.u16(elliptic)
            writer.u16(sha256)
            writer.u32(Object.userWithAuth | Object.sign)
            writer.sized([])
            writer.u16(null)
            writer.u16(null)
            writer.u16(p256)
            writer.u16(null)
            writer.sized([UInt8](point[..<32]))
            writer.sized([UInt8](point[32...]))
        }
    }

    /// A signature by this key.
    static func signature(_ signature: P256.Signing.ECDSASignature) -> [UInt8] {
        let raw = [UInt8](signature.rawRepresentation)
        return TPMWriter.bytes { writer in
            writer.u16(0x0018)
            writer.u16(sha256)
            writer.sized([UInt8](raw[..<32]))
            writer.sized([UInt8](raw[32...]))
        }
    }

    /// The algorithm with which sessions encrypt and authenticate.
    static let sessionAlgorithms = TPMWriter.bytes { writer in
        writer.u16(aes)
        writer.u16(128)
        writer.u16(cfb)
        writer.u16(sha256)
    }

    /// The name of a public area.
    static func name(_ publicArea: [UInt8]) -> [UInt8] {
        TPMWriter.bytes { $0.u16(sha256) } + TPMKeyDerivation.digest(publicArea)
    }
}

/// An NV index, as it is defined and as its name contains it after it has been written.
struct TPMIndex: Hashable, Sendable {
    /// TPMA_NV.
    /// Source: TPM 2.0 Library, part 2, 13.4.
    private enum Attribute {
        static let authWrite: UInt32 = 1 << 2
        static let policyWrite: UInt32 = 1 << 3
        static let counter: UInt32 = 1 << 4
        static let pinFail: UInt32 = 8 << 4
        static let ownerRead: UInt32 = 1 << 17
        static let authRead: UInt32 = 1 << 18
        static let noDA: UInt32 = 1 << 25
        static let written: UInt32 = 1 << 29
    }

    /// The part of the number space that belongs to the owner.
    /// Source: TCG registry of reserved handles.
    static let numbers: ClosedRange<UInt32> = 0x0180_0000...0x01BF_FFFF
    static let byteCount = 8

    let number: UInt32
    private let attributes: UInt32
    private let policy: [UInt8]

    /// Counts wrong authorizations, up to a limit; only the owner of the policy's key can write it.
    static func attempts(_ number: UInt32, policy: [UInt8]) -> TPMIndex {
        TPMIndex(
            number: number,
            attributes: Attribute.pinFail | Attribute.policyWrite | Attribute.ownerRead
                | Attribute.authRead | Attribute.noDA,
            policy: policy)
    }

    /// Can only be incremented.
    static func counter(_ number: UInt32) -> TPMIndex {
        TPMIndex(
            number: number,
            attributes: Attribute.counter | Attribute.authWrite | Attribute.authRead
                | Attribute.noDA,
            policy: [])
    }

    var definition: [UInt8] { publicArea(attributes) }

    private func publicArea(_ attributes: UInt32) -> [UInt8] {
        TPMWriter.bytes { writer in
            writer.u32(number)
            writer.u16(0x000B)
            writer.u32(attributes)
            writer.sized(policy)
            writer.u16(UInt16(Self.byteCount))
        }
    }

    /// Whether a public area is that of an attempts index or a counter, with any policy.
    static func isMadeHere(_ publicArea: [UInt8]) throws(TPMFailure) -> Bool {
        var reader = TPMReader(publicArea)
        let number = try reader.u32()
        _ = try reader.u16()
        let attributes = try reader.u32() & ~Attribute.written
        let policy = try reader.sized()
        let byteCount = try reader.u16()
        try reader.finish()
        return numbers.contains(number) && byteCount == Self.byteCount
            && [attempts(number, policy: policy), counter(number)].contains {
                $0.attributes == attributes && $0.policy == policy
            }
    }

    /// Before it was first written.
    var fresh: TPMHandle { TPMHandle(number, name: TPMTemplates.name(definition)) }

    /// After it was first written.
    var written: TPMHandle {
        TPMHandle(number, name: TPMTemplates.name(publicArea(attributes | Attribute.written)))
    }
}

/// The digest of a policy session.
/// Source: TPM 2.0 Library, part 3, 23.
enum TPMPolicy {
    static let start = [UInt8](repeating: 0, count: TPMKeyDerivation.digestByteCount)

    /// After proof of an object's or index's authorization value.
    static func secret(of name: [UInt8], after digest: [UInt8] = start) -> [UInt8] {
        withReference(digest, .policySecret, name)
    }

    /// After a signature by a key.
    static func signed(by name: [UInt8], after digest: [UInt8] = start) -> [UInt8] {
        withReference(digest, .policySigned, name)
    }

    /// With proof of the object's own authorization value.
    static func authValue(after digest: [UInt8]) -> [UInt8] {
        TPMKeyDerivation.digest(
            digest + TPMWriter.bytes { $0.u32(TPMCommand.policyAuthValue.rawValue) })
    }

    /// With registers that have the recorded values.
    static func registers(_ state: TPMRegisterState, after digest: [UInt8]) -> [UInt8] {
        TPMKeyDerivation.digest(
            digest + TPMWriter.bytes { $0.u32(TPMCommand.policyRegisters.rawValue) }
                + state.registers.selection + state.digest)
    }

    /// The reference is empty, but is hashed, too.
    private static func withReference(
        _ digest: [UInt8], _ command: TPMCommand, _ name: [UInt8]
    ) -> [UInt8] {
        TPMKeyDerivation.digest(
            TPMKeyDerivation.digest(
                digest + TPMWriter.bytes { $0.u32(command.rawValue) } + name))
    }
}
