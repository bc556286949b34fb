// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecurityWire

/// A change of a value.
public enum ValueChange: Equatable, Sendable {
    /// The value is in this state now.
    case saved(ItemGeneration)
    /// The value was deleted.
    case deleted
}

extension Keychain {
    /// Reports every change to every item that the program may see, by any process, from the moment
    /// this call returns.
    public func changes() async throws(KeychainError) -> KeychainChanges {
        try await store.changes()
    }

    /// Reports changes to one value, from the moment this call returns. Several changes in quick
    /// succession may be reported as one, with the last state.
    public func changes<Value>(
        of key: ItemKey<Value>
    ) async throws(KeychainError) -> ValueChanges {
        let changes = try await store.changes()
        let query = query(key, returning: [.usage])
        return ValueChanges(
            changes: changes, store: store, query: query,
            known: try await ValueChanges.state(query, store))
    }
}

/// Changes to one value; for one reader. Like ``KeychainChanges`` it ends with an error when the
/// service stays unreachable. It never misses the last state of the value, since it reads that
/// after each gap.
public struct ValueChanges: AsyncSequence, Sendable {
    /// The change of the value.
    public typealias Element = ValueChange
    /// Why the sequence ended.
    public typealias Failure = KeychainError

    let changes: KeychainChanges
    let store: any KeychainStore
    let query: ItemQuery
    let known: ItemGeneration?

    /// Reads the changes in order; ends early when its task is cancelled.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var news: KeychainChanges.AsyncIterator
        let store: any KeychainStore
        let query: ItemQuery
        var known: ItemGeneration?

        /// Waits for the next change.
        public mutating func next() async throws(KeychainError) -> ValueChange? {
            while let news = try await news.next() {
                guard mayBeOfInterest(news) else { continue }
                let state = try await ValueChanges.state(query, store)
                guard state != known else { continue }
                known = state
                return state.map { .saved($0) } ?? .deleted
            }
            return nil
        }

        /// Waits for the next change.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(KeychainError) -> ValueChange? {
            try await next()
        }

        /// A new item may be the value; changes of other items are irrelevant.
        private func mayBeOfInterest(_ news: KeychainWatch.News) -> Bool {
            news.missedSome
                || news.changes.contains { change in
                    change.reference.itemClass == query.itemClass
                        && (change.generation.uuid == known?.uuid || change.kind != .deleted)
                }
        }
    }

    /// The sequence's reader.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            news: changes.makeAsyncIterator(), store: store, query: query, known: known)
    }

    static func state(
        _ query: ItemQuery, _ store: any KeychainStore
    ) async throws(KeychainError) -> ItemGeneration? {
        do throws(KeychainError) {
            return try await store.find(query, within: nil).first?.generation
        } catch {
            guard error.reason == .absent else { throw error }
            return nil
        }
    }
}
