// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC
package import SecretBytes

/// securityd's side of a connection to enclaved: blocking calls, each within a deadline.
///
/// One connection serves one thread at a time. After `gone` it is of no more use; after
/// `unreachable` it is, once the late reply has come.
package struct EnclaveClient: ~Copyable, Sendable {
    /// The deadline of a call.
    package static let deadlineMilliseconds = 2_000
    /// The deadline of a call that derives a key from a passcode.
    package static let passcodeDeadlineMilliseconds = 30_000

    var link: EnclaveLink

    /// Takes over a connected stream socket.
    /// - Parameters:
    ///   - socket: The end that enclaved doesn't have.
    ///   - deadlineMilliseconds: How long a call other than `passcode` may take.
    package init(
        socket: consuming Descriptor,
        deadlineMilliseconds: Int = EnclaveClient.deadlineMilliseconds
    ) {
        link = EnclaveLink(socket: socket, deadlineMilliseconds: deadlineMilliseconds)
    }
}

// MARK: - State and passcode

extension EnclaveClient {
    /// The state of a user's keybag; makes one for a new user.
    package mutating func status(userID: UInt32) throws(EnclaveCallError) -> EnclaveStatus {
        switch try call(.status, userID: userID) {
        case .status(let status): return status
        case let reply: throw link.unexpected(reply)
        }
    }

    /// A nonce for one passcode of this user, good once, for 60 s.
    package mutating func challenge(userID: UInt32) throws(EnclaveCallError) -> [UInt8] {
        switch try call(.challenge, userID: userID) {
        case .challenge(let nonce): return nonce
        case let reply: throw link.unexpected(reply)
        }
    }

    /// Hands on a sealed passcode.
    /// - Parameters:
    ///   - operation: What the passcode is for; sealed with it.
    ///   - sealed: The 32-byte encapsulated key, then the ciphertext.
    ///   - userID: The user whose passcode it is; sealed with it.
    /// - Throws: what enclaved judges of it; `undecodable` also when it was sealed to the key of an
    ///   enclaved that has been restarted since; `gone` and `unreachable` when it wasn't handed on;
    ///   `outcomeUnknown` when no answer came.
    package mutating func passcode(
        operation: PasscodeOperation, sealed: [UInt8], userID: UInt32
    ) throws(EnclaveCallError) {
        let split = EnclaveRequest.encapsulatedKeyByteCount
        guard sealed.count > split,
            sealed.count - split <= EnclaveRequest.passcodeCiphertextLimit
        else { throw .malformed }
        let request = EnclaveRequest.passcode(
            operation, encapsulatedKey: [UInt8](sealed[..<split]),
            ciphertext: [UInt8](sealed[split...]))
        request.encode(requestID: try link.nextRequestID(), userID: userID, into: &link.buffer)
        let reply: EnclaveReply
        do throws(EnclaveCallError) {
            reply = try link.reply(
                to: .passcode, milliseconds: Self.passcodeDeadlineMilliseconds)
        } catch { throw .outcomeUnknown }
        try finish(reply)
    }

    /// Whether the connection has ended: every further call throws `gone`.
    package var isGone: Bool { link.isGone }
}

// MARK: - Locking

extension EnclaveClient {
    /// The most a thread waits for an event: for as long as anybody runs the service.
    private static let eventMilliseconds = 1_000_000_000_000

    /// The highest lock count of a user that any reply on this connection has told.
    ///
    /// `locked` is thrown only after it has been taken from the reply. A count that is higher than
    /// one known before means that what the dropped keys opened must be dropped, too, before the
    /// answer is passed on.
    package func lockCount(userID: UInt32) -> UInt32 { link.lockCounts[userID] ?? 0 }

    /// Locks; when the answer says 0 seconds, enclaved has no class-A key of the user any more.
    @discardableResult
    package mutating func lock(
        _ mode: LockMode = .now, userID: UInt32
    ) throws(EnclaveCallError) -> LockAnswer {
        switch try call(.lock(mode), userID: userID) {
        case .locking(let answer): return answer
        case let reply: throw link.unexpected(reply)
        }
    }

