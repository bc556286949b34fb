// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC
package import KeychainVocabulary
package import SecretBytes

// The messages between securityd and enclaved, by kind. Their parts, how those are laid out and the
// calls of securityd are in Calls/.

/// The kind of a request; its reply has the same.
package enum EnclaveMessageKind: UInt16, CaseIterable, Sendable {
    /// The keybag's state.
    case status = 1
    /// A nonce for a passcode.
    case challenge = 2
    /// A passcode to set, unlock with, change or remove.
    case passcode = 3
    /// Lock.
    case lock = 4
    /// Make a table key.
    case makeTableKey = 5
    /// Open a table key made earlier.
    case openTableKey = 6
    /// Seal one secret.
    case seal = 7
    /// Open secrets.
    case open = 8
    /// Seal a sealed secret again, for another class or context.
    case rebind = 9
    /// Wait until keys of any user are dropped.
    case awaitLock = 10
    /// Delay a lock, or stop delaying it.
    case assertion = 11
    /// Find out which secrets can be opened; none leaves enclaved.
    case verify = 12
    /// Make a private key, which leaves enclaved only sealed.
    case makePrivateKey = 13
    /// Sign with a private key.
    case sign = 14
    /// Agree on a secret with a private key.
    case agree = 15
    /// Record a commit of the database.
    case anchor = 16
    /// Record a commit of the database, and increment the device key's counter.
    case bindAnchor = 17
    /// List the protectors.
    case protectors = 18
    /// About secrets with an access control.
    case access = 19
    /// About keychains with a password of their own.
    case keychain = 20
    /// About backups.
    case backup = 21
}

// MARK: - Requests

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
    /// About secrets with an access control.
    case access(AccessRequest)
    /// About keychains with a password of their own.
    case keychain(KeychainRequest)
    /// About backups.
    case backup(BackupRequest)

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
        case .access: .access
        case .keychain: .keychain
        case .backup: .backup
        }
    }
}

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
        case .lock: return .lock(try unsafe LockMode(&reader))
        case .awaitLock: return .awaitLock(after: try unsafe reader.u32())
        case .assertion: return .assertion(try unsafe LockAssertion(&reader))
        case .anchor: return .anchor(try unsafe reader.u64())
        case .bindAnchor: return .bindAnchor(try unsafe reader.u64())
        case .access: return .access(try unsafe AccessRequest(&reader))
        case .keychain: return .keychain(try unsafe KeychainRequest(&reader))
        case .backup: return .backup(try unsafe BackupRequest(&reader))
        case .passcode: return try unsafe decodePasscode(&reader)
        case .makeTableKey: return .makeTableKey(try unsafe TableKeyName(&reader))
        case .openTableKey:
            let name = try unsafe TableKeyName(&reader)
            return .openTableKey(name, wrapped: try unsafe reader.array(wrappedTableKeyByteCount))
        case .seal: return .seal(try unsafe SecretToSeal(&reader))
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
}

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
            buffer.appendPasscode(
                operation, encapsulatedKey, ciphertext, isIdentified: isIdentified, isRoot: isRoot)
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
        case .access(let request):
            request.encode(into: &buffer)
        case .keychain(let request):
            request.encode(into: &buffer)
        case .backup(let request):
            request.encode(into: &buffer)
        case .rebind(let source, let target, let sealed):
            buffer.append(source)
            buffer.append(target)
            buffer.bytes(sealed)
        }
        buffer.finish()
    }
}

// MARK: - Replies

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
    /// About secrets with an access control.
    case access(AccessReply)
    /// About keychains with a password of their own.
    case keychain(KeychainReply)
    /// About backups.
    case backup(BackupReply)
}

