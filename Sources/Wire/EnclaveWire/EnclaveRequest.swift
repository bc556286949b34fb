// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC
import KeychainVocabulary
package import SecretBytes

/// A secret with its binding.
package struct SecretToSeal: ~Copyable, Sendable {
    /// The binding.
    package let binding: SecretBinding
    /// The secret.
    package let secret: SecretBytes

    /// Combines the parts.
    package init(binding: SecretBinding, secret: consuming SecretBytes) {
        self.binding = binding
        self.secret = secret
    }
}

/// A request to enclaved, without its header.
///
/// The layouts are in the table of the protocol's documentation. Every layout has a fixed length or
/// contains its length, and remaining bytes are refused.
package enum EnclaveRequest: ~Copyable, Sendable {
    /// The byte count of an HPKE encapsulated key (Curve25519).
    package static let encapsulatedKeyByteCount = 32
    /// The byte count of a wrapped table key.
    package static let wrappedTableKeyByteCount = 60
    /// More than a nonce, two passcodes of 1024 bytes, their counts and a tag.
    package static let passcodeCiphertextLimit = 4096

    /// The keybag's state.
    case status
    /// A fresh nonce.
    case challenge
    /// A passcode, sealed with HPKE to enclaved's public key, and whether securityd has identified
    /// the program that sent it: a grade better than U. And whether root sent it.
    case passcode(
        PasscodeOperation, encapsulatedKey: [UInt8], ciphertext: [UInt8],
        isIdentified: Bool = false, isRoot: Bool = false)
    /// Lock.
    case lock(LockMode)
    /// Make a table key.
    case makeTableKey(TableKeyName)
    /// Open a wrapped table key.
    case openTableKey(TableKeyName, wrapped: [UInt8])
    /// Seal a secret.
    case seal(SecretToSeal)
    /// Open 1 to 1024 secrets.
    case open([SealedSecret])
    /// Open a secret with the binding `from` and seal it, under a fresh row key, with the binding
    /// `to`.
    case rebind(from: SecretBinding, to: SecretBinding, sealed: [UInt8])
    /// Wait for the event after this one; the header's user is ignored.
    case awaitLock(after: UInt32)
    /// Take or release an assertion.
    case assertion(LockAssertion)
    /// Open 1 to 1024 secrets and report for each whether it could be opened.
    case verify([SealedSecret])
    /// Make a private key on P-256.
    case makePrivateKey(SecretBinding)
    /// Sign a digest of 20 to 64 bytes.
    case sign(digest: [UInt8], key: SealedSecret)
    /// Agree on a secret with the owner of a public key, 65 bytes.
    case agree(publicKey: [UInt8], key: SealedSecret)
    /// Record a commit of the database, unless a later one is recorded; 0 only asks.
    case anchor(UInt64)
    /// The same, and increment the device key's counter if there is one, so that no earlier state
    /// of the enclave's files is valid.
    case bindAnchor(UInt64)
    /// List the protectors.
    case protectors

    /// The number on the wire.
    package var kind: EnclaveMessageKind {
        switch self {
        case .status: .status
        case .challenge: .challenge
        case .passcode: .passcode
        case .lock: .lock
        case .makeTableKey: .makeTableKey
        case .openTableKey: .openTableKey
        case .seal: .seal
        case .open: .open
        case .rebind: .rebind
        case .awaitLock: .awaitLock
        case .assertion: .assertion
        case .verify: .verify
        case .makePrivateKey: .makePrivateKey
        case .sign: .sign
        case .agree: .agree
        case .anchor: .anchor
        case .bindAnchor: .bindAnchor
        case .protectors: .protectors
        }
    }
}

// MARK: - Decoding

extension EnclaveRequest {
    /// Parses the payload of a request; a secret is read directly into its own pages.
    package static func decode(
        _ kind: EnclaveMessageKind, payload: UnsafeRawBufferPointer
    ) throws(DecodingFailure) -> EnclaveRequest {
        var reader = unsafe ByteReader(payload)
        let request = try unsafe decode(kind, &reader)
        try unsafe reader.finish()
        return request
    }

    private static func decode(
        _ kind: EnclaveMessageKind, _ reader: inout ByteReader
    ) throws(DecodingFailure) -> EnclaveRequest {
        switch kind {
        case .status: return .status
        case .challenge: return .challenge
        case .protectors: return .protectors
        case .lock:
            guard let mode = LockMode(rawValue: try unsafe reader.u8()) else {
                throw DecodingFailure()
            }
            return .lock(mode)
        case .awaitLock: return .awaitLock(after: try unsafe reader.u32())
        case .assertion: return .assertion(try unsafe LockAssertion(&reader))
        case .anchor: return .anchor(try unsafe reader.u64())
        case .bindAnchor: return .bindAnchor(try unsafe reader.u64())
        case .passcode: return try unsafe decodePasscode(&reader)
        case .makeTableKey: return .makeTableKey(try unsafe TableKeyName(&reader))
        case .openTableKey:
            let name = try unsafe TableKeyName(&reader)
            return .openTableKey(name, wrapped: try unsafe reader.array(wrappedTableKeyByteCount))
        case .seal:
            let binding = try unsafe SecretBinding(&reader)
            let secret = unsafe SecretBytes(copying: reader.rest())
            return .seal(SecretToSeal(binding: binding, secret: secret))
        case .open: return .open(try unsafe decodeRows(&reader))
        case .verify: return .verify(try unsafe decodeRows(&reader))
        case .makePrivateKey: return .makePrivateKey(try unsafe SecretBinding(&reader))
        case .sign: return try unsafe decodeSign(&reader)
        case .agree: return try unsafe decodeAgree(&reader)
        case .rebind:
            let source = try unsafe SecretBinding(&reader)
            let target = try unsafe SecretBinding(&reader)
            return .rebind(from: source, to: target, sealed: unsafe [UInt8](reader.rest()))
        }
    }

