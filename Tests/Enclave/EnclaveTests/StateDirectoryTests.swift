// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveState
import Glibc
import SecretBytes
import Testing

@Suite struct StateDirectoryTests {
    @Test func recordsComeBackAndArePrivate() throws {
        let directory = try TemporaryState()
        let state = FileState(try StateDirectory(statePath: directory.path)) { _ in }
        #expect(try state.load(.keybag(user: 7)) == nil)
        try state.apply([.replace(.keybag(user: 7), [1, 2, 3])])
        try state.apply([.replace(.keybag(user: 7), [4])])
        #expect(try state.load(.keybag(user: 7)) == [4])
        #expect(directory.mode("enclave") == 0o700)
        #expect(directory.mode("enclave/keybag.7") & 0o077 == 0)
        #expect(directory.mode("enclave/keybag.7.new") == 0)
    }

    @Test(arguments: [mode_t(0o755), 0o750, 0o711, 0o1700])
    func aDirectoryThatOthersMayEnterIsRefused(mode: mode_t) throws {
        let directory = try TemporaryState()
        unsafe mkdir("\(directory.path)/enclave", 0o700)
        unsafe chmod("\(directory.path)/enclave", mode)
        #expect(throws: StateDirectoryError.notPrivate) {
            try StateDirectory(statePath: directory.path)
        }
    }

    @Test func aSecondEnclaveIsKeptOut() throws {
        let directory = try TemporaryState()
        let first = try StateDirectory(statePath: directory.path)
        #expect(throws: StateDirectoryError.inUse) {
            try StateDirectory(statePath: directory.path)
        }
        withExtendedLifetime(first) {}
    }

    @Test func aLinkIsNotFollowed() throws {
        let directory = try TemporaryState()
        let state = try StateDirectory(statePath: directory.path)
        unsafe symlink("/etc/hostname", "\(directory.path)/enclave/x")
        #expect(throws: StateDirectoryError.self) { try state.read("x", limit: 1000) }
    }

    @Test func aFileOverTheLimitIsRefused() throws {
        let directory = try TemporaryState()
        let state = try StateDirectory(statePath: directory.path)
        try state.write("x", [1, 2, 3, 4])
        #expect(try state.read("x", limit: 4) == [1, 2, 3, 4])
        #expect(throws: StateDirectoryError.wrongSize(file: "x")) {
            try state.read("x", limit: 3)
        }
    }

    @Test func severalFilesAreReplacedAndRemovedTogether() throws {
        let directory = try TemporaryState()
        let state = try directory.open()
        try state.write("x", [1])
        try state.write("y", [2])
        try state.apply([("x", [3, 4]), ("y", nil), ("keybag.7", [5]), ("attempts.7", nil)])
        #expect(try state.read("x", limit: 9) == [3, 4])
        #expect(try state.read("y", limit: 9) == nil)
        #expect(try state.read("keybag.7", limit: 9) == [5])
        #expect(directory.mode("enclave/x.new") == 0)
    }

    @Test func aChangeThatCannotBePreparedLeavesEveryFile() throws {
        let directory = try TemporaryState()
        let state = try directory.open()
        try state.write("x", [1])
        // A directory at the second file's temporary name.
        unsafe mkdir("\(directory.path)/enclave/y.new", 0o700)
        defer { unsafe rmdir("\(directory.path)/enclave/y.new") }
        #expect(throws: StateDirectoryError.self) { try state.apply([("x", [2]), ("y", [3])]) }
        #expect(try state.read("x", limit: 9) == [1])
        #expect(directory.mode("enclave/x.new") == 0)
    }

    @Test func aChangeThatStopsHalfWayHasAnUnknownOutcome() throws {
        let directory = try TemporaryState()
        let state = try directory.open()
        try state.write("x", [1])
        // A file can't replace a directory.
        unsafe mkdir("\(directory.path)/enclave/y", 0o700)
        defer { unsafe rmdir("\(directory.path)/enclave/y") }
        do {
            try state.apply([("x", [2]), ("y", [3])])
            Issue.record("it was possible")
        } catch {
            guard case .outcomeUnknown(file: "y", _) = error else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(throws: DurableStateFailure.notDone) {
            unsafe mkdir("\(directory.path)/enclave/keybag.7.new", 0o700)
            defer { unsafe rmdir("\(directory.path)/enclave/keybag.7.new") }
            try FileState(state) { _ in }.apply([.replace(.keybag(user: 7), [1])])
        }
    }

    /// As after a kill between the two steps that give a new file its name.
    @Test func whatHasItsNameAlreadyIsNotDiscarded() throws {
        let directory = try TemporaryState()
        let state = try directory.open()
        try state.write("x", [1, 2, 3])
        try state.write("begun.new", [4, 5, 6])
        try directory.link("x", "x.new")
        let begun = unsafe Glibc.open("\(directory.path)/enclave/begun.new", O_RDONLY)
        defer { close(begun) }
        try state.discardUnfinished()
        #expect(try state.read("x", limit: 10) == [1, 2, 3])
        #expect(try state.hasFile(prefix: "x.") == false)
        // The file with only a temporary name is deleted, and its bytes are overwritten.
        #expect(try state.hasFile(prefix: "begun") == false)
        var bytes = [UInt8](repeating: 9, count: 3)
        #expect(unsafe read(begun, &bytes, bytes.count) == 3)
        #expect(bytes == [0, 0, 0])
    }

    @Test func whatIsWrittenNeverGoesIntoAFileOfAnotherName() throws {
        let directory = try TemporaryState()
        let state = try directory.open()
        try state.write("x", [1, 2, 3])
        for write in [
            { try state.write("y", [7]) }, { try state.apply([("y", [7])]) },
            { try state.create("z", SecretBytes(copying: [7])) },
        ] {
            for name in ["y.new", "z.new"] { try directory.link("x", name) }
            try write()
            #expect(try state.read("x", limit: 10) == [1, 2, 3])
            try state.discardUnfinished()
        }
        #expect(try state.read("y", limit: 10) == [7])
        #expect(try state.read("z", limit: 10) == [7])
    }

    @Test func whatAReplacedFileHadInItIsOverwritten() throws {
        let directory = try TemporaryState()
        let state = try directory.open()
        try state.write("x", [UInt8](repeating: 7, count: 5000))
        let old = unsafe Glibc.open("\(directory.path)/enclave/x", O_RDONLY)
        defer { close(old) }
        try state.apply([("x", [1])])
        var bytes = [UInt8](repeating: 9, count: 6000)
        #expect(unsafe read(old, &bytes, bytes.count) == 5000)
        #expect(bytes.prefix(5000).allSatisfy { $0 == 0 })
    }
}
