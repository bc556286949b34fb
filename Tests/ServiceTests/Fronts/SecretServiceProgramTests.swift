// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc
import Keychain
import SecretBytes
import TestSupport
import Testing

extension ServiceTests {
    /// The released program on a private bus, with a real securityd: what libsecret's tool sees.
    @Suite struct SecretServicePrograms {
        /// A bus, securityd, and the front between them.
        private struct Desktop {
            let service: TestService
            let front: TestProcess
            let address: String

            /// Runs a program on the bus.
            func run(
                _ program: String, _ arguments: [String], input: String = ""
            ) throws -> TestProcess.Result {
                var options = TestProcess.Options()
                options.environment["DBUS_SESSION_BUS_ADDRESS"] = address
                return try TestProcess.run(program, arguments, options, input: input)
            }

            func lookup(_ user: String) throws -> TestProcess.Result {
                try run("secret-tool", ["lookup", "user", user])
            }
        }

        private static let configuration = """
            <busconfig>
              <type>session</type>
              <listen>unix:path=SOCKET</listen>
              <policy context="default">
                <allow send_destination="*"/>
                <allow receive_sender="*"/>
                <allow own="*"/>
              </policy>
            </busconfig>
            """

        private func run(_ body: (Desktop) throws -> Void) throws {
            try TemporaryDirectory.lend { folder in
                let bin = folder + "/bin"
                try FileManager.default.createDirectory(
                    atPath: bin, withIntermediateDirectories: false)
                for name in ["securityd", "enclaved", "peerinspector", "llavero-secretservice"] {
                    let original = URL(fileURLWithPath: try Binaries.path(name))
                        .resolvingSymlinksInPath().path
                    if unsafe link(original, bin + "/" + name) != 0 {
                        try FileManager.default.copyItem(
                            atPath: original, toPath: bin + "/" + name)
                    }
                }
                let file = folder + "/bus.conf"
                try Self.configuration.replacingOccurrences(of: "SOCKET", with: folder + "/bus")
                    .write(toFile: file, atomically: true, encoding: .utf8)
                let bus = try TestProcess(
                    "dbus-daemon", ["--config-file=\(file)", "--nofork", "--print-address"])
                defer { bus.end() }
                let address = try bus.readLine()
                var options = TestService.Options()
                options.program = bin + "/securityd"
                try TestService.run(options) { service in
                    let front = try Self.start(bin, address, service)
                    defer { front.end() }
                    try body(Desktop(service: service, front: front, address: address))
                }
            }
        }

        private static func start(
            _ bin: String, _ address: String, _ service: TestService
        ) throws -> TestProcess {
            var options = TestProcess.Options()
            options.environment["DBUS_SESSION_BUS_ADDRESS"] = address
            options.environment["LLAVERO_SOCKET"] = service.socketPath
            let front = try TestProcess(bin + "/llavero-secretservice", [], options)
            try Waiting.until("the name on the bus: \(front.errorText)") {
                let answer = try TestProcess.run(
                    "busctl",
                    ["--address=\(address)", "status", "org.freedesktop.secrets"])
                return answer.ending == .exit(0)
            }
            return front
        }

        @Test func whatSecretToolStoresIsThereAfterARestartOfAll() throws {
            try run { desktop in
                let stored = try desktop.run(
                    "secret-tool", ["store", "--label=Mail", "user", "anna"], input: "p\u{E4}ss")
                #expect(stored.ending == .exit(0), "\(stored.errors) \(desktop.front.errorText)")
                #expect(try desktop.lookup("anna").output == "p\u{E4}ss")
                try desktop.service.crash(try desktop.service.worker())
                try Waiting.until("the new securityd") {
                    try desktop.lookup("anna").output == "p\u{E4}ss"
                }
                let searched = try desktop.run("secret-tool", ["search", "user", "anna"])
                #expect(searched.output.contains("label = Mail\n"))
                let replaced = try desktop.run(
                    "secret-tool", ["store", "--label=Mail", "user", "anna"], input: "new")
                #expect(replaced.ending == .exit(0))
                #expect(try desktop.lookup("anna").output == "new")
                #expect(
                    try desktop.run("secret-tool", ["clear", "user", "anna"]).ending == .exit(0))
                #expect(try desktop.lookup("anna").ending == .exit(1))
            }
        }

