// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// If a container forbids the calls with which enclaved restricts itself, enclaved continues
    /// and logs that.
    @Suite struct Walls {
        /// A container forbids Landlock's calls, as systemd-nspawn and older container engines do. The
        /// keychain runs on, and says which walls stand.
        /// Red team: ephemeral; told.
        /// Before: worked; nothing is stored.
        @Test func forbiddenLandlockIsToldAndNoReasonToStop() throws {
            var options = TestService.Options()
            options.forbidsLandlock = true
            try TestService.run(options) { service in
                try Self.expectUse(service)
                let walls = try service.keychain.deviceStatus().walls
                #expect(walls.landlock == .forbidden)
                #expect(walls.landlockVersion == 0)
                #expect(walls.filtersSystemCalls)
                #expect(service.messages.contains("no Landlock (its calls are forbidden here)"))
                let status = try Self.status(service)
                #expect(
                    status.contains(
                        "no Landlock (its calls are forbidden here), system call filter\n"))
                let json = try Self.status(service, "--json")
                #expect(json.contains("\"landlock\": \"forbidden\""))
            }
        }

        @Test func whichWallsStandIsTold() throws {
            try TestService.run { service in
                let walls = try service.keychain.deviceStatus().walls
                #expect(walls.filtersSystemCalls)
                #expect((walls.landlock == .stands) == (walls.landlockVersion > 0))
                #expect(walls.landlock != .unknown && walls.landlock != .forbidden)
                // When all are active, nothing is logged.
                #expect(service.messages.contains("walls: ") == (walls.landlock != .stands))
                #expect(try Self.status(service).contains("Walls:            "))
            }
        }

        /// A filter that forbids `memfd_secret` is the same as a kernel without it.
        @Test func forbiddenSecretMemoryIsLikeNone() throws {
            var options = TestService.Options()
            options.forbidsSecretMemory = true
            try TestService.run(options) { service in
                try Self.expectUse(service)
                #expect(try service.keychain.deviceStatus().memory == "mlock")
            }
        }

        private static func expectUse(_ service: TestService) throws {
            try service.keychain.add(.password("a", secret: "secret"))
            let found = try service.keychain.find(.password("a"))
            #expect(found.first?.secret?.testText == "secret")
        }

        private static func status(_ service: TestService, _ words: String...) throws -> String {
            var options = TestProcess.Options()
            options.environment["LLAVERO_SOCKET"] = service.socketPath
            return try TestProcess.run(
                Binaries.path("security"), ["device", "status"] + words, options
            ).output
        }
    }
}
