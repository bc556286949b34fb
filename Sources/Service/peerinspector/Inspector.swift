// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import Glibc
import Sandbox

/// Inspects the processes that connect to securityd. securityd itself may not do that, or must not
/// wait for it. Started with a connection to securityd as descriptor 3:
///
///     peerinspector --state DIRECTORY [--user UID GID]
///
/// Started by root with a user, it becomes that user and keeps only the right to inspect other
/// processes. It ends when securityd closes the connection. A process may block it without end, so
/// securityd kills it when it takes too long.
enum Inspector {
    private static let connection: Int32 = 3

    static func run(_ words: [String]) -> Int32 {
        guard words.count == 2 || words.count == 5, words[0] == "--state",
            words[1].hasPrefix("/")
        else { return complain("it is started by securityd") }
        if words.count == 5 {
            guard words[2] == "--user", let user = UInt32(words[3]), let group = UInt32(words[4]),
                user != 0, group != 0
            else { return complain("it is started by securityd") }
            guard llavero_become_inspector(user, group) == 0 else {
                return complain("can't become user \(user): error \(errno)")
            }
        }
        signal(SIGPIPE, SIG_IGN)
        // A program waits for the lease to open its file: release it as soon as the digest is
        // computed.
        signal(SIGIO, SIG_IGN)
        let inspector = PeerInspector(.ofDevice(stateDirectory: words[1]))
        do throws(SandboxError) { try Sandbox.enterForInspecting() } catch {
            return complain("\(error)")
        }
        InspectionServer(inspector, socket: connection).run()
        return 0
    }

    private static func complain(_ line: String) -> Int32 {
        let bytes = Array("peerinspector: \(line)\n".utf8)
        _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
        return 1
    }
}