/// enclaved's result of a request; the numbers are the wire's.
package enum EnclaveStatusCode: UInt16, CaseIterable, Sendable {
    /// Done.
    case success = 0
    /// The class key exists and is not usable now; the payload is a u32, the user's lock count.
    case locked = 1
    /// There is no key of that class.
    case classMissing = 2
    /// Sealed data can't be opened: its tag or its format is wrong.
    case undecodable = 3
    /// Another passcode than the current one.
    case wrongPasscode = 4
    /// Too early after wrong passcodes; the payload is a u32, the seconds to wait.
    case throttled = 5
    /// Too many wrong passcodes: none is tried any more.
    case disabled = 6
    /// The request doesn't have the layout of its kind.
    case malformed = 7
    /// Another passcode operation is under way.
    case busy = 8
    /// A passcode is already set, or none is.
    case wrongState = 9
    /// The nonce was used, has expired, or was never issued.
    case staleChallenge = 10
    /// The enclave's files can't be read or written; nothing has changed.
    case stateNotWritten = 11
    /// An empty passcode, or one over 1024 bytes.
    case passcodeUnacceptable = 12
    /// The device key is unreachable, or isn't the one of these files; nothing has changed.
    case deviceKeyUnavailable = 13
    /// Without a passcode, only root may do this, and the request isn't root's.
    case administratorNeeded = 14
    /// Another protector has this name.
    case nameTaken = 15
    /// No protector has this name.
    case noSuchProtector = 16
    /// Nothing else protects the keys: only removing the passcode removes it.
    case lastProtector = 17
    /// There are 16 protectors.
    case tooManyProtectors = 18
    /// The person must approve this first.
    case personNeeded = 19
    /// A password of the application must be supplied first.
    case passwordNeeded = 20
    /// The access control refuses this, or the approval isn't for it.
    case accessRefused = 21
    /// The provider of biometry doesn't prove its enrolled set, and the owner hasn't accepted that.
    case setUnproven = 22
    /// The keychain's key is not open now: it takes its password.
    case keychainLocked = 23
    /// The user has no keychain of this number: it was deleted, or never made.
    case noSuchKeychain = 24
    /// The user has a keychain of this number or UUID.
    case keychainExists = 25
    /// There are 1000 keychains, or 64 are unlocked.
    case tooManyKeychains = 26
}

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
            buffer.append(answer)
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
            buffer.append(made)
        case .openedTableKey(let key):
            buffer.bytes(key)
        case .sealed(let sealed):
            buffer.bytes(sealed)
        case .opened(let rows):
            buffer.append(rows)
        case .verified(let codes):
            buffer.append(codes)
        case .madePrivateKey(let publicKey, let sealed):
            buffer.bytes(publicKey)
            buffer.bytes(sealed)
        case .signature(let signature):
            buffer.bytes(signature)
        case .agreed(let secret):
            buffer.bytes(secret)
        case .protectors(let protectors):
            buffer.append(protectors)
        case .access(let reply):
            reply.encode(into: &buffer)
        case .keychain(let reply):
            reply.encode(into: &buffer)
        case .backup(let reply):
            reply.encode(into: &buffer)
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
        case .access: .success
        case .keychain: .success
        case .backup: .success
        }
    }
}

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
            .lastProtector, .tooManyProtectors, .personNeeded, .passwordNeeded,
            .accessRefused, .setUnproven, .keychainLocked, .noSuchKeychain, .keychainExists,
            .tooManyKeychains:
            return .failure(code)
        }
        switch kind {
        case .passcode: return .done
        case .lock: return .locking(try unsafe LockAnswer(&reader))
        case .awaitLock: return .lockEvent(try unsafe LockEvent(&reader))
        case .assertion: return .assertion(token: try unsafe reader.u32())
        case .anchor, .bindAnchor: return .anchored(try unsafe reader.u64())
        case .status: return .status(try unsafe EnclaveStatus(&reader))
        case .challenge: return .challenge(try unsafe reader.array(nonceByteCount))
        case .makeTableKey: return .madeTableKey(try unsafe MadeTableKey(&reader))
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
        case .access: return .access(try unsafe AccessReply.decode(&reader))
        case .keychain: return .keychain(try unsafe KeychainReply.decode(&reader))
        case .backup: return .backup(try unsafe BackupReply.decode(&reader))
        }
    }
}
