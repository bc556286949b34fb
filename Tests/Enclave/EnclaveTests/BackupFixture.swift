// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import KeychainVocabulary
import SecretBytes

/// What tests of backups ask the enclave for.
extension EnclaveFixture {
    static let backupPassword = "a long password"
    static let owner = BackupCaller(isAdministrator: true, isIdentified: true)
    static let stranger = BackupCaller(isAdministrator: false, isIdentified: true)

    /// The passcode, empty for none, and the backup password.
    func backupLetter(
        _ operation: PasscodeOperation, _ values: [String], user: UInt32 = user
    ) -> [UInt8] {
        guard case .bytes(let nonce) = send(.challenge, user: user) else { return [] }
        let letter = Self.letter(
            operation, nonce: nonce, parts: values.map { Self.counted([UInt8]($0.utf8)) },
            key: enclave.publicKey, user: user)
        guard case .passcode(_, let key, let ciphertext, _, _) = letter else { return [] }
        return key + ciphertext
    }

    /// Carries out a request, with the derivations that it needs.
    func backup(
        _ request: BackupRequest, user: UInt32 = user
    ) -> Result<BackupReply, BackupFailure> {
        reply(to: enclave.handle(.backup(request), user: user))
    }

    private func reply(to answer: consuming EnclaveAnswer) -> Result<BackupReply, BackupFailure> {
        switch consume answer {
        case .deferred(let job): return reply(to: enclave.derivationFinished(derive(job)))
        case .reply(.backup(let reply)): return .success(reply)
        case .reply(.failure(let code)): return .failure(BackupFailure(code: code))
        case .reply(.locked): return .failure(BackupFailure(code: .locked))
        case .reply: return .failure(BackupFailure(code: .malformed))
        case .waiting: return .failure(BackupFailure(code: .malformed))
        case .ended: return .failure(BackupFailure(code: .malformed))
        }
    }

    /// - Returns: Why it failed; nil if it didn't.
    func setBackupPassword(
        _ password: String = backupPassword, passcode: String = "", _ caller: BackupCaller = owner
    ) -> EnclaveStatusCode? {
        let letter = backupLetter(.setBackupPassword, [passcode, password])
        return backup(.setPassword(letter: letter, caller)).code
    }

    var bag: [UInt8] {
        guard case .success(.bag(let bag)) = backup(.bag) else { return [] }
        return bag
    }

    func makeArchive() -> (keys: ArchiveKeys, key: [UInt8])? {
        guard case .success(.made(let keys, let key)) = backup(.makeArchive) else { return nil }
        return (keys, key.array)
    }

    func open(
        _ keys: ArchiveKeys, _ password: String = backupPassword, passcode: String = "",
        _ caller: BackupCaller = owner
    ) -> Result<(session: UInt32, key: [UInt8]), BackupFailure> {
        let letter = backupLetter(.openBackup, [passcode, password])
        return backup(.openArchive(keys, letter: letter, caller)).flatMap { reply in
            guard case .opened(let session, let key) = reply else {
                return .failure(BackupFailure(code: .malformed))
            }
            return .success((session, key.array))
        }
    }

    /// A secret sealed here, and its portable wrap.
    func exported(
        _ secret: [UInt8], _ protectionClass: ProtectionClass, context: UInt8 = 1
    ) -> (sealed: [UInt8], portable: [UInt8])? {
        guard case .bytes(let sealed) = seal(secret, protectionClass, context: context) else {
            return nil
        }
        return portable(sealed).map { (sealed, $0) }
    }

    func portable(_ sealed: [UInt8]) -> [UInt8]? {
        let count =
            BackupLayout.headByteCount + (sealed[0] == 4 ? BackupLayout.attachmentByteCount : 0)
        guard case .success(.wraps(let wraps)) = backup(.export([Array(sealed.prefix(count))]))
        else { return nil }
        return wraps.first
    }

    func restore(
        _ sealed: [UInt8], _ portable: [UInt8], _ protectionClass: ProtectionClass,
        session: UInt32, from: UInt8 = 1, to: UInt8 = 2
    ) -> RestoredSecret? {
        let secret = ArchivedSecret(
            sealed: sealed, portable: portable, from: Self.binding(protectionClass, from),
            to: Self.binding(protectionClass, to))
        guard case .success(.restored(let restored)) = backup(.restore(session: session, [secret]))
        else { return nil }
        return restored.first
    }
}

struct BackupFailure: Error, Equatable { let code: EnclaveStatusCode }

extension Result where Failure == BackupFailure {
    /// Why it failed.
    var code: EnclaveStatusCode? {
        if case .failure(let failure) = self { return failure.code }
        return nil
    }
}

extension RestoredSecret {
    var bytes: [UInt8]? { if case .sealed(let bytes) = self { bytes } else { nil } }

    var code: EnclaveStatusCode? { if case .failure(let code) = self { code } else { nil } }
}
