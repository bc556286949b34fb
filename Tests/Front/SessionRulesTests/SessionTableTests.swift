// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SessionRules
import Testing

@Suite struct SessionTableTests {
    private static func session(
        _ name: String, of user: UInt32 = 1000, isLocked: Bool = false, isIdle: Bool = false
    ) -> MachineSession {
        MachineSession(
            path: "/session/\(name)", userID: user, userName: "u\(user)", isLocked: isLocked,
            isIdle: isIdle)
    }

    private static func due(_ cause: LockCause, of user: UInt32 = 1000) -> DueLock {
        DueLock(userID: user, userName: "u\(user)", cause: cause)
    }

    private static func table(_ sessions: MachineSession...) -> SessionTable {
        var table = SessionTable()
        #expect(table.take(.listed(sessions)) == [])
        return table
    }

    @Test func aSessionThatIsAskedToLockLocksItsUserAlone() {
        var table = Self.table(Self.session("1"), Self.session("2"), Self.session("3", of: 1001))
        #expect(table.take(.lockRequested(path: "/session/1")) == [Self.due(.lock)])
        #expect(table.take(.lockRequested(path: "/session/3")) == [Self.due(.lock, of: 1001)])
        #expect(table.take(.lockRequested(path: "/session/4")) == [])
    }

    @Test func theLastOpenSessionLocksWhenItIsLockedOrEnds() {
        var table = Self.table(Self.session("1"), Self.session("2"), Self.session("3", of: 1001))
        #expect(table.take(.changed(Self.session("1", isLocked: true))) == [])
        #expect(
            table.take(.changed(Self.session("2", isLocked: true))) == [Self.due(.lastSession)])
        // Unlocking a screen opens nothing, and ends no duty.
        #expect(table.take(.changed(Self.session("2"))) == [])
        #expect(table.take(.ended(path: "/session/2")) == [Self.due(.lastSession)])
        // It was locked already.
        #expect(table.take(.ended(path: "/session/1")) == [])
        #expect(table.take(.ended(path: "/session/1")) == [])
        #expect(table.take(.ended(path: "/session/3")) == [Self.due(.lastSession, of: 1001)])
    }

    @Test func aUserIsIdleWhenAllSessionsAre() {
        var table = Self.table(Self.session("1"), Self.session("2"))
        #expect(table.take(.changed(Self.session("1", isIdle: true))) == [])
        #expect(table.take(.changed(Self.session("2", isIdle: true))) == [Self.due(.idle)])
        #expect(table.take(.changed(Self.session("2", isIdle: true))) == [])
        #expect(table.take(.changed(Self.session("2"))) == [])
        #expect(table.take(.changed(Self.session("2", isIdle: true))) == [Self.due(.idle)])
    }

    /// As after a time without the bus.
    @Test func whatHappenedMeanwhileCounts() {
        var table = Self.table(
            Self.session("1"), Self.session("2", of: 1001), Self.session("3", of: 1002),
            Self.session("4", of: 1003), Self.session("5", of: 1004, isLocked: true))
        let now = [
            Self.session("2", of: 1001, isLocked: true), Self.session("3", of: 1002, isIdle: true),
            Self.session("6", of: 1003),
        ]
        #expect(
            table.take(.listed(now)) == [
                Self.due(.lastSession), Self.due(.lastSession, of: 1001),
                Self.due(.idle, of: 1002),
            ])
        #expect(table.take(.listed(now)) == [])
    }

    @Test func aNewSessionLocksNothing() {
        var table = SessionTable()
        #expect(table.take(.changed(Self.session("1", isLocked: true, isIdle: true))) == [])
        #expect(table.knows("/session/1"))
        #expect(!table.knows("/session/2"))
    }
}
