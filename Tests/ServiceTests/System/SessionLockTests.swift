// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// The right of llavero-session: it locks every user, and nothing else.
    @Suite(.enabled(if: geteuid() == 0, "only root can start the system service"))
    struct SessionLocks {
        private static let anna = SystemWorld.anna
        private static let berta = SystemWorld.berta
        private static let session = SystemWorld.session

        private static func prepare(_ world: SystemWorld) throws {
            for (user, passcode) in [(anna, "correct-horse"), (berta, "battery-staple")] {
                #expect(try world.ask(user, "add", "bank", "MANGO") == "ok")
                try world.setPasscode(passcode, of: user)
            }
        }

        @Test func sessionsUserLocksTheOneThatItNames() throws {
            try SystemWorld.run { world in
                try Self.prepare(world)
                #expect(try world.ask(Self.session, "lock-other", "\(Self.anna)") == "ok")
                #expect(try world.ask(Self.anna, "find", "bank") == "failed -25308")
                #expect(try world.ask(Self.berta, "find", "bank") == "MANGO")
                // A user without a keychain gets none by that.
                #expect(try world.ask(Self.session, "lock-other", "54321") == "ok")
                let keybags = try FileManager.default.contentsOfDirectory(
                    atPath: world.root + "/var/lib/llavero-enclave/enclave")
                #expect(!keybags.contains { $0.contains("54321") })
                // The control: the files do have the numbers of users.
                #expect(keybags.contains { $0.contains("\(Self.anna)") })
            }
        }

        /// Before sleep: also a user who has done nothing since securityd was started again.
        @Test func sessionsUserLocksEverybody() throws {
            try SystemWorld.run { world in
                try Self.prepare(world)
                try world.crash("securityd")
                #expect(try world.ask(Self.session, "lock-other", "everybody") == "ok")
                for user in [Self.anna, Self.berta] {
                    #expect(try world.ask(user, "find", "bank") == "failed -25308")
                }
            }
        }

        /// A program of one user locks another user out again and again, or root's own programs do it
        /// by mistake.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test func otherUsersCantLockAnyone() throws {
            try SystemWorld.run { world in
                try Self.prepare(world)
                for user in [Self.berta, SystemWorld.enclaved, 0] {
                    for subject in ["\(Self.anna)", "everybody"] {
                        #expect(try world.ask(user, "lock-other", subject) == "failed -25293")
                    }
                }
                #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
            }
        }

        /// An intruder in llavero-session tries to open or read a user's keychain.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test func sessionsUserNeitherUnlocksNorReads() throws {
            try SystemWorld.run { world in
                try Self.prepare(world)
                #expect(try world.ask(Self.anna, "lock") == "ok")
                // Its own keychain is another one: no passcode is set there, and nothing is in it.
                #expect(
                    try world.ask(Self.session, "unlock", "correct-horse").hasPrefix("failed"))
                #expect(try world.ask(Self.session, "find", "bank") == "failed -25300")
                #expect(try world.ask(Self.anna, "find", "bank") == "failed -25308")
                #expect(try world.ask(Self.anna, "unlock", "correct-horse") == "ok")
                #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
            }
        }

        /// The monitor's file.
        @Test func metricsCountRequestsAndNameNobody() throws {
            try SystemWorld.run { world in
                #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                #expect(try world.ask(Self.anna, "find", "tree") == "failed -25300")
                let path = world.root + "/run/llavero/metrics/llavero.prom"
                let text: String = try Waiting.value("the metrics", within: .seconds(40)) {
                    let text = try? String(contentsOfFile: path, encoding: .utf8)
                    return text?.contains("{request=\"add\"} 1") == true ? text : nil
                }
                #expect(text.contains("llavero_failures_total{reason=\"absent\"} 1"))
                #expect(text.contains("llavero_start_time_seconds "))
                for word in ["bank", "MANGO", "\(Self.anna)"] { #expect(!text.contains(word)) }
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o644)
            }
        }
    }
}
