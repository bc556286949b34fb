// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import EnclaveWire
import KeychainVocabulary
import SecretBytes
import SecurityWire

/// What becomes of a request.
enum Handling {
    /// Send this reply.
    case reply(ServiceReply)
    /// Another thread replies.
    case later
    /// The connection receives changes from now on.
    case watch
}

/// How another thread replies.
struct LaterReply: Sendable {
    /// Sends the reply.
    let send: @Sendable (Result<ServiceReply, DaemonError>) -> Void
    /// The passcode was right, and opens something to the connection. Called before the reply is sent.
    let open: @Sendable (PasscodeOpening) -> Void
}

/// One thread's pipeline from a decoded request to its reply, or to the thread that replies. All
/// branches between the stages are here; the stages don't know each other.
final class RequestHandler {
    private let finds: FindRequests
    private let keys: ItemKeys
    private let journal: Journal
    private let sizes: SizeLog
    private let queues: Queues
    private let administration: Administration
    /// Whose secrets a client of a front has locked.
    private let secretLocks: SecretLocks?
    /// The maximum number of damaged databases in quarantine.
    private let keptFileCount: () -> Int
    private let onMachineTrustChange: @Sendable () -> Void
    private let onEnclaveGone: () -> Void

    init(
        finds: FindRequests, keys: ItemKeys, journal: Journal, sizes: SizeLog, queues: Queues,
        administration: Administration, secretLocks: SecretLocks? = nil,
        keptFileCount: @escaping () -> Int,
        onMachineTrustChange: @escaping @Sendable () -> Void = {},
        onEnclaveGone: @escaping () -> Void
    ) {
        self.finds = finds
        self.keys = keys
        self.journal = journal
        self.sizes = sizes
        self.queues = queues
        self.administration = administration
        self.secretLocks = secretLocks
        self.keptFileCount = keptFileCount
        self.onMachineTrustChange = onMachineTrustChange
        self.onEnclaveGone = onEnclaveGone
    }

    /// Carries out a request, or hands it to the thread that does.
    /// - Parameters:
    ///   - request: The request, with the program's own names of groups.
    ///   - client: Who made it.
    ///   - later: Makes the means to reply from another thread.
    /// - Returns: The reply, or who sends it.
    func handle(
        _ request: ClientRequest, of client: Client, later: () -> LaterReply
    ) -> Handling {
        let access = request.itemAccess.flatMap { $0.context.isEmpty ? nil : $0 }
        let presented = access.map { _ in request.presented(by: client.contexts.origin) }
        let stored = (presented ?? request).namingStoredGroups(client.identity.groupNames)
        let rule = (stored ?? request).rule
        let subject = AuditSubject(
            rule, from: client.caller, holding: client.identity.heldGroups)
        do throws(DaemonError) {
            guard let stored else {
                throw client.identity.restriction.refusalOfUnknownGroup
            }
            // Without room for its note, the request isn't begun.
            guard subject == nil || journal.hasRoom(of: client.identity.userID) else {
                throw .overloaded
            }
            return try begin(
                Turn(client: client, subject: subject, access: access), stored, rule, later)
        } catch {
            if let access { Self.note(error, access, client.contexts) }
            return refuse(error, subject, later)
        }
    }

    /// A connection has ended.
    func end(_ client: Client) {
        if let holder = client.leaseHolder { queues.leases.end(holder) }
        if let hold = client.hold {
            // There are no more of these than connections.
            queues.locks.add(
                DeviceJob(request: .release(hold), answer: { _ in }), of: client.requester,
                isBounded: false)
        }
    }

    /// Ends what has run out of time; called about once a second.
    func sweep(_ now: ContinuousClock.Instant) { queues.leases.sweep(now) }

    // MARK: - Dispatch

    /// Whose turn it is, and how the audit log records it.
    private struct Turn {
        let client: Client
        let subject: AuditSubject?
        /// The context that it names.
        let access: ItemAccess?

        var userID: UInt32 { client.identity.userID }
    }

