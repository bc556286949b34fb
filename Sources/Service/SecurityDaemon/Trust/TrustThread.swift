// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import KeychainVocabulary
import SecurityWire
import TrustWire

/// A question about a chain of certificates that waits.
final class TrustJob: Sendable {
    let question: [UInt8]
    /// Who asks: the trust settings are this user's.
    let identity: ClientIdentity
    /// The certificates that the asker may read.
    let scope: ItemScope
    let answer: @Sendable (Result<ServiceReply, DaemonError>) -> Void

    init(
        _ question: [UInt8], _ identity: ClientIdentity, _ scope: consuming ItemScope,
        answer: @escaping @Sendable (Result<ServiceReply, DaemonError>) -> Void
    ) {
        self.question = question
        self.identity = identity
        self.scope = scope
        self.answer = answer
    }
}

/// A thread that has questions about certificates answered. It reads neither question nor answer: it
/// adds the trust settings of the asker, and looks up the issuers that trustd asks for.
struct TrustThread {
    private static let idleCheckMilliseconds: Int32 = 30_000

    let number: Int
    let queue: FairQueue<TrustJob>
    let desk: TrustDesk
    /// Nil where nothing is fetched.
    let fetches: FetchDesk?
    /// Opens the database; called at the first question.
    let makeStore: () throws -> TrustStore

    /// Works until the process ends.
    /// - Throws: what `makeStore` throws.
    func run() throws {
        var opened: TrustStore?
        while true {
            // Who has served last looks for idle processes, too.
            let limit = desk.hasRunning ? Self.idleCheckMilliseconds : nil
            if let job = queue.take(within: limit) {
                let store = try opened ?? makeStore()
                opened = store
                do throws(DaemonError) {
                    job.answer(.success(.trust(try reply(to: job, store))))
                } catch { job.answer(.failure(error)) }
            }
            desk.endIdle()
        }
    }

    private func reply(
        to job: TrustJob, _ store: TrustStore
    ) throws(DaemonError) -> [UInt8] {
        let call = TrustCall(
            question: job.question, askers: job.identity.trustNames,
            userSettings: try store.settings(.userTrust, of: job.identity),
            machineSettings: try store.settings(.machineTrust, of: job.identity))
        let fetches = fetches.map { QuestionFetches($0) }
        defer { fetches?.end() }
        return try desk.answer(
            call.encoded(), userID: job.identity.userID, thread: number,
            issuers: { store.issuers(named: $0, for: job) }, fetch: { fetches?.fetch($0) })
    }
}

extension ClientIdentity {
    /// The names by which a trust setting may be limited to this program.
    fileprivate var trustNames: [String] {
        let path = accessGroups.first { $0.hasPrefix(Self.pathPrefix) }
        return [application, path.map { String($0.dropFirst(Self.pathPrefix.count)) }]
            .compactMap { $0 }
    }

    private static let pathPrefix = "path:"
}
