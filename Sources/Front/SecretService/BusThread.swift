// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// The thread that owns the connection: what it knows of clients, calls and prompts.
struct BusThread {
    /// Clients that are known at once. Each may have sessions, and the memory for all is bounded. One has
    /// up to three descriptors: a quarter of what the process may have leaves room for all others.
    static let clientLimit = min(4096, max(16, sysconf(Int32(_SC_OPEN_MAX)) / 4))

    /// Messages that may wait in the library while the bus doesn't take them, before others are added.
    private static let queuedLimit = 64

    private let bus: SessionBus
    private let service: SharedService
    private var clients: [String: BusClient] = [:]
    /// Calls that haven't been answered.
    private var calls: [UInt64: ReceivedMessage] = [:]
    private var lastCall: UInt64 = 0
    private var prompts: PromptTable
    private var callers: CallerTable
    private var isStopped = false
    /// The connection of the portal's frontend; nil if there is none.
    private var frontend: String?
    private var frontendQuestion: UInt64?

    init(_ bus: SessionBus, _ service: SharedService) {
        self.bus = bus
        self.service = service
        prompts = PromptTable(service)
        callers = CallerTable(bus)
    }

    mutating func begin(_ name: String) throws(BusFailure) {
        // Each connection that ends is told: those of clients are among them.
        try bus.subscribe(
            "type='signal',sender='\(SessionBus.driver)',path='/org/freedesktop/DBus',"
                + "interface='\(SessionBus.driver)',member='NameOwnerChanged',arg2=''")
        try bus.requestName(name)
        guard service.portal != nil else { return }
        try bus.subscribe(
            "type='signal',sender='\(SessionBus.driver)',path='/org/freedesktop/DBus',"
                + "interface='\(SessionBus.driver)',member='NameOwnerChanged',"
                + "arg0='\(PortalHandler.frontend)'")
        frontendQuestion = try bus.call(
            SessionBus.driver, "/org/freedesktop/DBus", SessionBus.driver, "GetNameOwner",
            [.string(PortalHandler.frontend)])
        do throws(BusFailure) { try bus.requestName(SecretServiceHost.portalName) } catch {
            // Another backend has the portal's name: the service itself goes on.
            guard error.number == EEXIST else { throw error }
        }
    }

    mutating func serve() throws(BusFailure) {
        while !isStopped {
            // The answers first: a client that sends without pause mustn't keep others from theirs.
            let isFull = bus.queuedCount > Self.queuedLimit
            if !isFull { for item in service.outbox.take() { send(item) } }
            if let message = try bus.next() {
                receive(message)
            } else if !isStopped, try bus.wait(or: isFull ? -1 : service.outbox.rawDescriptor) {
                service.outbox.clear()
            }
        }
    }

    mutating func end() {
        for client in clients.values {
            prompts.remove(client)
            _ = client.leave()
        }
        clients = [:]
        calls = [:]
        service.outbox.end()
    }

    // MARK: - Sending

    private mutating func send(_ item: Outgoing) {
        switch item {
        case .reply(let number, let values):
            guard let call = calls.removeValue(forKey: number), call.expectsReply else { return }
            if !bus.reply(to: call, values) {
                bus.reply(to: call, .limit("The answer is too long for a message"))
            }
        case .error(let number, let error):
            guard let call = calls.removeValue(forKey: number), call.expectsReply else { return }
            bus.reply(to: call, error)
        case .signal(let signal, let client):
            if clients[client] != nil { bus.signal(signal, to: client) }
        case .newPrompt(let path, let client, let action):
            if clients[client.name] != nil { prompts.add(path, client, action) }
        case .promptEnded(let path, let client, let outcome):
            if prompts.end(path, client) { complete(path, client, outcome) }
        case .stop: isStopped = true
        }
    }

    private func complete(_ path: String, _ client: BusClient, _ outcome: PromptOutcome) {
        guard clients[client.name] != nil else { return }
        let signal = BusSignal(
            path: path, interface: Interfaces.prompt, member: "Completed",
            values: [.flag(outcome.isDismissed), .variant(outcome.result)])
        bus.signal(signal, to: client.name)
    }

    // MARK: - Receiving

