// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
package import KeychainVocabulary
package import SecretBytes

/// A secret to seal under an access control.
package struct GuardedSecret: Sendable {
    /// The binding.
    package let binding: SecretBinding
    /// The row's UUID, 16 bytes.
    package let uuid: [UInt8]
    /// What is demanded; its salt is ignored.
    package let control: AccessControl
    /// The secret.
    package let secret: Secret

    /// Combines the parts.
    package init(binding: SecretBinding, uuid: [UInt8], control: AccessControl, secret: Secret) {
        self.binding = binding
        self.uuid = uuid
        self.control = control
        self.secret = secret
    }
}

/// What a guarded secret is sealed with when it is sealed again.
package enum NewControl: Hashable, Sendable {
    /// The same access control, for the target's class.
    case same
    /// None.
    case removed
    /// Another one.
    case replaced(AccessControl)
}

/// A request about secrets with an access control. The layouts are in PROTOCOL.md, "Access control".
package enum AccessRequest: Sendable {
    /// Open 1 to 1024 secrets.
    case open(AccessScope, [SealedSecret])
    /// Seal a secret.
    case seal(AccessScope, GuardedSecret)
    /// Open a secret and seal it with another binding.
    case rebind(AccessScope, SealedSecret, to: SecretBinding, uuid: [UInt8], NewControl)
    /// Whether an operation on these rows is allowed; nothing is opened for it.
    case judge(AccessScope, AccessControl.Operation, [SealedSecret])
    /// The person's approval: a sealed letter, with the passcode or of a touch.
    case approve(AccessQuestion, letter: [UInt8], isIdentified: Bool, isTouch: Bool = false)
    /// A password of the application for this context: a sealed letter.
    case supply(AccessScope, letter: [UInt8])
    /// The context is over.
    case drop(AccessScope)
    /// Make or use a private key with an access control.
    case key(AccessScope, GuardedKeyRequest)
    /// The reader didn't know a finger: after a few of them fingers count for nothing.
    case miss
}

/// A reply to an ``AccessRequest``.
package enum AccessReply: Sendable {
    /// One row for each row of the request.
    case opened([OpenedRow])
    /// A sealed secret.
    case sealed([UInt8])
    /// One status for each row of the request.
    case judged([EnclaveStatusCode])
    /// Done.
    case done
    /// A new private key: its public half, 65 bytes, and the sealed key.
    case madeKey(publicKey: [UInt8], sealed: [UInt8])
    /// A signature, 64 bytes, or a shared secret, 32 bytes.
    case computed(Secret)
}

// MARK: - Decoding

extension AccessRequest {
    private enum Kind: UInt8 {
        case open = 1
        case seal = 2
        case rebind = 3
        case judge = 4
        case approve = 5
        case supply = 6
        case drop = 7
        case key = 8
        case miss = 9
    }

    /// The kind of reply that it gets.
    enum ReplyKind: UInt8 {
        case opened = 1
        case sealed = 2
        case judged = 3
        case done = 4
        case madeKey = 5
        case computed = 6
    }

    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        guard let kind = Kind(rawValue: try unsafe reader.u8()) else { throw DecodingFailure() }
        switch kind {
        case .open:
            self = .open(try unsafe AccessScope(&reader), try unsafe reader.sealedSecrets())
        case .seal: self = .seal(try unsafe AccessScope(&reader), try unsafe GuardedSecret(&reader))
        case .rebind:
            let scope = try unsafe AccessScope(&reader)
            let source = try unsafe SecretBinding(&reader)
            let target = try unsafe SecretBinding(&reader)
            let uuid = try unsafe reader.array(AccessSubject.uuidByteCount)
            let control = try unsafe NewControl(&reader)
            let sealed = unsafe [UInt8](reader.rest())
            self = .rebind(
                scope, SealedSecret(binding: source, sealed: sealed), to: target, uuid: uuid,
                control)
        case .judge:
            let scope = try unsafe AccessScope(&reader)
            guard let operation = AccessControl.Operation(rawValue: try unsafe reader.u8()) else {
                throw DecodingFailure()
            }
            self = .judge(scope, operation, try unsafe reader.sealedSecrets())
        case .approve:
            let identified = try unsafe reader.u8()
            guard identified <= 3 else { throw DecodingFailure() }
            let count = try unsafe Int(reader.u32())
            let question = try AccessQuestion(decoding: try unsafe reader.array(count))
            self = .approve(
                question, letter: try unsafe reader.letter(), isIdentified: identified & 1 != 0,
                isTouch: identified & 2 != 0)
        case .supply:
            let scope = try unsafe AccessScope(&reader)
            self = .supply(scope, letter: try unsafe reader.letter())
        case .drop: self = .drop(try unsafe AccessScope(&reader))
        case .key:
            self = .key(try unsafe AccessScope(&reader), try unsafe GuardedKeyRequest(&reader))
        case .miss: self = .miss
        }
    }
}

