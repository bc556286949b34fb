// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import TestSupport
import Testing

/// A signed application of an unprivileged user that has stored a secret, for attackers.
struct Victim {
    static let secret = "MANGO"
    /// The group that its secret is in.
    static let group = "VICTIM0001.org.example.bank"
    static let teamName = "VICTIM0001"

    let world: SignedWorld
    let team: SignedWorld.Team
    let path: String

    init(_ world: SignedWorld) throws {
        self.world = world
        team = try SignedWorld.Team("VICTIM0001")
        try world.trust(team)
        path = try world.install(team.sign(world.program(), "org.example.bank"), "bank")
        #expect(
            try world.converse(path, ["add bank \(Self.secret)", "find bank"]) == [
                "ok", Self.secret,
            ])
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
