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
    /// With the system service: where root's programs lie, and nobody else can put one.
    let systemFolder: String?
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
            authority = try TeamAuthority(team: team, name: "Team", validity: Self.validity)
            developer = try authority.issue(
                to: SigningKey(key.publicKey), name: "Developer", validity: Self.validity)
        }

        /// From a while ago to in a while.
        static var validity: ClosedRange<Int64> {
            let now = Int64(Date().timeIntervalSince1970)
            return (now - 100)...(now + 10_000)
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
            let list = groups.isEmpty ? nil : Self.groupList(groups)
            return try sign(program, identifier, list, allowing: Self.groupList(["*"]))
        }

        /// Signs for entitlements, under a profile for every application of the team.
        func sign(
            _ program: [UInt8], _ identifier: String, _ entitlements: [UInt8]?,
            allowing allowed: [UInt8]
        ) throws -> [UInt8] {
            try signer.signed(program, options(identifier, entitlements, allowing: allowed))
        }

        /// Signs for entitlements that one profile allows, and then puts another profile in its
        /// place, which no signature of the program's covers.
        func sign(
            _ program: [UInt8], _ identifier: String, _ entitlements: [UInt8],
            allowing allowed: [UInt8], thenAllowing other: [UInt8]
        ) throws -> [UInt8] {
            let options = try options(identifier, entitlements, allowing: allowed)
            let container = try signer.sign(program, options)
            let changed = SignatureContainer(
                root: container.root, developer: container.developer,
                signature: container.signature, profile: try profile(allowing: other))
            return try SectionWriter.adding(
                signature: changed.encoded, entitlements: entitlements, to: program)
        }

        private var signer: ProgramSigner {
            get throws {
                try ProgramSigner(
                    key: key, certificate: developer, root: authority.rootDocument)
            }
        }

        private func options(
            _ identifier: String, _ entitlements: [UInt8]?, allowing allowed: [UInt8]
        ) throws -> ProgramSigner.Options {
            let now = Int64(Date().timeIntervalSince1970)
            var options = ProgramSigner.Options(identifier: identifier, signedAt: now)
            options.entitlements = entitlements ?? []
            options.profile = try profile(allowing: allowed)
            return options
        }

        /// A profile for every application of the team.
        private func profile(allowing allowed: [UInt8]) throws -> SignedDocument {
            let now = Int64(Date().timeIntervalSince1970)
            return try authority.profile(
                name: "Profile", applications: authority.root.team.prefix + "*",
                entitlements: allowed, devices: nil, createdAt: now, expiresAt: now + 10_000)
        }
    }

    /// The modes in which a service of the user's own runs.
    static let modes: [TestService.Mode] = [.ephemeral, .user]
    /// The same and the system's service, whose victims are out of their user's reach. Root alone can
    /// start that.
    static let allModes = geteuid() == 0 ? modes + [.system] : modes

    /// Lends a world.
    static func run(
        _ mode: TestService.Mode = .ephemeral, _ body: (SignedWorld) throws -> Void
    ) throws {
        guard mode == .system else { return try run(mode, nil, body) }
        try Attackers.inSystemFolder { try run(mode, $0, body) }
    }

    private static func run(
        _ mode: TestService.Mode, _ systemFolder: String?, _ body: (SignedWorld) throws -> Void
    ) throws {
        var options = TestService.Options(mode)
        options.isUnprivileged = mode != .system
        try TestService.run(options) { service in
            try TemporaryDirectory.lend(owner: user) { directory in
                try body(SignedWorld(service, directory, systemFolder))
            }
        }
    }

    private static var user: UInt32? {
        geteuid() == 0 ? TestService.unprivilegedUser : nil
    }

    private init(_ service: TestService, _ directory: String, _ systemFolder: String?) throws {
        self.service = service
        self.directory = directory
        self.systemFolder = systemFolder
        if systemFolder != nil {
            try FileManager.default.createDirectory(
                atPath: service.trustDirectory, withIntermediateDirectories: true)
        }
    }

    // MARK: - Trust

    /// Makes the service trust a team.
    func trust(_ team: Team) throws {
        try trusted.add(team.authority.rootDocument)
        try writeTrust()
    }

    /// Takes a developer's certificate back.
    func revoke(_ team: Team) throws { try revoke(team.developer, of: team) }

    /// Takes a certificate of a team back.
    func revoke(_ certificate: SignedDocument, of team: Team) throws {
        let serial = try TeamCertificate(certificate).serial
        try trusted.add(team.authority.revocations([serial], number: 1, issuedAt: 0))
        try writeTrust()
    }

    /// Gives the file of trusted teams, which a tool that ran as root wrote, the rights that
    /// ``trust(_:)`` gives it.
    func giveTrust() throws {
        let file = service.trustDirectory + "/trusted-teams"
        guard unsafe chmod(file, 0o644) == 0 else { throw TestFailure(file) }
    }

    private func writeTrust() throws {
        try DeveloperDirectory.write(
            trusted.encoded, service.trustDirectory + "/trusted-teams", mode: 0o644)
    }

    // MARK: - Programs

    /// The test application without its symbols, and where its build number is: found once, since
    /// it has millions of bytes.
    private static let application = Result { () throws -> (program: [UInt8], places: [Int]) in
        try TemporaryDirectory.lend { directory in
            let file = directory + "/application"
            let result = try TestProcess.run(
                "strip", ["-s", "-o", file, Binaries.testApplication()])
            guard result.ending == .exit(0) else { throw TestFailure(result.errors) }
            let data = try Data(contentsOf: URL(fileURLWithPath: file))
            var places: [Int] = []
            var rest = data.startIndex..<data.endIndex
            while let found = data.range(
                of: Data("llavero test application, build ".utf8), in: rest)
            {
                places.append(found.upperBound)
                rest = found.upperBound..<data.endIndex
            }
            guard !places.isEmpty else {
                throw TestFailure("The test application has no build number.")
            }
            return ([UInt8](data), places)
        }
    }

    /// The test application, or another build of it.
    func program(build: Character = "1") throws -> [UInt8] {
        var (program, places) = try Self.application.get()
        guard let byte = build.asciiValue else { throw TestFailure("\(build)") }
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

    /// Puts a program into root's folder, out of its users' reach: setgid, with a group that no other
    /// program has.
    func installProtected(_ program: [UInt8], _ name: String, in folder: String) throws -> String {
        let path = try install(program, name, in: folder, owner: nil)
        guard unsafe chown(path, 0, Self.protectedGroup) == 0, unsafe chmod(path, 0o2755) == 0
        else {
            throw TestFailure(path)
        }
        return path
    }

    private static let protectedGroup: UInt32 = 65_531

    /// Runs a program as the unprivileged user, to its end.
    func run(
        _ program: String, _ words: [String], environment: [String: String] = [:],
        flags: [String] = ["--unprivileged"], input: String = ""
    ) throws -> [String] {
        let process = try start(program, words, environment: environment, flags: flags)
        process.write(input)
        process.closeInput()
        let output = try process.readAll()
        _ = try process.wait()
        return output.split(separator: "\n").map(String.init)
    }

    /// Starts a program, as the unprivileged user unless the launcher is told otherwise.
    func start(
        _ program: String, _ words: [String], environment: [String: String] = [:],
        flags: [String] = ["--unprivileged"]
    ) throws -> TestProcess {
        var options = TestProcess.Options()
        options.environment = environment
        return try TestProcess(Binaries.launcher(), flags + ["--", program] + words, options)
    }

    /// Runs an application against the service.
    func ask(_ program: String, _ words: String...) throws -> [String] {
        try run(program, [service.socketPath] + words)
    }

    /// Makes several requests of one run of an application; what it says of all, line by line.
    func converse(_ program: String, _ requests: [String]) throws -> [String] {
        try run(
            program, [service.socketPath, "serve"],
            input: requests.map { $0 + "\n" }.joined())
    }
}
