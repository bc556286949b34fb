// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes

extension CallHandler {
    /// How many bytes of secrets one answer may have: a message holds 128 MiB, and all of them are in
    /// locked memory at once.
    private static let answerByteCountLimit = 64 << 20
    /// How many secrets are read at once.
    private static let readCount = 256

    func ofService(_ view: ClientView) throws(Failure) -> [BusValue] {
        switch call.request {
        case .createCollection(let label, let alias):
            return try createCollection(view, label, alias)
        case .searchItems(let attributes):
            let found = try Self.store { () throws(SecretStoreError) in
                try view.find(in: nil, attributes)
            }
            return [
                .paths(found.filter { !$0.state.looksLocked }.map { ObjectPath.path($0) }),
                .paths(found.filter(\.state.looksLocked).map { ObjectPath.path($0) }),
            ]
        case .unlock(let paths): return try unlock(view, paths)
        case .lock(let paths): return try lock(view, paths)
        case .getSecrets(let paths, let session): return try getSecrets(view, paths, session)
        case .readAlias(let alias):
            let id = try Self.store { () throws(SecretStoreError) in
                try view.resolve(alias: alias)
            }
            return [.path(id.map { ObjectPath.path(collection: $0) } ?? "/")]
        case .setAlias(let alias, let path): return try setAlias(view, alias, path)
        default:
            return try propertyValues([("Collections", .paths(try collectionPaths(view)))])
        }
    }

    private func collectionPaths(_ view: ClientView) throws(Failure) -> [String] {
        // An answer that doesn't have it needs no store.
        if case .getProperty(_, let name) = call.request, name != "Collections" { return [] }
        if case .setProperty = call.request { return [] }
        let ids = try Self.store { () throws(SecretStoreError) in try view.collectionIDs() }
        return ids.map { ObjectPath.path(collection: $0) }
    }

    // MARK: - Collections

    private func createCollection(
        _ view: ClientView, _ label: String, _ alias: String
    ) throws(Failure) -> [BusValue] {
        guard !view.owner.isSandboxed else {
            throw .bus(.notSupported("A sandboxed program has one collection"))
        }
        guard alias.isEmpty || alias == "default" else {
            throw .bus(.notSupported("The only alias is “default”"))
        }
        let collection = try Self.store { () throws(SecretStoreError) in
            try view.createCollection(label: label, isDefault: !alias.isEmpty)
        }
        return [.path(ObjectPath.path(collection: collection.id)), .path("/")]
    }

    private func setAlias(
        _ view: ClientView, _ alias: String, _ path: String
    ) throws(Failure) -> [BusValue] {
        guard !view.owner.isSandboxed, alias == "default" else {
            throw .bus(.notSupported("The only alias is “default”"))
        }
        try Self.store { () throws(SecretStoreError) in
            guard path != "/" else { return try view.setDefaultCollection(nil) }
            guard case .collection(let name) = ObjectPath(path) else { throw .absent }
            try view.setDefaultCollection(try view.existing(name))
        } absent: {
            .noSuchObject
        }
        return []
    }

    private static func store<R>(
        _ body: () throws(SecretStoreError) -> R, absent: () -> BusError
    ) throws(Failure) -> R {
        do throws(SecretStoreError) { return try body() } catch {
            guard error == .absent else { throw .store(error) }
            throw .bus(absent())
        }
    }

    // MARK: - Locking

    /// An object that a client names, if it exists.
    private struct Named {
        let path: String
        let object: LockedObject
        let collection: String
        let isLocked: Bool
    }

