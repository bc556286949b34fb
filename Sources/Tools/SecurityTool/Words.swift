// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import SecretBytes
import SecurityWire

/// The words of a command, as C strings in memory that outlives this value: the process's own
/// arguments, or a line of the interactive mode. They may be secrets, so they are not made Swift
/// strings here.
@safe struct Words {
    private let start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    /// The number of words.
    let count: Int

    /// Wraps a vector of words that ends with nil.
    init(_ start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, count: Int) {
        unsafe self.start = unsafe start
        self.count = count
    }

    /// The arguments of this process.
    static var ofProcess: Words {
        unsafe Words(CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    }

    /// One of the words.
    subscript(index: Int) -> Word {
        precondition(index >= 0 && index < count)
        return unsafe Word(start[index])
    }

    /// The words from the nth on.
    func dropFirst(_ n: Int) -> Words {
        let n = min(max(n, 0), count)
        return unsafe Words(start + n, count: count - n)
    }

    fileprivate func nextOption(_ options: String) -> Int32 {
        unsafe llavero_getopt(Int32(clamping: count), start, options)
    }
}

/// One word.
@safe struct Word {
    private let start: UnsafePointer<CChar>?

    fileprivate init(_ start: UnsafeMutablePointer<CChar>?) {
        unsafe self.start = unsafe UnsafePointer(start)
    }

    fileprivate init(argument: UnsafePointer<CChar>?) { unsafe start = unsafe argument }

    /// The word as text; bytes that aren't UTF-8 are replaced.
    var string: String { unsafe start.map { unsafe String(cString: $0) } ?? "" }

    /// The word as an attribute: text, or data when it isn't UTF-8.
    var value: AttributeValue {
        let text = string
        let isUTF8 = unsafe start.map { unsafe strlen($0) == text.utf8.count } ?? true
        if isUTF8 { return .text(text) }
        return unsafe .data(withBytes { unsafe [UInt8]($0) })
    }

    /// A copy of the word in memory for secrets.
    var secret: SecretBytes {
        unsafe withBytes { unsafe SecretBytes(copying: $0) }
    }

    /// Passes the bytes to a closure.
    func withBytes<R: ~Copyable>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        unsafe body(
            UnsafeRawBufferPointer(start: start, count: start.map { unsafe strlen($0) } ?? 0))
    }
}

/// Parses options as the C library does, so that `-wa user`, `-sNAME` and a last `-w` without its
/// argument mean the same as on macOS.
struct OptionReader {
    private let words: Words
    private let options: String

    /// Starts over.
    /// - Parameters:
    ///   - words: The first is the command's name and is skipped.
    ///   - options: In the form for `getopt`; it starts with `+:` (stop at the first word that
    ///     isn't an option; distinguish a missing argument from an unknown option).
    init(_ words: Words, options: String) {
        self.words = words
        self.options = options
        llavero_getopt_restart()
    }

    /// The next option; nil after the last. `?` is an unknown one, `:` one whose argument is
    /// missing, see ``letter``.
    mutating func next() -> Character? {
        let option = words.nextOption(options)
        guard option != -1, let scalar = Unicode.Scalar(UInt32(bitPattern: option)) else {
            return nil
        }
        return Character(scalar)
    }

    /// The argument of the option just read.
    var argument: Word { unsafe Word(argument: llavero_getopt_argument()) }

    /// Takes the argument of an option whose name is a word: of `--NAME VALUE`, which `getopt` reads as
    /// the option `-` with the argument `NAME`.
    /// - Returns: Nil when no word is left.
    mutating func takeValue() -> Word? {
        let index = wordIndex
        guard index < words.count else { return nil }
        llavero_getopt_skip()
        return words[index]
    }

    /// The letter of the option to which `?` or `:` refers.
    var letter: Character? {
        Unicode.Scalar(UInt32(bitPattern: llavero_getopt_option())).map(Character.init)
    }

    /// The first word that isn't an option, after ``next()`` returned nil.
    var wordIndex: Int { Int(llavero_getopt_index()) }

    /// The words that aren't options, after ``next()`` returned nil.
    var rest: Words { words.dropFirst(wordIndex) }
}
