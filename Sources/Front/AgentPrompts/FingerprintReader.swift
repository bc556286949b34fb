// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// The program `llavero-fingerprint`, which asks the machine's fingerprint service. It is a process of
/// its own, so that nothing of the bus comes into the one that passcodes go through.
package final class FingerprintReader {
    /// A line of the program.
    enum Event {
        /// The reader waits for a finger.
        case ready
        case recognized
        /// The reader doesn't know the finger; it waits for another.
        case unrecognized
        /// The finger wasn't read well.
        case again
        /// There is no reader, or the program has ended.
        case ended
        /// Nothing yet.
        case nothing
    }

    private let process: pid_t
    private let output: Descriptor
    private var unread: [UInt8] = []

    private static let lineByteCountLimit = 256

    /// Starts the program, from this program's folder.
    /// - Returns: Nil when it isn't installed.
    init?(_ session: AgentSession) {
        guard let path = Self.path else { return nil }
        var pipe: [Int32] = [-1, -1]
        guard unsafe llavero_pipe(&pipe) == 0 else { return nil }
        output = Descriptor(owning: pipe[0])
        let end = Descriptor(owning: pipe[1])
        let raw = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard raw >= 0 else { return nil }
        let input = Descriptor(owning: raw)
        let started = ChildProgram.spawn(
            path, ["llavero-fingerprint", "verify"], session.variables(withDisplay: false),
            input.rawValue, end.rawValue)
        guard let started else { return nil }
        process = started
    }

    /// How long the program may take to give the reader back.
    private static let endMilliseconds = 3000

    deinit {
        ChildProgram.end(process, milliseconds: Self.endMilliseconds)
    }

    /// Readable when there is an event.
    var descriptor: Int32 { output.rawValue }

    /// The next event, once ``descriptor`` is readable: one byte is read at a time, so that no line
    /// waits here while nothing is readable.
    func next() -> Event {
        var byte: UInt8 = 0
        let count = unsafe read(output.rawValue, &byte, 1)
        if count < 0, errno == EINTR { return .nothing }
        guard count == 1, unread.count < Self.lineByteCountLimit else { return .ended }
        guard byte == 0x0A else {
            unread.append(byte)
            return .nothing
        }
        defer { unread = [] }
        return switch String(decoding: unread, as: UTF8.self) {
        case "ready": .ready
        case "match": .recognized
        case "no-match": .unrecognized
        case "again": .again
        default: .ended
        }
    }

    private static var path: String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let own = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let slash = own.lastIndex(of: "/") else { return nil }
        let path = own[...slash] + "llavero-fingerprint"
        return unsafe access(String(path), X_OK) == 0 ? String(path) : nil
    }
}
