// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// A user of one of the system service's daemons.
package struct ServiceUser: Equatable, Sendable {
    /// For messages: its name, or its number.
    package let name: String
    package let userID: UInt32
    package let groupID: UInt32
    /// Further groups: enclaved's user may be in the one that may use the TPM.
    package let groups: [UInt32]

    private static let groupLimit: Int32 = 64

    /// Looks a user up by its name; a number is a user and a group that need no entry.
    /// - Throws: ``SupervisionError/userMissing(_:)``; ``SupervisionError/userUnusable(_:)`` for
    ///   root.
    package init(_ text: String) throws(SupervisionError) {
        name = text
        if let number = UInt32(text), number != .max {
            userID = number
            groupID = number
            groups = []
        } else {
            guard let entry = unsafe getpwnam(text) else { throw .userMissing(text) }
            userID = unsafe entry.pointee.pw_uid
            groupID = unsafe entry.pointee.pw_gid
            var found = [gid_t](repeating: 0, count: Int(Self.groupLimit))
            let count = unsafe llavero_groups_of_user(text, groupID, &found, Self.groupLimit)
            let own = groupID
            groups = found.prefix(max(Int(count), 0)).filter { $0 != own }
        }
        guard userID != 0, groupID != 0, !groups.contains(0) else { throw .userUnusable(text) }
    }

    /// The arguments that make a daemon become this user.
    var words: [String] {
        let all = ([groupID] + groups).map(String.init).joined(separator: ",")
        return ["--user", "\(userID)", "--groups", all]
    }
}

/// The users of the system service: each daemon has one of its own.
package struct ServiceUsers: Equatable, Sendable {
    package let securityd: ServiceUser
    package let enclaved: ServiceUser
    package let peerinspector: ServiceUser
    /// The user of `llavero-session`, who may lock every user's device. It is no daemon of this
    /// supervisor; nil when the machine has no such user.
    package let session: ServiceUser?
    /// The user of trustd; nil when the machine has no such user: then no certificate is judged.
    package let trust: ServiceUser?

    /// As the package makes them.
    package static let names = ["_securityd", "_enclaved", "_peerinspector"]
    private static let sessionName = "_llavero-session"
    private static let trustName = "_trustd"

    /// The number of a user of the machine, by name or number; nil if there is no such name.
    package static func number(ofUser text: String) -> UInt32? {
        if let number = UInt32(text), number != .max { return number }
        guard let entry = unsafe getpwnam(text) else { return nil }
        return unsafe entry.pointee.pw_uid
    }

    /// - Parameter names: Of securityd, enclaved and peerinspector; of `llavero-session`; of trustd.
    /// - Throws: ``SupervisionError/userMissing(_:)``; ``SupervisionError/userUnusable(_:)`` for
    ///   root; ``SupervisionError/usersNotDistinct`` when two daemons would be one user.
    package init(_ names: [String] = names) throws(SupervisionError) {
        guard (3...5).contains(names.count) else { throw .usersNotDistinct }
        securityd = try ServiceUser(names[0])
        enclaved = try ServiceUser(names[1])
        peerinspector = try ServiceUser(names[2])
        session =
            names.count >= 4 ? try ServiceUser(names[3]) : try? ServiceUser(Self.sessionName)
        trust = names.count == 5 ? try ServiceUser(names[4]) : try? ServiceUser(Self.trustName)
        let others = [session, trust].compactMap { $0?.userID }
        let numbers = Set([securityd.userID, enclaved.userID, peerinspector.userID] + others)
        guard numbers.count == 3 + others.count else { throw .usersNotDistinct }
    }
}
