// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Synchronization

/// The file of trusted teams, read again when it was changed.
package final class TrustFile: Sendable {
    private let path: String
    private let known = Mutex<(identity: FileIdentity?, teams: TrustedTeams)>(
        (nil, TrustedTeams()))

    /// Takes the file's path; it need not exist.
    package init(path: String) { self.path = path }

    /// The teams that are trusted now: none if the file is missing or damaged, or others than root
    /// and this process's user can write it.
    package var teams: TrustedTeams {
        guard let status = FileStatus(path: path, followingLinks: false), status.isRegular,
            status.isAlone(of: geteuid())
        else { return TrustedTeams() }
        return known.withLock { known in
            if known.identity == status.identity { return known.teams }
            let bytes = ProcessFile.content(path, limit: TrustedTeams.byteLimit) ?? []
            let teams = (try? TrustedTeams(decoding: bytes)) ?? TrustedTeams()
            // A file that was written just now may be written again within the clock's tick.
            known = (status.settled(now: Int64(time(nil))) ? status.identity : nil, teams)
            return teams
        }
    }
}

/// What a device goes by in provisioning profiles.
package enum DeviceIdentifier {
    private static let domain = Array("llavero device 1\0".utf8)

    /// SHA-256 of the machine's identifier, which itself is given to nobody; nil where there is
    /// none.
    package static func read(from path: String = "/etc/machine-id") -> [UInt8]? {
        guard let text = ProcessFile.content(path, limit: 4096) else { return nil }
        let digits = text.prefix { $0 != UInt8(ascii: "\n") }
        guard digits.count == 32 else { return nil }
        return Digest.of(domain + digits)
    }
}
