// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// The items that the wrappers store, and how they read existing ones.
    @Suite struct WrapperShapes {
        private static func generic(
            _ service: TestService, _ identifier: String
        ) throws -> [FoundItem] {
            var query = ItemQuery.password(limit: nil, returning: [.data, .attributes])
            query.attributes[.generic] = .text(identifier)
            return try service.keychain.find(query)
        }

        /// Several programs make the first writes of an identifier, each with its account on one
        /// thread and its data on another: there is one item, and it has both.
        @Test func whoeverWritesFirstMakesTheOnlyItem() throws {
            try TestService.run { service in
                for round in 0..<10 {
                    let programs = try (0..<4).map { _ in
                        try WrapperProgram(service.socketPath)
                    }
                    for (number, program) in programs.enumerated() {
                        program.send("create id-\(round) \(number)")
                    }
                    for program in programs { #expect(try program.line() == "ok") }
                    let found = try Self.generic(service, "id-\(round)")
                    #expect(found.count == 1)
                    guard case .text(let account)? = found.first?.attributes[.account] else {
                        Issue.record("no account")
                        return
                    }
                    #expect(account.hasPrefix("account-"))
                    #expect(found.first?.secret?.testText.hasPrefix("data-") == true)
                }
            }
        }

        @Test func twoIdentifiersNeverCollide() throws {
            try TestService.run { service in
                let program = try WrapperProgram(service.socketPath)
                for identifier in ["a", "b"] {
                    #expect(try program.ask("item save \(identifier) of-\(identifier)") == "ok")
                }
                // Nor with the same account.
                for identifier in ["a", "b"] {
                    #expect(try program.ask("set \(identifier) acct same") == "ok")
                    #expect(try program.ask("item load \(identifier)") == "of-\(identifier)")
                }
                // The control: the generic attribute isn't part of the primary key.
                #expect(try program.ask("original-item save x 1") == "ok")
                #expect(try program.ask("original-item save y 2") == "failed -25299")
            }
        }

        @Test func anItemOfTheOriginalIsFoundAndChangedWhereItIs() throws {
            try TestService.run { service in
                var item = NewItem.password(
                    "bob", service: "", secret: "old", accessibility: .whenUnlocked)
                item.attributes[.generic] = .text("Password")
                item.attributes[.comment] = .text("of old")
                try service.keychain.add(item)
                let program = try WrapperProgram(service.socketPath)
                #expect(try program.ask("item load Password") == "old")
                #expect(try program.ask("get Password acct") == "bob")
                #expect(try program.ask("item save Password new") == "ok")
                #expect(try program.ask("set Password labl L") == "ok")
                let found = try Self.generic(service, "Password")
                #expect(found.count == 1)
                #expect(found.first?.secret?.testText == "new")
                #expect(found.first?.attributes[.account] == .text("bob"))
                #expect(found.first?.attributes[.service] == .text(""))
                #expect(found.first?.attributes[.comment] == .text("of old"))
                #expect(found.first?.attributes[.label] == .text("L"))
                // It can be used in the background from now on.
                #expect(found.first?.attributes.accessibility == .afterFirstUnlock)
                // And the original finds the wrapper's items.
                #expect(try program.ask("item save Fresh value") == "ok")
                #expect(try program.ask("original-item load Fresh") == "value")
                #expect(try program.ask("original-item save Fresh theirs") == "ok")
                #expect(try program.ask("item load Fresh") == "theirs")
                #expect(try program.ask("item delete Password") == "ok")
                #expect(try program.ask("item load Password") == "failed -25300")
                #expect(try program.ask("item load Fresh") == "theirs")
            }
        }

        @Test func anAttributeThatCannotBeIsRefusedAndNothingIsStored() throws {
            try TestService.run { service in
                let program = try WrapperProgram(service.socketPath)
                for (key, status) in [
                    ("gena", -50), ("class", -25303), ("srvr", -25303), ("pdmn", -50),
                    ("agrp", -34018),
                ] {
                    let answer = try program.ask("set x \(key) nonsense")
                    #expect(answer == "failed \(status)", "\(key)")
                }
                #expect(try program.ask("get x acct") == "empty")
                #expect(try program.ask("get x v_Data") == "empty")
                #expect(try program.ask("get x icmt") == "nothing")
                #expect(try program.ask("get x srvr") == "failed -25303")
                #expect(throws: KeychainError.self) { _ = try Self.generic(service, "x") }
                #expect(try program.ask("set x pdmn ak") == "ok")
                #expect(try program.ask("get x pdmn") == "ak")
            }
        }

        @Test func jnKeychainGivesBackWhatPropertyListsHold() throws {
            try TestService.run { service in
                let program = try WrapperProgram(service.socketPath)
                #expect(try program.ask("values") == "")
                // Another program's data is neither a value nor a crash.
                for bytes in ["", "garbage", "bplist00\u{1}\u{2}"] {
                    try service.keychain.save(.password("alien", service: "alien", secret: bytes))
                    #expect(try program.ask("jn load alien") == "failed -26275")
                }
            }
        }

        @Test func sfhfTellsItsOwnErrorsFromStatuses() throws {
            try TestService.run { service in
                let program = try WrapperProgram(service.socketPath)
                #expect(try program.ask("sfhf load nobody") == "failed -25300")
                #expect(try program.ask("sfhf delete nobody") == "failed -25300")
                #expect(try program.ask("keep - s p") == "failed -2000")
                var item = NewItem.password("me", service: "me")
                item.secret = Secret(bytes: [0xFF, 0xFE])
                try service.keychain.add(item)
                #expect(try program.ask("sfhf load me") == "failed -1999")
                #expect(try program.ask("sfhf save me text") == "ok")
                #expect(try program.ask("sfhf load me") == "text")
                // An item that the original stored without a class is found as well.
                #expect(try program.ask("original-sfhf save old 1") == "ok")
                #expect(try program.ask("sfhf load old") == "1")
                #expect(try program.ask("sfhf delete old") == "ok")
            }
        }

        @Test func theTeamIsThatOfTheSignatureAndNothingIsStoredForIt() throws {
            try SignedWorld.run { world in
                let team = try SignedWorld.Team("TEAMAAAAAA")
                try world.trust(team)
                let bytes = try Data(contentsOf: URL(fileURLWithPath: Binaries.testWrappers()))
                let signed = try world.install(
                    team.sign([UInt8](bytes), "org.example.app"), "wrappers")
                let here = ["LLAVERO_SOCKET": world.service.socketPath]
                let unsigned = try world.install([UInt8](bytes), "unsigned")
                for form in ["team", "team-task"] {
                    #expect(try world.run(signed, [form], environment: here) == ["TEAMAAAAAA"])
                    #expect(try world.run(unsigned, [form], environment: here) == ["none"])
                }
                let nowhere = ["LLAVERO_SOCKET": world.service.socketPath + "x"]
                #expect(try world.run(signed, ["team"], environment: nowhere) == ["none"])
                #expect(
                    try world.run(signed, ["team-task"], environment: nowhere)
                        == ["failed unreachable"])
                #expect(try StoredRows.rows("genp", world.service.stateDirectory).isEmpty)
            }
        }
    }
}
