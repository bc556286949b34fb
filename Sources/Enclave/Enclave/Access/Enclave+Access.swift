// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import KeychainVocabulary
import SecretBytes

/// A request that waits until a key is derived from the application's password.
struct PendingAccess {
    let request: AccessRequest
    let keybag: UserKeybag
    let context: AccessContexts.Context
    let salt: [UInt8]
}

// Secrets with an access control. What securityd says is believed only about who asks; what was
// proven, enclaved knows itself.
extension Enclave {
    /// Whether the deriver works for a request; it does one job at a time.
    var isDeriving: Bool { passcodes.isDeriving }

    mutating func answer(
        _ request: AccessRequest, _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveAnswer {
        switch request {
        case .open(let scope, let rows):
            return try withPasswordKeys(request, scope, rows, keybag) { (enclave, context) in
                .opened(rows.map { enclave.open($0, context, .decrypt, keybag) })
            }
        case .judge(let scope, let operation, let rows):
            guard operation == .decrypt else {
                let context = try contexts.context(scope, user: keybag.user)
                return .reply(
                    .access(
                        .judged(rows.map { verdict(operation, $0, context, keybag).statusCode })))
            }
            return try withPasswordKeys(request, scope, rows, keybag) { (enclave, context) in
                .judged(rows.map { enclave.open($0, context, operation, keybag).statusCode })
            }
        case .seal(let scope, let secret):
            var control = judge(keybag).bound(secret.control)
            control.salt = control.demandsPassword ? Self.randomSalt() : []
            return try seal(
                scope,
                GuardedSecret(
                    binding: secret.binding, uuid: secret.uuid, control: control,
                    secret: secret.secret), keybag)
        case .rebind(let scope, let source, let target, let uuid, let change):
            return try rebind(
                scope, source, target, uuid, change.sealable(judge(keybag)), keybag)
        case .approve(let question, let letter, _, isTouch: true):
            return try approveByTouch(question, letter, keybag)
        case .approve(let question, let letter, let isIdentified, isTouch: false):
            return try approve(question, letter, isIdentified: isIdentified, keybag)
        case .supply(let scope, let letter):
            let opened = try open(letter, .supply, keybag)
            guard opened.digest == Array(SHA256.hash(data: scope.context)) else {
                throw .status(.accessRefused)
            }
            try contexts.make(scope, user: keybag.user).password = opened.passcode
            return .reply(.access(.done))
        case .miss:
            keybag.missCount = min(keybag.missCount + 1, UserKeybag.missLimit)
            guard judge(keybag).takesTouches, !keybag.isBiometryLockedOut else {
                throw .status(.accessRefused)
            }
            return .reply(.access(.done))
        case .drop(let scope):
            contexts.drop(scope, user: keybag.user)
            return .reply(.access(.done))
        case .key(let scope, .make(let binding, let unbound)):
            var control = judge(keybag).bound(unbound)
            control.salt = control.demandsPassword ? Self.randomSalt() : []
            return try makeKey(scope, binding, control, keybag)
        case .key(let scope, .sign(let digest, let key)):
            return try use(key, for: .sign, request, scope, keybag) { (number) throws(Refusal) in
                let signature = try Self.signature(of: digest, with: number)
                return Secret(
                    unsafe SecretBytes(byteCount: signature.count) {
                        unsafe $0.copyBytes(from: signature)
                    })
            }
        case .key(let scope, .agree(let publicKey, let key)):
            return try use(key, for: .computeKey, request, scope, keybag) {
                (number) throws(Refusal) in try Self.agreement(publicKey, with: number)
            }
        }
    }

    /// Continues a request whose key is derived.
    mutating func accessDerived(
        _ finished: PendingAccess, _ outcome: consuming DerivationOutcome
    ) throws(Refusal) -> EnclaveAnswer {
        guard case .derived(let key, _) = outcome else { throw .status(.busy) }
        finished.context.keep(key, salt: finished.salt)
        switch finished.request {
        // The salt of a new access control is chosen already.
        case .seal(let scope, let secret): return try seal(scope, secret, finished.keybag)
        case .rebind(let scope, let source, let target, let uuid, let change):
            return try rebind(scope, source, target, uuid, change, finished.keybag)
        case .key(let scope, .make(let binding, let control)):
            return try makeKey(scope, binding, control, finished.keybag)
        case let request: return try answer(request, finished.keybag)
        }
    }

    static func randomSalt() -> [UInt8] {
        unsafe SecretBytes.random(byteCount: AccessControl.saltByteCount).withUnsafeBytes {
            unsafe [UInt8]($0)
        }
    }
}

// MARK: - Opening

extension Enclave {
    func judge(_ keybag: UserKeybag) -> AccessJudge { AccessJudge(keybag.keybag.biometry) }