    private func begin(
        _ turn: Turn, _ request: ClientRequest, _ rule: RequestRule, _ later: () -> LaterReply
    ) throws(DaemonError) -> Handling {
        do throws(DaemonError) {
            let authorized = try authorize(
                request, by: rule, for: turn.client, administration,
                device: { () throws(DaemonError) in DeviceFacts(try enclaveStatus(turn.userID)) },
                keychain: { (id) throws(DaemonError) in
                    try finds.keychain(id, of: turn.client.identity, administration).number
                })
            return try carryOut(turn, authorized, later)
        } catch {
            // After a client has seen a lock, no data is read with the dropped keys.
            if error == .locked { try keys.followLock(userID: turn.userID) }
            throw error
        }
    }

    private func carryOut(
        _ turn: Turn, _ request: consuming AuthorizedRequest, _ later: () -> LaterReply
    ) throws(DaemonError) -> Handling {
        switch request.take() {
        case .find(let query, let cursor, let scope):
            let page = try finds.page(query, cursor: cursor, scope)
            if let subject = turn.subject { journal.found(subject, page, query) }
            return .reply(page.reply)
        case .key(let request, let scope):
            return .reply(.key(try KeyRequests(keys).reply(to: request, scope)))
        case .deviceStatus:
            return .reply(.deviceStatus(try report(to: turn.client.identity)))
        case .identity: return .reply(.identity(CallerIdentity(turn.client.identity)))
        case .entitlements(let names):
            return .reply(.entitlements(turn.client.identity.entitlements.values(names)))
        case .renewLease(let token, let duration):
            guard let holder = turn.client.leaseHolder else { throw .leaseLost }
            try queues.leases.renew(token, for: duration, holder: holder)
            return .reply(.leased(token))
        case .giveBackLease(let token):
            if let holder = turn.client.leaseHolder {
                queues.leases.giveBack(token, holder: holder)
            }
            return .reply(.gaveBackLease)
        case .protectors(let userID): return .reply(try protectors(ofUser: userID))
        case .protectorChallenge(let userID):
            do throws(EnclaveCallError) {
                return .reply(.protectorNonce(try keys.enclave.challenge(userID: userID)))
            } catch { throw .enclave(error) }
        case .watch: return .watch
        case .findSecrets(let query, let cursor, let reach, let userID):
            let isLocked = !reach.isOfFront && areSecretsLocked(userID)
            let found = try finds.secrets(
                query, cursor: cursor, reach, userID: userID, isLocked: isLocked)
            if let subject = turn.subject {
                journal.found(subject, found.told, includesSecrets: query.wantsSecrets)
            }
            return .reply(.secrets(.found(found.rows, nextCursor: found.nextCursor)))
        case .secretLock(let action): return try answer(turn, action, later)
        case .write(let operation, let scope):
            guard !operation.changesSecrets || !areSecretsLocked(turn.userID) else {
                throw .secretsLocked
            }
            try write(turn, operation, scope, later())
        case .challenge:
            try added(
                queues.add(
                    ChallengeJob(userID: turn.userID, answer: later().send),
                    of: turn.client.requester))
        case .passcode(let request, let opening):
            if request.operation == .unlockByProtector {
                journal.noteUnlock(ofUser: request.userID)
            }
            try hand(turn, .passcode(request), opening: opening, later())
        case .lock(let mode, let waits, .caller):
            try hand(turn, .lock(.lock(mode, waits: waits, userID: turn.userID)), later())
        case .lock(let mode, let waits, .user(let userID)):
            try hand(turn, .lock(.lock(mode, waits: waits, userID: userID)), later())
        case .lock(_, _, .everybody): try hand(turn, .lock(.everybody), later())
        case .hold(let seconds):
            let hold = UnlockHold(userID: turn.userID)
            try hand(turn, .lock(.hold(hold, seconds: seconds)), later())
            turn.client.hold = hold
        case .takeLease(let name, let duration, let waiting):
            let holder = turn.client.leaseHolder ?? LeaseHolder()
            turn.client.leaseHolder = holder
            try queues.leases.take(
                name, for: duration, waiting: waiting, holder: holder,
                account: turn.client.requester.userID, answer: later().send)
        case .maintenance(let request): try maintain(turn, request, later())
        case .renameUser(let userID):
            guard let accounts = administration.accounts else { throw .invalidRequest }
            guard accounts.rename(userID) else { throw .enclave(.stateNotWritten) }
            journal.concluded(turn.subject, .success(.renamed)) {}
            return .reply(.protectorNonce([]))
        case .access(let call): try hand(turn, call, later())
        case .trust(let question, let scope, let identity):
            guard let trust = queues.trust else { throw .trustUnavailable }
            let job = TrustJob(question, identity, scope, answer: later().send)
            try added(queues.add(job, to: trust, of: turn.client.requester))
        case .transcode(let request):
            guard let transcoding = queues.transcoding else { throw .trustUnavailable }
            let job = TranscodingJob(request, answer: later().send)
            try added(queues.add(job, to: transcoding, of: turn.client.requester))
        case .keychains(let call, let identity): try hand(turn, call, identity, later())
        case .backup(let call, let identity, let caller):
            try hand(turn, call, identity, caller, later())
        case .auditPage(let query):
            readAudit(turn, query, later())
        }
        return .later
    }

