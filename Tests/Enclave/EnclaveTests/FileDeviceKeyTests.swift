// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveState
import Glibc
import SecretBytes
import Testing

@Suite struct FileDeviceKeyTests {
    private static func tangled(_ state: StateDirectory) throws -> [UInt8] {
        try FileDeviceKey(state).tangle(.keybag, SecretBytes(copying: [1])).array
    }

    @Test func theDeviceKeyStaysTheSame() throws {
        let directory = try TemporaryState()
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
        let directory = try TemporaryState()
        let state = try StateDirectory(statePath: directory.path)
        try state.write("keybag.7", [1])
        #expect(throws: StateDirectoryError.deviceKeyMissing) { try FileDeviceKey(state) }
    }

    @Test(arguments: [0, 31, 32, 33])
    func aDeviceKeyOfTheWrongSizeIsAnErrorAndStays(byteCount: Int) throws {
        let directory = try TemporaryState()
        let state = try StateDirectory(statePath: directory.path)
        let bytes = [UInt8](repeating: 1, count: byteCount)
        try state.write("device.key", bytes)
        #expect(throws: StateDirectoryError.wrongSize(file: "device.key")) {
            try FileDeviceKey(state)
        }
        #expect(try state.read("device.key", limit: 100) == bytes)
    }

    @Test func aKeyHasTwoEqualFilesOf48Bytes() throws {
        let directory = try TemporaryState()
        let state = try directory.open()
        _ = try FileDeviceKey(state)
        let bytes = try #require(try state.read("device.key", limit: 100))
        #expect(bytes.count == 48)
        #expect(try state.read("device.key.2", limit: 100) == bytes)
        #expect(directory.mode("enclave/device.key.2") == 0o600)
    }

    /// Killed while it was made, between any two steps of naming its first file.
    @Test func aKeyWhoseMakingWasCutOffIsTheKey() throws {
        let directory = try TemporaryState()
        let state = try directory.open()
        let key = try Self.tangled(state)
        try state.apply([("device.key.2", nil)])
        try directory.link("device.key", "device.key.new")
        try state.discardUnfinished()
        #expect(try Self.tangled(state) == key)
        #expect(try state.read("device.key", limit: 100) == state.read("device.key.2", limit: 100))
    }

    @Test(arguments: ["device.key", "device.key.2"])
    func eachFlippedByteOfOneFileCostsNothing(name: String) throws {
        let directory = try TemporaryState()
        let state = try directory.open()
        let key = try Self.tangled(state)
        let bytes = try #require(try state.read(name, limit: 100))
        for index in bytes.indices {
            var flipped = bytes
            flipped[index] ^= 1
            try state.write(name, flipped)
            #expect(try Self.tangled(state) == key)
            #expect(try state.read(name, limit: 100) == bytes)
        }
        for count in bytes.indices {
            try state.write(name, [UInt8](bytes.prefix(count)))
            #expect(try Self.tangled(state) == key)
            #expect(try state.read(name, limit: 100) == bytes)
        }
    }

    @Test func twoWholeFilesThatDifferAreRefusedAndStay() throws {
        let directory = try TemporaryState()
        let state = try directory.open()
        _ = try FileDeviceKey(state)
        let other = try TemporaryState()
        let foreign = try other.open()
        _ = try FileDeviceKey(foreign)
        let bytes = try #require(try foreign.read("device.key", limit: 100))
        try state.write("device.key", bytes)
        #expect(
            throws: StateDirectoryError.differ(file: "device.key", copy: "device.key.2")
        ) { try FileDeviceKey(state) }
        #expect(try state.read("device.key", limit: 100) == bytes)
        #expect(try state.read("device.key.2", limit: 100) != bytes)
    }

    @Test func twoDamagedFilesAreAnErrorAndStay() throws {
        let directory = try TemporaryState()
        let state = try directory.open()
        _ = try FileDeviceKey(state)
        for name in ["device.key", "device.key.2"] {
            var bytes = try #require(try state.read(name, limit: 100))
            bytes[40] ^= 1
            try state.write(name, bytes)
        }
        #expect(throws: StateDirectoryError.damaged(file: "device.key")) {
            try FileDeviceKey(state)
        }
    }

    @Test func aKeyIsNotMadeWhereThereIsACountOfWrongPasscodes() throws {
        let directory = try TemporaryState()
        let state = try directory.open()
        try state.write("attempts.7", [1])
        #expect(throws: StateDirectoryError.deviceKeyMissing) { try FileDeviceKey(state) }
    }

    @Test func sealedEntropyOpensWithItsContextAlone() throws {
        let directory = try TemporaryState()
        let key = try FileDeviceKey(StateDirectory(statePath: directory.path))
        let entropy = Secret(.random(byteCount: 32))
        let sealed = try key.sealEntropy(entropy.bytes, context: [1])
        #expect(try key.openEntropy(sealed, context: [1]).array == entropy.array)
        #expect(throws: DeviceKeyFailure.self) { try key.openEntropy(sealed, context: [2]) }
    }
}
