// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// The guard's side: watches a child, ends it when standard input ends, carries out command lines.
struct Guardian: ~Copyable {
    private let child: Int32
    private let watch: Int32
    private var deadline: Int32 = -1
    private var unread: [UInt8] = []

    init(child: Int32, watch: Int32) {
        self.child = child
        self.watch = watch
    }

    /// Waits for an event, and handles it.
    /// - Returns: Whether the child has ended.
    mutating func turn(_ supervisor: inout FaultSupervisor?) -> Bool {
        let listener = supervisor?.listener ?? -1
        var entries = [
            pollfd(fd: watch, events: Int16(POLLIN), revents: 0),
            pollfd(fd: deadline < 0 ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
        ]
        let count = unsafe poll(&entries, 3, deadline)
        if entries[0].revents != 0 { return true }
        if count == 0 { kill(child, SIGKILL) }
        if entries[2].revents & Int16(POLLIN) != 0 { supervisor?.serve() }
        if entries[1].revents != 0, inputHasEnded(&supervisor) {
            kill(child, SIGTERM)
            // Longer than a supervisor's limit for its worker.
            deadline = 30_000
        }
        return false
    }

    private mutating func inputHasEnded(_ supervisor: inout FaultSupervisor?) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else { return true }
        unread += bytes[..<count]
        while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: unread[..<end], as: UTF8.self)
            unread.removeFirst(end + 1)
            Launcher.say(supervisor?.obey(line[...]) ?? "no faults here")
        }
        return false
    }
}
