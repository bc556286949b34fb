// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import PasscodeDeriver
import Sandbox

/// Starts the passcode deriver: a child in the same sandbox, without any file.
enum DeriverProcess {
    private static let childDescriptor: Int32 = 3

    /// Forks it; to be called before the process has any secret.
    static func start() throws(SystemError) -> DeriverConnection {
        let (parentEnd, childEnd) = try UnixSocket.pair()
        let parent = getpid()
        let child = llavero_fork()
        if child == 0 { _exit(serve(childEnd, parent: parent)) }
        guard child > 0 else { throw SystemError("fork") }
        close(childEnd)
        return DeriverConnection(Descriptor(owning: parentEnd))
    }

    private static func serve(_ socket: Int32, parent: pid_t) -> Int32 {
        // With its parent it loses its work; the check covers a parent that was faster.
        _ = llavero_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL), 0)
        guard getppid() == parent else { return 0 }
        guard
            socket == childDescriptor || dup2(socket, childDescriptor) == childDescriptor,
            llavero_close_range(UInt32(childDescriptor) + 1, .max, 0) == 0
        else {
            Console.say("\(SystemError("start of the passcode deriver"))")
            return 1
        }
        do {
            _ = try Sandbox.enter(stateDirectory: nil)
        } catch {
            Console.say("\(error)")
            return 1
        }
        PasscodeDeriver.serve(Descriptor(owning: childDescriptor)) { Sandbox.scrubStack() }
        return 0
    }
}
