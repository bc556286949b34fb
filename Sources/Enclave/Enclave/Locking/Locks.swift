// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import EnclaveWire

/// Owns what all users' locks have in common: when the next one is due, the numbers of the events that
/// dropped keys, and the tokens of assertions.
struct Locks {
    private let inactivity: InactivityPolicy
    /// Nothing is due before this; it may be too early, never too late.
    private var deadline: UInt64?
    /// The number of the last event that dropped keys.
    private var lastEvent: UInt32 = 0
    /// The token of the last assertion.
    private var lastToken: UInt32 = 0

    init(_ inactivity: InactivityPolicy) { self.inactivity = inactivity }

    // MARK: - Time

    /// Whether something may be due. If so, the schedules of all users must be noted again.
    mutating func begin(_ now: UInt64) -> Bool {
        guard let due = deadline, now >= due else { return false }
        deadline = nil
        return true
    }

    /// The time until something is due; nil when nothing is.
    func secondsUntilDeadline(_ now: UInt64) -> UInt64? {
        deadline.map { $0 > now ? $0 - now : 0 }
    }

    /// Must be called after each change of a keybag's schedule.
    mutating func note(_ schedule: LockSchedule) {
        guard let next = schedule.deadline(inactivity) else { return }
        deadline = min(deadline ?? .max, next)
    }

    /// Whether a user has been locked for so long that the remaining keys are dropped.
    func isInactive(_ schedule: LockSchedule, _ now: UInt64) -> Bool {
        schedule.lockedSince.map { $0 + inactivity.seconds <= now } ?? false
    }

    // MARK: - Events

    /// Makes a change that may drop class keys, and records an event if it did.
    mutating func drop(_ keybag: UserKeybag, _ change: (UserKeybag) -> Void) {
        let (usable, existing) = (keybag.usableClasses, keybag.existingClasses)
        change(keybag)
        let gone = usable.subtracting(keybag.usableClasses)
            .union(existing.subtracting(keybag.existingClasses))
        guard !gone.isEmpty else { return }
        keybag.noteDrop(number: nextEvent(), gone)
    }

    mutating func nextEvent() -> UInt32 {
        lastEvent &+= 1
        return lastEvent
    }

    /// The first event after a given one.
    func event(after number: UInt32, of keybags: [UInt32: UserKeybag]) -> LockEvent? {
        guard lastEvent > number else { return nil }
        return keybags.values.compactMap(\.lastEvent).filter { $0.number > number }
            .min { $0.number < $1.number }
    }

    // MARK: - Assertions

    /// Takes an assertion. Once a lock has been requested, no new one can delay it further.
    /// - Returns: The token.
    mutating func hold(
        _ keybag: UserKeybag, seconds: UInt16, now: UInt64
    ) throws(Refusal) -> UInt32 {
        guard keybag.state == .unlocked || keybag.state == .noPasscode,
            keybag.schedule.askedFor == nil
        else { throw .status(.locked) }
        let token = lastToken == .max ? 1 : lastToken + 1
        guard keybag.schedule.hold(token, until: now + UInt64(seconds), now: now) else {
            throw .status(.busy)
        }
        lastToken = token
        return token
    }
}

// MARK: - Time

extension Enclave {
    /// Does what is due. Each request calls it first, and so does the loop when no request comes.
    package mutating func tick() {
        let now = clock()
        guard !hasEnded, locks.begin(now) else { return }
        archives.sweep(now: now)
        for keybag in Array(keybags.values) {
            if let due = keybag.schedule.due, due <= now {
                lockNow(keybag)
                notify(.lockedInTime(user: keybag.user))
            }
            if locks.isInactive(keybag.schedule, now) {
                locks.drop(keybag) { $0.forget() }
                keybag.schedule.lockedSince = nil
                notify(.lockedInTime(user: keybag.user))
            }
            if let due = keybag.schedule.keychainDue, due <= now {
                if keybag.keychains.lockIdle(now: now) {
                    notify(.keychainLockedInTime(user: keybag.user))
                }
                keybag.schedule.keychainDue = keybag.keychains.nextIdleLock
            }
            noteDeadline(keybag)
        }
    }