    private static func decodePasscode(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> EnclaveRequest {
        guard let operation = PasscodeOperation(rawValue: try unsafe reader.u8()) else {
            throw DecodingFailure()
        }
        let caller = try unsafe reader.u8()
        guard caller <= 3 else { throw DecodingFailure() }
        let encapsulatedKey = try unsafe reader.array(encapsulatedKeyByteCount)
        guard unsafe reader.remaining <= passcodeCiphertextLimit else { throw DecodingFailure() }
        let ciphertext = unsafe [UInt8](reader.rest())
        return .passcode(
            operation, encapsulatedKey: encapsulatedKey, ciphertext: ciphertext,
            isIdentified: caller & 1 != 0, isRoot: caller & 2 != 0)
    }

    private static func decodeRows(
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
}

extension LockAssertion {
    fileprivate init(_ reader: inout ByteReader) throws(DecodingFailure) {
        let operation = try unsafe reader.u8()
        let token = try unsafe reader.u32()
        let seconds = try unsafe reader.u16()
        switch operation {
        case 1 where token == 0 && AssertionBounds.seconds.contains(seconds):
            self = .take(seconds: seconds)
        case 2 where seconds == 0: self = .release(token: token)
        case _: throw DecodingFailure()
        }
    }
}

extension TableKeyName {
    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        guard let purpose = TableKeyPurpose(rawValue: try unsafe reader.u8()),
            let protectionClass = ProtectionClass(rawValue: try unsafe reader.u8())
        else { throw DecodingFailure() }
        self.init(
            purpose: purpose, protectionClass: protectionClass,
            generation: try unsafe reader.u32())
    }
}

extension SecretBinding {
    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        guard let protectionClass = ProtectionClass(rawValue: try unsafe reader.u8()),
            let binding = SecretBinding(
                protectionClass: protectionClass,
                context: try unsafe reader.array(Self.contextByteCount))
        else { throw DecodingFailure() }
        self = binding
    }
}

// MARK: - Encoding

extension EnclaveRequest {
    /// Writes the whole message.
    package borrowing func encode(
        requestID: UInt64, userID: UInt32, into buffer: inout MessageBuffer
    ) {
        buffer.begin(kind: kind.rawValue, requestID: requestID, userID: userID)
        switch self {
        case .status: break
        case .challenge: break
        case .protectors: break
        case .lock(let mode):
            buffer.u8(mode.rawValue)
        case .awaitLock(let event):
            buffer.u32(event)
        case .assertion(let assertion):
            buffer.append(assertion)
        case .passcode(
            let operation, let encapsulatedKey, let ciphertext, let isIdentified, let isRoot):
            buffer.u8(operation.rawValue)
            buffer.u8((isIdentified ? 1 : 0) | (isRoot ? 2 : 0))
            buffer.bytes(encapsulatedKey)
            buffer.bytes(ciphertext)
        case .makeTableKey(let name):
            buffer.append(name)
        case .openTableKey(let name, let wrapped):
            buffer.append(name)
            buffer.bytes(wrapped)
        case .seal(let row):
            buffer.append(row.binding)
            buffer.bytes(row.secret)
        case .open(let rows):
            buffer.append(rows)
        case .verify(let rows):
            buffer.append(rows)
        case .makePrivateKey(let binding):
            buffer.append(binding)
        case .sign(let digest, let key):
            buffer.appendSign(digest, key)
        case .agree(let publicKey, let key):
            buffer.appendAgree(publicKey, key)
        case .anchor(let commit):
            buffer.u64(commit)
        case .bindAnchor(let commit):
            buffer.u64(commit)
        case .rebind(let source, let target, let sealed):
            buffer.append(source)
            buffer.append(target)
            buffer.bytes(sealed)
        }
        buffer.finish()
    }

    /// Writes a whole `seal` message without owning the secret.
    package static func encodeSeal(
        _ binding: SecretBinding, secret: borrowing SecretBytes, requestID: UInt64,
        userID: UInt32, into buffer: inout MessageBuffer
    ) {
        buffer.begin(
            kind: EnclaveMessageKind.seal.rawValue, requestID: requestID, userID: userID,
            payload: 1 + SecretBinding.contextByteCount + secret.byteCount)
        buffer.append(binding)
        buffer.bytes(secret)
        buffer.finish()
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
    fileprivate mutating func append(_ assertion: LockAssertion) {
        switch assertion {
        case .take(let seconds):
            u8(1)
            u32(0)
            u16(seconds)
        case .release(let token):
            u8(2)
            u32(token)
            u16(0)
        }
    }

    fileprivate mutating func append(_ name: TableKeyName) {
        u8(name.purpose.rawValue)
        u8(name.protectionClass.rawValue)
        u32(name.generation)
    }

    fileprivate mutating func append(_ rows: [SealedSecret]) {
        u16(UInt16(truncatingIfNeeded: rows.count))
        for row in rows {
            append(row.binding)
            u32(UInt32(truncatingIfNeeded: row.sealed.count))
            bytes(row.sealed)
        }
    }

    mutating func append(_ binding: SecretBinding) {
        u8(binding.protectionClass.rawValue)
        bytes(binding.context)
    }
}
