// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// The namespaces that a process's identity hangs on.
///
/// In a user namespace of its own a process may name any file as its program and, with a namespace
/// of process numbers, speak as any process of it. The owner of a mount namespace decides what is
/// found where.
struct Namespaces: Equatable {
    private struct Name: Equatable {
        let device: UInt64
        let inode: UInt64

        init(_ status: FileStatus) {
            device = status.identity.device
            inode = status.identity.inode
        }
    }

    private let user: Name
    private let processes: Name
    private let mounts: Name

    /// Of a process, `self` for this one; nil when it can't be seen.
    init?(process: String) {
        let directory = "/proc/\(process)/ns/"
        guard let user = FileStatus(path: directory + "user"),
            let processes = FileStatus(path: directory + "pid"),
            let mounts = FileStatus(path: directory + "mnt")
        else { return nil }
        self.user = Name(user)
        self.processes = Name(processes)
        self.mounts = Name(mounts)
    }

    /// Whether two processes see the same mounts.
    func haveSameMounts(as other: Namespaces) -> Bool { mounts == other.mounts }

    /// Whether a process stands where this one does: in the same namespaces of users and of process
    /// numbers, and among mounts that only who administers this namespace could have arranged.
    func hold(_ other: Namespaces, process: Int32) -> Bool {
        guard user == other.user, processes == other.processes else { return false }
        guard mounts != other.mounts else { return true }
        let file = unsafe llavero_open("/proc/\(process)/ns/mnt", O_RDONLY | O_CLOEXEC, 0)
        guard file >= 0 else { return false }
        let namespace = Descriptor(owning: file)
        let owner = llavero_owning_user_namespace(namespace.rawValue)
        guard owner >= 0 else { return false }
        let descriptor = Descriptor(owning: owner)
        guard let status = FileStatus(descriptor: descriptor.rawValue) else { return false }
        return Name(status) == user
    }
}
