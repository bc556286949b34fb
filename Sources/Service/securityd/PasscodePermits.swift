// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation

/// Root's permits for users to set their first passcode: files that only root can make, named by
/// the user's number, each good for ten minutes (`security device permit-passcode`).
struct PasscodePermits: Sendable {
    private static let seconds = 600

    /// Their directory; root's.
    let directory: String

    /// Whether a user has one.
    func hasFresh(of userID: UInt32) -> Bool {
        var status = stat()
        guard unsafe lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == 0, status.st_mode & 0o022 == 0,
            unsafe lstat("\(directory)/\(userID)", &status) == 0,
            status.st_mode & S_IFMT == S_IFREG, status.st_uid == 0
        else { return false }
        let age = time(nil) - status.st_mtim.tv_sec
        return (0...Self.seconds).contains(age)
    }
}