    /// The verdict on an operation on a row; a row without an access control allows everything.
    private func verdict(
        _ operation: AccessControl.Operation, _ row: SealedSecret,
        _ context: AccessContexts.Context?, _ keybag: UserKeybag
    ) -> AccessVerdict {
        guard GuardedSealing.isGuarded(row.sealed) else { return .allowed }
        guard let header = GuardedSealing.header(row.sealed, row.binding) else { return .refused }
        return verdict(operation, header, context, keybag)
    }

    func verdict(
        _ operation: AccessControl.Operation, _ header: GuardedSealing.Header,
        _ context: AccessContexts.Context?, _ keybag: UserKeybag
    ) -> AccessVerdict {
        guard let subject = header.subject else { return .refused }
        let grant = AccessContexts.Grant(operation: operation, subject: subject)
        return judge(keybag).verdict(
            on: operation, header.control, with: context?.grants[grant] ?? [])
    }

    private func open(
        _ row: SealedSecret, _ context: AccessContexts.Context?,
        _ operation: AccessControl.Operation, _ keybag: UserKeybag
    ) -> OpenedRow {
        do throws(Refusal) {
            return .secret(try secret(of: row, context, operation, keybag))
        } catch {
            guard error.statusCode != .locked else { return .locked(lockCount: keybag.lockCount) }
            return .failure(error.statusCode)
        }
    }

    private func secret(
        of row: SealedSecret, _ context: AccessContexts.Context?,
        _ operation: AccessControl.Operation, _ keybag: UserKeybag
    ) throws(Refusal) -> Secret {
        guard GuardedSealing.isGuarded(row.sealed) else {
            return try open(row.sealed, row.binding, keybag)
        }
        return try open(.secret, row, context, operation, keybag)
    }

    /// Opens what is sealed under an access control.
    func open(
        _ content: GuardedSealing.Content, _ row: SealedSecret,
        _ context: AccessContexts.Context?, _ operation: AccessControl.Operation,
        _ keybag: UserKeybag
    ) throws(Refusal) -> Secret {
        guard let header = GuardedSealing.header(row.sealed, row.binding) else {
            throw .status(.undecodable)
        }
        let verdict = verdict(operation, header, context, keybag)
        guard verdict != .refused else { throw .status(.accessRefused) }
        let classKey = try classKey(row.binding.protectionClass, keybag)
        guard verdict == .allowed else { throw .status(.personNeeded) }
        let passwordKey = try passwordKey(header.control, context)
        let secret = GuardedSealing.open(
            content, row.sealed, header, binding: row.binding, user: keybag.user,
            classKey: classKey, passwordKey: passwordKey)
        if let secret { return secret }
        guard header.control.demandsPassword else { throw .status(.undecodable) }
        // A wrong password can't be told from a damaged row. It doesn't stay in the context.
        context?.password = nil
        throw .status(.accessRefused)
    }

    /// - Throws: `passwordNeeded`.
    func passwordKey(
        _ control: AccessControl, _ context: AccessContexts.Context?
    ) throws(Refusal) -> Secret? {
        guard control.demandsPassword else { return nil }
        guard let key = context?.passwordKeys[control.salt] else { throw .status(.passwordNeeded) }
        return key
    }

    /// Whether each row is intact as far as that can be told without the person; nothing is opened.
    func verify(_ row: SealedSecret, _ keybag: UserKeybag) -> EnclaveStatusCode {
        guard GuardedSealing.isGuarded(row.sealed) else { return open(row, keybag).statusCode }
        guard let header = GuardedSealing.header(row.sealed, row.binding) else {
            return .undecodable
        }
        do throws(Refusal) {
            let classKey = try classKey(row.binding.protectionClass, keybag)
            guard !header.control.demandsPassword else { return .passwordNeeded }
            let secret = GuardedSealing.open(
                .secret, row.sealed, header, binding: row.binding, user: keybag.user,
                classKey: classKey,
                passwordKey: nil)
            return secret == nil ? .undecodable : .success
        } catch { return error.statusCode }
    }

