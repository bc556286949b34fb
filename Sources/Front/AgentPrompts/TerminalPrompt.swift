// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
package import SecretBytes

/// What the person answers.
package enum PromptAnswer: ~Copyable {
    /// An entry, at least one byte.
    case entry(SecretBytes)
    /// Nothing, Control-C, or the asking program has ended or left the foreground.
    case canceled
    case timedOut
    /// There was no way to ask.
    case impossible
}

/// A way to ask a person.
package protocol PersonPrompt: AnyObject {
    /// Shows who asks, and for what.
    func begin(_ lines: [String])
    /// Asks for an entry; nothing of it is shown.
    func read(_ prompt: String, until end: ContinuousClock.Instant) -> PromptAnswer
    /// The last entry was wrong; it is asked for again.
    func wrong(_ line: String)
    /// The question has ended without success.
    func end(_ line: String)
    /// Whether it can wait for a finger.
    var canWait: Bool { get }
    /// Waits for a finger, and for the person's choice.
    func wait(
        for reader: FingerprintReader, _ line: String, hasPasscode: Bool,
        until end: ContinuousClock.Instant
    ) -> TouchAnswer
}

/// What came of waiting for a finger.
package enum TouchAnswer: Sendable {
    case recognized
    /// The reader doesn't know the finger.
    case unrecognized
    /// The person wants the passcode, or there is no reader.
    case otherWay
    case canceled
    case timedOut
}

/// Asks on a terminal; nothing of the entry is shown.
package final class TerminalPrompt: PersonPrompt {
    private let terminal: Descriptor
    private let process: Int32
    private var saved = termios()
    /// What was typed while the reader was waited for: the first byte of an entry.
    private var typedAhead: UInt8?

    /// The longest entry, in bytes.
    package static let entryByteCountLimit = 1024

    /// Prepares the terminal of a process; it is restored when the value is released.
    /// - Returns: Nil when the process has none that can be used now.
    package init?(of process: Int32) {
        guard let terminal = ProcessTerminal(of: process)?.open() else { return nil }
        self.terminal = terminal
        self.process = process
        guard unsafe tcgetattr(self.terminal.rawValue, &saved) == 0 else { return nil }
        var settings = saved
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG | IEXTEN)
        settings.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | IXON)
        // What was typed before the question doesn't answer it.
        guard unsafe tcsetattr(self.terminal.rawValue, TCSAFLUSH, &settings) == 0 else {
            return nil
        }
    }

    deinit {
        var settings = saved
        unsafe _ = tcsetattr(terminal.rawValue, TCSAFLUSH, &settings)
    }

    /// Shows who asks, and for what.
    package func begin(_ lines: [String]) {
        say("")
        for line in lines { say(line) }
    }

    /// Says that the entry was wrong.
    package func wrong(_ line: String) { say(line) }

    /// Says that the question has ended.
    package func end(_ line: String) { say(line) }

    private func say(_ line: String) { write(line + "\r\n") }

    /// Writes a prompt and reads an entry, until Return.
    package func read(
        _ prompt: String, until end: ContinuousClock.Instant
    ) -> PromptAnswer {
        write(prompt)
        defer { write("\r\n") }
        var entry = SecretBytes(byteCount: Self.entryByteCountLimit)
        var count = 0
        if let first = typedAhead {
            unsafe entry.withUnsafeMutableBytes { unsafe $0[0] = first }
            count = 1
            typedAhead = nil
        }
        while true {
            let left = max(ContinuousClock.now.duration(to: end), .zero)
            guard left > .zero else { return .timedOut }
            guard isInForeground else { return .canceled }
            // Looks again at the process now and then.
            var entries = [pollfd(fd: terminal.rawValue, events: Int16(POLLIN), revents: 0)]
            let milliseconds = min(Int(left / .milliseconds(1)) + 1, 200)
            let ready = unsafe poll(&entries, 1, Int32(milliseconds))
            guard ready > 0 else { continue }
            var byte: UInt8 = 0
            let taken = unsafe Glibc.read(terminal.rawValue, &byte, 1)
            if taken < 0, errno == EINTR || errno == EAGAIN { continue }
            guard taken == 1 else { return .canceled }
            defer { byte = 0 }
            switch Key(byte) {
            case .end:
                guard count > 0 else { return .canceled }
                return .entry(entry.prefix(count))
            case .cancel: return .canceled
            case .erase: count = max(count - 1, 0)
            case .eraseAll: count = 0
            case .other(let byte):
                guard count < Self.entryByteCountLimit else { continue }
                let place = count
                unsafe entry.withUnsafeMutableBytes { unsafe $0[place] = byte }
                count += 1
            }
        }
    }

    package var canWait: Bool { true }

    /// Waits for the reader and for a key at once. The line is shown once the reader waits.
    package func wait(
        for reader: FingerprintReader, _ line: String, hasPasscode: Bool,
        until end: ContinuousClock.Instant
    ) -> TouchAnswer {
        let start = ContinuousClock.now
        var isReady = false
        while true {
            let left = max(ContinuousClock.now.duration(to: end), .zero)
            guard left > .zero else { return .timedOut }
            guard isInForeground else { return .canceled }
            guard isReady || start.duration(to: .now) < Self.readerLimit else { return .otherWay }
            var entries = [
                pollfd(fd: terminal.rawValue, events: Int16(POLLIN), revents: 0),
                pollfd(fd: reader.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let milliseconds = min(Int(left / .milliseconds(1)) + 1, 200)
            guard unsafe poll(&entries, 2, Int32(milliseconds)) > 0 else { continue }
            if entries[1].revents != 0 {
                switch reader.next() {
                case .ready:
                    isReady = true
                    say(line)
                case .recognized: return .recognized
                case .unrecognized: return .unrecognized
                case .again: say(Self.again)
                case .ended: return .otherWay
                case .nothing: break
                }
            }
            guard entries[0].revents != 0 else { continue }
            var byte: UInt8 = 0
            let taken = unsafe Glibc.read(terminal.rawValue, &byte, 1)
            if taken < 0, errno == EINTR || errno == EAGAIN { continue }
            guard taken == 1 else { return .canceled }
            switch Key(byte) {
            case .cancel: return .canceled
            case .end: if hasPasscode { return .otherWay }
            case .other(let key):
                // The person types the passcode without waiting for its prompt.
                guard hasPasscode else { continue }
                typedAhead = key
                return .otherWay
            case .erase, .eraseAll: continue
            }
        }
    }

    /// A reader that takes longer to wait for a finger isn't waited for.
    private static let readerLimit = Duration.seconds(8)
    private static let again = "Touch it again."

    private var isInForeground: Bool { ProcessTerminal(of: process) != nil }

    private func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(terminal.rawValue, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private enum Key {
        case end
        case cancel
        case erase
        case eraseAll
        case other(UInt8)

        init(_ byte: UInt8) {
            switch byte {
            case 0x0A, 0x0D: self = .end
            case 0x03, 0x04: self = .cancel
            case 0x08, 0x7F: self = .erase
            case 0x15: self = .eraseAll
            default: self = .other(byte)
            }
        }
    }
}
