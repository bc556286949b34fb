// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import SecretBytes
public import SecurityWire

/// A process's access to the keychain: one connection, made at first use, for any number of
/// threads.
///
/// Calls block the calling thread, at most until the deadline. After `fork` the child makes its own
/// connection.
public final class KeychainConnection: Sendable {
    /// Finds the service. It is called for each new connection, since a service that started after
    /// this program may listen at a path that didn't exist before.
    private let locate: @Sendable () -> ServiceLocation
    /// Replaces the deadlines of reads and of writes.
    let deadline: Duration?
    private let transport: SharedTransport

    static let readDeadline = Duration.seconds(5)
    static let writeDeadline = Duration.seconds(30)
    /// How often the client asks for the outcome of a write whose reply was lost.
    private static let outcomeQuestions = 3
    /// How long an abandoned write takes to find out its outcome.
    static let settlingTime = Duration.seconds(2)

    /// Prepares a connection; nothing is opened before the first call.
    public convenience init() { self.init(locate: { .current }) }

    /// Prepares a connection to a service in a given place.
    public convenience init(location: ServiceLocation) { self.init(locate: { location }) }

    private init(locate: @escaping @Sendable () -> ServiceLocation) {
        self.locate = locate
        deadline = locate().deadline
        transport = SharedTransport(locate: locate)
    }

    /// Another connection to the same service.
    func another() -> KeychainConnection { KeychainConnection(locate: locate) }

    /// Where the service is now.
    var location: ServiceLocation { locate() }

    /// Stores an item.
    /// - Returns: What `item.returning` asks for.
    /// - Throws: ``FailureReason/duplicate`` if there is one with the same primary key;
    ///   ``FailureReason/locked``; ``FailureReason/keyGone`` for a class that needs a passcode
    ///   where none is set; ``FailureReason/tooLarge``; ``FailureReason/unknownOutcome`` if the
    ///   reply was lost and the outcome can't be obtained.
    @discardableResult
    public func add(_ item: NewItem) throws(KeychainError) -> FoundItem {
        try add(item, CallBounds())
    }

    func add(_ item: NewItem, _ bounds: CallBounds) throws(KeychainError) -> FoundItem {
        let (found, _) = try write(bounds) { .add(item, $0) }
        return found ?? FoundItem(item.itemClass)
    }

    /// Stores an item, or sets these attributes and this secret on the item with the same primary
    /// key, in one transaction. Attributes that `item` doesn't name, and the persistent reference,
    /// don't change.
    /// - Returns: What `item.returning` asks for.
    /// - Throws: As ``add(_:)``, but never ``FailureReason/duplicate``, unless a newer version
    ///   wrote the existing item.
    @discardableResult
    public func save(_ item: NewItem) throws(KeychainError) -> FoundItem {
        var item = item
        item.replacesExisting = true
        return try add(item)
    }

    /// Stores an item, unless one with certain attributes exists, whatever its primary key. In that
    /// case the call changes the oldest such item. All in one transaction.
    /// - Parameters:
    ///   - item: The new item. Its secret, if it has one, also becomes the found item's new secret.
    ///   - replacement: Which item is changed, and how.
    /// - Returns: What `item.returning` asks for.
    /// - Throws: As ``add(_:)``; ``FailureReason/duplicate`` when the changed item's primary key
    ///   would be another item's.
    @discardableResult
    public func save(
        _ item: NewItem, orChange replacement: ItemReplacement
    ) throws(KeychainError) -> FoundItem {
        var item = item
        item.replacesExisting = true
        item.replacement = replacement
        return try add(item)
    }

    /// Finds items.
    /// - Returns: One element for each item, oldest first; never empty.
    /// - Throws: ``FailureReason/absent`` when no item matches; ``FailureReason/locked`` when a
    ///   matching item can't be opened now, even if others match.
    public func find(_ query: ItemQuery) throws(KeychainError) -> [FoundItem] {
        try find(query, CallBounds())
    }

