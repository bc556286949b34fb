// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import KeychainVocabulary
public import SecurityWire

/// The person at a ``TestKeychain``, for values that demand one.
public enum TestPerson: Sendable {
    /// Approves each question.
    case yes
    /// Cancels each question: ``FailureReason/personCanceled``.
    case no
    /// Can't be asked now: ``FailureReason/personNeeded``.
    case later
    /// Never proves to be the owner: ``FailureReason/wrongPasscode``.
    case never
}

extension TestKeychain: AskingStore {
    func askingFor<Value>(
        _ context: AccessContext?,
        _ call: (any BlockingKeychainStore, ItemAccess) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        var context = context
        for _ in 0..<AccessControl.roundLimit {
            if context?.isInvalidated ?? false { throw .accessRefused }
            do throws(KeychainError) {
                return try call(self, context?.access ?? ItemAccess())
            } catch {
                guard error.reason == .personNeeded, context?.mayAsk ?? true else { throw error }
            }
            guard let asking = context else {
                context = AccessContext()
                continue
            }
            try ask(asking.purpose)
            approve(asking.handle)
        }
        throw .accessRefused
    }

    /// As ``KeychainStore/find(_:in:within:)``.
    public func find(
        _ query: ItemQuery, in context: AccessContext, within duration: Duration?
    ) async throws(KeychainError) -> [FoundItem] {
        try begin(duration)
        return try askingFor(context) { (store, access) throws(KeychainError) in
            var query = query
            query.access = access
            return try store.find(query)
        }
    }

    /// As ``KeychainStore/add(_:in:within:)``.
    public func add(
        _ item: NewItem, in context: AccessContext, within duration: Duration?
    ) async throws(KeychainError) -> FoundItem {
        try begin(duration)
        return try askingFor(context) { (store, access) throws(KeychainError) in
            var item = item
            item.access = access
            return try store.add(item)
        }
    }

    /// As ``KeychainStore/update(_:applying:in:within:)``.
    public func update(
        _ query: ItemQuery, applying changes: ItemChanges, in context: AccessContext,
        within duration: Duration?
    ) async throws(KeychainError) -> ItemGeneration? {
        try begin(duration)
        return try askingFor(context) { (store, access) throws(KeychainError) in
            var query = query
            query.access = access
            return try store.update(query, applying: changes)
        }
    }

    /// As ``KeychainStore/authenticate(_:reason:within:)``.
    public func authenticate(
        _ context: AccessContext, reason: String, within duration: Duration?
    ) async throws(KeychainError) {
        try begin(duration)
        if context.isInvalidated { throw .accessRefused }
        guard context.mayAsk else { throw .personNeeded }
        try ask(reason)
    }
}