    /// Waits, for as long as it takes, until keys of any user have been dropped.
    /// - Parameter lastEvent: The number of the last event that was seen; 0 at first.
    /// - Returns: The next event. Of one user, several may have become one.
    /// - Throws: when the connection ends.
    package mutating func awaitLock(
        after lastEvent: UInt32
    ) throws(EnclaveCallError) -> LockEvent {
        switch try call(
            .awaitLock(after: lastEvent), userID: 0, milliseconds: Self.eventMilliseconds)
        {
        case .lockEvent(let event): return event
        case let reply: throw link.unexpected(reply)
        }
    }

    /// Puts a lock off.
    /// - Parameters:
    ///   - seconds: 1 to 60.
    ///   - userID: The user.
    /// - Returns: A token, to give the assertion back with.
    /// - Throws: `locked` when the user is locked or a lock has been asked for; `busy` when there
    ///   are 8; or that the call failed.
    package mutating func takeAssertion(
        seconds: UInt16, userID: UInt32
    ) throws(EnclaveCallError) -> UInt32 {
        guard LockAssertion.secondsBounds.contains(seconds) else { throw .malformed }
        return try assertion(.take(seconds: seconds), userID: userID)
    }

    /// Gives an assertion back, one that is over too; a lock that only waited for it is done when
    /// this returns.
    package mutating func releaseAssertion(
        _ token: UInt32, userID: UInt32
    ) throws(EnclaveCallError) {
        _ = try assertion(.release(token: token), userID: userID)
    }

    private mutating func assertion(
        _ assertion: LockAssertion, userID: UInt32
    ) throws(EnclaveCallError) -> UInt32 {
        switch try call(.assertion(assertion), userID: userID) {
        case .assertion(let token): return token
        case let reply: throw link.unexpected(reply)
        }
    }
}

// MARK: - Anchors

extension EnclaveClient {
    /// Has a commit of the user's database remembered, unless a later one is already.
    /// - Parameters:
    ///   - commit: The commit's number; 0 asks alone.
    ///   - userID: The user.
    ///   - binds: Whether the device key's counter counts up: no earlier state of the enclave's files
    ///     holds any more then, where the device key can tell.
    /// - Returns: The latest commit that is remembered; 0 when none is.
    /// - Throws: `undecodable` when what is remembered is damaged; or that the call failed.
    package mutating func anchor(
        _ commit: UInt64, userID: UInt32, binds: Bool = false
    ) throws(EnclaveCallError) -> UInt64 {
        switch try call(binds ? .bindAnchor(commit) : .anchor(commit), userID: userID) {
        case .anchored(let commit): return commit
        case let reply: throw link.unexpected(reply)
        }
    }
}

// MARK: - Table keys

extension EnclaveClient {
    /// Makes a table key.
    package mutating func makeTableKey(
        purpose: TableKeyPurpose, class protectionClass: ProtectionClass, generation: UInt32,
        userID: UInt32
    ) throws(EnclaveCallError) -> MadeTableKey {
        let name = TableKeyName(
            purpose: purpose, protectionClass: protectionClass, generation: generation)
        switch try call(.makeTableKey(name), userID: userID) {
        case .madeTableKey(let made): return made
        case let reply: throw link.unexpected(reply)
        }
    }

    /// Opens a table key.
    /// - Parameters:
    ///   - purpose: As it was made.
    ///   - protectionClass: As it was made.
    ///   - generation: As it was made.
    ///   - wrapped: The 60 bytes of `makeTableKey`.
    ///   - userID: As it was made.
    /// - Returns: 32 bytes.
    /// - Throws: `locked`, `classMissing`, `undecodable`, or that the call failed.
    package mutating func openTableKey(
        purpose: TableKeyPurpose, class protectionClass: ProtectionClass, generation: UInt32,
        wrapped: [UInt8], userID: UInt32
    ) throws(EnclaveCallError) -> SecretBytes {
        guard wrapped.count == EnclaveRequest.wrappedTableKeyByteCount else { throw .undecodable }
        let name = TableKeyName(
            purpose: purpose, protectionClass: protectionClass, generation: generation)
        switch try call(.openTableKey(name, wrapped: wrapped), userID: userID) {
        case .openedTableKey(let key): return key
        case let reply: throw link.unexpected(reply)
        }
    }
}

