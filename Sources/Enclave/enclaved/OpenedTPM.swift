// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import EnclaveState
import Glibc
import IPC
import PasscodeDeriver
import TPMClient

extension TPMHost: DeviceKeyHost {}

/// The TPM's descriptor; the process that talks to the TPM makes a host from it.
struct OpenedTPM {
    private static let resourceManager = "/dev/tpmrm0"
    private static let connectSeconds = 2

    let descriptor: Int32
    /// Whether it is the kernel's resource manager.
    private let isDevice: Bool

    /// Opens the TPM that the arguments name.
    /// - Returns: Nil when there is none, or this user may not use it.
    init?(_ maker: Arguments.Maker) {
        switch maker {
        case .file: return nil
        case .automatic, .tpm:
            descriptor = unsafe llavero_open(
                Self.resourceManager, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0)
            isDevice = true
            var status = stat()
            guard descriptor >= 0 else { return nil }
            guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFCHR
            else {
                close(descriptor)
                return nil
            }
        case .socket(let path):
            let timeout = Duration.seconds(Self.connectSeconds)
            guard let socket = try? UnixSocket.connect(to: path, timeout: timeout) else {
                return nil
            }
            let copy = fcntl(socket.rawValue, F_DUPFD_CLOEXEC, 3)
            guard copy >= 0, fcntl(copy, F_SETFL, O_NONBLOCK) == 0 else { return nil }
            descriptor = copy
            isDevice = false
        }
    }

    /// The child's host, on the descriptor's number there.
    func host(at number: Int32) -> TPMHost {
        TPMHost(
            TPMConnection(DescriptorTransport(owning: number)), isShared: isDevice,
            mayBeHardware: isDevice)
    }
}
