// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import EnclaveWire
import Foundation
import IPC
import ItemStore
import KeychainVocabulary
import SecurityWire

/// A request about keychains that waits.
struct KeychainJob: Sendable {
    let call: KeychainCall
    /// Who asks.
    let identity: ClientIdentity
    /// The keychains whose password the connection has given.
    let proven: Set<KeychainID>
    let answer: @Sendable (Result<KeychainListing?, DaemonError>) -> Void
}

/// The thread that carries out requests about keychains: each may take a derivation, and changes of both
/// daemons follow each other.
final class KeychainThread {
    /// Keychains in a part of a listing: 256 paths of 4096 bytes and the rest fit a reply.
    private static let listedCount = 256

    private let queue: FairQueue<KeychainJob>
    private let finds: FindRequests
    private let keys: ItemKeys
    private let turn: DerivationTurn
    private let writes: WorkQueue<WriterThread.Job>
    private let administration: Administration
    private let scrub: () -> Void
    private let onEnclaveGone: () -> Void
    /// Users whose interrupted operations are finished.
    private var repaired: Set<UInt32> = []

    init(
        queue: FairQueue<KeychainJob>, finds: FindRequests, keys: ItemKeys, turn: DerivationTurn,
        writes: WorkQueue<WriterThread.Job>, administration: Administration,
        scrub: @escaping () -> Void, onEnclaveGone: @escaping () -> Void
    ) {
        self.queue = queue
        self.finds = finds
        self.keys = keys
        self.turn = turn
        self.writes = writes
        self.administration = administration
        self.scrub = scrub
        self.onEnclaveGone = onEnclaveGone
    }

    /// Works until the process ends.
    func run() {
        while true {
            guard let job = queue.take() else { continue }
            do throws(DaemonError) {
                let sequences = sequences(of: job.identity)
                try repair(sequences, before: job)
                job.answer(.success(try carryOut(job, sequences)))
            } catch {
                if error == .enclave(.gone) { onEnclaveGone() }
                // What it has left must be finished before the next one.
                if error == .enclave(.outcomeUnknown) { repaired.remove(job.identity.userID) }
                job.answer(.failure(error))
            }
            scrub()
        }
    }

    /// Finishes interrupted operations of the user, once. Where that fails, it is tried again before the
    /// next request: what makes or deletes no keychain goes on without it.
    private func repair(
        _ sequences: KeychainSequences, before job: KeychainJob
    ) throws(DaemonError) {
        let userID = job.identity.userID
        guard !repaired.contains(userID) else { return }
        do throws(DaemonError) {
            try sequences.repair()
            repaired.insert(userID)
        } catch {
            guard error != .enclave(.gone), !job.call.makesOrDeletesOne else { throw error }
        }
    }

    private func carryOut(
        _ job: KeychainJob, _ sequences: KeychainSequences
    ) throws(DaemonError) -> KeychainListing? {
        let userID = job.identity.userID
        switch job.call {
        case .list(let last): return try listing(after: last, job.identity)
        case .create(let id, let path, let settings, let letter):
            try sequences.create(
                uuid: id.uuid, path: path, group: job.identity.accessGroups.first ?? "",
                settings, letter: letter)
        case .unlock(let id, let letter):
            let record = try record(id, job.identity)
            try derive { (enclave) throws(EnclaveCallError) in
                try enclave.unlockKeychain(number: record.number, letter: letter, userID: userID)
            }
        case .changePassword(let id, let letter):
            let record = try record(id, job.identity)
            try derive { (enclave) throws(EnclaveCallError) in
                try enclave.changeKeychainPassword(
                    number: record.number, letter: letter, userID: userID)
            }
        case .lock(let id):
            let number = try id.map { (id) throws(DaemonError) in
                try record(id, job.identity).number
            }
            try enclave { (enclave) throws(EnclaveCallError) in
                try enclave.lockKeychain(number: number ?? 0, userID: userID)
            }
        case .configure(let id, let settings):
            let record = try owned(id, job)
            try enclave { (enclave) throws(EnclaveCallError) in
                try enclave.configureKeychain(
                    number: record.number, settings, userID: userID)
            }
        case .delete(let id, let force):
            let groups = force ? nil : job.identity.heldGroups
            try self.sequences(of: job.identity, deleting: groups).delete(try owned(id, job))
        case .setSearchList(let list):
            var preferences = try preferences(of: job.identity)
            preferences.searchList = list
            try write(.preferences(preferences), of: job.identity)
        case .setDefault(let id):
            var preferences = try preferences(of: job.identity)
            preferences.defaultKeychain = id
            try write(.preferences(preferences), of: job.identity)
        }
        return nil
    }

    // MARK: - What is known

    private func records(of identity: ClientIdentity) throws(DaemonError) -> [KeychainRecord] {
        try finds.keychains(of: identity, administration)
    }

    private func record(
        _ id: KeychainID, _ identity: ClientIdentity
    ) throws(DaemonError) -> KeychainRecord {
        try finds.keychain(id, of: identity, administration)
    }

