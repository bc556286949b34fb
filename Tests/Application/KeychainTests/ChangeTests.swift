// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import TestSupport
import Testing

extension KeychainTests {
    /// Reports of changes.
    @Suite struct Changes {
        @Test(arguments: Conformer.allCases) func everyChangeIsTold(_ conformer: Conformer)
            async throws
        {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            var news = try await keychain.changes().makeAsyncIterator()
            try await keychain.save("1", for: "item")
            try await keychain.save("2", for: "item")
            try await keychain.delete("item" as ItemKey<String>)
            // Neither is reported.
            _ = try await keychain.valueIfPresent(for: "item")
            _ = await reason { () throws(KeychainError) in
                try await keychain.delete("item" as ItemKey<String>)
            }
            var kinds: [ItemChange.Kind] = []
            while kinds.count < 3, let next = try await news.next() {
                #expect(!next.missedSome)
                kinds += next.changes.map(\.kind)
            }
            #expect(kinds == [.added, .updated, .deleted])
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func oneValuesChangesAreItsOwn(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            try await keychain.save("0", for: "item")
            var changes = try await keychain.changes(of: "item" as ItemKey<String>)
                .makeAsyncIterator()
            try await keychain.save("other", for: "other")
            let saved = try await keychain.save("1", for: "item")
            let next1 = try await changes.next()
            #expect(next1 == .saved(saved))
            try await keychain.delete("other" as ItemKey<String>)
            try await keychain.delete("item" as ItemKey<String>)
            let next2 = try await changes.next()
            #expect(next2 == .deleted)
            let again = try await keychain.save("2", for: "item")
            let next3 = try await changes.next()
            #expect(next3 == .saved(again))
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func aCancelledReaderEnds(_ conformer: Conformer)
            async throws
        {
            let subject = try conformer.subject()
            let changes = try await subject.keychain.changes()
            let begun = Counter()
            let reading = Task {
                begun.add(1)
                var count = 0
                for try await _ in changes { count += 1 }
                return count
            }
            try await waitUntil("the reader to begin") { begun.value == 1 }
            try await Task.sleep(for: .milliseconds(20))
            reading.cancel()
            #expect(try await reading.value == 0)
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func aReaderThatStopsReadingIsToldThatItMissedSome(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            var lazy = try await keychain.changes().makeAsyncIterator()
            var eager = try await keychain.changes().makeAsyncIterator()
            // One commit each, so that no gap covers all of them at once.
            let total = 1100
            for number in 0..<total {
                try await keychain.save("x", for: ItemKey(account: "\(number % 7)"))
            }
            _ = try await eager.next()
            // Changes before one that the eager reader has received were sent to both readers.
            let barrier = try await keychain.save("x", for: "barrier")
            try await hear(of: barrier, &eager)
            let firstNews = try await lazy.next()
            let news = try #require(firstNews)
            #expect(news.missedSome)
            #expect(news.changes.count == 1024)
            // It continues from there.
            let last = try await keychain.save("y", for: "last")
            try await hear(of: last, &lazy)
            try subject.end()
        }

        private func hear(
            of generation: ItemGeneration, _ news: inout KeychainChanges.AsyncIterator
        ) async throws {
            while let next = try await news.next() {
                if next.changes.contains(where: { $0.generation == generation }) { return }
            }
            throw TestFailure("The news ended.")
        }

        @Test func anotherProcessesChangesAreTold() async throws {
            let subject = try ServiceSubject()
            var changes = try await subject.keychain.changes(of: "item" as ItemKey<String>)
                .makeAsyncIterator()
            let saved = try await subject.another().save("1", for: "item")
            let next4 = try await changes.next()
            #expect(next4 == .saved(saved))
            try subject.end()
        }

        @Test func manyReadersShareOneConnection() async throws {
            let subject = try ServiceSubject()
            // A process has 16 connections to one thread of the service.
            var readers: [KeychainChanges.AsyncIterator] = []
            for _ in 0..<100 {
                readers.append(try await subject.keychain.changes().makeAsyncIterator())
            }
            try await subject.keychain.save("1", for: "item")
            for index in readers.indices {
                let news = try await readers[index].next()
                #expect(news?.changes.map(\.kind) == [.added])
            }
            readers = []
            // After the last reader ends, the next one starts as the first did.
            var reader = try await subject.keychain.changes().makeAsyncIterator()
            try await subject.keychain.save("2", for: "item")
            let news = try await reader.next()
            #expect(news?.changes.map(\.kind) == [.updated])
            try subject.end()
        }

        @Test func aRestartOfTheServiceLeavesAHoleThatIsTold() async throws {
            let subject = try ServiceSubject()
            let keychain = subject.keychain
            var news = try await keychain.changes().makeAsyncIterator()
            var ofItem = try await keychain.changes(of: "item" as ItemKey<String>)
                .makeAsyncIterator()
            try subject.service.crash(subject.service.worker())
            try await keychain.waitUntilAvailable(deadline: .seconds(30))
            let saved = try await keychain.save("1", for: "item")
            // It was reported, or it is in the gap.
            var missedSome = false
            while !missedSome, let next = try await news.next() { missedSome = next.missedSome }
            #expect(missedSome)
            let next5 = try await ofItem.next()
            #expect(next5 == .saved(saved))
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func aPropertyFollows(_ conformer: Conformer)
            async throws
        {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            let item = KeychainItem<String>("item", in: keychain)
            let (values, continuation) = AsyncStream.makeStream(of: String?.self)
            let following = Task { try await item.follow { continuation.yield($0) } }
            var shown = values.makeAsyncIterator()
            let next6 = await shown.next()
            #expect(next6 == .some(nil))
            try await keychain.save("1", for: "item")
            let next7 = await shown.next()
            #expect(next7 == "1")
            #expect(item.wrappedValue == "1")
            try await keychain.delete("item" as ItemKey<String>)
            let next8 = await shown.next()
            #expect(next8 == .some(nil))
            following.cancel()
            _ = await following.result
            try subject.end()
        }
    }
}
