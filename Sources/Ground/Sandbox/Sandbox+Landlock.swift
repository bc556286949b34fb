// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

extension Sandbox {
    /// The kernel's numbers (linux/landlock.h); headers older than the kernel lack some.
    private enum FileRight {
        static let writeFile: UInt64 = 1 << 1
        static let readFile: UInt64 = 1 << 2
        static let readDirectory: UInt64 = 1 << 3
        static let removeFile: UInt64 = 1 << 5
        static let makeRegular: UInt64 = 1 << 8
        static let truncate: UInt64 = 1 << 14

        /// All access rights that a version knows: a right in a ruleset is denied unless a rule
        /// allows it.
        static func known(version: Int) -> UInt64 {
            switch version {
            case ...1: (1 << 13) - 1
            case 2: (1 << 14) - 1
            case 3, 4: (1 << 15) - 1
            default: (1 << 16) - 1
            }
        }
    }

    /// TCP, both directions.
    private static let network: UInt64 = 3
    /// Being connected to by TCP.
    private static let listening: UInt64 = 1
    /// Abstract sockets, and signals, to processes outside.
    private static let scopes: UInt64 = 3

    /// The available version of Landlock.
    struct Landlock {
        /// 0 when there is none.
        let version: Int
        let missing: LandlockMissing?
    }

    /// Asks the kernel, or a filter that answers for it.
    private static func landlock() throws(SandboxError) -> Landlock {
        let version = Int(llavero_landlock_version())
        guard version <= 0 else { return Landlock(version: version, missing: nil) }
        guard let missing = LandlockMissing(errno: errno) else { throw SandboxError("Landlock") }
        return Landlock(version: 0, missing: missing)
    }

    /// From now on signals and abstract sockets to processes outside are denied, as far as the
    /// kernel's version supports it. A child that is forked later is in the same domain.
    static func fenceProcesses() throws(SandboxError) {
        guard try landlock().version >= 6 else { return }
        let ruleset = llavero_landlock_ruleset(0, 0, scopes)
        guard ruleset >= 0 else { throw SandboxError("Landlock scope") }
        defer { close(ruleset) }
        guard llavero_landlock_restrict_self(ruleset) == 0 else {
            throw SandboxError("Landlock restriction to a scope")
        }
    }

    /// From now on files outside the directory, TCP, and, unless they are denied already, signals
    /// to processes outside are denied, as far as the kernel's version supports it.
    /// - Returns: The state of Landlock.
    static func fenceFiles(
        stateDirectory: Int32?, fencesProcesses: Bool
    ) throws(SandboxError) -> Landlock {
        let landlock = try landlock()
        let version = landlock.version
        guard version > 0 else { return landlock }
        let known = FileRight.known(version: version)
        let ruleset = llavero_landlock_ruleset(
            known, version >= 4 ? network : 0, version >= 6 && fencesProcesses ? scopes : 0)
        guard ruleset >= 0 else { throw SandboxError("Landlock ruleset") }
        defer { close(ruleset) }
        if let stateDirectory {
            var rule = landlock_path_beneath_attr()
            rule.allowed_access =
                known
                & (FileRight.readFile | FileRight.writeFile | FileRight.makeRegular
                    | FileRight.removeFile | FileRight.truncate)
            rule.parent_fd = stateDirectory
            guard unsafe llavero_landlock_add_path_rule(ruleset, &rule) == 0 else {
                throw SandboxError("Landlock rule")
            }
        }
        guard llavero_landlock_restrict_self(ruleset) == 0 else {
            throw SandboxError("Landlock restriction")
        }
        return landlock
    }

    /// From now on only files below these folders can be read, and nothing can be written; TCP and
    /// signals to processes outside are denied. As far as the kernel's version supports it.
    /// - Parameters:
    ///   - folders: The folders; one that doesn't exist gives nothing to read.
    ///   - files: Further files, as they are now.
    ///   - connects: Whether connections by TCP may be made, though none accepted.
    /// - Throws: when the kernel refuses a rule.
    static func fenceReading(
        _ folders: [String], files: [String] = [], connects: Bool = false
    ) throws(SandboxError) {
        let version = try landlock().version
        guard version > 0 else { return }
        let ruleset = llavero_landlock_ruleset(
            FileRight.known(version: version),
            version >= 4 ? (connects ? listening : network) : 0, version >= 6 ? scopes : 0)
        guard ruleset >= 0 else { throw SandboxError("Landlock ruleset") }
        defer { close(ruleset) }
        let places = folders.map { ($0, true) } + files.map { ($0, false) }
        for (path, isFolder) in places {
            let kind = isFolder ? O_DIRECTORY : O_NONBLOCK | O_NOCTTY
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | kind)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            var rule = landlock_path_beneath_attr()
            rule.allowed_access =
                FileRight.readFile | (isFolder ? FileRight.readDirectory : 0)
            rule.parent_fd = descriptor
            guard unsafe llavero_landlock_add_path_rule(ruleset, &rule) == 0 else {
                throw SandboxError("Landlock rule")
            }
        }
        guard llavero_landlock_restrict_self(ruleset) == 0 else {
            throw SandboxError("Landlock restriction")
        }
    }
}
