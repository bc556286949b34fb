// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto

/// The part of a TPM's device key that is stored outside. None of it is secret: without this TPM it
/// opens nothing.
///
/// Documentation/STORAGE.md has the layout.
package struct TPMRecord: Hashable, Sendable {
    /// How far the creation of the counter has got.
    package enum CounterState: UInt8, Sendable {
        /// There is none.
        case none = 0
        /// Its number is chosen; it may exist.
        case chosen = 1
        /// It exists.
        case made = 2
    }

    /// Identifies this TPM, 32 bytes: the digest in the storage key's name.
    package var place: [UInt8] { Array(storageKeyName.suffix(TPMKeyDerivation.digestByteCount)) }

    /// The maximum size of a record.
    package static let byteCountLimit = 2048
    private static let magic: [UInt8] = [UInt8]("LLTPM1\0\0".utf8)
    private static let checkByteCount = 16

    /// The kind of TPM.
    package let kind: TPMKind
    /// The storage key's name.
    let storageKeyName: [UInt8]
    let deviceKey: TPMBlob
    /// The counter's number.
    package internal(set) var counterNumber: UInt32
    /// How far the creation of the counter has got.
    package var counterState: CounterState

    init(
        kind: TPMKind, storageKeyName: [UInt8], deviceKey: TPMBlob, counterNumber: UInt32,
        counterState: CounterState
    ) {
        self.kind = kind
        self.storageKeyName = storageKeyName
        self.deviceKey = deviceKey
        self.counterNumber = counterNumber
        self.counterState = counterState
    }

    /// The record's bytes; the last 16 detect damage.
    package var bytes: [UInt8] {
        let content = TPMWriter.bytes { writer in
            writer.raw(Self.magic)
            writer.u8(kind.rawValue)
            writer.u8(counterState.rawValue)
            writer.u32(counterNumber)
            writer.sized(storageKeyName)
            writer.sized(deviceKey.publicArea)
            writer.sized(deviceKey.privateArea)
        }
        return content + Self.check(content)
    }

    private static func check(_ content: some Sequence<UInt8>) -> [UInt8] {
        [UInt8](TPMKeyDerivation.digest([UInt8](content)).prefix(checkByteCount))
    }

    /// Parses a record; nil when it is invalid or damaged.
    package init?(_ bytes: [UInt8]) {
        let content = bytes.dropLast(Self.checkByteCount)
        guard bytes.count <= Self.byteCountLimit,
            Self.check(content) == [UInt8](bytes.suffix(Self.checkByteCount))
        else { return nil }
        do throws(TPMFailure) {
            try self.init(TPMReader(content))
        } catch { return nil }
    }

    private init(_ source: TPMReader) throws(TPMFailure) {
        var reader = source
        guard try reader.raw(Self.magic.count) == Self.magic,
            let kind = TPMKind(rawValue: try reader.u8()),
            let counterState = CounterState(rawValue: try reader.u8())
        else { throw .garbage }
        self.kind = kind
        self.counterState = counterState
        counterNumber = try reader.u32()
        storageKeyName = try reader.sized()
        let publicArea = try reader.sized()
        deviceKey = TPMBlob(privateArea: try reader.sized(), publicArea: publicArea)
        try reader.finish()
        guard counterState == .none || TPMIndex.numbers.contains(counterNumber) else {
            throw .garbage
        }
    }
}

/// The stored part of a passcode's entropy value: the sealed object and the index that protects it.
package struct TPMSealedEntropy: Hashable, Sendable {
    private static let version: UInt8 = 1
    private static let noRegisters = [UInt8](repeating: 0, count: TPMKeyDerivation.digestByteCount)

    let index: TPMIndex
    let writePolicy: [UInt8]
    let object: TPMBlob
    /// The registers that must be unchanged; usually none.
    let registers: TPMRegisterState?

    init(
        number: UInt32, writePolicy: [UInt8], object: TPMBlob, registers: TPMRegisterState?
    ) {
        self.registers = registers
        index = .attempts(number, policy: writePolicy)
        self.writePolicy = writePolicy
        self.object = object
    }

    /// The number of the index that protects it.
    package var indexNumber: UInt32 { index.number }

    /// Bit n stands for register n.
    package var registerMask: UInt32 { registers?.registers.mask ?? 0 }

    /// The stored form.
    package var bytes: [UInt8] {
        TPMWriter.bytes { writer in
            writer.u8(Self.version)
            writer.u32(index.number)
            writer.raw(writePolicy)
            writer.u32(registerMask)
            writer.raw(registers?.digest ?? Self.noRegisters)
            writer.sized(object.publicArea)
            writer.sized(object.privateArea)
        }
    }

    /// - Throws: `otherDevice` for another version; `garbage` for invalid bytes.
    package init(_ bytes: [UInt8]) throws(TPMFailure) {
        var reader = TPMReader(bytes)
        guard try reader.u8() == Self.version else { throw .otherDevice }
        let number = try reader.u32()
        let policy = try reader.raw(TPMKeyDerivation.digestByteCount)
        let mask = try reader.u32()
        let digest = try reader.raw(TPMKeyDerivation.digestByteCount)
        let bound = TPMRegisters(mask: mask)
        guard bound != nil || (mask == 0 && digest == Self.noRegisters) else { throw .garbage }
        let registers = bound.map { TPMRegisterState(registers: $0, digest: digest) }
        let publicArea = try reader.sized()
        let privateArea = try reader.sized()
        try reader.finish()
        guard TPMIndex.numbers.contains(number) else { throw .garbage }
        self.init(
            number: number, writePolicy: policy,
            object: TPMBlob(privateArea: privateArea, publicArea: publicArea),
            registers: registers)
    }
}
