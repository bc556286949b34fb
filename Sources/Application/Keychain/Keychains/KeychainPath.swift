// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Where a keychain of a name is. Paths are bytes: Linux has names that are no UTF-8. Source: macOS, as
/// observed.
package enum KeychainPath {
    private static let folder = [UInt8]("/Library/Keychains/".utf8)
    private static let suffix = [UInt8]("-db".utf8)
    private static let loginNames = ["login.keychain", "login.keychain-db", "login"].map {
        [UInt8]($0.utf8)
    }
    private static let slash = UInt8(ascii: "/")

    /// The path that a name means.
    ///
    /// A name that doesn't begin with a slash is below `~/Library/Keychains`. There every keychain's
    /// file ends in `-db`, unless only a file without it exists. Elsewhere a path is what it is.
    /// - Parameters:
    ///   - name: What the user has written; not empty.
    ///   - home: The home directory, without a slash at its end.
    ///   - exists: Whether there is something at a path.
    /// - Returns: An absolute path.
    package static func path(
        of name: [UInt8], home: [UInt8], exists: ([UInt8]) -> Bool
    ) -> [UInt8] {
        let folder = home + folder
        let path = name.first == slash ? name : folder + name
        guard path.starts(with: folder), !path.dropFirst(folder.count).contains(slash),
            !path.reversed().starts(with: suffix.reversed())
        else { return path }
        let long = path + suffix
        return !exists(long) && exists(path) ? path : long
    }

    /// Where login's marker is.
    package static func login(home: [UInt8]) -> [UInt8] {
        home + folder + [UInt8]("login.keychain-db".utf8)
    }

    /// Whether a path, as ``path(of:home:exists:)`` gives it, is login's. Login exists with or without
    /// its marker.
    package static func isLogin(_ path: [UInt8], home: [UInt8]) -> Bool {
        let folder = home + folder
        guard path.starts(with: folder) else { return false }
        return loginNames.contains(Array(path.dropFirst(folder.count)))
            || path == login(home: home)
            || path == folder + [UInt8]("login-db".utf8)
    }
}
