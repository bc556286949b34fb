// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SessionRules
import Testing

@Suite struct SessionOptionsTests {
    @Test func withoutAFileEverythingLocks() {
        let options = SessionOptions()
        #expect(options.lockOn == Set(LockCause.allCases))
        #expect(options.setsFirstPasscode)
        let (empty, unknown) = SessionOptions.reading("\n# nothing\n   # here\n")
        #expect(empty == options)
        #expect(unknown == [])
    }

    @Test func fileSaysWhatLocks() {
        let text = """
            # The screen alone.
            lock-on = lock last-session
            after-grace =\tlock   # and not idle
            first-passcode = none
            """
        let (options, unknown) = SessionOptions.reading(text)
        #expect(unknown == [])
        #expect(options.lockOn == [.lock, .lastSession])
        #expect(options.afterGrace == [.lock])
        #expect(!options.setsFirstPasscode)
        // A user's own file changes only what it says.
        let (own, _) = SessionOptions.reading("lock-on = none\r\n", over: options)
        #expect(own.lockOn == [])
        #expect(own.afterGrace == [.lock])
        #expect(!own.setsFirstPasscode)
    }

    /// A line that isn't understood must not switch a lock off.
    @Test func linesThatArentUnderstoodChangeNothing() {
        let text = """
            lock-on = lock slep
            lock-on lock
            lock-on =
            after-grace = sleep
            first-passcode = yes
            grace = 10
            = lock idle
            """
        let (options, unknown) = SessionOptions.reading(text)
        #expect(options == SessionOptions())
        #expect(unknown == [1, 2, 3, 4, 5, 6, 7])
    }
}
