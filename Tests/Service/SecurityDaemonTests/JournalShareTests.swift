// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import SecurityDaemon
import SecurityWire
import Testing

/// How much of the journal is one user's.
@Suite struct JournalShareTests {
    private static func note(_ journal: Journal, of userID: UInt32, count: Int) {
        let caller = AuditCaller(
            .unsigned(userID, .notInspectable), processID: 1, application: "test")
        for _ in 0..<count { journal.carriedOut(AuditSubject(caller, .read)) }
    }

    @Test func floodOfOneUserLeavesHalfOfTheRoom() throws {
        let journal = try Journal { 0 }
        Self.note(journal, of: 1, count: (1 << 15) - 1)
        #expect(journal.hasRoom(of: 1))
        Self.note(journal, of: 1, count: 1)
        #expect(!journal.hasRoom(of: 1))
        #expect(journal.hasRoom(of: 2))
        Self.note(journal, of: 2, count: 1 << 14)
        #expect(journal.hasRoom(of: 2))
        #expect(journal.hasRoom(of: 3))
    }
}
