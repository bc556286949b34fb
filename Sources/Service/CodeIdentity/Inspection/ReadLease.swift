// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// Keeps writers away from a file for a moment.
struct ReadLease {
    private let descriptor: Int32
    private let isHeld: Bool

    /// Takes the lease, unless root alone can write the file.
    /// - Returns: Nil while somebody has the file open or mapped for writing, and where that can't
    ///   be told. A file that only its owner can write, who is neither this process's user nor root, is
    ///   taken without a lease: the kernel gives none.
    init?(_ file: borrowing Descriptor, _ status: FileStatus) {
        descriptor = file.rawValue
        if status.isRootsAlone {
            isHeld = false
        } else if llavero_take_read_lease(file.rawValue) == 0 {
            isHeld = true
        } else {
            guard errno == EACCES, status.isOwnersAlone else { return nil }
            isHeld = false
        }
    }

    /// Lets writers in.
    func giveBack() { if isHeld { _ = llavero_give_lease_back(descriptor) } }
}
