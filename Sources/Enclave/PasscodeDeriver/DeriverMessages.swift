// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import IPC
import SecretBytes

/// The messages between enclaved and its child; both are the same program, so the layouts have no
/// version.
///
/// Each is a u32 byte count, a u8, and as many bytes as the count says. In a request the u8 is its
/// kind; in a reply it is the status: 0, or the reason for the failure.
enum DeriverMessages {
    /// The kind of a request.
    enum Kind: UInt8 {
        case derive = 1
        case tangle = 2
        case release = 3
        case readCounter = 4
        case incrementCounter = 5
        case make = 6
        case use = 7
        case removeCounter = 8
        case takeNext = 9
        case giveUpNext = 10
        case retire = 11
        case renewCounter = 12
        case count = 13
    }

    static let headByteCount = 5
    static let limit = 16 * 1024
    static let saltByteCount = 32
    /// The status of a derivation for which there isn't enough memory.
    static let derivationFailed: UInt8 = 255
    static let success: UInt8 = 0

    /// A whole message.
    static func message(
        _ head: UInt8, _ content: [UInt8] = [], _ secrets: [Secret] = []
    ) -> SecretBytes {
        let count = secrets.reduce(content.count) { $0 + $1.bytes.byteCount }
        var header = ByteWriter(reserving: headByteCount)
        header.u32(UInt32(truncatingIfNeeded: count))
        header.u8(head)
        return unsafe SecretBytes(byteCount: headByteCount + count) { room in
            unsafe room.copyBytes(from: header.bytes + content)
            var offset = headByteCount + content.count
            for secret in secrets {
                unsafe secret.bytes.withUnsafeBytes { source in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: room[offset...])
                        .copyMemory(from: source)
                }
                offset += secret.bytes.byteCount
            }
        }
    }

    // MARK: - Jobs

    static func encode(_ job: DerivationJob) -> SecretBytes {
        var content = ByteWriter()
        switch job.cost {
        case .calibrated:
            content.u32(0)
            content.u32(0)
        case .given(let parameters):
            content.u32(parameters.memoryKiB)
            content.u32(parameters.passes)
        case .none:
            content.u32(0)
            content.u32(.max)
        }
        content.bytes(job.salt)
        var (number, limit, index, registers) = (UInt8(0), UInt32(0), UInt32(0), UInt32(0))
        var (context, sealed) = ([UInt8](), [UInt8]())
        switch job.work {
        case nil: break
        case .open(let bytes, let owner): (number, context, sealed) = (1, owner, bytes)
        case .enrol(let owner, let most, let guarding, let binding):
            (number, limit, index, context) = (2, most, guarding, owner)
            switch binding {
            case .to(let platform): registers = platform.mask
            case .asBefore(let earlier): sealed = earlier
            }
        case .make(let making):
            number = making.counterNumber == nil ? 3 : 4
            (limit, index, context) = (making.attemptLimit, making.indexNumber, making.context)
            var counter = ByteWriter()
            counter.u32(making.counterNumber ?? 0)
            sealed = counter.bytes
            sealed += [UInt8(truncatingIfNeeded: making.rootInput.count)] + making.rootInput
            sealed += making.bindingInput
        }
        content.u8(number)
        content.u32(limit)
        content.u32(index)
        content.u32(registers)
        for value in [context, sealed] {
            content.u16(UInt16(truncatingIfNeeded: value.count))
            content.bytes(value)
        }
        return message(Kind.derive.rawValue, content.bytes, [job.passcode])
    }

    static func decodeJob(
        _ content: borrowing SecretBytes
    ) throws(DecodingFailure) -> DerivationJob {
        try unsafe content.withUnsafeBytes { (bytes) throws(DecodingFailure) in
            var reader = unsafe ByteReader(bytes)
            let cost = try unsafe decodeCost(&reader)
            let salt = try unsafe reader.array(saltByteCount)
            let number = try unsafe reader.u8()
            let limit = try unsafe reader.u32()
            let index = try unsafe reader.u32()
            guard let registers = PlatformRegisters(mask: try unsafe reader.u32()) else {
                throw DecodingFailure()
            }
            let context = try unsafe reader.array(Int(reader.u16()))
            let sealed = try unsafe reader.array(Int(reader.u16()))
            let passcode = unsafe reader.rest()
            // A device key is also made for a keybag without a passcode.
            let least = number == 3 || number == 4 ? 0 : 1
            guard (least...DerivationJob.passcodeByteCountLimit).contains(passcode.count) else {
                throw DecodingFailure()
            }
            let work: PasscodeWork?
            switch number {
            case 0: work = nil
            case 1: work = .open(sealed: sealed, context: context)
            case 2:
                work = .enrol(
                    context: context, attemptLimit: limit, indexNumber: index,
                    sealed.isEmpty ? .to(registers) : .asBefore(sealed: sealed))
            case 3, 4:
                work = .make(
                    try decodeMaking(
                        sealed, hasCounter: number == 4, index, context: context, limit))
            case _: throw DecodingFailure()
            }
            return DerivationJob(
                cost: cost, salt: salt,
                passcode: Secret(unsafe SecretBytes(copying: passcode)), work: work)
        }
    }

    /// u32 number of the counter, u8 byte count and the root's input, the input for the counter's
    /// record.
    private static func decodeMaking(
        _ bytes: [UInt8], hasCounter: Bool, _ indexNumber: UInt32, context: [UInt8],
        _ limit: UInt32
    ) throws(DecodingFailure) -> DeviceKeyMaking {
        let content = SecretBytes(copying: bytes)
        return try unsafe content.withUnsafeBytes { (bytes) throws(DecodingFailure) in
            var reader = unsafe ByteReader(bytes)
            let counterNumber = try unsafe reader.u32()
            let rootInput = try unsafe reader.array(Int(reader.u8()))
            return DeviceKeyMaking(
                counterNumber: hasCounter ? counterNumber : nil, indexNumber: indexNumber,
                rootInput: rootInput, bindingInput: unsafe [UInt8](reader.rest()),
                context: context, attemptLimit: limit)
        }
    }

    // MARK: - Counting

    /// u64 number, u8 whether the counter is known to be one below it.
    static func encode(counting number: UInt64, isCertain: Bool) -> [UInt8] {
        var writer = ByteWriter()
        writer.u64(number)
        writer.u8(isCertain ? 1 : 0)
        return writer.bytes
    }

    static func decodeCounting(
        _ content: borrowing SecretBytes
    ) throws(DecodingFailure) -> (number: UInt64, isCertain: Bool) {
        try unsafe content.withUnsafeBytes { (bytes) throws(DecodingFailure) in
            var reader = unsafe ByteReader(bytes)
            let number = try unsafe reader.u64()
            let isCertain = try unsafe reader.u8()
            try unsafe reader.finish()
            guard isCertain <= 1 else { throw DecodingFailure() }
            return (number, isCertain == 1)
        }
    }

    // MARK: - Indexes

    /// u32 number, 32 bytes place.
    static func encode(_ index: HeldIndex) -> [UInt8] {
        var writer = ByteWriter()
        writer.u32(index.number)
        writer.bytes(index.place)
        return writer.bytes
    }

    static func decodeIndex(_ content: borrowing SecretBytes) throws(DecodingFailure) -> HeldIndex {
        try unsafe content.withUnsafeBytes { (bytes) throws(DecodingFailure) in
            var reader = unsafe ByteReader(bytes)
            let number = try unsafe reader.u32()
            let place = try unsafe reader.array(HeldIndex.anywhere.count)
            try unsafe reader.finish()
            return HeldIndex(user: nil, number: number, place: place)
        }
    }

    private static func decodeCost(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> DerivationJob.Cost {
        let memoryKiB = try unsafe reader.u32()
        let passes = try unsafe reader.u32()
        guard memoryKiB != 0 || passes != 0 else { return .calibrated }
        guard memoryKiB != 0 || passes != .max else { return .none }
        guard let parameters = DerivationParameters(memoryKiB: memoryKiB, passes: passes) else {
            throw DecodingFailure()
        }
        return .given(parameters)
    }

    // MARK: - Outcomes

    /// u8 1 derived, 2 opened, 3 enrolled; u32 memory, u32 passes; A, and for the last two B, E and
    /// the sealed bytes. For a new device key: 4, without a passcode 5; u32 memory, u32 passes; for
    /// 4, A, B and E; the root; the key of the counter's record; u64 counter, all ones: none; u16
    /// byte count and the record; the sealed bytes.
    static func encode(_ outcome: DerivationOutcome) -> SecretBytes {
        switch outcome {
        case .failed: message(derivationFailed)
        case .refused(let failure): message(failure.rawValue)
        case .derived(let derived, let parameters):
            message(success, head(1, parameters), [derived])
        case .opened(let material):
            message(success, head(2, .floor), material.parts)
        case .enrolled(let material, let sealed, let parameters):
            message(
                success, head(3, parameters),
                material.parts + [Secret(SecretBytes(copying: sealed))])
        case .made(let made):
            message(
                success, head(made.passcode == nil ? 5 : 4, made.passcode?.parameters ?? .floor),
                (made.passcode?.material.parts ?? []) + [made.root, made.binding, made.tail])
        }
    }

    private static func head(_ form: UInt8, _ parameters: DerivationParameters) -> [UInt8] {
        var writer = ByteWriter()
        writer.u8(form)
        writer.u32(parameters.memoryKiB)
        writer.u32(parameters.passes)
        return writer.bytes
    }

    static func decodeOutcome(
        _ status: UInt8, _ content: borrowing SecretBytes
    ) throws(DecodingFailure) -> DerivationOutcome {
        guard status != derivationFailed else { return .failed }
        guard status == success else {
            guard let failure = DeviceKeyFailure(rawValue: status) else { throw DecodingFailure() }
            return .refused(failure)
        }
        return try unsafe content.withUnsafeBytes { (bytes) throws(DecodingFailure) in
            var reader = unsafe ByteReader(bytes)
            let form = try unsafe reader.u8()
            guard case .given(let parameters) = try unsafe decodeCost(&reader) else {
                throw DecodingFailure()
            }
            guard form < 4 else {
                return .made(try unsafe decodeMade(&reader, form, parameters))
            }
            let derived = try unsafe key(&reader)
            guard form != 1 else {
                try unsafe reader.finish()
                return .derived(derived, parameters)
            }
            let material = PasscodeMaterial(
                derived: derived, tangled: try unsafe key(&reader),
                entropy: try unsafe key(&reader))
            let sealed = unsafe [UInt8](reader.rest())
            switch (form, sealed.isEmpty) {
            case (2, true): return .opened(material)
            case (3, false): return .enrolled(material, sealed: sealed, parameters)
            case _: throw DecodingFailure()
            }
        }
    }

    private static func decodeMade(
        _ reader: inout ByteReader, _ form: UInt8, _ parameters: DerivationParameters
    ) throws(DecodingFailure) -> MadeDeviceKey {
        var material: PasscodeMaterial?
        if form == 4 {
            material = PasscodeMaterial(
                derived: try unsafe key(&reader), tangled: try unsafe key(&reader),
                entropy: try unsafe key(&reader))
        }
        let root = try unsafe key(&reader)
        let binding = try unsafe key(&reader)
        let counter = try unsafe reader.u64()
        let record = try unsafe reader.array(Int(reader.u16()))
        let sealed = unsafe [UInt8](reader.rest())
        guard form <= 5, sealed.isEmpty == (material == nil) else { throw DecodingFailure() }
        let passcode = material.map {
            MadeDeviceKey.Passcode(material: $0, sealed: sealed, parameters: parameters)
        }
        return MadeDeviceKey(
            record: record, root: root, binding: binding,
            counter: counter == .max ? nil : counter, passcode: passcode)
    }

    private static func key(_ reader: inout ByteReader) throws(DecodingFailure) -> Secret {
        Secret(unsafe SecretBytes(copying: try reader.bytes(Argon2id.keyByteCount)))
    }
}

extension PasscodeMaterial {
    fileprivate var parts: [Secret] { [derived, tangled, entropy] }
}

extension MadeDeviceKey {
    /// The parts that aren't secret.
    fileprivate var tail: Secret {
        var writer = ByteWriter()
        writer.u64(counter ?? .max)
        writer.u16(UInt16(truncatingIfNeeded: record.count))
        writer.bytes(record)
        writer.bytes(passcode?.sealed ?? [])
        return Secret(SecretBytes(copying: writer.bytes))
    }
}
