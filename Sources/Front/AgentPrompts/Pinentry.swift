// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import SecretBytes

/// A pinentry that runs, and the connection to it.
final class Pinentry {
    /// What came of a command.
    enum Reply: ~Copyable {
        /// It was carried out; with data, if there were any.
        case done(SecretBytes?)
        case failed(UInt32)
        /// The pinentry has ended, or says what makes no sense.
        case broken
        case timedOut
        /// The asking process has ended or left its terminal.
        case abandoned
    }

    private let process: pid_t
    private let commands: Descriptor
    private let replies: Descriptor
    private var buffer = SecretBytes(byteCount: AssuanLine.byteCountLimit)
    private var filled = 0

    /// Lines before the last one of a reply; more is no pinentry.
    private static let lineLimit = 64
    private static let endMilliseconds = 200

    /// Starts a program.
    /// - Returns: Nil when it can't be started.
    init?(_ path: String, _ environment: [String]) {
        var input: [Int32] = [-1, -1]
        var output: [Int32] = [-1, -1]
        guard unsafe llavero_pipe(&input) == 0 else { return nil }
        let inputEnd = Descriptor(owning: input[0])
        commands = Descriptor(owning: input[1])
        guard unsafe llavero_pipe(&output) == 0 else { return nil }
        replies = Descriptor(owning: output[0])
        let outputEnd = Descriptor(owning: output[1])
        let started = ChildProgram.spawn(
            path, ["pinentry"], environment, inputEnd.rawValue, outputEnd.rawValue)
        guard let process = started else { return nil }
        self.process = process
    }

    deinit {
        ChildProgram.end(process, milliseconds: Self.endMilliseconds)
    }

    /// Sends a command and waits for its result.
    /// - Parameters:
    ///   - command: With its end; empty waits for the greeting.
    ///   - end: The deadline.
    ///   - isWanted: Asked now and then; false ends the wait.
    /// - Returns: The result.
    func send(
        _ command: [UInt8], until end: ContinuousClock.Instant, while isWanted: () -> Bool
    ) -> Reply {
        guard command.isEmpty || write(command) else { return .broken }
        var data: SecretBytes?
        for _ in 0..<Self.lineLimit {
            switch line(until: end, while: isWanted) {
            case .line(.done):
                return .done(data.take())
            case .line(.failed(let code)): return .failed(code)
            case .line(.data(let more)):
                // An entry comes in one line; two of them would be too long.
                guard data == nil else { return .broken }
                data = consume more
            case .line(.remark): continue
            case .broken: return .broken
            case .timedOut: return .timedOut
            case .abandoned: return .abandoned
            }
        }
        return .broken
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(commands.rawValue, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    // MARK: - Lines

    private enum Received: ~Copyable {
        case line(AssuanLine)
        case broken
        case timedOut
        case abandoned
    }

    private func line(
        until end: ContinuousClock.Instant, while isWanted: () -> Bool
    ) -> Received {
        while true {
            if let count = lineByteCount {
                let line = unsafe buffer.withUnsafeBytes { bytes in
                    unsafe AssuanLine.parse(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                }
                drop(count + 1)
                guard let line else { return .broken }
                return .line(line)
            }
            guard filled < AssuanLine.byteCountLimit else { return .broken }
            let left = max(ContinuousClock.now.duration(to: end), .zero)
            guard left > .zero else { return .timedOut }
            guard isWanted() else { return .abandoned }
            var entries = [pollfd(fd: replies.rawValue, events: Int16(POLLIN), revents: 0)]
            let milliseconds = min(Int(left / .milliseconds(1)) + 1, 200)
            guard unsafe poll(&entries, 1, Int32(milliseconds)) > 0 else { continue }
            let start = filled
            let (source, room) = (replies.rawValue, AssuanLine.byteCountLimit - filled)
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe read(source, bytes.baseAddress.map { unsafe $0 + start }, room)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .broken }
            filled += count
        }
    }

    private var lineByteCount: Int? {
        let count = filled
        return unsafe buffer.withUnsafeBytes { unsafe $0[..<count].firstIndex(of: 0x0A) }
    }

    /// Removes what was read, and wipes its place.
    private func drop(_ count: Int) {
        let (gone, rest) = (count, filled - count)
        unsafe buffer.withUnsafeMutableBytes { bytes in
            for place in 0..<rest { unsafe bytes[place] = bytes[gone + place] }
            for place in rest..<rest + gone { unsafe bytes[place] = 0 }
        }
        filled = rest
    }
}
