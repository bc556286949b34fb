// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Generic passwords through `Keychain` and both daemons.
    @Suite struct Items {
        @Test func addedItemIsFoundWithItsSecretAndAttributes() throws {
            try TestService.run { service in
                var item = NewItem.password("anna", service: "mail", secret: "pässword 🔑")
                item.attributes[.label] = .text("Mail of Anna")
                item.attributes[.comment] = .data([0, 255, 1])
                item.attributes[.generic] = .data([7, 8])
                item.attributes[.creator] = .integer(42)
                try service.keychain.add(item)

                let found = try service.keychain.find(
                    .password("anna", service: "mail", returning: [.data, .attributes]))
                #expect(found.count == 1)
                let attributes = try #require(found.first?.attributes)
                #expect(found.first?.secret?.testText == "pässword 🔑")
                #expect(attributes[.account] == .text("anna"))
                #expect(attributes[.service] == .text("mail"))
                #expect(attributes[.label] == .text("Mail of Anna"))
                #expect(attributes[.comment] == .data([0, 255, 1]))
                #expect(attributes[.generic] == .data([7, 8]))
                #expect(attributes[.creator] == .integer(42))
            }
        }

        @Test func missingAttributesGetTheirDefaults() throws {
            try TestService.run { service in
                var item = NewItem(.genericPassword)
                item.returning = [.attributes, .persistentReference, .data]
                let added = try service.keychain.add(item)
                let found = try service.keychain.find(
                    .password(returning: [.attributes, .data])
                ).first
                let attributes = try #require(found?.attributes)
                #expect(attributes[.account] == .text(""))
                #expect(attributes[.service] == .text(""))
                #expect(attributes[.accessGroup] == .text("unsigned.\(geteuid())"))
                #expect(attributes.accessibility == .whenUnlocked)
                #expect(attributes[.synchronizable] == .integer(0))
                #expect(attributes[.creationDate] != nil)
                #expect(attributes[.creationDate] == attributes[.modificationDate])
                #expect(attributes[.label] == nil)
                #expect(added.attributes[.creationDate] == attributes[.creationDate])
                #expect(added.persistentReference != nil)
                #expect(added.secret == nil)
            }
        }

        @Test func onlyWhatWasAskedForIsReturned() throws {
            try TestService.run { service in
                let added = try service.keychain.add(.password("anna"))
                #expect(added.attributes.isEmpty)
                #expect(added.secret == nil)
                #expect(added.persistentReference == nil)
                let bare = try service.keychain.find(.password("anna", returning: [])).first
                #expect(bare?.secret == nil)
                #expect(bare?.attributes.isEmpty == true)
                #expect(bare?.persistentReference == nil)
                let attributes = try service.keychain.find(
                    .password("anna", returning: [.attributes])
                ).first
                #expect(attributes?.secret == nil)
                #expect(attributes?.attributes[.account] == .text("anna"))
                let data = try service.keychain.find(.password("anna", returning: [.data])).first
                #expect(data?.secret?.testText == "secret")
                #expect(data?.attributes.isEmpty == true)
            }
        }

        @Test func whatIsNotThereIsAbsent() throws {
            try TestService.run { service in
                // Before the first item, and with one.
                for _ in 0..<2 {
                    #expect(reason { try service.keychain.find(.password("nobody")) } == .absent)
                    #expect(reason { try service.keychain.delete(.password("nobody")) } == .absent)
                    #expect(
                        reason {
                            try service.keychain.update(
                                .password("nobody"), applying: .setting(secret: "x"))
                        } == .absent)
                    if case .failure(let error) = outcome({
                        try service.keychain.find(.password("nobody"))
                    }) {
                        #expect(error.status == -25300)
                    }
                    _ = try? service.keychain.add(.password("somebody"))
                }
                let found = try service.keychain.find(.password("somebody"))
                #expect(found.count == 1)
            }
        }

        @Test func updateChangesWhatItNamesAndNothingElse() throws {
            try TestService.run { service in
                var item = NewItem.password("anna", secret: "one")
                item.attributes[.label] = .text("label")
                try service.keychain.add(item)
                try service.keychain.add(.password("berta", secret: "other"))
                let before = try one(service, "anna")

                try service.keychain.update(.password("anna"), applying: .setting(secret: "two"))
                let afterSecret = try one(service, "anna")
                #expect(afterSecret.secret?.testText == "two")
                #expect(afterSecret.attributes[.label] == .text("label"))
                #expect(
                    afterSecret.attributes[.creationDate] == before.attributes[.creationDate])
                #expect(
                    seconds(afterSecret.attributes[.modificationDate])
                        > seconds(before.attributes[.modificationDate]))

                try service.keychain.update(
                    .password("anna"), applying: .setting([.label: .text("new label")]))
                let afterLabel = try one(service, "anna")
                #expect(afterLabel.secret?.testText == "two")
                #expect(afterLabel.attributes[.label] == .text("new label"))
                var byOldLabel = ItemQuery(.genericPassword)
                byOldLabel.attributes[.label] = .text("label")
                #expect(reason { try service.keychain.find(byOldLabel) } == .absent)
                #expect(try one(service, "berta").secret?.testText == "other")
            }
        }

        @Test func deletedItemIsGoneAndOthersStay() throws {
            try TestService.run { service in
                for account in ["anna", "berta", "carla"] {
                    try service.keychain.add(.password(account, secret: account))
                }
                try service.keychain.delete(.password("berta"))
                #expect(reason { try service.keychain.find(.password("berta")) } == .absent)
                let rest = try service.keychain.find(.password(limit: nil))
                #expect(rest.map { $0.secret?.testText } == ["anna", "carla"])
                // Its name is free again.
                try service.keychain.add(.password("berta", secret: "again"))
                #expect(try one(service, "berta").secret?.testText == "again")
            }
        }

        @Test func deleteTakesEveryMatch() throws {
            try TestService.run { service in
                for number in 0..<600 {
                    try service.keychain.add(
                        .password("account \(number)", service: number % 3 == 0 ? "go" : "stay"))
                }
                try service.keychain.delete(.password(service: "go"))
                let rest = try service.keychain.find(
                    .password(limit: nil, returning: [.attributes]))
                #expect(rest.count == 400)
                #expect(rest.allSatisfy { $0.attributes[.service] == .text("stay") })
            }
        }

        @Test func storedItemsOutliveARestart() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                try TestService.run(options) { service in
                    _ = try service.keychain.add(.password("anna", secret: "kept"))
                }
                try TestService.run(options) { service in
                    let found = try one(service, "anna")
                    #expect(found.secret?.testText == "kept")
                }
            }
        }

        @Test func manyThreadsShareOneConnection() throws {
            try TestService.run { service in
                let keychain = service.keychain
                let failures = InParallel.run(4) { thread in
                    for number in 0..<40 {
                        let name = "account \(thread) \(number)"
                        try keychain.add(.password(name, secret: name))
                        let found = try keychain.find(.password(name)).first
                        guard found?.secret?.testText == name else {
                            throw TestFailure("\(name) came back as another's secret")
                        }
                    }
                }
                #expect(failures.isEmpty)
                let found = try keychain.find(.password(limit: nil))
                #expect(found.count == 160)
            }
        }
    }
}