    /// Answers once all keys that come from the context's password are derived.
    private mutating func withPasswordKeys(
        _ request: AccessRequest, _ scope: AccessScope, _ rows: [SealedSecret],
        _ keybag: UserKeybag,
        _ reply: (inout Enclave, AccessContexts.Context?) -> AccessReply
    ) throws(Refusal) -> EnclaveAnswer {
        let context = try contexts.context(scope, user: keybag.user)
        for row in rows {
            guard GuardedSealing.isGuarded(row.sealed),
                let header = GuardedSealing.header(row.sealed, row.binding),
                verdict(.decrypt, header, context, keybag) == .allowed
            else { continue }
            if let job = try derivation(for: header.control, context, request, keybag) {
                return .deferred(job)
            }
        }
        return .reply(.access(reply(&self, context)))
    }

    /// The job that derives what is missing; nil when nothing is, or no password was supplied.
    mutating func derivation(
        for control: AccessControl, _ context: AccessContexts.Context?, _ request: AccessRequest,
        _ keybag: UserKeybag
    ) throws(Refusal) -> DerivationJob? {
        guard control.demandsPassword, let context, let password = context.password,
            context.passwordKeys[control.salt] == nil
        else { return nil }
        guard !isDeriving else { throw .status(.busy) }
        passcodes.begin(
            PendingAccess(
                request: request, keybag: keybag, context: context, salt: control.salt))
        return DerivationJob(cost: .given(.floor), salt: control.salt, passcode: password)
    }
}

// MARK: - Sealing

extension NewControl {
    /// Bound, and with a fresh salt, if it is another access control.
    fileprivate func sealable(_ judge: AccessJudge) -> NewControl {
        guard case .replaced(let unbound) = self else { return self }
        var control = judge.bound(unbound)
        control.salt =
            control.demandsPassword
            ? unsafe SecretBytes.random(byteCount: AccessControl.saltByteCount).withUnsafeBytes {
                unsafe [UInt8]($0)
            } : []
        return .replaced(control)
    }
}

extension Enclave {
    private mutating func seal(
        _ scope: AccessScope, _ new: GuardedSecret, _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveAnswer {
        let context = try contexts.context(scope, user: keybag.user)
        let request = AccessRequest.seal(scope, new)
        try admit(new.control, new.uuid, context, keybag)
        if let job = try derivation(for: new.control, context, request, keybag) {
            return .deferred(job)
        }
        let sealed = try seal(
            new.secret, new.control, uuid: new.uuid, new.binding, context, keybag)
        return .reply(.access(.sealed(sealed)))
    }

    /// Whether an item with this access control may be stored.
    private func admit(
        _ control: AccessControl, _ uuid: [UInt8], _ context: AccessContexts.Context?,
        _ keybag: UserKeybag
    ) throws(Refusal) {
        try admit(control, keybag)
        let subject = AccessSubject(
            uuid: uuid, controlDigest: Array(SHA256.hash(data: control.encoded)))
        guard let subject else { throw .status(.malformed) }
        let grant = AccessContexts.Grant(operation: .encrypt, subject: subject)
        switch judge(keybag).verdict(
            on: .encrypt, control, with: context?.grants[grant] ?? [])
        {
        case .allowed: return
        case .unmet: throw .status(.personNeeded)
        case .refused: throw .status(.accessRefused)
        }
    }

    /// Whether what an access control names can be bound here.
    func admit(_ control: AccessControl, _ keybag: UserKeybag) throws(Refusal) {
        let judge = judge(keybag)
        guard !judge.canBind(control) else { return }
        throw .status(judge.lacksAcceptedSets(control) ? .setUnproven : .accessRefused)
    }

    private func seal(
        _ secret: Secret, _ control: AccessControl, uuid: [UInt8], _ binding: SecretBinding,
        _ context: AccessContexts.Context?, _ keybag: UserKeybag
    ) throws(Refusal) -> [UInt8] {
        let classKey = try classKey(binding.protectionClass, keybag)
        let sealed = GuardedSealing.seal(
            .secret, secret.bytes, control, uuid: uuid, binding: binding, user: keybag.user,
            classKey: classKey, passwordKey: try passwordKey(control, context))
        guard let sealed else { throw .status(.malformed) }
        return sealed
    }

    private mutating func rebind(
        _ scope: AccessScope, _ source: SealedSecret, _ target: SecretBinding, _ uuid: [UInt8],
        _ change: NewControl, _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveAnswer {
        let context = try contexts.context(scope, user: keybag.user)
        let request = AccessRequest.rebind(scope, source, to: target, uuid: uuid, change)
        let old = GuardedSealing.header(source.sealed, source.binding)
        if let old, verdict(.decrypt, old, context, keybag) == .allowed,
            let job = try derivation(for: old.control, context, request, keybag)
        {
            return .deferred(job)
        }
        // The target class first: an item must not be opened if it can't be sealed for it.
        _ = try classKey(target.protectionClass, keybag)
        var control: AccessControl?
        switch change {
        case .same:
            control = old?.control
            control?.protectionClass = target.protectionClass.rawValue
        case .removed: break
        case .replaced(let new):
            control = new
            try admit(new, uuid, context, keybag)
        }
        let secret = try secret(of: source, context, .decrypt, keybag)
        guard let control else {
            return .reply(.access(.sealed(try seal(secret.bytes, target, keybag))))
        }
        if let job = try derivation(for: control, context, request, keybag) {
            return .deferred(job)
        }
        return .reply(
            .access(.sealed(try seal(secret, control, uuid: uuid, target, context, keybag))))
    }
}

// MARK: - Approvals

extension Enclave {
    /// A passcode approval is good for the question whose digest is sealed with the passcode, with a
    /// nonce that is good once and for seconds. It is judged, counted and throttled like an unlock.
    private mutating func approve(
        _ question: AccessQuestion, _ sealed: [UInt8], isIdentified: Bool, _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveAnswer {
        guard !isDeriving else { throw .status(.busy) }
        guard let protection = keybag.keybag.passcode else { throw .status(.wrongState) }
        guard keybag.state == .unlocked else { throw .status(.locked) }
        _ = try contexts.context(question.scope, user: keybag.user)
        var letter = try open(sealed, .approve, keybag)
        guard letter.digest == Array(SHA256.hash(data: question.encoded)) else {
            throw .status(.accessRefused)
        }
        letter.question = question
        return .deferred(
            try judge(letter, .approve, protection, isIdentified: isIdentified, keybag))
    }

    /// A fingerprint was recognized: the agent proves by its key that it says so, and that the reader's
    /// daemon said so to it is all that it knows. That counts only where the owner has accepted it.
    private mutating func approveByTouch(
        _ question: AccessQuestion, _ sealed: [UInt8], _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveAnswer {
        guard keybag.state == .unlocked else { throw .status(.locked) }
        _ = try contexts.context(question.scope, user: keybag.user)
        let letter = try open(sealed, .approveByTouch, keybag)
        guard letter.digest == Array(SHA256.hash(data: question.encoded)), let touchKey,
            let touch = letter.touch,
            touch.isMade(with: touchKey.bytes, digest: letter.digest, userID: keybag.user)
        else { throw .status(.accessRefused) }
        guard judge(keybag).takesTouches, !keybag.isBiometryLockedOut else {
            throw .status(.accessRefused)
        }
        let proofs = judge(keybag).obtainable.subtracting(.passcode)
        keybag.missCount = 0
        try approved(question, proofs, keybag)
        return .reply(.access(.done))
    }

    /// The passcode of an approval was right, or a fingerprint counts.
    mutating func approved(
        _ question: AccessQuestion, _ proofs: AccessProofs, _ keybag: UserKeybag
    ) throws(Refusal) {
        let context = try contexts.make(question.scope, user: keybag.user)
        if context.grants.count + question.subjects.count > AccessContexts.grantLimit {
            context.grants = [:]
        }
        for subject in question.subjects {
            let grant = AccessContexts.Grant(operation: question.operation, subject: subject)
            context.grants[grant, default: []].formUnion(proofs)
        }
    }

    private mutating func open(
        _ letter: [UInt8], _ operation: PasscodeOperation, _ keybag: UserKeybag
    ) throws(Refusal) -> PasscodeLetter {
        let split = EnclaveRequest.encapsulatedKeyByteCount
        guard letter.count > split else { throw .status(.malformed) }
        return try passcodes.open(
            operation, encapsulatedKey: Array(letter[..<split]),
            ciphertext: Array(letter[split...]), user: keybag.user, now: clock())
    }
}

extension AccessVerdict {
    fileprivate var statusCode: EnclaveStatusCode {
        switch self {
        case .allowed: .success
        case .unmet: .personNeeded
        case .refused: .accessRefused
        }
    }
}
