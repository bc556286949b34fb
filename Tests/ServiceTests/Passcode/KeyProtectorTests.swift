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
    /// What unlocks besides the passcode, with the released daemons.
    @Suite struct Protectors {
        private static let passcode = "correct horse"
        private static let free: [Accessibility] = Accessibility.allCases.filter {
            $0 != .whenPasscodeSetThisDeviceOnly
        }

        private static func secret(_ text: String) -> SecretBytes { SecretBytes(passcode: text) }

        /// Writes a key's file.
        private static func write(
            _ key: ProtectorKey, to path: String, mode: mode_t = 0o600
        ) throws {
            let bytes = unsafe key.file.bytes.withUnsafeBytes { unsafe Data($0) }
            try bytes.write(to: URL(fileURLWithPath: path))
            guard unsafe chmod(path, mode) == 0 else { throw TestFailure("chmod") }
        }

        /// A stopped user service with a passcode, an item of each class, and one protector.
        private static func withStore(
            then locks: Bool = false,
            _ body: (TestService.Options, ProtectorKey, String) throws -> Void
        ) throws {
            try TemporaryDirectory.lend { directory in
                try TemporaryDirectory.lend { keys in
                    let options = TestService.Options(.user, directory: directory)
                    let key = ProtectorKey.random()
                    try TestService.run(options) { service in
                        try service.keychain.setPasscode(secret(passcode))
                        for accessibility in Accessibility.allCases {
                            try service.keychain.add(
                                .password(accessibility.code, accessibility: accessibility))
                        }
                        try service.keychain.addProtector(
                            NewProtector(name: "boot", .keyFile(key), locksAfterwards: locks),
                            passcode: secret(passcode))
                    }
                    try write(key, to: keys + "/boot.key")
                    try body(options, key, keys)
                }
            }
        }

        private static func withKeyFile(
            _ options: TestService.Options, _ path: String
        ) -> TestService.Options {
            var options = options
            options.arguments = ["--protector-key-file", path]
            return options
        }

        private static func withCredential(
            _ options: TestService.Options, _ directory: String?, _ name: String
        ) -> TestService.Options {
            var options = options
            options.credentialsDirectory = directory
            options.arguments = ["--protector-credential", name]
            return options
        }

        private static func state(_ service: TestService) throws -> DeviceStatus.State {
            try service.keychain.deviceStatus().state
        }

        // MARK: - With nobody there

        @Test func aKeyFileUnlocksAtTheStartAndNoPasscodeSetItem() throws {
            try Self.withStore { options, _, keys in
                try TestService.run(options) { service in
                    let state = try Self.state(service)
                    #expect(state == .beforeFirstUnlock)
                    #expect(reads(service, "ck") == -25308)
                    #expect(reads(service, "dk") == 0)
                }
                try TestService.run(Self.withKeyFile(options, keys + "/boot.key")) { service in
                    let state = try Self.state(service)
                    #expect(state == .unlocked)
                    let status = try service.keychain.deviceStatus()
                    #expect(status.passcodeSet)
                    for accessibility in Self.free {
                        #expect(reads(service, accessibility.code) == 0, "\(accessibility)")
                    }
                    #expect(reads(service, "akpu") == -25308)
                    #expect(service.messages.contains("unlocked by the protector boot"))
                    let list = try service.keychain.protectors()
                    #expect(list.protectors.map(\.name) == ["boot"])
                    #expect(list.protectors.first?.lastUsed != nil)
                    #expect(!list.replacePasscode)
                    // securityd has neither the file nor a descriptor of it.
                    let worker = try service.worker()
                    let files = try FileManager.default.contentsOfDirectory(
                        atPath: "/proc/\(worker)/fd")
                    for file in files {
                        let target = try? FileManager.default.destinationOfSymbolicLink(
                            atPath: "/proc/\(worker)/fd/\(file)")
                        #expect(target?.hasSuffix("boot.key") != true)
                    }
                    // It stays unlocked until a lock.
                    try service.keychain.lock(.now)
                    #expect(reads(service, "ak") == -25308)
                    #expect(reads(service, "ck") == 0)
                }
            }
        }

        @Test func aCredentialOfSystemdsWithThenLockLeadsToAfterTheFirstUnlock() throws {
            try Self.withStore(then: true) { options, key, keys in
                // systemd's directory and file: nobody may write either.
                try Self.write(key, to: keys + "/llavero.boot", mode: 0o400)
                guard unsafe chmod(keys, 0o500) == 0 else { throw TestFailure("chmod") }
                defer { _ = unsafe chmod(keys, 0o700) }
                let started = Self.withCredential(options, keys, "llavero.boot")
                try TestService.run(started) { service in
                    let state = try Self.state(service)
                    #expect(state == .locked)
                    #expect(reads(service, "ak") == -25308)
                    #expect(reads(service, "ck") == 0)
                    #expect(reads(service, "akpu") == -25308)
                    try service.keychain.unlock(passcode: Self.secret(Self.passcode))
                    #expect(reads(service, "akpu") == 0)
                }
            }
        }

        @Test func enclavedThatIsStartedAgainIsUnlockedAgain() throws {
            try Self.withStore { options, _, keys in
                try TestService.run(Self.withKeyFile(options, keys + "/boot.key")) { service in
                    #expect(reads(service, "ak") == 0)
                    try service.crash(try service.enclave())
                    try Waiting.until("the next enclaved to unlock") {
                        (try? Self.state(service)) == .unlocked
                    }
                    #expect(reads(service, "ak") == 0)
                }
            }
        }

        /// What an attacker has who copied the state, and with it the device key, but no credential.
        @Test func aStolenStateDirectoryWithoutTheKeyOpensNothing() throws {
            try Self.withStore { options, _, keys in
                let other = keys + "/other.key"
                try Self.write(.random(), to: other)
                try TestService.run(Self.withKeyFile(options, other)) { service in
                    let state = try Self.state(service)
                    #expect(state == .beforeFirstUnlock)
                    for accessibility in Self.free where accessibility.code.hasPrefix("d") {
                        #expect(reads(service, accessibility.code) == 0)
                    }
                    for code in ["ak", "aku", "ck", "cku", "akpu"] {
                        #expect(reads(service, code) == -25308, "\(code)")
                    }
                    #expect(service.messages.contains("of no protector"))
                    #expect(try service.keychain.deviceStatus().failedAttempts == 0)
                }
            }
        }

        /// No credential of these opens anything, stops the service, or goes unmentioned.
        @Test func badCredentialsAreNamedAndTheServiceRuns() throws {
            try Self.withStore { options, key, keys in
                let whole = try Data(contentsOf: URL(fileURLWithPath: keys + "/boot.key"))
                func put(_ name: String, _ data: Data, mode: mode_t = 0o600) throws {
                    try data.write(to: URL(fileURLWithPath: keys + "/" + name))
                    guard unsafe chmod(keys + "/" + name, mode) == 0 else {
                        throw TestFailure("chmod")
                    }
                }
                try put("empty", Data())
                try put("large", Data(repeating: 7, count: 1 << 20))
                try put("short", whole.prefix(40))
                try put("long", whole + Data([10]))
                var flipped = whole
                flipped[20] ^= 1
                try put("flipped", flipped)
                try put("text", Data("a passcode that a person chose, 48 bytes of it..".utf8))
                try put("open", whole, mode: 0o644)
                try put("foreign", whole)
                if geteuid() == 0 {
                    guard unsafe chown(keys + "/foreign", 1234, 1234) == 0 else {
                        throw TestFailure("chown")
                    }
                }
                try FileManager.default.createSymbolicLink(
                    atPath: keys + "/link", withDestinationPath: keys + "/boot.key")
                try FileManager.default.createDirectory(
                    atPath: keys + "/directory", withIntermediateDirectories: false)
                var cases = [
                    ("empty", "it is empty"), ("large", "wrong size"), ("short", "wrong size"),
                    ("long", "wrong size"), ("flipped", "is damaged"), ("text", "is damaged"),
                    ("open", "other users may use it"), ("link", "symbolic link"),
                    ("directory", "no file"), ("missing", "can't be opened"),
                ]
                if geteuid() == 0 { cases.append(("foreign", "belongs to user 1234")) }
                for (name, words) in cases {
                    let started = Self.withCredential(options, keys, name)
                    try TestService.run(started) { service in
                        let state = try Self.state(service)
                        #expect(state == .beforeFirstUnlock, "\(name)")
                        #expect(reads(service, "dk") == 0, "\(name)")
                        #expect(service.messages.contains(words), "\(name)")
                        #expect(!service.messages.contains("unlocked by"), "\(name)")
                    }
                }
                let without = Self.withCredential(options, nil, "boot.key")
                try TestService.run(without) { service in
                    let state = try Self.state(service)
                    #expect(state == .beforeFirstUnlock)
                    #expect(service.messages.contains("CREDENTIALS_DIRECTORY"))
                }
                // The control.
                let right = Self.withCredential(options, keys, "boot.key")
                try TestService.run(right) { service in
                    let state = try Self.state(service)
                    #expect(state == .unlocked)
                }
                _ = key
            }
        }

        // MARK: - By hand

        @Test func wrongKeysCountAsNoWrongPasscodeAndRightOnesForgiveNone() throws {
            try Self.withStore { options, key, _ in
                try TestService.run(options) { service in
                    for text in ["wrong", "wronger"] {
                        let passcode = Self.secret(text)
                        #expect(
                            reason { try service.keychain.unlock(passcode: passcode) }
                                == .wrongPasscode)
                    }
                    for _ in 0..<20 {
                        #expect(
                            reason { try service.keychain.unlock(protectorKey: .random()) }
                                == .wrongPasscode)
                    }
                    #expect(try service.keychain.deviceStatus().failedAttempts == 2)
                    try service.keychain.unlock(protectorKey: key)
                    let state = try Self.state(service)
                    #expect(state == .unlocked)
                    #expect(try service.keychain.deviceStatus().failedAttempts == 2)
                    #expect(reads(service, "akpu") == -25308)
                }
            }
        }

        @Test func removingOneNeedsThePasscodeAndLeavesTheOthers() throws {
            try Self.withStore { options, key, keys in
                let second = ProtectorKey.random()
                try TestService.run(options) { service in
                    let keychain = service.keychain
                    let wrong = Self.secret("wrong")
                    #expect(
                        reason {
                            try keychain.addProtector(
                                NewProtector(name: "other", .keyFile(second)), passcode: wrong)
                        } == .wrongPasscode)
                    #expect(
                        reason {
                            try keychain.removeProtector(named: "boot", passcode: wrong)
                        } == .wrongPasscode)
                    let none = SecretBytes(byteCount: 0)
                    #expect(
                        reason {
                            try keychain.removeProtector(named: "boot", passcode: none)
                        } == .invalidRequest)
                    #expect(try keychain.protectors().protectors.map(\.name) == ["boot"])
                    let right = Self.secret(Self.passcode)
                    try keychain.addProtector(
                        NewProtector(name: "other", .credential(second)), passcode: right)
                    #expect(
                        reason {
                            try keychain.addProtector(
                                NewProtector(name: "other", .keyFile(.random())), passcode: right)
                        } == .nameTaken)
                    try keychain.removeProtector(named: "boot", passcode: right)
                    #expect(
                        reason {
                            try keychain.removeProtector(named: "boot", passcode: right)
                        } == .noSuchProtector)
                }
                try TestService.run(Self.withKeyFile(options, keys + "/boot.key")) { service in
                    let state = try Self.state(service)
                    #expect(state == .beforeFirstUnlock)
                    #expect(
                        reason { try service.keychain.unlock(protectorKey: key) }
                            == .wrongPasscode)
                    try service.keychain.unlock(protectorKey: second)
                    #expect(reads(service, "ak") == 0)
                }
            }
        }

        @Test func theLogNamesWhoChangedWhich() throws {
            try Self.withStore { options, key, _ in
                try TestService.run(options) { service in
                    try service.keychain.testProtector(named: "boot", with: .key(key))
                    try service.keychain.unlock(protectorKey: key)
                    try service.keychain.removeProtector(
                        named: "boot", passcode: Self.secret(Self.passcode))
                    var records: [AuditRecord] = []
                    try Waiting.until("the log") {
                        records = try service.keychain.auditLog().records.filter {
                            (22...25).contains($0.event.rawValue)
                        }
                        return records.count == 4
                    }
                    #expect(
                        records.map(\.event.name) == [
                            "add-protector", "test-protector", "unlock-by-protector",
                            "remove-protector",
                        ])
                    #expect(records[0].accessGroup == "boot")
                    #expect(records[3].accessGroup == "boot")
                    #expect(records.allSatisfy { $0.status == 0 })
                }
            }
        }

        // MARK: - Without a passcode

        @Test(.enabled(if: geteuid() == 0, "before a passcode is set, only root adds one"))
        func withoutAPasscodeTheProtectorsAloneUnlock() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let key = ProtectorKey.random()
                try Self.write(key, to: directory + "/key")
                let none = SecretBytes(byteCount: 0)
                try TestService.run(options) { service in
                    for accessibility in Self.free {
                        try service.keychain.add(
                            .password(accessibility.code, accessibility: accessibility))
                    }
                    try service.keychain.addProtector(
                        NewProtector(name: "boot", .keyFile(key)), passcode: none)
                    let status = try service.keychain.deviceStatus()
                    #expect(status.state == .unlocked)
                    #expect(!status.passcodeSet)
                    #expect(!status.existingClasses.contains(.whenPasscodeSetThisDeviceOnly))
                }
                try TestService.run(options) { service in
                    let state = try Self.state(service)
                    #expect(state == .beforeFirstUnlock)
                    for code in ["ak", "aku", "ck", "cku"] {
                        #expect(reads(service, code) == -25308, "\(code)")
                    }
                    let another = Self.secret("mine")
                    #expect(reason { try service.keychain.setPasscode(another) } == .locked)
                    #expect(reason { try service.keychain.removeProtection() } == .locked)
                }
                try TestService.run(Self.withKeyFile(options, directory + "/key")) { service in
                    for accessibility in Self.free {
                        #expect(reads(service, accessibility.code) == 0)
                    }
                    #expect(
                        reason {
                            try service.keychain.removeProtector(named: "boot", passcode: none)
                        } == .lastProtector)
                    #expect(try service.keychain.protectors().replacePasscode)
                    try service.keychain.removeProtection()
                    let state = try Self.state(service)
                    #expect(state == .noPasscode)
                }
                try TestService.run(options) { service in
                    let state = try Self.state(service)
                    #expect(state == .noPasscode)
                    #expect(reads(service, "ak") == 0)
                }
            }
        }

        // MARK: - The TPM

        @Test func theTPMUnlocksAtTheStartAndNoOtherOne() throws {
            try TestTPM.run { tpm in
                try TemporaryDirectory.lend { directory in
                    var options = TestService.Options(.user, directory: directory)
                    options.deviceKey = tpm.deviceKeyArgument
                    try TestService.run(options) { service in
                        try service.keychain.setPasscode(Self.secret(Self.passcode))
                        try service.keychain.add(.password("ak", accessibility: .whenUnlocked))
                        try service.keychain.add(
                            .password("akpu", accessibility: .whenPasscodeSetThisDeviceOnly))
                        try service.keychain.addProtector(
                            NewProtector(name: "tpm", .tpm(registers: [])),
                            passcode: Self.secret(Self.passcode))
                        try service.keychain.testProtector(named: "tpm", with: .tpm)
                    }
                    let indexes = try tpm.indexes().count
                    try TestService.run(options) { service in
                        let state = try Self.state(service)
                        #expect(state == .unlocked)
                        #expect(reads(service, "ak") == 0)
                        #expect(reads(service, "akpu") == -25308)
                        #expect(service.messages.contains("unlocked by the protector tpm"))
                        try service.keychain.removeProtector(
                            named: "tpm", passcode: Self.secret(Self.passcode))
                    }
                    // With the protector its object in the TPM is gone.
                    #expect(try tpm.indexes().count == indexes - 1)
                    try TestService.run(options) { service in
                        let state = try Self.state(service)
                        #expect(state == .beforeFirstUnlock)
                    }
                }
            }
        }

        @Test func changedRegistersKeepTheTPMFromUnlocking() throws {
            try TestTPM.run { tpm in
                try TemporaryDirectory.lend { directory in
                    var options = TestService.Options(.user, directory: directory)
                    options.deviceKey = tpm.deviceKeyArgument
                    try TestService.run(options) { service in
                        try service.keychain.setPasscode(Self.secret(Self.passcode))
                        try service.keychain.add(.password("ak", accessibility: .whenUnlocked))
                        try service.keychain.addProtector(
                            NewProtector(name: "boot", .tpm(registers: [7, 16])),
                            passcode: Self.secret(Self.passcode))
                        let list = try service.keychain.protectors().protectors
                        #expect(list.first?.boundRegisters == [7, 16])
                    }
                    try TestService.run(options) { service in
                        let state = try Self.state(service)
                        #expect(state == .unlocked)
                    }
                    let digest = String(repeating: "ab", count: 32)
                    try tpm.mustRun("pcrextend", "16:sha256=\(digest)")
                    try TestService.run(options) { service in
                        let state = try Self.state(service)
                        #expect(state == .beforeFirstUnlock)
                        #expect(reads(service, "ak") == -25308)
                        #expect(
                            service.messages.contains("started with something else"))
                        try service.keychain.unlock(passcode: Self.secret(Self.passcode))
                        #expect(reads(service, "ak") == 0)
                    }
                }
            }
        }

        @Test func aTPMIsWaitedForAndThenTheStateIsClear() throws {
            try TestTPM.run { tpm in
                try TemporaryDirectory.lend { directory in
                    var options = TestService.Options(.user, directory: directory)
                    options.deviceKey = tpm.deviceKeyArgument
                    try TestService.run(options) { service in
                        try service.keychain.setPasscode(Self.secret(Self.passcode))
                        try service.keychain.add(.password("ak", accessibility: .whenUnlocked))
                        try service.keychain.addProtector(
                            NewProtector(name: "tpm", .tpm(registers: [])),
                            passcode: Self.secret(Self.passcode))
                    }
                    tpm.stop()
                    options.arguments = ["--tpm-wait", "3"]
                    try TestService.run(options) { service in
                        try Waiting.until("it to wait") {
                            service.messages.contains("waiting for it for 3 s")
                        }
                        try tpm.start()
                        try Waiting.until("the TPM to unlock") {
                            (try? Self.state(service)) == .unlocked
                        }
                        #expect(reads(service, "ak") == 0)
                    }
                    tpm.stop()
                    options.arguments = ["--tpm-wait", "1"]
                    try TestService.run(options) { service in
                        try Waiting.until("the time to be over") {
                            service.messages.contains("hasn't come within 1 s")
                        }
                        #expect(
                            reason { try service.keychain.deviceStatus() }
                                == .deviceKeyUnavailable)
                    }
                }
            }
        }
    }
}
