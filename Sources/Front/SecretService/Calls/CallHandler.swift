// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import SecretBytes

/// Carries out one call of a client, and answers it. On a thread of the pool; it may wait.
struct CallHandler {
    let client: BusClient
    let service: SharedService
    let call: BusCall

    /// How much of the stack the arithmetic of a session may have used.
    private static let usedStackByteCount = 64 * 1024

    /// Why a call gave no answer.
    enum Failure: Error {
        case bus(BusError)
        case store(SecretStoreError)
    }

    func handle() {
        do throws(Failure) {
            if case .retrieveSecret(let request) = call.request {
                return try retrieveSecret(request)
            }
            service.outbox.push(.reply(call: call.number, try values()))
        } catch {
            switch error {
            case .bus(let error): service.outbox.push(.error(call: call.number, error))
            case .store(let error):
                service.outbox.push(.error(call: call.number, BusError(error, path: call.path)))
            }
        }
    }

    private func values() throws(Failure) -> [BusValue] {
        // These ask the store for nothing.
        switch (call.object, call.request) {
        case (.service, .openSession(let algorithm, let input)):
            return try openSession(algorithm, input)
        case (.session, .closeSession):
            guard client.close(session: call.path) else { throw .bus(.noSession) }
            return []
        case (.session, .getProperty), (.session, .getProperties), (.session, .setProperty):
            return try withoutProperties(client.session(call.path) != nil)
        case (.prompt, _), (.portalRequest, _): return try withoutProperties(true)
        case (.portal, _): return try propertyValues([("version", .shortNumber(1))])
        default: break
        }
        let view = try view()
        do throws(Failure) { return try values(view) } catch {
            guard case .store(.callerGone) = error else { throw error }
            // The process may run another program now: its new owner is asked for, once.
            client.forget(view)
            return try values(try self.view())
        }
    }

    private func view() throws(Failure) -> ClientView {
        try Self.store { () throws(SecretStoreError) in try client.view() }
    }

    private func values(_ view: ClientView) throws(Failure) -> [BusValue] {
        switch call.object {
        case .service: try ofService(view)
        case .collection(let name): try ofCollection(view, name)
        case .item(let collection, let id): try ofItem(view, collection, id)
        case .session, .prompt, .portal, .portalRequest, .folder, .unknown:
            throw .bus(.noObject(call.path))
        }
    }

    /// Passes on what the store says.
    static func store<R>(
        _ body: () throws(SecretStoreError) -> R
    ) throws(Failure) -> R {
        do throws(SecretStoreError) { return try body() } catch { throw .store(error) }
    }

    // MARK: - The portal

    /// Answers a request of the portal on a thread of its own: a question to the person about one
    /// application doesn't hold up the others.
    private func retrieveSecret(_ request: PortalRequest) throws(Failure) {
        let view = try view()
        guard let store = service.portal, PortalHandler.owners.contains(view.owner.name) else {
            throw .bus(.denied("The calling program is no portal's frontend that is known"))
        }
        guard let cancellation = service.portalRequests.begin(request.handle, request.application)
        else {
            throw .bus(.limit("Too many requests are under way"))
        }
        let handler = PortalHandler(
            store: store, view: view, request: request, cancellation: cancellation)
        let (service, number) = (service, call.number)
        service.pool.run {
            let response = handler.respond()
            service.portalRequests.end(request.handle)
            service.outbox.push(
                .reply(call: number, [.shortNumber(response.rawValue), .properties([])]))
        }
    }

    // MARK: - Sessions

    private func openSession(
        _ algorithm: String, _ input: BusRequest.SessionInput
    ) throws(Failure) -> [BusValue] {
        let isPlain = algorithm == SecretSession.plainName
        guard isPlain || algorithm == SecretSession.encryptedName else {
            throw .bus(.notSupported("The algorithm “\(algorithm.prefix(64))” is not supported"))
        }
        guard client.hasRoomForSession else { throw .bus(Self.tooManySessions) }
        switch (isPlain, input) {
        case (true, .text): return try keep(.plain, .string(""))
        case (false, .bytes(let key)):
            let agreed = SecretSession.agree(key)
            llavero_scrub_stack(Self.usedStackByteCount)
            guard let agreed else {
                throw .bus(.invalidArguments("The public key is no key of the group"))
            }
            return try keep(agreed.session, .bytes(agreed.publicKey))
        default:
            throw .bus(.invalidArguments("The input has the wrong type for this algorithm"))
        }
    }

    private static let tooManySessions = BusError.limit(
        "A client may have \(BusClient.sessionLimit) sessions")

    private func keep(
        _ session: SecretSession, _ output: BusValue
    ) throws(Failure) -> [BusValue] {
        guard let path = client.add(session) else { throw .bus(Self.tooManySessions) }
        return [.variant(output), .path(path)]
    }

    func session(_ path: String) throws(Failure) -> SecretSession {
        guard let session = client.session(path) else { throw .bus(.noSession) }
        return session
    }

    /// Opens a secret that a client has sent.
    func value(_ transferred: TransferredSecret) throws(Failure) -> SecretValue {
        guard let secret = try session(transferred.session).open(transferred.sealed) else {
            throw .bus(.invalidArguments("The secret can't be decrypted"))
        }
        guard secret.bytes.byteCount <= SecretSession.secretByteCountLimit else {
            throw .bus(.limit("A secret may have \(SecretSession.secretByteCountLimit) bytes"))
        }
        return SecretValue(secret: secret, contentType: transferred.contentType)
    }

    /// A secret for a message.
    func transferred(
        _ value: SecretValue, _ session: SecretSession, _ path: String
    ) throws(Failure) -> TransferredSecret {
        guard let sealed = session.seal(value.secret) else {
            throw .bus(.failed("The secret can't be encrypted"))
        }
        return TransferredSecret(session: path, sealed: sealed, contentType: value.contentType)
    }

    // MARK: - Properties

    /// What is answered about properties of an object that has none.
    private func withoutProperties(_ exists: Bool) throws(Failure) -> [BusValue] {
        guard exists else { throw .bus(.noObject(call.path)) }
        return try propertyValues([])
    }

    /// The answer to Get or GetAll.
    func propertyValues(
        _ properties: [(name: String, value: BusValue)]
    ) throws(Failure) -> [BusValue] {
        switch call.request {
        case .getProperty(let interface, let name):
            try checkInterface(interface)
            guard let property = properties.first(where: { $0.name == name }) else {
                throw .bus(.invalidArguments("There is no property “\(name.prefix(64))”"))
            }
            return [.variant(property.value)]
        case .getProperties(let interface):
            // The common interfaces have no properties.
            let isCommon = interface.hasPrefix("org.freedesktop.DBus.")
            if !isCommon { try checkInterface(interface) }
            return [.properties(isCommon ? [] : properties)]
        case .setProperty(let interface, let name, _):
            try checkInterface(interface)
            let known = Interfaces.own(call.object)?.properties.first { $0.name == name }
            throw .bus(
                .invalidArguments(
                    known == nil
                        ? "There is no property “\(name.prefix(64))”"
                        : "The property “\(name.prefix(64))” can't be set to this"))
        default: throw .bus(.unknownMethod(call.path))
        }
    }

    /// An empty name means the object's own interface.
    func checkInterface(_ interface: String) throws(Failure) {
        guard interface.isEmpty || interface == Interfaces.own(call.object)?.name else {
            throw .bus(.invalidArguments("There is no interface “\(interface.prefix(64))” here"))
        }
    }
}
