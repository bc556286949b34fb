// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import KeychainVocabulary
import SecretBytes

/// One user's keybag in memory: the wrapped keys, and those class keys that are open now.
///
/// A class so that no second copy of the open keys comes about: dropping the reference wipes them.
final class UserKeybag {
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
    /// The keychains with passwords of their own.
    var keychains: UserKeychains
    /// The bag for backups.
    var backup = UserBackup()
    /// Whether the list couldn't be read, which says nothing of what is in it.
    var hasUnreadList = false
    /// All keys were erased, and nobody has asked since what is remembered: a commit that comes now is
    /// one of rows of before, whose writer has yet to hear of it.
    var forgetsCommits = false
    /// What is remembered of the database.
    var anchor = KnownAnchor.record(
        AnchorRecord(sequence: 0, commit: 0, keybagGeneration: 0))
    /// Fingers in a row that the reader didn't know.
    var missCount = 0
    /// How often keys have been dropped since the process began.
    private(set) var lockCount: UInt32 = 0
    /// The last time that keys were dropped.
    private(set) var lastEvent: LockEvent?
    private(set) var keybag: Keybag
    private var openKeys: OpenKeys

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
        keychains = UserKeychains(of: keybag)
        let wanted = keybag.wrappedClasses.filter { !keybag.isProtected || !$0.needsPasscode }
        guard let opened = keybag.unwrap(wanted, using: keys.wrappingKey(uuid: keybag.uuid)),
            let always = AlwaysKeys(opened)
        else { throw .wrongValue("WPKY") }
        openKeys = .beforeFirstUnlock(always)
        guard !keybag.isProtected else { return }
        guard let firstUnlock = FirstUnlockKeys(opened), let unlocked = UnlockedKeys(opened) else {
            throw .wrongValue("WPKY")
        }
        openKeys = openKeys.opening(firstUnlock, unlocked)
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

    /// Whether a class key is usable.
    func availability(_ protectionClass: ProtectionClass) -> Availability {
        Availability(of: protectionClass, in: openKeys, of: keybag)
    }

    var state: EnclaveLockState {
        guard keybag.isProtected else { return .noPasscode }
        return switch openKeys {
        case .beforeFirstUnlock: .beforeFirstUnlock
        case .locked: .locked
        case .unlocked: .unlocked
        }
    }

    /// Whether the files have all that is in memory: no key that the passcode opened, no event, and no
    /// delay that has begun.
    var isAsStored: Bool {
        lastEvent == nil && attempts.failures == 0
            && (state == .noPasscode || state == .beforeFirstUnlock)
            && keychains.unlockedCount == 0
    }

    /// After so many fingers in a row that the reader didn't know, none counts until the passcode is
    /// given (Apple's number). Every new start begins with the passcode, so that the count may be
    /// forgotten with the process.
    static let missLimit = 5

    /// Whether no finger counts now.
    var isBiometryLockedOut: Bool { missCount >= Self.missLimit }

    var usableClasses: ProtectionClassSet {
        Self.set(ProtectionClass.allCases.filter { openKeys[$0] != nil })
    }
    var existingClasses: ProtectionClassSet { Self.set(keybag.classes) }

    /// Whether there is a recovery code.
    var hasRecoveryCode: Bool { protectors.has(.recoveryCode) }

    /// Whether all class keys but that of akpu are open: a protector, or a new passcode, needs them.
    var hasProtectorsKeys: Bool { state == .noPasscode || state == .unlocked }

    private static func set(_ classes: some Sequence<ProtectionClass>) -> ProtectionClassSet {
        classes.reduce(into: []) { $0.formUnion(ProtectionClassSet($1)) }
    }

    // MARK: - Changes

    /// Drops the keys that a lock drops; where nothing protects the keybag, there is nothing to lock
    /// with.
    func lock() {
        guard keybag.isProtected else { return }
        openKeys = openKeys.locked
        backup.forgetSenders()
    }

    /// Drops all keys that the passcode protects, as a restart would.
    func forget() {
        guard keybag.isProtected else { return }
        openKeys = openKeys.forgotten
        backup.forgetSenders()
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
        open(opened, extent: extent)
        return true
    }

    /// Opens class keys that the passcode protects, or a protector holds.
    func open(_ protected: [ProtectionClass: Secret], extent: UnlockExtent) {
        guard extent != .nothing, let firstUnlock = FirstUnlockKeys(protected) else { return }
        if extent == .everything, let unlocked = UnlockedKeys(protected) {
            openKeys = openKeys.opening(firstUnlock, unlocked)
        } else {
            openKeys = openKeys.opening(firstUnlock)
        }
    }

    /// A next keybag, with the same keys.
    func nextKeybag(_ next: Keybag) -> NextKeybag {
        NextKeybag(keybag: next, keys: openKeys)
    }

    /// The next keybag, with the same keys and another list of protectors.
    func listing(_ list: ProtectorList) -> NextKeybag? {
        guard keybag.generation < .max else { return nil }
        var next = keybag
        next.protectorsDigest = list.digest
        next.generation += 1
        return NextKeybag(keybag: next, keys: openKeys)
    }

    /// The next keybag, without a passcode, of which the protectors of the list alone open the
    /// classes that a passcode would.
    /// - Returns: Nil unless all class keys are open.
    func put(under list: ProtectorList) -> NextKeybag? {
        guard let whole = openKeys.whole,
            let next = rewrapped(whole, passcode: nil, list, wrappingKey: { _ in nil })
        else { return nil }
        var keybag = next.keybag
        for protectionClass in keybag.classes where protectionClass.needsPasscode {
            keybag.wrappedKeys[protectionClass] = nil
        }
        return NextKeybag(keybag: keybag, keys: next.keys)
    }

