// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ArgumentParser
import CodeIdentity
import CodeSigning
import Crypto
import FoundationEssentials

@main
struct Developer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "llavero-developer",
        abstract: "Make a developer team, its certificates and profiles, and say whom to trust.",
        subcommands: [
            CreateTeam.self, Issue.self, List.self, Revoke.self, Export.self, Profile.self,
            Device.self, Trust.self, Untrust.self, Trusted.self,
        ])
}

/// Options of every command that uses one's own teams.
struct Place: ParsableArguments {
    @Option(name: .long, help: "Where teams and keys are kept.")
    var directory: String?

    @Option(name: .long, help: "The team, if there is more than one.")
    var team: String?

    var store: DeveloperDirectory {
        get throws {
            try DeveloperDirectory(
                path: directory, environment: ProcessInfo.processInfo.environment)
        }
    }
}

/// Now, in seconds since 1970.
func now() -> Int64 { Int64(Date().timeIntervalSince1970) }

/// From now on, for this many days.
func validity(days: Int) throws -> ClosedRange<Int64> {
    guard (1...36_500).contains(days) else {
        throw ValidationError("Days go from 1 to 36500.")
    }
    // A little earlier, for clocks that are slow.
    return (now() - 300)...(now() + Int64(days) * 86_400)
}

struct CreateTeam: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a team: its identifier and its root certificate.")
    @OptionGroup var place: Place
    @Option(help: "For how many days.") var days = 3650
    @Argument(help: "The team's name, for people.") var name: String

    func run() throws {
        let team = try place.team.map { _ in try place.store.team(place.team) } ?? .random()
        let key = P256.Signing.PrivateKey()
        let authority = try TeamAuthority(
            team: team, name: name, validity: validity(days: days), key: key)
        try place.store.add(authority, key: key)
        print(team.text)
    }
}

struct Issue: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Issue a developer's certificate, with a new key.")
    @OptionGroup var place: Place
    @Option(help: "For how many days.") var days = 1095
    @Argument(help: "The developer's name, to sign with.") var name: String

    func run() throws {
        let team = try place.store.team(place.team)
        let key = P256.Signing.PrivateKey()
        let document = try place.store.authority(team).issue(
            to: SigningKey(key.publicKey), name: name, validity: validity(days: days))
        try place.store.add(document, key: key)
        print(DeveloperDirectory.hexadecimal(try TeamCertificate(document).serial))
    }
}

struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List teams and certificates.")
    @OptionGroup var place: Place

    func run() throws {
        for team in try place.store.teams() where place.team == nil || place.team == team.text {
            let root = try TeamCertificate(root: place.store.rootDocument(team))
            print("\(team) \(root.name)")
            for developer in try place.store.developers(team) {
                let certificate = developer.certificate
                let state =
                    developer.isRevoked
                    ? "revoked"
                    : certificate.isValid(at: now()) ? "valid" : "expired"
                let serial = DeveloperDirectory.hexadecimal(certificate.serial)
                print("    \(serial) \(state) \(certificate.name)")
            }
        }
    }
}

struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take a certificate back. Devices learn of it with `trust`.")
    @OptionGroup var place: Place
    @Argument(help: "The certificate's serial number.") var serial: String

    func run() throws {
        let team = try place.store.team(place.team)
        guard let bytes = DeveloperDirectory.bytes(hexadecimal: serial),
            try place.store.developers(team).contains(where: { $0.certificate.serial == bytes })
        else { throw ValidationError("Team \(team) has no certificate \(serial).") }
        try place.store.revoke(bytes, of: team, now: now())
    }
}

struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write what other devices need to trust the team: its root and its revocations.")
    @OptionGroup var place: Place
    @Option(name: .shortAndLong, help: "The file.") var output: String

    func run() throws {
        let team = try place.store.team(place.team)
        let list = try place.store.revocationDocument(team)?.encoded ?? []
        try DeveloperDirectory.write(
            place.store.rootDocument(team).encoded + list, output, mode: 0o644)
    }
}

struct Profile: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sign a provisioning profile: which entitlements an application may have.")
    @OptionGroup var place: Place
    @Option(help: "For people.") var name = "profile"
    @Option(help: "An identifier, or with a final * how it begins; without the team's prefix.")
    var applications: String
    @Option(help: "The allowed entitlements: a property list.") var entitlements: String?
    @Option(
        name: .customLong("application-group"),
        help: """
            An application group of the team's that the programs may share, group.…, or with a final \
            * how it begins; may be repeated. It is stored as TEAM.group.….
            """)
    var applicationGroups: [String] = []
    @Option(help: "For this device alone (see `device`); may be repeated.") var device: [String] =
        []
    @Option(help: "For how many days.") var days = 365
    @Option(name: .shortAndLong, help: "The file.") var output: String

    func run() throws {
        let team = try place.store.team(place.team)
        let devices = try device.map { text in
            guard let bytes = DeveloperDirectory.bytes(hexadecimal: text), bytes.count == 32 else {
                throw ValidationError("\(text) is no device identifier.")
            }
            return bytes
        }
        let period = try validity(days: days)
        let allowed = try AllowedEntitlements(file: entitlements, applicationGroups)
        let document = try place.store.authority(team).profile(
            name: name, applications: team.prefix + applications,
            entitlements: allowed.propertyList,
            devices: devices.isEmpty ? nil : devices, createdAt: now(),
            expiresAt: period.upperBound)
        try DeveloperDirectory.write(document.encoded, output, mode: 0o644)
    }
}

/// The entitlements of a profile: a property list, and further application groups.
private struct AllowedEntitlements {
    /// All of them, as a property list.
    let propertyList: [UInt8]

    init(file: String?, _ groups: [String]) throws {
        guard file != nil || !groups.isEmpty else {
            throw ValidationError("--entitlements or --application-group is needed.")
        }
        for group in groups where !GroupNames.isShort(group) {
            throw ValidationError(
                "\(group) is no application group: its name begins with \"group.\", without the "
                    + "team's identifier.")
        }
        let bytes = try file.map { try DeveloperDirectory.read($0) }
        if let bytes, groups.isEmpty {
            propertyList = bytes
            return
        }
        var entitlements: [String: PropertyListValue] = [:]
        if let bytes {
            let list = try? PropertyListDecoder().decode(
                [String: PropertyListValue].self, from: Data(bytes))
            guard Entitlements(propertyList: bytes) != nil, let list else {
                throw SignatureProblem.entitlementsUnreadable
            }
            entitlements = list
        }
        let name = AccessGroups.applicationGroups
        guard let listed = entitlements[name, default: .list([])].texts else {
            throw ValidationError("\(name) isn't an array of strings.")
        }
        let all = listed + groups.filter { !listed.contains($0) }
        entitlements[name] = .list(all.map { .text($0) })
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        propertyList = Array(try encoder.encode(entitlements))
    }
}

struct Device: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print what this device is called in profiles.")

    func run() throws {
        guard let device = DeviceIdentifier.read() else {
            throw ValidationError("This device has no /etc/machine-id.")
        }
        print(DeveloperDirectory.hexadecimal(device))
    }
}
