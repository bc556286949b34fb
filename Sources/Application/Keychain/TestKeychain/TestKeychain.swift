// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecurityWire
import Synchronization

/// A keychain in this process's memory, for tests of programs that use ``Keychain``: it needs no
/// service, and ends with the object.
///
/// It behaves like the service does towards one program: the same items are duplicates, the same
/// calls fail, changes are reported, and a lease has one holder at a time. A test can lock it, make
/// it unreachable, and destroy the keys of a class. It keeps passwords, certificates and keys, but
/// no identities, tombstones, certificate digests or row numbers.
public final class TestKeychain: KeychainStore, BlockingKeychainStore, Sendable {
    /// The states that a device can be in.
    public typealias DeviceState = DeviceStatus.State

    private let items: Mutex<TestItems>
    private let device = Mutex(Device())
    private let readers = Mutex<[ObjectIdentifier: ChangeSubscription]>([:])
    let leases = TestLeases()

    private struct Device {
        var state = DeviceState.noPasscode
        var isReachable = true
        var person = TestPerson.yes
        var questions: [String] = []
    }

    /// An empty keychain of a program.
    /// - Parameter accessGroups: The groups that the program holds, the default one first.
    public init(accessGroups: [String] = ["test"]) {
        items = Mutex(TestItems(accessGroups: accessGroups))
    }

    // MARK: - Control by a test

    /// The state of the device; without a passcode at first, so that everything is usable.
    public var deviceState: DeviceState {
        get { device.withLock { $0.state } }
        set {
            device.withLock { $0.state = newValue }
            if newValue != .unlocked { items.withLock { $0.forgetApprovals() } }
        }
    }

    /// Whether the service responds.
    public var isReachable: Bool {
        get { device.withLock { $0.isReachable } }
        set { device.withLock { $0.isReachable = newValue } }
    }

    /// Makes the items of a class lose their key permanently, as removing the passcode does for
    /// classes that need one.
    public func destroyKeys(of accessibility: Accessibility) {
        items.withLock { $0.destroyKeys(of: accessibility) }
    }

    // MARK: - The person

    /// Who answers for values that demand a person. Without a passcode nothing can be proven, so
    /// that a device in the state `noPasscode` refuses them.
    public var person: TestPerson {
        get { device.withLock { $0.person } }
        set { device.withLock { $0.person = newValue } }
    }

    /// The reasons that the person was shown so far, one for each question.
    public var questions: [String] { device.withLock { $0.questions } }

    /// Asks the person.
    func ask(_ purpose: String) throws(KeychainError) {
        let person = try device.withLock { device throws(KeychainError) in
            guard device.isReachable else { throw .unreachable }
            switch device.state {
            case .noPasscode: throw .accessRefused
            case .locked, .beforeFirstUnlock: throw .locked
            case .unlocked: break
            }
            if device.person != .later { device.questions.append(purpose) }
            return device.person
        }
        switch person {
        case .yes: return
        case .no: throw .personCanceled
        case .later: throw .personNeeded
        case .never:
            throw KeychainError(status: SecurityStatus.authFailed, reason: .wrongPasscode)
        }
    }

    /// The person has approved what the last call of a context waited for.
    func approve(_ context: [UInt8]) { items.withLock { $0.approve(context) } }

    // MARK: - Blocking calls, which don't block

    /// This keychain.
    public var blocking: any BlockingKeychainStore { self }

    /// Finds items; the result is never empty.
    public func find(_ query: ItemQuery) throws(KeychainError) -> [FoundItem] {
        try use { (items, usable) throws(KeychainError) in try items.find(query, usable) }
    }

    /// Stores an item.
    @discardableResult
    public func add(_ item: NewItem) throws(KeychainError) -> FoundItem {
        try leases.check(item.lease)
        return try use { (items, usable) throws(KeychainError) in try items.add(item, usable) }
    }

    /// Changes every item that matches, or none.
    @discardableResult
    public func update(
        _ query: ItemQuery, applying changes: ItemChanges
    ) throws(KeychainError) -> ItemGeneration? {
        try leases.check(query.lease)
        return try use { (items, usable) throws(KeychainError) in
            try items.update(query, changes, usable)
        }
    }

    /// Deletes every item that matches.
    @discardableResult
    public func delete(_ query: ItemQuery) throws(KeychainError) -> UInt64 {
        try leases.check(query.lease)
        return try use { (items, _) throws(KeychainError) in try items.delete(query) }
    }

