// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import IPC
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// The client's check of the service, against false servers of several users.
    @Suite(.enabled(if: geteuid() == 0, "only root can start processes of several users"))
    struct ServerChecking {
        /// What an application stores, and what it says if no server counts.
        private static let store = ["add", "bank", "MANGO"]
        private static let setPasscode = ["set-passcode", "correct-horse"]
        private static let refused = ["failed -25291"]
        static let calls = [store, setPasscode]

        // MARK: - The server's user

        /// A false server of another user listens where an application expects its service. The
        /// application sends it neither a secret nor a passcode.
        /// Red team: ephemeral, user, another user; refused.
        /// Before: stopped; refused.
        @Test(arguments: calls)
        func falseServerOfAnotherUserGetsNothing(_ call: [String]) throws {
            try ClientWorld.run { world in
                let server = try world.serve("/run/place", owner: ClientWorld.otherUser)
                let socket = server.socket
                #expect(try world.ask(world.plain, [socket] + call) == Self.refused)
                #expect(try server.process.readLine() == "connected")
                #expect(try server.process.readLine() == "closed 0")
                // The control: it gets all from its own user's application.
                let own = try world.ask(
                    world.plain, [socket] + call, user: ClientWorld.otherUser)
                #expect(own == ["ok"])
                try world.expectSpoils(server, of: call, user: ClientWorld.otherUser)
            }
        }

        /// Another user puts a public key beside the socket of an application's own service. The
        /// application doesn't seal a passcode to that key.
        /// Red team: another user, any; refused.
        /// Before: stopped; refused.
        @Test func passcodeIsNotSealedToAnotherUsersKey() throws {
            try ClientWorld.run { world in
                let server = try world.serve("/run/place", owner: ClientWorld.user)
                let call = [server.socket] + Self.setPasscode
                try world.give(server.keyPath, to: ClientWorld.otherUser)
                #expect(try world.ask(world.plain, call) == Self.refused)
                #expect(try server.process.readLine() == "connected")
                // The request for a nonce alone.
                #expect(try server.process.readLine() == "closed 1")
                // The control: the key of its own user.
                try world.give(server.keyPath, to: ClientWorld.user)
                #expect(try world.ask(world.plain, call) == ["ok"])
                try world.expectSpoils(server, of: Self.setPasscode, user: ClientWorld.user)
            }
        }

        // MARK: - Raised privileges

        /// A user runs a false server in a directory of the user's own, names it in the
        /// environment, and starts a setgid program. The program sends it nothing.
        /// Red team: user; refused.
        /// Before: worked; the program connects and speaks.
        @Test(arguments: calls)
        func raisedProgramDoesNotTalkToItsUsersServer(_ call: [String]) throws {
            try ClientWorld.run { world in
                let home = "/run/user/\(ClientWorld.user)"
                try world.make(home, owner: ClientWorld.user, mode: "700")
                let server = try world.serve(
                    home + "/llavero", owner: ClientWorld.user,
                    keyDirectory: home + "/.local/share/llavero/enclave")
                let environments: [[String: String]] = [
                    ["HOME": home], ["HOME": home, "LLAVERO_SOCKET": server.socket],
                    ["HOME": home, "XDG_RUNTIME_DIR": home, "XDG_DATA_HOME": home],
                ]
                for environment in environments {
                    #expect(
                        try world.ask(world.raised, ["current"] + call, environment: environment)
                            == Self.refused)
                }
                // Nor where the program itself names the socket.
                #expect(try world.ask(world.raised, [server.socket] + call) == Self.refused)
                #expect(try server.process.readLine() == "connected")
                #expect(try server.process.readLine() == "closed 0")
                // The control: the same program without raised privileges.
                #expect(
                    try world.ask(world.plain, ["current"] + call, environment: environments[0])
                        == ["ok"])
                try world.expectSpoils(server, of: call, user: ClientWorld.user)
            }
        }

        /// The owner of the system service's directory, and root, run the system's service.
        @Test(arguments: [0, ClientWorld.otherUser])
        func raisedProgramTalksToTheSystemsServer(_ owner: UInt32) throws {
            try ClientWorld.run { world in
                try world.make("/run/llavero", owner: ClientWorld.otherUser)
                let server = try world.serve("/run/place", owner: owner)
                try world.move(server.socket, to: "/run/llavero/securityd.sock")
                for program in [world.raised, world.plain] {
                    #expect(try world.ask(program, ["current"] + Self.store) == ["ok"])
                    try world.expectSpoils(server, of: Self.store, user: ClientWorld.user)
                }
            }
        }

        /// A false server listens at the system service's place. Its user doesn't own the directory.
        /// Red team: another user, any; refused.
        /// Before: nothing.
        @Test func systemsServerOfAnotherUserGetsNothing() throws {
            try ClientWorld.run { world in
                try world.make("/run/llavero", owner: ClientWorld.otherUser)
                let server = try world.serve("/run/place", owner: ClientWorld.thirdUser)
                try world.move(server.socket, to: "/run/llavero/securityd.sock")
                for program in [world.raised, world.plain] {
                    #expect(try world.ask(program, ["current"] + Self.store) == Self.refused)
                    #expect(try server.process.readLine() == "connected")
                    #expect(try server.process.readLine() == "closed 0")
                }
                // The control: the directory is its own.
                try world.give("/run/llavero", to: ClientWorld.thirdUser)
                #expect(try world.ask(world.raised, ["current"] + Self.store) == ["ok"])
                try world.expectSpoils(server, of: Self.store, user: ClientWorld.user)
            }
        }
    }
}

/// A mount namespace whose `/run` is empty, with a program of a client, once as it is and once setgid.
struct ClientWorld {
    static let user: UInt32 = 65_529
    static let otherUser: UInt32 = 65_530
    static let thirdUser: UInt32 = 65_528
    private static let group: UInt32 = 65_531

