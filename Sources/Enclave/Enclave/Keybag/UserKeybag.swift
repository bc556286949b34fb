// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import SecretBytes

/// One user's keybag in memory: the wrapped keys, and those class keys that are open now.
///
/// A class so that no second copy of the open keys comes about: dropping the reference wipes them.
final class UserKeybag {
    /// The state of one class key.
    enum Availability {
        case usable(Secret)
        case locked
        case missing
    }

    let user: UInt32
    private(set) var keys: KeybagKeys
    var attempts: AttemptCounter
    /// The record of the count that is on the disk; its number is 0 when it must be made anew.
    var attemptSequence: UInt32 = 0
    /// When keys go.
    var schedule = LockSchedule()
    /// The number of its last use.
    var lastUse: UInt64 = 0
    /// With its key the passcode can be reset.
    var escrow: EscrowBag?
    /// What unlocks it besides the passcode.
    var protectors: ProtectorList
    /// All keys were erased, and nobody has asked since what is remembered: a commit that comes now is
    /// one of rows of before, whose writer has yet to hear of it.
    var forgetsCommits = false
    /// What is remembered of the database.
    var anchor = KnownAnchor.record(
        AnchorRecord(sequence: 0, commit: 0, keybagGeneration: 0))
    /// How often keys have been dropped since the process began.
    private(set) var lockCount: UInt32 = 0
    /// The last time that keys were dropped.
    private(set) var lastEvent: LockEvent?
    private(set) var keybag: Keybag
    private var openKeys: [ProtectionClass: Secret]

    /// Takes a keybag that has been read or written.
    /// - Throws: when a key that needs no passcode doesn't open under the device key.
    init(
        user: UInt32, keys: KeybagKeys, keybag: Keybag, attempts: AttemptCounter
    ) throws(KeybagError) {
        self.user = user
        self.keys = keys
        self.keybag = keybag
        self.attempts = attempts
        protectors = ProtectorList(of: keybag)
        let wanted = keybag.wrappedClasses.filter { !keybag.isProtected || !$0.needsPasscode }
        guard let opened = keybag.unwrap(wanted, using: keys.wrappingKey(uuid: keybag.uuid)) else {
            throw .wrongValue("WPKY")
        }
        openKeys = opened
    }

    /// A new keybag, with no passcode; not yet stored.
    /// - Parameters:
    ///   - user: The user.
    ///   - keys: What it is signed and wrapped with.
    ///   - erased: The keybag in whose place it comes, so that none of that one's copies is later.
    ///   - now: The time.
    /// - Returns: Nothing when its generation can't be higher still.
    static func make(
        user: UInt32, keys: KeybagKeys, after erased: Keybag? = nil, now: UInt64
    ) -> UserKeybag? {
        let random = SecretBytes.random(byteCount: Keybag.uuidByteCount)
        let uuid = unsafe random.withUnsafeBytes { unsafe [UInt8]($0) }
        let classKeys = Keybag.newKeys(Keybag.classes(withPasscode: false))
        guard
            let wrapped = Keybag.wrap(classKeys, using: keys.wrappingKey(uuid: uuid))
        else { return nil }
        let generation = erased?.generation ?? 0
        guard generation < .max else { return nil }
        let keybag = Keybag(
            uuid: uuid, generation: generation + 1, passcode: nil, wrappedKeys: wrapped,
            erasures: erased.map { $0.erasures == .max ? .max : $0.erasures + 1 } ?? 0)
        return try? UserKeybag(
            user: user, keys: keys, keybag: keybag, attempts: AttemptCounter(failures: 0, now: now))
    }

    /// Whether a class key is usable; the one place that decides it.
    func availability(_ protectionClass: ProtectionClass) -> Availability {
        if let key = openKeys[protectionClass] { return .usable(key) }
        return keybag.classes.contains(protectionClass) ? .locked : .missing
    }

    var state: EnclaveLockState {
        guard keybag.isProtected else { return .noPasscode }
        guard openKeys[.ak] == nil else { return .unlocked }
        return openKeys[.ck] == nil ? .beforeFirstUnlock : .locked
    }

    /// Whether the files have all that is in memory: no key that the passcode opened, no event, and no
    /// delay that has begun.
    var isAsStored: Bool {
        lastEvent == nil && attempts.failures == 0
            && (state == .noPasscode || state == .beforeFirstUnlock)
    }

    var usableClasses: ProtectionClassSet { Self.set(openKeys.keys) }
    var existingClasses: ProtectionClassSet { Self.set(keybag.classes) }

    /// Whether there is a recovery code.
    var hasRecoveryCode: Bool { protectors.has(.recoveryCode) }

    /// Whether all class keys but that of akpu are open: a protector, or a new passcode, needs them.
    var hasProtectorsKeys: Bool { state == .noPasscode || state == .unlocked }

