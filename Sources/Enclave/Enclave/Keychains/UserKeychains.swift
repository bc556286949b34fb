// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import KeychainVocabulary
import SecretBytes

/// A user's keychains in memory: the list, and the keys of those that are unlocked.
struct UserKeychains {
    /// What is known of the list on the disk.
    enum Standing {
        case known
        /// The disk didn't give it, which says nothing of what is in it.
        case unread
        /// Both copies are missing, damaged, or older ones.
        case refused
    }

    private struct Unlocked {
        let secretsKey: Secret
        /// Seconds of the enclave's clock.
        var lastUse: UInt64
    }

    private(set) var list: KeychainList
    private(set) var standing = Standing.known
    private var unlocked: [UInt32: Unlocked] = [:]
    /// What was locked since a derivation began: its key stays out.
    private var lockedMeanwhile = LockedMeanwhile()

    private struct LockedMeanwhile {
        var numbers: Set<UInt32> = []
        var isAll = false
        /// The machine went to sleep.
        var isForSleep = false
    }

    init(of keybag: Keybag) { list = KeychainList(of: keybag) }

    /// Takes over a list that was read, or has been stored. A keychain that isn't in it any more is
    /// locked.
    mutating func take(_ list: KeychainList) {
        self.list = list
        standing = .known
        unlocked = unlocked.filter { list[$0.key] != nil }
    }

    /// Notes that the list can't be used.
    mutating func fail(_ standing: Standing) { self.standing = standing }

    // MARK: - Unlocked ones

    var unlockedCount: Int { unlocked.count }

    func isUnlocked(_ number: UInt32) -> Bool { unlocked[number] != nil }

    mutating func unlock(_ number: UInt32, _ secretsKey: Secret, now: UInt64) {
        unlocked[number] = Unlocked(secretsKey: secretsKey, lastUse: now)
    }

    mutating func lock(_ number: UInt32) {
        unlocked[number] = nil
        lockedMeanwhile.numbers.insert(number)
    }

    mutating func lockAll() {
        unlocked = [:]
        lockedMeanwhile.isAll = true
    }

    /// Notes that a derivation begins, at whose end a keychain may be unlocked.
    mutating func beginUnlocking() { lockedMeanwhile = LockedMeanwhile() }

    /// Whether nobody has locked a keychain since the derivation began that would unlock it now.
    func mayUnlock(_ number: UInt32, _ settings: KeychainSettings) -> Bool {
        !lockedMeanwhile.isAll && !lockedMeanwhile.numbers.contains(number)
            && !(lockedMeanwhile.isForSleep && settings.locksOnSleep)
    }

    /// Locks those that lock before the machine sleeps.
    mutating func lockForSleep() {
        lockedMeanwhile.isForSleep = true
        unlocked = unlocked.filter { list[$0.key]?.settings.locksOnSleep == false }
    }

    /// The key of an unlocked keychain's secrets, which counts as a use.
    mutating func secretsKey(_ number: UInt32, now: UInt64) -> Secret? {
        unlocked[number]?.lastUse = now
        return unlocked[number]?.secretsKey
    }

    // MARK: - Time

    /// When the first one locks by itself, unless it is used before.
    var nextIdleLock: UInt64? { unlocked.compactMap { idleLock($0.key, $0.value) }.min() }

    /// Locks those that weren't used for as long as their settings say.
    /// - Returns: Whether there was one.
    mutating func lockIdle(now: UInt64) -> Bool {
        let due = unlocked.filter { number, state in
            idleLock(number, state).map { $0 <= now } ?? false
        }
        for number in due.keys { unlocked[number] = nil }
        return !due.isEmpty
    }

    private func idleLock(_ number: UInt32, _ state: Unlocked) -> UInt64? {
        list[number]?.settings.idleSeconds.map { state.lastUse + UInt64($0) }
    }

    // MARK: - For securityd

    var listed: [ListedKeychain] {
        list.entries.map {
            ListedKeychain(
                number: $0.number, uuid: $0.uuid, settings: $0.settings,
                isUnlocked: isUnlocked($0.number))
        }
    }
}
