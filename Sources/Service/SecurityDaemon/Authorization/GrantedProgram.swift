// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import SecurityWire

/// A caller, as the grants of items name it: the only place that decides what they mean (STORAGE.md,
/// "Grants").
struct GrantedProgram: Sendable {
    /// The partitions that it is in.
    private let partitions: [String]
    /// What `-T` calls it.
    private let applications: [String]
    /// Whether it is one of the programs that their user's programs can't be told from, such as
    /// `security`.
    private let isUnsigned: Bool
    /// Whether its connection has given the password of the keychain, or the passcode for login: the
    /// person is there.
    var hasProvenKeychain = false

    /// The partitions of programs without a trusted signature. Llavero's own tools work in the same
    /// group as all of them.
    private static let unsignedPartitions = ["unsigned:", "apple-tool:", "apple:"]

    init(_ identity: ClientIdentity) {
        var partitions: [String] = []
        var applications: [String] = []
        let hasGroups = !identity.accessGroups.isEmpty
        switch identity.grade {
        case .unsigned: if hasGroups { partitions = Self.unsignedPartitions }
        case .signed, .signedAndProtected:
            if let team = identity.entitlements.team { partitions = ["teamid:\(team.text)"] }
            if let application = identity.application { applications = [application] }
        // Its group is its path.
        case .rootOwnedPath: applications = Array(identity.accessGroups.prefix(1))
        }
        self.partitions = partitions
        self.applications = applications
        isUnsigned = identity.grade == .unsigned && hasGroups
    }

    /// Whether it may have an item's secret that its group doesn't give it. One that has no keychain, or
    /// no name, never.
    func isGranted(by grants: ItemGrants) -> Bool {
        guard !partitions.isEmpty || !applications.isEmpty else { return false }
        return grants.admitsAll || grants.partitions.contains(where: partitions.contains)
            || grants.applications.contains(where: applications.contains)
            || isUnsigned && grants.applications.contains(where: Self.isShared)
    }

    /// Whether it, which holds an item's group, may not have the item's secret.
    func isDenied(by grants: ItemGrants?) -> Bool {
        guard let grants, grants.withholdsFromGroup, !hasProvenKeychain else { return false }
        return !isGranted(by: grants)
    }

    /// Whether an application's name means a program that does what its caller says, as `security`
    /// does: all of these are one.
    private static func isShared(_ application: String) -> Bool {
        guard application.hasPrefix("path:/"), let name = application.split(separator: "/").last
        else { return false }
        return SharedPrograms.containsRelative(fileName: String(name))
    }
}