    // MARK: - Fronts

    /// A program is a front from now on.
    func noteFront(_ client: Client) {
        journal.concluded(
            AuditSubject(client.caller, .front), .success(WriteResult(reply: .frontAdmitted))
        ) {}
    }

    /// Replies to a program that isn't the front that it says it is.
    func refuseFront(_ client: Client, later: () -> LaterReply) -> Handling {
        refuse(.notAFront, AuditSubject(client.caller, .front), later)
    }

    private func areSecretsLocked(_ userID: UInt32) -> Bool {
        secretLocks?.isLocked(userID) ?? false
    }

    /// Locks the user's secrets, or unlocks them: with a passcode, once the person has given it.
    private func answer(
        _ turn: Turn, _ action: SecretLockAction, _ later: () -> LaterReply
    ) throws(DaemonError) -> Handling {
        guard let secretLocks else { throw .invalidRequest }
        let userID = turn.userID
        func done() -> Handling {
            journal.concluded(
                turn.subject,
                .success(WriteResult(reply: .secrets(.lockState(isLocked: action == .lock))))
            ) {}
            return .reply(.secrets(.lockState(isLocked: secretLocks.isLocked(userID))))
        }
        switch action {
        case .ask: return .reply(.secrets(.lockState(isLocked: secretLocks.isLocked(userID))))
        case .lock:
            secretLocks.set(userID, locked: true)
            return done()
        case .unlock:
            guard try enclaveStatus(userID).isPasscodeSet else {
                secretLocks.set(userID, locked: false)
                return done()
            }
            try askToUnlock(turn, secretLocks, later())
            return .later
        }
    }

    private func askToUnlock(
        _ turn: Turn, _ secretLocks: SecretLocks, _ reply: LaterReply
    ) throws(DaemonError) {
        let contexts = turn.client.contexts
        let context = unsafe SecretBytes.random(byteCount: AccessScope.byteCount).withUnsafeBytes {
            unsafe [UInt8]($0)
        }
        guard let scope = AccessScope(context: context, origin: contexts.origin),
            let waiting = contexts.presence(scope, Self.unlockPurpose, .passcode)
        else { throw .nobodyToAsk }
        let (userID, requester) = (turn.userID, turn.client.requester)
        let answer: @Sendable (Result<ServiceReply, DaemonError>) -> Void = {
            [journal, subject = turn.subject] outcome in
            if case .success = outcome { secretLocks.set(userID, locked: false) }
            let isLocked = secretLocks.isLocked(userID)
            let result = outcome.map { _ in
                WriteResult(reply: .secrets(.lockState(isLocked: isLocked)))
            }
            journal.concluded(subject, result) { reply.send(result.map(\.reply)) }
        }
        let job = AccessJob(
            question: waiting.question, proof: waiting.proof, ways: waiting.ways,
            process: requester.process,
            isIdentified: turn.client.identity.grade != .unsigned,
            passcodeGiven: {}, userID: userID, answer: answer)
        try added(queues.add(job, of: requester))
    }

    /// What the person is shown.
    private static let unlockPurpose = "unlock the secrets of the desktop's programs"

    /// Replies to a request that isn't carried out.
    private func refuse(
        _ error: DaemonError, _ subject: AuditSubject?, _ later: () -> LaterReply
    ) -> Handling {
        if error == .enclave(.gone) { onEnclaveGone() }
        let reply = later()
        if journal.failed(subject, error, onceDurable: { reply.send(.failure(error)) }) {
            return .later
        }
        return .reply(.failed(Failure(error)))
    }

