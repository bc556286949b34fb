// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Glibc
import IPC
import ItemStore
import Synchronization

extension EventThread {
    /// What came of looking into the peer of a connection.
    struct Identified: Sendable {
        let socket: Int32
        let connection: UInt64
        /// How far the look went.
        let stage: InspectionStage
        /// Nil when it can't be told.
        let who: EstablishedPeer?
    }

    /// What other threads tell this one.
    final class Mailbox: Sendable {
        private let identified = Mutex<[Identified]>([])
        private let opened = Mutex<[(Int32, PasscodeOpening)]>([])
        private let finished = Mutex<[(Int32, PendingReply.Progress)]>([])
        private let changes = Mutex<(list: ChangeList, isWanted: Bool)>((ChangeList(), false))
        private let secretLocks = Mutex<[(UInt32, Bool)]>([])
        let arrived: EventCounter
        /// How often the thread has looked in here.
        private let looks = Atomic<UInt64>(0)

        init() throws(SystemError) { arrived = try EventCounter() }

        /// Another thread has answered a connection's request.
        func answered(_ socket: Int32, _ progress: PendingReply.Progress) {
            finished.withLock { $0.append((socket, progress)) }
            arrived.signal()
        }

        /// Somebody has looked into a connection's peer.
        func identified(_ outcome: Identified) {
            identified.withLock { $0.append(outcome) }
            arrived.signal()
        }

        /// The passcode has opened something to a connection; said before its request is answered.
        func opened(_ socket: Int32, _ opening: PasscodeOpening) {
            opened.withLock { $0.append((socket, opening)) }
        }

        /// The thread looks in here.
        func look() {
            arrived.wait()
            looks.add(1, ordering: .releasing)
        }

        /// Wakes the thread.
        /// - Returns: How often it had looked in here before.
        func wake() -> UInt64 {
            defer { arrived.signal() }
            return lookCount
        }

        /// How often the thread has looked in here.
        var lookCount: UInt64 { looks.load(ordering: .acquiring) }

        func takeOpened() -> [(Int32, PasscodeOpening)] {
            opened.withLock { opened in
                defer { opened = [] }
                return opened
            }
        }

        func takeIdentified() -> [Identified] {
            identified.withLock { identified in
                defer { identified = [] }
                return identified
            }
        }

        func take() -> [(Int32, PendingReply.Progress)] {
            finished.withLock { finished in
                defer { finished = [] }
                return finished
            }
        }

        /// Items have changed; the clients that watch are told.
        func changed(_ list: ChangeList) {
            let isWanted = changes.withLock { changes in
                if changes.isWanted { changes.list.append(list) }
                return changes.isWanted
            }
            if isWanted { arrived.signal() }
        }

        /// A user's secrets were locked by a client, or unlocked; the channels that watch are told.
        func secretsLocked(_ userID: UInt32, _ isLocked: Bool) {
            secretLocks.withLock { $0.append((userID, isLocked)) }
            arrived.signal()
        }

        func takeSecretLocks() -> [(UInt32, Bool)] {
            secretLocks.withLock { locks in
                defer { locks = [] }
                return locks
            }
        }

        /// Says whether anybody watches, so that this thread isn't woken for nothing.
        func wantChanges(_ isWanted: Bool) { changes.withLock { $0.isWanted = isWanted } }

        func takeChanges() -> ChangeList {
            changes.withLock { changes in
                defer { changes.list = ChangeList() }
                return changes.list
            }
        }
    }
}
