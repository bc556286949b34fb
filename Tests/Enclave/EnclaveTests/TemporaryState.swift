// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveState
import Glibc
import Testing

/// A state directory that is deleted when the test ends.
final class TemporaryState {
    let path: String

    init() throws {
        var template = [CChar]("/tmp/llavero-test-XXXXXX".utf8CString)
        path = try #require(unsafe mkdtemp(&template).map { unsafe String(cString: $0) })
    }

    deinit {
        for name in Self.names {
            unsafe unlink("\(path)/enclave/\(name)")
        }
        unsafe rmdir("\(path)/enclave")
        unsafe rmdir(path)
    }

    private static let names = [
        "device.key", "device.key.2", "keybag.7", "keybag.7.2", "attempts.7", "escrow.7",
        "device.counter", "device.move.file", "passcode.pub", "x", "y", "z",
    ]

    func mode(_ name: String) -> mode_t {
        var status = stat()
        guard unsafe lstat("\(path)/\(name)", &status) == 0 else { return 0 }
        return status.st_mode & 0o7777
    }

    /// Gives a file of the enclave's directory a second name.
    func link(_ name: String, _ other: String) throws {
        let (source, target) = ("\(path)/enclave/\(name)", "\(path)/enclave/\(other)")
        try #require(unsafe Glibc.link(source, target) == 0)
    }

    func open() throws -> StateDirectory { try StateDirectory(statePath: path) }
}