    // MARK: - Other threads

    private func write(
        _ turn: Turn, _ operation: any WriteOperation, _ scope: consuming ItemScope,
        _ reply: LaterReply
    ) throws(DaemonError) {
        if let stored = operation.stored {
            sizes.note(secretByteCount: stored.secret?.bytes.byteCount, stored.attributes)
        }
        let waiting = turn.access.map { ($0, turn.client.contexts) }
        let lease = operation.lease
        if let lease { try queues.leases.pin(lease, userID: scope.userID) }
        let changesTrust = scope.defaultGroup == ReservedGroup.machineTrust.rawValue
        let job = WriteJob(operation, scope) {
            [journal, queues, onMachineTrustChange, subject = turn.subject] outcome in
            if changesTrust, case .success = outcome { onMachineTrustChange() }
            if let (access, contexts) = waiting, case .failure(let error) = outcome {
                Self.note(error, access, contexts)
            }
            journal.concluded(subject, outcome) { reply.send(outcome.map(\.reply)) }
            if let lease { queues.leases.unpin(lease) }
        }
        guard queues.writes.add(.write(job), of: turn.client.requester) else {
            if let lease { queues.leases.unpin(lease) }
            throw .overloaded
        }
    }

    /// Notes what a failed request waits for, so that the person can be asked for it.
    private static func note(
        _ error: DaemonError, _ access: ItemAccess, _ contexts: ContextDesk
    ) {
        if case .approvalNeeded(let demand) = error { contexts.note(demand, access) }
    }

    private func hand(
        _ turn: Turn, _ call: AccessCall, _ reply: LaterReply
    ) throws(DaemonError) {
        let contexts = turn.client.contexts
        guard let scope = AccessScope(context: call.context, origin: contexts.origin) else {
            throw .invalidRequest
        }
        let provesOwner = if case .establish = call { true } else { false }
        let passcodeGiven: @Sendable () -> Void = {
            if provesOwner { reply.open(.ownersRequests) }
        }
        let answer: @Sendable (Result<ServiceReply, DaemonError>) -> Void = {
            [journal, subject = turn.subject] outcome in
            let result = outcome.map { WriteResult(reply: $0) }
            journal.concluded(subject, result) { reply.send(outcome) }
        }
        let requester = turn.client.requester
        func ask(_ waiting: ContextDesk.Waiting?) throws(DaemonError) -> Bool {
            guard let waiting else { throw .nobodyToAsk }
            let job = AccessJob(
                question: waiting.question, proof: waiting.proof, ways: waiting.ways,
                process: requester.process,
                isIdentified: turn.client.identity.grade != .unsigned,
                passcodeGiven: passcodeGiven, userID: turn.userID, answer: answer)
            return queues.add(job, of: requester)
        }
        func pass(_ work: ChallengeJob.Work) -> Bool {
            queues.add(
                ChallengeJob(work: work, userID: turn.userID, answer: answer), of: requester)
        }
        let isAdded: Bool
        switch call {
        case .ask(let context): isAdded = try ask(contexts.take(context))
        case .establish(_, let purpose, let proof):
            isAdded = try ask(contexts.presence(scope, purpose, PersonWays(proof)))
        case .supply(_, let sealed): isAdded = pass(.supply(scope, sealed: sealed))
        case .drop: isAdded = pass(.drop(scope))
        }
        try added(isAdded)
    }

    private func hand(
        _ turn: Turn, _ request: DeviceRequest, opening: PasscodeOpening? = nil,
        _ reply: LaterReply
    ) throws(DaemonError) {
        try added(
            queues.add(request, of: turn.client.requester) {
                [journal, subject = turn.subject] outcome in
                var outcome = outcome
                if let opening, case .success = outcome {
                    reply.open(opening)
                    if case .group = opening { outcome = .success(.openedGroup) }
                }
                let result = outcome.map { WriteResult(reply: $0) }
                journal.concluded(subject, result) { [outcome] in reply.send(outcome) }
            })
    }

