// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import SecretBytes

/// Asks for a secret: at the terminal without echo, or else on standard input, as `getpass` does.
enum PasswordPrompt {
    /// The result of the question.
    enum Answer {
        case entered(Secret)
        /// No answer, or three attempts whose answers differed.
        case refused
        case canceled
    }

    /// The maximum length of a secret.
    static let byteLimit = 1024 * 1024
    private static let tries = 3
    private static let interrupt: UInt8 = 3

    /// Asks for two equal answers, three times at most.
    ///
    /// Without a terminal, an input that ends after the first line is an answer: a program's output
    /// has no typing mistakes.
    static func twice(_ prompt: String, _ again: String) -> Answer {
        var terminal = Terminal()
        for _ in 0..<tries {
            let first: Secret
            switch terminal.ask(prompt) {
            case .entered(let secret): first = secret
            case .refused: return .refused
            case .canceled: return .canceled
            }
            switch terminal.ask(again) {
            case .entered(let second):
                if first.bytes.isEqual(to: second.bytes) { return .entered(first) }
                complain("passwords don't match")
            case .refused: return terminal.isTerminal ? .refused : .entered(first)
            case .canceled: return .canceled
            }
        }
        return .refused
    }

    /// Asks once, only at the terminal.
    /// - Returns: ``Answer/refused`` when there is none.
    static func once(_ prompt: String) -> Answer {
        var terminal = Terminal()
        return terminal.isTerminal ? terminal.ask(prompt) : .refused
    }

    /// Asks once: at the terminal, or else on standard input.
    static func single(_ prompt: String) -> Answer {
        var terminal = Terminal()
        return terminal.ask(prompt)
    }

    /// Whether there is a terminal.
    static var hasTerminal: Bool { Terminal().isTerminal }

    private struct Terminal: ~Copyable {
        private let descriptor: Int32
        let isTerminal: Bool

        init() {
            let terminal = unsafe llavero_open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY, 0)
            isTerminal = terminal >= 0
            descriptor = isTerminal ? terminal : STDIN_FILENO
        }

        deinit { if isTerminal { close(descriptor) } }

        mutating func ask(_ prompt: String) -> Answer {
            Output.write(prompt, to: isTerminal ? descriptor : STDERR_FILENO)
            guard isTerminal else { return answer() }
            // Signals from keys are off, too: a program that ends here would leave the terminal
            // without echo. The interrupt character is read like any other.
            var settings = termios()
            guard unsafe tcgetattr(descriptor, &settings) == 0 else { return .refused }
            var silent = settings
            silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
            guard unsafe tcsetattr(descriptor, TCSAFLUSH, &silent) == 0 else { return .refused }
            let result = answer()
            _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &settings)
            Output.write("\n", to: descriptor)
            return result
        }

        private func answer() -> Answer {
            guard let line = Line.readSecret(from: descriptor, limit: byteLimit) else {
                return .refused
            }
            let isInterrupted =
                unsafe isTerminal
                && line.withUnsafeBytes {
                    unsafe $0.contains(interrupt)
                }
            return isInterrupted ? .canceled : .entered(Secret(line))
        }
    }
}
