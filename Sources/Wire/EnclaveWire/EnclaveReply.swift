// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC
package import SecretBytes

/// One row of an `open` reply.
package enum OpenedRow: Sendable {
    /// The secret.
    case secret(Secret)
    /// Why there is none.
    case failure(EnclaveStatusCode)
    /// The class key is not usable now.
    case locked(lockCount: UInt32)
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

/// A new table key: wrapped for the disk, plain for the memory.
package struct MadeTableKey: ~Copyable, Sendable {
    /// 60 bytes, for `openTableKey`.
    package let wrapped: [UInt8]
    /// 32 bytes.
    package let key: SecretBytes

    /// Combines the parts.
    package init(wrapped: [UInt8], key: consuming SecretBytes) {
        self.wrapped = wrapped
        self.key = key
    }
}

/// A reply of enclaved, without its header.
package enum EnclaveReply: ~Copyable, Sendable {
    /// The byte count of a nonce.
    package static let nonceByteCount = 32
    /// The byte count of a table key.
    package static let tableKeyByteCount = 32

    /// The request failed, and why. Never `throttled` or `locked`: those have their own replies.
    case failure(EnclaveStatusCode)
    /// The class key is not usable now.
    case locked(lockCount: UInt32)
    /// No passcode is tried before this many seconds have passed.
    case throttled(seconds: UInt32)
    /// Done; there is no result.
    case done
    /// The result of a lock.
    case locking(LockAnswer)
    /// Keys have been dropped.
    case lockEvent(LockEvent)
    /// The token of an assertion.
    case assertion(token: UInt32)
    /// The latest recorded commit of the database.
    case anchored(UInt64)
    /// The keybag's state.
    case status(EnclaveStatus)
    /// A nonce, valid once within 60 s.
    case challenge([UInt8])
    /// A new table key, wrapped and plain.
    case madeTableKey(MadeTableKey)
    /// An opened table key.
    case openedTableKey(SecretBytes)
    /// A sealed secret.
    case sealed([UInt8])
    /// One row for each row of the request, in its order.
    case opened([OpenedRow])
    /// One status for each row of the request, in its order.
    case verified([EnclaveStatusCode])
    /// A new private key: its public half, 65 bytes, and the sealed key.
    case madePrivateKey(publicKey: [UInt8], sealed: [UInt8])
    /// A signature, 64 bytes.
    case signature([UInt8])
    /// A shared secret, 32 bytes.
    case agreed(SecretBytes)
    /// The protectors, in the order in which they were added.
    case protectors([ListedProtector])
}

// MARK: - Encoding

extension EnclaveReply {
    /// Writes the whole message.
    package borrowing func encode(
        kind: UInt16, requestID: UInt64, userID: UInt32, into buffer: inout MessageBuffer
    ) {
        buffer.begin(
            kind: kind, status: statusCode.rawValue, requestID: requestID, userID: userID)
        switch self {
        case .failure: break
        case .done: break
        case .throttled(let seconds):
            buffer.u32(seconds)
        case .locked(let lockCount):
            buffer.u32(lockCount)
        case .locking(let answer):
            buffer.u32(answer.seconds)
            buffer.u32(answer.lockCount)
        case .lockEvent(let event):
            buffer.append(event)
        case .assertion(let token):
            buffer.u32(token)
        case .anchored(let commit):
            buffer.u64(commit)
        case .status(let status):
            buffer.append(status)
        case .challenge(let nonce):
            buffer.bytes(nonce)
        case .madeTableKey(let made):
            buffer.bytes(made.wrapped)
            buffer.bytes(made.key)
        case .openedTableKey(let key):
            buffer.bytes(key)
        case .sealed(let sealed):
            buffer.bytes(sealed)
        case .opened(let rows):
            buffer.reserve(
                EnclaveHeader.byteCount + rows.reduce(2) { $0 + 6 + $1.secretByteCount })
            buffer.u16(UInt16(truncatingIfNeeded: rows.count))
            for row in rows { buffer.append(row) }
        case .verified(let codes):
            buffer.u16(UInt16(truncatingIfNeeded: codes.count))
            for code in codes { buffer.u16(code.rawValue) }
        case .madePrivateKey(let publicKey, let sealed):
            buffer.bytes(publicKey)
            buffer.bytes(sealed)
        case .signature(let signature):
            buffer.bytes(signature)
        case .agreed(let secret):
            buffer.bytes(secret)
        case .protectors(let protectors):
            buffer.append(protectors)
        }
        buffer.finish()
    }

    /// The status in the header.
    package var statusCode: EnclaveStatusCode {
        switch self {
        case .failure(let code): code
        case .throttled: .throttled
        case .locked: .locked
        case .locking: .success
        case .lockEvent: .success
        case .assertion: .success
        case .anchored: .success
        case .done: .success
        case .status: .success
        case .challenge: .success
        case .madeTableKey: .success
        case .openedTableKey: .success
        case .sealed: .success
        case .opened: .success
        case .verified: .success
        case .madePrivateKey: .success
        case .signature: .success
        case .agreed: .success
        case .protectors: .success
        }
    }
}

extension MessageBuffer {
    fileprivate mutating func append(_ status: EnclaveStatus) {
        u8(status.state.rawValue)
        u8(status.isPasscodeSet ? 1 : 0)
        u8(status.deviceKey.rawValue)
        u8(status.memory.rawValue)
        u32(status.failedAttempts)
        u32(status.secondsUntilNextAttempt)
        u16(status.usableClasses.rawValue)
        u16(status.existingClasses.rawValue)
        u32(status.keybagGeneration)
        bytes(status.keybagUUID)
        u32(status.lockCount)
        u32(status.secondsUntilLocked)
        u16(status.graceSeconds)
        u8(status.eraseAfter)
        u8(status.hasEscrow ? 1 : 0)
        u32(status.erasures)
        u8(status.hasRecoveryCode ? 1 : 0)
        u32(status.registers.mask)
        u8(status.erasesForUnidentified ? 1 : 0)
        u8(status.walls.landlock.rawValue)
        u8(status.walls.landlockVersion)
        u8(status.walls.filtersSystemCalls ? 1 : 0)
        u32(status.release.number)
    }

    fileprivate mutating func append(_ event: LockEvent) {
        u32(event.number)
        u32(event.userID)
        u16(event.dropped.rawValue)
        u32(event.lockCount)
    }

    fileprivate mutating func append(_ row: OpenedRow) {
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

// MARK: - Decoding

extension EnclaveReply {
    /// Parses the payload of a reply to a request of `kind`; secrets are read directly into their
    /// own pages.
    package static func decode(
        _ kind: EnclaveMessageKind, status: UInt16, payload: UnsafeRawBufferPointer
    ) throws(DecodingFailure) -> EnclaveReply {
        guard let code = EnclaveStatusCode(rawValue: status) else { throw DecodingFailure() }
        var reader = unsafe ByteReader(payload)
        let reply = try unsafe decode(kind, code, &reader)
        try unsafe reader.finish()
        return reply
    }

    private static func decode(
        _ kind: EnclaveMessageKind, _ code: EnclaveStatusCode, _ reader: inout ByteReader
    ) throws(DecodingFailure) -> EnclaveReply {
        switch code {
        case .success: break
        case .locked: return .locked(lockCount: try unsafe reader.u32())
        case .throttled: return .throttled(seconds: try unsafe reader.u32())
        case .classMissing, .undecodable, .wrongPasscode, .disabled, .malformed, .busy,
            .wrongState, .staleChallenge, .stateNotWritten, .passcodeUnacceptable,
            .deviceKeyUnavailable, .administratorNeeded, .nameTaken, .noSuchProtector,
            .lastProtector, .tooManyProtectors:
            return .failure(code)
        }
        switch kind {
        case .passcode: return .done
        case .lock:
            return .locking(
                LockAnswer(
                    seconds: try unsafe reader.u32(), lockCount: try unsafe reader.u32()))
        case .awaitLock:
            return .lockEvent(
                LockEvent(
                    number: try unsafe reader.u32(), userID: try unsafe reader.u32(),
                    dropped: ProtectionClassSet(rawValue: try unsafe reader.u16()),
                    lockCount: try unsafe reader.u32()))
        case .assertion: return .assertion(token: try unsafe reader.u32())
        case .anchor, .bindAnchor: return .anchored(try unsafe reader.u64())
        case .status: return .status(try unsafe EnclaveStatus(&reader))
        case .challenge: return .challenge(try unsafe reader.array(nonceByteCount))
        case .makeTableKey:
            let wrapped = try unsafe reader.array(EnclaveRequest.wrappedTableKeyByteCount)
            let key = try unsafe SecretBytes(copying: reader.bytes(tableKeyByteCount))
            return .madeTableKey(MadeTableKey(wrapped: wrapped, key: key))
        case .openTableKey:
            return .openedTableKey(
                try unsafe SecretBytes(copying: reader.bytes(tableKeyByteCount)))
        case .seal, .rebind: return .sealed(unsafe [UInt8](reader.rest()))
        case .open: return .opened(try unsafe decodeRows(&reader))
        case .verify: return .verified(try unsafe decodeCodes(&reader))
        case .makePrivateKey:
            let publicKey = try unsafe reader.array(PrivateKeyLayout.publicKeyByteCount)
            return .madePrivateKey(publicKey: publicKey, sealed: unsafe [UInt8](reader.rest()))
        case .sign:
            return .signature(try unsafe reader.array(PrivateKeyLayout.signatureByteCount))
        case .agree:
            let bytes = try unsafe reader.bytes(PrivateKeyLayout.agreedByteCount)
            return .agreed(unsafe SecretBytes(copying: bytes))
        case .protectors: return .protectors(try unsafe ListedProtector.decodeAll(&reader))
        }
    }

    private static func decodeCodes(
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

    private static func decodeRows(
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
                .lastProtector, .tooManyProtectors:
                guard byteCount == 0 else { throw DecodingFailure() }
                rows.append(.failure(code))
            }
        }
        return rows
    }
}

extension EnclaveStatus {
    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        guard let state = EnclaveLockState(rawValue: try unsafe reader.u8()),
            let isPasscodeSet = Bool(wireByte: try unsafe reader.u8()),
            let deviceKey = DeviceKeyMaker(rawValue: try unsafe reader.u8()),
            let memory = EnclaveMemoryKind(rawValue: try unsafe reader.u8())
        else { throw DecodingFailure() }
        self.init(
            state: state, isPasscodeSet: isPasscodeSet, deviceKey: deviceKey, memory: memory,
            failedAttempts: try unsafe reader.u32(),
            secondsUntilNextAttempt: try unsafe reader.u32(),
            usableClasses: ProtectionClassSet(rawValue: try unsafe reader.u16()),
            existingClasses: ProtectionClassSet(rawValue: try unsafe reader.u16()),
            keybagGeneration: try unsafe reader.u32(), keybagUUID: try unsafe reader.array(16),
            lockCount: try unsafe reader.u32(), secondsUntilLocked: try unsafe reader.u32(),
            graceSeconds: try unsafe reader.u16(), eraseAfter: try unsafe reader.u8(),
            hasEscrow: try unsafe Self.flag(&reader), erasures: try unsafe reader.u32(),
            hasRecoveryCode: try unsafe Self.flag(&reader),
            registers: try unsafe Self.registers(&reader),
            erasesForUnidentified: try unsafe Self.flag(&reader),
            walls: try unsafe Self.walls(&reader),
            release: Release(number: try unsafe reader.u32()))
    }

    private static func walls(_ reader: inout ByteReader) throws(DecodingFailure) -> EnclaveWalls {
        guard let landlock = EnclaveWalls.Landlock(rawValue: try unsafe reader.u8()) else {
            throw DecodingFailure()
        }
        return EnclaveWalls(
            landlock: landlock, landlockVersion: try unsafe reader.u8(),
            filtersSystemCalls: try unsafe flag(&reader))
    }

    private static func registers(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> PlatformRegisters {
        guard let registers = PlatformRegisters(mask: try unsafe reader.u32()) else {
            throw DecodingFailure()
        }
        return registers
    }

    private static func flag(_ reader: inout ByteReader) throws(DecodingFailure) -> Bool {
        guard let flag = Bool(wireByte: try unsafe reader.u8()) else { throw DecodingFailure() }
        return flag
    }
}

extension Bool {
    fileprivate init?(wireByte: UInt8) {
        guard wireByte <= 1 else { return nil }
        self = wireByte == 1
    }
}
