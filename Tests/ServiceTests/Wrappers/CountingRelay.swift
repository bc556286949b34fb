// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import SecurityWire
import Synchronization
import TestSupport

/// A relay between a program and the service that counts the requests.
///
/// The service takes the test process for its client; unsigned programs of a user share their
/// items.
final class CountingRelay: Sendable {
    /// Where programs find it.
    let socketPath: String
    private let target: String
    private let listener: RelayListener
    private let kinds = Mutex<[FrameKind]>([])
    private let sockets = Mutex<[Int32]>([])

    init(to target: String, in directory: String) throws {
        socketPath = directory + "/relay.sock"
        self.target = target
        listener = try RelayListener(at: socketPath, backlog: 8)
        try listener.start { self.serve($0) }
    }

    /// Ends all connections; the object can't be used afterwards.
    func stop() {
        listener.stop()
        for socket in sockets.withLock({ $0 }) { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// The requests since the last call, without those at the start of every connection.
    func takeKinds() -> [FrameKind] {
        kinds.withLock { kinds in
            defer { kinds = [] }
            return kinds.filter { $0 != .prove }
        }
    }

    private func serve(_ client: Int32) {
        do {
            let service = try UnixSocket.connect(to: target, timeout: .seconds(5)).release()
            UnixSocket.setTimeout(service, .seconds(600))
            sockets.withLock { $0 += [client, service] }
            try NativeThread.start { self.forwardRequests(from: client, to: service) }
            try NativeThread.start { Self.forward(from: service, to: client) }
        } catch { shutdown(client, Int32(SHUT_RDWR)) }
    }

    private func forwardRequests(from source: Int32, to target: Int32) {
        var pending: [UInt8] = []
        Self.forward(from: source, to: target) { bytes in
            pending += bytes
            while pending.count >= FrameHeader.byteCount {
                let header = unsafe pending.withUnsafeBytes {
                    unsafe try? FrameHeader(
                        decoding: UnsafeRawBufferPointer(rebasing: $0[..<FrameHeader.byteCount]))
                }
                guard let header else { return }
                let end = FrameHeader.byteCount + header.bodyByteCount
                guard pending.count >= end else { return }
                kinds.withLock { $0.append(header.kind) }
                pending.removeFirst(end)
            }
        }
    }

    /// Forwards bytes until either end is closed.
    private static func forward(
        from source: Int32, to target: Int32, noting note: (ArraySlice<UInt8>) -> Void = { _ in }
    ) {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe recv(source, $0.baseAddress, $0.count, 0)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            note(buffer[..<count])
            guard RelayListener.send(buffer[..<count], to: target) else { break }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }
}
