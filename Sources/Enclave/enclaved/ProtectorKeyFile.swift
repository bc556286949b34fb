// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import Glibc
import IPC
import KeychainVocabulary
import SecretBytes

/// A file with a protector's key, as it was handed to this process at its start: securityd has
/// neither opened nor read it.
final class ProtectorKeyFile {
    /// Why there is no key.
    enum Problem: Error {
        case unreadable
        case empty
        case wrongSize
        case damaged
    }

    /// The keybag's owner.
    let user: UInt32
    private let descriptor: Descriptor

    init(user: UInt32, _ descriptor: consuming Descriptor) {
        self.user = user
        self.descriptor = descriptor
    }

    /// Reads the key; never more than one byte over its size.
    func read() throws(Problem) -> Secret {
        let limit = ProtectorKeyLayout.byteCount + 1
        var bytes = SecretBytes(byteCount: limit)
        var count = 0
        while count < limit {
            let read = unsafe bytes.withUnsafeMutableBytes { room in
                unsafe Glibc.read(
                    descriptor.rawValue, room.baseAddress.map { unsafe $0 + count }, limit - count)
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw .unreadable }
            guard read > 0 else { break }
            count += read
        }
        guard count > 0 else { throw .empty }
        guard count == ProtectorKeyLayout.byteCount else { throw .wrongSize }
        let isWhole = unsafe bytes.withUnsafeBytes { bytes in
            let checked = unsafe UnsafeRawBufferPointer(
                rebasing: bytes[ProtectorKeyLayout.checkedRange])
            let check = unsafe bytes[ProtectorKeyLayout.checkedRange.upperBound..<count]
            return unsafe bytes.starts(with: ProtectorKeyLayout.magic)
                && SHA256.hash(data: checked).prefix(ProtectorKeyLayout.checkByteCount)
                    .elementsEqual(check)
        }
        guard isWhole else { throw .damaged }
        return Secret(bytes.slice(ProtectorKeyLayout.keyRange))
    }
}

extension ProtectorKeyFile.Problem {
    /// The log's text.
    var words: String {
        switch self {
        case .unreadable: "it can't be read"
        case .empty: "it is empty"
        case .wrongSize: "it isn't one that `security device protector add` has made: wrong size"
        case .damaged: "it isn't one that `security device protector add` has made, or is damaged"
        }
    }
}
