// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Glibc
import IPC
import ItemStore
import SecurityWire

/// What a connection is told: answers of this thread and of others, and news.
extension EventThread {
    func reply(
        _ reply: ServiceReply, _ sequence: UInt32, _ connection: ClientConnection
    ) {
        configuration.counts.count(reply)
        guard let frame = Self.frame(reply, sequence, to: connection.client.identity) else {
            return close(connection)
        }
        progressed(connection, PendingReply(frame).send(to: connection.socket.rawValue))
    }

    /// A reply's frame, with the names of groups that the program uses.
    private static func frame(
        _ reply: ServiceReply, _ sequence: UInt32, to identity: ClientIdentity
    ) -> EncodedFrame? {
        try? reply.tellingGroups(to: identity).encoded(sequence: sequence)
    }

    func progressed(
        _ connection: ClientConnection, _ progress: PendingReply.Progress
    ) {
        let raw = connection.socket.rawValue
        do throws(SystemError) {
            switch progress {
            case .failed: close(connection)
            case .done:
                if case .replying = connection.state { try poller.change(raw, .readable) }
                connection.state = .receiving
                connection.deadline = nil
                tell(connection)
            case .more(let reply):
                let isNew = connection.unreadByteCount == nil
                try poller.change(raw, .writable)
                connection.state = .replying(reply)
                connection.deadline = connection.deadline ?? .now + configuration.replyDeadline
                if isNew { keepReplyBudget(of: connection.account) }
            }
        } catch { close(connection) }
    }

    /// Hands the connection to another thread: until its answer comes back nothing is read and it
    /// is not closed.
    func pause(_ connection: ClientConnection) {
        poller.remove(connection.socket.rawValue)
        connection.state = .working
        connection.deadline = nil
    }

    /// Answers from the other thread's own hand, so that the reply doesn't wait for this one.
    func laterReply(_ connection: ClientConnection, _ sequence: UInt32) -> LaterReply {
        let raw = connection.socket.rawValue
        let identity = connection.client.identity
        let counts = configuration.counts
        return LaterReply(
            send: { [mailbox] outcome in
                let reply: ServiceReply
                switch outcome {
                case .success(let success): reply = success
                case .failure(let error): reply = .failed(Failure(error))
                }
                counts.count(reply)
                guard let frame = Self.frame(reply, sequence, to: identity) else {
                    return mailbox.answered(raw, .failed)
                }
                mailbox.answered(raw, PendingReply(frame).send(to: raw))
            },
            open: { [mailbox] opening in mailbox.opened(raw, opening) })
    }

    func resumeAnswered() {
        let answered = mailbox.take()
        // After the answers, so that a client has what an answer says is open.
        for (raw, opening) in mailbox.takeOpened() { connections[raw]?.client.open(opening) }
        for (raw, progress) in answered {
            guard let connection = connections[raw] else { continue }
            connection.state = .receiving
            guard !connection.mustClose else {
                close(connection)
                continue
            }
            do throws(SystemError) { try poller.add(raw, .readable) } catch {
                close(connection)
                continue
            }
            progressed(connection, progress)
        }
    }

    // MARK: - Watching

    func startWatch(_ sequence: UInt32, _ connection: ClientConnection) {
        let identity = connection.client.identity
        connection.watch = Watch(
            sequence: sequence, userID: identity.userID, groups: identity.accessGroups,
            connection.client.kind.reach)
        watching.insert(connection.socket.rawValue)
        mailbox.wantChanges(true)
        // The first frame says that changes are noted from now on.
        reply(.changes([], missedSome: false), sequence, connection)
    }

    func tellWatchers() {
        let list = mailbox.takeChanges()
        guard !list.isEmpty else { return }
        for raw in Array(watching) {
            guard let connection = connections[raw] else { continue }
            guard connection.isCurrent else {
                close(connection)
                continue
            }
            lookAgain(beside: connection)
            connection.watch?.note(list, indexer)
            if case .receiving = connection.state { tell(connection) }
        }
    }

    func tellSecretLocks() {
        for (userID, isLocked) in mailbox.takeSecretLocks() {
            for raw in Array(watching) {
                guard let connection = connections[raw] else { continue }
                connection.watch?.note(secretsLocked: isLocked, ofUser: userID)
                if case .receiving = connection.state { tell(connection) }
            }
        }
    }

    /// Sends a watching connection what it has yet to hear.
    private func tell(_ connection: ClientConnection) {
        guard let sequence = connection.watch?.sequence, let news = connection.watch?.take()
        else { return }
        reply(news, sequence, connection)
    }
}
