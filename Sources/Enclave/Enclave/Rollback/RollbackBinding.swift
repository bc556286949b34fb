// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import SecretBytes

/// How the enclave's files are bound to the device key's counter.
enum CounterBinding {
    /// Not read yet.
    case unread
    /// Files aren't bound to a counter: if all of them are rolled back, the enclave can't detect
    /// it.
    case none
    /// The counter has the record's number, or is one below it.
    case bound(BindingRecord, key: Secret, CounterProgress)
    /// The files don't match the counter's number, or that can't be determined.
    case broken(BindingRecord?, key: Secret, isCounterLost: Bool)
}

/// Whether the counter has reached the record's number.
enum CounterProgress {
    case arrived
    /// The device key is incrementing, for these users.
    case underWay(Set<UInt32>)
    /// The device key's reply was lost, or there was none.
    case unknown
}

/// Detects that the enclave's files were rolled back: owns the record that binds them to the device
/// key's counter, and the users who wait for the next increment.
struct RollbackBinding {
    /// The input from which the device key derives the record's key.
    static let recordInput = [UInt8]("llavero.binding.1".utf8)

    /// Whether files are bound to a counter of a device key in a TPM at all.
    let tiesFiles: Bool
    private let surroundings: EnclaveSurroundings
    private var binding = CounterBinding.unread
    /// The users whose files wait for the next increment.
    private var uncounted: Set<UInt32> = []

    init(_ surroundings: EnclaveSurroundings, tiesFiles: Bool) {
        self.surroundings = surroundings
        self.tiesFiles = tiesFiles
    }

    private var deviceKey: any DeviceKey { surroundings.deviceKey }
    private var state: any DurableState { surroundings.state }

    private func notify(_ notice: EnclaveNotice) { surroundings.notify(notice) }

    /// Reads the counter and its record, at the first request after a start.
    mutating func read(_ user: UInt32) throws(Refusal) {
        guard case .unread = binding else { return }
        // A counter in a file is useless: an attacker who rolls back the other files rolls it back,
        // too.
        guard tiesFiles, deviceKey.maker.target == .tpm else {
            binding = .none
            return
        }
        do throws(DeviceKeyFailure) {
            let key = try deviceKey.tangle(.binding, SecretBytes(copying: Self.recordInput))
            let number: UInt64
            do throws(DeviceKeyFailure) { number = try deviceKey.readCounter() } catch {
                // Only the files say that there is no counter, and any program that can write them
                // could have changed that.
                guard [.noCounter, .replaced, .wrongPasscode].contains(error) else { throw error }
                let known: BindingRecord?
                do throws(DurableStateFailure) { known = try readRecord(key) } catch {
                    throw .failed
                }
                binding = .broken(known, key: key, isCounterLost: true)
                return notify(.counterLost(user: user))
            }
            binding = try judged(number, key, user)
        } catch {
            notify(.deviceKeyFailed(user: user, error))
            throw .status(.deviceKeyUnavailable)
        }
    }

    private func readRecord(_ key: Secret) throws(DurableStateFailure) -> BindingRecord? {
        try state.load(.binding).flatMap { BindingRecord($0, key: key.bytes.symmetricKey()) }
    }

    private mutating func judged(
        _ number: UInt64, _ key: Secret, _ user: UInt32
    ) throws(DeviceKeyFailure) -> CounterBinding {
        let found: (file: [UInt8]?, hasKeybags: Bool)
        do throws(DurableStateFailure) {
            found = (try state.load(.binding), !(try state.keybagOwners().isEmpty))
        } catch { throw .failed }
        guard let file = found.file else {
            guard found.hasKeybags else {
                // The directory is new: make the first record.
                return try begun(BindingRecord(counter: number, sequences: [:]), key)
            }
            notify(.counterLost(user: user))
            return .broken(nil, key: key, isCounterLost: false)
        }
        guard let record = BindingRecord(file, key: key.bytes.symmetricKey()) else {
            notify(.counterLost(user: user))
            return .broken(nil, key: key, isCounterLost: false)
        }
        if record.counter == number { return .bound(record, key: key, .arrived) }
        if number < .max, record.counter == number + 1 {
            // A crash happened before the counter was incremented: the written files are valid, and
            // no earlier ones.
            try deviceKey.incrementCounter()
            return .bound(record, key: key, .arrived)
        }
        notify(record.counter < number ? .filesRolledBack(user: user) : .counterLost(user: user))
        return .broken(record, key: key, isCounterLost: false)
    }

