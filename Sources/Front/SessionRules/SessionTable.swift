// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A session of a person, as logind describes it.
package struct MachineSession: Hashable, Sendable {
    /// Its object on the bus, which names it.
    package let path: String
    package let userID: UInt32
    package let userName: String
    /// The screen is locked (LockedHint).
    package var isLocked: Bool
    /// Nobody uses it (IdleHint).
    package var isIdle: Bool

    package init(
        path: String, userID: UInt32, userName: String, isLocked: Bool = false,
        isIdle: Bool = false
    ) {
        self.path = path
        self.userID = userID
        self.userName = userName
        self.isLocked = isLocked
        self.isIdle = isIdle
    }
}

/// What logind reports. Its *Unlock* isn't here: it opens nothing.
package enum SessionEvent: Hashable, Sendable {
    /// All sessions there are.
    case listed([MachineSession])
    /// A session is new, or has changed.
    case changed(MachineSession)
    /// A session has ended.
    case ended(path: String)
    /// A session is asked to lock its screen.
    case lockRequested(path: String)
}

/// Why a user's keychain is locked.
package enum LockCause: String, CaseIterable, Sendable {
    /// A session of the user was asked to lock its screen.
    case lock
    /// The machine is going to sleep.
    case sleep
    /// Nobody uses any session of the user.
    case idle
    /// The user has no session left that isn't locked.
    case lastSession = "last-session"
}

/// A user whose keychain must be locked.
package struct DueLock: Hashable, Sendable {
    package let userID: UInt32
    package let userName: String
    package let cause: LockCause

    package init(userID: UInt32, userName: String, cause: LockCause) {
        self.userID = userID
        self.userName = userName
        self.cause = cause
    }
}

/// The sessions of all users, and what follows from their changes. It does no input or output.
package struct SessionTable: Sendable {
    private var sessions: [String: MachineSession] = [:]

    /// A table without sessions.
    package init() {}

    /// Takes in an event.
    /// - Returns: The users whose keychains must be locked for it; each at most once.
    package mutating func take(_ event: SessionEvent) -> [DueLock] {
        switch event {
        case .listed(let all): return list(all)
        case .changed(let session): return [change(session)].compactMap { $0 }
        case .ended(let path):
            guard let session = sessions.removeValue(forKey: path), !session.isLocked else {
                return []
            }
            return isOpen(session.userID) ? [] : [Self.due(session, .lastSession)]
        case .lockRequested(let path):
            return sessions[path].map { [Self.due($0, .lock)] } ?? []
        }
    }

    /// Whether a session is known.
    package func knows(_ path: String) -> Bool { sessions[path] != nil }

    /// A known session.
    package func session(_ path: String) -> MachineSession? { sessions[path] }

    private mutating func change(_ session: MachineSession) -> DueLock? {
        let before = sessions[session.path]
        sessions[session.path] = session
        if session.isLocked, before?.isLocked == false, !isOpen(session.userID) {
            return Self.due(session, .lastSession)
        }
        if session.isIdle, before?.isIdle == false, Self.isIdle(session.userID, sessions) {
            return Self.due(session, .idle)
        }
        return nil
    }

    /// After a time without reports: what happened meanwhile counts as if it had been reported.
    private mutating func list(_ all: [MachineSession]) -> [DueLock] {
        let before = sessions
        sessions = Dictionary(all.map { ($0.path, $0) }) { first, _ in first }
        var dues: [UInt32: DueLock] = [:]
        for session in before.values where !session.isLocked && !isOpen(session.userID) {
            dues[session.userID] = Self.due(session, .lastSession)
        }
        for session in before.values
        where !Self.isIdle(session.userID, before) && Self.isIdle(session.userID, sessions)
            && dues[session.userID] == nil
        {
            dues[session.userID] = Self.due(session, .idle)
        }
        return dues.values.sorted { $0.userID < $1.userID }
    }

    /// Whether a user has a session that isn't locked.
    private func isOpen(_ userID: UInt32) -> Bool {
        sessions.values.contains { $0.userID == userID && !$0.isLocked }
    }

    /// Whether a user has sessions, and nobody uses any of them.
    private static func isIdle(
        _ userID: UInt32, _ sessions: [String: MachineSession]
    ) -> Bool {
        let own = sessions.values.filter { $0.userID == userID }
        return !own.isEmpty && own.allSatisfy { $0.isIdle || $0.isLocked }
    }

    private static func due(_ session: MachineSession, _ cause: LockCause) -> DueLock {
        DueLock(userID: session.userID, userName: session.userName, cause: cause)
    }
}