    private static func set(_ classes: some Sequence<ProtectionClass>) -> ProtectionClassSet {
        classes.reduce(into: []) { $0.formUnion(ProtectionClassSet($1)) }
    }

    // MARK: - Changes

    /// Drops keys that the passcode protects; without one there is nothing to lock with.
    /// - Parameter isDropped: Which of them.
    func drop(_ isDropped: (ProtectionClass) -> Bool) {
        guard keybag.isProtected else { return }
        for protectionClass in ProtectionClass.allCases
        where protectionClass.needsPasscode && isDropped(protectionClass) {
            openKeys[protectionClass] = nil
        }
    }

    /// Opens class keys that the passcode protects.
    /// - Parameters:
    ///   - passcodeKey: What they are wrapped under.
    ///   - extent: Which of them stay open.
    /// - Returns: Whether the passcode key was the right one; if not, nothing has changed.
    func unlock(passcodeKey: SymmetricKey, extent: UnlockExtent) -> Bool {
        let wanted = Keybag.classes(withPasscode: true).filter {
            $0.needsPasscode && (extent == .everything || !$0.isDroppedAtLock)
        }
        guard let opened = keybag.unwrap(wanted, using: passcodeKey) else { return false }
        if extent != .nothing { openKeys.merge(opened) { _, new in new } }
        return true
    }

    /// Opens class keys that a protector holds.
    func open(_ protected: [ProtectionClass: Secret], extent: UnlockExtent) {
        guard extent != .nothing else { return }
        for (protectionClass, key) in protected
        where protectionClass.needsPasscode
            && (extent == .everything || !protectionClass.isDroppedAtLock)
        {
            openKeys[protectionClass] = key
        }
    }

    /// The next keybag, with the same keys and another list of protectors.
    func listing(
        _ list: ProtectorList
    ) -> (keybag: Keybag, keys: [ProtectionClass: Secret])? {
        guard keybag.generation < .max else { return nil }
        var next = keybag
        next.protectorsDigest = list.digest
        next.generation += 1
        return (next, openKeys)
    }

    /// The next keybag, without a passcode, of which the protectors of the list alone open the
    /// classes that a passcode would. All class keys must be open.
    func put(
        under list: ProtectorList
    ) -> (keybag: Keybag, keys: [ProtectionClass: Secret])? {
        guard let next = rewrapped(openKeys, passcode: nil, list, wrappingKey: { _ in nil })
        else { return nil }
        var keybag = next.keybag
        for protectionClass in keybag.classes where protectionClass.needsPasscode {
            keybag.wrappedKeys[protectionClass] = nil
        }
        return (keybag, next.keys)
    }

    /// The next keybag, with the same keys and other settings.
    func configured(
        _ settings: Keybag.Settings
    ) -> (keybag: Keybag, keys: [ProtectionClass: Secret])? {
        guard keybag.generation < .max else { return nil }
        var next = keybag
        next.settings = settings
        next.generation += 1
        return (next, openKeys)
    }

    /// The next keybag, without a passcode, from the class keys of an escrow record.
    func reset(
        _ escrowed: [ProtectionClass: Secret], _ list: ProtectorList
    ) -> (keybag: Keybag, keys: [ProtectionClass: Secret])? {
        let classKeys = openKeys.filter { $0.key.exists == .always }
        return rewrapped(classKeys.merging(escrowed) { _, new in new }, passcode: nil, list) {
            _ in nil
        }
    }

    /// The class keys that are open now.
    var usableKeys: [ProtectionClass: Secret] { openKeys }

    /// The class keys that an escrow record holds; all must be open.
    var escrowedKeys: [ProtectionClass: Secret] {
        openKeys.filter { EscrowBag.classes.contains($0.key) }
    }

    /// The next keybag, with the same class keys under a new passcode. All must be open.
    func protected(
        by passcode: Keybag.PasscodeProtection, passcodeKey: SymmetricKey, _ list: ProtectorList
    ) -> (keybag: Keybag, keys: [ProtectionClass: Secret])? {
        var classKeys = openKeys
        if classKeys[.akpu] == nil {
            guard keybag.passcode == nil else { return nil }
            classKeys.merge(Keybag.newKeys([.akpu])) { old, _ in old }
        }
        return rewrapped(classKeys, passcode: passcode, list) { protectionClass in
            protectionClass.needsPasscode ? passcodeKey : nil
        }
    }

    /// The next keybag, without a passcode. All class keys must be open; the one of akpu goes.
    func unprotected(
        _ list: ProtectorList
    ) -> (keybag: Keybag, keys: [ProtectionClass: Secret])? {
        let classKeys = openKeys.filter { $0.key.exists == .always }
        return rewrapped(classKeys, passcode: nil, list) { _ in nil }
    }

