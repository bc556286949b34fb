// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// What one user hears of another: nothing. What one user takes from another: nothing.
    @Suite(.enabled(if: geteuid() == 0, "only root can start the system service"))
    struct SystemBorders {
        private static let anna = SystemWorld.anna
        private static let berta = SystemWorld.berta

        /// Another user reads the audit log, checks and recovers the database, and listens to changes.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test func auditCheckRecoverAndChangesEndAtTheUser() throws {
            try SystemWorld.run { world in
                // Another user who listens hears only of what is theirs.
                let listener = try world.start(Self.berta, application: "hear", "kinds")
                defer { listener.end() }
                #expect(try listener.readLine() == "hearing")
                for name in ["bank", "mail", "disk"] {
                    #expect(try world.ask(Self.anna, "add", name, "MANGO") == "ok")
                }
                #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
                #expect(!listener.hasOutput)
                #expect(try world.ask(Self.berta, "add", "own", "PAPAYA") == "ok")
                let heard = try listener.readLine()
                usleep(200_000)
                #expect(!listener.hasOutput, "\(heard)")

                let annas = try world.security(Self.anna, "audit", "--json")
                #expect(annas.components(separatedBy: "\"add\"").count == 4, "\(annas)")
                for user in [Self.berta, 0] {
                    let own = try world.security(user, "audit", "--json")
                    #expect(!own.contains("\(Self.anna)"), "\(own)")
                    let adds = own.components(separatedBy: "\"add\"").count - 1
                    #expect(adds == (user == Self.berta ? 1 : 0), "\(own)")
                    let check = try world.security(user, "device", "check", "--json")
                    #expect(
                        check.contains("\"examined\": \(user == Self.berta ? 1 : 0)"), "\(check)")
                    let recovery = try world.security(user, "device", "recover", "--json")
                    #expect(recovery.contains("\"restored\": []"), "\(recovery)")
                }
                // The control.
                let check = try world.security(Self.anna, "device", "check", "--json")
                #expect(check.contains("\"examined\": 3"), "\(check)")
            }
        }

        /// Another user takes the lease of the same name.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test func leaseOfOneUserKeepsNoOtherUserFromTheirs() throws {
            try SystemWorld.run { world in
                func take(_ user: UInt32) throws -> TestProcess {
                    try world.start(
                        user, application: "take", "account", "unsigned.\(user)")
                }
                let annas = try take(Self.anna)
                defer { annas.end() }
                #expect(try annas.readLine() == "held")
                let bertas = try take(Self.berta)
                defer { bertas.end() }
                #expect(try bertas.readLine() == "held")
                // Nor can the other user name the first one's group.
                let thief = try world.start(
                    Self.berta, application: "take", "account", "unsigned.\(Self.anna)")
                defer { thief.end() }
                #expect(try thief.readLine() != "held")
                // The control: within one user the lease is taken.
                let second = try take(Self.anna)
                defer { second.end() }
                #expect(try second.readLine().hasPrefix("failed"))
            }
        }
    }
}
