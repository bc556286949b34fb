// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveState
import EnclaveWire
import Foundation
import TPMClient
import TestSupport
import Testing

/// The enclave's files in version 1, as another implementation made them from the formats' description
/// (Tests/Vectors/enclave-files/generate). They must be readable for as long as version 1 is, and this
/// version writes the same bytes. A file of version 2 is refused.
///
/// Escrow and recovery records are in the store of Tests/Vectors/stores (ServiceTests).
@Suite struct FormatVersionTests {
    private struct Vector: Decodable {
        let file: Data
        let newer: Data

        var bytes: [UInt8] { [UInt8](file) }
        var newerBytes: [UInt8] { [UInt8](newer) }
    }

    private static let key = SymmetricKey(data: [UInt8](0..<32))
    private static let uuid = [UInt8](100..<116)

    private static func vector(_ name: String) throws -> Vector {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Vectors/enclave-files/vectors.json")
        let all = try JSONDecoder().decode([String: Vector].self, from: Data(contentsOf: path))
        return try #require(all[name], "\(name)")
    }

    // MARK: - Files with a signature

    @Test(arguments: ["keybag", "keybag with a passcode"])
    func keybag(name: String) throws {
        let vector = try Self.vector(name)
        let keybag = try Keybag(vector.bytes, signingKey: Self.key)
        #expect(keybag.uuid == Self.uuid)
        #expect(keybag.generation == 5)
        #expect(
            keybag.settings
                == Keybag.Settings(eraseAfter: 10, graceSeconds: 300, erasesForUnidentified: true))
        #expect(keybag.erasures == 2)
        #expect((keybag.passcode != nil) == (name != "keybag"))
        #expect(keybag.encode(signingKey: Self.key) == vector.bytes)
        #expect(throws: KeybagError.wrongValue("VERS")) {
            try Keybag(vector.newerBytes, signingKey: Self.key)
        }
    }

    @Test(arguments: [false, true])
    func attempts(hasUnidentified: Bool) throws {
        let vector = try Self.vector(
            hasUnidentified ? "attempts of unidentified programs" : "attempts")
        let record = AttemptRecord(sequence: 9, failures: 4, hasUnidentified: hasUnidentified)
        #expect(AttemptRecord(vector.bytes, uuid: Self.uuid, key: Self.key) == record)
        #expect(record.file(uuid: Self.uuid, key: Self.key) == vector.bytes)
        #expect(AttemptRecord(vector.newerBytes, uuid: Self.uuid, key: Self.key) == nil)
    }

    @Test func anchor() throws {
        let vector = try Self.vector("anchor")
        let record = AnchorRecord(sequence: 6, commit: 1 << 40, keybagGeneration: 5)
        #expect(AnchorRecord(vector.bytes, key: Self.key) == record)
        #expect(record.file(key: Self.key) == vector.bytes)
        #expect(AnchorRecord(vector.newerBytes, key: Self.key) == nil)
    }

    @Test func binding() throws {
        let vector = try Self.vector("binding")
        let record = BindingRecord(counter: 1 << 33, sequences: [7: 8, 1000: .max])
        #expect(BindingRecord(vector.bytes, key: Self.key) == record)
        #expect(record.file(key: Self.key) == vector.bytes)
        #expect(BindingRecord(vector.newerBytes, key: Self.key) == nil)
    }

    // MARK: - The device key's files

    @Test func deviceKeyAndItsCounter() throws {
        let key = try Self.vector("device.key")
        let counter = try Self.vector("device.counter")
        let directory = try TemporaryState()
        let state = try directory.open()
        try state.write("device.key", key.bytes)
        try state.write("device.counter", counter.bytes)
        #expect(try FileDeviceKey(state).readCounter() == 77)
        #expect(try state.read("device.key.2", limit: 100) == key.bytes)
        try state.write("device.counter", counter.newerBytes)
        #expect(throws: DeviceKeyFailure.self) { try FileDeviceKey(state).readCounter() }
        for name in ["device.key", "device.key.2"] { try state.write(name, key.newerBytes) }
        #expect(throws: StateDirectoryError.wrongSize(file: "device.key")) {
            try FileDeviceKey(state)
        }
        #expect(try state.read("device.key", limit: 100) == key.newerBytes)
    }

    @Test func moveOfADeviceKey() throws {
        let vector = try Self.vector("device.move")
        let directory = try TemporaryState()
        let state = try directory.open()
        try state.write("escrow.7", [1])
        try state.write("device.move.file", vector.newerBytes)
        #expect(throws: StateDirectoryError.damaged(file: "device.move.file")) {
            try DeviceKeyMove(state).finish(.file)
        }
        #expect(try state.read("device.move.file", limit: 1000) == vector.newerBytes)
        #expect(try state.read("escrow.7", limit: 100) == [1])
        try state.write("device.move.file", vector.bytes)
        try DeviceKeyMove(state).finish(.file)
        #expect(try state.read("keybag.7", limit: 100) == [UInt8]("abc".utf8))
        #expect(try state.read("escrow.7", limit: 100) == nil)
        #expect(try state.read("device.move.file", limit: 1000) == nil)
    }

    @Test func releases() throws {
        let vector = try Self.vector("releases")
        let list = ReleaseList([
            HeldIndex(user: nil, number: 0x0180_0001, place: HeldIndex.anywhere),
            HeldIndex(user: 1000, number: 0x01BF_FFFF, place: [UInt8](repeating: 5, count: 32)),
        ])
        #expect(ReleaseList(vector.bytes) == list)
        #expect(list.file == vector.bytes)
        #expect(ReleaseList(vector.newerBytes) == nil)
    }

    // MARK: - With a TPM

    @Test func recordOfATPM() throws {
        let vector = try Self.vector("device.tpm")
        let record = try #require(TPMRecord(vector.bytes))
        #expect(record.counterState == .made)
        #expect(record.counterNumber == 0x0180_0002)
        #expect(record.bytes == vector.bytes)
        #expect(TPMRecord(vector.newerBytes) == nil)
    }

    @Test(arguments: [("entropy", UInt32(0)), ("bound entropy", 0x81_0000)])
    func sealedEntropy(name: String, registers: UInt32) throws {
        let vector = try Self.vector(name)
        let sealed = try TPMSealedEntropy(vector.bytes)
        #expect(sealed.indexNumber == 0x0180_0003)
        #expect(sealed.registerMask == registers)
        #expect(sealed.bytes == vector.bytes)
        #expect(throws: TPMFailure.otherDevice) { try TPMSealedEntropy(vector.newerBytes) }
    }
}
