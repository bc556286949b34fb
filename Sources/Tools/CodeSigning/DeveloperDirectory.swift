// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import CodeIdentity
package import Crypto
import FoundationEssentials
import Glibc

/// A developer's teams and keys, as files that only their owner can read (CODE-SIGNING.md, "Keys").
package struct DeveloperDirectory {
    /// Why an operation failed.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
        package init(_ description: String) { self.description = description }
    }

    /// A developer's certificate, and its key if that is stored here.
    package struct Developer {
        package let certificate: TeamCertificate
        package let document: SignedDocument
        package let key: P256.Signing.PrivateKey?
        package let isRevoked: Bool
    }

    private let path: String

    /// Uses a directory; by default `llavero-developer` in the user's data directory.
    package init(path: String?, environment: [String: String]) throws {
        if let path {
            self.path = path
        } else if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            self.path = data + "/llavero-developer"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            self.path = home + "/.local/share/llavero-developer"
        } else {
            throw Failure("there is no home directory; name one with --directory")
        }
    }

    // MARK: - Teams

    /// The teams with files here.
    package func teams() -> [TeamIdentifier] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.sorted().compactMap(TeamIdentifier.init)
    }

    /// The only team, or the named one.
    package func team(_ name: String?) throws -> TeamIdentifier {
        if let name {
            guard let team = TeamIdentifier(name) else {
                throw Failure("\(name) isn't a team identifier: 10 of A to Z and 0 to 9")
            }
            return team
        }
        let all = teams()
        guard let only = all.first, all.count == 1 else {
            throw Failure(
                all.isEmpty
                    ? "there is no team yet; make one with create-team"
                    : "there is more than one team; name one with --team")
        }
        return only
    }

    /// Stores a new team.
    package func add(_ authority: TeamAuthority, key: P256.Signing.PrivateKey) throws {
        let folder = path + "/" + authority.root.team.text
        try makePrivate(folder)
        guard !FileManager.default.fileExists(atPath: folder + "/root.certificate") else {
            throw Failure("there is a team \(authority.root.team) already")
        }
        try write(Array(key.rawRepresentation), folder + "/root.key", mode: 0o600)
        try write(authority.rootDocument.encoded, folder + "/root.certificate", mode: 0o644)
    }

    /// A team's root, with its key.
    package func authority(_ team: TeamIdentifier) throws -> TeamAuthority {
        try TeamAuthority(rootDocument(team), key: key(path + "/\(team)/root.key"))
    }

    /// A team's root certificate.
    package func rootDocument(_ team: TeamIdentifier) throws -> SignedDocument {
        let file = path + "/\(team)/root.certificate"
        guard let bytes = try? Self.read(file) else { throw Failure("there is no team \(team)") }
        return try SignedDocument(decoding: bytes)
    }

    // MARK: - Developers

    /// Stores a developer's certificate and its key.
    package func add(_ document: SignedDocument, key: P256.Signing.PrivateKey) throws {
        let certificate = try TeamCertificate(document)
        let name = path + "/\(certificate.team)/" + Self.hexadecimal(certificate.serial)
        try write(Array(key.rawRepresentation), name + ".key", mode: 0o600)
        try write(document.encoded, name + ".certificate", mode: 0o644)
    }

    /// The certificates of a team's developers.
    package func developers(_ team: TeamIdentifier) throws -> [Developer] {
        let root = try TeamCertificate(root: rootDocument(team))
        let revoked = try revocations(team)?.serials ?? []
        let names = try FileManager.default.contentsOfDirectory(atPath: path + "/\(team)").sorted()
        return try names.filter { $0.hasSuffix(".certificate") && $0 != "root.certificate" }.map {
            let document = try SignedDocument(decoding: Self.read(path + "/\(team)/\($0)"))
            let certificate = try TeamCertificate(document, issuedBy: root)
            let keyFile = path + "/\(team)/" + $0.dropLast(".certificate".count) + ".key"
            return Developer(
                certificate: certificate, document: document, key: try? key(keyFile),
                isRevoked: revoked.contains(certificate.serial))
        }
    }

    /// Signs programs as the developer that a text selects: by a certificate's name, the start of
    /// its serial number, or its team. Exactly one currently valid certificate must match.
    package func signer(_ identity: String, now: Int64) throws -> ProgramSigner {
        var found: [(Developer, SignedDocument)] = []
        for team in teams() {
            let root = try rootDocument(team)
            for developer in try developers(team) where developer.means(identity, now: now) {
                found.append((developer, root))
            }
        }
        guard let (developer, root) = found.first, let key = developer.key else {
            throw Failure("\(identity): no identity found")
        }
        guard found.count == 1 else { throw Failure("\(identity): ambiguous") }
        return try ProgramSigner(key: key, certificate: developer.document, root: root)
    }

    // MARK: - Revocation

    /// A team's stored revocation list; nil when nothing was revoked.
    package func revocations(_ team: TeamIdentifier) throws -> RevocationList? {
        guard let document = try revocationDocument(team) else { return nil }
        return try RevocationList(document, signedBy: TeamCertificate(root: rootDocument(team)))
    }

    /// The list's document.
    package func revocationDocument(_ team: TeamIdentifier) throws -> SignedDocument? {
        guard let bytes = try? Self.read(path + "/\(team)/revocations") else { return nil }
        return try SignedDocument(decoding: bytes)
    }

    /// Revokes a certificate.
    package func revoke(_ serial: [UInt8], of team: TeamIdentifier, now: Int64) throws {
        let old = try revocations(team)
        let document = try authority(team).revocations(
            (old?.serials ?? []).union([serial]), number: (old?.number ?? 0) + 1, issuedAt: now)
        try write(document.encoded, path + "/\(team)/revocations", mode: 0o644)
    }

    // MARK: - Files

    /// Reads a file.
    package static func read(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    private func key(_ path: String) throws -> P256.Signing.PrivateKey {
        guard let bytes = try? Self.read(path) else { throw Failure("the key isn't here") }
        return try P256.Signing.PrivateKey(rawRepresentation: bytes)
    }

    private func makePrivate(_ folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    private func write(_ bytes: [UInt8], _ path: String, mode: UInt32) throws {
        try Self.write(bytes, path, mode: mode)
    }

    /// Writes a file so that it is complete or missing; replaces only a regular file.
    /// - Throws: ``Failure``, also for a device, a FIFO, a directory or a symbolic link in its place.
    package static func write(_ bytes: [UInt8], _ path: String, mode: UInt32) throws {
        try OutputFile.write(bytes, path, mode: mode)
    }

    /// Refuses a path that ``write(_:_:mode:)`` would refuse because of the existing file.
    package static func examineOutput(_ path: String) throws { try OutputFile.examine(path) }

    /// Two digits for each byte.
    package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// Bytes of two digits each; nil for anything else.
    package static func bytes(hexadecimal text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[index..<index + 2], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16), pair.allSatisfy(\.isHexDigit) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }
}

extension DeveloperDirectory.Developer {
    fileprivate func means(_ identity: String, now: Int64) -> Bool {
        guard key != nil, !isRevoked, certificate.isValid(at: now), !identity.isEmpty else {
            return false
        }
        let serial = DeveloperDirectory.hexadecimal(certificate.serial)
        return certificate.name == identity || certificate.team.text == identity
            || (identity.count >= 8 && serial.hasPrefix(identity.lowercased()))
    }
}
