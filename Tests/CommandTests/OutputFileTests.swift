// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// What `llavero-developer` and `llavero-codesign` do with an existing file at their output path.
@Suite struct OutputFileTests {
    /// Makes a folder with a team in it, and its developer's program.
    private static func run(_ body: (Folder) throws -> Void) throws {
        try TemporaryDirectory.lend { path in
            let folder = Folder(path: path)
            #expect(try folder.developer("create-team", "Team").ending == .exit(0))
            #expect(try folder.developer("issue", "Developer").ending == .exit(0))
            try FileManager.default.copyItem(
                atPath: Binaries.path("llavero-developer"), toPath: path + "/program")
            try body(folder)
        }
    }

    private struct Folder {
        let path: String

        func developer(_ words: String...) throws -> TestProcess.Result {
            try TestProcess.run(
                Binaries.path("llavero-developer"), words + ["--directory", path + "/teams"])
        }

        func codesign(_ words: [String]) throws -> TestProcess.Result {
            try TestProcess.run(
                Binaries.path("llavero-codesign"), words + ["--directory", path + "/teams"])
        }

        /// Owner, kind, rights and inode: these change when another file replaces it.
        func described(_ name: String) throws -> [UInt64] {
            var status = stat()
            guard unsafe lstat(path + "/" + name, &status) == 0 else { return [] }
            return [
                UInt64(status.st_ino), UInt64(status.st_mode), UInt64(status.st_uid),
                UInt64(status.st_rdev),
            ]
        }

        func names() throws -> Set<String> {
            Set(try FileManager.default.contentsOfDirectory(atPath: path))
        }
    }

    /// An attacker puts a link, a FIFO or a device where a tool of root's will write.
    /// Red team: any; refused.
    /// Before: worked; replaced.
    @Test func onlyARegularFileGivesWayToAnOutput() throws {
        try Self.run { folder in
            let path = folder.path
            #expect(unsafe mkfifo(path + "/fifo", 0o600) == 0)
            #expect(unsafe mkdir(path + "/directory", 0o700) == 0)
            try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path + "/other"))
            #expect(unsafe symlink(path + "/other", path + "/link") == 0)
            #expect(unsafe symlink(path + "/nothing", path + "/dangling") == 0)
            var names = ["fifo", "directory", "link", "dangling"]
            if geteuid() == 0 {
                // The null device's numbers, under a name for this test.
                #expect(unsafe mknod(path + "/device", S_IFCHR | 0o600, 0x103) == 0)
                names.append("device")
            }
            let before = try folder.names()
            for name in names {
                let old = try folder.described(name)
                let result = try folder.developer("export", "--output", path + "/" + name)
                #expect(result.ending != .exit(0), "\(name)")
                #expect(result.errors.contains(path + "/" + name), "\(name)")
                #expect(try folder.described(name) == old, "\(name)")
            }
            #expect(try folder.names() == before)
            let other = try Data(contentsOf: URL(fileURLWithPath: path + "/other"))
            #expect(other == Data([1, 2, 3]))
            // The control: a regular file is replaced.
            #expect(
                try folder.developer("export", "--output", path + "/other").ending == .exit(0))
            #expect(try Data(contentsOf: URL(fileURLWithPath: path + "/other")) != other)
        }
    }

    @Test func aProgramIsSignedUnderItsOwnNameAlone() throws {
        try Self.run { folder in
            let path = folder.path
            #expect(unsafe symlink(path + "/program", path + "/link") == 0)
            let old = try folder.described("program")
            for words in [["-s", "Developer"], ["--remove-signature"]] {
                let result = try folder.codesign(words + [path + "/link"])
                #expect(result.ending == .exit(1))
                #expect(result.errors.contains("symbolic link"))
                #expect(try folder.described("program") == old)
            }
            let result = try folder.codesign(["-s", "Developer", path + "/program"])
            #expect(result.ending == .exit(0), "\(result.errors)")
            #expect(try folder.codesign(["-v", path + "/program"]).ending == .exit(0))
            #expect(try folder.names() == ["teams", "program", "link"])
        }
    }

    /// Root signs a user's set-user-ID program, which keeps its owner.
    @Test(.enabled(if: geteuid() == 0))
    func aReplacedProgramKeepsItsOwnerAndRights() throws {
        try Self.run { folder in
            let program = folder.path + "/program"
            let user = TestService.unprivilegedUser
            #expect(unsafe chown(program, user, user) == 0)
            #expect(unsafe chmod(program, 0o4755) == 0)
            let old = try folder.described("program")
            #expect(try folder.codesign(["-s", "Developer", program]).ending == .exit(0))
            let new = try folder.described("program")
            #expect(new[0] != old[0] && new[1] == old[1] && new[2] == old[2])
        }
    }

    /// An attacker takes the temporary names that the tool could use: the command's name, or its
    /// number, in them.
    /// Red team: any; refused.
    /// Before: worked; its name is guessed.
    @Test func noTemporaryNameCanBeGuessed() throws {
        try Self.run { folder in
            let path = folder.path
            try Data([7]).write(to: URL(fileURLWithPath: path + "/victim"))
            // The command is a child of this test, and its number one of the next ones.
            let first = getpid() &+ 1
            let guesses = (first..<first + 4000).map { path + "/out.new-\($0)" }
            for guess in guesses { #expect(unsafe symlink(path + "/victim", guess) == 0) }
            let before = try folder.names()
            #expect(try folder.developer("export", "--output", path + "/out").ending == .exit(0))
            #expect(try folder.names() == before.union(["out"]))
            let victim = try Data(contentsOf: URL(fileURLWithPath: path + "/victim"))
            #expect(victim == Data([7]))
        }
    }
}
