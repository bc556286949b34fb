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
    /// Where it is mounted.
    let place: String
    private let isMountedForAll: Bool

    /// Starts one.
    /// - Parameters:
    ///   - world: In whose directory it is mounted.
    ///   - files: What it serves, and then, if there is a second one, what it serves after a line.
    ///   - holds: Whether it never answers a read.
    ///   - name: Its directory's.
    ///   - folder: Root mounts it in this one, as everybody sees it, and its files are root's.
    /// - Throws: what can't be made or started.
    init(
        _ world: SignedWorld, _ files: [String], holds: Bool = false,
        name: String = "place", mountedByRootIn folder: String? = nil
    ) throws {
        let attacker = try Attackers.compile("fileserver", into: world.directory)
        let device = world.directory + "/fuse-" + name
        place = (folder ?? world.directory) + "/" + name
        // A node of our own: that of the machine stays as it is.
        let number = dev_t(10 << 8 | 229)
        guard unsafe mknod(device, S_IFCHR | 0o666, number) == 0,
            unsafe chmod(device, 0o666) == 0
        else { throw TestFailure("The device can't be made.") }
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        if folder != nil {
            let user = "\(TestService.unprivilegedUser)"
            process = try world.start(
                attacker, [device, place] + files,
                environment: ["FILESERVER_USER": user], flags: [])
        } else {
            try Attackers.giveAway(place)
            process = try world.start(
                attacker, [device, place] + files,
                environment: holds ? ["FILESERVER_HOLDS": "1"] : [:])
        }
        #expect(try process.readLine() == "mounted")
        isMountedForAll = folder != nil
        program = "/proc/\(process.pid)/root\(place)/program"
    }

    /// Ends it, and takes its mount away.
    func end() {
        if isMountedForAll { _ = unsafe umount2(place, Int32(MNT_DETACH)) }
        process.end()
    }

    /// Answers nothing any more.
    func halt() throws {
        process.signal(SIGSTOP)
        try Waiting.until("the file server to stop") {
            try ProcessFile.read(self.process.pid, "stat").contains(") T ")
        }
    }
}
