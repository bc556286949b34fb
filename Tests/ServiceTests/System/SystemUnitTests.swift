// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Foundation
import IPC
import TestSupport
import Testing

extension ServiceTests {
    /// What systemd and the system service have to do with each other.
    @Suite(.enabled(if: geteuid() == 0, "only root can start the system service"))
    struct SystemUnits {
        private static let folder = Binaries.packageRoot + "/Packaging/systemd"

        private static func exposure(of unit: String) throws -> Double {
            let result = try TestProcess.run(
                "systemd-analyze", ["security", "--offline=true", "--no-pager", unit])
            let line = try #require(
                result.output.split(separator: "\n").first {
                    $0.contains("Overall exposure level")
                },
                "\(result.errors)")
            let words = line.split(separator: " ")
            let number = try #require(words.compactMap { Double($0) }.last)
            return number
        }

        @Test func unitsAreHardened() throws {
            let units = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
                .filter { $0.hasSuffix(".service") }
            #expect(!units.isEmpty)
            for unit in units {
                // The only one whose process is root.
                let limit = unit == "llavero-securityd.service" ? 1.7 : 1.5
                #expect(try Self.exposure(of: Self.folder + "/" + unit) <= limit, "\(unit)")
            }
            // The control: the same unit without its walls.
            try TemporaryDirectory.lend { directory in
                let bare = directory + "/bare.service"
                try Data("[Service]\nExecStart=/bin/true\n".utf8).write(
                    to: URL(fileURLWithPath: bare))
                #expect(try Self.exposure(of: bare) > 9)
            }
        }

        /// The units as the package installs them, under Debian's systemd in a container. The first time
        /// on a machine, it takes a minute longer, and needs Debian's mirror.
        @Test func unitsWorkUnderARealSystemd() throws {
            var options = TestProcess.Options()
            options.environment = [
                "LLAVERO_BINARIES": Binaries.directory,
                "LLAVERO_TEST_APPLICATION": try Binaries.testApplication(),
            ]
            let result = try TestProcess.run(
                Binaries.packageRoot + "/Scripts/machine-units", [], options,
                within: .seconds(600))
            let lines = result.output.split(separator: "\n")
            #expect(result.ending == .exit(0), "\(result.output)\(result.errors)")
            #expect(lines.count { $0.hasPrefix("ok ") } >= 30, "\(result.output)")
            #expect(!result.output.contains("FAILED"))
        }

        /// What would hide peers from the process that judges them.
        @Test func unitLeavesPeersVisible() throws {
            let text = try String(
                contentsOfFile: Self.folder + "/llavero-securityd.service", encoding: .utf8)
            let settings = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            #expect(!settings.contains { $0.hasPrefix("PrivateUsers=") })
            #expect(settings.contains("ProtectProc=default"))
            // Mounts that are all nosuid look like a user's.
            #expect(!settings.contains("ProtectSystem=strict"))
            #expect(settings.contains("Type=notify"))
        }

        /// The manager listens, and hears when the service works, and from time to time that it does.
        @Test func serviceUsesTheManagersSocketAndTellsItThatItWorks() throws {
            try SystemWorld.prepare { root in
                let run = root + "/run/llavero"
                try FileManager.default.createDirectory(
                    atPath: run, withIntermediateDirectories: true)
                let socket = run + "/securityd.sock"
                let listener = try UnixSocket.listen(at: socket, backlog: 16)
                #expect(unsafe chmod(socket, 0o666) == 0)
                let notify = root + "/notify"
                let script = """
                    import socket, sys
                    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                    s.bind(sys.argv[1])
                    print("bound", flush=True)
                    while True:
                        for line in s.recv(4096).decode().split("\\n"): print(line, flush=True)
                    """
                let manager = try TestProcess("python3", ["-c", script, notify])
                defer { manager.end() }
                #expect(try manager.readLine() == "bound")
                var options = TestProcess.Options()
                // The first three are standard ones.
                options.descriptors = [listener.rawValue]
                options.environment = ["NOTIFY_SOCKET": notify, "WATCHDOG_USEC": "200000"]
                let service = try TestProcess(
                    "sh",
                    [
                        "-c", #"export LISTEN_PID=$$ LISTEN_FDS=1; exec "$@""#, "sh",
                        root + "/bin/securityd",
                    ] + SystemUsers.words(root), options)
                defer {
                    service.signal(SIGTERM)
                    _ = try? service.wait()
                    service.end()
                }
                var heard: [String] = []
                while heard.filter({ $0 == "WATCHDOG=1" }).count < 3 || !heard.contains("READY=1") {
                    heard.append(try manager.readLine())
                }
                let answer = try TestProcess.run(
                    "setpriv",
                    [
                        "--reuid=\(SystemWorld.anna)", "--regid=\(SystemWorld.anna)",
                        "--clear-groups", root + "/bin/TestApplication", socket, "add", "bank",
                        "MANGO",
                    ])
                #expect(answer.output == "ok\n")
                // The socket is the manager's, and stays.
                service.signal(SIGTERM)
                #expect(try service.wait() == .exit(0))
                #expect(FileManager.default.fileExists(atPath: socket))
                #expect(!service.errorText.contains("No service manager"))
            }
        }
    }
}