// MARK: - Secrets

extension EnclaveClient {
    /// The most bytes of a secret that a message holds: the payload less class, context, wrapped
    /// key, tag and padding, so that it can be opened again too.
    package static let secretLimit = EnclaveHeader.payloadLimit - 512

    /// Seals a secret.
    /// - Parameters:
    ///   - protectionClass: The class whose key must be usable, now and to open it.
    ///   - context: 32 bytes, the digest of what the secret must stay with.
    ///   - secret: At most `secretLimit` bytes.
    ///   - userID: The user whose keybag has the class key.
    /// - Returns: The sealed bytes, for `open` with the same class and context.
    /// - Throws: `locked`, `classMissing`, `malformed` for a secret or context of the wrong size,
    ///   or that the call failed.
    package mutating func seal(
        class protectionClass: ProtectionClass, context: [UInt8],
        secret: borrowing SecretBytes, userID: UInt32
    ) throws(EnclaveCallError) -> [UInt8] {
        guard secret.byteCount <= Self.secretLimit,
            let binding = SecretBinding(protectionClass: protectionClass, context: context)
        else { throw .malformed }
        EnclaveRequest.encodeSeal(
            binding, secret: secret, requestID: try link.nextRequestID(), userID: userID,
            into: &link.buffer)
        return try sealed(try link.reply(to: .seal))
    }

    /// Opens one secret.
    package mutating func open(
        class protectionClass: ProtectionClass, context: [UInt8], sealed: [UInt8], userID: UInt32
    ) throws(EnclaveCallError) -> Secret {
        guard
            let row = SealedSecret(
                protectionClass: protectionClass, context: context, sealed: sealed)
        else { throw .malformed }
        let results = try open([row], userID: userID)
        guard let result = results.first else { throw link.broken() }
        return try result.get()
    }

    /// Opens up to 1024 secrets of at most 4 MiB together.
    /// - Returns: A result for each row, in the same order.
    /// - Throws: when the call as a whole fails; one row that doesn't open is in its result.
    package mutating func open(
        _ rows: [SealedSecret], userID: UInt32
    ) throws(EnclaveCallError) -> [Result<Secret, EnclaveCallError>] {
        switch try send(.open, rows, userID: userID) {
        case .opened(let opened):
            guard opened.count == rows.count else { throw link.broken() }
            return opened.map { $0.result }
        case let reply: throw link.unexpected(reply)
        }
    }

    /// Tells which of up to 1024 secrets of at most 4 MiB together would open; none of them leaves
    /// enclaved.
    /// - Returns: For each row, in the same order, why it doesn't open; nil where it does.
    /// - Throws: when the call as a whole fails.
    package mutating func verify(
        _ rows: [SealedSecret], userID: UInt32
    ) throws(EnclaveCallError) -> [EnclaveCallError?] {
        switch try send(.verify, rows, userID: userID) {
        case .verified(let codes):
            guard codes.count == rows.count else { throw link.broken() }
            return codes.map { $0 == .success ? nil : EnclaveCallError($0) }
        case let reply: throw link.unexpected(reply)
        }
    }

    private mutating func send(
        _ kind: EnclaveMessageKind, _ rows: [SealedSecret], userID: UInt32
    ) throws(EnclaveCallError) -> EnclaveReply {
        guard (1...SealedSecret.rowLimit).contains(rows.count),
            EnclaveRequest.payloadByteCount(rows) <= EnclaveHeader.payloadLimit
        else { throw .malformed }
        EnclaveRequest.encode(
            kind, rows, requestID: try link.nextRequestID(), userID: userID, into: &link.buffer)
        return try link.reply(to: kind)
    }

    /// Seals a sealed secret anew for another class or context; the plain secret stays in enclaved.
    package mutating func rebind(
        _ row: SealedSecret, toClass protectionClass: ProtectionClass, context: [UInt8],
        userID: UInt32
    ) throws(EnclaveCallError) -> [UInt8] {
        guard let target = SecretBinding(protectionClass: protectionClass, context: context),
            row.sealed.count <= EnclaveHeader.payloadLimit - 128
        else { throw .malformed }
        return try sealed(
            try call(.rebind(from: row.binding, to: target, sealed: row.sealed), userID: userID))
    }
}

