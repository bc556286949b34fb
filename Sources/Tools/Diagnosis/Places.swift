// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
package import Keychain

/// Where the keychain's service and its files are, or would be.
package struct Places: Sendable {
    /// The sockets that a client looks for, in this order.
    package var candidates: [String]
    /// The socket that a client uses; nil when there is none to try.
    package var socket: String?
    /// The service's state directory.
    package var stateDirectory: String
    /// Where `securityd --ephemeral` makes its directories.
    package var temporaryDirectory: String
    /// `XDG_RUNTIME_DIR`.
    package var runtimeBase: String?
    /// The user.
    package var user: UInt32
    /// Whether the files are those of the system's service.
    package var isSystem: Bool

    /// Combines the parts.
    package init(
        candidates: [String] = [], socket: String? = nil, stateDirectory: String,
        temporaryDirectory: String = "/tmp", runtimeBase: String? = nil, user: UInt32 = geteuid(),
        isSystem: Bool = false
    ) {
        self.candidates = candidates
        self.socket = socket
        self.stateDirectory = stateDirectory
        self.temporaryDirectory = temporaryDirectory
        self.runtimeBase = runtimeBase
        self.user = user
        self.isSystem = isSystem
    }

    /// The places of a client's service. Without a socket the files are those of the user's own
    /// service.
    package init(
        _ location: ServiceLocation, temporaryDirectory: String, runtimeBase: String?
    ) {
        let isSystem = location.socketPath == ServiceLocation.systemSocket
        self.init(
            candidates: ServiceLocation.candidates, socket: location.socketPath,
            stateDirectory: location.socketPath == nil
                ? ServiceLocation.userStateDirectory() : location.stateDirectory,
            temporaryDirectory: temporaryDirectory, runtimeBase: runtimeBase, isSystem: isSystem)
    }

    /// Why this user can't look at the files of the service; nil if he can.
    var foreignFiles: String? {
        isSystem && user != 0 ? "the files are the system service's: only root can look" : nil
    }

    /// Whether the state directory is that of an ephemeral keychain.
    var isEphemeral: Bool {
        stateDirectory.split(separator: "/").last?.hasPrefix("llavero-ephemeral-") ?? false
    }
}

/// A file's kind, owner and rights.
struct FileFacts {
    let kind: UInt32
    let owner: UInt32
    let group: UInt32
    /// The lower 12 bits of its mode.
    let mode: UInt32
    /// Seconds since 1970.
    let modified: Int64

    /// Looks at a file without following a link.
    /// - Throws: The error number.
    init(_ path: String) throws(FileError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw FileError(number: errno) }
        self.init(status)
    }

    /// Looks at a file, or at the file that a link leads to.
    init(following path: String) throws(FileError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw FileError(number: errno) }
        self.init(status)
    }

    private init(_ status: stat) {
        kind = status.st_mode & S_IFMT
        owner = status.st_uid
        group = status.st_gid
        mode = status.st_mode & 0o7777
        modified = Int64(status.st_mtim.tv_sec)
    }

    var isDirectory: Bool { kind == S_IFDIR }
    /// The mode as `chmod` takes it.
    var octal: String { String(mode, radix: 8) }
}

/// The error number of a call.
struct FileError: Error {
    let number: Int32

    var isAbsence: Bool { number == ENOENT || number == ENOTDIR }
    var text: String { unsafe String(cString: strerror(number)) }
}