    func find(
        _ query: ItemQuery, _ bounds: CallBounds
    ) throws(KeychainError) -> [FoundItem] {
        if let limit = query.limit, limit <= 0 { throw .absent }
        var query = query
        var cursor: UInt64 = 0
        var ticket: UInt32?
        var items: [FoundItem] = []
        repeat {
            let page = try findPage(query, after: cursor, &ticket, bounds)
            if items.isEmpty { items = page.items } else { items += page.items }
            cursor = page.nextCursor
            if let limit = query.limit { query.limit = limit - page.items.count }
        } while cursor != 0 && query.limit != 0
        if items.isEmpty { throw .absent }
        return items
    }

    /// A page of all items of a query. Without a limit, the next page is requested before this one
    /// is decoded. A caller must read to the last page, or until a page fails.
    private func findPage(
        _ query: ItemQuery, after cursor: UInt64, _ ticket: inout UInt32?, _ bounds: CallBounds
    ) throws(KeychainError) -> Page {
        guard query.limit == nil else {
            return try Self.page(
                try read(.find(query, cursor: cursor), deadline: Self.readDeadline, bounds))
        }
        let attempts = attempts(Self.readDeadline, bounds)
        return try Self.page(
            try Self.repeated(attempts, bounds) {
                exchangePage(query, after: cursor, &ticket, attempts)
            })
    }

    /// Some of the items that match a query.
    public struct Page: Sendable {
        /// The items, oldest first; may be empty while there are more.
        public let items: [FoundItem]
        /// Where the next page starts; 0 when this is the last.
        public let nextCursor: UInt64
        /// How many rows the service opened to find these.
        public let openedRowCount: UInt64
    }

    /// Finds items page by page, for a caller that looks at each page and may stop.
    /// - Parameters:
    ///   - query: Which items; its limit is for this page.
    ///   - cursor: 0, then the page before's.
    /// - Returns: The page.
    /// - Throws: ``FailureReason/absent`` for a first page without items; else as ``find(_:)``.
    public func findPage(
        _ query: ItemQuery, after cursor: UInt64 = 0
    ) throws(KeychainError) -> Page {
        try Self.page(try read(.find(query, cursor: cursor)))
    }

    private static func page(_ reply: ReceivedReply) throws(KeychainError) -> Page {
        guard case .found(let items, let next, let opened) = reply else {
            throw .unreachable
        }
        return Page(items: items, nextCursor: next, openedRowCount: opened)
    }

    /// Changes every item that matches, or none.
    /// - Returns: The new state of the item, if exactly one matched.
    /// - Throws: ``FailureReason/absent``; ``FailureReason/locked``; ``FailureReason/duplicate``
    ///   when the new primary key is another item's; ``FailureReason/generationChanged`` when
    ///   the query names a state that the item isn't in any more.
    @discardableResult
    public func update(
        _ query: ItemQuery, applying changes: ItemChanges
    ) throws(KeychainError) -> ItemGeneration? {
        try update(query, applying: changes, CallBounds())
    }

    func update(
        _ query: ItemQuery, applying changes: ItemChanges, _ bounds: CallBounds
    ) throws(KeychainError) -> ItemGeneration? {
        try write(bounds) { .update(query, changes, $0) }.item?.generation
    }

    /// Deletes every item that matches.
    /// - Returns: The number of items; 0 when the reply was lost and only the outcome is known.
    /// - Throws: ``FailureReason/absent`` when no item matches; ``FailureReason/generationChanged``
    ///   when the query names a state that the item isn't in any more.
    @discardableResult
    public func delete(_ query: ItemQuery) throws(KeychainError) -> UInt64 {
        try delete(query, CallBounds())
    }

    func delete(_ query: ItemQuery, _ bounds: CallBounds) throws(KeychainError) -> UInt64 {
        try write(bounds) { .delete(query, $0) }.count
    }

    // MARK: - Exchanges

    private typealias Outcome = Result<ReceivedReply, Transport.Failure>

    /// A request that can safely be repeated: one reconnect if the connection ends, and more
    /// attempts while the service is busy.
    func read(
        _ request: ClientRequest, deadline: Duration = readDeadline,
        _ bounds: CallBounds = CallBounds()
    ) throws(KeychainError) -> ReceivedReply {
        let attempts = attempts(deadline, bounds)
        return try Self.repeated(attempts, bounds) { exchange(request, deadline, attempts) }
    }

