// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// The names in a directory.
enum FileNames {
    /// No directory of ours has more; another one isn't read to its end.
    private static let limit = 10_000

    /// The names, sorted, without `.` and `..`; nil when the directory can't be read.
    static func of(_ directory: String) -> [String]? {
        guard let stream = unsafe opendir(directory) else { return nil }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while names.count < limit,
            let entry = unsafe llavero_next_entry_name(UnsafeMutableRawPointer(stream))
        {
            let name = unsafe String(cString: entry)
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
