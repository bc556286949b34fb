// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// The typed client's additions to Apple's four calls: saving in one call, and writes that
    /// depend on the state of the item.
    @Suite struct ConditionalWrites {
        @Test func saveAddsWhatIsNotThere() throws {
            try TestService.run { service in
                var item = NewItem.password("new", secret: "one")
                item.returning = [.persistentReference]
                let saved = try service.keychain.save(item)
                let found = try service.keychain.find(.reference(saved.persistentReference))
                #expect(found.first?.secret?.testText == "one")
            }
        }

        @Test func saveReplacesWhatIsThereAndKeepsTheReference() throws {
            try TestService.run { service in
                var item = NewItem.password("saved", secret: "one")
                item.attributes[.label] = .text("kept")
                item.returning = [.persistentReference, .attributes, .usage]
                let first = try service.keychain.add(item)
                item.attributes[.label] = nil
                item.attributes[.comment] = .text("new")
                item.attributes.accessibility = .afterFirstUnlock
                item.secret = Secret(text: "two")
                let second = try service.keychain.save(item)
                #expect(second.persistentReference == first.persistentReference)
                #expect(second.generation != first.generation)
                #expect(second.attributes[.comment] == .text("new"))
                let found = try service.keychain.find(
                    .password("saved", limit: nil, returning: [.data, .attributes]))
                #expect(found.map { $0.secret?.testText } == ["two"])
                #expect(found.first?.attributes[.label] == .text("kept"))
                #expect(found.first?.attributes.accessibility == .afterFirstUnlock)
                let created = first.attributes[.creationDate]
                #expect(found.first?.attributes[.creationDate] == created)
            }
        }

        @Test func updateOfTheNamedStateSucceedsOnce() throws {
            try TestService.run { service in
                var item = NewItem.password("counter", secret: "0")
                item.returning = [.usage]
                let added = try #require(try service.keychain.add(item).generation)
                var query = ItemQuery(.genericPassword)
                query.generation = added
                let next = try service.keychain.update(query, applying: .setting(secret: "1"))
                #expect(next != nil && next != added)
                // The state that the first writer saw is stale: the second must read again.
                let error = #expect(throws: KeychainError.self) {
                    try service.keychain.update(query, applying: .setting(secret: "2"))
                }
                #expect(error?.reason == .generationChanged)
                #expect(error?.status == -67638)
                query.generation = next
                try service.keychain.update(query, applying: .setting(secret: "3"))
                let found = try service.keychain.find(.password("counter"))
                #expect(found.first?.secret?.testText == "3")
            }
        }

        @Test func itemThatWasDeletedAndAddedAgainIsInAnotherState() throws {
            try TestService.run { service in
                var item = NewItem.password("reborn")
                item.returning = [.usage]
                let first = try service.keychain.add(item).generation
                try service.keychain.delete(.password("reborn"))
                let second = try service.keychain.add(item).generation
                #expect(first != second)
                var query = ItemQuery(.genericPassword)
                query.generation = first
                let error = #expect(throws: KeychainError.self) {
                    try service.keychain.delete(query)
                }
                #expect(error?.reason == .generationChanged)
                #expect(try service.keychain.find(.password("reborn")).count == 1)
            }
        }

        @Test func ofManyWritersEachIncrementCounts() throws {
            try TestService.run { service in
                var item = NewItem.password("shared counter", secret: "0")
                item.returning = [.usage]
                try service.keychain.add(item)
                let socket = service.socketPath
                let writers = 4
                let rounds = 25
                let failures = InParallel.run(writers) { _ in
                    let keychain = KeychainConnection(
                        location: ServiceLocation(socketPath: socket))
                    for _ in 0..<rounds {
                        var isDone = false
                        while !isDone {
                            let found = try keychain.find(
                                .password("shared counter", returning: [.data, .usage]))
                            guard let now = found.first,
                                let count = Int(now.secret?.testText ?? "")
                            else { throw TestFailure("no counter") }
                            var query = ItemQuery(.genericPassword)
                            query.generation = now.generation
                            do throws(KeychainError) {
                                try keychain.update(
                                    query, applying: .setting(secret: "\(count + 1)"))
                                isDone = true
                            } catch {
                                guard error.reason == .generationChanged else { throw error }
                            }
                        }
                    }
                }
                #expect(failures == [])
                let found = try service.keychain.find(.password("shared counter"))
                #expect(found.first?.secret?.testText == "\(writers * rounds)")
            }
        }
    }
}
