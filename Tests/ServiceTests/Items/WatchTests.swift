// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Keychain
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Changes reported over the connection.
    @Suite struct Watching {
        private func changes(
            _ watch: inout KeychainWatch, count: Int
        ) throws -> [ItemChange] {
            var changes: [ItemChange] = []
            while changes.count < count {
                guard let news = try watch.next(within: Waiting.patience) else {
                    throw TestFailure("\(changes.count) of \(count) changes came")
                }
                #expect(!news.missedSome)
                changes += news.changes
            }
            return changes
        }

        @Test func everyKindOfChangeIsToldInOrder() throws {
            try TestService.run { service in
                var watch = try KeychainWatch(
                    location: ServiceLocation(socketPath: service.socketPath))
                var item = NewItem.password("watched")
                item.returning = [.persistentReference]
                let reference = try service.keychain.add(item).persistentReference
                try service.keychain.update(
                    .reference(reference), applying: .setting([.label: .text("new")]))
                try service.keychain.delete(.reference(reference))
                let told = try changes(&watch, count: 3)
                #expect(told.map(\.kind) == [.added, .updated, .deleted])
                #expect(told.allSatisfy { $0.reference == reference })
                #expect(told[0].generation != told[1].generation)
            }
        }

        @Test func failedWritesAndReadsAreNoNews() throws {
            try TestService.run { service in
                try service.keychain.add(.password("there"))
                var watch = try KeychainWatch(
                    location: ServiceLocation(socketPath: service.socketPath))
                _ = try service.keychain.find(.password("there"))
                #expect(throws: KeychainError.self) {
                    try service.keychain.add(.password("there"))
                }
                #expect(throws: KeychainError.self) {
                    try service.keychain.delete(.password("absent"))
                }
                // The next reported change is this one.
                var item = NewItem(.internetPassword)
                item.returning = [.persistentReference]
                let reference = try service.keychain.add(item).persistentReference
                let told = try changes(&watch, count: 1)
                #expect(told.map(\.reference) == [try #require(reference)])
                #expect(told.first?.reference.itemClass == .internetPassword)
            }
        }

        @Test func nothingHappensIsNotAnError() throws {
            try TestService.run { service in
                var watch = try KeychainWatch(
                    location: ServiceLocation(socketPath: service.socketPath))
                #expect(try watch.next(within: .milliseconds(50)) == nil)
                try service.keychain.add(.password("later"))
                #expect(try changes(&watch, count: 1).map(\.kind) == [.added])
            }
        }

        @Test func readerThatFallsBehindLearnsThatItMissedSome() throws {
            try TestService.run { service in
                for number in 0..<1100 {
                    try service.keychain.add(.password("item \(number)"))
                }
                var watch = try KeychainWatch(
                    location: ServiceLocation(socketPath: service.socketPath))
                // One commit with more changes than the limit.
                try service.keychain.delete(.password())
                let news = try #require(try watch.next(within: Waiting.patience))
                #expect(news.missedSome)
                #expect(news.changes.count == 1024)
            }
        }

        @Test func itHearsOfItsOwnUsersAndGroupsItemsAlone() throws {
            try TemporaryDirectory.lend { directory in
                let service = try InProcessService(stateDirectory: directory)
                defer { service.stopEnclave() }
                func client(_ userID: UInt32, _ groups: [String]) -> InProcessService.Client {
                    let entitlements = Entitlements([
                        "keychain-access-groups": .list(groups.map { .text($0) })
                    ])
                    return InProcessService.Client(userID: userID, entitlements: entitlements)
                }
                let (own, foreign) = ("ABCDE12345.own", "ABCDE12345.foreign")
                var watch = try service.watch(client(100_000, [own]))
                var foreignWatch = try service.watch(client(100_000, [foreign]))
                var otherUsersWatch = try service.watch(client(100_001, [own, foreign]))
                let writer = try service.connect(client(100_000, [foreign, own]))
                let otherUser = try service.connect(client(100_001, [own, foreign]))

                func add(_ account: String, _ keychain: KeychainConnection) throws
                    -> PersistentReference
                {
                    var item = NewItem.password(account)
                    item.returning = [.persistentReference]
                    return try #require(try keychain.add(item).persistentReference)
                }
                let gone = try add("gone", writer)
                try writer.delete(.reference(gone))
                let users = try add("another user's", otherUser)
                let moved = try add("moved", writer)
                for group in [own, foreign] {
                    try writer.update(
                        .reference(moved), applying: .setting([.accessGroup: .text(group)]))
                }
                // The last report to each is its own change.
                var last = NewItem.password("last")
                last.attributes[.accessGroup] = .text(own)
                last.returning = [.persistentReference]
                let lastOfOwn = try #require(try writer.add(last).persistentReference)
                let lastOfForeign = try add("last", writer)
                let lastOfUser = try add("last", otherUser)

                let told = try changes(&watch, count: 3)
                #expect(told.map(\.kind) == [.added, .deleted, .added])
                #expect(told.map(\.reference) == [moved, moved, lastOfOwn])
                let toldOfForeign = try changes(&foreignWatch, count: 6)
                #expect(
                    toldOfForeign.map(\.kind)
                        == [.added, .deleted, .added, .deleted, .added, .added])
                #expect(
                    toldOfForeign.map(\.reference)
                        == [gone, gone, moved, moved, moved, lastOfForeign])
                let toldOfUser = try changes(&otherUsersWatch, count: 2)
                #expect(toldOfUser.map(\.kind) == [.added, .added])
                #expect(toldOfUser.map(\.reference) == [users, lastOfUser])
            }
        }

        @Test func endOfTheServiceIsUnreachable() throws {
            try TestService.run { service in
                var watch = try KeychainWatch(
                    location: ServiceLocation(socketPath: service.socketPath))
                try service.crash(service.worker())
                let error = #expect(throws: KeychainError.self) {
                    while try watch.next(within: Waiting.patience) != nil {}
                }
                #expect(error?.reason == .unreachable)
            }
        }
    }
}
