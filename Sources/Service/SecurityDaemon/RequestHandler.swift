// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import EnclaveWire
import IPC
import SecretBytes
import SecurityWire

/// How a request is answered.
enum RequestOutcome: ~Copyable {
    /// Answer it now.
    case reply(ServiceReply)
    /// The writer answers it.
    case write(AuthorizedRequest)
    /// The thread for challenges answers it.
    case challenge
    /// The thread for passcodes, or the one for locking, answers it.
    case device(DeviceRequest)
    /// The same, and after it has succeeded the connection also has this group.
    case openGroup(String, DeviceRequest)
    /// The thread for locking answers it; the assertion lasts as long as the connection.
    case hold(seconds: UInt16)
    /// The connection receives changes from now on.
    case watch
    /// The journal's thread answers it.
    case audit(AuditQuery)
    /// The table of leases answers it; a request to take one has a name.
    case takeLease(LeaseName, for: Duration, waiting: Duration)
    case renewLease(LeaseToken, for: Duration)
    case giveBackLease(LeaseToken)
    /// The maintenance thread answers it.
    case maintenance(MaintenanceRequest)
}

/// One thread's pipeline from a decoded request to its reply. All branches between the stages are
/// here; the stages don't know each other.
final class RequestHandler {
    private let finds: FindRequests
    private let keys: ItemKeys
    private let journal: Journal
    private let sizes: SizeLog
    /// The maximum number of damaged databases in quarantine.
    private let keptFileCount: () -> Int
    private let administration: Administration

    init(
        finds: FindRequests, keys: ItemKeys, journal: Journal, sizes: SizeLog,
        administration: Administration, keptFileCount: @escaping () -> Int
    ) {
        self.administration = administration
        self.keptFileCount = keptFileCount
        self.finds = finds
        self.keys = keys
        self.journal = journal
        self.sizes = sizes
    }

    /// Carries out a request, or says which thread does.
    func handle(
        _ request: ClientRequest, from identity: ClientIdentity, _ subject: AuditSubject?
    ) throws(DaemonError) -> RequestOutcome {
        // Without room for its note, the request isn't begun.
        guard subject == nil || journal.hasRoom else { throw .overloaded }
        do throws(DaemonError) { return try outcome(request, identity, subject) } catch {
            // After a client has seen a lock, no data is read with the dropped keys.
            if error == .locked { try keys.followLock(userID: identity.userID) }
            throw error
        }
    }

    private func outcome(
        _ request: ClientRequest, _ identity: ClientIdentity, _ subject: AuditSubject?
    ) throws(DaemonError) -> RequestOutcome {
        switch request {
        case .find(let query, let cursor):
            let authorized = try authorize(.find(query, cursor: cursor), for: identity)
            let page = try finds.page(query, cursor: cursor, request: authorized)
            if let subject { journal.found(subject, page, query) }
            return .reply(page.reply)
        case .add(let item, let write):
            try meet(item.demandedTier, identity)
            sizes.note(secretByteCount: item.secret?.bytes.byteCount, item.attributes)
            return .write(try authorize(.add(item, write), for: identity))
        case .update(let query, let changes, let write):
            sizes.note(secretByteCount: changes.secret?.bytes.byteCount, changes.attributes)
            return .write(try authorize(.update(query, changes, write), for: identity))
        case .delete(let query, let write):
            return .write(try authorize(.delete(query, write), for: identity))
        case .deviceStatus:
            return .reply(.deviceStatus(try status(identity)))
        case .challenge: return .challenge
        case .passcode(let operation, let sealed):
            guard let operation = PasscodeOperation(rawValue: operation) else {
                throw .invalidRequest
            }
            try administration.authorize(operation, of: identity.userID)
            return .device(
                .passcode(
                    PasscodeRequest(operation: operation, sealed: sealed, from: identity)))
        case .lock(let mode, let waits):
            return .device(
                .lock(.lock(LockMode(mode), waits: waits, userID: identity.userID)))
        case .assertion(let seconds):
            guard identity.restriction != .everything else { throw .noKeychain }
            return .hold(seconds: seconds)
        case .identity:
            return .reply(.identity(CallerIdentity(identity)))
        case .entitlements(let names):
            return .reply(.entitlements(identity.entitlements.values(names)))
        case .move(let move, let write):
            return .write(try authorize(.move(move, write), for: identity))
        case .openGroup(let group, let sealed):
            try authorizeOpening(group, for: identity)
            // The passcode proves that the person is present. enclaved judges it as for an unlock.
            return .openGroup(
                group,
                .passcode(
                    PasscodeRequest(operation: .unlock, sealed: sealed, from: identity)))
        // A connection that still has to prove its identity never gets here.
        case .prove: throw .invalidRequest
        case .watch:
            guard identity.restriction != .everything else { throw .noKeychain }
            guard !identity.accessGroups.isEmpty else { throw .groupNotHeld }
            return .watch
        case .auditPage(let query):
            return .audit(query)
        case .check(let cursor):
            guard identity.restriction != .everything else { throw .noKeychain }
            return .maintenance(.check(cursor: cursor))
        case .recover(let cursor):
            try authorizeRecovering(
                for: identity, isPasscodeSet: try enclaveStatus(identity).isPasscodeSet)
            return .maintenance(.recover(cursor: cursor))
        case .lease(let request): return try lease(request, identity)
        case .revoke(let requestID):
            return .write(try authorize(.revoke(requestID: requestID), for: identity))
        case .key(let request):
            return .reply(.key(try KeyRequests(keys).reply(to: request, from: identity)))
        }
    }