// MARK: - Helpers

/// The result of a call.
func outcome<R>(_ body: () throws -> R) -> Result<R, KeychainError> {
    do { return .success(try body()) } catch let error as KeychainError {
        return .failure(error)
    } catch {
        Issue.record("\(error)")
        return .failure(KeychainError(status: 0, reason: .internalFailure))
    }
}

/// Why a call failed; nil when it succeeded.
func reason<R>(_ body: () throws -> R) -> FailureReason? {
    guard case .failure(let error) = outcome(body) else { return nil }
    return error.reason
}

/// The status of a failed call; 0 when it succeeded.
func status<R>(_ body: () throws -> R) -> Int32 {
    guard case .failure(let error) = outcome(body) else { return 0 }
    return error.status
}

/// The status of reading the secret of an account's item; 0 when it was read.
func reads(_ service: TestService, _ account: String) -> Int32 {
    status {
        let found = try service.keychain.find(.password(account)).first
        guard let secret = found?.secret, !secret.testBytes.isEmpty else {
            throw TestFailure("\(account) came without its secret")
        }
    }
}

/// The only item of an account, with all results.
func one(_ service: TestService, _ account: String) throws -> FoundItem {
    let found = try service.keychain.find(
        .password(account, limit: nil, returning: [.data, .attributes, .persistentReference]))
    #expect(found.count == 1)
    return try #require(found.first)
}

/// A date's seconds; 0 for another type.
func seconds(_ value: AttributeValue?) -> Double {
    guard case .date(let seconds)? = value else { return 0 }
    return seconds
}
