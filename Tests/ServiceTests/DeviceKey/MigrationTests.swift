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
    /// A keychain's device key is replaced by one of another maker: the released daemons, a file
    /// and swtpm.
    @Suite struct Migration {
        private static let passcode = "correct horse"
        private typealias Maker = KeychainConnection.DeviceKeyMaker

        /// A user service with an item of each class and, on request, a passcode; it runs with a
        /// TPM that it may use or not.
        private static func withStore(
            _ maker: String, hasPasscode: Bool = true,
            _ body: (TestTPM, TestService.Options) throws -> Void
        ) throws {
            try TestTPM.run { tpm in
                try TemporaryDirectory.lend { directory in
                    var options = TestService.Options(.user, directory: directory)
                    options.deviceKey = maker == "file" ? "file" : tpm.deviceKeyArgument
                    try TestService.run(options) { service in
                        if hasPasscode {
                            try service.keychain.setPasscode(SecretBytes(passcode: passcode))
                        }
                        try addItems(service, hasPasscode)
                    }
                    options.deviceKey = tpm.deviceKeyArgument
                    try body(tpm, options)
                }
            }
        }

        private static func classes(_ hasPasscode: Bool) -> [Accessibility] {
            Accessibility.allCases.filter {
                hasPasscode || $0 != .whenPasscodeSetThisDeviceOnly
            }
        }

        private static func addItems(_ service: TestService, _ hasPasscode: Bool) throws {
            for accessibility in classes(hasPasscode) {
                try service.keychain.add(
                    .password(accessibility.code, accessibility: accessibility))
            }
        }

        private static func expectItems(
            _ service: TestService, hasPasscode: Bool = true, _ comment: Comment? = nil
        ) {
            for accessibility in classes(hasPasscode) {
                #expect(reads(service, accessibility.code) == 0, comment)
            }
        }

        private static func unlock(_ service: TestService) -> FailureReason? {
            reason { try service.keychain.unlock(passcode: SecretBytes(passcode: passcode)) }
        }

        private static func migrate(
            _ service: TestService, _ maker: Maker, _ text: String = passcode
        ) -> FailureReason? {
            reason {
                try service.keychain.migrateDeviceKey(
                    to: maker, passcode: SecretBytes(passcode: text))
            }
        }

        private static func names(_ service: TestService) throws -> Set<String> {
            Set(
                try FileManager.default.contentsOfDirectory(
                    atPath: service.stateDirectory + "/enclave"))
        }

        private static func expectMaker(_ maker: String, _ service: TestService) throws {
            let found = try service.keychain.deviceStatus().deviceKey
            #expect(found == maker)
        }

        private static func expectFailures(_ count: UInt32, _ service: TestService) throws {
            let found = try service.keychain.deviceStatus().failedAttempts
            #expect(found == count)
        }

        private static func expectNoFindings(_ service: TestService) throws {
            let findings = try service.keychain.check().findings
            #expect(findings == [])
        }

        // MARK: - To a TPM and back

        @Test func itemsOpenUnderTheTPMAndUnderTheFileAgain() throws {
            try Self.withStore("file") { tpm, options in
                let before = try tpm.indexes()
                try TestService.run(options) { service in
                    try Self.expectMaker("file", service)
                    #expect(Self.unlock(service) == nil)
                    #expect(Self.migrate(service, .tpm) == nil)
                    try Self.expectMaker("swtpm", service)
                    let state = try service.keychain.deviceStatus().state
                    #expect(state == .unlocked)
                    Self.expectItems(service)
                    let names = try Self.names(service)
                    #expect(names.isSuperset(of: ["device.tpm", "device.tpm.2"]))
                    #expect(names.isDisjoint(with: ["device.key", "device.key.2"]))
                    #expect(!names.contains { $0.hasSuffix(".new") || $0.contains("move") })
                    try service.keychain.add(.password("later"))
                    try service.keychain.lock()
                    #expect(reads(service, "later") == -25308)
                    #expect(Self.unlock(service) == nil)
                }
                // The indexes of the counter and the passcode.
                #expect(try tpm.indexes().count == before.count + 2)
                try TestService.run(options) { service in
                    #expect(Self.unlock(service) == nil)
                    Self.expectItems(service)
                    #expect(Self.migrate(service, .file) == nil)
                    try Self.expectMaker("file", service)
                    Self.expectItems(service)
                    try Self.expectNoFindings(service)
                }
                #expect(try tpm.indexes() == before, "the TPM has nothing of it any more")
                var alone = options
                alone.deviceKey = "file"
                tpm.stop()
                try TestService.run(alone) { service in
                    #expect(Self.unlock(service) == nil)
                    Self.expectItems(service)
                    #expect(reads(service, "later") == 0)
                }
            }
        }

        @Test func keychainWithoutAPasscodeMovesToo() throws {
            try Self.withStore("file", hasPasscode: false) { tpm, options in
                try TestService.run(options) { service in
                    #expect(Self.migrate(service, .tpm, "") == nil)
                    Self.expectItems(service, hasPasscode: false)
                }
                try TestService.run(options) { service in
                    try Self.expectMaker("swtpm", service)
                    Self.expectItems(service, hasPasscode: false)
                    #expect(Self.migrate(service, .file, "") == nil)
                    Self.expectItems(service, hasPasscode: false)
                }
                #expect(try tpm.indexes().isEmpty)
            }
        }

        /// From then on the TPM counts; the right passcode resets the earlier count.
        @Test func wrongPasscodesAreCountedByTheNewMaker() throws {
            try Self.withStore("file") { _, options in
                try TestService.run(options) { service in
                    #expect(Self.migrate(service, .tpm, "wrong") == .wrongPasscode)
                    try Self.expectFailures(1, service)
                    #expect(Self.migrate(service, .tpm) == nil)
                    try Self.expectFailures(0, service)
                    try service.keychain.lock()
                    #expect(
                        reason {
                            try service.keychain.unlock(passcode: SecretBytes(passcode: "no"))
                        } == .wrongPasscode)
                    try Self.expectFailures(1, service)
                    #expect(Self.unlock(service) == nil)
                }
            }
        }

        // MARK: - Refusals

        @Test func nothingChangesWithoutThePasscodeTheTPMOrAReason() throws {
            try Self.withStore("file") { tpm, options in
                var alone = options
                alone.deviceKey = "file"
                try TestService.run(alone) { service in
                    let names = try Self.names(service)
                    #expect(Self.migrate(service, .tpm) == .deviceKeyUnavailable)
                    #expect(Self.migrate(service, .file) == .wrongState)
                    #expect(Self.migrate(service, .tpm, "") == .invalidRequest)
                    let after = try Self.names(service)
                    #expect(after == names)
                    let state = try service.keychain.deviceStatus().state
                    #expect(state == .unlocked)
                    Self.expectItems(service)
                }
                #expect(try tpm.indexes().isEmpty)
            }
        }

        @Test func tpmThatEndsMeanwhileCostsNothing() throws {
            try Self.withStore("file") { tpm, options in
                try TestService.run(options) { service in
                    tpm.stop()
                    #expect(Self.migrate(service, .tpm) == .deviceKeyUnavailable)
                    try Self.expectMaker("file", service)
                    Self.expectItems(service)
                    try service.keychain.lock()
                    #expect(Self.unlock(service) == nil)
                    Self.expectItems(service)
                }
                try tpm.start()
            }
        }

        // MARK: - Crashes

        /// The calls by which the daemons change files during the move. The process is ended once
        /// at each of some calls, or (`make campaign`) at each of all.
        private func killAtEachStep(_ from: String, _ maker: Maker) throws {
            try Self.withStore(from) { tpm, options in
                var faulty = options
                faulty.hasFaults = true
                let old = from == "file" ? "file" : "swtpm"
                let back = maker == .tpm ? Maker.file : .tpm
                let count = try TestService.run(faulty) { service in
                    #expect(Self.unlock(service) == nil)
                    try service.strike("none")
                    #expect(Self.migrate(service, maker) == nil)
                    let count = try service.fileCalls().count
                    #expect(Self.migrate(service, back) == nil)
                    return count
                }
                #expect(count > 30, "\(count)")
                var outcomes: Set<String> = []
                for step in FaultSteps.chosen(of: count) {
                    let found = try TestService.run(faulty) { service in
                        #expect(Self.unlock(service) == nil)
                        try service.strike("kill \(step)")
                        _ = Self.migrate(service, maker)
                        try service.strike("none")
                        #expect(Self.unlock(service) == nil, "step \(step)")
                        Self.expectItems(service, "step \(step)")
                        let left = try Self.names(service).filter {
                            $0.hasPrefix("device.move") || $0.hasSuffix(".new")
                                || $0 == "releases"
                        }
                        #expect(left == [], "step \(step)")
                        return try service.keychain.deviceStatus().deviceKey
                    }
                    outcomes.insert(found)
                    try expectIndexes(tpm, found, "step \(step)")
                    guard found != old else { continue }
                    // Back to the original maker.
                    try TestService.run(options) { service in
                        #expect(Self.unlock(service) == nil)
                        #expect(Self.migrate(service, back) == nil, "step \(step)")
                    }
                    try expectIndexes(tpm, old, "step \(step), and back")
                }
                #expect(outcomes == ["file", "swtpm"], "both sides of the step were met")
                try TestService.run(options) { service in
                    #expect(Self.unlock(service) == nil)
                    Self.expectItems(service)
                    try Self.expectNoFindings(service)
                }
            }
        }

        /// The indexes of the counter and the passcode if the device key is in the TPM; else none.
        private func expectIndexes(
            _ tpm: TestTPM, _ maker: String, _ comment: Comment
        ) throws {
            #expect(try tpm.indexes().count == (maker == "file" ? 0 : 2), comment)
        }

        @Test func killedAtEachStepOnTheWayToTheTPM() throws { try killAtEachStep("file", .tpm) }

        @Test func killedAtEachStepOnTheWayToTheFile() throws { try killAtEachStep("tpm", .file) }

        @Test func fullDiskRefusesAndLeavesTheOldKey() throws {
            try Self.withStore("file") { _, options in
                var faulty = options
                faulty.hasFaults = true
                try TestService.run(faulty) { service in
                    #expect(Self.unlock(service) == nil)
                    try service.strike("full 1")
                    #expect(Self.migrate(service, .tpm) != nil)
                    try service.strike("none")
                    try Self.expectMaker("file", service)
                    Self.expectItems(service)
                    #expect(Self.migrate(service, .tpm) == nil)
                    Self.expectItems(service)
                }
            }
        }

        /// The move's file exists, but the rest doesn't: the next start finishes it; a damaged file
        /// is never guessed at.
        @Test func damagedMoveIsRefusedWithAClearLine() throws {
            try Self.withStore("file") { _, options in
                let directory = try #require(options.directory) + "/llavero/enclave/"
                let path = directory + "device.move.tpm"
                try Data("LLMOVE1\0 and nothing else".utf8).write(
                    to: URL(fileURLWithPath: path))
                try TestService.run(options) { service in
                    #expect(Self.unlock(service) == .unreachable)
                    #expect(service.messages.contains("device.move.tpm: damaged"))
                    let names = try Self.names(service)
                    #expect(names.contains("device.key"))
                }
                try FileManager.default.removeItem(atPath: path)
                try TestService.run(options) { service in
                    #expect(Self.unlock(service) == nil)
                    Self.expectItems(service)
                }
            }
        }
    }
}

/// The numbers of the calls that fail, given the number of calls.
enum FaultSteps {
    private static let defaultCount = 12

    /// Evenly spread; all calls if LLAVERO_FAULT_STEPS is 0, as in `make campaign`.
    static func chosen(of count: Int) -> [Int] {
        let wanted = ProcessInfo.processInfo.environment["LLAVERO_FAULT_STEPS"].flatMap(Int.init)
        guard wanted != 0 else { return Array(1...max(count, 1)) }
        let steps = min(wanted ?? defaultCount, count)
        return (0..<steps).map { 1 + $0 * count / steps }
    }
}
