// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Items whose owner says which programs have their secrets.
    @Suite struct Grants {
        private struct Programs {
            let world: SignedWorld
            /// Of team A.
            let app: String
            /// Of team A as well.
            let sibling: String
            /// Of team B.
            let other: String
            /// An unsigned one: it holds the group of the items.
            let bare: String
        }

        private static func lend(_ body: (Programs) throws -> Void) throws {
            try SignedWorld.run { world in
                let first = try SignedWorld.Team("TEAMAAAAAA")
                let second = try SignedWorld.Team("TEAMBBBBBB")
                for team in [first, second] { try world.trust(team) }
                func install(_ team: SignedWorld.Team, _ name: String) throws -> String {
                    try world.install(team.sign(world.program(), "org.example.\(name)"), name)
                }
                try body(
                    Programs(
                        world: world, app: install(first, "app"),
                        sibling: install(first, "sibling"), other: install(second, "other"),
                        bare: world.install(world.program(), "bare")))
            }
        }

        /// Stores a password as an unsigned program does.
        private static func store(
            _ world: SignedWorld, _ service: String, _ secret: String = "APPLE",
            _ change: @escaping @Sendable (inout ItemGrants) -> Void
        ) throws {
            try world.act { keychain in
                var item = NewItem(.genericPassword)
                item.attributes[.service] = .text(service)
                item.secret = Secret(text: secret)
                item.attributes[.label] = .text("label of \(service)")
                var grants = ItemGrants()
                change(&grants)
                item.attributes.grants = grants
                try keychain.add(item)
            }
        }

        private static let withheld = ["failed -25308"]
        private static let absent = ["failed -25300"]

        @Test func aWithheldSecretIsForNoProgramOfItsGroup() throws {
            try Self.lend { programs in
                let world = programs.world
                try Self.store(world, "bank") { $0.withholdsFromGroup = true }
                #expect(try world.ask(programs.bare, "find", "bank") == Self.withheld)
                // As on the Mac, everything else of it is found.
                #expect(try world.ask(programs.bare, "attributes", "bank") == ["label of bank"])
                #expect(try world.ask(programs.app, "seek", "bank") == Self.absent)
            }
        }

        @Test(arguments: ["unsigned:", "apple-tool:", "apple:"])
        func aPartitionGivesItBackToItsGroup(_ partition: String) throws {
            try Self.lend { programs in
                let world = programs.world
                try Self.store(world, "bank") {
                    $0.withholdsFromGroup = true
                    $0.partitions = ["codesign:", partition]
                }
                #expect(try world.ask(programs.bare, "find", "bank") == ["APPLE"])
                #expect(try world.ask(programs.app, "seek", "bank") == Self.absent)
            }
        }

        @Test func aTeamsProgramsFindWhatTheTeamIsGranted() throws {
            try Self.lend { programs in
                let world = programs.world
                try Self.store(world, "bank") { $0.partitions = ["teamid:TEAMAAAAAA"] }
                #expect(try world.ask(programs.app, "seek", "bank") == ["APPLE"])
                #expect(try world.ask(programs.sibling, "seek", "bank") == ["APPLE"])
                #expect(try world.ask(programs.other, "seek", "bank") == Self.absent)
                // Nothing was taken from its group.
                #expect(try world.ask(programs.bare, "find", "bank") == ["APPLE"])
                // Who means its own items alone doesn't see it.
                #expect(try world.ask(programs.app, "find", "bank") == Self.absent)
            }
        }

        @Test func anApplicationIsGrantedItAlone() throws {
            try Self.lend { programs in
                let world = programs.world
                try Self.store(world, "bank") {
                    $0.withholdsFromGroup = true
                    $0.applications = ["TEAMAAAAAA.org.example.app"]
                }
                #expect(try world.ask(programs.app, "seek", "bank") == ["APPLE"])
                #expect(try world.ask(programs.sibling, "seek", "bank") == Self.absent)
                #expect(try world.ask(programs.other, "seek", "bank") == Self.absent)
                #expect(try world.ask(programs.bare, "find", "bank") == Self.withheld)
            }
        }

        @Test func allProgramsOfTheUserAreGrantedItAndNoOtherUsers() throws {
            try Self.lend { programs in
                let world = programs.world
                try Self.store(world, "bank") { $0.admitsAll = true }
                for program in [programs.app, programs.sibling, programs.other] {
                    #expect(try world.ask(program, "seek", "bank") == ["APPLE"])
                }
                let lines = try world.run(
                    programs.app, [world.service.socketPath, "seek", "bank"], flags: [])
                #expect(lines != ["APPLE"])
            }
        }

        @Test func whoIsGrantedItChangesNothing() throws {
            try Self.lend { programs in
                let world = programs.world
                try Self.store(world, "bank") { $0.admitsAll = true }
                for request in ["update bank ck", "delete bank", "grant bank teamid:TEAMBBBBBB"] {
                    #expect(try world.converse(programs.app, [request]) == Self.absent)
                }
                #expect(try world.ask(programs.bare, "find", "bank") == ["APPLE"])
            }
        }

        /// A program leaves another one an item by a grant, as anything a program finds can come from
        /// elsewhere. It never takes the place of the other's own.
        @Test func anOwnItemComesBeforeAGrantedOne() throws {
            try Self.lend { programs in
                let world = programs.world
                try Self.store(world, "bank", "PLANTED") { $0.admitsAll = true }
                #expect(try world.ask(programs.app, "seek", "bank") == ["PLANTED"])
                #expect(try world.ask(programs.app, "add", "bank", "OWN") == ["ok"])
                #expect(try world.ask(programs.app, "seek", "bank") == ["OWN"])
            }
        }

        @Test func thePasscodeGivesTheSecretAndTheList() throws {
            try Self.lend { programs in
                let world = programs.world
                try world.act { keychain in
                    try keychain.setPasscode(SecretBytes(passcode: "1357"))
                }
                try Self.store(world, "bank") { $0.withholdsFromGroup = true }
                #expect(
                    try world.converse(
                        programs.bare,
                        [
                            "grant bank unsigned:", "unlock 1357", "find bank",
                            "grant bank unsigned:",
                        ]) == Self.withheld + ["ok", "APPLE", "ok"])
                #expect(try world.ask(programs.bare, "find", "bank") == ["APPLE"])
            }
        }

        /// What `security` calls a signed program is what the service calls it.
        @Test func theToolNamesASignedProgramAsItsSignatureDoes() throws {
            try Self.lend { programs in
                let world = programs.world
                let words = ["add-generic-password", "-s", "bank", "-a", "anna", "-w", "APPLE"]
                let added = try world.run(
                    Binaries.path("security"), words + ["-T", programs.app],
                    environment: ["LLAVERO_SOCKET": world.service.socketPath])
                #expect(added == [])
                #expect(try world.ask(programs.app, "seek", "bank") == ["APPLE"])
                #expect(try world.ask(programs.sibling, "seek", "bank") == Self.absent)
                #expect(try world.ask(programs.bare, "find", "bank") == Self.withheld)
            }
        }

        @Test func grantsAreWithinTheirLimits() throws {
            try Self.lend { programs in
                var item = NewItem.password("anna", service: "bank", secret: "APPLE")
                item.attributes.grants = ItemGrants()
                item.attributes.grants?.partitions = (0...ItemGrants.entryLimit).map { "p\($0)" }
                let refused = item
                try programs.world.act { keychain in
                    #expect(status { try keychain.add(refused) } != 0)
                }
                #expect(try programs.world.ask(programs.bare, "find", "bank") == Self.absent)
            }
        }

        @Test func aListIsEmptiedAgain() throws {
            try Self.lend { programs in
                let world = programs.world
                try Self.store(world, "bank") { $0.partitions = ["teamid:TEAMAAAAAA"] }
                #expect(try world.ask(programs.bare, "grant", "bank", "") == ["ok"])
                #expect(try world.ask(programs.app, "seek", "bank") == Self.absent)
                #expect(try world.ask(programs.bare, "find", "bank") == ["APPLE"])
            }
        }

        /// An own item that isn't returned now is no reason to return another's.
        @Test func anOwnItemThatIsLeftOutKeepsOthersAway() throws {
            try Self.lend { programs in
                let world = programs.world
                try Self.store(world, "bank", "PLANTED") { $0.admitsAll = true }
                try world.act { keychain in try keychain.setPasscode(SecretBytes(passcode: "1")) }
                #expect(
                    try world.converse(programs.app, ["guard bank OWN", "skip bank"])
                        == ["ok", "failed -25300"])
                #expect(try world.ask(programs.other, "skip", "bank") == ["PLANTED"])
            }
        }

        /// While the device is locked, another program's item isn't known to be granted or not.
        @Test func lockedItemsOfOthersAreNotThere() throws {
            try Self.lend { programs in
                let world = programs.world
                try world.act { keychain in try keychain.setPasscode(SecretBytes(passcode: "1")) }
                try Self.store(world, "granted") { $0.admitsAll = true }
                try Self.store(world, "not granted") { $0.withholdsFromGroup = true }
                #expect(try world.ask(programs.bare, "lock") == ["ok"])
                for service in ["granted", "not granted"] {
                    #expect(try world.ask(programs.app, "seek", service) == Self.absent)
                }
                #expect(
                    try world.converse(programs.app, ["unlock 1", "seek granted"])
                        == ["ok", "APPLE"])
            }
        }

        /// Without a passcode nobody can prove to be the owner: each program of the user can set one.
        /// Red team: ephemeral; it gets the secret; not stopped.
        /// Before: nothing.
        @Test func aFirstPasscodeOpensWhatWasWithheldIsNotStopped() throws {
            try Self.lend { programs in
                let world = programs.world
                try Self.store(world, "bank") { $0.withholdsFromGroup = true }
                #expect(
                    try world.converse(
                        programs.bare, ["find bank", "set-passcode 1", "unlock 1", "find bank"])
                        == Self.withheld + ["ok", "ok", "APPLE"])
            }
        }

        /// A program of the group wants a secret that was withheld from it.
        /// Red team: ephemeral; closed.
        /// Before: not tried.
        @Test func aProgramOfTheGroupGrantsItselfNothing() throws {
            try Self.lend { programs in
                let world = programs.world
                try Self.store(world, "bank") { $0.withholdsFromGroup = true }
                try Self.store(world, "plain") { $0.partitions = ["teamid:TEAMAAAAAA"] }
                let requests = [
                    "find bank", "seek bank", "grant bank unsigned:", "replace bank GUESS",
                    "overwrite bank GUESS", "find bank",
                ]
                #expect(
                    try world.converse(programs.bare, requests)
                        == Array(repeating: Self.withheld[0], count: requests.count))
                // The control: what isn't withheld from it, it reads and grants.
                #expect(
                    try world.converse(
                        programs.bare,
                        ["find plain", "grant plain teamid:TEAMBBBBBB"]) == ["APPLE", "ok"])
                #expect(try world.ask(programs.other, "seek", "plain") == ["APPLE"])
                #expect(try world.ask(programs.app, "seek", "plain") == Self.absent)
            }
        }
    }
}
