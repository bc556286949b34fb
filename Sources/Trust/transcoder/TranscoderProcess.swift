// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import Sandbox
import SecretBytes
import Transcoding
import TranscodingWire

/// Reads or writes one file of another program's format, for securityd. Started with a connection to
/// it as descriptor 3:
///
///     transcoder --connections 1
///
/// It has no file, no network and no key of the keychain. It answers one request and ends.
enum TranscoderProcess {
    private static let connection: Int32 = 3
    /// Data of the whole process: the largest request a few times.
    private static let memoryByteCount = 64 << 20
    /// 10⁷ rounds take about half of it.
    private static let processorSeconds = 12

    static func run(_ arguments: [String]) -> Int32 {
        guard arguments == ["--connections", "1"] else {
            return complain("it is started by securityd")
        }
        do {
            try Sandbox.reexecuteHardened()
            return try serve()
        } catch { return complain("\(error)") }
    }

    private static func serve() throws -> Int32 {
        for signal in [SIGINT, SIGHUP, SIGPIPE] { Glibc.signal(signal, SIG_IGN) }
        guard fcntl(connection, F_SETFD, FD_CLOEXEC) == 0 else { throw SystemError("connection") }
        guard llavero_close_range(UInt32(connection) + 1, .max, 0) == 0 else {
            throw SystemError("close_range")
        }
        guard Transcoder.prepare() else { return complain("libcrypto can't be used") }
        try Sandbox.fenceForTranscoding()
        try Sandbox.limitMemory(byteCount: memoryByteCount)
        try Sandbox.limitProcessorTime(seconds: processorSeconds)
        try Sandbox.filterForTranscoding()
        // No byte of a request is read before this.
        guard
            let request = SecretStream.receive(
                connection, limit: TranscodingLimits.requestByteCount)
        else { return 0 }
        let reply = unsafe request.bytes.withUnsafeBytes { unsafe Transcoder.reply(to: $0) }
        return SecretStream.send(connection, reply.encoded()) ? 0 : 1
    }

    private static func complain(_ line: String) -> Int32 {
        let bytes = Array("transcoder: \(line)\n".utf8)
        _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
        return 1
    }
}
