// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveState
import Glibc
import SecretBytes
import Testing

/// A directory that goes when the test ends.
private final class Directory {
    let path: String

    init() throws {
        var template = [CChar]("/tmp/llavero-test-XXXXXX".utf8CString)
        path = try #require(unsafe mkdtemp(&template).map { unsafe String(cString: $0) })
    }

    deinit {
        for name in ["device.key", "keybag.7", "attempts.7", "passcode.pub", "x"] {
            unsafe unlink("\(path)/enclave/\(name)")
        }
        unsafe rmdir("\(path)/enclave")
        unsafe rmdir(path)
    }

    func mode(_ name: String) -> mode_t {
        var status = stat()
        guard unsafe lstat("\(path)/\(name)", &status) == 0 else { return 0 }
        return status.st_mode & 0o7777
    }
}

@Suite struct StateDirectoryTests {
    @Test func recordsComeBackAndArePrivate() throws {
        let directory = try Directory()
        let state = FileState(try StateDirectory(statePath: directory.path)) { _ in }
        #expect(try state.load(.keybag(user: 7)) == nil)
        try state.store(.keybag(user: 7), [1, 2, 3])
        try state.store(.keybag(user: 7), [4])
        #expect(try state.load(.keybag(user: 7)) == [4])
        #expect(directory.mode("enclave") == 0o700)
        #expect(directory.mode("enclave/keybag.7") & 0o077 == 0)
        #expect(directory.mode("enclave/keybag.7.new") == 0)
    }

    @Test(arguments: [mode_t(0o755), 0o750, 0o711, 0o1700])
    func aDirectoryThatOthersMayEnterIsRefused(mode: mode_t) throws {
        let directory = try Directory()
        unsafe mkdir("\(directory.path)/enclave", 0o700)
        unsafe chmod("\(directory.path)/enclave", mode)
        #expect(throws: StateDirectoryError.notPrivate) {
            try StateDirectory(statePath: directory.path)
        }
    }

    @Test func aSecondEnclaveIsKeptOut() throws {
        let directory = try Directory()
        let first = try StateDirectory(statePath: directory.path)
        #expect(throws: StateDirectoryError.inUse) {
            try StateDirectory(statePath: directory.path)
        }
        withExtendedLifetime(first) {}
    }

    @Test func aLinkIsNotFollowed() throws {
        let directory = try Directory()
        let state = try StateDirectory(statePath: directory.path)
        unsafe symlink("/etc/hostname", "\(directory.path)/enclave/x")
        #expect(throws: StateDirectoryError.self) { try state.read("x", limit: 1000) }
    }

    @Test func aFileOverTheLimitIsRefused() throws {
        let directory = try Directory()
        let state = try StateDirectory(statePath: directory.path)
        try state.write("x", [1, 2, 3, 4])
        #expect(try state.read("x", limit: 4) == [1, 2, 3, 4])
        #expect(throws: StateDirectoryError.wrongSize(file: "x")) {
            try state.read("x", limit: 3)
        }
    }

    @Test func theDeviceKeyStaysTheSame() throws {
        let directory = try Directory()
        let state = try StateDirectory(statePath: directory.path)
        let input = SecretBytes(copying: [1])
        let first = try FileDeviceKey(state).tangle(.keybag, input)
        let again = try FileDeviceKey(state).tangle(.keybag, input)
        let other = try FileDeviceKey(state).tangle(.passcode, input)
        #expect(first.array == again.array)
        #expect(first.array != other.array)
        #expect(directory.mode("enclave/device.key") == 0o600)
    }

    @Test func aMissingDeviceKeyIsNotReplacedWhenThereAreKeybags() throws {
        let directory = try Directory()
        let state = try StateDirectory(statePath: directory.path)
        try state.write("keybag.7", [1])
        #expect(throws: StateDirectoryError.deviceKeyMissing) { try FileDeviceKey(state) }
    }

    @Test(arguments: [0, 31, 33])
    func aDeviceKeyOfTheWrongSizeIsAnErrorAndStays(byteCount: Int) throws {
        let directory = try Directory()
        let state = try StateDirectory(statePath: directory.path)
        let bytes = [UInt8](repeating: 1, count: byteCount)
        try state.write("device.key", bytes)
        #expect(throws: StateDirectoryError.wrongSize(file: "device.key")) {
            try FileDeviceKey(state)
        }
        #expect(try state.read("device.key", limit: 100) == bytes)
    }

    @Test func sealedEntropyOpensWithItsContextAlone() throws {
        let directory = try Directory()
        let key = try FileDeviceKey(StateDirectory(statePath: directory.path))
        let entropy = Secret(.random(byteCount: 32))
        let sealed = try key.sealEntropy(entropy.bytes, context: [1])
        #expect(try key.openEntropy(sealed, context: [1]).array == entropy.array)
        #expect(throws: DeviceKeyFailure.self) { try key.openEntropy(sealed, context: [2]) }
    }
}