extension GuardedSecret {
    fileprivate init(_ reader: inout ByteReader) throws(DecodingFailure) {
        let binding = try unsafe SecretBinding(&reader)
        let uuid = try unsafe reader.array(AccessSubject.uuidByteCount)
        let control = try unsafe reader.accessControl()
        self.init(
            binding: binding, uuid: uuid, control: control,
            secret: Secret(unsafe SecretBytes(copying: reader.rest())))
    }
}

extension NewControl {
    fileprivate init(_ reader: inout ByteReader) throws(DecodingFailure) {
        switch try unsafe reader.u8() {
        case 0: self = .same
        case 1: self = .removed
        case 2: self = .replaced(try unsafe reader.accessControl())
        case _: throw DecodingFailure()
        }
    }
}

extension ByteReader {
    mutating func accessControl() throws(DecodingFailure) -> AccessControl {
        let count = try unsafe Int(u16())
        guard count <= AccessControl.byteCountLimit,
            let control = AccessControl(decoding: try unsafe array(count))
        else { throw DecodingFailure() }
        return control
    }

    fileprivate mutating func sealedSecrets() throws(DecodingFailure) -> [SealedSecret] {
        let count = try unsafe Int(u16())
        guard (1...SealedSecret.rowLimit).contains(count) else { throw DecodingFailure() }
        var rows: [SealedSecret] = []
        for _ in 0..<count {
            let binding = try unsafe SecretBinding(&self)
            let byteCount = try unsafe Int(u32())
            rows.append(SealedSecret(binding: binding, sealed: try unsafe array(byteCount)))
        }
        return rows
    }

    mutating func letter() throws(DecodingFailure) -> [UInt8] {
        let least = EnclaveRequest.encapsulatedKeyByteCount
        let most = least + EnclaveRequest.passcodeCiphertextLimit
        guard unsafe remaining > least, unsafe remaining <= most else { throw DecodingFailure() }
        return unsafe [UInt8](rest())
    }
}

// MARK: - Encoding

extension AccessRequest {
    func encode(into buffer: inout MessageBuffer) {
        switch self {
        case .open(let scope, let rows):
            buffer.u8(Kind.open.rawValue)
            buffer.append(scope)
            buffer.appendRows(rows)
        case .seal(let scope, let secret):
            buffer.u8(Kind.seal.rawValue)
            buffer.append(scope)
            buffer.append(secret.binding)
            buffer.bytes(secret.uuid)
            buffer.append(secret.control)
            buffer.bytes(secret.secret.bytes)
        case .rebind(let scope, let source, let target, let uuid, let control):
            buffer.u8(Kind.rebind.rawValue)
            buffer.append(scope)
            buffer.append(source.binding)
            buffer.append(target)
            buffer.bytes(uuid)
            buffer.append(control)
            buffer.bytes(source.sealed)
        case .judge(let scope, let operation, let rows):
            buffer.u8(Kind.judge.rawValue)
            buffer.append(scope)
            buffer.u8(operation.rawValue)
            buffer.appendRows(rows)
        case .approve(let question, let letter, let isIdentified, let isTouch):
            buffer.u8(Kind.approve.rawValue)
            buffer.u8((isIdentified ? 1 : 0) | (isTouch ? 2 : 0))
            let encoded = question.encoded
            buffer.u32(UInt32(truncatingIfNeeded: encoded.count))
            buffer.bytes(encoded)
            buffer.bytes(letter)
        case .supply(let scope, let letter):
            buffer.u8(Kind.supply.rawValue)
            buffer.append(scope)
            buffer.bytes(letter)
        case .drop(let scope):
            buffer.u8(Kind.drop.rawValue)
            buffer.append(scope)
        case .key(let scope, let request):
            buffer.u8(Kind.key.rawValue)
            buffer.append(scope)
            buffer.append(request)
        case .miss: buffer.u8(Kind.miss.rawValue)
        }
    }
}

