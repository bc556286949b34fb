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
    /// A user of the system service doesn't exist.
    case userMissing(String)
    /// Root can't be a daemon's user.
    case userUnusable(String)
    /// Two daemons would have the same user.
    case usersNotDistinct
    /// A directory of the system service is missing and can't be made.
    case directoryNotMade(String, owner: String, mode: UInt32, SystemError)
    /// A directory of the system service belongs to another user.
    case directoryOfAnother(String, owner: UInt32, expected: String)
    /// Others may do too much with a directory of the system service.
    case directoryTooOpen(String, mode: UInt32, allowed: UInt32)
    /// The service manager's socket isn't one that listens.
    case socketNotUsable
    /// The system service was started by another user.
    case notRoot
    /// A right that the system service needs was taken away.
    case rightMissing(String)
    /// The rights that the supervisor doesn't need can't be given up.
    case rightsNotGivenUp(SystemError)
    /// Processes of a daemon's user can't be killed.
    case processesLeft(String)
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
        case .userMissing(let name):
            "There is no user \(name). Make it: systemd-sysusers llavero.conf, or: "
                + "useradd -r -M -s /usr/sbin/nologin \(name)"
        case .userUnusable(let name):
            "\(name) is root, or in root's group; a daemon needs a user of its own."
        case .usersNotDistinct:
            "securityd, enclaved and peerinspector need three different users."
        case .directoryNotMade(let path, let owner, let mode, let error):
            "\(path) is missing and can't be made (\(error)). Make it: install -d -o \(owner) -m "
                + "\(String(mode, radix: 8)) '\(path)'"
        case .directoryOfAnother(let path, let owner, let expected):
            "\(path) belongs to user \(owner), not to \(expected). If its content is the keychain's, "
                + "give it back: chown -R \(expected) '\(path)'"
        case .directoryTooOpen(let path, let mode, let allowed):
            "\(path) is open to others (mode \(String(mode, radix: 8))). Close it: chmod "
                + "\(String(allowed, radix: 8)) '\(path)'"
        case .socketNotUsable:
            "The service manager must pass exactly one Unix stream socket that listens."
        case .notRoot:
            "securityd --system must be started by root: its daemons become users of their own. "
                + "For a keychain of your own, use securityd --user."
        case .rightMissing(let name):
            "\(name) was taken away from this process; the daemons can't become their users."
        case .rightsNotGivenUp(let error):
            "The rights that aren't needed can't be given up: \(error)"
        case .processesLeft(let name):
            "Processes of user \(name) are left and can't be killed, so securityd isn't started."
        case .noHome: "HOME is not set, so there is no place for the keychain. Set XDG_DATA_HOME."
        }
    }
}