    /// A false server.
    struct Server {
        let process: TestProcess
        let socket: String
        /// The public key to which passcodes for it are sealed.
        let keyPath: String
        let key: Curve25519.KeyAgreement.PrivateKey
    }

    private let holder: TestProcess
    private let falseServer: String
    let plain: String
    let raised: String

    /// Lends a world.
    static func run(_ body: (ClientWorld) throws -> Void) throws {
        try Attackers.inSystemFolder { folder in
            let holder = try TestProcess(
                "/usr/bin/unshare",
                ["-m", "sh", "-c", "mount -t tmpfs -o mode=755 t /run && echo ready && exec cat"])
            defer { holder.end() }
            guard try holder.readLine() == "ready" else { throw TestFailure("no namespace") }
            let plain = folder + "/application"
            let stripped = try TestProcess.run(
                "strip", ["-s", "-o", plain, Binaries.testApplication()])
            guard stripped.ending == .exit(0) else { throw TestFailure(stripped.errors) }
            let raised = folder + "/raised"
            try FileManager.default.copyItem(atPath: plain, toPath: raised)
            guard unsafe chmod(plain, 0o755) == 0, unsafe chown(raised, 0, group) == 0,
                unsafe chmod(raised, 0o2755) == 0
            else { throw TestFailure("\(raised) can't be set up.") }
            try body(
                ClientWorld(
                    holder: holder,
                    falseServer: Attackers.compile("falseserver", into: folder),
                    plain: plain, raised: raised))
        }
    }

    // MARK: - Programs

    private func inside(_ words: [String]) -> [String] { ["-t", "\(holder.pid)", "-m"] + words }

    /// Starts a false server, which can make nothing itself.
    func serve(
        _ directory: String, owner: UInt32, keyDirectory: String? = nil
    ) throws -> Server {
        try make(directory, owner: owner)
        let key = Curve25519.KeyAgreement.PrivateKey()
        let keyDirectory = keyDirectory ?? directory + "/enclave"
        let keyPath = keyDirectory + "/passcode.pub"
        try make(keyDirectory, owner: owner)
        try TemporaryDirectory.lend { outside in
            let source = outside + "/key"
            try key.publicKey.rawRepresentation.write(to: URL(fileURLWithPath: source))
            try act(["install", "-m", "644", "-o", "\(owner)", source, keyPath])
        }
        let socket = directory + "/securityd.sock"
        let process = try TestProcess(
            "/usr/bin/nsenter",
            inside([Binaries.launcher(), "--user=\(owner)", "--", falseServer, socket]))
        guard try process.readLine() == "listening" else { throw TestFailure("no server") }
        return Server(process: process, socket: socket, keyPath: keyPath, key: key)
    }

    /// Runs an application to its end.
    /// - Returns: What it says.
    func ask(
        _ program: String, _ words: [String], user: UInt32 = ClientWorld.user,
        environment: [String: String] = [:]
    ) throws -> [String] {
        var options = TestProcess.Options()
        options.environment = environment
        let result = try TestProcess.run(
            "/usr/bin/nsenter",
            inside([Binaries.launcher(), "--user=\(user)", "--", program] + words), options)
        return result.output.split(separator: "\n").map(String.init)
    }

    // MARK: - Files

    func make(_ directory: String, owner: UInt32, mode: String = "755") throws {
        try act(["install", "-d", "-m", mode, "-o", "\(owner)", directory])
    }

    func give(_ path: String, to owner: UInt32) throws { try act(["chown", "\(owner)", path]) }

    func move(_ source: String, to target: String) throws { try act(["mv", source, target]) }

    private func act(_ words: [String]) throws {
        let result = try TestProcess.run("/usr/bin/nsenter", inside(words))
        guard result.ending == .exit(0) else { throw TestFailure("\(words): \(result.errors)") }
    }

    // MARK: - Spoils

    /// Expects that a server now gets the secret or the passcode of a call, and can read it.
    func expectSpoils(_ server: Server, of call: [String], user: UInt32) throws {
        #expect(try server.process.readLine() == "connected")
        let line = try server.process.readLine()
        if call[0] == "add" {
            #expect(line == "secret \(call[2])")
            #expect(try server.process.readLine() == "closed 1")
        } else {
            #expect(try open(line, server.key, user: user).hasSuffix(call[1]))
            #expect(try server.process.readLine() == "closed 2")
        }
    }

    /// A passcode message, opened with the false server's private key.
    private func open(
        _ line: String, _ key: Curve25519.KeyAgreement.PrivateKey, user: UInt32
    ) throws -> String {
        let digits = Array(try #require(line.split(separator: " ").dropFirst().first))
        let bytes = try stride(from: 0, to: digits.count - 1, by: 2).map { place in
            try #require(UInt8(String(digits[place...place + 1]), radix: 16))
        }
        let request = try unsafe bytes.withUnsafeBytes { message in
            try unsafe ClientRequest(
                decoding: .passcode, message: message,
                secret: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        guard case .passcode(let operation, let sealed, _) = request else {
            throw TestFailure("not a passcode: \(line)")
        }
        var context = ByteWriter()
        context.u8(operation)
        context.u32(user)
        var recipient = try HPKE.Recipient(
            privateKey: key,
            ciphersuite: HPKE.Ciphersuite(
                kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256),
            info: Data("llavero passcode 1".utf8), encapsulatedKey: Data(sealed.prefix(32)))
        let plaintext = try recipient.open(
            Data(sealed.dropFirst(32)), authenticating: context.bytes)
        // A nonce of 32 bytes and a count come first.
        return String(decoding: plaintext.dropFirst(34), as: UTF8.self)
    }
}
