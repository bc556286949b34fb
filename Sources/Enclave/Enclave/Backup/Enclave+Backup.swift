// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import IPC
import KeychainVocabulary
import SecretBytes

/// What is to be done with a backup once the owner has proven to be there.
enum BackupOrder {
    case setPassword
    case removePassword
    case open(ArchiveKeys)
}

/// A request about backups that waits for a derivation from the backup password.
struct PendingBackup {
    enum Stage {
        case making
        case opening(ArchiveKeys, BackupBag)
    }

    let keybag: UserKeybag
    let stage: Stage
    let salt: [UInt8]
}

// A wrong backup password isn't counted: it isn't the device's. Each guess costs a derivation, and one
// is made at a time.
extension Enclave {
    mutating func answer(
        _ request: BackupRequest, _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveAnswer {
        try checkBackup(keybag)
        switch request {
        case .bag: return .reply(.backup(.bag(keybag.backup.stored?.bag.bytes ?? [])))
        case .setPassword(let letter, let caller):
            return try begin(
                .setPassword, .setBackupPassword, letter, caller, keybag)
        case .removePassword(let letter, let caller):
            guard keybag.backup.stored != nil || keybag.keybag.backupDigest != nil else {
                throw .status(.wrongState)
            }
            return try begin(
                .removePassword, .removeBackupPassword, letter, caller, keybag)
        case .openArchive(let keys, let letter, let caller):
            // A passcode would unlock: a locked device restores nothing.
            guard keybag.hasProtectorsKeys else { throw .status(.locked) }
            return try begin(
                .open(keys), .openBackup, letter, caller, keybag)
        case .attach(let heads):
            return .reply(
                .backup(
                    .wraps(
                        try heads.map { (head) throws(Refusal) in
                            try attach(head, keybag)
                        })))
        case .export(let heads):
            return .reply(
                .backup(
                    .wraps(
                        try heads.map { (head) throws(Refusal) in
                            try export(head, keybag)
                        })))
        case .attachKey(let name, let wrapped):
            return .reply(.backup(.wraps([try attachKey(name, wrapped, keybag)])))
        case .exportKey(let name, let wrapped, let attachment):
            return .reply(.backup(.wraps([try exportKey(name, wrapped, attachment, keybag)])))
        case .makeArchive: return .reply(.backup(try makeArchive(keybag)))
        case .openKey(let session, let name, let wrapped, let portable):
            let archive = try archive(session, keybag)
            let key = try openKey(archive, name, wrapped, portable, keybag)
            return .reply(.backup(.openedKey(key)))
        case .restore(let session, let secrets):
            let archive = try archive(session, keybag)
            return .reply(.backup(.restored(secrets.map { restore($0, archive, keybag) })))
        case .closeArchive(let session):
            archives.close(session, of: keybag.user)
            return .reply(.backup(.done))
        }
    }

    // MARK: - The owner's word

    private mutating func begin(
        _ order: BackupOrder, _ operation: PasscodeOperation, _ sealed: [UInt8],
        _ caller: BackupCaller, _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveAnswer {
        let split = EnclaveRequest.encapsulatedKeyByteCount
        guard sealed.count > split else { throw .status(.malformed) }
        var letter = try passcodes.open(
            operation, encapsulatedKey: Array(sealed[..<split]),
            ciphertext: Array(sealed[split...]),
            user: keybag.user, now: clock())
        letter.backup = order
        guard let protection = keybag.keybag.passcode else {
            guard caller.isAdministrator else { throw .status(.administratorNeeded) }
            return try proceed(letter, keybag)
        }
        return .deferred(
            try judge(letter, operation, protection, isIdentified: caller.isIdentified, keybag))
    }

    /// The owner is there.
    mutating func proceed(
        _ letter: PasscodeLetter, _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveAnswer {
        switch letter.backup {
        case nil: throw .status(.malformed)
        case .setPassword:
            guard let password = letter.newPasscode, let parameters = BackupBag.parameters else {
                throw .status(.malformed)
            }
            let random = SecretBytes.random(byteCount: Keybag.PasscodeProtection.saltByteCount)
            return .deferred(
                begin(
                    .making, password, parameters,
                    salt: unsafe random.withUnsafeBytes { unsafe [UInt8]($0) }, keybag))
        case .removePassword:
            try put(nil as StoredBag?, keybag)
            return .reply(.backup(.done))
        case .open(let keys): return try open(keys, letter.newPasscode, keybag)
        }
    }

    private mutating func begin(
        _ stage: PendingBackup.Stage, _ password: Secret, _ parameters: DerivationParameters,
        salt: [UInt8], _ keybag: UserKeybag
    ) -> DerivationJob {
        passcodes.begin(PendingBackup(keybag: keybag, stage: stage, salt: salt))
        return DerivationJob(cost: .given(parameters), salt: salt, passcode: password)
    }

    /// Continues when the backup password is derived.
    mutating func backupDerived(
        _ finished: PendingBackup, _ outcome: consuming DerivationOutcome
    ) throws(Refusal) -> EnclaveAnswer {
        let keybag = finished.keybag
        guard case .derived(let derived, let parameters) = outcome else {
            notify(.derivationFailed(user: keybag.user))
            throw .status(.busy)
        }
        // Everything of the user was erased meanwhile.
        guard keybags[keybag.user] === keybag else { throw .status(.stateNotWritten) }
        switch finished.stage {
        case .making:
            let classKey = try classKey(.dku, keybag)
            guard
                let made = BackupBag.make(
                    derived: derived, salt: finished.salt, parameters: parameters),
                let stored = StoredBag(
                    made.bag, archiveKey: made.archiveKey, classKey: classKey, user: keybag.user)
            else { throw .status(.stateNotWritten) }
            try put(stored, keybag)
            return .reply(.backup(.done))
        case .opening(let keys, let bag):
            guard let opened = bag.open(derived: derived) else { throw .status(.wrongPasscode) }
            let key = unsafe keys.wrappedKey.withUnsafeBytes {
                unsafe Cryptography.unwrap($0, using: opened.archiveKey.bytes.symmetricKey())
            }
            guard let key else { throw .status(.undecodable) }
            // A lock came meanwhile.
            guard keybag.hasProtectorsKeys else { throw .status(.locked) }
            let opening: ArchiveOpening =
                keys.keybagUUID == keybag.keybag.uuid
                ? .both(opened.privateKeys) : .bag(opened.privateKeys)
            return openedArchive(keys, opening, Secret(key), keybag)
        }
    }

    // MARK: - Archives

    private static let archiveLabel = [UInt8]("llavero.backup-archive.1".utf8)

    private static func archiveData(_ keybag: UserKeybag) -> [UInt8] {
        var data = archiveLabel + keybag.keybag.uuid
        data.append(littleEndian: keybag.user)
        return data
    }

    private func makeArchive(_ keybag: UserKeybag) throws(Refusal) -> BackupReply {
        let classKey = try classKey(.dku, keybag)
        let key = Secret(.random(byteCount: BackupLayout.keyByteCount))
        let wrappingKey = Cryptography.derive(
            from: classKey.bytes.symmetricKey(), info: Self.archiveLabel)
        guard
            let sealed = Cryptography.seal(
                key.bytes, using: wrappingKey, authenticating: Self.archiveData(keybag))
        else { throw .status(.undecodable) }
        var keys = ArchiveKeys(
            keybagUUID: keybag.keybag.uuid, userID: keybag.user, sealedKey: sealed, bag: [],
            wrappedKey: [])
        if let stored = keybag.backup.stored {
            guard let archiveKey = stored.archiveKey(classKey: classKey, user: keybag.user),
                let wrapped = Cryptography.wrap(
                    key.bytes.symmetricKey(), using: archiveKey.bytes.symmetricKey())
            else { throw .status(.undecodable) }
            keys.bag = stored.bag.bytes
            keys.wrappedKey = wrapped
        }
        return .made(keys, key: key)
    }

    private mutating func open(
        _ keys: ArchiveKeys, _ password: Secret?, _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveAnswer {
        guard let password, password.bytes.byteCount > 0, !keys.bag.isEmpty else {
            // Without the password it opens on the device that made it.
            guard keys.keybagUUID == keybag.keybag.uuid, keys.userID == keybag.user else {
                throw .status(keys.bag.isEmpty ? .undecodable : .wrongPasscode)
            }
            let wrappingKey = Cryptography.derive(
                from: try classKey(.dku, keybag).bytes.symmetricKey(), info: Self.archiveLabel)
            guard
                let key = Cryptography.open(
                    keys.sealedKey, using: wrappingKey, authenticating: Self.archiveData(keybag))
            else { throw .status(.undecodable) }
            return openedArchive(keys, .sameKeybag, key, keybag)
        }
        guard let bag = try? BackupBag(keys.bag) else { throw .status(.undecodable) }
        return .deferred(
            begin(.opening(keys, bag), password, bag.parameters, salt: bag.salt, keybag))
    }

    private mutating func openedArchive(
        _ keys: ArchiveKeys, _ opening: ArchiveOpening, _ key: Secret, _ keybag: UserKeybag
    ) -> EnclaveAnswer {
        let session = archives.open(
            opening, of: keys.userID, for: keybag.user, now: clock())
        return .reply(.backup(.opened(session: session, key: key)))
    }

    private func archive(
        _ session: UInt32, _ keybag: UserKeybag
    ) throws(Refusal) -> OpenArchive {
        guard let archive = archives.archive(session, of: keybag.user, now: clock()) else {
            throw .status(keybag.hasProtectorsKeys ? .staleChallenge : .locked)
        }
        return archive
    }
}
