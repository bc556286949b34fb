// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import IPC
import KeychainVocabulary
import SecretBytes

/// One message of each kind, and functions with which tests read them.
enum WireSamples {
    static let context = [UInt8](repeating: 0xC0, count: 32)
    static let tableKey = TableKeyName(purpose: .blindIndex, protectionClass: .dku, generation: 7)
    static let status = EnclaveStatus(
        state: .locked, isPasscodeSet: true, deviceKey: .file, memory: .lockedMemory,
        failedAttempts: 3, secondsUntilNextAttempt: EnclaveStatus.never,
        usableClasses: ProtectionClassSet(.dk), existingClasses: ProtectionClassSet(.akpu),
        keybagGeneration: 9, keybagUUID: [UInt8](0..<16), lockCount: 5,
        secondsUntilLocked: 6, graceSeconds: 300, eraseAfter: 10, hasEscrow: true, erasures: 7,
        hasRecoveryCode: true, registers: registers, erasesForUnidentified: true,
        walls: EnclaveWalls(landlock: .stands, landlockVersion: 6, filtersSystemCalls: true),
        release: Release(number: 2_003_004))
    static let protectors = [
        ProtectorChoice(kind: .recoveryCode, name: ProtectorChoice.recoveryCodeName),
        ProtectorChoice(kind: .tpm, name: "boot.1", locksAfterwards: true, registers: registers),
    ].compactMap { $0 }.map { ListedProtector(choice: $0, created: 1_700_000_000, lastUsed: 3) }
    private static let registers = PlatformRegisters(mask: 0x85) ?? .none

    static func binding(_ protectionClass: ProtectionClass = .ck) -> SecretBinding {
        guard let binding = SecretBinding(protectionClass: protectionClass, context: context) else {
            preconditionFailure("a context of 32 bytes is accepted")
        }
        return binding
    }

    static func scope() -> AccessScope {
        guard let scope = AccessScope(context: context, origin: context) else {
            preconditionFailure("a scope of 32 and 32 bytes is accepted")
        }
        return scope
    }

    static let privateKey = SealedSecret(binding: binding(.aku), sealed: [20, 21, 22])

    static func secret(_ bytes: [UInt8]) -> SecretBytes {
        unsafe SecretBytes(byteCount: bytes.count) { room in
            unsafe room.copyBytes(from: bytes)
        }
    }

    static func request(_ kind: EnclaveMessageKind) -> EnclaveRequest {
        switch kind {
        case .status: .status
        case .challenge: .challenge
        case .passcode:
            .passcode(
                .change, encapsulatedKey: [UInt8](repeating: 1, count: 32), ciphertext: [2, 3, 4],
                isIdentified: true, isRoot: true)
        case .protectors: .protectors
        case .lock: .lock(.afterGrace)
        case .awaitLock: .awaitLock(after: 70_000)
        case .assertion: .assertion(.take(seconds: 60))
        case .makeTableKey: .makeTableKey(tableKey)
        case .openTableKey: .openTableKey(tableKey, wrapped: [UInt8](repeating: 5, count: 60))
        case .seal: .seal(SecretToSeal(binding: binding(), secret: secret([6, 7])))
        case .open:
            .open([
                SealedSecret(binding: binding(), sealed: [8, 9]),
                SealedSecret(binding: binding(.akpu), sealed: []),
            ])
        case .rebind: .rebind(from: binding(), to: binding(.aku), sealed: [10])
        case .verify: .verify([SealedSecret(binding: binding(.dku), sealed: [11, 12])])
        case .makePrivateKey: .makePrivateKey(binding(.aku))
        case .sign: .sign(digest: [UInt8](repeating: 13, count: 32), key: privateKey)
        case .agree: .agree(publicKey: [UInt8](repeating: 14, count: 65), key: privateKey)
        case .anchor: .anchor(5_000_000_000)
        case .bindAnchor: .bindAnchor(6_000_000_000)
        case .access:
            .access(.judge(scope(), .decrypt, [SealedSecret(binding: binding(), sealed: [23])]))
        case .keychain:
            .keychain(.create(number: 0x0102_0304, KeychainSettings(), letter: [UInt8](0..<40)))
        case .backup: .backup(backupRequests[0])
        }
    }

    static func reply(_ kind: EnclaveMessageKind) -> EnclaveReply {
        switch kind {
        case .status: .status(status)
        case .challenge: .challenge([UInt8](repeating: 1, count: 32))
        case .passcode: .done
        case .protectors: .protectors(protectors)
        case .lock: .locking(LockAnswer(seconds: 9, lockCount: 3))
        case .awaitLock:
            .lockEvent(
                LockEvent(
                    number: 70_001, userID: 1000, dropped: ProtectionClassSet(.ak), lockCount: 3))
        case .assertion: .assertion(token: 12)
        case .makeTableKey:
            .madeTableKey(
                MadeTableKey(
                    wrapped: [UInt8](repeating: 2, count: 60),
                    key: secret([UInt8](repeating: 3, count: 32))))
        case .openTableKey: .openedTableKey(secret([UInt8](repeating: 4, count: 32)))
        case .seal: .sealed([5, 6])
        case .open:
            .opened([
                .secret(Secret(secret([7, 8, 9]))), .locked(lockCount: 3), .failure(.undecodable),
            ])
        case .rebind: .sealed([10])
        case .verify: .verified([.success, .locked, .undecodable])
        case .makePrivateKey:
            .madePrivateKey(publicKey: [UInt8](repeating: 15, count: 65), sealed: [16, 17])
        case .sign: .signature([UInt8](repeating: 18, count: 64))
        case .agree: .agreed(secret([UInt8](repeating: 19, count: 32)))
        case .anchor: .anchored(5_000_000_001)
        case .bindAnchor: .anchored(6_000_000_001)
        case .access: .access(.judged([.personNeeded, .passwordNeeded, .accessRefused]))
        case .keychain:
            .keychain(
                .listed([
                    ListedKeychain(
                        number: 5, uuid: [UInt8](1...16), settings: KeychainSettings(),
                        isUnlocked: true)
                ]))
        case .backup: .backup(backupReplies[0])
        }
    }

