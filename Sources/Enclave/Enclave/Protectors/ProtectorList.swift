// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import IPC

/// The protectors of a keybag, in the order in which they were added.
///
/// The file: `LLPROT01`; 16 bytes keybag UUID; u8 count, 1 to 16; the entries; for each a u64 last
/// use. The keybag has a digest of all but the last uses, so that a list that was replaced by an
/// older one isn't used. A recovery code's entry opens without a keybag.
struct ProtectorList: Hashable {
    static let byteCountLimit = 128 * 1024
    private static let magic = [UInt8]("LLPROT01".utf8)

    let uuid: [UInt8]
    private(set) var protectors: [Protector] = []

    /// An empty list.
    init(of keybag: Keybag) { uuid = keybag.uuid }

    var isEmpty: Bool { protectors.isEmpty }

    subscript(name: String) -> Protector? { protectors.first { $0.choice.name == name } }

    /// Whether there is one of a kind.
    func has(_ kind: ProtectorKind) -> Bool { protectors.contains { $0.choice.kind == kind } }

    /// Whether another one can be added.
    var hasRoom: Bool { protectors.count < ListedProtector.countLimit }

    /// Those that unlock, and don't only recover.
    var unlocking: [Protector] { protectors.filter { $0.choice.kind != .recoveryCode } }

    /// The list with another one, in place of one with the same name.
    func adding(_ protector: Protector) -> ProtectorList {
        var list = removing(protector.choice.name)
        list.protectors.append(protector)
        return list
    }

    /// The list without one.
    func removing(_ name: String) -> ProtectorList {
        var list = self
        list.protectors.removeAll { $0.choice.name == name }
        return list
    }

    /// The list when nothing is left to unlock: a recovery code is no way to lock.
    var onlyRecovering: ProtectorList {
        var list = self
        list.protectors.removeAll { $0.choice.kind != .recoveryCode }
        return list
    }

    /// The list after the use of one.
    func using(_ protector: Protector, at time: UInt64) -> ProtectorList {
        var list = self
        for index in list.protectors.indices where list.protectors[index].salt == protector.salt {
            list.protectors[index].lastUsed = time
        }
        return list
    }

    // MARK: - Coding

    private var body: [UInt8] {
        Self.magic + uuid + [UInt8(truncatingIfNeeded: protectors.count)]
            + protectors.flatMap(\.bytes)
    }

    /// What the keybag keeps of it: 32 bytes; nil for an empty list.
    var digest: [UInt8]? { isEmpty ? nil : [UInt8](SHA256.hash(data: body)) }

    /// The file's bytes; there is no file of an empty list.
    var file: [UInt8] {
        var bytes = body
        for protector in protectors { bytes.append(littleEndian: protector.lastUsed) }
        return bytes
    }

    /// Reads a file.
    /// - Returns: Nil when it isn't one.
    init?(_ file: [UInt8]) {
        guard file.starts(with: Self.magic) else { return nil }
        let parsed = unsafe file.withUnsafeBytes { bytes in
            try? unsafe Self.parse(UnsafeRawBufferPointer(rebasing: bytes[Self.magic.count...]))
        }
        guard let (uuid, protectors) = parsed else { return nil }
        self.uuid = uuid
        self.protectors = protectors
    }

    private static func parse(
        _ bytes: UnsafeRawBufferPointer
    ) throws(DecodingFailure) -> ([UInt8], [Protector]) {
        var reader = unsafe ByteReader(bytes)
        let uuid = try unsafe reader.array(Keybag.uuidByteCount)
        let count = try unsafe Int(reader.u8())
        guard (1...ListedProtector.countLimit).contains(count) else { throw DecodingFailure() }
        var protectors: [Protector] = []
        for _ in 0..<count { protectors.append(try unsafe Protector(&reader)) }
        for index in 0..<count { protectors[index].lastUsed = try unsafe reader.u64() }
        try unsafe reader.finish()
        guard Set(protectors.map(\.choice.name)).count == count else { throw DecodingFailure() }
        return (uuid, protectors)
    }
}
