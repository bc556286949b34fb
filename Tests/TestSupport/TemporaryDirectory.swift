// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation

/// Directories that are deleted when the test ends.
package enum TemporaryDirectory {
    /// Makes a new directory of mode 0700 and removes it afterwards, also after an error. `owner`
    /// is its owner, which needs root if it isn't the caller.
    package static func lend<R>(
        owner: UInt32? = nil, _ body: (String) throws -> R
    ) throws -> R {
        let path = try make()
        defer { remove(path) }
        if let owner, unsafe chown(path, owner, owner) != 0 {
            throw TestFailure("\(path) can't be given to user \(owner).")
        }
        return try body(path)
    }

    /// A directory that is deleted with the process.
    package static func ofThisProcess() throws -> String { try shared.get() }

    private static let shared: Result<String, any Error> = Result {
        let path = try make()
        atexit { removeShared() }
        return path
    }

    private static func removeShared() { if case .success(let path) = shared { remove(path) } }

    /// Makes a directory; its path is short, so that a socket's path below it fits.
    static func make() throws -> String {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array((parent + "/lltest-XXXXXX").utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw TestFailure("No temporary directory can be made in \(parent).")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes a directory with its content.
    static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}
