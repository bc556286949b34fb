// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import Glibc
import Sandbox

/// Looks into the processes that connect to securityd, which may not do so itself or must not wait
/// for them. Started with a connection to securityd as descriptor 3:
///
///     peerinspector --state DIRECTORY [--user UID GID]
///
/// Started by root with a user, it becomes that one and keeps the one right to look into other
/// processes. It ends when securityd lets go of the connection, and securityd ends it when it takes
/// too long: a process may keep it waiting for ever.
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
        // Somebody waits for a lease: it is given back as soon as the digest is taken.
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
