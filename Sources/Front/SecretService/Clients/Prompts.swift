// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// What a prompt is for.
enum PromptAction: Sendable {
    /// Opens objects. The result has the paths as the client named them.
    case unlock([(path: String, object: LockedObject)])
    /// Deletes a collection.
    case deleteCollection(String)

    /// The result of a prompt that nobody answers.
    var dismissal: PromptOutcome {
        switch self {
        case .unlock: PromptOutcome(isDismissed: true, result: .paths([]))
        case .deleteCollection: PromptOutcome(isDismissed: true, result: .path("/"))
        }
    }

    /// Asks the person, and does it. It waits.
    func perform(_ view: ClientView, _ cancellation: PromptCancellation) -> PromptOutcome {
        do throws(SecretStoreError) {
            switch self {
            case .unlock(let objects):
                let question = StoreQuestion.unlock(objects.map(\.object))
                guard let opened = try view.ask(question, cancellation), !opened.isEmpty else {
                    return dismissal
                }
                let paths = objects.filter { opened.contains($0.object) }.map(\.path)
                return PromptOutcome(isDismissed: false, result: .paths(paths))
            case .deleteCollection(let id):
                guard try view.ask(.deleteCollection(id), cancellation) != nil else {
                    return dismissal
                }
                try view.deleteCollection(id)
                return PromptOutcome(isDismissed: false, result: .path("/"))
            }
        } catch { return dismissal }
    }
}

/// How a prompt ended.
struct PromptOutcome: Sendable {
    var isDismissed: Bool
    var result: BusValue
}

/// The prompts of all clients; for the bus's thread.
struct PromptTable {
    private struct Entry {
        let client: BusClient
        let action: PromptAction
        /// The question to the person; nil before the client has called Prompt.
        var cancellation: PromptCancellation?
    }

    private let service: SharedService
    private var entries: [String: Entry] = [:]
    /// Per client, those whose question waits for the one before.
    private var waiting: [String: [String]] = [:]
    /// The clients for which a thread asks.
    private var asking: Set<String> = []

    init(_ service: SharedService) { self.service = service }

    mutating func add(_ path: String, _ client: BusClient, _ action: PromptAction) {
        entries[path] = Entry(client: client, action: action)
    }

    private func check(_ path: String, _ client: BusClient) throws(BusError) {
        guard let entry = entries[path] else { throw .noObject(path) }
        guard entry.client === client else {
            throw .denied("The prompt belongs to another client")
        }
    }

    /// Begins a question.
    mutating func begin(_ path: String, _ client: BusClient) throws(BusError) {
        try check(path, client)
        guard entries[path]?.cancellation == nil else { throw .alreadyPrompted }
        entries[path]?.cancellation = PromptCancellation()
        waiting[client.name, default: []].append(path)
        askNext(client)
    }

    /// One question of a client after the other: each takes a thread.
    private mutating func askNext(_ client: BusClient) {
        while !asking.contains(client.name), let path = waiting[client.name]?.first {
            waiting[client.name]?.removeFirst()
            guard let entry = entries[path], let cancellation = entry.cancellation else { continue }
            asking.insert(client.name)
            let outbox = service.outbox
            service.pool.run {
                let view = try? client.view()
                let outcome =
                    view.map { entry.action.perform($0, cancellation) } ?? entry.action.dismissal
                outbox.push(.promptEnded(path: path, client: client, outcome))
            }
        }
        if waiting[client.name]?.isEmpty == true { waiting[client.name] = nil }
    }

    /// The client doesn't want the question any more.
    /// - Returns: What it is told.
    mutating func dismiss(_ path: String, _ client: BusClient) throws(BusError) -> PromptOutcome {
        try check(path, client)
        let entry = entries.removeValue(forKey: path)
        client.removePrompt()
        entry?.cancellation?.cancel()
        return entry?.action.dismissal ?? PromptOutcome(isDismissed: true, result: .paths([]))
    }

    /// A question has ended.
    /// - Returns: Whether the client is told; it isn't when it has dismissed the prompt.
    mutating func end(_ path: String, _ client: BusClient) -> Bool {
        asking.remove(client.name)
        askNext(client)
        guard entries.removeValue(forKey: path) != nil else { return false }
        client.removePrompt()
        return true
    }

    /// A client has left.
    mutating func remove(_ client: BusClient) {
        waiting[client.name] = nil
        for (path, entry) in entries where entry.client === client {
            entry.cancellation?.cancel()
            entries[path] = nil
        }
    }
}
