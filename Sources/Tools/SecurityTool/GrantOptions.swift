// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

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
        if !path.isEmpty { granted.applications += Self.names(of: path) }
        grants = granted
    }

    /// What an item has that is changed: these in addition to those that it had.
    func added(to earlier: ItemGrants?) -> ItemGrants? {
        guard let grants, let earlier else { return grants }
        var all = earlier
        all.withholdsFromGroup = earlier.withholdsFromGroup || grants.withholdsFromGroup
        all.admitsAll = earlier.admitsAll || grants.admitsAll
        for name in grants.applications where !all.applications.contains(name) {
            all.applications.append(name)
        }
        return all
    }

    /// `-S`: kinds of programs, with commas.
    /// - Returns: Nil for what can't be stored.
    static func partitions(_ list: String) -> [String]? {
        var grants = ItemGrants()
        grants.partitions = list.split(separator: ",").map(String.init)
        return grants.isSound ? grants.partitions : nil
    }

    /// Whether they can be stored: not too many, no path too long.
    var isSound: Bool { grants?.isSound ?? true }

    // MARK: - Programs

    /// What the service calls a program: by its path, and a signed one also by its team and identifier.
    /// One that isn't there is kept by the path, as scripts for the Mac name programs of the Mac.
    private static func names(of path: String) -> [String] {
        guard !path.hasPrefix(groupPrefix) else { return [path] }
        // Where the team isn't trusted, a program of root's goes by its path.
        return (SignedProgramName.read(path).map { [$0] } ?? []) + ["path:" + absolute(path)]
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
