// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import KeychainVocabulary
public import SecretBytes

/// The key of a protector: 32 random bytes, in a file or a credential.
///
/// The only way to get a new one is ``random()``, and a file without its form is refused: so no key
/// is a text that a person chose.
public struct ProtectorKey: Sendable {
    /// The bytes of a key's file.
    public static var fileByteCount: Int { ProtectorKeyLayout.byteCount }

    /// The content of its file.
    public let file: Secret

    /// The key itself.
    var key: Secret { Secret(file.bytes.slice(ProtectorKeyLayout.keyRange)) }

    /// A new one.
    public static func random() -> ProtectorKey {
        let key = SecretBytes.random(byteCount: ProtectorKeyLayout.keyByteCount)
        var file = SecretBytes(byteCount: ProtectorKeyLayout.byteCount)
        unsafe file.withUnsafeMutableBytes { room in
            unsafe room.copyBytes(from: ProtectorKeyLayout.magic)
            unsafe key.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: room[ProtectorKeyLayout.keyRange])
                    .copyMemory(from: source)
            }
            let check = unsafe check(UnsafeRawBufferPointer(room))
            unsafe UnsafeMutableRawBufferPointer(
                rebasing: room[ProtectorKeyLayout.checkedRange.upperBound...]
            ).copyBytes(from: check)
        }
        return ProtectorKey(file: Secret(file))
    }

    /// Reads a file's bytes.
    /// - Returns: Nil when ``random()`` didn't make them, or they are damaged.
    public init?(file: consuming SecretBytes) {
        guard file.byteCount == ProtectorKeyLayout.byteCount else { return nil }
        let isWhole = unsafe file.withUnsafeBytes { bytes in
            let rest = unsafe bytes[ProtectorKeyLayout.checkedRange.upperBound...]
            return unsafe bytes.starts(with: ProtectorKeyLayout.magic)
                && Self.check(bytes).elementsEqual(rest)
        }
        guard isWhole else { return nil }
        self.file = Secret(file)
    }

    private init(file: Secret) { self.file = file }

    private static func check(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let checked = unsafe UnsafeRawBufferPointer(
            rebasing: bytes[ProtectorKeyLayout.checkedRange])
        return [UInt8](
            unsafe SHA256.hash(data: checked).prefix(ProtectorKeyLayout.checkByteCount))
    }
}
