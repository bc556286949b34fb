// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CredentialFiles
import Glibc
import SecretBytes

/// A whole file, in memory for secrets.
struct InputFile {
    /// Its name in messages.
    let name: String
    let content: Secret
    /// The file's mode if other users have any access to it.
    let modeForOthers: UInt32?

    /// Why it can't be read.
    enum Problem: Error, Equatable {
        case system(Int32)
        case directory
        case tooLong(byteLimit: Int)
        case badLine(BadLine)

        /// The text after the file's name in a message.
        var text: String {
            switch self {
            case .system(let code):
                unsafe ": " + (strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)")
            case .directory: ": is a directory"
            case .tooLong(let limit): ": has more than \(limit) bytes"
            case .badLine(let error): ":\(error.line): \(error.reason.rawValue)"
            }
        }
    }

    /// The name of a file in messages.
    static func name(of path: String) -> String { path == "-" ? "standard input" : path }

    /// Reads a file up to a size limit; `-` is standard input.
    init(_ path: String, byteLimit: Int) throws(Problem) {
        name = Self.name(of: path)
        let isInput = path == "-"
        let descriptor =
            unsafe isInput
            ? STDIN_FILENO : llavero_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0)
        guard descriptor >= 0 else { throw .system(errno) }
        defer { if !isInput { close(descriptor) } }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .system(errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw .directory }
        let isRegular = status.st_mode & S_IFMT == S_IFREG
        modeForOthers =
            isRegular && !isInput && status.st_mode & 0o077 != 0 ? status.st_mode & 0o7777 : nil
        // Reading one byte more than the size detects a file that is longer.
        let expected = isRegular ? min(Int(status.st_size), byteLimit) + 1 : 64 * 1024
        content = Secret(try Self.read(descriptor, expected: expected, byteLimit: byteLimit))
    }

    private static func read(
        _ descriptor: Int32, expected: Int, byteLimit: Int
    ) throws(Problem) -> SecretBytes {
        var bytes = SecretBytes(byteCount: expected)
        var count = 0
        while true {
            if count == bytes.byteCount {
                guard count <= byteLimit else { throw .tooLong(byteLimit: byteLimit) }
                bytes = enlarged(bytes, to: min(2 * count, byteLimit + 1))
            }
            let start = count
            let step = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(
                    descriptor, buffer.baseAddress.map { unsafe $0 + start }, buffer.count - start)
            }
            guard step != 0 else { return bytes.prefix(count) }
            if step > 0 {
                count += step
            } else if errno != EINTR {
                throw .system(errno)
            }
        }
    }

    private static func enlarged(_ bytes: borrowing SecretBytes, to byteCount: Int) -> SecretBytes {
        unsafe SecretBytes(byteCount: byteCount) { target in
            unsafe bytes.withUnsafeBytes { source in unsafe target.copyMemory(from: source) }
        }
    }
}