    private mutating func receive(_ message: ReceivedMessage) {
        guard let sender = message.sender else { return }
        if sender == SessionBus.driver {
            if message.isSignal(SessionBus.driver, "NameOwnerChanged") {
                ownerChanged(message)
            } else if let cookie = message.replyCookie, cookie == frontendQuestion {
                frontendQuestion = nil
                if !message.isError { frontend = message.readText() }
            } else if let cookie = message.replyCookie {
                identify(cookie, message)
            }
            return
        }
        guard message.isMethodCall else { return }
        do throws(BusError) { try take(message, sender) } catch {
            if message.expectsReply { bus.reply(to: message, error) }
        }
    }

    private mutating func ownerChanged(_ message: ReceivedMessage) {
        guard let name = message.readText(), message.readText() != nil,
            let owner = message.readText()
        else { return }
        if name == PortalHandler.frontend {
            frontendQuestion = nil
            frontend = owner.isEmpty ? nil : owner
        }
        if owner.isEmpty { remove(name) }
    }

    private mutating func remove(_ name: String) {
        callers.remove(name)
        guard let client = clients.removeValue(forKey: name) else { return }
        prompts.remove(client)
        for number in client.leave() { calls[number] = nil }
    }

    private mutating func identify(_ cookie: UInt64, _ message: ReceivedMessage) {
        switch callers.take(cookie, message) {
        case .identified(let name, let pidfd): clients[name]?.identify(pidfd)
        case .unknown(let name): clients[name]?.identify(nil)
        case .nothing: break
        }
    }

    private mutating func take(_ message: ReceivedMessage, _ sender: String) throws(BusError) {
        let path = message.path ?? ""
        let object = ObjectPath(path)
        let request = try BusRequest(message, object)
        let client = try client(sender)
        switch request {
        case .introspect:
            let text = Interfaces.document(object, children: Self.children(object, path))
            if message.expectsReply { _ = bus.reply(to: message, [.string(text)]) }
        case .prompt:
            try prompts.begin(path, client)
            answer(message)
        case .dismiss:
            let outcome = try prompts.dismiss(path, client)
            answer(message)
            complete(path, client, outcome)
        case .retrieveSecret where sender != frontend || service.portal == nil:
            throw .denied("Only the portal's frontend may ask for keys")
        case .closeRequest:
            guard sender == frontend, service.portalRequests.cancel(path) else {
                throw .noObject(path)
            }
            answer(message)
        default:
            guard hasDescriptors else { throw .limit("Too many descriptors are in use") }
            lastCall += 1
            calls[lastCall] = message
            let call = BusCall(number: lastCall, path: path, object: object, request: request)
            guard client.add(call) else {
                calls[lastCall] = nil
                throw .limit("Too many calls wait for their turn")
            }
        }
    }

    /// Whether the message of a call may be kept. It can have many descriptors that nobody asked for, and
    /// without any left the connection to the bus ends. The lowest free number tells about how many are
    /// in use.
    private var hasDescriptors: Bool {
        let number = fcntl(service.outbox.rawDescriptor, F_DUPFD_CLOEXEC, 3)
        guard number >= 0 else { return false }
        close(number)
        return Int(number) < sysconf(Int32(_SC_OPEN_MAX)) / 4 * 3
    }

    private func answer(_ message: ReceivedMessage) {
        if message.expectsReply { _ = bus.reply(to: message, []) }
    }

    private mutating func client(_ name: String) throws(BusError) -> BusClient {
        if let client = clients[name] { return client }
        guard clients.count < Self.clientLimit else {
            throw .limit("Too many programs use this service")
        }
        let client = BusClient(name: name, service: service)
        clients[name] = client
        if !callers.ask(name) { client.identify(nil) }
        return client
    }

    /// The objects below one that every caller may know of.
    private static func children(_ object: ObjectPath, _ path: String) -> [String] {
        switch object {
        case .service: return ["aliases", "collection"]
        case .folder(let path):
            switch path {
            case "/": return ["org"]
            case "/org": return ["freedesktop"]
            case "/org/freedesktop": return ["secrets"]
            case ObjectPath.root + "/aliases": return ["default"]
            case ObjectPath.root + "/collection": return [CollectionID.login]
            default: return []
            }
        default: return []
        }
    }
}
