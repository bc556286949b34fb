// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Foundation
import IPC

/// The directories of the system service; checked, and locked for this process.
package struct SystemPlaces: ~Copyable {
    /// What all paths are below; empty for the system itself.
    package let root: String
    /// securityd's state: its user's alone.
    package let state: String
    /// enclaved's state: its user's alone.
    package let enclaveState: String
    /// What clients see: the socket, and the key to which passcodes are sealed. Root's.
    package let runtime: String
    /// Where enclaved puts that key; enclaved's.
    package let publicKey: String
    /// What the administrator decides: the trusted teams. Root's.
    package let configuration: String
    private let lock: Descriptor

    /// Root's permits for first passcodes; made by `security`.
    package var permits: String { runtime + "/permits" }

    /// The socket.
    package var socketPath: String { runtime + "/securityd.sock" }

    /// Makes what is missing, and checks everything.
    /// - Parameters:
    ///   - root: What all paths are below; empty for the system itself.
    ///   - users: The owners.
    /// - Throws: ``SupervisionError``: a sentence that says what is wrong.
    package init(root: String, users: ServiceUsers) throws(SupervisionError) {
        self.root = root
        state = root + "/var/lib/llavero"
        enclaveState = root + "/var/lib/llavero-enclave"
        runtime = root + "/run/llavero"
        publicKey = runtime + "/enclave"
        configuration = root + "/etc/llavero"
        try Self.prepare(state, users.securityd, mode: 0o700)
        try Self.prepare(enclaveState, users.enclaved, mode: 0o700)
        try Self.prepare(runtime, nil, mode: 0o755)
        try Self.prepare(publicKey, users.enclaved, mode: 0o755)
        try Self.prepare(runtime + "/permits", nil, mode: 0o755)
        // What monitors read.
        try Self.prepare(runtime + "/metrics", users.securityd, mode: 0o755)
        // What the oneshot that exports trust settings watches.
        try Self.prepare(runtime + "/trust", users.securityd, mode: 0o755)
        try Self.prepare(configuration, nil, mode: 0o755)
        guard let lock = try PrivateDirectory.lock(runtime) else { throw .alreadyRunning(state) }
        self.lock = lock
    }

    /// Makes a directory if there is none, and checks whose it is and who may do what with it.
    private static func prepare(
        _ path: String, _ user: ServiceUser?, mode: UInt32
    ) throws(SupervisionError) {
        let (userID, groupID) = (user?.userID ?? 0, user?.groupID ?? 0)
        try PrivateDirectory.prepareParents(of: path)
        if unsafe mkdir(path, 0o700) == 0 {
            guard unsafe chmod(path, mode) == 0, unsafe chown(path, userID, groupID) == 0 else {
                let failure = SystemError("chown")
                _ = unsafe rmdir(path)
                throw .directoryNotMade(path, owner: user?.name ?? "root", mode: mode, failure)
            }
        } else if errno != EEXIST {
            throw .directoryNotMade(
                path, owner: user?.name ?? "root", mode: mode, SystemError("mkdir"))
        }
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            throw .directoryUnusable(path, SystemError("stat"))
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .notADirectory(path) }
        guard status.st_uid == userID else {
            throw .directoryOfAnother(
                path, owner: status.st_uid, expected: user?.name ?? "root")
        }
        // Other users may read public directories. Only the owner may write.
        let forbidden: UInt32 = mode == 0o700 ? 0o077 : 0o022
        guard status.st_mode & forbidden == 0 else {
            throw .directoryTooOpen(path, mode: status.st_mode & 0o7777, allowed: mode)
        }
    }
}
