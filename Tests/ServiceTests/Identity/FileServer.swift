// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// A file system (FUSE) that an unprivileged user serves, with one program on it.
final class FileServer {
    let process: TestProcess
    /// As programs outside its namespaces reach it.
    let program: String

    /// Starts one.
    /// - Parameters:
    ///   - world: In whose directory it is mounted, at `place`.
    ///   - files: What it serves, and then, if there is a second one, what it serves after a line.
    ///   - isMountedByRoot: Root mounts it, in a mount namespace of root's, and its files are root's.
    /// - Throws: what can't be made or started.
    init(_ world: SignedWorld, _ files: [String], isMountedByRoot: Bool = false) throws {
        let attacker = try Attackers.compile("fileserver", into: world.directory)
        let device = world.directory + "/fuse"
        let place = world.directory + "/place"
        // A node of our own: that of the machine stays as it is.
        let number = dev_t(10 << 8 | 229)
        guard unsafe mknod(device, S_IFCHR | 0o666, number) == 0,
            unsafe chmod(device, 0o666) == 0
        else { throw TestFailure("The device can't be made.") }
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try Attackers.giveAway(place)
        if isMountedByRoot {
            let user = "\(TestService.unprivilegedUser)"
            process = try world.start(
                "/usr/bin/unshare", ["-m", attacker, device, place] + files,
                environment: ["FILESERVER_USER": user], flags: [])
        } else {
            process = try world.start(attacker, [device, place] + files)
        }
        #expect(try process.readLine() == "mounted")
        program = "/proc/\(process.pid)/root\(place)/program"
    }

    /// Answers nothing any more.
    func halt() throws {
        process.signal(SIGSTOP)
        try Waiting.until("the file server to stop") {
            try ProcessFile.read(self.process.pid, "stat").contains(") T ")
        }
    }
}