// MARK: - Calls and replies

extension EnclaveClient {
    mutating func call(
        _ request: consuming EnclaveRequest, userID: UInt32, milliseconds: Int? = nil
    ) throws(EnclaveCallError) -> EnclaveReply {
        let kind = request.kind
        request.encode(requestID: try link.nextRequestID(), userID: userID, into: &link.buffer)
        return try link.reply(to: kind, milliseconds: milliseconds)
    }

    private mutating func finish(_ reply: consuming EnclaveReply) throws(EnclaveCallError) {
        switch consume reply {
        case .done: return
        case let reply: throw link.unexpected(reply)
        }
    }

    private mutating func sealed(
        _ reply: consuming EnclaveReply
    ) throws(EnclaveCallError) -> [UInt8] {
        switch consume reply {
        case .sealed(let sealed): return sealed
        case let reply: throw link.unexpected(reply)
        }
    }
}

extension EnclaveLink {
    /// Sends the message in the buffer and decodes the reply; the buffer is wiped afterwards.
    fileprivate mutating func reply(
        to kind: EnclaveMessageKind, milliseconds: Int? = nil
    ) throws(EnclaveCallError) -> EnclaveReply {
        let header = try exchange(milliseconds: milliseconds)
        guard header.kind == kind.rawValue else { throw broken() }
        do {
            let reply = try unsafe buffer.withUnsafeBytes { (bytes) throws(DecodingFailure) in
                try unsafe EnclaveReply.decode(
                    kind, status: header.status,
                    payload: UnsafeRawBufferPointer(rebasing: bytes[EnclaveHeader.byteCount...]))
            }
            buffer.removeAll()
            note(reply.lockCount, userID: header.userID)
            return reply
        } catch {
            throw broken()
        }
    }

    private mutating func note(_ lockCount: UInt32?, userID: UInt32) {
        guard let lockCount else { return }
        lockCounts[userID] = max(lockCounts[userID] ?? 0, lockCount)
    }

    /// The error of a reply that isn't the one hoped for; one of another kind ends the connection.
    mutating func unexpected(_ reply: consuming EnclaveReply) -> EnclaveCallError {
        switch consume reply {
        case .failure(let code): return EnclaveCallError(code)
        case .throttled(let seconds): return .throttled(seconds: seconds)
        case .locked: return .locked
        case .locking: return broken()
        case .lockEvent: return broken()
        case .assertion: return broken()
        case .anchored: return broken()
        case .done: return broken()
        case .status: return broken()
        case .challenge: return broken()
        case .madeTableKey: return broken()
        case .openedTableKey: return broken()
        case .sealed: return broken()
        case .opened: return broken()
        case .verified: return broken()
        case .madePrivateKey: return broken()
        case .signature: return broken()
        case .agreed: return broken()
        }
    }
}

extension EnclaveReply {
    /// The user's lock count, in a reply that tells it.
    fileprivate var lockCount: UInt32? {
        switch self {
        case .status(let status): status.lockCount
        case .locked(let lockCount): lockCount
        case .locking(let answer): answer.lockCount
        case .opened(let rows): rows.compactMap(\.lockCount).max()
        case .failure: nil
        case .throttled: nil
        case .done: nil
        case .challenge: nil
        case .lockEvent: nil
        case .assertion: nil
        case .anchored: nil
        case .madeTableKey: nil
        case .openedTableKey: nil
        case .sealed: nil
        case .verified: nil
        case .madePrivateKey: nil
        case .signature: nil
        case .agreed: nil
        }
    }
}

extension OpenedRow {
    fileprivate var lockCount: UInt32? {
        switch self {
        case .locked(let lockCount): lockCount
        case .secret, .failure: nil
        }
    }

    fileprivate var result: Result<Secret, EnclaveCallError> {
        switch self {
        case .secret(let secret): .success(secret)
        case .failure(let code): .failure(EnclaveCallError(code))
        case .locked: .failure(.locked)
        }
    }
}