extension MessageBuffer {
    fileprivate mutating func append(_ scope: AccessScope) {
        bytes(scope.context)
        bytes(scope.origin)
    }

    mutating func append(_ control: AccessControl) {
        let encoded = control.encoded
        u16(UInt16(truncatingIfNeeded: encoded.count))
        bytes(encoded)
    }

    fileprivate mutating func append(_ control: NewControl) {
        switch control {
        case .same: u8(0)
        case .removed: u8(1)
        case .replaced(let control):
            u8(2)
            append(control)
        }
    }

    fileprivate mutating func appendRows(_ rows: [SealedSecret]) {
        u16(UInt16(truncatingIfNeeded: rows.count))
        for row in rows {
            append(row.binding)
            u32(UInt32(truncatingIfNeeded: row.sealed.count))
            bytes(row.sealed)
        }
    }
}

// MARK: - Replies

extension AccessReply {
    /// Reads the payload of a reply: u8 kind, then what it has.
    static func decode(_ reader: inout ByteReader) throws(DecodingFailure) -> AccessReply {
        guard let kind = AccessRequest.ReplyKind(rawValue: try unsafe reader.u8()) else {
            throw DecodingFailure()
        }
        switch kind {
        case .opened: return .opened(try unsafe EnclaveReply.decodeRows(&reader))
        case .sealed: return .sealed(unsafe [UInt8](reader.rest()))
        case .judged: return .judged(try unsafe EnclaveReply.decodeCodes(&reader))
        case .done: return .done
        case .madeKey:
            let publicKey = try unsafe reader.array(PrivateKeyLayout.publicKeyByteCount)
            return .madeKey(publicKey: publicKey, sealed: unsafe [UInt8](reader.rest()))
        case .computed:
            return .computed(Secret(unsafe SecretBytes(copying: reader.rest())))
        }
    }

    func encode(into buffer: inout MessageBuffer) {
        switch self {
        case .opened(let rows):
            buffer.u8(AccessRequest.ReplyKind.opened.rawValue)
            buffer.append(rows)
        case .sealed(let sealed):
            buffer.u8(AccessRequest.ReplyKind.sealed.rawValue)
            buffer.bytes(sealed)
        case .judged(let codes):
            buffer.u8(AccessRequest.ReplyKind.judged.rawValue)
            buffer.append(codes)
        case .done: buffer.u8(AccessRequest.ReplyKind.done.rawValue)
        case .madeKey(let publicKey, let sealed):
            buffer.u8(AccessRequest.ReplyKind.madeKey.rawValue)
            buffer.bytes(publicKey)
            buffer.bytes(sealed)
        case .computed(let result):
            buffer.u8(AccessRequest.ReplyKind.computed.rawValue)
            buffer.bytes(result.bytes)
        }
    }
}

// MARK: - Calls

extension EnclaveClient {
    /// Opens secrets with an access control.
    /// - Returns: For each row the secret, or why there is none.
    /// - Throws: when the whole call fails.
    package mutating func open(
        _ rows: [SealedSecret], under scope: AccessScope, userID: UInt32
    ) throws(EnclaveCallError) -> [Result<Secret, EnclaveCallError>] {
        guard (1...SealedSecret.rowLimit).contains(rows.count),
            EnclaveRequest.payloadByteCount(rows) + 128 <= EnclaveHeader.payloadLimit
        else { throw .malformed }
        switch try access(.open(scope, rows), userID) {
        case .opened(let opened):
            guard opened.count == rows.count else { throw link.broken() }
            return opened.map(\.result)
        case .sealed, .judged, .done, .madeKey, .computed: throw link.broken()
        }
    }

