// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ArgumentParser
import CodeIdentity
import CodeSigning
import FoundationEssentials

/// The keychain whose trust is read or changed.
struct Keychain: ParsableArguments {
    @Option(name: .long, help: "The keychain's state directory (default: the user's own).")
    var state: String?

    /// The file of trusted teams.
    var path: String {
        get throws {
            let environment = ProcessInfo.processInfo.environment
            if let state { return state + "/trusted-teams" }
            // An ephemeral keychain's socket is in its state directory. The supervisor's file is there
            // from the start; the database may come a moment after the command has begun.
            if let socket = environment["LLAVERO_SOCKET"] {
                let folder = URL(fileURLWithPath: socket).deletingLastPathComponent().path
                if FileManager.default.fileExists(atPath: folder + "/supervisor.lock") {
                    return folder + "/trusted-teams"
                }
            }
            if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
                return data + "/llavero/trusted-teams"
            }
            guard let home = environment["HOME"], home.hasPrefix("/") else {
                throw ValidationError("There is no home directory; name one with --state.")
            }
            return home + "/.local/share/llavero/trusted-teams"
        }
    }

    func read() throws -> TrustedTeams {
        let path = try self.path
        guard FileManager.default.fileExists(atPath: path) else { return TrustedTeams() }
        return try TrustedTeams(decoding: DeveloperDirectory.read(path))
    }

    /// Of a whole machine's keychain, peerinspector's user reads the file. It has nothing secret in it.
    func write(_ teams: TrustedTeams) throws {
        try DeveloperDirectory.write(teams.encoded, path, mode: 0o644)
    }
}

struct Trust: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Trust a team on this device, or take its newest revocations.",
        discussion: """
            Programs that the team signs then have access groups that begin with the team's \
            identifier, and read what other programs of the team store. No other team can take \
            the same identifier while it is trusted.
            """)
    @OptionGroup var place: Place
    @OptionGroup var keychain: Keychain
    @Argument(help: "A file of `export`, or a team of one's own.") var team: String

    func run() throws {
        var teams = try keychain.read()
        for document in try documents() {
            do { try teams.add(document) } catch {
                throw ValidationError(
                    error == .rootNotTrusted
                        ? "Another team with this identifier is trusted; `untrust` it first."
                        : error == .revoked
                            ? "The revocations are older than the ones that are known."
                            : error.rawValue)
            }
        }
        try keychain.write(teams)
    }

    private func documents() throws -> [SignedDocument] {
        if let own = TeamIdentifier(team), try place.store.teams().contains(own) {
            let list = try place.store.revocationDocument(own)
            return [try place.store.rootDocument(own)] + (list.map { [$0] } ?? [])
        }
        guard let bytes = try? DeveloperDirectory.read(team) else {
            throw ValidationError("\(team) is neither a file nor a team of one's own.")
        }
        // The same form as the file of trusted teams.
        let exported = try TrustedTeams(decoding: bytes)
        return exported.teams.values.flatMap { team in
            [team.rootDocument] + (team.revocationDocument.map { [$0] } ?? [])
        }
    }
}

struct Untrust: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Stop trusting a team. Its items stay, and it has them again once it is trusted.")
    @OptionGroup var keychain: Keychain
    @Argument(help: "The team's identifier.") var team: String

    func run() throws {
        var teams = try keychain.read()
        guard let identifier = TeamIdentifier(team), teams.remove(identifier) else {
            throw ValidationError("\(team) isn't trusted.")
        }
        try keychain.write(teams)
    }
}

struct Trusted: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the trusted teams.")
    @OptionGroup var keychain: Keychain

    func run() throws {
        for team in try keychain.read().teams.values.sorted(by: {
            $0.root.team.text < $1.root.team.text
        }) {
            let count = team.revocations?.serials.count ?? 0
            print("\(team.root.team) \(team.root.name), \(count) certificates revoked")
        }
    }
}