    private func hand(
        _ turn: Turn, _ call: KeychainCall, _ identity: ClientIdentity, _ reply: LaterReply
    ) throws(DaemonError) {
        let job = KeychainJob(
            call: call, identity: identity, proven: turn.client.provenKeychains
        ) { [journal, subject = turn.subject] outcome in
            if let id = call.provenByPassword, case .success = outcome {
                reply.open(.keychain(id))
            }
            let result = outcome.map { WriteResult(reply: ServiceReply.keychains($0)) }
            journal.concluded(subject, result) { reply.send(result.map(\.reply)) }
        }
        try added(queues.add(job, of: turn.client.requester))
    }

    private func hand(
        _ turn: Turn, _ call: BackupCall, _ identity: ClientIdentity, _ caller: BackupCaller,
        _ reply: LaterReply
    ) throws(DaemonError) {
        let job = BackupJob(
            call: call, identity: identity, caller: caller, requester: turn.client.requester
        ) { [journal, subject = turn.subject] outcome in
            if case .prove = call, case .success = outcome { reply.open(.ownersDirectory) }
            let result = outcome.map { WriteResult(reply: ServiceReply.backup($0)) }
            journal.concluded(subject, result) { reply.send(result.map(\.reply)) }
        }
        try added(queues.add(job, of: turn.client.requester))
    }

    private func maintain(
        _ turn: Turn, _ request: MaintenanceRequest, _ reply: LaterReply
    ) throws(DaemonError) {
        let job = MaintenanceJob(request: request, userID: turn.userID) {
            [journal, subject = turn.subject] outcome in
            journal.concluded(subject, outcome) { reply.send(outcome.map(\.reply)) }
        }
        try added(queues.add(job, of: turn.client.requester))
    }

    /// The journal's thread writes the notes so far, and the maintenance thread reads them.
    private func readAudit(_ turn: Turn, _ query: AuditQuery, _ reply: LaterReply) {
        let (userID, requester) = (turn.userID, turn.client.requester)
        journal.flush(userID: userID) { [queues] written in
            let extent: AuditExtent?
            switch written {
            case .success(let end): extent = end
            case .failure(let failure): return reply.send(.failure(DaemonError(failure)))
            }
            let job = MaintenanceJob(
                request: .audit(query, upTo: extent), userID: userID
            ) { reply.send($0.map(\.reply)) }
            if !queues.add(job, of: requester) { reply.send(.failure(.overloaded)) }
        }
    }

    private func added(_ isAdded: Bool) throws(DaemonError) {
        guard isAdded else { throw .overloaded }
    }

    // MARK: - The device

    private func enclaveStatus(_ userID: UInt32) throws(DaemonError) -> EnclaveStatus {
        do { return try keys.enclave.status(userID: userID) } catch { throw .enclave(error) }
    }

    private func protectors(ofUser userID: UInt32) throws(DaemonError) -> ServiceReply {
        let status = try enclaveStatus(userID)
        do throws(EnclaveCallError) {
            let list = try keys.enclave.protectors(userID: userID)
            return .protectors(
                list.map(KeychainProtector.init),
                hasNoPasscode: !status.isPasscodeSet && status.state != .noPasscode)
        } catch { throw .enclave(error) }
    }

    private func report(to identity: ClientIdentity) throws(DaemonError) -> DeviceReport {
        let status = try enclaveStatus(identity.userID)
        try keys.followLock(userID: identity.userID)
        return DeviceReport(status, to: identity, keptFileCount: keptFileCount())
    }
}

extension KeychainCall {
    /// The keychain whose password it brings, if it is the right one.
    fileprivate var provenByPassword: KeychainID? {
        switch self {
        case .create(let id, _, _, _), .unlock(let id, _), .changePassword(let id, _): id
        case .list, .lock, .configure, .delete, .setSearchList, .setDefault: nil
        }
    }
}

extension KeychainProtector {
    fileprivate init(_ listed: ListedProtector) {
        let choice = listed.choice
        let kind: Kind =
            switch choice.kind {
            case .recoveryCode: .recoveryCode
            case .keyFile: .keyFile
            case .credential: .credential
            case .tpm: .tpm
            }
        self.init(
            kind: kind, name: choice.name, locksAfterwards: choice.locksAfterwards,
            registerMask: choice.registers.mask, created: listed.created,
            lastUsed: listed.lastUsed)
    }
}

extension PersonWays {
    fileprivate init(_ proof: PresenceProof) {
        switch proof {
        case .owner: self = .all
        case .biometry: self = .touch
        case .passcode: self = .passcode
        }
    }
}
