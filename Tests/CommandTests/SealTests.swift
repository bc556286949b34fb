// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// `security seal` and `security unseal`.
@Suite struct SealTests {
    private let security: Transcript

    init() throws { security = try Transcript() }

    private static func bytes(_ count: Int) -> Data {
        var random = SeededGenerator(seed: 3)
        return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    private static func read(_ path: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: path))
    }

    @Test func aFileIsSealedAndUnsealedBesideItself() throws {
        try TemporaryDirectory.lend { folder in
            let path = folder + "/letter"
            let bytes = Self.bytes(200_000)
            try bytes.write(to: URL(fileURLWithPath: path))
            #expect(try security.run("seal", path) == Answer(0))
            let sealed = try Self.read(path + ".sealed")
            #expect(sealed.count == 168 + 200_000 + 4 * 16)
            #expect(sealed.range(of: bytes.prefix(64)) == nil)
            #expect(try Self.read(path) == bytes)
            #expect(
                try security.run("unseal", path + ".sealed")
                    == Answer(
                        1,
                        errors: "security: unseal: \(path): is there already; --force replaces it\n"
                    ))
            try Data([1]).write(to: URL(fileURLWithPath: path))
            #expect(try security.run("unseal", "--force", path + ".sealed") == Answer(0))
            #expect(try Self.read(path) == bytes)
            #expect(
                try security.run("seal", path)
                    == Answer(
                        1,
                        errors:
                            "security: seal: \(path).sealed: is there already; --force replaces "
                            + "it\n"))
            #expect(
                try security.run("seal", "--force", "--class", "complete", path) == Answer(0))
            #expect(try security.run("unseal", path + ".sealed", path + ".2") == Answer(0))
            #expect(try Self.read(path + ".2") == bytes)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                    == ["letter", "letter.2", "letter.sealed"])
            let attributes = try FileManager.default.attributesOfItem(atPath: path + ".2")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func pipesAreSealedAndUnsealed() throws {
        try TemporaryDirectory.lend { folder in
            let sealed = folder + "/sealed"
            for name in ["complete", "complete-unless-open", "until-first-authentication", "none"] {
                let answer = try security.run(
                    "seal", "--class", name, "--force", "-", sealed, input: "a text of \(name)\n")
                #expect(answer == Answer(0))
                #expect(
                    try security.run("unseal", sealed, "-") == Answer(0, "a text of \(name)\n"))
                // From a pipe to a pipe.
                let tool = try Binaries.path("security")
                let both = try security.shell(
                    "printf abc | '\(tool)' seal --class \(name) - | '\(tool)' unseal -")
                #expect(both == Answer(0, "abc"))
            }
        }
    }

    @Test func whatWasChangedOrCutOffIsNotUnsealed() throws {
        try TemporaryDirectory.lend { folder in
            let path = folder + "/letter"
            try Self.bytes(200_000).write(to: URL(fileURLWithPath: path))
            #expect(try security.run("seal", path) == Answer(0))
            let sealed = try Self.read(path + ".sealed")
            let bad = folder + "/bad"
            let cut = "was changed, cut off or appended to after it was sealed"
            var flipped = sealed
            flipped[70_000] ^= 1
            let files: [(Data, String)] = [
                (sealed.dropLast(1), cut), (sealed.prefix(168 + 65_552), cut),
                (sealed + [0], cut), (flipped, "was changed after it was sealed"),
                (Data(), "isn't a sealed file"), (Data("a text".utf8), "isn't a sealed file"),
            ]
            for (bytes, text) in files {
                try bytes.write(to: URL(fileURLWithPath: bad))
                let expected = Answer(1, errors: "security: unseal: \(bad): \(text)\n")
                #expect(try security.run("unseal", bad, folder + "/out") == expected)
                #expect(!FileManager.default.fileExists(atPath: folder + "/out"))
                // With a pipe the exit status shows it.
                let piped = try security.run("unseal", bad, "-")
                #expect(piped.status == 1)
                #expect(piped.errors == expected.errors)
            }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                    == ["bad", "letter", "letter.sealed"])
        }
    }

    @Test func aKeyThatIsntThereHasAStatusOfItsOwn() throws {
        try TemporaryDirectory.lend { folder in
            let path = folder + "/letter"
            try Data("text".utf8).write(to: URL(fileURLWithPath: path))
            #expect(try security.run("seal", "--key", "mine", path) == Answer(0))
            // The key is an item like any other.
            let find = [
                "find-generic-password", "-s", "llavero.sealed-files", "-a",
                "until-first-authentication:mine",
            ]
            #expect(try security.run(find).status == 0)
            #expect(
                try security.run(["delete-generic-password"] + find.dropFirst()).status == 0)
            let answer = try security.run("unseal", path + ".sealed", folder + "/out")
            #expect(answer == Answer(44, errors: "security: unseal: \(Text.absent)\n"))

            #expect(try security.run("seal", "--prepare", "--class", "complete") == Answer(0))
            #expect(
                try security.run("device", "set-passcode", "--passcode-fd", "0", input: "1234\n")
                    == Answer(0))
            #expect(
                try security.run("seal", "--force", "--class", "complete", path) == Answer(0))
            #expect(try security.run("device", "lock") == Answer(0))
            #expect(try security.run("unseal", path + ".sealed", folder + "/out").status == 36)
            #expect(
                try security.run("seal", "--force", "--class", "complete", path).status == 36)
            #expect(try security.run("seal", "--force", path, path + ".2") == Answer(0))
            #expect(
                try Transcript(socket: folder + "/none").run("unseal", path + ".sealed", "-")
                    .status == 53)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                    == ["letter", "letter.2", "letter.sealed"])
        }
    }

    @Test func wrongWordsAreUsage() throws {
        for words in [
            ["seal"], ["seal", "--class", "x", "a"], ["seal", "a", "b", "c"], ["seal", "--class"],
            ["seal", "-x", "a"], ["seal", "--prepare", "a"], ["seal", ""], ["unseal"],
            ["unseal", "--class", "none", "a.sealed"], ["unseal", "a", "b", "c"],
        ] {
            let answer = try security.run(words)
            #expect(answer.status == 2, "\(words)")
            #expect(answer.errors.hasPrefix("Usage: \(words[0]) "), "\(words)")
        }
        #expect(
            try security.run("unseal", "/tmp/letter")
                == Answer(
                    2,
                    errors:
                        "security: unseal: /tmp/letter doesn't end in .sealed: name the new file\n"
                ))
    }

    @Test func whatIsNoFileIsRefused() throws {
        try TemporaryDirectory.lend { folder in
            unsafe mkfifo(folder + "/pipe", 0o600)
            for path in [folder, folder + "/pipe", "/dev/null"] {
                let answer = try security.run("seal", path, folder + "/out")
                #expect(answer.status == 1)
                #expect(answer.errors.contains("only files can be named"))
            }
            #expect(try security.run("seal", folder + "/none").status == 1)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["pipe"])
        }
    }

    /// The old file stays until the new one is complete, however the program ends.
    @Test func aKillInTheMiddleLeavesTheOldFile() throws {
        try TemporaryDirectory.lend { folder in
            let sealed = folder + "/sealed"
            #expect(try security.run("seal", "-", sealed, input: "old") == Answer(0))
            for byteCount in [1, 100_000, 3_000_000] {
                let process = try security.start(["seal", "--force", "-", sealed])
                process.write(String(repeating: "x", count: byteCount))
                process.signal(SIGKILL)
                #expect(try process.wait() == .signal(SIGKILL))
                #expect(try security.run("unseal", sealed, "-") == Answer(0, "old"))
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: folder) == ["sealed"])
            }
        }
    }

    /// If a file without a name can't get one, the new file has a temporary name until it is
    /// complete.
    @Test func aFileSystemWithoutNamelessFilesWillDo() throws {
        try #require(geteuid() == 0, "only root can hide a part of /proc")
        try TemporaryDirectory.lend { folder in
            let tool = try Binaries.path("security")
            let hidden = "exec unshare -m sh -c 'mount -t tmpfs none /proc/$$/fd && "
            let seal = { (words: String) in
                try security.shell(hidden + "exec \(tool) seal \(words) < \(folder)/in'")
            }
            try Data("abc".utf8).write(to: URL(fileURLWithPath: folder + "/in"))
            #expect(try seal("- \(folder)/a") == Answer(0))
            #expect(try seal("- \(folder)/a").status == 1)
            #expect(try seal("--force - \(folder)/a") == Answer(0))
            #expect(try security.run("unseal", folder + "/a", "-") == Answer(0, "abc"))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                    == ["a", "in"])
        }
    }

    /// A file size limit stands for a full disk.
    @Test func aFullDiskLeavesTheOldFile() throws {
        try TemporaryDirectory.lend { folder in
            let sealed = folder + "/sealed"
            let tool = try Binaries.path("security")
            #expect(try security.run("seal", "-", sealed, input: "old") == Answer(0))
            try Self.bytes(900_000).write(to: URL(fileURLWithPath: folder + "/big"))
            let answer = try security.shell(
                "trap '' XFSZ; ulimit -f 100; exec '\(tool)' seal --force '\(folder)/big' '\(sealed)'"
            )
            #expect(answer.status == 1)
            #expect(answer.errors.contains("File too large"))
            #expect(try security.run("unseal", sealed, "-") == Answer(0, "old"))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                    == ["big", "sealed"])
        }
    }
}