    private func begun(
        _ record: BindingRecord, _ key: Secret
    ) throws(DeviceKeyFailure) -> CounterBinding {
        do throws(DurableStateFailure) {
            try state.apply([.replace(.binding, record.file(key: key.bytes.symmetricKey()))])
        } catch { throw .failed }
        return .bound(record, key: key, .arrived)
    }

    // MARK: - Anchors

    /// The minimum sequence of a user's current anchor.
    /// - Returns: Nil when the user's files aren't accepted.
    func leastSequence(_ user: UInt32) -> UInt32? {
        switch binding {
        case .unread, .none: return 0
        case .broken: return nil
        case .bound(let record, _, _):
            let sequence = record.sequences[user] ?? 0
            return sequence == BindingRecord.isRefused ? nil : sequence
        }
    }

    /// Whether the user's files were bound to the counter, so that there must be a keybag.
    func isCounted(_ user: UInt32) -> Bool {
        switch binding {
        case .unread, .none: false
        case .broken(let record, _, _): record?.sequences[user] != nil
        case .bound(let record, _, _): record.sequences[user] != nil
        }
    }

    /// Binds a user's current anchor to the counter by an increment, after which no earlier state
    /// of the files is valid.
    ///
    /// If this fails, the next call makes up for it.
    /// - Parameters:
    ///   - keybag: The user's.
    ///   - keybags: All that are loaded; others of them may be waiting.
    /// - Throws: `ended` when the outcome of writing the record is unknown.
    mutating func bind(
        _ keybag: UserKeybag, among keybags: [UInt32: UserKeybag]
    ) throws(Refusal) {
        guard case .bound(_, _, let progress) = binding, case .record = keybag.anchor else {
            return
        }
        uncounted.insert(keybag.user)
        switch progress {
        case .underWay: return
        case .unknown: try count(isCertain: false, [], keybags)
        case .arrived: try bindUncounted(keybags)
        }
    }

    /// Whether a user's files wait for the next increment.
    func isWaiting(_ user: UInt32) -> Bool { uncounted.contains(user) }

    /// Whether a user's files still wait for an increment, and one is under way.
    func isCounting(_ user: UInt32) -> Bool {
        guard case .bound(_, _, .underWay(let users)) = binding else { return false }
        return users.contains(user) || uncounted.contains(user)
    }

    /// Whether the device key is incrementing.
    var isCounting: Bool {
        guard case .bound(_, _, .underWay) = binding else { return false }
        return true
    }

    /// Continues after a device key has incremented its counter, or failed to.
    mutating func counted(
        by key: any DeviceKey, _ failure: DeviceKeyFailure?, _ keybags: [UInt32: UserKeybag]
    ) {
        // The device key may have been replaced meanwhile.
        guard !surroundings.hasEnded, key === deviceKey, isCounting else { return }
        // An unknown outcome on the disk ends the enclave at the next request.
        try? counted(failure, keybags)
    }

    private mutating func counted(
        _ failure: DeviceKeyFailure?, _ keybags: [UInt32: UserKeybag]
    ) throws(Refusal) {
        guard case .bound(let record, let key, let progress) = binding else { return }
        binding = .bound(record, key: key, failure == nil ? .arrived : .unknown)
        guard let failure else { return try bindUncounted(keybags) }
        guard let user = users(progress).union(uncounted).min() else { return }
        notify(.deviceKeyFailed(user: user, failure))
    }

