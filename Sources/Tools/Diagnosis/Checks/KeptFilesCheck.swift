// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// Damaged files that the service has kept, and directories that killed services have left.
package struct KeptFilesCheck: Check {
    package let name = "kept files"
    private let places: Places

    package init(_ places: Places) { self.places = places }

    private static let keptPrefix = "keychain-damaged-"

    /// See ``Check/run()``.
    package func run() -> Report {
        let leftovers = leftovers
        if let reason = places.foreignFiles, leftovers.isEmpty {
            return .skipped(name, because: reason)
        }
        // A log beside its database is part of that.
        let kept = (FileNames.of(places.stateDirectory) ?? []).filter {
            $0.hasPrefix(Self.keptPrefix) && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
        }
        var findings: [Finding] = []
        if !kept.isEmpty {
            findings.append(
                Finding(
                    .advice, "damaged-files-kept",
                    what: "\(kept.count) damaged files are kept in \(places.stateDirectory): "
                        + kept.joined(separator: ", "),
                    why: "The database was damaged once. Items may be missing that still open.",
                    advice: "`security device recover`. When it has brought back everything, move "
                        + "the files away. Look for the cause: a disk that fails, or a copy of the "
                        + "files that was made while the service ran."))
        }
        if !leftovers.isEmpty {
            findings.append(
                Finding(
                    .advice, "ephemeral-keychains-left",
                    what: "\(leftovers.count) keychains of killed commands are left: "
                        + leftovers.joined(separator: ", "),
                    why: "They hold items, sealed by a key that lies beside them.",
                    advice: "The next `securityd --ephemeral` removes them: "
                        + "`securityd --ephemeral -- true`."))
        }
        let total = kept.count + leftovers.count
        return Report(name, total == 0 ? "none" : "\(total)", findings)
    }

    /// Directories of ephemeral keychains that no service uses.
    private var leftovers: [String] {
        let directory = places.temporaryDirectory
        let names = FileNames.of(directory) ?? []
        return names.filter { $0.hasPrefix("llavero-ephemeral-\(places.user)-") }
            .map { directory + "/" + $0 }
            .filter(isAbandoned)
    }

    private func isAbandoned(_ path: String) -> Bool {
        guard let facts = try? FileFacts(path), facts.isDirectory, facts.owner == places.user
        else { return false }
        let lock = unsafe llavero_open(
            path + "/supervisor.lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        // It is just being made, or removed.
        guard lock >= 0 else { return false }
        let file = Descriptor(owning: lock)
        return flock(file.rawValue, LOCK_SH | LOCK_NB) == 0
    }
}
