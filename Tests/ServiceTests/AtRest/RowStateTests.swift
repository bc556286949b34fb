// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Rows and files that are temporarily unreadable are not damaged.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct RowStates {
        private static let passcode = "correct horse"

        @Test func c05ReadsWhileLockedLeaveEveryRowAsItIs() throws {
            try TestService.run { service in
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                for accessibility in Accessibility.allCases {
                    try service.keychain.add(
                        .password(accessibility.code, accessibility: accessibility))
                }
                let before = try StoredRows.everything(service.stateDirectory)
                try service.keychain.lock()
                for _ in 0..<100 {
                    for code in ["ak", "aku", "akpu"] {
                        #expect(reads(service, code) == -25308)
                    }
                    #expect(
                        status {
                            try service.keychain.find(.password(limit: nil, returning: .attributes))
                        } == -25308)
                }
                #expect(try StoredRows.everything(service.stateDirectory) == before)
                // The same before the first unlock.
                try service.crash(try service.enclave())
                for _ in 0..<100 {
                    for code in ["ak", "aku", "akpu", "ck", "cku"] {
                        #expect(reads(service, code) == -25308)
                    }
                }
                #expect(try StoredRows.everything(service.stateDirectory) == before)
                try service.keychain.unlock(passcode: SecretBytes(passcode: Self.passcode))
                for accessibility in Accessibility.allCases {
                    #expect(reads(service, accessibility.code) == 0)
                }
            }
        }

        @Test func c06EnclaveThatDoesNotAnswerCostsNoRow() throws {
            try TestService.run { service in
                for code in ["ak", "dk"] {
                    try service.keychain.add(
                        .password(code, accessibility: Accessibility(code: code)))
                    #expect(reads(service, code) == 0)
                }
                let before = try StoredRows.everything(service.stateDirectory)
                let enclave = try service.enclave()
                kill(enclave, SIGSTOP)
                defer { kill(enclave, SIGCONT) }
                for code in ["ak", "dk"] { #expect(reads(service, code) == -25291) }
                #expect(try StoredRows.everything(service.stateDirectory) == before)
                kill(enclave, SIGCONT)
                for code in ["ak", "dk"] {
                    try Waiting.until("\(code) to be read") { reads(service, code) == 0 }
                }
                #expect(try StoredRows.everything(service.stateDirectory) == before)
            }
        }

        /// A mark requests the integrity check: for an intact file the mark is removed, and nothing
        /// else.
        @Test func c08MarkOnASoundDatabaseCostsNothing() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let path = StoredRows.path(directory + "/llavero")
                try TestService.run(options) { service in
                    _ = try service.keychain.add(.password("anna", secret: "kept"))
                }
                let mark = path + "-iscorrupt"
                #expect(FileManager.default.createFile(atPath: mark, contents: nil))
                try TestService.run(options) { service in
                    let found = try one(service, "anna")
                    #expect(found.secret?.testText == "kept")
                    #expect(!FileManager.default.fileExists(atPath: mark))
                    #expect(try Self.keptAside(service) == [])
                }
            }
        }

        /// A file that can't be checked isn't proven to be damaged: file and mark stay in place.
        @Test func c08CheckThatCannotBeCarriedOutKeepsTheFile() throws {
            let user = geteuid() == 0 ? TestService.unprivilegedUser : geteuid()
            try TemporaryDirectory.lend(owner: user) { directory in
                var options = TestService.Options(.user, directory: directory)
                options.isUnprivileged = true
                try TestService.run(options) { service in
                    try OtherUser.act(as: user, on: service) { keychain in
                        try keychain.add(.password("anna", secret: "kept"))
                    }
                    let path = StoredRows.path(service.stateDirectory)
                    let mark = path + "-iscorrupt"
                    let worker = try service.worker()
                    #expect(FileManager.default.createFile(atPath: mark, contents: nil))
                    #expect(unsafe chown(mark, user, user) == 0)
                    #expect(unsafe chmod(path, 0) == 0)
                    let content = try Data(contentsOf: URL(fileURLWithPath: path))
                    try service.crash(worker)
                    // The check is retried, and that is logged.
                    try Waiting.until("a start in vain") {
                        service.messages.split(separator: "\n").count >= 2
                    }
                    #expect(FileManager.default.fileExists(atPath: mark))
                    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
                    #expect(try Self.keptAside(service) == [])
                    #expect(unsafe chmod(path, 0o600) == 0)
                    try OtherUser.act(as: user, on: service) { keychain in
                        try Waiting.until("the item to be found") {
                            let found = try? keychain.find(.password("anna")).first
                            return found?.secret?.testText == "kept"
                        }
                    }
                    #expect(!FileManager.default.fileExists(atPath: mark))
                    #expect(try Self.keptAside(service) == [])
                }
            }
        }

        /// SQLite's check reports a page that the disk can't read as damaged. It isn't: the file
        /// stays, its other rows can be read, and the rest when the disk works again.
        @Test func c08ReadThatFailsDuringTheCheckKeepsTheFile() throws {
            try TemporaryDirectory.lend { directory in
                var options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                let path = StoredRows.path(state)
                let mark = path + "-iscorrupt"
                let names = (0..<200).map { "item \($0)" }
                try TestService.run(options) { service in
                    for name in names { try service.keychain.add(.password(name, secret: name)) }
                }
                try StoredRows.checkpoint(state)
                let pages = try StoredRows.leafPages(of: "genp", state)
                try #require(pages.offsets.count > 4)
                let page = pages.offsets[pages.offsets.count / 2]
                options.hasFaults = true
                options.hasFaultyReads = true
                try TestService.run(options) { service in
                    let identity = try Self.identity(of: path)
                    try service.strike("unreadable \(page) \(pages.byteCount)")
                    // The service doesn't restart for it, because that would read no more; nor does
                    // it mark the file.
                    let worker = try service.worker()
                    #expect(Set(names.map { reads(service, $0) }) == [0, -25291])
                    #expect(try service.worker() == worker)
                    #expect(!FileManager.default.fileExists(atPath: mark))
                    // A requested check proves nothing, either.
                    #expect(FileManager.default.createFile(atPath: mark, contents: nil))
                    try service.crash(worker)
                    try Waiting.until("the first item to be read") { reads(service, names[0]) == 0 }
                    #expect(Set(names.map { reads(service, $0) }) == [0, -25291])
                    #expect(try service.fileCalls().struck > 1)
                    #expect(FileManager.default.fileExists(atPath: mark))
                    #expect(try Self.keptAside(service) == [])
                    #expect(try Self.identity(of: path) == identity)
                    try service.strike("none")
                    try service.crash(try service.worker())
                    try Waiting.until("the last item to be read") {
                        reads(service, names[199]) == 0
                    }
                    for name in names {
                        #expect(try one(service, name).secret?.testText == name)
                    }
                    #expect(!FileManager.default.fileExists(atPath: mark))
                    #expect(try Self.keptAside(service) == [])
                }
            }
        }

        /// At a start this isn't damage, either: it is retried, and the file stays.
        @Test func c08DiskThatDoesNotGiveTheListOfTablesKeepsTheFile() throws {
            try TemporaryDirectory.lend { directory in
                var options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                try TestService.run(options) { _ = try $0.keychain.add(.password("anna")) }
                try StoredRows.checkpoint(state)
                let pages = try StoredRows.leafPages(of: "sqlite_schema", state)
                let page = try #require(pages.offsets.last)
                options.hasFaults = true
                options.hasFaultyReads = true
                try TestService.run(options) { service in
                    let identity = try Self.identity(of: StoredRows.path(state))
                    try service.strike("unreadable \(page) \(pages.byteCount)")
                    try service.crash(try service.worker())
                    try Waiting.until("a start in vain") { try service.fileCalls().struck > 1 }
                    #expect(try Self.keptAside(service) == [])
                    try service.strike("none")
                    try Waiting.until("the item to be read") { reads(service, "anna") == 0 }
                    #expect(try Self.keptAside(service) == [])
                    #expect(try Self.identity(of: StoredRows.path(state)) == identity)
                }
            }
        }

        /// The inode of the file, whatever its name is.
        private static func identity(of path: String) throws -> UInt64? {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            return (attributes[.systemFileNumber] as? NSNumber)?.uint64Value
        }

        private static func keptAside(_ service: TestService) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: service.stateDirectory).filter {
                $0.hasPrefix("keychain-damaged-")
            }
        }
    }
}
