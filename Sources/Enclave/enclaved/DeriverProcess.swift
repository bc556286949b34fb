// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import PasscodeDeriver
import Sandbox
import SecretBytes

/// Starts the passcode deriver: a child in the same sandbox, without any file except the TPM.
enum DeriverProcess {
    private static let childDescriptor: Int32 = 3

    /// Forks it; call this before the process has any secret.
    /// - Parameter tpm: The TPM, which only the child has from then on.
    /// - Returns: The connection to it.
    /// - Throws: when no child can be made.
    static func start(_ tpm: OpenedTPM?) throws(SystemError) -> DeriverConnection {
        precondition(!SecretMemory.hasBlocks, "a child would share the pages for secrets")
        let (parentEnd, childEnd) = try UnixSocket.pair()
        let parent = getpid()
        let child = llavero_fork()
        if child == 0 { _exit(serve(childEnd, tpm, parent: parent)) }
        guard child > 0 else { throw SystemError("fork") }
        close(childEnd)
        if let tpm { close(tpm.descriptor) }
        return DeriverConnection(Descriptor(owning: parentEnd))
    }

    private static func serve(_ socket: Int32, _ tpm: OpenedTPM?, parent: pid_t) -> Int32 {
        // The child ends with its parent; the check handles a parent that ended before.
        _ = llavero_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL), 0)
        guard getppid() == parent else { return 0 }
        // The TPM's descriptor may have the number that the socket needs, so it is moved first.
        let parked = tpm.map { fcntl($0.descriptor, F_DUPFD, childDescriptor + 2) } ?? 0
        guard parked >= 0,
            socket == childDescriptor || dup2(socket, childDescriptor) == childDescriptor,
            tpm == nil || dup2(parked, childDescriptor + 1) == childDescriptor + 1,
            llavero_close_range(UInt32(childDescriptor) + (tpm == nil ? 1 : 2), .max, 0) == 0
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
        let host = tpm.map { $0.host(at: childDescriptor + 1) }
        PasscodeDeriver.serve(Descriptor(owning: childDescriptor), host) { Sandbox.scrubStack() }
        return 0
    }
}
