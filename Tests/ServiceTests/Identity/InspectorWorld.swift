// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import Foundation
import IPC
import TestSupport
import Testing

/// A running peerinspector with a user of its own, and a socket that programs connect to.
final class InspectorWorld {
    static let inspectorUser: UInt32 = 65_532

    let world: SignedWorld
    let process: TestProcess
    let inspector: TestedInspector
    let socket: String
    private let listener: Descriptor

    /// Lends one that trusts a team.
    static func run(_ body: (InspectorWorld, SignedWorld.Team) throws -> Void) throws {
        try SignedWorld.run { world in
            let team = try SignedWorld.Team("TEAMAAAAAA")
            try world.trust(team)
            try body(InspectorWorld(world), team)
        }
    }

    /// Starts an inspector that trusts the teams that the world's service trusts now.
    init(_ world: SignedWorld) throws {
        self.world = world
        let user = "\(Self.inspectorUser)"
        // The trusted teams are in a directory that this user may enter.
        let state = world.directory + "/state"
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
        try FileManager.default.copyItem(
            atPath: world.service.stateDirectory + "/trusted-teams",
            toPath: state + "/trusted-teams")
        for path in [world.directory, state] {
            guard unsafe chmod(path, 0o755) == 0 else { throw TestFailure(path) }
        }
        guard unsafe chown(state + "/trusted-teams", 0, 0) == 0 else {
            throw TestFailure("The teams can't be made root's.")
        }
        var started: TestProcess?
        let (connection, _) = try InspectorConnection.connect { inspectorsEnd in
            var options = TestProcess.Options()
            options.descriptors = [inspectorsEnd]
            let process = try TestProcess(
                Binaries.path("peerinspector"), ["--state", state, "--user", user, user], options)
            started = process
            return process.pid
        }
        guard let started else { throw TestFailure("No inspector.") }
        process = started
        inspector = TestedInspector(connection)
        socket = world.directory + "/peers.sock"
        listener = try UnixSocket.listen(at: socket, backlog: 8)
        guard unsafe chmod(socket, 0o666) == 0 else { throw TestFailure(socket) }
        try Waiting.until("the walls") {
            try ProcessFile.read(process.pid, "status").contains("Seccomp:\t2")
        }
    }

    /// How a program is run: `before`, the socket and `after` are its words.
    struct Call {
        var before: [String] = []
        var after = ["connect", "whoami"]
        /// What it says up to where it has connected.
        var says = ["connected"]
        var environment: [String: String] = [:]
        var flags = ["--unprivileged"]
        /// What is done when it has said the first line.
        var meanwhile: (TestProcess) throws -> Void = { _ in }
    }

    /// Runs a program of the unprivileged user until it has connected.
    func connected(
        _ program: String, _ call: Call = Call()
    ) throws -> (program: TestProcess, connection: Int32) {
        let running = try world.start(
            program, call.before + [socket] + call.after, environment: call.environment,
            flags: call.flags)
        for (number, line) in call.says.enumerated() {
            #expect(try running.readLine() == line)
            if number == 0 { try call.meanwhile(running) }
        }
        guard Waiting.forReadable(listener.rawValue, until: .now + Waiting.patience) else {
            throw TestFailure("Nobody connects.")
        }
        let connection = llavero_accept(listener.rawValue)
        guard connection >= 0 else { throw TestFailure("accept fails") }
        return (running, connection)
    }

    /// Who a program is.
    /// - Returns: Also whether that was known at once.
    func inspect(
        _ program: String, _ call: Call = Call(),
        _ body: (EstablishedPeer) throws -> Void = { _ in }
    ) throws -> (identity: ClientIdentity, atOnce: Bool) {
        let (running, connection) = try connected(program, call)
        defer {
            close(connection)
            running.end()
        }
        let found = try inspector.inspect(PeerProcess(connectedTo: connection))
        try body(found.peer)
        return (found.peer.identity, !found.hadDigest)
    }
}