    private static func repeated(
        _ attempts: CallBounds, _ bounds: CallBounds, _ exchange: () -> Outcome
    ) throws(KeychainError) -> ReceivedReply {
        var pauses = BusyPauses()
        while true {
            var outcome = exchange()
            if case .failure(.cutOff) = outcome, bounds.interruption?.cause == nil {
                outcome = exchange()
            }
            guard case .success(let reply) = outcome, reply.isBusy else {
                return try succeeded(outcome, bounds)
            }
            guard pauses.wait(attempts) else {
                if let cause = bounds.interruption?.cause { throw cause }
                return try succeeded(reply)
            }
        }
    }

    /// All attempts of a call share one deadline.
    private func attempts(_ usual: Duration, _ bounds: CallBounds) -> CallBounds {
        CallBounds(
            end: bounds.end ?? .end(of: deadline ?? usual), interruption: bounds.interruption)
    }

    /// A request that must not be sent twice; its outcome may stay unknown. While the service is
    /// busy, the request is rebuilt for each attempt, because the service has used up its
    /// challenge.
    func once(
        _ request: () throws(KeychainError) -> ClientRequest
    ) throws(KeychainError) -> ReceivedReply {
        var next = try request()
        let attempts = attempts(Self.writeDeadline, CallBounds())
        var pauses = BusyPauses()
        while true {
            switch exchange(next, Self.writeDeadline, attempts) {
            case .success(let reply):
                guard reply.isBusy, pauses.wait(attempts) else {
                    return try Self.succeeded(reply)
                }
                next = try request()
            case .failure(let failure):
                throw failure.mayHaveBeenCarriedOut ? .unknownOutcome : Self.error(failure)
            }
        }
    }

    /// A write: it has a name, by which the client asks for the outcome if the reply was lost. If
    /// it is interrupted or times out, the client asks the service for the outcome. A write that
    /// hasn't been carried out by then is refused from then on.
    func write(
        _ bounds: CallBounds = CallBounds(), _ request: (WriteIdentity) -> ClientRequest
    ) throws(KeychainError) -> (item: FoundItem?, count: UInt64) {
        let requestID = unsafe SecretBytes.random(byteCount: 16).withUnsafeBytes {
            unsafe [UInt8]($0)
        }
        var identity = WriteIdentity(requestID: requestID, isRepeated: false)
        let attempts = attempts(Self.writeDeadline, bounds)
        var pauses = BusyPauses()
        var questionCount = 0
        while questionCount <= Self.outcomeQuestions {
            switch exchange(request(identity), Self.writeDeadline, attempts) {
            case .success(let reply) where reply.isBusy:
                if pauses.wait(attempts) { continue }
                let cause = bounds.interruption?.cause
                // The service was too busy to report its outcome.
                guard !identity.isRepeated else {
                    guard let cause else { throw .unknownOutcome(of: identity) }
                    return try settle(identity, cause, request)
                }
                if let cause { throw cause }
                _ = try Self.succeeded(reply)
            case .success(let reply):
                guard case .written(let item, let count) = try Self.succeeded(reply) else {
                    throw .unknownOutcome(of: identity)
                }
                return (item, count)
            case .failure(let failure):
                guard failure.mayHaveBeenCarriedOut || identity.isRepeated else {
                    throw bounds.error(failure)
                }
                let isGivenUp = bounds.interruption?.cause != nil
                if isGivenUp || bounds.end != nil && failure != .cutOff {
                    return try settle(identity, bounds.error(failure), request)
                }
                guard failure == .cutOff else { throw .unknownOutcome(of: identity) }
                identity.isRepeated = true
                questionCount += 1
            }
        }
        throw .unknownOutcome(of: identity)
    }

