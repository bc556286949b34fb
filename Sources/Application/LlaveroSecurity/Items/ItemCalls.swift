// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
package import Keychain
import SecretBytes
import SecurityWire

/// The four calls on items, over a connection.
///
/// The public functions use the process's connection; everything that they do is here.
package struct ItemCalls: Sendable {
    let connection: KeychainConnection

    /// Calls over a connection.
    package init(_ connection: KeychainConnection) { self.connection = connection }

    /// Stores an item; see ``SecItemAdd(_:_:)``.
    package func add(
        _ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
    ) -> OSStatus {
        Self.status { () throws(ItemFailure) in
            let parsed = try ParsedQuery(attributes, for: .item)
            let object: NSObject?
            if case .identity(let identity)? = parsed.reference {
                object = try add(identity, parsed)
            } else {
                object = try add(parsed)
            }
            guard let result = unsafe result, !parsed.returns.isEmpty else { return }
            unsafe result.pointee = object
        }
    }

    /// Finds items; see ``SecItemCopyMatching(_:_:)``.
    package func copyMatching(
        _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
    ) -> OSStatus {
        Self.status { () throws(ItemFailure) in
            let parsed = try ParsedQuery(query, for: .query)
            let shape = ResultShape(
                copy: parsed.returns, itemClass: parsed.itemClass, rules: parsed.rules,
                connection: connection,
                asking: EnclaveKey.Asking(
                    context: parsed.context, mayAsk: parsed.mayAsk, prompt: parsed.prompt))
            var request = try parsed.copyQuery()
            request.returning = shape.fields
            var filter = try MatchFilter(
                parsed.matches, of: parsed.itemClass,
                namesSynchronizability: parsed.synchronizable != nil, connection: connection)
            let keychains = try parsed.searched(connection)
            // The program's own items come before what others grant it, in each of its keychains.
            request.seeksGranted = parsed.mayMeanGranted && keychains.count == 1
            var objects = try find(request, parsed, in: keychains, passing: &filter)
            if objects.isEmpty, parsed.mayMeanGranted, keychains.count > 1 {
                request.seeksGranted = true
                objects = try find(request, parsed, in: keychains, passing: &filter)
            }
            guard let first = objects.first else { throw ItemFailure(errSecItemNotFound) }
            guard let result = unsafe result else { return }
            if parsed.limit == nil || parsed.limit == .one {
                unsafe result.pointee = first.items.first.flatMap {
                    shape.object($0, in: first.keychain)
                }
            } else {
                unsafe result.pointee = shape.array(objects)
            }
        }
    }

    /// What each keychain has, in their order, until there are as many as the query wants.
    private func find(
        _ query: ItemQuery, _ parsed: ParsedQuery, in keychains: [UserKeychain?],
        passing filter: inout MatchFilter?
    ) throws(ItemFailure) -> [FoundObjects] {
        var request = query
        var objects: [FoundObjects] = []
        for keychain in keychains {
            request.keychain = keychain?.id
            let items: [FoundItem]
            do throws(ItemFailure) {
                items = try find(request, parsed, passing: &filter)
            } catch {
                guard error.status == errSecItemNotFound else { throw error }
                continue
            }
            objects.append(FoundObjects(keychain: keychain, items: items))
            guard let limit = request.limit else { continue }
            request.limit = limit - items.count
            if limit <= items.count { break }
        }
        return objects
    }

    /// Changes items; see ``SecItemUpdate(_:_:)``.
    package func update(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
        Self.status { () throws(ItemFailure) in
            let parsed = try ParsedQuery(query, for: .query)
            let request = try parsed.updateQuery()
            let change = try ParsedQuery(
                attributesToUpdate, for: .changes(parsed.itemClass), by: parsed.rules)
            let changes = try change.changes(to: parsed)
            try inEach(parsed.searched(connection)) { keychain throws(ItemFailure) in
                let request = request.within(keychain)
                if parsed.itemClass == .identity {
                    return try updateIdentities(parsed, request, changes)
                }
                try asking(parsed) { (connection, access) throws(KeychainError) in
                    var query = request
                    query.access = access
                    try connection.update(query, applying: changes)
                }
            }
        }
    }

    /// Deletes items; see ``SecItemDelete(_:)``.
    package func delete(_ query: CFDictionary) -> OSStatus {
        Self.status { () throws(ItemFailure) in
            let parsed = try ParsedQuery(query, for: .query)
            let request = try parsed.deleteQuery()
            try inEach(parsed.searched(connection)) { keychain throws(ItemFailure) in
                let request = request.within(keychain)
                if case .identity(let identity)? = parsed.reference {
                    return try delete(identity, parsed, in: keychain)
                }
                if parsed.itemClass == .identity { return try deleteIdentities(parsed, request) }
                try asking(parsed) { (connection, access) throws(KeychainError) in
                    var query = request
                    query.access = access
                    try connection.delete(query)
                }
            }
        }
    }

    /// Makes a call for which the person may have to be asked.
    private func asking<Value>(
        _ parsed: ParsedQuery,
        _ call: (KeychainConnection, ItemAccess) throws(KeychainError) -> Value
    ) throws(ItemFailure) -> Value {
        do throws(KeychainError) {
            return try connection.asking(parsed.context, mayAsk: parsed.mayAsk) {
                (connection, access) throws(KeychainError) -> Value in
                var access = access
                if let prompt = parsed.prompt { access.purpose = prompt }
                access.skipsGuarded = parsed.skipsAuthentication
                return try call(connection, access)
            }
        } catch { throw ItemFailure(parsed.meansLogin ? error.status : error.keychainStatus) }
    }

    private static func status(_ call: () throws(ItemFailure) -> Void) -> OSStatus {
        do throws(ItemFailure) {
            try call()
            return errSecSuccess
        } catch { return error.status }
    }

    /// Stores one item and gives what is asked for of it.
    private func add(_ parsed: ParsedQuery) throws(ItemFailure) -> NSObject? {
        var item = try parsed.newItem()
        let keychain = try parsed.target(connection)
        item.keychain = keychain?.id
        let shape = ResultShape(
            add: parsed.returns, itemClass: item.itemClass, accessControl: parsed.accessControl,
            rules: parsed.rules, connection: connection)
        // The secret of the result is the caller's own: no need to have it sent back.
        item.returning = shape.fields.subtracting(.data)
        let request = item
        var added = try asking(parsed) { (connection, access) throws(KeychainError) in
            var item = request
            item.access = access
            return try connection.add(item)
        }
        if shape.fields.contains(.data) {
            added.secret = item.secret ?? Secret(SecretBytes(byteCount: 0))
        }
        return shape.object(added, in: keychain)
    }

    /// The items that match a query and pass a filter: read on until there are as many as wanted.
    private func find(
        _ request: ItemQuery, _ parsed: ParsedQuery, passing filter: inout MatchFilter?
    ) throws(ItemFailure) -> [FoundItem] {
        guard filter != nil else {
            return try asking(parsed) { (connection, access) throws(KeychainError) in
                var query = request
                query.access = access
                return try connection.find(query)
            }
        }
        let limit = request.limit ?? .max
        guard limit > 0 else { throw ItemFailure(errSecItemNotFound) }
        var query = request
        query.limit = nil
        query.returning.formUnion(filter?.fields ?? [])
        let pageQuery = query
        var items: [FoundItem] = []
        var cursor: UInt64 = 0
        repeat {
            let position = cursor
            let page = try asking(parsed) { (connection, access) throws(KeychainError) in
                var query = pageQuery
                query.access = access
                return try connection.findPage(query, after: position)
            }
            for item in page.items where try filter?.passes(item) ?? true {
                items.append(item)
                if items.count == limit { return items }
            }
            cursor = page.nextCursor
        } while cursor != 0
        guard !items.isEmpty else { throw ItemFailure(errSecItemNotFound) }
        return items
    }
}

/// What a copy has found in one keychain; nil is login.
struct FoundObjects {
    let keychain: UserKeychain?
    let items: [FoundItem]
}

extension ItemQuery {
    /// The query, and those besides, in one keychain; nil is login.
    func within(_ keychain: KeychainID?) -> ItemQuery {
        var query = self
        query.keychain = keychain
        for index in query.besides.indices { query.besides[index].keychain = keychain }
        return query
    }
}