    /// A keychain that the caller may delete or configure.
    private func owned(
        _ id: KeychainID, _ job: KeychainJob
    ) throws(DaemonError) -> KeychainRecord {
        let record = try record(id, job.identity)
        try record.admitOwner(job.identity, havingProven: job.proven)
        return record
    }

    private func preferences(
        of identity: ClientIdentity
    ) throws(DaemonError) -> KeychainPreferences {
        try finds.ofKeychains(KeychainPreferences.name, of: identity, administration)
            .lazy.compactMap { KeychainPreferences($0) }.first ?? KeychainPreferences()
    }

    private func listing(
        after last: KeychainID, _ identity: ClientIdentity
    ) throws(DaemonError) -> KeychainListing {
        let listed = try knownStates(userID: identity.userID)
        let records = try records(of: identity)
            .filter { $0.state == .live && last.uuid.lexicographicallyPrecedes($0.uuid) }
            .sorted { $0.uuid.lexicographicallyPrecedes($1.uuid) }
        var listing = KeychainListing()
        listing.hasMore = records.count > Self.listedCount
        for record in records.prefix(Self.listedCount) {
            guard let id = KeychainID(record.uuid) else { continue }
            let state = listed.first { $0.number == record.number && $0.uuid == record.uuid }
            listing.keychains.append(
                KeychainEntry(
                    id, path: record.path, state?.settings ?? KeychainSettings(),
                    isUnlocked: state?.isUnlocked ?? false))
        }
        if last.isLogin {
            let preferences = try preferences(of: identity)
            listing.searchList = preferences.searchList
            listing.defaultKeychain = preferences.defaultKeychain
        }
        return listing
    }

    // MARK: - The other daemon, and the writer

    private func enclave(
        _ call: (inout EnclaveClient) throws(EnclaveCallError) -> Void
    ) throws(DaemonError) {
        do throws(EnclaveCallError) { try call(&keys.enclave) } catch {
            throw error == .unreachable ? .enclave(.outcomeUnknown) : DaemonError(error)
        }
    }

    /// A call for which enclaved derives a key.
    private func derive(
        _ call: (inout EnclaveClient) throws(EnclaveCallError) -> Void
    ) throws(DaemonError) {
        turn.take()
        defer { turn.pass() }
        try enclave(call)
    }

    private func listed(userID: UInt32) throws(DaemonError) -> [ListedKeychain] {
        do throws(EnclaveCallError) { return try keys.enclave.keychains(userID: userID) } catch {
            throw DaemonError(error)
        }
    }

    /// What enclaved says of the keychains that can be opened; none where its list can't be read or was
    /// refused: they are there, and locked.
    private func knownStates(userID: UInt32) throws(DaemonError) -> [ListedKeychain] {
        do throws(DaemonError) { return try listed(userID: userID) } catch {
            guard error == .enclave(.stateNotWritten) else { throw error }
            return []
        }
    }

    /// Has the writer carry out a step, and waits until it is durable.
    private func write(
        _ work: KeychainWrite.Work, of identity: ClientIdentity, deleting groups: Set<String>? = nil
    ) throws(DaemonError) {
        let scope = try GroupUse.change(ReservedGroup.keychains.rawValue, to: nil)
            .scope(for: identity, administration)
        let outcome: WriterAnswer
        do { outcome = try WriterAnswer() } catch { throw .overloaded }
        // Only this thread waits for it.
        writes.add(
            .write(WriteJob(KeychainWrite(work: work, groups: groups), scope) { outcome.set($0) }),
            isBounded: false)
        _ = try outcome.get()
    }

    /// What the operations of a user do; a deletion takes items of these groups along, with nil those of
    /// all.
    private func sequences(
        of identity: ClientIdentity, deleting groups: Set<String>? = nil
    ) -> KeychainSequences {
        let userID = identity.userID
        return KeychainSequences(
            records: { () throws(DaemonError) in try self.records(of: identity) },
            write: { (step) throws(DaemonError) in
                try self.write(.step(step), of: identity, deleting: groups)
            },
            listed: { () throws(DaemonError) in try self.listed(userID: userID) },
            createKeys: { (number, settings, letter) throws(DaemonError) in
                try self.derive { (enclave) throws(EnclaveCallError) in
                    try enclave.createKeychain(
                        number: number, settings, letter: letter, userID: userID)
                }
            },
            destroyKeys: { (number) throws(DaemonError) in
                try self.enclave { (enclave) throws(EnclaveCallError) in
                    try enclave.destroyKeychain(number: number, userID: userID)
                }
            },
            randomNumber: { UInt32.random(in: 1..<UInt32.max) })
    }
}

extension KeychainCall {
    /// Whether it changes which keychains there are: then what an interrupted operation has left must
    /// be finished first.
    fileprivate var makesOrDeletesOne: Bool {
        switch self {
        case .create, .delete: true
        case .list, .unlock, .changePassword, .lock, .configure, .setSearchList, .setDefault: false
        }
    }
}