    /// Finds the outcome of an abandoned write.
    /// - Throws: `cause` when it wasn't carried out, and so never will be.
    private func settle(
        _ identity: WriteIdentity, _ cause: KeychainError,
        _ request: (WriteIdentity) -> ClientRequest
    ) throws(KeychainError) -> (item: FoundItem?, count: UInt64) {
        let bounds = CallBounds(end: .now + Self.settlingTime)
        let pending = PendingWrite(requestID: identity.requestID)
        guard try settle(pending, bounds) else {
            throw cause
        }
        // It was carried out: sending the same request again returns its reply.
        let repeated = WriteIdentity(requestID: identity.requestID, isRepeated: true)
        guard case .success(let reply) = exchange(request(repeated), Self.settlingTime, bounds),
            case .written(let item, let count) = reply
        else { return (nil, 0) }
        return (item, count)
    }

    /// Asks for the outcome of a write whose reply was lost. If the write hasn't been carried out,
    /// the service refuses it from now on. The service remembers a write for a minute.
    /// - Returns: Whether it was carried out.
    /// - Throws: ``FailureReason/unknownOutcome`` when the service doesn't answer.
    public func settle(_ write: PendingWrite) throws(KeychainError) -> Bool {
        try settle(write, CallBounds())
    }

    func settle(_ write: PendingWrite, _ bounds: CallBounds) throws(KeychainError) -> Bool {
        var error = KeychainError.unknownOutcome
        error.pendingWrite = write
        do throws(KeychainError) {
            let reply = try read(
                .revoke(requestID: write.requestID), deadline: Self.readDeadline, bounds)
            if case .revoked(let wasCarriedOut) = reply { return wasCarriedOut }
        } catch {}
        throw error
    }

    private func exchange(
        _ request: ClientRequest, _ deadline: Duration, _ bounds: CallBounds
    ) -> Outcome {
        withTransport(deadline, bounds) { (transport, deadline) throws(Transport.Failure) in
            try transport.exchange(request, deadline: deadline)
        }
    }

    /// Sends a request that names a process. The connection has made another request before, with which it
    /// has proven what it had to.
    func read(
        _ request: ClientRequest, attaching descriptor: Int32
    ) throws(KeychainError) -> ReceivedReply {
        let bounds = CallBounds()
        return try Self.succeeded(
            withTransport(Self.readDeadline, bounds) {
                (transport, deadline) throws(Transport.Failure) in
                try transport.exchange(request, attaching: descriptor, deadline: deadline)
            }, bounds)
    }

    private func exchangePage(
        _ query: ItemQuery, after cursor: UInt64, _ ticket: inout UInt32?, _ bounds: CallBounds
    ) -> Outcome {
        withTransport(Self.readDeadline, bounds) {
            (transport, deadline) throws(Transport.Failure) in
            try transport.page(after: cursor, deadline: deadline, ticket: &ticket) {
                .find(query, cursor: $0)
            }
        }
    }

    private func withTransport(
        _ usual: Duration, _ bounds: CallBounds,
        _ body: (inout Transport, Duration) throws(Transport.Failure) -> ReceivedReply
    ) -> Outcome {
        do throws(Transport.Failure) {
            return .success(
                try transport.use(
                    within: bounds.rest(deadline ?? usual), bounds.interruption
                ) {
                    (transport, deadline) throws(Transport.Failure) in
                    transport.beginInterruptible(bounds.interruption)
                    defer { transport.endInterruptible() }
                    return try body(&transport, deadline)
                })
        } catch { return .failure(error) }
    }

    private static func succeeded(
        _ outcome: Outcome, _ bounds: CallBounds
    ) throws(KeychainError) -> ReceivedReply {
        switch outcome {
        case .success(let reply): try succeeded(reply)
        case .failure(let failure): throw bounds.error(failure)
        }
    }

    static func succeeded(_ reply: ReceivedReply) throws(KeychainError) -> ReceivedReply {
        if case .failed(let failure) = reply { throw KeychainError(failure) }
        return reply
    }

    static func error(_ failure: Transport.Failure) -> KeychainError {
        switch failure {
        case .notConnected, .notSent, .cutOff, .timedOut: .unreachable
        case .pathTooLong: .socketPathTooLong
        case .wrongServer: .denied
        case .tooLarge: .tooLarge
        }
    }
}
