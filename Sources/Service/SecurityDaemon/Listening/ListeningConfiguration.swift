// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// How connections are taken.
package struct ListeningConfiguration: Sendable {
    /// The listening socket; stays the caller's.
    package var listener: Int32
    /// Connections that one event thread keeps.
    package var connectionLimit: Int
    /// Connections that one process may have to one event thread.
    package var connectionsPerProcess = 16
    /// Connections that all processes of one user may have to one event thread: others find room.
    package var connectionsPerUser: Int { max(connectionLimit / 2, 1) }
    /// How long a client may take for its first request, and for each request it has begun.
    package var requestDeadline = Duration.seconds(10)
    /// How long a client may take to accept a reply.
    package var replyDeadline = Duration.seconds(30)
    /// Establishes who a peer is.
    package var identities: any PeerIdentifying
    /// Where descriptors that peers attach are closed; one for all event threads.
    let releases: ReleaseThreads
    /// Which user numbers are one account's.
    package var accounts: Accounts { releases.accounts }
    /// The user whose programs are served, besides root's; nil serves every user.
    package var onlyUser: UInt32?
    /// Counts replies.
    package let counts = RequestCounts()
    /// Where fronts come in; nil where there are none.
    package var fronts: FrontDoor?
    /// Overwrites what a request left on the stack.
    package var scrub: @Sendable () -> Void

    package init(
        listener: Int32, connectionLimit: Int, onlyUser: UInt32?,
        identities: any PeerIdentifying, releases: ReleaseThreads = ReleaseThreads(),
        scrub: @escaping @Sendable () -> Void
    ) {
        self.releases = releases
        self.listener = listener
        self.connectionLimit = connectionLimit
        self.onlyUser = onlyUser
        self.identities = identities
        self.scrub = scrub
    }

    func serves(_ user: UInt32) -> Bool { onlyUser.map { user == $0 || user == 0 } ?? true }
}
