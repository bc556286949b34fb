// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import SecretBytes
import SecurityWire

/// `security -i`: commands from standard input, one a line. Source: macOS's security, as observed.
enum InteractiveMode {
    /// Longest line. A longer one is refused as a whole: macOS would run the part after 4096 bytes
    /// as a separate command.
    private static let lineByteLimit = 4 * 1024 * 1024
    /// The maximum number of words of a line.
    private static let wordLimit = 1024

    /// Runs commands until the input ends.
    /// - Returns: The status of the last one.
    static func run(prompt: String, _ session: inout Session) -> Int32 {
        session.isInteractive = true
        var status: Int32 = 0
        while true {
            if isatty(STDIN_FILENO) != 0 { Output.write(prompt, to: STDERR_FILENO) }
            switch Line.read(from: STDIN_FILENO, limit: lineByteLimit) {
            case .line(let line, isTerminated: true):
                guard let result = run(line, &session) else { continue }
                if result == -1 { return 0 }
                status = result
            case .tooLong:
                complain("security: line too long (more than \(lineByteLimit) bytes)")
                status = 1
            case .failed: return SecurityStatus.io
            // A last line without its end is dropped: its writer was interrupted.
            case .line: return status
            case .end: return status
            }
        }
    }

    /// Runs one line; nil if it is empty.
    private static func run(_ line: consuming SecretBytes, _ session: inout Session) -> Int32? {
        var line = line
        return unsafe line.withUnsafeMutableBytes { bytes in
            guard let starts = unsafe LineSplitting.split(bytes), starts.count <= wordLimit else {
                complain("security: a line with a NUL, or with more than \(wordLimit) words")
                return 1
            }
            guard !starts.isEmpty, let base = bytes.baseAddress else { return nil }
            let words = unsafe base.assumingMemoryBound(to: CChar.self)
            var vector: [UnsafeMutablePointer<CChar>?] = unsafe starts.map { unsafe words + $0 }
            unsafe vector.append(nil)
            return unsafe vector.withUnsafeMutableBufferPointer { vector in
                guard let start = vector.baseAddress else { return nil }
                let words = unsafe Words(start, count: starts.count)
                let name = words[0].string
                let result = Command.run(words, &session)
                if result != 0, !session.isQuiet { complain("\(name): returned \(result)") }
                return result
            }
        }
    }
}

/// Splits a line into words, in place, so that a password on it is never copied.
enum LineSplitting {
    /// Ends each word with a NUL.
    ///
    /// A quote counts only as the first character of a word, and the closing one ends the word. A
    /// backslash makes the next character plain, everywhere.
    /// - Parameter line: The line and one byte more.
    /// - Returns: The starts of the words; nil if the line contains a NUL.
    static func split(_ line: UnsafeMutableRawBufferPointer) -> [Int]? {
        let end = line.count - 1
        guard end >= 0, unsafe !line.prefix(end).contains(0) else { return nil }
        var starts: [Int] = []
        var source = 0
        while true {
            while source < end, unsafe isSpace(line[source]) { source += 1 }
            guard source < end else { return starts }
            var target = source
            starts.append(source)
            var quote: UInt8?
            if unsafe line[source] == UInt8(ascii: "'") || line[source] == UInt8(ascii: "\"") {
                quote = unsafe line[source]
                source += 1
            }
            while source < end {
                let byte = unsafe line[source]
                source += 1
                if let quote, byte == quote { break }
                if quote == nil, isSpace(byte) { break }
                if byte == UInt8(ascii: "\\") {
                    guard source < end else { break }
                    unsafe line[target] = line[source]
                    source += 1
                } else {
                    unsafe line[target] = byte
                }
                target += 1
            }
            unsafe line[target] = 0
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }
}
