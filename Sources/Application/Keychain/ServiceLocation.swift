// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// Where the keychain service listens, and where its enclave's public key is stored.
public struct ServiceLocation: Sendable {
    /// The socket's path; nil when there is none to try.
    package let socketPath: String?
    /// The service's state directory.
    package let stateDirectory: String
    /// Replaces the deadlines of reads and of writes.
    package let deadline: Duration?

    /// The file with the key to which passcodes are sealed.
    var passcodeKeyPath: String { stateDirectory + "/enclave/passcode.pub" }

    private static let systemDirectory = "/run/llavero"
    /// The socket of the system's service.
    package static let systemSocket = systemDirectory + "/securityd.sock"

    /// A service at a given socket, as `securityd --ephemeral` makes it: its state directory is
    /// the socket's.
    ///
    /// A program with raised privileges sends nothing there, unless root or the owner of `/run/llavero`
    /// runs the service.
    /// - Parameters:
    ///   - socketPath: The socket's path.
    ///   - deadline: Replaces the deadlines (5 s for reads, 30 s for writes).
    public init(socketPath: String, deadline: Duration? = nil) {
        self.socketPath = socketPath
        stateDirectory = Self.directory(of: socketPath)
        self.deadline = deadline
    }

    private init(socketPath: String?, stateDirectory: String, deadline: Duration?) {
        self.socketPath = socketPath
        self.stateDirectory = stateDirectory
        self.deadline = deadline
    }

    /// The service of this process's environment, in this order: `LLAVERO_SOCKET`, the user's
    /// service, the system's service. `LLAVERO_DEADLINE_MS` replaces the deadlines (5 s for reads,
    /// 30 s for writes).
    ///
    /// A program with raised privileges (setuid, setgid) gets the system's service and no other. Its
    /// user decides what the environment and the user's own directories contain.
    public static var current: ServiceLocation {
        guard !isRaised else { return systemService(deadline: nil) }
        let milliseconds = variable("LLAVERO_DEADLINE_MS").flatMap(Int64.init)
        let deadline = milliseconds.flatMap { $0 > 0 ? Duration.milliseconds($0) : nil }
        if let path = variable("LLAVERO_SOCKET") {
            let isUsers = path == userSocketPath()
            return ServiceLocation(
                socketPath: path,
                stateDirectory: isUsers ? userStateDirectory() : directory(of: path),
                deadline: deadline)
        }
        if let path = userSocketPath(), exists(path) {
            return ServiceLocation(
                socketPath: path, stateDirectory: userStateDirectory(), deadline: deadline)
        }
        return systemService(deadline: deadline)
    }

    /// The user's own service, whether it runs or not.
    package static var usersOwn: ServiceLocation {
        ServiceLocation(
            socketPath: userSocketPath(), stateDirectory: userStateDirectory(), deadline: nil)
    }

    /// A user's service with these directories.
    package init(socketPath: String, stateDirectory: String) {
        self.init(socketPath: socketPath, stateDirectory: stateDirectory, deadline: nil)
    }

    /// The machine's service; or another one that `LLAVERO_SOCKET` names, but not the user's own.
    package static var machines: ServiceLocation {
        guard !isRaised, let path = variable("LLAVERO_SOCKET"), path != userSocketPath() else {
            return systemService(deadline: nil)
        }
        return ServiceLocation(socketPath: path)
    }

    /// The sockets that ``current`` looks for, in this order.
    package static var candidates: [String] {
        guard !isRaised else { return [systemSocket] }
        if let path = variable("LLAVERO_SOCKET") { return [path] }
        return [userSocketPath(), systemSocket].compactMap { $0 }
    }

    private static func systemService(deadline: Duration?) -> ServiceLocation {
        ServiceLocation(
            socketPath: exists(systemSocket) ? systemSocket : nil,
            stateDirectory: systemDirectory, deadline: deadline)
    }

    /// Where root permits first passcodes: beside the socket, in a directory of root's.
    var permitsDirectory: String? {
        guard let socketPath else { return nil }
        let directory = Self.directory(of: socketPath)
        return Self.owner(of: directory) == 0 ? directory + "/permits" : nil
    }

    /// Whether the kernel raised this program's privileges (AT_SECURE).
    private static var isRaised: Bool { llavero_raised_privileges() != 0 }

    private static func userSocketPath() -> String? {
        let user = getuid()
        if let directory = variable("XDG_RUNTIME_DIR") {
            return directory + "/llavero/securityd.sock"
        }
        if isPrivate("/run/user/\(user)") { return "/run/user/\(user)/llavero/securityd.sock" }
        if isPrivate("/tmp/llavero-\(user)") { return "/tmp/llavero-\(user)/securityd.sock" }
        return nil
    }

    /// The state directory of the user's own service.
    package static func userStateDirectory() -> String {
        if let directory = variable("XDG_DATA_HOME") { return directory + "/llavero" }
        return (variable("HOME") ?? "") + "/.local/share/llavero"
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0
    }

    /// A directory of this user with no access for other users.
    private static func isPrivate(_ path: String) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFDIR && status.st_mode & 0o777 == 0o700
            && status.st_uid == getuid()
    }

    /// Whether a user may run the service that this process talks to: root, the owner of the system
    /// service's directory, or this process's own user. A program with raised privileges doesn't
    /// trust its own user, whose programs it is protected from.
    package static func isTrustedOwner(_ user: UInt32) -> Bool {
        if user == 0 || user == geteuid() && !isRaised { return true }
        return user == systemOwner
    }

    /// Whether a user may have written the key to which passcodes are sealed. Beside the owners of the
    /// service, that is the user to whom root has given a directory for it: only root could make it
    /// beside the socket.
    func isTrustedKeyOwner(_ user: UInt32) -> Bool {
        if Self.isTrustedOwner(user) { return true }
        let place = Self.directory(of: passcodeKeyPath)
        return Self.owner(of: Self.directory(of: place)) == 0 && Self.owner(of: place) == user
    }

    /// The owner of the system service's directory; nil if there is none, or others can write to it.
    private static var systemOwner: UInt32? { owner(of: systemDirectory) }

    /// The owner of a directory that others can't write to.
    private static func owner(of directory: String) -> UInt32? {
        var status = stat()
        guard unsafe lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_mode & 0o022 == 0
        else { return nil }
        return status.st_uid
    }
}
