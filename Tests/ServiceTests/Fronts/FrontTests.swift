// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc
import Keychain
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// A front and its callers as real processes.
    @Suite struct Fronts {
        /// A service whose programs are in a folder of the test, and beside them the front's.
        private func run(_ body: (TestService, _ folder: String) throws -> Void) throws {
            try TemporaryDirectory.lend { folder in
                let bin = folder + "/bin"
                try FileManager.default.createDirectory(
                    atPath: bin, withIntermediateDirectories: false)
                for name in ["securityd", "enclaved", "peerinspector"] {
                    try Self.copy(try Binaries.path(name), to: bin + "/" + name)
                }
                try Self.copy(try Binaries.testFront(), to: bin + "/llavero-secretservice")
                var options = TestService.Options()
                options.program = bin + "/securityd"
                try TestService.run(options) { try body($0, bin) }
            }
        }

        private static func copy(_ source: String, to target: String) throws {
            let original = URL(fileURLWithPath: source).resolvingSymlinksInPath().path
            if unsafe link(original, target) != 0 {
                try FileManager.default.copyItem(atPath: original, toPath: target)
            }
        }

        private func ask(_ front: TestProcess, _ line: String) throws -> String {
            front.write(line + "\n")
            return try front.readLine()
        }

        private func expect(_ front: TestProcess, _ line: String, _ expected: String) throws {
            let answer = try ask(front, line)
            #expect(answer == expected, "\(line)")
        }

        private func front(_ service: TestService, _ folder: String) throws -> TestProcess {
            let front = try TestProcess(folder + "/llavero-secretservice", [service.socketPath])
            guard try ask(front, "admit") == "ok" else {
                throw TestFailure("It isn't admitted: \(service.messages)")
            }
            return front
        }

        @Test func onlyTheProgramBesideSecuritydIsTheFront() throws {
            try run { service, folder in
                let front = try front(service, folder)
                #expect(try ask(front, "records").hasPrefix("0 nobody"))
                // The same bytes, and the same name, in another place.
                let other = folder + "/../llavero-secretservice"
                try FileManager.default.copyItem(
                    atPath: folder + "/llavero-secretservice", toPath: other)
                let forged = try TestProcess(other, [service.socketPath])
                #expect(try ask(forged, "admit") == "refused 50")
                #expect(try ask(forged, "records") == "closed")
                let log = try service.keychain.auditLog().records.filter { $0.event == .front }
                #expect(log.map(\.reason) == [nil, .notAFront])
            }
        }

        @Test func aCallerIsWhatItsProgramIs() throws {
            try run { service, folder in
                let front = try front(service, folder)
                let sleep = try TestProcess("/usr/bin/sleep", ["1000"])
                let realPath = URL(fileURLWithPath: "/usr/bin/sleep").resolvingSymlinksInPath().path
                try expect(front, "represent \(sleep.pid)", "0 path:\(realPath)")
                // What does what its caller says, and what anybody can replace.
                let shell = try TestProcess("/bin/sh", ["-c", "read line"])
                try expect(front, "represent \(shell.pid)", "1 nobody")
                let copy = folder + "/own-sleep"
                try FileManager.default.copyItem(atPath: realPath, toPath: copy)
                let own = try TestProcess(copy, ["1000"])
                try expect(front, "represent \(own.pid)", "2 nobody")
                #expect(try ask(front, "add 0 mine user=a").hasPrefix("added"))
                try expect(front, "find 0 user=a", "usable mine")
                try expect(front, "find 1 user=a", "foreign -")
                #expect(try ask(front, "add 1 shared user=b").hasPrefix("added"))
                try expect(front, "find 2 user=b", "usable shared")
                let again = try TestProcess("/usr/bin/sleep", ["1000"])
                try expect(front, "represent \(again.pid)", "3 path:\(realPath)")
                try expect(front, "find 3 user=a", "usable mine")
            }
        }

        @Test func aChannelEndsWithItsProcess() throws {
            try run { service, folder in
                let front = try front(service, folder)
                let sleep = try TestProcess("/usr/bin/sleep", ["1000"])
                let shell = try TestProcess("/bin/sh", ["-c", "read line"])
                _ = try ask(front, "represent \(sleep.pid)")
                _ = try ask(front, "represent \(shell.pid)")
                sleep.end()
                shell.end()
                try expect(front, "ends 0", "ended")
                try expect(front, "ends 1", "ended")
                try expect(front, "represent \(sleep.pid)", "closed")
            }
        }

        @Test func aChannelOfAnOwnerEndsWhenAnotherProgramRuns() throws {
            try run { service, folder in
                let front = try front(service, folder)
                // It waits for the lock, and then runs the other program in its place.
                let lock = folder + "/lock"
                let holder = try TestProcess("/usr/bin/flock", [lock, "cat"])
                try Waiting.until("the lock to be held") {
                    let other = try TestProcess("/usr/bin/flock", ["-n", lock, "true"])
                    return try other.wait() != .exit(0)
                }
                let waiting = try TestProcess(
                    "/usr/bin/flock", ["--no-fork", lock, "/usr/bin/sleep", "1000"])
                try Waiting.until("flock to run") {
                    try ProcessFile.read(waiting.pid, "cmdline").contains("--no-fork")
                }
                let owner = try ask(front, "represent \(waiting.pid)")
                #expect(owner.hasPrefix("0 path:") && owner.hasSuffix("/flock"))
                try expect(front, "find 0 user=a", "")
                holder.end()
                try expect(front, "ends 0", "ended")
                let next = try ask(front, "represent \(waiting.pid)")
                #expect(next.hasPrefix("1 path:") && next.hasSuffix("/sleep"))
            }
        }

        @Test(.enabled(if: geteuid() == 0, "needs another user"))
        func anotherUsersProcessIsNotRepresented() throws {
            try run { service, folder in
                let front = try front(service, folder)
                let other = try TestProcess(
                    Binaries.launcher(), ["--unprivileged", "--", "/usr/bin/sleep", "1000"])
                try Waiting.until("the user to be another") {
                    try ProcessFile.read(other.pid, "cmdline").hasPrefix("/usr/bin/sleep")
                }
                try expect(front, "represent \(other.pid)", "refused 51")
            }
        }

        /// A namespace with a root directory of its own, as a Flatpak has it.
        @Test(.enabled(if: geteuid() == 0, "needs a namespace"))
        func aFlatpakIsWhatItsSandboxSays() throws {
            try run { service, folder in
                let front = try front(service, folder)
                let root = folder + "/root"
                try FileManager.default.createDirectory(
                    atPath: root, withIntermediateDirectories: false)
                let script = """
                    mount -t tmpfs none "$1" && mkdir "$1/usr" && mount --rbind /usr "$1/usr" &&
                    for name in bin lib lib64 sbin; do ln -s usr/$name "$1/$name"; done &&
                    printf '[Application]\\nname=org.example.App\\n' >"$1/.flatpak-info" &&
                    exec chroot "$1" /usr/bin/sleep 1000
                    """
                let sandboxed = try TestProcess(
                    "/usr/bin/unshare",
                    ["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", root])
                try Waiting.until("the sandboxed program to run") {
                    try ProcessFile.read(sandboxed.pid, "cmdline").hasPrefix("/usr/bin/sleep")
                }
                try expect(
                    front, "represent \(sandboxed.pid)", "0 flatpak:org.example.App sandboxed")
                let shell = try TestProcess("/bin/sh", ["-c", "read line"])
                try expect(front, "represent \(shell.pid)", "1 nobody")
                _ = try ask(front, "add 1 shared user=a")
                try expect(front, "find 0 user=a", "")
                _ = try ask(front, "add 0 own user=a")
                try expect(front, "find 0 user=a", "usable own")
                sandboxed.end()
                try expect(front, "ends 0", "ended")
            }
        }

        @Test(.enabled(if: geteuid() == 0, "needs root"))
        func inTheSystemServiceAFrontThatIsNotRootsAloneIsRefused() throws {
            try TestService.run(TestService.Options(.system)) { service in
                let bin = service.stateDirectory.dropLast("/var/lib/llavero".count) + "/bin"
                // It is beside securityd, but not where only root puts programs.
                try Self.copy(try Binaries.testFront(), to: bin + "/llavero-secretservice")
                let front = try TestProcess(
                    bin + "/llavero-secretservice", [service.socketPath])
                try expect(front, "admit", "refused 50")
                let sleep = try TestProcess("/usr/bin/sleep", ["1000"])
                let who = try service.keychain.busOwner(ofProcess: sleep.pid)
                #expect(who.owner.hasSuffix("/sleep"))
            }
        }

        @Test func whoAmIShowsWhatAProcessWouldBe() throws {
            try run { service, _ in
                let sleep = try TestProcess("/usr/bin/sleep", ["1000"])
                let who = try service.keychain.busOwner(ofProcess: sleep.pid)
                #expect(who.owner.hasPrefix("path:/") && who.owner.hasSuffix("/sleep"))
                #expect(who.groups == ["secrets:own:\(who.owner)", "secrets:shared"])
                #expect(!who.isSandboxed && !who.isIsolationOff)
                let shell = try TestProcess("/bin/sh", ["-c", "read line"])
                let nobody = try service.keychain.busOwner(ofProcess: shell.pid)
                #expect(nobody.owner.isEmpty && nobody.groups == ["secrets:shared"])
                #expect(!nobody.reasons.isEmpty)
            }
        }
    }
}
