// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// Users of the machine, as `/etc/passwd` lists them. The tool and some programs are linked statically,
/// and glibc's own look-up would then load modules of the name service, which ends the program.
package struct UserEntry {
    private static let file = "/etc/passwd"

    private let name: String
    private let number: UInt32
    private let home: String

    /// The number of a user.
    /// - Parameter text: The number itself, or a name in `/etc/passwd`.
    /// - Returns: nil if there is no such name.
    package static func number(of text: String) -> UInt32? {
        if let number = UInt32(text), number != .max { return number }
        return all().first { $0.name == text }?.number
    }

    /// The home directory of a user; nil for a number without an entry.
    package static func homeDirectory(of userID: UInt32) -> String? {
        all().first { $0.number == userID }?.home
    }

    private static func all() -> [UserEntry] {
        guard let stream = unsafe fopen(file, "re") else { return [] }
        defer { _ = unsafe fclose(stream) }
        var entries: [UserEntry] = []
        while let entry = unsafe fgetpwent(stream) {
            guard let name = unsafe entry.pointee.pw_name, let home = unsafe entry.pointee.pw_dir
            else { continue }
            unsafe entries.append(
                UserEntry(
                    name: String(cString: name), number: entry.pointee.pw_uid,
                    home: String(cString: home)))
        }
        return entries
    }
}