    /// The time until something is due; nil when nothing is.
    package var secondsUntilDeadline: UInt64? { locks.secondsUntilDeadline(clock()) }

    /// Must be called after each change of a keybag's schedule.
    mutating func noteDeadline(_ keybag: UserKeybag) { locks.note(keybag.schedule) }

    func secondsUntilLocked(_ keybag: UserKeybag) -> UInt32 {
        let now = clock()
        return UInt32(clamping: keybag.schedule.due.map { $0 > now ? $0 - now : 0 } ?? 0)
    }
}

// MARK: - Locking

extension Enclave {
    /// Locks, or schedules a lock.
    mutating func lock(_ mode: LockMode, _ keybag: UserKeybag) -> LockAnswer {
        let now = clock()
        switch mode {
        case .logOut:
            keybag.keychains.lockAll()
            lockNow(keybag)
            locks.drop(keybag) { $0.forget() }
            keybag.schedule.lockedSince = nil
            passcodes.limit(keybag, to: .nothing)
        case .now:
            ask(for: now, keybag, now)
        case .afterGrace:
            ask(for: now + UInt64(keybag.keybag.settings.graceSeconds), keybag, now)
        }
        return LockAnswer(seconds: secondsUntilLocked(keybag), lockCount: keybag.lockCount)
    }

    /// Locks every user at once, even if a program holds one unlocked: the machine is going to sleep.
    mutating func lockEverybody() -> LockAnswer {
        for keybag in Array(keybags.values) {
            keybag.keychains.lockForSleep()
            lockNow(keybag)
        }
        return LockAnswer(seconds: 0, lockCount: 0)
    }

    private mutating func ask(for earliest: UInt64, _ keybag: UserKeybag, _ now: UInt64) {
        let isPending = passcodes.isDeriving(keybag)
        guard keybag.state == .unlocked || isPending else { return }
        guard earliest > now || keybag.schedule.isHeld(now: now) else {
            lockNow(keybag)
            return
        }
        keybag.schedule.ask(for: earliest)
        // The lock was requested after the current unlock began, so that unlock doesn't cancel it.
        passcodes.keepSchedule(keybag)
        noteDeadline(keybag)
    }

    /// Drops the keys of class A; a passcode operation that is under way doesn't bring them back.
    mutating func lockNow(_ keybag: UserKeybag) {
        let wasUnlocked = keybag.state == .unlocked
        contexts.forget(keybag.user)
        archives.forget(keybag.user)
        locks.drop(keybag) { $0.lock() }
        keybag.schedule.finish()
        if wasUnlocked { keybag.schedule.lockedSince = clock() }
        passcodes.limit(keybag, to: .classC)
        noteDeadline(keybag)
    }

    /// The first event after a given one.
    package func lockEvent(after number: UInt32) -> LockEvent? {
        locks.event(after: number, of: keybags)
    }

    func answer(after number: UInt32) -> EnclaveAnswer {
        guard let event = lockEvent(after: number) else { return .waiting(after: number) }
        return .reply(.lockEvent(event))
    }
}

// MARK: - Assertions

extension Enclave {
    /// Takes or releases an assertion.
    /// - Returns: The token.
    mutating func assert(
        _ assertion: LockAssertion, _ keybag: UserKeybag
    ) throws(Refusal) -> UInt32 {
        switch assertion {
        case .take(let seconds):
            return try locks.hold(keybag, seconds: seconds, now: clock())
        case .release(let token):
            keybag.schedule.release(token)
            noteDeadline(keybag)
            tick()
            return token
        }
    }

    /// Releases all assertions: nobody is there any more who could release one.
    package mutating func releaseAssertions() {
        for keybag in keybags.values {
            keybag.schedule.releaseAll()
            noteDeadline(keybag)
        }
        tick()
    }
}
