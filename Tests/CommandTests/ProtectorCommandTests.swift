// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// `security device protector`, and what unlocks with its keys.
@Suite struct ProtectorCommandTests {
    private let security: Transcript

    init() throws { security = try Transcript() }

    private func device(_ words: String..., passcode: String? = nil) throws -> Answer {
        let source = passcode == nil ? [] : ["--passcode-fd", "0"]
        return try security.run(
            ["device"] + words + source, input: passcode.map { $0 + "\n" } ?? "")
    }

    private func status() throws -> [String: Any] {
        let answer = try security.run("device", "status", "--json")
        try #require(answer.status == 0)
        let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8))
        return try #require(object as? [String: Any])
    }

    @Test func aKeyFileIsMadeListedTestedUsedAndRemoved() throws {
        try TemporaryDirectory.lend { directory in
            let path = directory + "/boot.key"
            #expect(try device("set-passcode", passcode: "1234").status == 0)
            #expect(
                try device("protector", "add", "boot", "--key-file", path, passcode: "1234")
                    == Answer(0))
            let made = try FileManager.default.attributesOfItem(atPath: path)
            #expect(made[.size] as? Int == 48)
            #expect(made[.posixPermissions] as? Int == 0o600)
            let list = try device("protector", "list")
            #expect(list.status == 0)
            #expect(list.output.hasPrefix("boot  key-file  added 20"))
            #expect(list.output.contains("never used"))
            #expect(try device("lock") == Answer(0))
            #expect(try device("protector", "test", "boot", "--key-file", path) == Answer(0))
            #expect(try status()["state"] as? String == "L")
            #expect(try device("unlock", "--key-file", path) == Answer(0))
            #expect(try status()["state"] as? String == "U")
            let protectors = try #require(try status()["protectors"] as? [[String: Any]])
            #expect(protectors.first?["name"] as? String == "boot")
            #expect(protectors.first?["kind"] as? String == "key-file")
            #expect(protectors.first?["lastUsed"] as? String != nil)
            #expect(protectors.first?["thenLock"] as? Bool == false)
            let plain = try security.run("device", "status")
            #expect(plain.output.contains("Protectors:       boot\n"))
            #expect(
                try device("protector", "remove", "boot", passcode: "1234") == Answer(0))
            #expect(try device("protector", "list") == Answer(0, "none\n"))
            #expect(try device("lock") == Answer(0))
            let used = try device("unlock", "--key-file", path)
            #expect(used.status != 0)
            #expect(try status()["state"] as? String == "L")
        }
    }

    @Test func nothingIsAddedWhereTheKeyCantBeWrittenOrThePasscodeIsWrong() throws {
        try TemporaryDirectory.lend { directory in
            let path = directory + "/boot.key"
            #expect(try device("set-passcode", passcode: "1234").status == 0)
            let wrong = try device(
                "protector", "add", "boot", "--key-file", path, passcode: "4321")
            #expect(wrong.status == 51)
            #expect(!FileManager.default.fileExists(atPath: path))
            try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
            let taken = try device(
                "protector", "add", "boot", "--key-file", path, passcode: "1234")
            #expect(taken.status == 206)
            #expect(taken.errors.contains("File exists; nothing was added"))
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("mine".utf8))
            #expect(try device("protector", "list") == Answer(0, "none\n"))
        }
    }

    @Test func filesThatAreNoKeysAreRefused() throws {
        try TemporaryDirectory.lend { directory in
            let path = directory + "/key"
            #expect(try device("set-passcode", passcode: "1234").status == 0)
            #expect(
                try device("protector", "add", "boot", "--key-file", path, passcode: "1234")
                    == Answer(0))
            let whole = try Data(contentsOf: URL(fileURLWithPath: path))
            for content in [Data(), whole.prefix(47), Data(repeating: 65, count: 48)] {
                try content.write(to: URL(fileURLWithPath: path))
                let answer = try device("unlock", "--key-file", path)
                #expect(answer.status == 206)
                #expect(answer.errors.contains("that is no key"))
            }
            try Data(repeating: 0, count: 1 << 20).write(to: URL(fileURLWithPath: path))
            #expect(try device("unlock", "--key-file", path).errors.contains("more than 48 bytes"))
            try whole.write(to: URL(fileURLWithPath: path))
            guard unsafe chmod(path, 0o640) == 0 else { throw TestFailure("chmod") }
            let open = try device("unlock", "--key-file", path)
            #expect(open.errors.contains("other users may use it"))
            guard unsafe chmod(path, 0o600) == 0 else { throw TestFailure("chmod") }
            #expect(try device("unlock", "--key-file", path) == Answer(0))
        }
    }

    @Test func wrongUsageIsStatus2() throws {
        for words in [
            ["protector"], ["protector", "add"], ["protector", "add", "a"],
            ["protector", "add", "a", "--tpm", "--key-file", "f"],
            ["protector", "add", "a", "--key-file", "f", "--pcrs", "7"],
            ["protector", "add", "a", "--tpm", "--pcrs", "24"], ["protector", "remove"],
            ["protector", "test"], ["protector", "show"], ["unlock", "--key-file"],
            ["protector", "list", "--user", "no such user"],
        ] {
            #expect(try security.run(["device"] + words).status == 2, "\(words)")
        }
    }

    /// The key goes to systemd-creds through a pipe, and comes back only through systemd.
    @Test func aCredentialIsEncryptedForThisMachine() throws {
        try TemporaryDirectory.lend { directory in
            let (path, key) = (directory + "/boot.cred", directory + "/boot.key")
            #expect(try device("set-passcode", passcode: "1234").status == 0)
            let made = try device(
                "protector", "add", "boot", "--credential", path, passcode: "1234")
            #expect(made.status == 0, "\(made.errors)")
            let encrypted = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(encrypted.range(of: Data("LLPKEY01".utf8)) == nil)
            let decrypted = try TestProcess.run(
                "systemd-creds", ["decrypt", "--name=boot", path, key])
            #expect(decrypted.ending == .exit(0), "\(decrypted.errors)")
            guard unsafe chmod(key, 0o600) == 0 else { throw TestFailure("chmod") }
            #expect(try device("lock") == Answer(0))
            #expect(try device("unlock", "--key-file", key) == Answer(0))
            #expect(try device("protector", "list").output.hasPrefix("boot  credential"))
        }
    }
}
