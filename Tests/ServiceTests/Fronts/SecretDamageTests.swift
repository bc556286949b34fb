// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDB
import Keychain
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Secrets whose stored form is damaged, or that move.
    @Suite struct SecretDamage {
        private func change(_ fixture: FrontFixture, _ sql: String) throws {
            let path = fixture.service.stateDirectory + "/keychain.db"
            try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
        }

        private func findings(_ keychain: KeychainConnection) throws -> [MaintenanceFinding.Kind] {
            try keychain.check().findings.map(\.kind).filter { $0 != .foreignUser }
        }

        @Test func theCheckFindsALostTag() throws {
            let fixture = try FrontFixture()
            let channel = try fixture.channel("/usr/bin/one")
            _ = try channel.add(NewSecret("s", ["a": "1", "b": "2"]))
            let keychain = try fixture.service.connect(fixture.client)
            #expect(try findings(keychain).isEmpty)
            try change(
                fixture,
                """
                DELETE FROM secrettags WHERE tag =
                    (SELECT tag FROM secrettags WHERE userid = \(fixture.userID) LIMIT 1)
                """)
            #expect(try findings(keychain) == [.attributes])
        }

        @Test func aForeignTagFindsNothing() throws {
            let fixture = try FrontFixture()
            let channel = try fixture.channel("/usr/bin/one")
            _ = try channel.add(NewSecret("s", ["a": "1"]))
            _ = try channel.add(NewSecret("s", ["a": "2"]))
            // Each item gets the other's tags as well.
            try change(
                fixture,
                """
                INSERT OR IGNORE INTO secrettags (userid, tag, item)
                SELECT a.userid, a.tag, b.item FROM secrettags a, secrettags b
                WHERE a.userid = \(fixture.userID) AND b.userid = a.userid
                """)
            #expect(try channel.find(SecretQuery(["a": "1"])).count == 1)
            #expect(try channel.find(SecretQuery(["a": "1", "b": "1"])).isEmpty)
        }

        @Test func aChangedDigestIsDamage() throws {
            let fixture = try FrontFixture()
            let channel = try fixture.channel("/usr/bin/one")
            let item = try channel.add(NewSecret("s", ["a": "1"])).reference
            try change(
                fixture,
                """
                UPDATE genp SET tagdigest = randomblob(16) WHERE userid = \(fixture.userID)
                """)
            let rows = try channel.find(SecretQuery(["a": "1"]))
            #expect(rows.map(\.reference) == [item] && rows.map(\.state) == [.gone])
        }
    }
}
