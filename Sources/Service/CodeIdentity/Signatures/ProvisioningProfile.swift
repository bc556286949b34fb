// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// What a team allows an application to be entitled to (CODE-SIGNING.md, "Profiles").
package struct ProvisioningProfile: Sendable {
    /// Most devices that one profile lists.
    package static let deviceLimit = 1000

    package let team: TeamIdentifier
    /// The digest of the team's root key, which signs profiles.
    package let signer: [UInt8]
    /// 16 random bytes.
    package let uuid: [UInt8]
    package let createdAt: Int64
    /// Until when it counts, in seconds since 1970, this second included.
    package let expiresAt: Int64
    /// The devices that it is for; nil is all.
    package let devices: [[UInt8]]?
    package let name: String
    /// Which applications: an application identifier with its prefix; a final `*` stands for any
    /// rest.
    package let applicationPattern: String
    /// The allowed entitlements: a property list.
    package let entitlementsXML: [UInt8]
    /// The same, read.
    package let entitlements: Entitlements

    package init(
        team: TeamIdentifier, signer: [UInt8], uuid: [UInt8], createdAt: Int64, expiresAt: Int64,
        devices: [[UInt8]]?, name: String, applicationPattern: String, entitlementsXML: [UInt8]
    ) throws(SignatureProblem) {
        precondition(signer.count == 32 && uuid.count == 16)
        guard (devices ?? []).allSatisfy({ $0.count == 32 }),
            (devices ?? []).count <= Self.deviceLimit, applicationPattern.utf8.count <= 255
        else { throw .malformed }
        self.team = team
        self.signer = signer
        self.uuid = uuid
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.devices = devices
        self.name = name
        self.applicationPattern = applicationPattern
        self.entitlementsXML = entitlementsXML
        entitlements = try Self.read(entitlementsXML)
    }

    /// Reads a profile and checks that a root signed it.
    package init(
        _ document: SignedDocument, signedBy root: TeamCertificate
    ) throws(SignatureProblem) {
        guard document.kind == .profile else { throw .malformed }
        var fields = DocumentFields(document.body)
        team = try fields.team()
        guard team == root.team else { throw .profileOfAnotherTeam }
        signer = try fields.bytes(32)
        guard root.usage == .root else { throw .wrongUsage }
        guard signer == root.key.digest else { throw .profileOfAnotherTeam }
        try document.verify(root.key)
        uuid = try fields.bytes(16)
        createdAt = try fields.integer(Int64.self)
        expiresAt = try fields.integer(Int64.self)
        let isForAll = try fields.integer(UInt8.self)
        let count = Int(try fields.integer(UInt16.self))
        guard isForAll <= 1, count <= Self.deviceLimit, isForAll == 0 || count == 0 else {
            throw .malformed
        }
        var list: [[UInt8]] = []
        for _ in 0..<count { list.append(try fields.bytes(32)) }
        devices = isForAll == 1 ? nil : list
        name = try fields.shortText()
        applicationPattern = try fields.shortText()
        entitlementsXML = try fields.bytes(Int(fields.integer(UInt32.self)))
        try fields.finish()
        entitlements = try Self.read(entitlementsXML)
    }

    /// The fields, as they are signed.
    package var body: [UInt8] {
        var body = DocumentBody()
        body.bytes(team.text.utf8)
        body.bytes(signer)
        body.bytes(uuid)
        body.integer(createdAt)
        body.integer(expiresAt)
        body.integer(UInt8(devices == nil ? 1 : 0))
        body.integer(UInt16((devices ?? []).count))
        for device in devices ?? [] { body.bytes(device) }
        body.shortText(name)
        body.shortText(applicationPattern)
        body.integer(UInt32(entitlementsXML.count))
        body.bytes(entitlementsXML)
        return body.bytes
    }

    /// Whether it is for an application, here and now.
    package func check(
        applicationIdentifier: String, device: [UInt8]?, now: Int64
    ) throws(SignatureProblem) {
        guard now <= expiresAt else { throw .profileExpired }
        if let devices {
            guard let device, devices.contains(device) else { throw .profileForOtherDevices }
        }
        guard isFor(applicationIdentifier: applicationIdentifier) else {
            throw .profileForOtherApplications
        }
    }

    /// Whether it is for an application, somewhere and at some time.
    package func isFor(applicationIdentifier: String) -> Bool {
        applicationPattern.hasPrefix(team.prefix)
            && Pattern(applicationPattern).matches(applicationIdentifier)
    }

    /// Whether it allows a group that a program asks for by one of the entitlements that list
    /// groups.
    package func allows(_ group: String, by list: String) -> Bool {
        AccessGroups.canBeGiven(group, by: list, of: team)
            && (entitlements.texts(list) ?? []).contains { Pattern($0).matches(group) }
    }

    private static func read(_ xml: [UInt8]) throws(SignatureProblem) -> Entitlements {
        guard let entitlements = Entitlements(propertyList: xml) else {
            throw .entitlementsUnreadable
        }
        return entitlements
    }
}

/// A text in a profile: it means itself, or with a `*` at its end all that begins like it.
struct Pattern {
    private let text: Substring
    private let isPrefix: Bool

    init(_ text: String) {
        isPrefix = text.hasSuffix("*")
        self.text = isPrefix ? text.dropLast() : text[...]
    }

    func matches(_ value: String) -> Bool {
        // By bytes: canonical equivalence must not make two groups one.
        isPrefix
            ? value.utf8.starts(with: text.utf8) : value.utf8.elementsEqual(text.utf8)
    }
}
