// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Which attributes identify an item.
    @Suite struct PrimaryKeys {
        @Test func sameAccountAndServiceCollide() throws {
            try TestService.run { service in
                try service.keychain.add(.password("anna", secret: "first"))
                #expect(
                    status { try service.keychain.add(.password("anna", secret: "second")) }
                        == -25299)
                #expect(
                    reason { try service.keychain.add(.password("anna")) } == .duplicate)
                #expect(try one(service, "anna").secret?.testText == "first")
                try service.keychain.add(.password("anna", service: "other service"))
                try service.keychain.add(.password("berta"))
                #expect(try service.keychain.find(.password(limit: nil)).count == 3)
            }
        }

        @Test func genericLabelAndAccessibilityAreNoPartOfIt() throws {
            try TestService.run { service in
                try service.keychain.add(.password("anna"))
                var other = NewItem.password("anna")
                other.attributes[.generic] = .data([1])
                #expect(reason { try service.keychain.add(other) } == .duplicate)
                other = .password("anna")
                other.attributes[.label] = .text("label")
                #expect(reason { try service.keychain.add(other) } == .duplicate)
                #expect(
                    reason {
                        try service.keychain.add(.password("anna", accessibility: .always))
                    } == .duplicate)
                let found = try one(service, "anna")
                #expect(found.attributes[.generic] == nil)
                #expect(found.attributes[.label] == nil)
                #expect(found.attributes.accessibility == .whenUnlocked)
            }
        }

        @Test func missingServiceIsTheEmptyService() throws {
            try TestService.run { service in
                var item = NewItem(.genericPassword)
                item.attributes[.account] = .text("anna")
                item.secret = Secret(text: "first")
                try service.keychain.add(item)
                #expect(
                    reason { try service.keychain.add(.password("anna", service: "")) }
                        == .duplicate)
                #expect(
                    try service.keychain.find(.password("anna", service: "")).first?.secret?
                        .testText == "first")
                #expect(
                    reason { try service.keychain.find(.password("anna", service: "other")) }
                        == .absent)
            }
        }

        @Test func textAndDataOfTheSameBytesAreTheSameAccount() throws {
            try TestService.run { service in
                try service.keychain.add(.password("anna", secret: "as text"))
                var asData = NewItem.password("")
                asData.attributes[.account] = .data([UInt8]("anna".utf8))
                #expect(reason { try service.keychain.add(asData) } == .duplicate)
                var query = ItemQuery.password(returning: [.data, .attributes])
                query.attributes[.account] = .data([UInt8]("anna".utf8))
                let found = try service.keychain.find(query).first
                #expect(found?.secret?.testText == "as text")
                // It is returned as it was stored.
                #expect(found?.attributes[.account] == .text("anna"))
            }
        }

        @Test func synchronizableItemsAreApart() throws {
            try TestService.run { service in
                try service.keychain.add(.password("anna", secret: "local"))
                var item = NewItem.password("anna", secret: "synchronizable")
                item.attributes[.synchronizable] = .integer(1)
                try service.keychain.add(item)
                #expect(try one(service, "anna").secret?.testText == "local")
                var query = ItemQuery.password("anna", limit: nil)
                query.synchronizable = .yes
                #expect(
                    try service.keychain.find(query).map { $0.secret?.testText }
                        == ["synchronizable"])
                query.synchronizable = .any
                #expect(try service.keychain.find(query).count == 2)
                try service.keychain.delete(.password("anna"))
                #expect(try service.keychain.find(query).count == 1)
            }
        }

        @Test func updateIntoAnothersNameChangesNothing() throws {
            try TestService.run { service in
                for account in ["anna", "berta", "carla"] {
                    try service.keychain.add(.password(account, service: "old", secret: account))
                }
                // The first row can get the name, the second collides with it.
                let changes = ItemChanges.setting([.account: .text("dora")], secret: "new")
                #expect(
                    status {
                        try service.keychain.update(.password(service: "old"), applying: changes)
                    } == -25299)
                #expect(reason { try service.keychain.find(.password("dora")) } == .absent)
                for account in ["anna", "berta", "carla"] {
                    #expect(try one(service, account).secret?.testText == account)
                }
                // The same for a name that was used before.
                #expect(
                    reason {
                        try service.keychain.update(
                            .password("anna"), applying: .setting([.account: .text("berta")]))
                    } == .duplicate)
                #expect(try one(service, "anna").secret?.testText == "anna")
                // An update without a collision changes all.
                try service.keychain.update(
                    .password(service: "old"), applying: .setting([.service: .text("new")]))
                #expect(
                    try service.keychain.find(.password(service: "new", limit: nil)).count == 3)
                #expect(reason { try service.keychain.find(.password(service: "old")) } == .absent)
            }
        }

        @Test func persistentReferenceSurvivesUpdateAndDiesWithTheItem() throws {
            try TestService.run { service in
                try service.keychain.add(.password("other", secret: "other"))
                var item = NewItem.password("anna", secret: "one")
                item.returning = [.persistentReference]
                let added = try service.keychain.add(item)
                let reference = try #require(added.persistentReference)
                #expect(reference.bytes.count == 20)
                #expect(try one(service, "anna").persistentReference == reference)

                try service.keychain.update(
                    .password("anna"),
                    applying: .setting([.account: .text("berta")], secret: "two"))
                let found = try service.keychain.find(.reference(reference))
                #expect(found.count == 1)
                #expect(found.first?.attributes[.account] == .text("berta"))
                #expect(found.first?.secret?.testText == "two")

                try service.keychain.delete(.reference(reference))
                #expect(reason { try service.keychain.find(.reference(reference)) } == .absent)
                let again = try service.keychain.add(item)
                #expect(again.persistentReference != nil)
                #expect(again.persistentReference != reference)
                #expect(reason { try service.keychain.find(.reference(reference)) } == .absent)
                #expect(try one(service, "other").secret?.testText == "other")
            }
        }
    }
}
