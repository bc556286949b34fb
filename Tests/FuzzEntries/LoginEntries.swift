// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import PAMModule
import SecretBytes
import SessionRules

/// What a login, its helper and the administrator hand over.
enum LoginEntries {
    static func passwords(_ data: Data) {
        unsafe data.withUnsafeBytes { bytes in
            for count in 1...2 {
                guard let found = unsafe LoginPasswords.read(bytes, count: count) else { continue }
                precondition(found.count == count)
                // Nothing was added, and nothing is left out but the zero bytes between.
                var again: [UInt8] = []
                for password in found {
                    let count = password.bytes.byteCount
                    precondition((1...LoginPasswords.byteCountLimit).contains(count))
                    unsafe password.bytes.withUnsafeBytes { unsafe again += $0 }
                    again.append(0)
                }
                unsafe precondition(again.starts(with: bytes) && again.count - bytes.count < 2)
            }
        }
    }

    /// The first byte says where the new password begins.
    static func module(_ data: Data) {
        guard let split = data.first.map(Int.init) else { return }
        let rest = [UInt8](data.dropFirst())
        let old = text(rest.prefix(split * 8))
        let password = text(rest.dropFirst(split * 8))
        var input = [CChar](repeating: 1, count: Int(LLAVERO_INPUT_LIMIT))
        let count = unsafe input.withUnsafeMutableBufferPointer { room in
            unsafe llavero_pam_input(split == 0 ? nil : old, password, room.baseAddress)
        }
        precondition(count <= input.count)
        if count > 0 {
            // The helper reads what the module writes.
            unsafe input.withUnsafeBytes { bytes in
                let written = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<count])
                unsafe precondition(
                    LoginPasswords.read(written, count: split == 0 ? 1 : 2) != nil)
            }
        }
        var line = rest.prefix(Int(LLAVERO_LINE_LIMIT) - 1).map { CChar(bitPattern: $0) }
        line.append(1)
        let room = line.count
        unsafe line.withUnsafeMutableBufferPointer { line in
            unsafe llavero_pam_line(line.baseAddress, line.count - 1)
        }
        let shown = line.prefix { $0 != 0 }
        precondition(shown.count < room && shown.allSatisfy { (32...126).contains($0) })
    }

    static func options(_ data: Data) {
        let (options, unknown) = SessionOptions.reading(String(decoding: data, as: UTF8.self))
        precondition(options.afterGrace.isSubset(of: [.lock, .idle]))
        precondition(unknown.allSatisfy { $0 > 0 })
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> [CChar] {
        bytes.map { CChar(bitPattern: $0) } + [0]
    }

    // MARK: - Seeds

    static var passwordInputs: [Data] {
        ["correct horse", "correct horse\0", "old\0new\0", "\0", "a\0\0b"].map { Data($0.utf8) }
    }

    static var moduleInputs: [Data] {
        [Data([0]) + Data("password\n".utf8), Data([1]) + Data("oldoldolnewnew\u{1b}[0m".utf8)]
    }

    static var optionFiles: [Data] {
        ["lock-on = lock sleep # all\nafter-grace = none\n", "first-passcode = none\nx = y"]
            .map { Data($0.utf8) }
    }
}
