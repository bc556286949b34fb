// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
package import SecretBytes

/// A sealed secret with its binding.
package struct SealedSecret: Hashable, Sendable {
    /// The maximum number of rows in one request.
    package static let rowLimit = 1024

    /// The binding.
    package let binding: SecretBinding
    /// The sealed bytes, as `seal` returned them.
    package let sealed: [UInt8]

    /// Combines the parts.
    package init(binding: SecretBinding, sealed: [UInt8]) {
        self.binding = binding
        self.sealed = sealed
    }

    /// Combines the parts.
    /// - Parameters:
    ///   - protectionClass: The class.
    ///   - context: 32 bytes, otherwise the result is nil.
    ///   - sealed: The sealed bytes.
    package init?(protectionClass: ProtectionClass, context: [UInt8], sealed: [UInt8]) {
        guard let binding = SecretBinding(protectionClass: protectionClass, context: context) else {
            return nil
        }
        self.init(binding: binding, sealed: sealed)
    }
}

/// One row of an `open` reply.
package enum OpenedRow: Sendable {
    /// The secret.
    case secret(Secret)
    /// Why there is none.
    case failure(EnclaveStatusCode)
    /// The class key is not usable now.
    case locked(lockCount: UInt32)
}

// MARK: - Layout of requests

extension EnclaveRequest {
    /// u16 count; for each row binding, u32 byte count, sealed bytes.
    static func decodeRows(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> [SealedSecret] {
        let count = try unsafe Int(reader.u16())
        guard (1...SealedSecret.rowLimit).contains(count) else { throw DecodingFailure() }
        var rows: [SealedSecret] = []
        rows.reserveCapacity(count)
        for _ in 0..<count {
            let binding = try unsafe SecretBinding(&reader)
            let byteCount = try unsafe Int(reader.u32())
            rows.append(SealedSecret(binding: binding, sealed: try unsafe reader.array(byteCount)))
        }
        return rows
    }

    /// The payload of an `open` or `verify` message with these rows.
    package static func payloadByteCount(_ rows: [SealedSecret]) -> Int {
        rows.reduce(2) { $0 + 1 + SecretBinding.contextByteCount + 4 + $1.sealed.count }
    }

    /// Writes a whole `open` or `verify` message.
    package static func encode(
        _ kind: EnclaveMessageKind, _ rows: [SealedSecret], requestID: UInt64, userID: UInt32,
        into buffer: inout MessageBuffer
    ) {
        buffer.begin(
            kind: kind.rawValue, requestID: requestID, userID: userID,
            payload: payloadByteCount(rows))
        buffer.append(rows)
        buffer.finish()
    }
}

extension MessageBuffer {
    mutating func append(_ rows: [SealedSecret]) {
        u16(UInt16(truncatingIfNeeded: rows.count))
        for row in rows {
            append(row.binding)
            u32(UInt32(truncatingIfNeeded: row.sealed.count))
            bytes(row.sealed)
        }
    }
}

// MARK: - Layout of replies

extension EnclaveReply {
    static func decodeRows(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> [OpenedRow] {
        let count = try unsafe Int(reader.u16())
        guard (1...SealedSecret.rowLimit).contains(count) else { throw DecodingFailure() }
        var rows: [OpenedRow] = []
        rows.reserveCapacity(count)
        for _ in 0..<count {
            guard let code = EnclaveStatusCode(rawValue: try unsafe reader.u16()) else {
                throw DecodingFailure()
            }
            let byteCount = try unsafe Int(reader.u32())
            switch code {
            case .success:
                let bytes = try unsafe reader.bytes(byteCount)
                rows.append(.secret(Secret(unsafe SecretBytes(copying: bytes))))
            case .locked where byteCount == 4:
                rows.append(.locked(lockCount: try unsafe reader.u32()))
            case .throttled, .locked: throw DecodingFailure()
            case .classMissing, .undecodable, .wrongPasscode, .disabled, .malformed, .busy,
                .wrongState, .staleChallenge, .stateNotWritten, .passcodeUnacceptable,
                .deviceKeyUnavailable, .administratorNeeded, .nameTaken, .noSuchProtector,
                .lastProtector, .tooManyProtectors, .personNeeded, .passwordNeeded,
                .accessRefused, .setUnproven, .keychainLocked, .noSuchKeychain, .keychainExists,
                .tooManyKeychains:
                guard byteCount == 0 else { throw DecodingFailure() }
                rows.append(.failure(code))
            }
        }
        return rows
    }

    static func decodeCodes(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> [EnclaveStatusCode] {
        let count = try unsafe Int(reader.u16())
        guard (1...SealedSecret.rowLimit).contains(count) else { throw DecodingFailure() }
        var codes: [EnclaveStatusCode] = []
        codes.reserveCapacity(count)
        for _ in 0..<count {
            guard let code = EnclaveStatusCode(rawValue: try unsafe reader.u16()) else {
                throw DecodingFailure()
            }
            codes.append(code)
        }
        return codes
    }
}

extension MessageBuffer {
    mutating func append(_ rows: [OpenedRow]) {
        reserve(EnclaveHeader.byteCount + rows.reduce(2) { $0 + 6 + $1.secretByteCount })
        u16(UInt16(truncatingIfNeeded: rows.count))
        for row in rows { append(row) }
    }

    mutating func append(_ codes: [EnclaveStatusCode]) {
        u16(UInt16(truncatingIfNeeded: codes.count))
        for code in codes { u16(code.rawValue) }
    }

    private mutating func append(_ row: OpenedRow) {
        switch row {
        case .failure(let code):
            u16(code.rawValue)
            u32(0)
        case .locked(let lockCount):
            u16(EnclaveStatusCode.locked.rawValue)
            u32(4)
            u32(lockCount)
        case .secret(let secret):
            u16(EnclaveStatusCode.success.rawValue)
            u32(UInt32(truncatingIfNeeded: secret.bytes.byteCount))
            bytes(secret.bytes)
        }
    }
}

extension OpenedRow {
    fileprivate var secretByteCount: Int {
        switch self {
        case .secret(let secret): secret.bytes.byteCount
        case .failure: 0
        case .locked: 4
        }
    }
}

// MARK: - Calls

extension EnclaveClient {
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
}

extension OpenedRow {
    var result: Result<Secret, EnclaveCallError> {
        switch self {
        case .secret(let secret): .success(secret)
        case .failure(let code): .failure(EnclaveCallError(code))
        case .locked: .failure(.locked)
        }
    }
}
