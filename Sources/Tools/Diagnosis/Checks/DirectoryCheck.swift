// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// The owners and rights of the state directory, its files, the directories above it, and the
/// directory of the socket.
package struct DirectoryCheck: Check {
    package let name = "directories"
    private let places: Places
    /// Whether a service answers. Its state directory must be there then.
    private let isServed: Bool

    package init(_ places: Places, isServed: Bool) {
        self.places = places
        self.isServed = isServed
    }

    /// The files that others may read.
    private static let publicFiles: Set<String> = ["passcode.pub"]

    /// See ``Check/run()``.
    package func run() -> Report {
        if let reason = places.foreignFiles { return .skipped(name, because: reason) }
        var findings = runtime()
        let state = places.stateDirectory
        do throws(FileError) {
            let facts = try FileFacts(state)
            findings += directory(state, facts)
            if facts.isDirectory {
                findings += above(state)
                findings += files(in: state) + enclave(in: state)
            }
            return Report(name, state, findings)
        } catch {
            guard error.isAbsence else {
                findings.append(unusable(state, error))
                return Report(name, state, findings)
            }
            if isServed { findings.append(elsewhere) }
            return Report(name, "no \(state) yet", findings)
        }
    }

    // MARK: - Directories

    private func directory(_ path: String, _ facts: FileFacts) -> [Finding] {
        guard facts.isDirectory else {
            return [
                Finding(
                    .broken, "not-a-directory", what: "\(path) is not a directory.",
                    why: "The service doesn't start with it, or refuses what is in it.",
                    advice: "Move it away, and start the service again.")
            ]
        }
        guard facts.owner == owner else {
            return [
                Finding(
                    .broken, "directory-of-another-user",
                    what: "\(path) belongs to user \(facts.owner), not to user \(owner).",
                    why: "The service doesn't start with it. Its owner can read and replace the "
                        + "keychain.",
                    advice: "Give it back: chown -R \(owner) '\(path)'")
            ]
        }
        guard facts.mode & 0o077 != 0 else { return [] }
        return [
            Finding(
                .broken, "directory-open-to-others",
                what: "Other users can enter \(path) (mode \(facts.octal)).",
                why:
                    "The service doesn't start with it: others could copy or replace the keychain.",
                advice: "Make it private: chmod 700 '\(path)'")
        ]
    }

    /// Directories above, in which another user could replace the state directory.
    private func above(_ path: String) -> [Finding] {
        var findings: [Finding] = []
        var path = path[...]
        while let slash = path.lastIndex(of: "/"), path.count > 1 {
            path = slash == path.startIndex ? path[...slash] : path[..<slash]
            guard let facts = try? FileFacts(following: String(path)) else { continue }
            let isGroups = facts.mode & 0o020 != 0 && ![0, getgid()].contains(facts.group)
            let isShared = facts.mode & 0o002 != 0 || isGroups
            let isSticky = facts.mode & 0o1000 != 0
            let isForeign = ![0, owner, Self.unmappedUser].contains(facts.owner)
            guard isForeign || isShared && !isSticky else { continue }
            findings.append(
                Finding(
                    .broken, "parent-open-to-others",
                    what: "Other users can write in \(path) (user \(facts.owner), mode "
                        + "\(facts.octal)), which is above the keychain.",
                    why: "They can move the keychain away, and put another one in its place.",
                    advice: "Take that right away: chmod go-w '\(path)', or chown it."))
        }
        return findings
    }

    /// In a container, the kernel shows files of users that aren't mapped as this user's.
    private static let unmappedUser: UInt32 = 65534

    private func runtime() -> [Finding] {
        var findings: [Finding] = []
        if let base = places.runtimeBase {
            do throws(FileError) {
                let facts = try FileFacts(following: base)
                if facts.owner != places.user {
                    findings.append(
                        Finding(
                            .broken, "runtime-directory-of-another-user",
                            what: "XDG_RUNTIME_DIR is \(base), which belongs to user "
                                + "\(facts.owner) and not to user \(places.user).",
                            why:
                                "`sudo` and `su` leave the variable as it was, so that commands look "
                                + "for another user's keychain.",
                            advice: "Unset it, or set it to /run/user/\(places.user)."))
                }
            } catch {
                findings.append(
                    Finding(
                        .broken, "runtime-directory-absent",
                        what: "XDG_RUNTIME_DIR is \(base): \(error.text).",
                        why: "`securityd --user` can't make its socket there.",
                        advice: "Make the directory (mode 0700), or unset the variable."))
            }
        }
        guard let socket = places.socket, let slash = socket.lastIndex(of: "/"), !places.isSystem,
            slash != socket.startIndex
        else { return findings }
        let path = String(socket[..<slash])
        guard path != places.stateDirectory, let facts = try? FileFacts(path) else {
            return findings
        }
        return findings + directory(path, facts)
    }

    private var owner: UInt32 {
        // The system's service has a user of its own: that of the directory.
        guard places.isSystem, let facts = try? FileFacts(places.stateDirectory) else {
            return places.user
        }
        return facts.owner
    }

    private var elsewhere: Finding {
        Finding(
            .broken, "state-directory-elsewhere",
            what: "A service answers, and its state directory isn't \(places.stateDirectory).",
            why: "A passcode is sealed to a key that lies in that directory. Setting one, and "
                + "unlocking, fail.",
            advice: "Give this command the same XDG_DATA_HOME, HOME and LLAVERO_SOCKET as the "
                + "service has.")
    }

    private func unusable(_ path: String, _ error: FileError) -> Finding {
        Finding(
            .broken, "directory-unusable", what: "\(path) can't be looked at: \(error.text).",
            why: "The service can't use it either, if it runs as user \(places.user).",
            advice: "Give the directories above it back to that user (chown, chmod).")
    }

    // MARK: - Files

    /// enclaved's directory, which it makes at its first start.
    private func enclave(in state: String) -> [Finding] {
        let path = state + "/enclave"
        do throws(FileError) {
            return directory(path, try FileFacts(path)) + files(in: path)
        } catch { return error.isAbsence ? [] : [unusable(path, error)] }
    }

    private func files(in directory: String) -> [Finding] {
        (FileNames.of(directory) ?? []).flatMap { file($0, in: directory) }
    }

    private func file(_ name: String, in directory: String) -> [Finding] {
        let path = directory + "/" + name
        // A file may be gone by now.
        guard let facts = try? FileFacts(path), !facts.isDirectory else { return [] }
        guard [S_IFREG, S_IFSOCK].contains(facts.kind) else {
            return [
                Finding(
                    .broken, "not-a-file", what: "\(path) is neither a file nor a socket.",
                    why: "The service refuses links and devices among its files.",
                    advice: "Stop the service, and move it away.")
            ]
        }
        if places.isSystem { return [] }
        guard facts.owner == owner else {
            return [
                Finding(
                    .broken, "file-of-another-user",
                    what: "\(path) belongs to user \(facts.owner), not to user \(owner).",
                    why: "The service can't use it, or another user can replace it.",
                    advice: "Give it back: chown \(owner) '\(path)'")
            ]
        }
        let forbidden: UInt32 = Self.publicFiles.contains(name) ? 0o022 : 0o077
        guard facts.mode & forbidden != 0, facts.kind == S_IFREG else { return [] }
        return [
            Finding(
                .advice, "file-open-to-others",
                what: "The mode of \(path) is \(facts.octal).",
                why: "Only the directory around it keeps other users away from it.",
                advice: "Take that right away: chmod go= '\(path)'")
        ]
    }
}