    private func users(_ progress: CounterProgress) -> Set<UInt32> {
        guard case .underWay(let users) = progress else { return [] }
        return users
    }

    /// Binds all waiting users with one increment.
    private mutating func bindUncounted(_ keybags: [UInt32: UserKeybag]) throws(Refusal) {
        guard case .bound(var record, let key, .arrived) = binding, record.counter < .max else {
            return
        }
        var bound: Set<UInt32> = []
        for user in uncounted {
            guard case .record(let anchor)? = keybags[user]?.anchor else { continue }
            // Never lower, so that no earlier record becomes valid again.
            record.sequences[user] = max(anchor.sequence, leastSequence(user) ?? 0)
            bound.insert(user)
        }
        uncounted = []
        guard let first = bound.min() else { return }
        record.counter += 1
        do throws(DurableStateFailure) {
            try state.apply([.replace(.binding, record.file(key: key.bytes.symmetricKey()))])
        } catch {
            guard error == .outcomeUnknown else { return }
            try surroundings.fail(error, user: first)
        }
        binding = .bound(record, key: key, .unknown)
        try count(isCertain: true, bound, keybags)
    }

    private mutating func count(
        isCertain: Bool, _ users: Set<UInt32>, _ keybags: [UInt32: UserKeybag]
    ) throws(Refusal) {
        guard case .bound(let record, let key, _) = binding else { return }
        binding = .bound(record, key: key, .underWay(users))
        do throws(DeviceKeyFailure) {
            guard try deviceKey.beginCounting(to: record.counter, isCertain: isCertain) else {
                return
            }
        } catch { return try counted(error, keybags) }
        try counted(nil, keybags)
    }

    /// The owner accepts a user's files as they are. The files of other users wait for their
    /// owners.
    mutating func accept(_ user: UInt32) throws(Refusal) {
        switch binding {
        case .unread, .none: return
        case .bound(var record, let key, let progress):
            record.sequences[user] = nil
            binding = .bound(record, key: key, progress)
        case .broken(let known, let key, let isCounterLost):
            let owners: Set<UInt32>
            do throws(DurableStateFailure) { owners = try state.keybagOwners() } catch {
                throw .status(.stateNotWritten)
            }
            do throws(DeviceKeyFailure) {
                if isCounterLost { try deviceKey.renewCounter() }
                var sequences = (known?.sequences ?? [:]).mapValues { _ in
                    BindingRecord.isRefused
                }
                for owner in owners { sequences[owner] = BindingRecord.isRefused }
                sequences[user] = nil
                let number = try deviceKey.readCounter()
                binding = try begun(BindingRecord(counter: number, sequences: sequences), key)
            } catch {
                notify(.deviceKeyFailed(user: user, error))
                throw .status(.deviceKeyUnavailable)
            }
        }
    }

    /// The counter of the new device key, if it has one, replaces the old one.
    mutating func take(_ bound: BindingRecord?, _ key: Secret?) {
        binding = .none
        uncounted = []
        if let bound, let key { binding = .bound(bound, key: key, .arrived) }
    }

    /// The change that makes a new device key's record durable, or removes the old one's.
    static func change(_ record: BindingRecord?, _ key: Secret?) -> StateChange {
        guard let record, let key else { return .remove(.binding) }
        return .replace(.binding, record.file(key: key.bytes.symmetricKey()))
    }
}

extension Enclave {
    /// Whether a user's files still wait for an increment, and one is under way.
    package func isCounting(_ user: UInt32) -> Bool { rollback.isCounting(user) }

    /// Whether the device key is incrementing.
    package var isCounting: Bool { rollback.isCounting }

    /// Continues after a device key has incremented its counter, or failed to.
    package mutating func counted(by key: any DeviceKey, _ failure: DeviceKeyFailure?) {
        rollback.counted(by: key, failure, keybags)
    }
}
