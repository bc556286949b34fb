// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import PAMModule
import SecretBytes
import SessionRules
import Testing

@Suite struct LoginPasswordTests {
    private static func read(_ bytes: [UInt8], count: Int) -> [[UInt8]]? {
        unsafe bytes.withUnsafeBytes { input in
            unsafe LoginPasswords.read(input, count: count)
        }?.map { secret in
            unsafe secret.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
        }
    }

    private static func line(_ text: [UInt8]) -> String {
        var room = text.map { CChar(bitPattern: $0) } + [7]
        unsafe room.withUnsafeMutableBufferPointer { room in
            unsafe llavero_pam_line(room.baseAddress, text.count)
        }
        let shown = room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: shown, as: UTF8.self)
    }

    private static func input(_ old: String?, _ password: String?) -> [UInt8] {
        var room = [CChar](repeating: 0, count: Int(LLAVERO_INPUT_LIMIT))
        let count = unsafe room.withUnsafeMutableBufferPointer { room in
            unsafe llavero_pam_input(old, password, room.baseAddress)
        }
        return room.prefix(count).map { UInt8(bitPattern: $0) }
    }

    @Test func onePasswordOfALogin() {
        let word = [UInt8]("correct horse".utf8)
        #expect(Self.read(word, count: 1) == [word])
        // pam_llavero ends it with a zero byte, pam_exec doesn't.
        #expect(Self.read(word + [0], count: 1) == [word])
        #expect(Self.read([], count: 1) == nil)
        #expect(Self.read([0], count: 1) == nil)
        #expect(Self.read(word + [0, 0], count: 1) == nil)
        #expect(Self.read(word + [0] + word + [0], count: 1) == nil)
    }

    @Test func oldAndNewPassword() {
        let old = [UInt8]("old\n".utf8)
        let new = [UInt8]("новый".utf8)
        #expect(Self.read(old + [0] + new + [0], count: 2) == [old, new])
        #expect(Self.read(old + [0], count: 2) == nil)
        #expect(Self.read([0] + new + [0], count: 2) == nil)
        #expect(Self.read(old + [0] + new + [0] + new + [0], count: 2) == nil)
    }

    @Test func longestPasswordIsReadAndALongerOneIsNot() {
        let limit = LoginPasswords.byteCountLimit
        let longest = [UInt8](repeating: 65, count: limit)
        #expect(Self.read(longest + [0] + longest + [0], count: 2) == [longest, longest])
        #expect(Self.read(longest + [65, 0], count: 1) == nil)
        #expect(Int(LLAVERO_PASSWORD_LIMIT) == limit)
    }

    @Test func moduleWritesWhatTheHelperReads() {
        #expect(Self.read(Self.input(nil, "new"), count: 1) == [[UInt8]("new".utf8)])
        #expect(
            Self.read(Self.input("old", "new"), count: 2)
                == [[UInt8]("old".utf8), [UInt8]("new".utf8)])
        let longest = String(repeating: "a", count: LoginPasswords.byteCountLimit)
        #expect(Self.input(longest, longest).count == Int(LLAVERO_INPUT_LIMIT))
        for (old, password) in [
            ("old", nil), (nil, nil), ("", "new"), ("old", ""), (nil, longest + "a"),
            (longest + "a", "new"),
        ] as [(String?, String?)] {
            #expect(Self.input(old, password) == [])
        }
    }

    /// The line goes to a terminal, or to the screen of a login.
    @Test func lineOfTheHelperHasNoControlCharacters() {
        #expect(Self.line([UInt8]("It is locked.\n".utf8)) == "It is locked.")
        #expect(Self.line([UInt8]("a\u{1b}[2Jb\tc\u{7f}\u{e9}".utf8)) == "a?[2Jb?c???")
        #expect(Self.line([]) == "")
        #expect(Self.line([65, 0, 66]) == "A")
        #expect(Self.line([10, 65]) == "")
    }
}
