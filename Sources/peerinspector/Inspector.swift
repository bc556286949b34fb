// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import Glibc
import IPC
import Sandbox

/// Looks into the processes that connect to a securityd that may not do so itself. Started by root,
/// with two connections to securityd as descriptors 3 and 4:
///
///     peerinspector --state DIRECTORY --user UID GID
///
/// It becomes that user, keeps the one right to look into other processes, and ends when securityd
/// lets go of either connection.
enum Inspector {
    private static let quick: Int32 = 3
    private static let slow: Int32 = 4

    /// Where the two threads meet.
    private final class Gate: Sendable {
        let hasStarted: EventCounter
        let hasWalls: EventCounter

        init() throws(SystemError) {
            hasStarted = try EventCounter()
            hasWalls = try EventCounter()
        }
    }

    static func run(_ words: [String]) -> Int32 {
        guard words.count == 5, words[0] == "--state", words[1].hasPrefix("/"),
            words[2] == "--user", let user = UInt32(words[3]), let group = UInt32(words[4]),
            user != 0, group != 0
        else { return complain("it is started by securityd's supervisor") }
        guard llavero_become_inspector(user, group) == 0 else {
            return complain("can't become user \(user): error \(errno)")
        }
        signal(SIGPIPE, SIG_IGN)
        let inspector = PeerInspector(.ofDevice(stateDirectory: words[1]))
        do throws(SystemError) {
            // The thread before the walls: none is made afterwards, and a new one asks the kernel
            // for things that are forbidden then.
            let gate = try Gate()
            try NativeThread.start {
                gate.hasStarted.signal()
                gate.hasWalls.wait()
                InspectionServer(inspector, socket: slow).run()
                exit(0)
            }
            gate.hasStarted.wait()
            do throws(SandboxError) { try Sandbox.enterForInspecting() } catch {
                return complain("\(error)")
            }
            gate.hasWalls.signal()
        } catch { return complain("\(error)") }
        InspectionServer(inspector, socket: quick).run()
        return 0
    }

    private static func complain(_ line: String) -> Int32 {
        let bytes = Array("peerinspector: \(line)\n".utf8)
        _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
        return 1
    }
}