    /// Seals a secret under an access control.
    package mutating func seal(
        _ secret: GuardedSecret, under scope: AccessScope, userID: UInt32
    ) throws(EnclaveCallError) -> [UInt8] {
        guard secret.secret.bytes.byteCount <= EnclaveHeader.payloadLimit - 1024 else {
            throw .malformed
        }
        return try sealed(try access(.seal(scope, secret), userID))
    }

    /// Seals a guarded secret again; the plain secret stays in enclaved.
    package mutating func rebind(
        _ row: SealedSecret, to target: SecretBinding, uuid: [UInt8], _ control: NewControl,
        under scope: AccessScope, userID: UInt32
    ) throws(EnclaveCallError) -> [UInt8] {
        guard row.sealed.count <= EnclaveHeader.payloadLimit - 1024 else { throw .malformed }
        return try sealed(
            try access(.rebind(scope, row, to: target, uuid: uuid, control), userID))
    }

    /// Whether an operation on guarded rows is allowed: nil for each row where it is.
    package mutating func judge(
        _ operation: AccessControl.Operation, _ rows: [SealedSecret], under scope: AccessScope,
        userID: UInt32
    ) throws(EnclaveCallError) -> [EnclaveCallError?] {
        switch try access(.judge(scope, operation, rows), userID) {
        case .judged(let codes):
            guard codes.count == rows.count else { throw link.broken() }
            return codes.map { $0 == .success ? nil : EnclaveCallError($0) }
        case .opened, .sealed, .done, .madeKey, .computed: throw link.broken()
        }
    }

    /// Brings the person's approval.
    /// - Throws: as a passcode, and `accessRefused` for a letter that approves something else.
    package mutating func approve(
        _ question: AccessQuestion, letter: [UInt8], userID: UInt32, isIdentified: Bool,
        isTouch: Bool = false
    ) throws(EnclaveCallError) {
        try finish(
            .approve(question, letter: letter, isIdentified: isIdentified, isTouch: isTouch),
            userID)
    }

    /// Says that the reader didn't know a finger.
    /// - Throws: `accessRefused` when fingers count for nothing, from now on or already before.
    package mutating func noteMiss(userID: UInt32) throws(EnclaveCallError) {
        try finish(.miss, userID)
    }

    /// Brings a password of the application.
    package mutating func supply(
        _ letter: [UInt8], under scope: AccessScope, userID: UInt32
    ) throws(EnclaveCallError) {
        try finish(.supply(scope, letter: letter), userID)
    }

    /// Ends a context.
    package mutating func drop(
        _ scope: AccessScope, userID: UInt32
    ) throws(EnclaveCallError) { try finish(.drop(scope), userID) }

    private mutating func finish(
        _ request: AccessRequest, _ userID: UInt32
    ) throws(EnclaveCallError) {
        switch try access(request, userID) {
        case .done: return
        case .opened, .sealed, .judged, .madeKey, .computed: throw link.broken()
        }
    }

    mutating func access(
        _ request: AccessRequest, _ userID: UInt32
    ) throws(EnclaveCallError) -> AccessReply {
        let milliseconds: Int? =
            if case .approve = request { Self.passcodeDeadlineMilliseconds } else { nil }
        switch try call(.access(request), userID: userID, milliseconds: milliseconds) {
        case .access(let reply): return reply
        case let reply: throw link.unexpected(reply)
        }
    }

    private mutating func sealed(_ reply: AccessReply) throws(EnclaveCallError) -> [UInt8] {
        switch reply {
        case .sealed(let sealed): return sealed
        case .opened, .judged, .done, .madeKey, .computed: throw link.broken()
        }
    }
}