    /// The next keybag, with the same class keys under another device key and the same passcode, or
    /// still none. All must be open.
    func moved(
        under keys: KeybagKeys, _ enrolled: EnrolledPasscode?, _ list: ProtectorList
    ) -> (keybag: Keybag, keys: [ProtectionClass: Secret])? {
        guard (enrolled == nil) == (keybag.passcode == nil) else { return nil }
        return rewrapped(openKeys, passcode: enrolled?.protection, list, under: keys) {
            protectionClass in
            protectionClass.needsPasscode ? enrolled?.key : nil
        }
    }

    private func rewrapped(
        _ classKeys: [ProtectionClass: Secret], passcode: Keybag.PasscodeProtection?,
        _ list: ProtectorList, under newKeys: KeybagKeys? = nil,
        wrappingKey: (ProtectionClass) -> SymmetricKey?
    ) -> (keybag: Keybag, keys: [ProtectionClass: Secret])? {
        let classes = Keybag.classes(withPasscode: passcode != nil)
        guard classes.allSatisfy({ classKeys[$0] != nil }), keybag.generation < .max else {
            return nil
        }
        let deviceKey = (newKeys ?? keys).wrappingKey(uuid: keybag.uuid)
        var wrapped: [ProtectionClass: [UInt8]] = [:]
        for (protectionClass, key) in classKeys {
            wrapped[protectionClass] = Cryptography.wrap(
                key.bytes.symmetricKey(), using: wrappingKey(protectionClass) ?? deviceKey)
        }
        guard wrapped.count == classes.count else { return nil }
        let next = Keybag(
            uuid: keybag.uuid, generation: keybag.generation + 1, passcode: passcode,
            wrappedKeys: wrapped, settings: passcode == nil ? .init() : keybag.settings,
            erasures: keybag.erasures, protectorsDigest: list.digest)
        return (next, classKeys)
    }

    /// Takes over a keybag that has been stored.
    /// - Parameters:
    ///   - next: It, and its class keys.
    ///   - newKeys: Of another device key, if it is under one.
    func adopt(
        _ next: (keybag: Keybag, keys: [ProtectionClass: Secret]), under newKeys: KeybagKeys? = nil
    ) {
        keybag = next.keybag
        openKeys = next.keys
        if let newKeys { keys = newKeys }
    }

    /// Counts that keys were dropped.
    /// - Parameters:
    ///   - number: The event's.
    ///   - dropped: Classes that are not usable any more, or have another key or none.
    ///   - earlier: Of a keybag that is in another's place: that one.
    func noteDrop(number: UInt32, _ dropped: ProtectionClassSet, after earlier: UserKeybag? = nil) {
        let before = earlier ?? self
        lockCount = before.lockCount == .max ? .max : before.lockCount + 1
        let all = dropped.union(before.lastEvent?.dropped ?? [])
        lastEvent = LockEvent(number: number, userID: user, dropped: all, lockCount: lockCount)
    }
}

/// A passcode as a new keybag is protected by it.
struct EnrolledPasscode {
    let protection: Keybag.PasscodeProtection
    /// Wraps the classes that it protects.
    let key: SymmetricKey
}

/// What the right passcode opens.
enum UnlockExtent: Int, Comparable {
    /// The user logged out meanwhile.
    case nothing
    /// Nothing of class A: a lock was asked for meanwhile.
    case classC
    case everything

    static func < (left: UnlockExtent, right: UnlockExtent) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension Keybag {
    /// Fresh random class keys.
    static func newKeys(_ classes: [ProtectionClass]) -> [ProtectionClass: Secret] {
        var keys: [ProtectionClass: Secret] = [:]
        for protectionClass in classes {
            keys[protectionClass] = Secret(.random(byteCount: Cryptography.keyByteCount))
        }
        return keys
    }

    /// All keys under one.
    static func wrap(
        _ keys: [ProtectionClass: Secret], using wrappingKey: SymmetricKey
    ) -> [ProtectionClass: [UInt8]]? {
        let wrapped = keys.compactMapValues {
            Cryptography.wrap($0.bytes.symmetricKey(), using: wrappingKey)
        }
        return wrapped.count == keys.count ? wrapped : nil
    }

    /// All of the classes, or nothing.
    func unwrap(
        _ classes: [ProtectionClass], using wrappingKey: SymmetricKey
    ) -> [ProtectionClass: Secret]? {
        var keys: [ProtectionClass: Secret] = [:]
        for protectionClass in classes {
            guard let wrapped = wrappedKeys[protectionClass] else { return nil }
            let key = unsafe wrapped.withUnsafeBytes { bytes in
                unsafe Cryptography.unwrap(bytes, using: wrappingKey)
            }
            guard let key else { return nil }
            keys[protectionClass] = Secret(key)
        }
        return keys
    }
}
