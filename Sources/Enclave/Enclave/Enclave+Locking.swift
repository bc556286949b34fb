// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import EnclaveWire

// MARK: - Time

extension Enclave {
    /// Does what is due. Each request calls it first, and so does the loop when no request comes.
    package mutating func tick() {
        let now = clock()
        guard !hasEnded, let due = deadline, now >= due else { return }
        deadline = nil
        for keybag in Array(keybags.values) {
            if let due = keybag.schedule.due, due <= now {
                lockNow(keybag)
                notify(.lockedInTime(user: keybag.user))
            }
            if let since = keybag.schedule.lockedSince, since + inactivity.seconds <= now {
                drop(keybag) { $0.drop { _ in true } }
                keybag.schedule.lockedSince = nil
                notify(.lockedInTime(user: keybag.user))
            }
            noteDeadline(keybag)
        }
    }

    /// The time until something is due; nil when nothing is.
    package var secondsUntilDeadline: UInt64? {
        let now = clock()
        return deadline.map { $0 > now ? $0 - now : 0 }
    }

    /// Must be called after each change of a keybag's schedule.
    mutating func noteDeadline(_ keybag: UserKeybag) {
        guard let next = keybag.schedule.deadline(inactivity) else { return }
        deadline = min(deadline ?? .max, next)
    }

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
            lockNow(keybag)
            drop(keybag) { $0.drop { _ in true } }
            keybag.schedule.lockedSince = nil
            if pending?.keybag === keybag { pending?.extent = .nothing }
        case .now:
            ask(for: now, keybag, now)
        case .afterGrace:
            ask(for: now + UInt64(keybag.keybag.settings.graceSeconds), keybag, now)
        }
        return LockAnswer(seconds: secondsUntilLocked(keybag), lockCount: keybag.lockCount)
    }

    /// Locks every user at once, even if a program holds one unlocked: the machine is going to sleep.
    mutating func lockEverybody() -> LockAnswer {
        for keybag in Array(keybags.values) { lockNow(keybag) }
        return LockAnswer(seconds: 0, lockCount: 0)
    }

    private mutating func ask(for earliest: UInt64, _ keybag: UserKeybag, _ now: UInt64) {
        let isPending = pending?.keybag === keybag
        guard keybag.state == .unlocked || isPending else { return }
        guard earliest > now || keybag.schedule.isHeld(now: now) else {
            lockNow(keybag)
            return
        }
        keybag.schedule.ask(for: earliest)
        // The lock was requested after the current unlock began, so that unlock doesn't cancel it.
        if isPending { pending?.keepsSchedule = true }
        noteDeadline(keybag)
    }

    /// Drops the keys of class A; a passcode operation that is under way doesn't bring them back.
    mutating func lockNow(_ keybag: UserKeybag) {
        let wasUnlocked = keybag.state == .unlocked
        drop(keybag) { $0.drop { $0.isDroppedAtLock } }
        keybag.schedule.finish()
        if wasUnlocked { keybag.schedule.lockedSince = clock() }
        if pending?.keybag === keybag && pending?.extent == .everything {
            pending?.extent = .classC
        }
        noteDeadline(keybag)
    }

    /// Makes a change that may drop class keys, and records an event if it did.
    mutating func drop(_ keybag: UserKeybag, _ change: (UserKeybag) -> Void) {
        let (usable, existing) = (keybag.usableClasses, keybag.existingClasses)
        change(keybag)
        let gone = usable.subtracting(keybag.usableClasses)
            .union(existing.subtracting(keybag.existingClasses))
        guard !gone.isEmpty else { return }
        keybag.noteDrop(number: nextLockEvent(), gone)
    }

    mutating func nextLockEvent() -> UInt32 {
        lastLockEvent &+= 1
        return lastLockEvent
    }

    /// The first event after a given one.
    package func lockEvent(after number: UInt32) -> LockEvent? {
        guard lastLockEvent > number else { return nil }
        return keybags.values.compactMap(\.lastEvent).filter { $0.number > number }
            .min { $0.number < $1.number }
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
            return try takeAssertion(seconds, keybag)
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

    /// Once a lock has been requested, no new assertion can delay it further.
    private mutating func takeAssertion(
        _ seconds: UInt16, _ keybag: UserKeybag
    ) throws(Refusal) -> UInt32 {
        guard keybag.state == .unlocked || keybag.state == .noPasscode,
            keybag.schedule.askedFor == nil
        else { throw .status(.locked) }
        let now = clock()
        let token = lastToken == .max ? 1 : lastToken + 1
        guard keybag.schedule.hold(token, until: now + UInt64(seconds), now: now) else {
            throw .status(.busy)
        }
        lastToken = token
        return token
    }
}
