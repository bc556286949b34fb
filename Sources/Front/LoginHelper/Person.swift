// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// The user who logs in.
struct Person {
    let userID: UInt32
    private let groupID: UInt32

    /// Looks the user up; nil when there is none.
    init?(_ name: String) {
        guard let entry = unsafe getpwnam(name) else { return nil }
        userID = unsafe entry.pointee.pw_uid
        groupID = unsafe entry.pointee.pw_gid
    }

    /// Root serves everyone. A screen lock runs as its user, and serves that user.
    var mayBeServed: Bool { geteuid() == 0 || geteuid() == userID && getuid() == userID }

    /// Does something as this user: securityd judges a process by its user.
    ///
    /// A process of root's that becomes a user without another program can't be debugged by that
    /// user's processes, so they can't read the password in it.
    func act(_ body: () -> LoginResult) -> LoginResult {
        guard geteuid() == 0, userID != 0 else { return body() }
        let child = llavero_fork()
        if child == 0 {
            // An alarm isn't inherited.
            alarm(8)
            guard llavero_become_user(userID, groupID, nil, 0) == 0,
                llavero_prctl(PR_SET_DUMPABLE, 0, 0) == 0
            else { _exit(LoginResult.unreachable.rawValue) }
            _exit(body().rawValue)
        }
        var status: Int32 = 0
        guard child > 0 else { return .unreachable }
        while unsafe waitpid(child, &status, 0) < 0 && errno == EINTR {}
        guard llavero_wifexited(status) != 0 else { return .unreachable }
        return LoginResult(rawValue: llavero_wexitstatus(status)) ?? .unreachable
    }
}