    static let archiveKeys = ArchiveKeys(
        keybagUUID: [UInt8](1...16), userID: 1000, sealedKey: [UInt8](repeating: 24, count: 60),
        bag: [25, 26], wrappedKey: [UInt8](repeating: 27, count: 40))

    /// One of each kind; first one that tells its length.
    static let backupRequests: [BackupRequest] = [
        .restore(
            session: 7,
            [
                ArchivedSecret(
                    sealed: [33, 34], portable: [UInt8](repeating: 32, count: 72),
                    from: binding(), to: binding(.aku)),
                ArchivedSecret(sealed: [], portable: [], from: binding(), to: binding()),
            ]),
        .openArchive(
            archiveKeys, letter: [UInt8](0..<40),
            BackupCaller(isAdministrator: true, isIdentified: false)),
        .bag,
        .setPassword(
            letter: [UInt8](0..<40), BackupCaller(isAdministrator: false, isIdentified: true)),
        .removePassword(
            letter: [UInt8](0..<40), BackupCaller(isAdministrator: true, isIdentified: true)),
        .attach([[UInt8](repeating: 28, count: 44), [UInt8](repeating: 29, count: 44)]),
        .export([[UInt8](repeating: 28, count: 44), [UInt8](repeating: 29, count: 148)]),
        .attachKey(tableKey, wrapped: [UInt8](repeating: 30, count: 60)),
        .exportKey(tableKey, wrapped: [UInt8](repeating: 30, count: 60), attachment: []),
        .exportKey(
            tableKey, wrapped: [UInt8](repeating: 30, count: 60),
            attachment: [UInt8](repeating: 31, count: 104)),
        .makeArchive,
        .openKey(
            session: 7, tableKey, wrapped: [UInt8](repeating: 30, count: 60),
            portable: [UInt8](repeating: 32, count: 72)),
        .closeArchive(session: 7),
    ]

    /// One of each kind.
    static var backupReplies: [BackupReply] {
        [
            .restored([.sealed([35]), .failure(.undecodable)]), .bag([36, 37]), .done,
            .wraps([[], [UInt8](repeating: 32, count: 72), [UInt8](repeating: 31, count: 104)]),
            .made(archiveKeys, key: Secret(secret([UInt8](repeating: 38, count: 32)))),
            .opened(session: 7, key: Secret(secret([UInt8](repeating: 38, count: 32)))),
            .openedKey(Secret(secret([UInt8](repeating: 38, count: 32)))),
        ]
    }

    static func bytes(
        _ request: borrowing EnclaveRequest, requestID: UInt64 = 77, userID: UInt32 = 1000
    ) -> [UInt8] {
        var buffer = MessageBuffer()
        request.encode(requestID: requestID, userID: userID, into: &buffer)
        return unsafe buffer.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    static func bytes(
        _ reply: borrowing EnclaveReply, kind: EnclaveMessageKind, requestID: UInt64 = 77
    ) -> [UInt8] {
        var buffer = MessageBuffer()
        reply.encode(kind: kind.rawValue, requestID: requestID, userID: 1000, into: &buffer)
        return unsafe buffer.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    static func header(_ message: [UInt8]) throws -> EnclaveHeader {
        try unsafe message.withUnsafeBytes { bytes in
            var reader = unsafe ByteReader(bytes)
            return try unsafe EnclaveHeader(&reader)
        }
    }

    static func payload(_ message: [UInt8]) -> [UInt8] {
        [UInt8](message.dropFirst(EnclaveHeader.byteCount))
    }

    /// Decodes and encodes again; nil when it can't be decoded.
    static func recoded(request payload: [UInt8], _ kind: EnclaveMessageKind) -> [UInt8]? {
        unsafe payload.withUnsafeBytes { bytes in
            do {
                let request = try unsafe EnclaveRequest.decode(kind, payload: bytes)
                return Self.payload(Self.bytes(request))
            } catch {
                return nil
            }
        }
    }

    /// Decodes and encodes again; nil when it can't be decoded.
    static func recoded(
        reply payload: [UInt8], status: UInt16 = 0, _ kind: EnclaveMessageKind
    ) -> [UInt8]? {
        unsafe payload.withUnsafeBytes { bytes in
            do {
                let reply = try unsafe EnclaveReply.decode(kind, status: status, payload: bytes)
                return Self.payload(Self.bytes(reply, kind: kind))
            } catch {
                return nil
            }
        }
    }
}
