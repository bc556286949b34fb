// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import SecretBytes

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
    ///   - purpose: The same as when it was made.
    ///   - protectionClass: The same as when it was made.
    ///   - generation: The same as when it was made.
    ///   - wrapped: The 60 bytes of `makeTableKey`.
    ///   - userID: The same as when it was made.
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
    /// The maximum size of a secret in a message: the payload without class, context, wrapped key,
    /// tag and padding, so that it can also be opened again.
    package static let secretLimit = EnclaveHeader.payloadLimit - 512

    /// Seals a secret.
    /// - Parameters:
    ///   - protectionClass: The class whose key must be usable, now and to open it.
    ///   - context: 32 bytes, the digest of the associated data.
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
    /// - Throws: when the whole call fails; the error of a single row is in its result.
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

    /// Finds out which of up to 1024 secrets of at most 4 MiB together can be opened; none of them
    /// leaves enclaved.
    /// - Returns: For each row, in the same order, why it can't be opened; nil if it can.
    /// - Throws: when the whole call fails.
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

    /// Seals a sealed secret again for another class or context; the plain secret stays in
    /// enclaved.
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

extension OpenedRow {
    fileprivate var result: Result<Secret, EnclaveCallError> {
        switch self {
        case .secret(let secret): .success(secret)
        case .failure(let code): .failure(EnclaveCallError(code))
        case .locked: .failure(.locked)
        }
    }
}
