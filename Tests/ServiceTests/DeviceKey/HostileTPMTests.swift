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
    /// The released daemons, with an attacker in the place of their TPM who sends arbitrary
    /// replies.
    @Suite struct HostileTPM {
        private static let passcode = "correct horse"

        /// Several at once: most of the time enclaved waits for the TPM.
        @Test func itOpensNothingBlamesNobodyAndMakesNothingAnew() {
            let failures = InParallel.each(
                TPMRelay.Manner.hostile, atOnce: 6, within: .seconds(600),
                Self.claimsHold(of:))
            #expect(failures == [])
        }

        private static func claimsHold(of manner: TPMRelay.Manner) throws {
            func claim(_ holds: Bool, _ text: String) throws {
                try TestFailure.claim(holds, text)
            }
            try withStore { (service, relay, state) throws in
                let kept = try files(state)
                let enclave = try service.enclave()
                relay.be(manner)
                // While enclaved runs: the request fails, and isn't counted as a wrong passcode.
                for _ in 0..<2 {
                    try claim(unlock(service) == .deviceKeyUnavailable, "it says why")
                }
                let changed = status {
                    try service.keychain.changePasscode(
                        from: SecretBytes(passcode: passcode), to: SecretBytes(passcode: "x"))
                }
                try claim(changed == -25291, "the passcode stays")
                let device = try service.keychain.deviceStatus()
                try claim(device.failedAttempts == 0, "nothing was counted")
                try claim(device.state == .locked, "it is locked")
                try claim(reads(service, "ak") == -25308, "nothing opens")
                try claim(reads(service, "dk") == 0, "what needs no passcode is there")
                try claim(try service.enclave() == enclave, "enclaved goes on")
                try claim(relay.count.altered > 0, "the relay was hostile")
                // At its start: no request succeeds, and no new key is made.
                try service.crash(enclave)
                try claim(reads(service, "dk") == -25291, "nothing opens at the start")
                try claim(unlock(service) != .wrongPasscode, "nobody is blamed at the start")
                try claim(try files(state) == kept, "nothing is made anew")
                // The TPM replies correctly again.
                relay.be(.honest)
                try service.crash(try service.enclave())
                try claim(unlock(service) == nil, "it unlocks again")
                for name in ["ak", "dk"] { try claim(reads(service, name) == 0, "\(name) opens") }
            }
        }

        /// The control: the relay alone has no effect.
        @Test func anHonestRelayIsATPM() throws {
            try Self.withStore { (service, relay, _) throws in
                #expect(Self.unlock(service) == nil)
                let changed = status {
                    try service.keychain.changePasscode(
                        from: SecretBytes(passcode: Self.passcode),
                        to: SecretBytes(passcode: "another"))
                }
                #expect(changed == 0)
                #expect(relay.count.commands > 30)
                #expect(relay.count.altered == 0)
            }
        }

        /// Another program has started as many sessions as there is space for.
        @Test func fullTPMIsEmptiedByItsOnlyClient() throws {
            try Self.withStore { (service, relay, _) throws in
                // TPM2_StartAuthSession, unbound, unsalted, HMAC, SHA-256.
                let start: [UInt8] =
                    [0x80, 1, 0, 0, 0, 43, 0, 0, 1, 0x76, 0x40, 0, 0, 7, 0x40, 0, 0, 7, 0, 16]
                    + [UInt8](repeating: 1, count: 16) + [0, 0, 0, 0, 0x10, 0, 0x0B]
                relay.slipIn([[UInt8]](repeating: start, count: 4))
                #expect(Self.unlock(service) == nil)
                // SESSION_MEMORY
                #expect(relay.codesOfSlippedIn.last == 0x903)
                #expect(reads(service, "ak") == 0)
                #expect(try service.keychain.deviceStatus().failedAttempts == 0)
            }
        }

        // MARK: - A slow TPM

        /// Less than enclaved's time limit.
        private static let slowness = Duration.seconds(3)

        @Test func nobodyWaitsForATPMThatCounts() throws {
            try Self.withStore { (service, relay, _) throws in
                try #require(Self.unlock(service) == nil)
                try service.keychain.add(.password("new", accessibility: .always))
                relay.delayCounting(by: Self.slowness)
                try service.keychain.lock()
                try Waiting.until("the counter to be counted") { relay.keptBack > 0 }
                let before = relay.counted
                var (rounds, answered) = (0, 0)
                while relay.counted == before {
                    rounds += 1
                    #expect(reads(service, "dk") == 0)
                    #expect(reads(service, "ak") == -25308)
                    if relay.counted == before { answered += 1 }
                    try service.keychain.add(.password("\(rounds)", accessibility: .always))
                    try service.keychain.lock()
                    #expect(try service.keychain.deviceStatus().state == .locked)
                }
                #expect(answered > 0)
                #expect(Self.unlock(service) == nil)
            }
        }

        /// After the reply that the passcode was changed, old files are not accepted, even if all
        /// processes end at that moment.
        @Test func passcodeThatIsChangedIsCountedBeforeAnybodyHearsOfIt() throws {
            try TestTPM.run { tpm in
                let relay = try TPMRelay(to: tpm)
                defer { relay.stop() }
                try TemporaryDirectory.lend { directory in
                    var options = TestService.Options(.user, directory: directory)
                    options.deviceKey = "unix:" + relay.socketPath
                    let (state, copy) = (directory + "/llavero", directory + "/copy")
                    _ = try TestService.run(options) { try Self.enrol($0.keychain) }
                    let before = relay.counted
                    try TestService.run(options) { service in
                        #expect(Self.unlock(service) == nil)
                        #expect(reads(service, "ak") == 0)
                        try Waiting.until("the first count") { relay.counted > before }
                        try Self.copyFiles(state, copy)
                        let all = [
                            service.supervisor, try service.worker(), try service.enclave(),
                        ]
                        relay.delayCounting(by: .seconds(1))
                        try service.keychain.changePasscode(
                            from: SecretBytes(passcode: Self.passcode),
                            to: SecretBytes(passcode: "another"))
                        for process in all { kill(process, SIGKILL) }
                    }
                    relay.delayCounting(by: .zero)
                    try FileManager.default.removeItem(atPath: state)
                    try FileManager.default.copyItem(atPath: copy, toPath: state)
                    try TestService.run(options) { service in
                        let item = NewItem.password("d", accessibility: .always)
                        #expect(reason { try service.keychain.add(item) } == .rolledBack)
                    }
                }
            }
        }

        // MARK: -

        private static func enrol(_ keychain: KeychainConnection) throws {
            try keychain.setPasscode(SecretBytes(passcode: passcode))
            try keychain.add(.password("ak", accessibility: .whenUnlocked))
            try keychain.add(.password("dk", accessibility: .always))
            try keychain.lock()
        }

        private static func withStore(
            _ body: (TestService, TPMRelay, String) throws -> Void
        ) throws {
            try TestTPM.run { tpm in
                let relay = try TPMRelay(to: tpm)
                defer { relay.stop() }
                try TemporaryDirectory.lend { directory in
                    var options = TestService.Options(.user, directory: directory)
                    options.deviceKey = "unix:" + relay.socketPath
                    try TestService.run(options) { service in
                        try enrol(service.keychain)
                        try body(service, relay, directory + "/llavero")
                    }
                }
            }
        }

        /// Copies a directory that contains a listening socket.
        private static func copyFiles(_ source: String, _ target: String) throws {
            let files = FileManager.default
            try files.createDirectory(
                atPath: target, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            for name in try files.contentsOfDirectory(atPath: source)
            where !name.hasSuffix(".sock") {
                try files.copyItem(atPath: source + "/" + name, toPath: target + "/" + name)
            }
        }

        private static func unlock(_ service: TestService) -> FailureReason? {
            reason { try service.keychain.unlock(passcode: SecretBytes(passcode: passcode)) }
        }

        /// The files that must not change: the device key's record, and the keybag. (The counter's
        /// next value is written before an increment, or isn't.)
        private static func files(_ state: String) throws -> [String: Data] {
            let folder = state + "/enclave"
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
                name.hasPrefix("device") || name.hasPrefix("keybag")
            }
            guard names.count == 4 else { throw TestFailure("\(names)") }
            return try Dictionary(
                uniqueKeysWithValues: names.map {
                    ($0, try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0)))
                })
        }
    }
}
