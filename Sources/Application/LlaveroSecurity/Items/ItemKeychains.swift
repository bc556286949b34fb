// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecurityWire

// Which keychains a call on items means. The data protection keychain is login. A program whose user has
// no other keychain asks the service for nothing here.
extension ParsedQuery {
    /// The keychain that takes a new item: that of `kSecUseKeychain`, or else the default one.
    /// - Returns: Nil for login.
    func target(_ connection: KeychainConnection) throws(ItemFailure) -> UserKeychain? {
        if meansLogin { return nil }
        return try resolved { () throws(KeychainError) -> UserKeychain? in
            if let keychain {
                return Self.other(try UserKeychain(at: keychain.path, connection))
            }
            guard UserKeychain.hasOthers else { return nil }
            return Self.other(try UserKeychain.preferred(connection))
        }
    }

    /// The keychains that are searched, in their order: that of an object; those that the dictionary
    /// names; or else the search list. One that isn't there has no items.
    /// - Returns: Nil elements for login.
    func searched(_ connection: KeychainConnection) throws(ItemFailure) -> [UserKeychain?] {
        if meansLogin { return [nil] }
        if isMeantByObject { return [keychainOfObject] }
        if let keychain { return try Self.named([keychain], connection) }
        if let searchList { return try Self.named(searchList, connection) }
        guard UserKeychain.hasOthers else { return [nil] }
        return try resolved { () throws(KeychainError) -> [UserKeychain?] in
            // A reference says itself which item it means.
            let items = (matches.items ?? []) + (usedItems ?? [])
            guard persistentReference == nil, !Self.hasReference(items) else {
                let others = try connection.keychains().keychains.map { UserKeychain($0) }
                return [nil] + others.filter(\.isMarked).map(Optional.some)
            }
            return try UserKeychain.searchList(connection).map(Self.other)
        }
    }

    private static func hasReference(_ items: [MatchKeys.ListElement]) -> Bool {
        items.contains { if case .persistentReference = $0 { true } else { false } }
    }

    private static func named(
        _ list: [SecKeychain], _ connection: KeychainConnection
    ) throws(ItemFailure) -> [UserKeychain?] {
        var keychains: [UserKeychain?] = []
        for keychain in list {
            do throws(KeychainError) {
                let found = other(try UserKeychain(at: keychain.path, connection))
                if !keychains.contains(found) { keychains.append(found) }
            } catch {
                guard error.reason == .noSuchKeychain || error.reason == .invalidKeychain else {
                    throw ItemFailure(error.status)
                }
            }
        }
        return keychains
    }

    private func resolved<Value>(
        _ call: () throws(KeychainError) -> Value
    ) throws(ItemFailure) -> Value {
        do throws(KeychainError) { return try call() } catch { throw ItemFailure(error.status) }
    }

    private static func other(_ keychain: UserKeychain) -> UserKeychain? {
        keychain.id.isLogin ? nil : keychain
    }
}

extension ItemCalls {
    /// Makes a change in each keychain of a list. Each is one transaction, and they aren't one together.
    /// - Throws: `errSecItemNotFound` where no keychain has a match; the failure of one, after which the
    ///   next aren't looked at.
    func inEach(
        _ keychains: [UserKeychain?], _ change: (KeychainID?) throws(ItemFailure) -> Void
    ) throws(ItemFailure) {
        var isDone = false
        for keychain in keychains {
            do throws(ItemFailure) {
                try change(keychain?.id)
                isDone = true
            } catch {
                guard error.status == errSecItemNotFound else { throw error }
            }
        }
        if !isDone { throw ItemFailure(errSecItemNotFound) }
    }
}

extension KeychainError {
    /// The status for a call that may mean a keychain file: a locked one is errSecAuthFailed where the
    /// program has forbidden questions to the person.
    var keychainStatus: OSStatus {
        let isLock = reason == .locked || reason == .keychainLocked
        return isLock && !KeychainPreferences.isInteractionAllowed ? errSecAuthFailed : status
    }
}
