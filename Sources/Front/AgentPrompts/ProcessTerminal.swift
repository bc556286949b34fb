// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
package import IPC

/// The terminal of a process, while the process is in its foreground.
package struct ProcessTerminal: Equatable, Sendable {
    /// The device's path.
    package let path: String
    /// The device's number.
    let number: UInt64

    /// The first of eight major numbers of pseudo-terminals (Documentation/admin-guide/devices.txt
    /// of Linux).
    private static let pseudoTerminalMajors: ClosedRange<UInt32> = 136...143
    private static let consoleMajor: UInt32 = 4

    /// Finds it.
    /// - Returns: Nil when the process has no terminal, or isn't in its foreground: the terminal's
    ///   input then belongs to another program.
    package init?(of process: Int32) {
        guard let text = Self.statusLine(process) else { return nil }
        self.init(statusLine: text)
    }

    /// Reads a line of `/proc/PID/stat` (proc(5)).
    package init?(statusLine: String) {
        // The program's name is in parentheses and may contain anything.
        guard let end = statusLine.lastIndex(of: ")") else { return nil }
        let fields = statusLine[statusLine.index(after: end)...].split(separator: " ")
        guard fields.count > 5, let group = Int32(fields[2]), let device = Int32(fields[4]),
            let foreground = Int32(fields[5]), device != 0, group == foreground
        else { return nil }
        let bits = UInt32(bitPattern: device)
        let major = (bits >> 8) & 0xFFF
        let minor = (bits & 0xFF) | ((bits >> 12) & 0xFFF00)
        if Self.pseudoTerminalMajors.contains(major) {
            let first = (major - Self.pseudoTerminalMajors.lowerBound) << 8
            path = "/dev/pts/\(first + minor)"
        } else if major == Self.consoleMajor {
            path = "/dev/tty\(minor)"
        } else {
            return nil
        }
        number = UInt64(bits)
    }

    private static func statusLine(_ process: Int32) -> String? {
        let raw = unsafe llavero_open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC, 0)
        guard raw >= 0 else { return nil }
        let file = Descriptor(owning: raw)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(file.rawValue, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Opens it, without making it this process's own.
    /// - Returns: Nil when it can't be opened, or is another device by now.
    package func open() -> Descriptor? {
        let raw = unsafe llavero_open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC, 0)
        guard raw >= 0 else { return nil }
        let file = Descriptor(owning: raw)
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFCHR,
            Self.isSame(status.st_rdev, number), isatty(file.rawValue) == 1
        else { return nil }
        return file
    }

    /// The kernel's number in `stat` has 32 bits, in another order than `st_rdev`.
    private static func isSame(_ device: dev_t, _ number: UInt64) -> Bool {
        let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
        let minor = device & 0xFF | (device >> 12) & ~0xFF
        return UInt64(minor & 0xFF | major << 8 | (minor & ~0xFF) << 12) == number
    }
}
