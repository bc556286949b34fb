// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// How well it is known which application a peer is.
package enum IdentityGrade: String, Sendable {
    /// A trusted team's signature, in a program that its user can't inject code into.
    case signedAndProtected = "S+"
    /// A trusted team's signature.
    case signed = "S"
    /// An unsigned program that only root can replace.
    case rootOwnedPath = "P"
    /// Everything else: what runs as this user.
    case unsigned = "U"
}

/// Why an identity has its grade and not a better one.
package enum IdentityReason: Error, Sendable {
    /// The daemon may not look into the process.
    case notInspectable
    case ended
    /// It runs another program than a moment ago.
    case changed
    case traced
    case sharedProgram
    case anonymousCode
    case foreignLibrary
    case replacedLibrary
    case notRootsPath
    case foreignNamespace
    case holdsRights
    case unprovenFile
    case copiedCode
    case programTooLarge
    case replacedProgram
    case notProtected
    case signature(SignatureProblem)
    case profile(SignatureProblem)

    /// For people.
    package var text: String {
        switch self {
        case .notInspectable: "the service may not look into the program"
        case .ended: "the program has ended"
        case .changed: "the process changed its program while it connected"
        case .traced: "the program is being debugged"
        case .sharedProgram: "the program does what a script or its caller says"
        case .anonymousCode: "the program runs code that is in no file"
        case .foreignLibrary: "a library in the program is neither the system's nor its team's"
        case .replacedLibrary: "a library in the program was replaced since it started"
        case .notRootsPath: "the program isn't where only root can put programs"
        case .foreignNamespace: "the program runs in a namespace of its own (a container)"
        case .holdsRights: "the program holds rights over other programs"
        case .unprovenFile: "the program's file is on a file system that proves nothing"
        case .copiedCode: "the program's code was changed in memory"
        case .programTooLarge: "the program's file is too large to be checked"
        case .replacedProgram: "the program's file was replaced since it started"
        case .notProtected: "the program demands to be out of its user's reach, and isn't"
        case .signature(let problem): problem.rawValue
        case .profile(let problem): problem.rawValue
        }
    }

    /// Whether it is that the program runs in a namespace of its own.
    package var isForeignNamespace: Bool {
        if case .foreignNamespace = self { true } else { false }
    }

    /// Whether an honest program comes to this while it runs, without its own doing: by an upgrade,
    /// or by a probe of root's. In the group that all programs share it would find nothing of its
    /// own, and leave there what it stores; so it gets nothing until it is started again.
    fileprivate var endsWithARestart: Bool {
        switch self {
        case .replacedProgram, .replacedLibrary, .copiedCode: true
        default: false
        }
    }
}

/// Which application is asking, and what it may see. Established once for each connection.
package struct ClientIdentity: Sendable {
    /// The user that the peer runs as.
    package let userID: UInt32
    /// How well the application is known.
    package let grade: IdentityGrade
    /// The access groups that it holds, by their stored names; the first is the default of what it
    /// adds. May be empty.
    package private(set) var accessGroups: [String]
    /// The same, to be looked up.
    package private(set) var heldGroups: Set<String>
    /// What it calls its groups.
    package let groupNames: GroupNames
    /// Whether it holds a group that it calls by another name than the stored one.
    package private(set) var hasOtherNames: Bool
    /// What of the calls on items it has.
    package let restriction: ItemRestriction
    /// What it is entitled to.
    package let entitlements: Entitlements
    /// The application's identifier with its team's prefix; nil of an unsigned one.
    package private(set) var application: String?
    /// Why the grade isn't better.
    package private(set) var reasons: [IdentityReason] = []
    /// Whether its connection has given the device passcode: the person who owns the items is there.
    package private(set) var hasProvenOwner = false

    private init(
        userID: UInt32, grade: IdentityGrade, accessGroups: [String],
        restriction: ItemRestriction = .none, entitlements: Entitlements = Entitlements()
    ) {
        self.userID = userID
        self.grade = grade
        self.accessGroups = accessGroups
        heldGroups = Set(accessGroups)
        let names = GroupNames(of: restriction == .everything ? nil : entitlements.team)
        groupNames = names
        hasOtherNames = accessGroups.contains { names.told($0) != $0 }
        self.restriction = restriction
        self.entitlements = entitlements
    }

    /// The identity of a program whose entitlements are established.
    package init(userID: UInt32, grade: IdentityGrade, entitlements: Entitlements) {
        let restriction = ItemRestriction(entitlements)
        self.init(
            userID: userID, grade: grade,
            accessGroups: restriction == .everything ? [] : AccessGroups.of(entitlements),
            restriction: restriction, entitlements: entitlements)
    }

    /// The identity of a signed application.
    package init(userID: UInt32, grade: IdentityGrade, application: SignedApplication) {
        self.init(userID: userID, grade: grade, entitlements: application.entitlements)
        self.application = application.applicationIdentifier
        reasons = application.profileProblem.map { [.profile($0)] } ?? []
    }

    /// The identity of a signed application that somebody else has inspected.
    init(
        userID: UInt32, grade: IdentityGrade, application: String, entitlements: Entitlements,
        reasons: [IdentityReason]
    ) {
        self.init(userID: userID, grade: grade, entitlements: entitlements)
        self.application = application
        self.reasons = reasons
    }

    /// The identity of a program that only root can replace.
    package init(userID: UInt32, path: String, reasons: [IdentityReason]) {
        self.init(userID: userID, grade: .rootOwnedPath, accessGroups: ["path:\(path)"])
        self.reasons = reasons
    }

    /// The identity of everything else of a user: it holds the group that all such programs share,
    /// or nothing where it may be an application with a group of its own that can't be told now.
    package static func unsigned(_ userID: UInt32, _ reasons: [IdentityReason]) -> ClientIdentity {
        let isCutOff = reasons.contains { $0.endsWithARestart }
        var identity = ClientIdentity(
            userID: userID, grade: .unsigned,
            accessGroups: isCutOff ? [] : ["unsigned.\(userID)"],
            restriction: isCutOff ? .everything : .none)
        identity.reasons = reasons
        return identity
    }

    /// Whether what it lacks is that its code isn't what was signed.
    package var hasChangedCode: Bool {
        reasons.contains { if case .signature(.codeChanged) = $0 { true } else { false } }
    }

    /// Whether what it lacks is that it was being debugged.
    package var isTraced: Bool {
        reasons.contains { if case .traced = $0 { true } else { false } }
    }

    /// The same identity with one group more, by its stored name, which comes last.
    package func opening(_ group: String) -> ClientIdentity {
        guard !heldGroups.contains(group) else { return self }
        var identity = self
        identity.accessGroups.append(group)
        identity.heldGroups.insert(group)
        identity.hasOtherNames = hasOtherNames || groupNames.told(group) != group
        return identity
    }

    /// What a front's channel has for the program that it represents: these groups, whatever the
    /// program holds elsewhere, and no entitlement.
    package func representing(_ groups: [String]) -> ClientIdentity {
        var identity = ClientIdentity(userID: userID, grade: grade, accessGroups: groups)
        identity.application = application
        identity.reasons = reasons
        return identity
    }

    /// The same identity, with the owner there.
    package func provingOwner() -> ClientIdentity {
        var identity = self
        identity.hasProvenOwner = true
        return identity
    }

    /// The same, for one reason.
    package static func unsigned(_ userID: UInt32, _ reason: IdentityReason) -> ClientIdentity {
        unsigned(userID, [reason])
    }
}
