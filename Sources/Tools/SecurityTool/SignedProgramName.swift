// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// What a program's signature calls it (CODE-SIGNING.md). Nothing is checked here: the service judges
/// programs when they ask. So the tool does without the code that checks signatures.
enum SignedProgramName {
    private static let sectionLimit = 4096
    private static let byteLimit = 1024 * 1024
    private static let section = Array(".codesig\0".utf8)

    /// `TEAM.identifier`; nil for a file that isn't a program with a signature in it.
    static func read(_ path: String) -> String? {
        let raw = unsafe llavero_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0)
        guard raw >= 0 else { return nil }
        defer { close(raw) }
        var status = stat()
        guard unsafe fstat(raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let header = bytes(raw, 0, 64), header[..<7] == [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1]
        else { return nil }
        let (count, names) = (number(header, 0x3C, 2), number(header, 0x3E, 2))
        guard number(header, 0x3A, 2) == 64, names < count, count <= sectionLimit,
            let table = bytes(raw, number(header, 0x28, 8), count * 64),
            let texts = content(raw, table, names)
        else { return nil }
        for index in 0..<count {
            let name = texts.dropFirst(number(table, index * 64, 4))
            guard name.starts(with: section) else { continue }
            return content(raw, table, index).flatMap(identifier)
        }
        return nil
    }

    /// The name in a container: after the documents of root and developer, and in the signature after
    /// 12 bytes of a header.
    private static func identifier(_ container: [UInt8]) -> String? {
        guard container.count > 32, container.starts(with: "LLVRSIGN".utf8),
            number(container, 8, 4) == 1
        else { return nil }
        let start = 32 + number(container, 12, 4) + number(container, 16, 4)
        let body = Array(container.dropFirst(start).prefix(number(container, 20, 4)).dropFirst(12))
        // Team, signer, time, flags and two digests come before it.
        let place = 10 + 32 + 8 + 4 + 32 + 32
        guard body.count > place else { return nil }
        let count = number(body, place, 1)
        let name = body.dropFirst(place + 1).prefix(count)
        guard count > 0, name.count == count,
            let team = String(validating: body.prefix(10), as: UTF8.self),
            let text = String(validating: name, as: UTF8.self)
        else { return nil }
        return "\(team).\(text)"
    }

    private static func content(_ file: Int32, _ table: [UInt8], _ index: Int) -> [UInt8]? {
        let byteCount = number(table, index * 64 + 32, 8)
        guard byteCount <= byteLimit else { return nil }
        return bytes(file, number(table, index * 64 + 24, 8), byteCount)
    }

    private static func bytes(_ file: Int32, _ offset: Int, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe pread(file, &bytes, count, off_t(offset)) == count else { return nil }
        return bytes
    }

    /// A little-endian number, at most that of a place in a file.
    private static func number(_ bytes: [UInt8], _ offset: Int, _ byteCount: Int) -> Int {
        let value = bytes.dropFirst(offset).prefix(byteCount).reversed()
            .reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(clamping: value)
    }
}
