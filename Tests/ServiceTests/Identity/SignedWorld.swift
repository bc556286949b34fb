// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import CodeSigning
import Crypto
import Foundation
import TestSupport

/// A service of an unprivileged user, teams, and programs of theirs that run as that user.
final class SignedWorld {
    let service: TestService
    /// Where the user's programs lie.
    let directory: String
    private let application: [UInt8]
    private var trusted = TrustedTeams()

    /// A team with one developer.
    struct Team {
        let identifier: String
        let authority: TeamAuthority
        let developer: SignedDocument
        let key = P256.Signing.PrivateKey()

        init(_ identifier: String) throws {
            guard let team = TeamIdentifier(identifier) else { throw TestFailure(identifier) }
            self.identifier = identifier
            let now = Int64(Date().timeIntervalSince1970)
            let validity = (now - 100)...(now + 10_000)
            authority = try TeamAuthority(team: team, name: "Team", validity: validity)
            developer = try authority.issue(
                to: SigningKey(key.publicKey), name: "Developer", validity: validity)
        }

        /// An entitlements file.
        static func groupList(_ groups: [String]) -> [UInt8] {
            let list = groups.map { "<string>\($0)</string>" }.joined()
            return Array(
                """
                <plist version="1.0"><dict><key>keychain-access-groups</key><array>\(list)\
                </array></dict></plist>
                """.utf8)
        }

        func sign(
            _ program: [UInt8], _ identifier: String, groups: [String] = []
        ) throws -> [UInt8] {
            let now = Int64(Date().timeIntervalSince1970)
            var options = ProgramSigner.Options(identifier: identifier, signedAt: now)
            if !groups.isEmpty { options.entitlements = Self.groupList(groups) }
            options.profile = try authority.profile(
                name: "Profile", applications: authority.root.team.prefix + "*",
                entitlements: Self.groupList(["*"]), devices: nil, createdAt: now,
                expiresAt: now + 10_000)
            return try ProgramSigner(
                key: key, certificate: developer, root: authority.rootDocument
            ).signed(program, options)
        }
    }

    /// Lends a world.
    static func run(_ body: (SignedWorld) throws -> Void) throws {
        var options = TestService.Options()
        options.isUnprivileged = true
        try TestService.run(options) { service in
            try TemporaryDirectory.lend(owner: user) { directory in
                try body(SignedWorld(service, directory))
            }
        }
    }

    private static var user: UInt32? {
        geteuid() == 0 ? TestService.unprivilegedUser : nil
    }

    private init(_ service: TestService, _ directory: String) throws {
        self.service = service
        self.directory = directory
        application = [UInt8](
            try Data(contentsOf: URL(fileURLWithPath: Binaries.testApplication())))
    }

    // MARK: - Trust

    /// Makes the service trust a team.
    func trust(_ team: Team) throws {
        try trusted.add(team.authority.rootDocument)
        try writeTrust()
    }

    /// Takes a developer's certificate back.
    func revoke(_ team: Team) throws {
        let serial = try TeamCertificate(team.developer).serial
        try trusted.add(team.authority.revocations([serial], number: 1, issuedAt: 0))
        try writeTrust()
    }

    private func writeTrust() throws {
        try DeveloperDirectory.write(
            trusted.encoded, service.stateDirectory + "/trusted-teams", mode: 0o644)
    }

    // MARK: - Programs

    /// The test application, or another build of it.
    func program(build: Character = "1") throws -> [UInt8] {
        let mark = Array("llavero test application, build ".utf8)
        var program = application
        var places: [Int] = []
        var start = 0
        while let found = program[start...].firstRange(of: mark) {
            places.append(found.upperBound)
            start = found.upperBound
        }
        guard !places.isEmpty, let byte = build.asciiValue else {
            throw TestFailure("The test application has no build number.")
        }
        for place in places { program[place] = byte }
        return program
    }

    /// Puts a program into the user's directory, or another one.
    func install(
        _ program: [UInt8], _ name: String, in folder: String? = nil, owner: UInt32? = user
    ) throws -> String {
        let path = (folder ?? directory) + "/" + name
        try DeveloperDirectory.write(program, path, mode: 0o755)
        if let owner, unsafe chown(path, owner, owner) != 0 {
            throw TestFailure("\(path) can't be given away.")
        }
        return path
    }

    /// Runs a program as the unprivileged user, to its end.
    func run(
        _ program: String, _ words: [String], environment: [String: String] = [:]
    ) throws -> [String] {
        let process = try start(program, words, environment: environment)
        process.closeInput()
        let output = try process.readAll()
        _ = try process.wait()
        return output.split(separator: "\n").map(String.init)
    }

    /// Starts a program as the unprivileged user.
    func start(
        _ program: String, _ words: [String], environment: [String: String] = [:]
    ) throws -> TestProcess {
        var options = TestProcess.Options()
        options.environment = environment
        return try TestProcess(
            Binaries.launcher(), ["--unprivileged", "--", program] + words, options)
    }

    /// Runs an application against the service.
    func ask(_ program: String, _ words: String...) throws -> [String] {
        try run(program, [service.socketPath] + words)
    }
}
