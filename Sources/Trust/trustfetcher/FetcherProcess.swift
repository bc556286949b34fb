// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CFetching
import CLinuxSupport
import FetchRules
import Glibc
import IPC
import Sandbox
import TrustWire

/// Fetches what one question about certificates needs from the network, for securityd. Started with a
/// connection to it as descriptor 3:
///
///     trustfetcher --connections 1 --fetch RULES
///
/// It has no key, no item and no certificate, and judges nothing: trustd does. It ends when securityd
/// closes the connection.
enum FetcherProcess {
    private static let connection: Int32 = 3
    /// Data of the whole process: copies of a content, and libcurl's.
    private static let memoryByteCount = 64 << 20
    private static let processorSeconds = 4

    static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count == 4, arguments[..<3] == ["--connections", "1", "--fetch"],
            let rules = FetchRules(arguments[3]), !rules.isOff
        else { return complain("it is started by securityd") }
        do {
            try Sandbox.reexecuteHardened()
            return try serve(Fetcher(rules))
        } catch { return complain("\(error)") }
    }

    private static func serve(_ fetcher: Fetcher) throws -> Int32 {
        for signal in [SIGINT, SIGHUP, SIGPIPE] { Glibc.signal(signal, SIG_IGN) }
        guard fcntl(connection, F_SETFD, FD_CLOEXEC) == 0 else { throw SystemError("connection") }
        guard llavero_close_range(UInt32(connection) + 1, .max, 0) == 0 else {
            throw SystemError("close_range")
        }
        guard llavero_fetching_start() != 0 else { return complain("libcurl can't be used") }
        try Sandbox.fenceForFetching()
        try Sandbox.limitMemory(byteCount: memoryByteCount)
        try Sandbox.limitProcessorTime(seconds: processorSeconds)
        try Sandbox.filterForFetching()
        // No byte of a request is read before this.
        var fetcher = fetcher
        while let (message, number) = TrustStream.receive(
            connection, limit: FetchLimits.requestByteCount)
        {
            let request = unsafe message.withUnsafeBytes { unsafe try? FetchRequest(decoding: $0) }
            guard let request else { return 1 }
            let reply = FetchReply.encoded(fetcher.fetch(request))
            guard TrustStream.send(connection, reply, number: number) else { return 1 }
        }
        return 0
    }

    private static func complain(_ line: String) -> Int32 {
        let bytes = Array("trustfetcher: \(line)\n".utf8)
        _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
        return 1
    }
}

/// Fetches within the bounds of one question.
struct Fetcher {
    private static let redirectLimit: Int32 = 3
    /// Bytes of one content: what trustd can read within its memory.
    private static let contentByteCount = 4 << 20

    private let rules: FetchRules
    private var byteCount = 0
    private var start: ContinuousClock.Instant?

    init(_ rules: FetchRules) { self.rules = rules }

    /// - Returns: Nil if nothing came, or not in time.
    mutating func fetch(_ request: FetchRequest) -> [UInt8]? {
        let now = ContinuousClock.now
        let start = start ?? now
        self.start = start
        let left = FetchLimits.milliseconds - Int((now - start) / .milliseconds(1))
        let limit = min(FetchLimits.byteCount - byteCount, Self.contentByteCount)
        guard left > 0, limit > 0 else { return nil }
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        var spent = 0
        let type = request.kind == .response ? "Content-Type: application/ocsp-request" : nil
        let isPost = request.kind == .response
        let isThere = unsafe withUnsafePointer(to: rules) { rules in
            unsafe request.address.withCString { address in
                unsafe Self.withOptionalText(type) { type in
                    unsafe request.body.withUnsafeBufferPointer { body in
                        var fetch = unsafe llavero_fetch(
                            address: address, body: isPost ? body.baseAddress : nil,
                            body_count: body.count, content_type: type,
                            redirect_limit: Self.redirectLimit, limit: limit, milliseconds: left,
                            allows: { unsafe Fetcher.allows($0, $1, $2) },
                            context: UnsafeMutableRawPointer(mutating: rules))
                        return unsafe llavero_fetch_content(&fetch, &bytes, &count, &spent) != 0
                    }
                }
            }
        }
        byteCount += spent
        defer { unsafe free(bytes) }
        guard isThere else { return nil }
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    private static func allows(
        _ address: UnsafePointer<UInt8>?, _ count: Int, _ context: UnsafeMutableRawPointer?
    ) -> Int32 {
        guard let address = unsafe address, let context = unsafe context else { return 0 }
        let rules = unsafe context.assumingMemoryBound(to: FetchRules.self).pointee
        let bytes = unsafe Array(UnsafeBufferPointer(start: address, count: count))
        return rules.allows(bytes) ? 1 : 0
    }

    private static func withOptionalText<R>(
        _ text: String?, _ body: (UnsafePointer<CChar>?) -> R
    ) -> R {
        guard let text else { return body(nil) }
        return unsafe text.withCString { unsafe body($0) }
    }
}
