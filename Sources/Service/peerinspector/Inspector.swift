// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import Glibc
import IPC
import Sandbox

/// Inspects the processes that connect to securityd. securityd itself may not do that, or must not
/// wait for it. Started with a connection to securityd as descriptor 3:
///
///     peerinspector --state DIRECTORY [--starter] [--user UID GID]
///
/// Started by root with a user, it becomes that user and keeps only the right to inspect other
/// processes. With `--starter`, descriptor 3 is the supervisor's, and inspectors are children of a
/// child of this process. An inspector ends when securityd closes the connection. A process may block it
/// without end, so securityd kills it when it takes too long.
enum Inspector {
    private static let connection: Int32 = 3

    static func run(_ arguments: [String]) -> Int32 {
        let isStarter = arguments.count > 2 && arguments[2] == "--starter"
        let words = isStarter ? Array(arguments[..<2] + arguments[3...]) : arguments
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
        guard isStarter else { return inspect(words[1], socket: connection) }
        do throws(SandboxError) { try Sandbox.enterForStartingInspectors() } catch {
            return complain("\(error)")
        }
        return keepingChild {
            InspectorStarter(ControlSocket(Descriptor(owning: connection))) {
                inspect(words[1], socket: $0)
            }.run()
        }
    }

    private static let pauseMicroseconds: UInt32 = 100_000

    /// Runs a body in a child, and again in another one if that doesn't end in order. The supervisor
    /// can't start this process again: it has given the right away. This one reads nothing, so nothing
    /// that comes from outside ends it.
    private static func keepingChild(_ body: () -> Int32) -> Int32 {
        while true {
            let child = llavero_fork()
            guard child != 0 else {
                guard llavero_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL), 0) == 0 else { return 1 }
                return body()
            }
            guard child > 0 else { return complain("can't fork: error \(errno)") }
            var status: Int32 = 0
            while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
            if llavero_wifexited(status) != 0, llavero_wexitstatus(status) == 0 { return 0 }
            _ = complain("the starter of inspectors ended; another one is started")
            usleep(pauseMicroseconds)
        }
    }

    private static func inspect(_ stateDirectory: String, socket: Int32) -> Int32 {
        let inspector = PeerInspector(.ofDevice(stateDirectory: stateDirectory))
        do throws(SandboxError) { try Sandbox.enterForInspecting() } catch {
            return complain("\(error)")
        }
        InspectionServer(inspector, socket: socket).run()
        return 0
    }

    private static func complain(_ line: String) -> Int32 {
        let bytes = Array("peerinspector: \(line)\n".utf8)
        _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
        return 1
    }
}
