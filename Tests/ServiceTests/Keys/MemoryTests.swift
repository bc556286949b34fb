// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import Glibc
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// The contents of the daemons' memory.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct Memory {
        private static let passcode = "a passcode that is found nowhere 5821"
        private static let secret = "a secret that is found nowhere 7739"
        private static let account = "an account that is found nowhere 1164"
        private static let lockedClasses = [ProtectionClass.ak, .aku, .akpu]

        /// Without `memfd_secret`, keys are in locked pages that root can read; so a scan shows
        /// whether they are wiped.
        @Test func t06AfterLockNoWhenUnlockedKeyAndNoRowKeyIsInMemory() throws {
            try TestService.run(Self.readable) { service in
                let needles = try Self.fill(service)
                #expect(try service.keychain.deviceStatus().memory == "mlock")
                // The control: the same scanner finds the keys while they are in use.
                let before = try Self.scan(service, needles)
                for protectionClass in Self.lockedClasses {
                    #expect(before.enclave.contains("class \(protectionClass)"))
                    #expect(before.securityd.contains("metadata \(protectionClass)"))
                }
                #expect(before.enclave.contains("class ck"))
                Self.expectNothingPassing(before)
                // It also finds row keys where they exist: in the test, which has derived them.
                let ours = try MemoryScan(of: getpid(), for: needles).found
                let rowKeys = needles.keys.filter { $0.hasPrefix("row key ") }
                #expect(rowKeys.count == 5)
                #expect(ours.isSuperset(of: rowKeys))

                try service.keychain.lock()
                let after = try Self.scan(service, needles)
                for protectionClass in Self.lockedClasses {
                    for memory in [after.enclave, after.securityd, after.deriver] {
                        #expect(!memory.contains("class \(protectionClass)"))
                        #expect(!memory.contains("metadata \(protectionClass)"))
                    }
                }
                Self.expectNothingPassing(after)
                // The scan still detects keys.
                #expect(after.enclave.contains("class ck"))
                #expect(reason { try service.keychain.find(.password(Self.account)) } == .locked)
                // After an unlock and a lock the result is the same.
                try service.keychain.unlock(passcode: SecretBytes(passcode: Self.passcode))
                let found = try service.keychain.find(.password(Self.account)).first
                #expect(found?.secret?.testText == Self.secret)
                try service.keychain.lock()
                let again = try Self.scan(service, needles)
                for protectionClass in Self.lockedClasses {
                    #expect(!again.enclave.contains("class \(protectionClass)"))
                    #expect(!again.securityd.contains("metadata \(protectionClass)"))
                }
                Self.expectNothingPassing(again)
            }
        }

        @Test func securitydNeverHoldsAClassKeyOrAPasscode() throws {
            try TestService.run(Self.readable) { service in
                let needles = try Self.fill(service)
                let scan = try Self.scan(service, needles)
                for protectionClass in Self.lockedClasses + [.ck, .cku] {
                    #expect(!scan.securityd.contains("class \(protectionClass)"))
                }
                Self.expectNothingPassing(scan)
            }
        }

        @Test func secretsLeaveNoCopyBehind() throws {
            try TestService.run(Self.readable) { service in
                let needles = try Self.fill(service)
                for _ in 0..<20 {
                    let found = try service.keychain.find(
                        .password(Self.account, returning: [.data, .attributes]))
                    #expect(found.first?.secret?.testText == Self.secret)
                }
                let scan = try Self.scan(service, needles)
                for memory in [scan.enclave, scan.securityd, scan.deriver] {
                    #expect(!memory.contains("secret"))
                }
                #expect(!scan.enclave.contains("account"))
            }
        }

        @Test func pagesOfSecretMemoryAreNotReadableByAnybody() throws {
            var options = TestService.Options()
            options.isInspectable = geteuid() != 0
            try TestService.run(options) { service in
                let needles = try Self.fill(service)
                guard try service.keychain.deviceStatus().memory == "memfd_secret" else {
                    Issue.record("This kernel has no memfd_secret, or it is switched off.")
                    return
                }
                let enclave = try MemoryScan(of: service.enclave(), for: needles)
                let securityd = try MemoryScan(of: service.worker(), for: needles)
                for scan in [enclave, securityd] {
                    #expect(scan.unreadable.contains { $0.contains("secretmem") })
                    #expect(scan.unreadable.allSatisfy { $0.contains("secretmem") })
                    #expect(scan.byteCount > 1 << 20)
                    // Keys in use are stored nowhere else.
                    #expect(scan.found.subtracting(["account"]) == [])
                }
            }
        }

        // MARK: - Helpers

        private static var readable: TestService.Options {
            var options = TestService.Options()
            options.lacksSecretMemory = true
            options.isInspectable = geteuid() != 0
            return options
        }

        /// Stores an item of each class that a lock makes unreadable, uses all keys, and returns
        /// the bytes to search for.
        private static func fill(_ service: TestService) throws -> [String: [UInt8]] {
            let keychain = service.keychain
            try keychain.setPasscode(SecretBytes(passcode: passcode))
            try keychain.add(.password(account, secret: secret))
            for code in ["aku", "akpu", "ck", "cku"] {
                try keychain.add(
                    .password(code, secret: secret, accessibility: Accessibility(code: code)))
            }
            // The passcode again, as in daily use.
            try keychain.lock()
            try keychain.unlock(passcode: SecretBytes(passcode: passcode))
            #expect(try keychain.find(.password(limit: nil)).count == 5)

            let keys = try DerivedKeys(
                stateDirectory: service.stateDirectory, user: geteuid(), passcode: passcode)
            var needles = [
                "passcode": [UInt8](passcode.utf8), "secret": [UInt8](secret.utf8),
                "account": [UInt8](account.utf8), "derived key": keys.derived,
                "passcode key": keys.passcodeKey,
            ]
            for (protectionClass, key) in keys.classKeys {
                needles["class \(protectionClass)"] = key
            }
            for (protectionClass, key) in keys.metadataKeys {
                needles["metadata \(protectionClass)"] = key
            }
            #expect(keys.metadataKeys.count == 5)
            for row in try StoredRows.rows("genp", service.stateDirectory) {
                guard case .integer(let number)? = row["rowid"] else { continue }
                needles["row key \(number)"] = try keys.rowKey(of: row)
            }
            return needles
        }

        private struct Found {
            let securityd: Set<String>
            let enclave: Set<String>
            let deriver: Set<String>
        }

        private static func scan(
            _ service: TestService, _ needles: [String: [UInt8]]
        ) throws -> Found {
            func find(_ pid: Int32) throws -> Set<String> {
                let scan = try MemoryScan(of: pid, for: needles)
                #expect(scan.unreadable == [])
                return scan.found
            }
            return Found(
                securityd: try find(service.worker()), enclave: try find(service.enclave()),
                deriver: try find(service.deriver()))
        }

        private static func expectNothingPassing(_ found: Found) {
            // Row keys are wiped after the request that needed them.
            let rowKeys = (1...5).map { "row key \($0)" }
            for name in ["passcode", "derived key", "passcode key"] + rowKeys {
                #expect(!found.securityd.contains(name), "\(name) in securityd")
                #expect(!found.enclave.contains(name), "\(name) in enclaved")
                #expect(!found.deriver.contains(name), "\(name) in the deriver")
            }
        }
    }
}