    /// The next keybag, with the same keys and other settings.
    func configured(_ settings: Keybag.Settings) -> NextKeybag? {
        guard keybag.generation < .max else { return nil }
        var next = keybag
        next.settings = settings
        next.generation += 1
        return NextKeybag(keybag: next, keys: openKeys)
    }

    /// The next keybag, in which fingerprints count for this, or for what they did; and of another
    /// set, if it changes.
    func configured(_ mode: BiometryMode?, changesSet: Bool) -> NextKeybag? {
        guard keybag.generation < .max else { return nil }
        var next = keybag
        if let mode { next.biometry.mode = mode }
        if changesSet || next.biometry.enrolment == 0 { next.biometry.renewEnrolment() }
        next.generation += 1
        return NextKeybag(keybag: next, keys: openKeys)
    }

    /// The next keybag, without a passcode, from the class keys of an escrow record or a recovery
    /// code.
    func reset(
        _ escrowed: [ProtectionClass: Secret], _ list: ProtectorList
    ) -> NextKeybag? {
        guard let firstUnlock = FirstUnlockKeys(escrowed), let unlocked = UnlockedKeys(escrowed)
        else { return nil }
        let whole = WholeKeys(
            always: openKeys.always, firstUnlock: firstUnlock, unlocked: unlocked)
        return rewrapped(whole.withoutPasscode, passcode: nil, list) { _ in nil }
    }

    /// All class keys that are open now; nil unless a new protector or passcode can take them all.
    var wholeKeys: [ProtectionClass: Secret]? {
        openKeys.whole.map { keys in
            Dictionary(keys.all.map { ($0.protectionClass, $0.key) }) { $1 }
        }
    }

    /// The next keybag, with the same class keys under a new passcode.
    /// - Returns: Nil unless all class keys are open.
    func protected(
        by passcode: Keybag.PasscodeProtection, passcodeKey: SymmetricKey, _ list: ProtectorList
    ) -> NextKeybag? {
        guard var whole = openKeys.whole else { return nil }
        if whole.unlocked.akpu == nil {
            guard keybag.passcode == nil else { return nil }
            whole.unlocked.akpu = Keybag.newKey()
        }
        return rewrapped(whole, passcode: passcode, list) { protectionClass in
            protectionClass.needsPasscode ? passcodeKey : nil
        }
    }

    /// The next keybag, without a passcode; the key of akpu goes.
    /// - Returns: Nil unless all class keys are open.
    func unprotected(_ list: ProtectorList) -> NextKeybag? {
        openKeys.whole.flatMap { whole in
            rewrapped(whole.withoutPasscode, passcode: nil, list) { _ in nil }
        }
    }

    /// The next keybag, with the same class keys under another device key and the same passcode, or
    /// still none.
    /// - Returns: Nil unless all class keys are open.
    func moved(
        under keys: KeybagKeys, _ enrolled: EnrolledPasscode?, _ list: ProtectorList
    ) -> NextKeybag? {
        guard let whole = openKeys.whole, (enrolled == nil) == (keybag.passcode == nil) else {
            return nil
        }
        return rewrapped(whole, passcode: enrolled?.protection, list, under: keys) {
            protectionClass in
            protectionClass.needsPasscode ? enrolled?.key : nil
        }
    }

    private func rewrapped(
        _ whole: WholeKeys, passcode: Keybag.PasscodeProtection?, _ list: ProtectorList,
        under newKeys: KeybagKeys? = nil, wrappingKey: (ProtectionClass) -> SymmetricKey?
    ) -> NextKeybag? {
        let classes = Keybag.classes(withPasscode: passcode != nil)
        guard keybag.generation < .max else { return nil }
        let deviceKey = (newKeys ?? keys).wrappingKey(uuid: keybag.uuid)
        var wrapped: [ProtectionClass: [UInt8]] = [:]
        for (protectionClass, key) in whole.all {
            wrapped[protectionClass] = Cryptography.wrap(
                key.bytes.symmetricKey(), using: wrappingKey(protectionClass) ?? deviceKey)
        }
        guard Set(wrapped.keys) == Set(classes) else { return nil }
        let next = Keybag(
            uuid: keybag.uuid, generation: keybag.generation + 1, passcode: passcode,
            wrappedKeys: wrapped, settings: passcode == nil ? .init() : keybag.settings,
            erasures: keybag.erasures, protectorsDigest: list.digest,
            biometry: keybag.biometry(withPasscode: passcode != nil),
            keychainsDigest: keybag.keychainsDigest, backupDigest: keybag.backupDigest)
        return NextKeybag(keybag: next, keys: .unlocked(whole))
    }

    /// Takes over a keybag that has been stored.
    /// - Parameters:
    ///   - next: It, and its class keys.
    ///   - newKeys: Of another device key, if it is under one.
    func adopt(_ next: NextKeybag, under newKeys: KeybagKeys? = nil) {
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

/// The keybag that replaces a user's, once it is stored, with the class keys that are open then.
struct NextKeybag {
    let keybag: Keybag
    let keys: OpenKeys
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
        for protectionClass in classes { keys[protectionClass] = newKey() }
        return keys
    }

    /// A fresh random class key.
    static func newKey() -> Secret { Secret(.random(byteCount: Cryptography.keyByteCount)) }

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