    private func use<R: Sendable>(
        _ body: (inout TestItems, Set<Accessibility>) throws(KeychainError) -> R
    ) throws(KeychainError) -> R {
        let (state, isReachable) = device.withLock { ($0.state, $0.isReachable) }
        guard isReachable else { throw .unreachable }
        let outcome: (Result<R, KeychainError>, [ItemChange]) = items.withLock { items in
            let before = items
            do throws(KeychainError) {
                let result = try body(&items, Set(state.usable))
                return (.success(result), items.takeChanges())
            } catch {
                // If one part of a write failed, the whole write is undone.
                let failed = items
                items = before
                items.keepWaiting(of: failed)
                return (.failure(error), [])
            }
        }
        if !outcome.1.isEmpty {
            for reader in readers.withLock({ Array($0.values) }) {
                reader.tell(outcome.1, missedSome: false)
            }
        }
        return try outcome.0.get()
    }

    // MARK: - Calls of tasks

    /// As ``KeychainStore/find(_:within:)``.
    public func find(
        _ query: ItemQuery, within duration: Duration?
    ) async throws(KeychainError) -> [FoundItem] {
        try Self.begin(duration)
        return try find(query)
    }

    /// As ``KeychainStore/add(_:within:)``.
    public func add(
        _ item: NewItem, within duration: Duration?
    ) async throws(KeychainError) -> FoundItem {
        try Self.begin(duration)
        return try add(item)
    }

    /// As ``KeychainStore/update(_:applying:within:)``.
    public func update(
        _ query: ItemQuery, applying changes: ItemChanges, within duration: Duration?
    ) async throws(KeychainError) -> ItemGeneration? {
        try Self.begin(duration)
        return try update(query, applying: changes)
    }

    /// As ``KeychainStore/delete(_:within:)``.
    public func delete(
        _ query: ItemQuery, within duration: Duration?
    ) async throws(KeychainError) -> UInt64 {
        try Self.begin(duration)
        return try delete(query)
    }

    /// As ``KeychainStore/accessibilities(within:)``.
    public func accessibilities(
        within duration: Duration?
    ) async throws(KeychainError) -> (usable: [Accessibility], existing: [Accessibility]) {
        try Self.begin(duration)
        guard isReachable else { throw .unreachable }
        return (deviceState.usable, deviceState.existing)
    }

    /// As ``KeychainStore/changes()``.
    public func changes() async throws(KeychainError) -> KeychainChanges {
        guard isReachable else { throw .unreachable }
        let subscription = ChangeSubscription()
        subscription.begin()
        readers.withLock { $0[ObjectIdentifier(subscription)] = subscription }
        return KeychainChanges(
            reader: ChangeReader(subscription) { [weak self] gone in
                _ = self?.readers.withLock { $0.removeValue(forKey: ObjectIdentifier(gone)) }
            })
    }

    /// As ``KeychainStore/takeLease(_:accessGroup:for:waiting:)``.
    public func takeLease(
        _ name: String, accessGroup: String?, for duration: Duration, waiting: Duration
    ) async throws(KeychainError) -> KeychainLease {
        guard isReachable else { throw .unreachable }
        let group = try items.withLock { (items) throws(KeychainError) in
            try items.group(accessGroup)
        }
        return try await leases.take([group, name], for: duration, waiting: waiting)
    }

    /// As ``KeychainStore/settle(_:within:)``.
    public func settle(
        _ write: PendingWrite, within duration: Duration?
    ) async throws(KeychainError) -> Bool {
        // Each write here has reported its outcome.
        throw .invalidRequest
    }

    func begin(_ duration: Duration?) throws(KeychainError) { try Self.begin(duration) }

    private static func begin(_ duration: Duration?) throws(KeychainError) {
        if Task.isCancelled { throw .cancelled }
        if let duration, duration <= .zero { throw .timedOut }
    }
}

extension DeviceStatus.State {
    /// The classes whose keys can be used in this state.
    fileprivate var usable: [Accessibility] {
        existing.filter { accessibility in
            switch accessibility {
            case .always, .alwaysThisDeviceOnly: true
            case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: self != .beforeFirstUnlock
            case .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly:
                self == .noPasscode || self == .unlocked
            }
        }
    }

    /// The classes that have keys.
    fileprivate var existing: [Accessibility] {
        Accessibility.allCases.filter {
            $0 != .whenPasscodeSetThisDeviceOnly || self != .noPasscode
        }
    }
}
