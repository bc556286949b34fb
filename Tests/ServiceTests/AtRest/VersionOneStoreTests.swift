// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// A whole state directory in version 1 of each format stays usable (Tests/Vectors/stores). It has
    /// an item of each class of item in each protection class, a tombstone, a row in the quarantine, a
    /// time of use, an audit log, an escrow record and a recovery code.
    @Suite struct VersionOneStore {
        private static let passcode = "correct horse"

        @Test func allThatItHoldsIsReadAndChanged() throws {
            try Self.lend { options, state in
                try TestService.run(options) { service in
                    for (itemClass, code) in Self.kinds {
                        let isReadable = code.hasPrefix("dk")
                        #expect(
                            status { try Self.expectItem(service, itemClass, code) }
                                == (isReadable ? 0 : -25308), "\(itemClass) \(code)")
                    }
                    try Self.unlock(service)
                    for (itemClass, code) in Self.kinds {
                        try Self.expectItem(service, itemClass, code)
                    }
                    let device = try service.keychain.deviceStatus()
                    #expect(device.hasEscrow)
                    #expect(device.hasRecoveryCode)
                    let tombstones = try StoredRows.rows("genp", state).filter {
                        $0["tombstone"] == .integer(1)
                    }
                    #expect(tombstones.count == 1)
                    #expect(try service.keychain.check().findings.map(\.kind) == [.quarantined])
                    for (itemClass, code) in Self.kinds {
                        try service.keychain.update(
                            Self.query(itemClass, code), applying: .setting(secret: "changed"))
                    }
                }
                try TestService.run(options) { service in
                    try Self.unlock(service)
                    for (itemClass, code) in Self.kinds {
                        let found = try service.keychain.find(Self.query(itemClass, code)).first
                        #expect(found?.secret?.testText == "changed", "\(itemClass) \(code)")
                        try service.keychain.delete(Self.query(itemClass, code))
                    }
                    #expect(try service.keychain.check().findings.map(\.kind) == [.quarantined])
                }
            }
        }

        @Test func itsAuditLogAndTimesOfUseGoOn() throws {
            try Self.lend { options, _ in
                try TestService.run(options) { service in
                    let (records, brokenAt) = try service.keychain.auditLog()
                    #expect(brokenAt == [])
                    for event in [AuditEvent.setPasscode, .add, .delete, .read, .makeEscrow] {
                        #expect(records.contains { $0.event == event }, "\(event.name)")
                    }
                    #expect(records.contains { $0.event == .makeRecoveryCode })
                    for (code, isUsed) in [("dk", true), ("dku", false)] {
                        var query = Self.query(.genericPassword, code)
                        query.returning = [.usage]
                        let found = try service.keychain.find(query).first
                        #expect((found?.lastUsed != nil) == isUsed)
                    }
                }
            }
        }

        @Test func itsEscrowKeyResetsThePasscode() throws {
            try Self.lend { options, _ in
                try TestService.run(options) { service in
                    let digits = try Self.text("escrow-key").filter(\.isHexDigit)
                    let pairs = stride(from: 0, to: digits.count, by: 2).map {
                        digits.dropFirst($0).prefix(2)
                    }
                    let key = pairs.compactMap { UInt8($0, radix: 16) }
                    try service.keychain.reset(escrowKey: Secret(bytes: key).bytes)
                    try Self.expectAllButPasscodeSet(service)
                }
            }
        }

        @Test func itsRecoveryCodeResetsThePasscode() throws {
            try Self.lend { options, _ in
                try TestService.run(options) { service in
                    let text = try Self.text("recovery-code")
                    let code = RecoveryCode(SecretBytes(passcode: text))
                    try service.keychain.reset(recoveryCode: #require(code))
                    try Self.expectAllButPasscodeSet(service)
                }
            }
        }

        private static func expectAllButPasscodeSet(_ service: TestService) throws {
            #expect(try !service.keychain.deviceStatus().passcodeSet)
            for (itemClass, code) in kinds where code != "akpu" {
                try expectItem(service, itemClass, code)
            }
        }

        private static let kinds: [(ItemClass, String)] = {
            let stored: [ItemClass] = [.genericPassword, .internetPassword, .certificate, .key]
            return stored.flatMap { itemClass in
                Accessibility.allCases.map { (itemClass, $0.code) }
            }
        }()

        private static func name(_ itemClass: ItemClass, _ code: String) -> String {
            itemClass.rawValue + " " + code
        }

        private static func query(_ itemClass: ItemClass, _ code: String) -> ItemQuery {
            var query = ItemQuery(itemClass)
            query.attributes[.label] = .text(name(itemClass, code))
            query.returning = [.data, .attributes]
            return query
        }

        private static func expectItem(
            _ service: TestService, _ itemClass: ItemClass, _ code: String
        ) throws {
            let found = try service.keychain.find(query(itemClass, code))
            #expect(found.count == 1, "\(itemClass) \(code)")
            #expect(found.first?.secret?.testText == "secret of \(name(itemClass, code))")
            #expect(found.first?.attributes.accessibility?.code == code)
        }

        // MARK: - Helpers

        private static func unlock(_ service: TestService) throws {
            try service.keychain.unlock(passcode: SecretBytes(passcode: passcode))
        }

        private static func file(_ suffix: String) -> URL {
            URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Vectors/stores/version-1.\(suffix)")
        }

        private static func text(_ suffix: String) throws -> String {
            let data = try Data(contentsOf: file(suffix))
            return String(decoding: data, as: UTF8.self).filter { !$0.isNewline }
        }

        /// Unpacks a store. It belongs to user 0: another user's daemons wouldn't serve it.
        private static func lend(
            _ body: (TestService.Options, _ state: String) throws -> Void
        ) throws {
            guard geteuid() == 0 else {
                Issue.record("The store is root's.")
                return
            }
            try TemporaryDirectory.lend { directory in
                let state = directory + "/llavero"
                #expect(unsafe mkdir(state, 0o700) == 0)
                let unpacked = try TestProcess.run(
                    "/usr/bin/tar",
                    ["-xzf", file("tar.gz").path, "-C", state, "--no-same-owner"])
                try #require(unpacked.ending == .exit(0))
                try body(TestService.Options(.user, directory: directory), state)
            }
        }
    }
}
