// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import IPC
import SecretBytes

/// The file device key's counter: u64 little-endian, then the first 16 bytes of an HMAC over it.
///
/// It shows that a database is older than the enclave's directory. It can't show that the whole
/// directory was rolled back: the counter was, too.
struct FileCounter {
    static let fileName = "device.counter"
    private static let label = [UInt8]("llavero.device.counter.1".utf8)
    private static let valueByteCount = 8
    private static let checkByteCount = 16

    let directory: StateDirectory
    let key: SymmetricKey

    /// - Throws: `refused` for a file that isn't a counter; `failed` when the disk fails.
    func read() throws(DeviceKeyFailure) -> UInt64 {
        let found: [UInt8]?
        do {
            found = try directory.read(
                Self.fileName, limit: Self.valueByteCount + Self.checkByteCount)
        } catch { throw .failed }
        guard let file = found else { return 0 }
        guard let value = UInt64(littleEndianBytes: file.prefix(Self.valueByteCount)),
            file == bytes(value)
        else { throw .refused }
        return value
    }

    func increment() throws(DeviceKeyFailure) {
        let value = try read()
        guard value < .max else { throw .failed }
        do { try directory.write(Self.fileName, bytes(value + 1)) } catch { throw .failed }
    }

    private func bytes(_ value: UInt64) -> [UInt8] {
        var number: [UInt8] = []
        number.append(littleEndian: value)
        let check = Cryptography.authenticate(
            number, using: Cryptography.derive(from: key, info: Self.label))
        return number + check.prefix(Self.checkByteCount)
    }
}
