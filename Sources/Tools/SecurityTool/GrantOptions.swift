// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import Glibc
import SecurityWire

/// What `-A` and `-T` say of a new item.
struct GrantOptions {
    /// Nil without either option: then its group alone has it.
    private(set) var grants: ItemGrants?

    private static let groupPrefix = "group://"

    /// `-A`: every program of the user.
    mutating func takeAll() {
        var granted = grants ?? ItemGrants()
        granted.admitsAll = true
        grants = granted
    }

    /// `-T`: this program alone; an empty path is none. As many times as one likes.
    mutating func take(_ path: String) {
        var granted = grants ?? ItemGrants()
        granted.withholdsFromGroup = true
        if !path.isEmpty { granted.applications.append(Self.name(of: path)) }
        grants = granted
    }

    /// `-S`: kinds of programs, with commas.
    /// - Returns: Nil for what can't be stored.
    static func partitions(_ list: String) -> [String]? {
        var grants = ItemGrants()
        grants.partitions = list.split(separator: ",").map(String.init)
        return grants.isSound ? grants.partitions : nil
    }

    /// Whether there are too many, or a path is too long.
    var isSound: Bool { grants?.isSound ?? true }

    // MARK: - Programs

    /// What the service calls a program: a signed one by its team and identifier, any other by its path.
    /// One that isn't there is kept by the path, as scripts for the Mac name programs of the Mac.
    private static func name(of path: String) -> String {
        guard !path.hasPrefix(groupPrefix) else { return path }
        if let signed = signedName(path) { return signed }
        return "path:" + absolute(path)
    }

    private static func signedName(_ path: String) -> String? {
        let raw = unsafe llavero_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0)
        guard raw >= 0 else { return nil }
        defer { close(raw) }
        var status = stat()
        guard unsafe fstat(raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let program = try? SignedExecutable(
                ByteSource(descriptor: raw, byteCount: Int(status.st_size)))
        else { return nil }
        return (try? program.signature.get())?.applicationIdentifier
    }

    private static func absolute(_ path: String) -> String {
        if let resolved = unsafe realpath(path, nil) {
            defer { unsafe free(resolved) }
            return unsafe String(cString: resolved)
        }
        guard !path.hasPrefix("/"), let folder = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(folder) }
        return unsafe String(cString: folder) + "/" + path
    }
}