        @Test func withoutSecuritydTheAnswerIsAnError() throws {
            try run { desktop in
                _ = try desktop.run(
                    "secret-tool", ["store", "--label=x", "user", "anna"], input: "secret")
                _ = try desktop.service.stop()
                let looked = try desktop.lookup("anna")
                #expect(looked.ending == .exit(1))
                #expect(looked.errors.contains("can't be reached"), "\(looked.errors)")
            }
        }

        /// Both do what their callers say.
        @Test func scriptsAndSecretToolShareTheirItems() throws {
            try run { desktop in
                let script = """
                    import sys
                    sys.path.insert(0, "\(Binaries.packageRoot)/.build/python-clients/secretstorage")
                    import secretstorage
                    bus = secretstorage.dbus_init()
                    collection = secretstorage.get_default_collection(bus)
                    collection.create_item("A label", {"user": "bert"}, b"shared", replace=True)
                    for item in secretstorage.search_items(bus, {"user": "bert"}):
                        print(item.is_locked(), item.get_label(), item.get_secret().decode())
                    """
                let result = try desktop.run("/usr/bin/python3", ["-c", script])
                #expect(result.output == "False A label shared\n", "\(result.errors)")
                #expect(try desktop.lookup("bert").output == "shared")
            }
        }

        /// The person enters the passcode elsewhere, before the client shows its prompt.
        @Test func aPromptSaysWhatIsOpenWhenSomebodyElseHasUnlocked() throws {
            try run { desktop in
                let script = """
                    import sys
                    sys.path.insert(0, "\(Binaries.packageRoot)/.build/python-clients/secretstorage")
                    import secretstorage
                    from secretstorage.util import DBusAddressWrapper, exec_prompt
                    bus = secretstorage.dbus_init()
                    collection = secretstorage.get_default_collection(bus)
                    collection.create_item("A label", {"user": "carl"}, b"x", replace=True)
                    print("stored", flush=True)
                    sys.stdin.readline()
                    service = DBusAddressWrapper(
                        "/org/freedesktop/secrets", "org.freedesktop.Secret.Service", bus)
                    login = "/org/freedesktop/secrets/collection/login"
                    opened, prompt = service.call("Unlock", "ao", [login])
                    print(opened, prompt != "/", flush=True)
                    sys.stdin.readline()
                    dismissed, (signature, paths) = exec_prompt(bus, prompt, timeout=30)
                    print(dismissed, paths == [login], flush=True)
                    """
                var options = TestProcess.Options()
                options.environment["DBUS_SESSION_BUS_ADDRESS"] = desktop.address
                let program = try TestProcess("/usr/bin/python3", ["-c", script], options)
                defer { program.end() }
                #expect(try program.readLine() == "stored")
                let keychain = desktop.service.keychain
                try keychain.setPasscode(SecretBytes(passcode: "246813"))
                try keychain.lock(.logOut)
                program.write("\n")
                #expect(try program.readLine() == "[] True")
                try keychain.unlock(passcode: SecretBytes(passcode: "246813"))
                program.write("\n")
                #expect(try program.readLine() == "False True")
                #expect(try program.wait() == .exit(0))
            }
        }

        @Test func theProgramCanStartNoOther() throws {
            try run { desktop in
                let status = try String(
                    contentsOfFile: "/proc/\(desktop.front.pid)/status", encoding: .utf8)
                #expect(status.contains("NoNewPrivs:\t1\n"))
                #expect(status.contains("Seccomp:\t2\n"))
            }
        }
    }
}
