// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import TestSupport
import Testing

/// A signed application that has stored a secret of an unprivileged user's, for attackers. With the
/// system's service it is out of its user's reach, and its signature demands that.
struct Victim {
    static let secret = "MANGO"
    /// The group that its secret is in.
    static let group = "VICTIM0001.org.example.bank"
    static let teamName = "VICTIM0001"

    let world: SignedWorld
    let team: SignedWorld.Team
    let path: String
    /// Whether it is out of its user's reach.
    var isProtected: Bool { world.systemFolder != nil }
    /// The grade that it has.
    var grade: String { isProtected ? "S+" : "S" }

    init(_ world: SignedWorld) throws {
        self.world = world
        team = try SignedWorld.Team("VICTIM0001")
        try world.trust(team)
        let identifier = "org.example.bank"
        if let folder = world.systemFolder {
            let demand = Array(
                """
                <plist version="1.0"><dict><key>\(AccessGroups.requiresProtection)</key><true/>\
                </dict></plist>
                """.utf8)
            path = try world.installProtected(
                team.sign(
                    world.program(), identifier, demand,
                    allowing: SignedWorld.Team.groupList(["*"])), "bank", in: folder)
        } else {
            path = try world.install(team.sign(world.program(), identifier), "bank")
        }
        #expect(
            try world.converse(path, ["add bank \(Self.secret)", "find bank"]) == [
                "ok", Self.secret,
            ])
    }

    /// Gives its user a first passcode, which root permits where the service is the system's.
    func setPasscode(_ passcode: String) throws {
        var words = [world.service.socketPath, "set-passcode", passcode]
        if isProtected {
            var options = TestProcess.Options()
            options.environment = ["LLAVERO_SOCKET": world.service.socketPath]
            words.append(
                try TestProcess.run(
                    Binaries.path("security"),
                    ["device", "permit-passcode", "\(TestService.unprivilegedUser)"], options
                ).output.trimmingCharacters(in: .newlines))
        }
        #expect(try world.run(path, words) == ["ok"])
    }

    /// Starts the naive service, which gives the secret to the victim's path; as the unprivileged
    /// user unless the launcher is told otherwise.
    func startNaive(
        flags: [String] = ["--unprivileged"]
    ) throws -> (process: TestProcess, socket: String) {
        try startNaive(["naive", path, Self.secret], flags)
    }

    /// Starts the naive service that gives the secret to whatever carries a text.
    func startNaive(believing claim: String) throws -> (process: TestProcess, socket: String) {
        try startNaive(["believe", claim])
    }

    /// Starts the naive service with another check (`NaiveService.Check`): its word, and what the
    /// check goes by.
    func startNaive(_ words: [String]) throws -> (process: TestProcess, socket: String) {
        try startNaive(words + [Self.secret], ["--unprivileged"])
    }

    private func startNaive(
        _ words: [String], _ flags: [String]
    ) throws -> (process: TestProcess, socket: String) {
        let program = try world.install(world.program(), "naive")
        let socket = world.directory + "/naive-\(UInt32.random(in: 0 ... .max)).sock"
        let process = try world.start(program, [socket] + words, flags: flags)
        #expect(try process.readLine() == "listening")
        return (process, socket)
    }
}
