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
    /// All files of a keychain are put back at once. With a TPM that is noticed; with a file it isn't
    /// (`aWholeDirectoryThatIsPutBackIsNotNoticedWithAFile`).
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
                // It was accepted once, not for ever.
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

        /// The first use after a start counts: what was copied before a crash is old.
        @Test func f08CopyOfBeforeTheLastStartIsRefusedAfterACrashToo() throws {
            try Self.withStore(hasPasscode: false) { _, options, state, copy in
                try FileManager.default.copyItem(atPath: state, toPath: copy)
                try TestService.run(options) { service in
                    try Self.put("new", service)
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

        /// Somebody with the owner's authorization takes the counter away.
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
    }
}