    /// What the paths name; unknown ones are left out. The store is asked twice at most.
    private func named(_ view: ClientView, _ paths: [String]) throws(Failure) -> [Named] {
        try Self.store { () throws(SecretStoreError) in
            let objects = paths.map { (path: $0, object: ObjectPath($0)) }
            var ids: [SecretID] = []
            var needsCollections = false
            for (_, object) in objects {
                if case .item(_, let id) = object { ids.append(id) }
                if case .collection = object { needsCollections = true }
            }
            let collections = needsCollections ? try view.collections() : []
            let items = ids.isEmpty ? [] : try view.items(ids)
            let itemsByID = Dictionary(items.map { ($0.id, $0) }) { first, _ in first }
            var result: [Named] = []
            for (path, object) in objects {
                switch object {
                case .collection(let name):
                    guard let id = try? view.resolve(name),
                        let found = collections.first(where: { $0.id == id })
                    else { continue }
                    result.append(
                        Named(
                            path: path, object: .collection(id), collection: id,
                            isLocked: found.isLocked))
                case .item(let collection, let id):
                    guard let item = itemsByID[id], item.isIn(collection) else { continue }
                    result.append(
                        Named(
                            path: path, object: .item(id), collection: collection,
                            isLocked: item.state.looksLocked))
                default: continue
                }
            }
            return result
        }
    }

    private func unlock(_ view: ClientView, _ paths: [String]) throws(Failure) -> [BusValue] {
        let named = try named(view, paths)
        let locked = named.filter(\.isLocked)
        var opened: Set<LockedObject> = []
        if !locked.isEmpty {
            let silently = try Self.store { () throws(SecretStoreError) in
                try view.unlockSilently(locked.map(\.object))
            }
            opened = Set(silently)
        }
        let done = named.filter { !$0.isLocked || opened.contains($0.object) }.map(\.path)
        let rest = locked.filter { !opened.contains($0.object) }
        guard !rest.isEmpty else { return [.paths(done), .path("/")] }
        let prompt = try prompt(.unlock(rest.map { ($0.path, $0.object) }))
        return [.paths(done), .path(prompt)]
    }

    private func lock(_ view: ClientView, _ paths: [String]) throws(Failure) -> [BusValue] {
        guard !view.owner.isSandboxed else { return [.paths([]), .path("/")] }
        let named = try named(view, paths).filter { $0.collection != CollectionID.session }
        guard !named.isEmpty else { return [.paths([]), .path("/")] }
        let locked = try Self.store { () throws(SecretStoreError) in
            try view.lock(Array(Set(named.map(\.collection))))
        }
        return [.paths(named.filter { locked.contains($0.collection) }.map(\.path)), .path("/")]
    }

    /// Makes a prompt for this client.
    func prompt(_ action: PromptAction) throws(Failure) -> String {
        guard let path = client.addPrompt() else {
            throw .bus(.limit("A client may have \(BusClient.promptLimit) prompts"))
        }
        service.outbox.push(.newPrompt(path: path, client: client, action))
        return path
    }

    // MARK: - Secrets

    private func getSecrets(
        _ view: ClientView, _ paths: [String], _ sessionPath: String
    ) throws(Failure) -> [BusValue] {
        let session = try session(sessionPath)
        var collections: [SecretID: String] = [:]
        var ids: [SecretID] = []
        for path in paths {
            guard case .item(let collection, let id) = ObjectPath(path) else { continue }
            if collections.updateValue(collection, forKey: id) == nil { ids.append(id) }
        }
        var answer: [(path: String, secret: TransferredSecret)] = []
        var byteCount = 0
        var isKeyGone = false
        for start in stride(from: 0, to: ids.count, by: Self.readCount) {
            let some = Array(ids[start..<min(start + Self.readCount, ids.count)])
            let found = try Self.store { () throws(SecretStoreError) in try view.secrets(some) }
            for (item, value) in found where collections[item.id] == item.collection {
                if item.state == .keyGone { isKeyGone = true }
                guard let value, item.state == .usable else { continue }
                byteCount += value.secret.bytes.byteCount
                guard byteCount <= Self.answerByteCountLimit else {
                    throw .bus(.limit("The secrets of one call may have 64 MiB"))
                }
                answer.append(
                    (ObjectPath.path(item), try transferred(value, session, sessionPath)))
            }
        }
        // The answer has no place for an error of one item. An empty one would say that there is none.
        if answer.isEmpty, isKeyGone { throw .store(.keyGone) }
        return [.secrets(answer)]
    }
}
