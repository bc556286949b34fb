// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// Carries one command to a TPM and its response back.
package protocol TPMTransport: AnyObject {
    /// Sends a command and waits for its response.
    /// - Parameters:
    ///   - command: The whole command.
    ///   - deadline: The time-out, in milliseconds of the monotonic clock.
    /// - Returns: At most 4096 bytes, as received; the caller checks whether they are a response.
    /// - Throws: `gone` or `timedOut`.
    func exchange(_ command: [UInt8], deadline: Int) throws(TPMFailure) -> [UInt8]
}

/// The clock of the deadlines.
enum TPMClock {
    /// Milliseconds of the monotonic clock.
    static func now() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }

    /// Waits without any system call but `poll`.
    static func pause(milliseconds: Int) {
        _ = poll(nil, 0, Int32(clamping: max(milliseconds, 1)))
    }
}

/// A TPM behind a descriptor: the kernel's resource manager, or a stream socket.
///
/// The descriptor must not block. A response that comes too late is read and discarded before the
/// next command.
package final class DescriptorTransport: TPMTransport {
    static let responseLimit = 4096
    private static let headerByteCount = 10

    private let descriptor: Int32
    private let isSocket: Bool
    private var received: [UInt8] = []
    private var owesResponse = false
    private var isBroken = false

    /// Takes ownership of a descriptor.
    package init(owning descriptor: Int32) {
        self.descriptor = descriptor
        var status = stat()
        isSocket = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    deinit { close(descriptor) }

    /// Sends a command and waits for its response.
    package func exchange(_ command: [UInt8], deadline: Int) throws(TPMFailure) -> [UInt8] {
        guard !isBroken else { throw .gone }
        if owesResponse { _ = try receive(deadline) }
        try send(command, deadline)
        owesResponse = true
        return try receive(deadline)
    }

    private func fail(_ failure: TPMFailure) -> TPMFailure {
        isBroken = true
        return failure
    }

    private func send(_ command: [UInt8], _ deadline: Int) throws(TPMFailure) {
        var sent = 0
        while sent < command.count {
            try wait(for: POLLOUT, deadline)
            let count = unsafe command.withUnsafeBytes { bytes in
                unsafe put(UnsafeRawBufferPointer(rebasing: bytes[sent...]))
            }
            if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            if count < 0 && errno == EBUSY {
                TPMClock.pause(milliseconds: 2)
                guard TPMClock.now() < deadline else { throw .timedOut }
                continue
            }
            // Half a command was sent: the next one would be misread.
            guard count > 0 else { throw fail(.gone) }
            sent += count
        }
    }

    /// A socket whose peer has closed must not end the process.
    private func put(_ bytes: UnsafeRawBufferPointer) -> Int {
        unsafe isSocket
            ? Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            : write(descriptor, bytes.baseAddress, bytes.count)
    }

    private func receive(_ deadline: Int) throws(TPMFailure) -> [UInt8] {
        while true {
            if let response = wholeResponse() {
                received = []
                owesResponse = false
                return response
            }
            try wait(for: POLLIN, deadline)
            var room = [UInt8](repeating: 0, count: Self.responseLimit)
            let count = unsafe read(descriptor, &room, room.count)
            if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            guard count > 0 else { throw fail(.gone) }
            received += room.prefix(count)
        }
    }

    /// The received bytes, once they have the announced length, or can't be a response.
    private func wholeResponse() -> [UInt8]? {
        guard received.count >= Self.headerByteCount else { return nil }
        let size = received[2..<6].reduce(0) { $0 << 8 | Int($1) }
        guard (Self.headerByteCount...Self.responseLimit).contains(size), received.count <= size
        else {
            // The start of a stream's next response can't be found any more.
            isBroken = true
            return received
        }
        return received.count == size ? received : nil
    }

    private func wait(for events: Int32, _ deadline: Int) throws(TPMFailure) {
        while true {
            let left = deadline - TPMClock.now()
            guard left > 0 else { throw .timedOut }
            var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let count = unsafe poll(&entry, 1, Int32(clamping: left))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw fail(.gone) }
        }
    }
}