    private func lease(
        _ request: LeaseRequest, _ identity: ClientIdentity
    ) throws(DaemonError) -> RequestOutcome {
        switch request {
        case .take(let name, let group, let milliseconds, let wait):
            let group = try authorizeLease(of: group, for: identity)
            return .takeLease(
                LeaseName(userID: identity.userID, accessGroup: group, name: name),
                for: .milliseconds(Int64(milliseconds)), waiting: .milliseconds(Int64(wait)))
        case .renew(let token, let milliseconds):
            return .renewLease(token, for: .milliseconds(Int64(milliseconds)))
        case .giveBack(let token): return .giveBackLease(token)
        }
    }

    /// Nothing is stored if the device key is weaker than the request demands.
    private func meet(
        _ tier: StorageTier, _ identity: ClientIdentity
    ) throws(DaemonError) {
        guard tier > .software else { return }
        guard try enclaveStatus(identity).deviceKey.tier >= tier else { throw .tierNotMet }
    }

    private func enclaveStatus(_ identity: ClientIdentity) throws(DaemonError) -> EnclaveStatus {
        do { return try keys.enclave.status(userID: identity.userID) } catch {
            throw .enclave(error)
        }
    }

    private func status(_ identity: ClientIdentity) throws(DaemonError) -> DeviceReport {
        let status = try enclaveStatus(identity)
        try keys.followLock(userID: identity.userID)
        var report = DeviceReport(
            state: UInt32(status.state.rawValue), passcodeSet: status.isPasscodeSet,
            deviceKey: UInt32(status.deviceKey.rawValue), memory: UInt32(status.memory.rawValue),
            failedAttempts: status.failedAttempts,
            secondsUntilNextAttempt: status.secondsUntilNextAttempt,
            usableClasses: UInt32(status.usableClasses.rawValue),
            existingClasses: UInt32(status.existingClasses.rawValue),
            identityGrade: identity.grade.rawValue)
        report.graceSeconds = UInt32(status.graceSeconds)
        report.eraseAfter = UInt32(status.eraseAfter)
        report.secondsUntilLocked = status.secondsUntilLocked
        report.hasEscrow = status.hasEscrow
        report.keptFileCount = UInt32(clamping: keptFileCount())
        report.erasures = status.erasures
        report.hasRecoveryCode = status.hasRecoveryCode
        report.boundRegisters = status.registers.mask
        report.erasesForUnidentified = status.erasesForUnidentified
        report.landlock = UInt32(status.walls.landlock.rawValue)
        report.landlockVersion = UInt32(status.walls.landlockVersion)
        report.filtersSystemCalls = status.walls.filtersSystemCalls
        report.serviceRelease = Release.own.number
        report.enclaveRelease = status.release.number
        return report
    }
}

extension DeviceKeyMaker {
    /// The protection of an item; an emulated TPM doesn't count as hardware.
    fileprivate var tier: StorageTier {
        switch self {
        case .file, .softwareTPM: .software
        case .tpm: .hardware
        }
    }
}

extension Entitlements {
    /// Those of the names that the program has.
    fileprivate func values(_ names: [String]) -> [String: EntitlementValue] {
        var values: [String: EntitlementValue] = [:]
        for name in names {
            switch value(name) {
            case .text(let text): values[name] = .text(text)
            case .flag(let flag): values[name] = .flag(flag)
            case .list: values[name] = texts(name).map { .texts($0) }
            case .other, nil: continue
            }
        }
        return values
    }
}

extension CallerIdentity {
    fileprivate init(_ identity: ClientIdentity) {
        self.init(
            grade: identity.grade.rawValue, userID: identity.userID,
            application: identity.application, accessGroups: identity.accessGroups,
            reasons: identity.reasons.map(\.text))
    }
}
