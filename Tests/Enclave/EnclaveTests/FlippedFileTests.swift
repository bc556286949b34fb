// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveState
import EnclaveWire
import KeychainVocabulary
import Testing

/// If one file is damaged at any byte, nothing is lost.
@Suite struct FlippedFileTests {
    @Test(arguments: ["keybag.7", "keybag.7.2"])
    func eachFlippedByteOfOneKeybagCostsNothing(name: String) throws {
        let directory = try TemporaryState()
        let state = try directory.open()
        var first = try RealEnclave.enclave(state)
        #expect(RealEnclave.passcode(.set, "right", &first) == .success)
        let uuid = RealEnclave.status(&first)?.keybagUUID
        let bytes = try #require(try state.read(name, limit: 10_000))
        for index in bytes.indices {
            var flipped = bytes
            flipped[index] ^= 1 << UInt8(index % 8)
            try state.write(name, flipped)
            var enclave = try RealEnclave.enclave(state)
            let status = RealEnclave.status(&enclave)
            #expect(status?.keybagUUID == uuid)
            #expect(status?.failedAttempts == 0)
            #expect(try state.read(name, limit: 10_000) == bytes)
            if index % 64 == 0 {
                #expect(RealEnclave.passcode(.unlock, "right", &enclave) == .success)
            }
        }
    }

    @Test func eachFlippedByteOfTheCountCostsNoMoreThanOneAttempt() throws {
        let directory = try TemporaryState()
        let state = try directory.open()
        var first = try RealEnclave.enclave(state)
        #expect(RealEnclave.passcode(.set, "right", &first) == .success)
        for attempt in 0..<3 {
            #expect(RealEnclave.passcode(.unlock, "\(attempt)", &first) == .wrongPasscode)
        }
        let bytes = try #require(try state.read("attempts.7", limit: 10_000))
        for index in bytes.indices {
            var flipped = bytes
            flipped[index] ^= 1 << UInt8(index % 8)
            #expect(try state.overwrite("attempts.7", byteCount: 1024, at: 0, flipped))
            var enclave = try RealEnclave.enclave(state)
            let failures = RealEnclave.status(&enclave)?.failedAttempts
            #expect(failures == 3 || failures == 2)
        }
    }
}
