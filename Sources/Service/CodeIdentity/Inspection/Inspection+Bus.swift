// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC

extension Inspection {
    /// Adds what a front is told besides the identity: which file the program is, and its path if it is
    /// root's, judged by the file alone.
    func note(_ facts: inout ProcessFacts) {
        guard let mounts = ownMounts.table,
            let status = FileStatus(descriptor: traces.program.rawValue), status.isRegular,
            let place = ProcessFile.link("/proc/self/fd/\(traces.program.rawValue)")
        else { return }
        facts.program = ProcessFacts.ProgramFile(
            device: status.identity.device, inode: status.identity.inode)
        var rootsFiles = RootsFiles(mounts: mounts, sharesMounts: traces.sharesMounts)
        guard let found = try? rootsPath(place, status, &rootsFiles), found.isRoots else { return }
        facts.rootsPath = found.path
    }
}
