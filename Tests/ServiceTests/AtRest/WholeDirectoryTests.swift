// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import Glibc
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// All files of a keychain are rolled back at once. With a TPM this is detected; with a file it
    /// isn't (`aWholeDirectoryThatIsPutBackIsNotNoticedWithAFile`).
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct WholeDirectory {
        private static let passcode = "correct horse"

        private static func withStore(
            hasPasscode: Bool, _ body: (TestTPM, TestService.Options, String, String) throws -> Void
        ) throws {
            try TestTPM.run { tpm in
                try TemporaryDirectory.lend { directory in
                    var options = TestService.Options(.user, directory: directory)
                    options.deviceKey = tpm.deviceKeyArgument
                    let state = directory + "/llavero"
                    try TestService.run(options) { service in
                        if hasPasscode {
                            try service.keychain.setPasscode(SecretBytes(passcode: passcode))
                        }
                        try service.keychain.add(.password("a", secret: "old"))
                        if hasPasscode { try service.keychain.lock() }
                    }
                    try body(tpm, options, state, directory + "/copy")
                }
            }
        }

        private static func unlock(_ service: TestService) throws {
            try service.keychain.unlock(passcode: SecretBytes(passcode: passcode))
        }

        private static func put(_ text: String, _ service: TestService) throws {
            try service.keychain.update(
                .password("a", service: "service"), applying: .setting([:], secret: text))
        }

        private static func text(_ service: TestService) throws -> String? {
            let query = ItemQuery.password("a", service: "service", returning: [.data])
            return try service.keychain.find(query).first?.secret?.testText
        }

        private static func putBack(_ copy: String, _ state: String) throws {
            try FileManager.default.removeItem(atPath: state)
            try FileManager.default.copyItem(atPath: copy, toPath: state)
        }

        private static func expectRefused(_ service: TestService) throws {
            #expect(reason { try text(service) } == .rolledBack)
            #expect(status { try service.keychain.add(.password("d")) } == -25291)
            #expect(service.messages.contains("older than the device key's counter"))
        }

        @Test func f08WholeDirectoryThatIsPutBackIsRefusedUntilItIsAccepted() throws {
            try Self.withStore(hasPasscode: true) { _, options, state, copy in
                try FileManager.default.copyItem(atPath: state, toPath: copy)
                try TestService.run(options) { service in
                    try Self.unlock(service)
                    try Self.put("new", service)
                    try service.keychain.lock()
                }
                try Self.putBack(copy, state)
                try TestService.run(options) { service in
                    try Self.unlock(service)
                    try Self.expectRefused(service)
                    try service.keychain.acceptRollback(
                        passcode: SecretBytes(passcode: Self.passcode))
                    let text = try Self.text(service)
                    #expect(text == "old")
                    try Self.put("later", service)
                }
                // It was accepted once, not permanently.
                try TestService.run(options) { service in
                    try Self.unlock(service)
                    let text = try Self.text(service)
                    #expect(text == "later")
                    try service.keychain.lock()
                }
                try Self.putBack(copy, state)
                try TestService.run(options) { service in
                    try Self.unlock(service)
                    try Self.expectRefused(service)
                }
            }
        }

        @Test func f08WithoutAPasscodeTheLastOrderlyEndHolds() throws {
            try Self.withStore(hasPasscode: false) { _, options, state, copy in
                try FileManager.default.copyItem(atPath: state, toPath: copy)
                _ = try TestService.run(options) { try Self.put("new", $0) }
                try Self.putBack(copy, state)
                try TestService.run(options) { service in try Self.expectRefused(service) }
            }
        }

        /// The first use after a start increments the counter: a copy from before a crash is stale.
        @Test func f08CopyOfBeforeTheLastStartIsRefusedAfterACrashToo() throws {
            try Self.withStore(hasPasscode: false) { tpm, options, state, copy in
                try FileManager.default.copyItem(atPath: state, toPath: copy)
                let relay = try TPMRelay(to: tpm)
                defer { relay.stop() }
                var relayed = options
                relayed.deviceKey = "unix:" + relay.socketPath
                try TestService.run(relayed) { service in
                    try Self.put("new", service)
                    try Waiting.until("the counter to count") { relay.counted > 0 }
                    kill(service.supervisor, SIGKILL)
                }
                try Self.putBack(copy, state)
                try TestService.run(options) { service in try Self.expectRefused(service) }
            }
        }

        @Test func untouchedDirectoryIsBelievedAfterAnyCrash() throws {
            try Self.withStore(hasPasscode: true) { tpm, options, _, _ in
                for round in 0..<4 {
                    try TestService.run(options) { service in
                        try Self.unlock(service)
                        try Self.put("round \(round)", service)
                        try service.crash(try service.enclave())
                        try Self.unlock(service)
                        let text = try Self.text(service)
                        #expect(text == "round \(round)")
                        try service.keychain.lock()
                        if round == 1 { try service.crash(try service.worker()) }
                    }
                    if round == 2 {
                        tpm.stop()
                        try tpm.start()
                    }
                }
            }
        }

        /// An attacker with the owner's authorization deletes the counter.
        @Test func counterThatIsGoneAsksForTheOwner() throws {
            try Self.withStore(hasPasscode: false) { tpm, options, _, _ in
                let indexes = try tpm.indexes()
                try #require(indexes.count == 1)
                try tpm.mustRun("nvundefine", "-C", "o", indexes[0])
                try TestService.run(options) { service in
                    #expect(reason { try Self.text(service) } == .rolledBack)
                    #expect(service.messages.contains("nothing tells whether the files"))
                    try service.keychain.acceptRollback(passcode: SecretBytes(passcode: ""))
                    let text = try Self.text(service)
                    #expect(text == "old")
                }
                try TestService.run(options) { service in
                    let text = try Self.text(service)
                    #expect(text == "old")
                }
                #expect(try tpm.indexes().count == 1)
            }
        }

        // MARK: - What the files say of the counter

        /// The values that an attacker can write for the counter in `device.tpm`, which isn't
        /// authenticated: its state (STORAGE.md), and the number of its index.
        enum Claim: CaseIterable {
            case thereIsNone
            case anotherNumberIsChosen
            case anotherNumberIsThere
            case anIndexOfTheOwners

            func alter(_ record: inout [UInt8], _ tpm: TestTPM) throws {
                let state = 9
                let number = 10..<14
                let other: [UInt8] = [0x01, 0x80, 0x07, 0x77]
                switch self {
                case .thereIsNone: record[state] = 0
                case .anotherNumberIsChosen:
                    record[state] = 1
                    record.replaceSubrange(number, with: other)
                case .anotherNumberIsThere: record.replaceSubrange(number, with: other)
                case .anIndexOfTheOwners:
                    try tpm.mustRun(
                        "nvdefine", "-C", "o", "-s", "8", "-a",
                        "nt=counter|ownerwrite|ownerread|authread|authwrite|no_da", "0x1800777")
                    try tpm.mustRun("nvincrement", "-C", "o", "0x1800777")
                    record[state] = 1
                    record.replaceSubrange(number, with: other)
                }
            }
        }

        private static func claim(_ claim: Claim, _ state: String, _ tpm: TestTPM) throws {
            for name in ["device.tpm", "device.tpm.2"] {
                let url = URL(fileURLWithPath: state + "/enclave/" + name)
                var record = [UInt8](try Data(contentsOf: url).dropLast(16))
                try #require(record[9] == 2)
                if name == "device.tpm" || claim != .anIndexOfTheOwners {
                    try claim.alter(&record, tpm)
                } else {
                    record = [UInt8](
                        try Data(contentsOf: url.deletingPathExtension()).dropLast(16))
                }
                try Data(record + SHA256.hash(data: record).prefix(16)).write(to: url)
            }
        }

        @Test(arguments: Claim.allCases)
        func filesThatSayThatTheyAreNotTiedAreRefusedToo(_ claim: Claim) throws {
            try Self.withStore(hasPasscode: false) { tpm, options, state, copy in
                try FileManager.default.copyItem(atPath: state, toPath: copy)
                _ = try TestService.run(options) { try Self.put("new", $0) }
                try Self.putBack(copy, state)
                try Self.claim(claim, state, tpm)
                try TestService.run(options) { service in
                    #expect(reason { try Self.text(service) } == .rolledBack)
                    #expect(status { try service.keychain.add(.password("d")) } == -25291)
                    try service.keychain.acceptRollback(passcode: SecretBytes(passcode: ""))
                    let text = try Self.text(service)
                    #expect(text == "old")
                }
                // They are bound again.
                try FileManager.default.removeItem(atPath: copy)
                try FileManager.default.copyItem(atPath: state, toPath: copy)
                try TestService.run(options) { service in
                    let text = try Self.text(service)
                    #expect(text == "old")
                    try Self.put("later", service)
                }
                try Self.putBack(copy, state)
                try TestService.run(options) { service in try Self.expectRefused(service) }
            }
        }

        /// Defines indexes, and counters, for which a TPM reserves space, until it is full.
        private static func fill(_ tpm: TestTPM) throws -> [String] {
            var taken: [String] = []
            for attributes in ["-s2048", "-s8", "-ant=counter|authread|authwrite|no_da"] {
                while true {
                    let index = "0x" + String(0x150_0000 + taken.count, radix: 16)
                    let result = try tpm.tool("nvdefine", "-C", "o", attributes, index)
                    guard result.ending == .exit(0) else { break }
                    taken.append(index)
                    try #require(taken.count < 400)
                }
            }
            return taken
        }

        @Test func keychainIsNotMadeBeforeItsCounterIs() throws {
            try TestTPM.run { tpm in
                let taken = try Self.fill(tpm)
                try TemporaryDirectory.lend { directory in
                    var options = TestService.Options(.user, directory: directory)
                    options.deviceKey = tpm.deviceKeyArgument
                    let (state, copy) = (directory + "/llavero", directory + "/copy")
                    try TestService.run(options) { service in
                        #expect(status { try service.keychain.add(.password("a")) } == -25291)
                        #expect(service.messages.contains("no room for another"))
                        let names = try FileManager.default.contentsOfDirectory(
                            atPath: state + "/enclave")
                        #expect(names.contains("device.tpm"))
                        #expect(!names.contains { $0.hasPrefix("keybag") || $0 == "binding" })
                    }
                    for index in taken { try tpm.mustRun("nvundefine", "-C", "o", index) }
                    _ = try TestService.run(options) { service in
                        try service.keychain.add(.password("a", secret: "old"))
                    }
                    try FileManager.default.copyItem(atPath: state, toPath: copy)
                    _ = try TestService.run(options) { try Self.put("new", $0) }
                    try Self.putBack(copy, state)
                    try TestService.run(options) { service in try Self.expectRefused(service) }
                }
            }
        }
    }
}
