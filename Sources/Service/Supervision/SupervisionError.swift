// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC

/// Why the service couldn't be started; `description` tells a person what to do.
package enum SupervisionError: Error, Sendable, CustomStringConvertible {
    /// A directory isn't private.
    case directoryNotPrivate(String, mode: UInt32)
    /// A directory belongs to another user.
    case directoryNotOurs(String, owner: UInt32)
    /// A file is at the directory's path.
    case notADirectory(String)
    /// A directory can't be made or examined.
    case directoryUnusable(String, SystemError)
    /// The socket's path is too long for the kernel.
    case socketPathTooLong(String, byteCount: Int)
    /// The socket can't be made.
    case socketUnusable(String, SystemError)
    /// Another service uses this state directory.
    case alreadyRunning(String)
    /// A program can't be started.
    case programNotStarted(String, SystemError)
    /// There is no home directory for the state.
    case noHome

    package var description: String {
        switch self {
        case .directoryNotPrivate(let path, let mode):
            "\(path) can be entered by others (mode \(String(mode, radix: 8))). "
                + "Make it private: chmod 700 '\(path)'"
        case .directoryNotOurs(let path, let owner):
            "\(path) belongs to user \(owner), not to the user who starts the service. "
                + "Give it back (chown) or choose another place with XDG_DATA_HOME."
        case .notADirectory(let path):
            "\(path) is not a directory. Move it away, and the service makes one."
        case .directoryUnusable(let path, let error): "\(path) can't be used: \(error)"
        case .socketPathTooLong(let path, let byteCount):
            "The socket's path has \(byteCount) bytes, the kernel takes 107: \(path). "
                + "Set TMPDIR or XDG_RUNTIME_DIR to a shorter path."
        case .socketUnusable(let path, let error): "The socket \(path) can't be made: \(error)"
        case .alreadyRunning(let path):
            "Another securityd works on \(path). Stop it first, or use that one."
        case .programNotStarted(let path, let error): "\(path) can't be started: \(error)"
        case .noHome: "HOME is not set, so there is no place for the keychain. Set XDG_DATA_HOME."
        }
    }
}
