// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// What one account can keep from others.
    @Suite(.enabled(if: geteuid() == 0, "only root can start the system service"))
    struct SystemLimits {
        private static let anna = SystemWorld.anna
        private static let berta = SystemWorld.berta
        /// Anna's subordinate numbers begin here.
        private static let subordinate = SystemWorld.anna - 1_800_000_000

        private static func giveNumbers(_ root: String) throws {
            let folder = root + "/etc"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            for (name, text) in [
                ("passwd", "anna:x:\(anna):\(anna)::/:/bin/sh\n"),
                ("subuid", "# comment\nanna:\(subordinate):65536\n"),
            ] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            }
        }

        /// An account speaks as many of its subordinate users, and takes all connections.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test func subordinateNumbersShareOneAccountsConnections() throws {
            try SystemWorld.prepare { root in
                try Self.giveNumbers(root)
                try SystemWorld.run(in: root, descriptorLimit: 1024) { world in
                    let script = """
                        import os, socket, sys, time
                        try: os.setsid()
                        except OSError: pass
                        first, path = int(sys.argv[1]), sys.argv[2]
                        children = []
                        for i in range(16):
                            ready, done = os.pipe()
                            if os.fork() == 0:
                                os.setgid(first + i); os.setuid(first + i)
                                held = []
                                for _ in range(16):
                                    s = socket.socket(socket.AF_UNIX); s.connect(path); held.append(s)
                                os.write(done, b"x")
                                time.sleep(1000)
                            os.close(done); children.append(ready)
                        for ready in children: os.read(ready, 1)
                        print("connected", flush=True)
                        time.sleep(1000)
                        """
                    let attacker = try TestProcess(
                        "python3", ["-c", script, "\(Self.subordinate)", world.socketPath])
                    defer {
                        kill(-attacker.pid, SIGKILL)
                        attacker.end()
                    }
                    #expect(try attacker.readLine() == "connected")
                    usleep(500_000)
                    // Another user still finds room, as often as they like.
                    for _ in 0..<8 {
                        #expect(try world.ask(Self.berta, "find", "bank") == "failed -25300")
                    }
                }
            }
        }

        /// One user fills the disk for all.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test func diskIsSharedByBytes() throws {
            try SystemWorld.prepare { root in
                let folder = root + "/etc/llavero"
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true)
                try Self.giveNumbers(root)
                try Data("1M\n".utf8).write(to: URL(fileURLWithPath: folder + "/disk-share"))
                try SystemWorld.run(in: root) { world in
                    let big = String(repeating: "x", count: 100_000)
                    var answers: [String] = []
                    for number in 0..<16 {
                        // As itself, and as a user number of its own.
                        let user = number % 2 == 0 ? Self.anna : Self.subordinate
                        answers.append(try world.ask(user, "add", "item \(number)", big))
                    }
                    let stored = answers.filter { $0 == "ok" }.count
                    #expect((8...11).contains(stored), "\(answers)")
                    #expect(answers.dropFirst(stored).allSatisfy { $0 == "failed -34" })
                    // What is there can be read and deleted, and others find room.
                    #expect(try world.ask(Self.anna, "find", "item 0") == big)
                    #expect(try world.ask(Self.berta, "add", "item", big) == "ok")
                    #expect(
                        try world.security(
                            Self.anna, "add-generic-password", "-a", "a", "-s", "more", "-w",
                            "\(big)"
                        ).contains("/etc/llavero/disk-share"))
                    // Deleting makes room; the rows are counted again after ten seconds.
                    for number in [0, 2] {
                        #expect(
                            try !world.security(
                                Self.anna, "delete-generic-password", "-s", "item \(number)"
                            ).contains("could not"))
                    }
                    try Waiting.until("room") {
                        try world.ask(Self.anna, "add", "again", big) == "ok"
                    }
                }
            }
        }

        /// Users who only ask for the state leave nothing behind, in memory or on the disk.
        @Test func usersWhoStoreNothingGetNoKeybag() throws {
            try SystemWorld.run { (world) throws in
                let folder = world.root + "/var/lib/llavero-enclave/enclave"
                func keybags() throws -> [String] {
                    try FileManager.default.contentsOfDirectory(atPath: folder).filter {
                        $0.hasPrefix("keybag")
                    }
                }
                for number in 0..<8 {
                    let user = Self.subordinate + UInt32(number)
                    #expect(try world.ask(user, "state") == "N")
                    #expect(try world.ask(user, "find", "bank") == "failed -25300")
                }
                #expect(try keybags() == [])
                // The control.
                #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                #expect(try !keybags().isEmpty)
                #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
            }
        }
    }
}
