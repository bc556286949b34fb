// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The identity that securityd has assigned to a caller.
public struct CallerIdentity: Equatable, Sendable {
    /// `S+`, `S`, `P` or `U`.
    public let grade: String
    /// The user.
    public let userID: UInt32
    /// The application's identifier with its team's prefix; nil for an unsigned program.
    public let application: String?
    /// The access groups that it holds, by the names that it uses, the default one first.
    public let accessGroups: [String]
    /// The same groups by their stored names, in the same order: an application group has its team's
    /// prefix there.
    public let storedGroups: [String]
    /// Why the grade isn't better, as text.
    public let reasons: [String]

    package init(
        grade: String, userID: UInt32, application: String?, accessGroups: [String],
        storedGroups: [String]? = nil, reasons: [String]
    ) {
        let storedGroups = storedGroups ?? accessGroups
        precondition(storedGroups.count == accessGroups.count)
        self.grade = grade
        self.userID = userID
        self.application = application
        self.accessGroups = accessGroups
        self.storedGroups = storedGroups
        self.reasons = reasons
    }
}

extension CallerIdentity {
    init(_ message: WireIdentityReply) throws(WireError) {
        let stored = message.storedGroups.isEmpty ? nil : message.storedGroups
        guard stored.map({ $0.count == message.accessGroups.count }) ?? true else {
            throw .malformed
        }
        self.init(
            grade: message.grade, userID: message.userID,
            application: message.application.isEmpty ? nil : message.application,
            accessGroups: message.accessGroups, storedGroups: stored, reasons: message.reasons)
    }

    var message: WireIdentityReply {
        var message = WireIdentityReply()
        message.grade = grade
        message.userID = userID
        message.application = application ?? ""
        message.accessGroups = accessGroups
        message.reasons = reasons
        if storedGroups != accessGroups { message.storedGroups = storedGroups }
        return message
    }
}

/// Sizes in messages about identities and groups.
package enum IdentityLimits {
    /// Maximum number of entitlements in one request.
    package static let entitlementCount = 64
    /// Larger than any access group or name of an entitlement.
    package static let nameByteCount = 4096
}

extension String {
    /// Whether it can be the name of an access group.
    var isGroupName: Bool { (1...IdentityLimits.nameByteCount).contains(utf8.count) }
}

extension CallerIdentity {
    /// The same identity with other names of access groups.
    func namingGroups(_ name: (String) -> String) -> CallerIdentity {
        CallerIdentity(
            grade: grade, userID: userID, application: application,
            accessGroups: storedGroups.map(name), storedGroups: storedGroups, reasons: reasons)
    }
}
