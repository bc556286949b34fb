// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
package import IPC
import KeychainVocabulary
import SecurityWire

/// A question to the person that waits.
struct AccessJob: Sendable {
    let question: AccessQuestion
    let proof: PersonProof
    let ways: PersonWays
    let process: Int32
    let isIdentified: Bool
    /// Called before the answer, if the person gave the passcode.
    let passcodeGiven: @Sendable () -> Void
    let userID: UInt32
    let answer: @Sendable (Result<ServiceReply, DaemonError>) -> Void
}

/// How securityd reaches the agent.
package final class AgentConnection: Sendable {
    let socket: MessageSocket
    /// Has the agent started if it doesn't run.
    let wake: @Sendable () -> Void

    /// Takes over securityd's end.
    package init(socket: consuming MessageSocket, wake: @escaping @Sendable () -> Void) {
        self.socket = socket
        self.wake = wake
    }
}

/// The thread that has persons asked: one question at a time, so that no question covers another.
/// What the agent brings is sealed to enclaved; nothing here can make or read it.
struct AccessThread: ~Copyable {
    /// A person gets this long for one question.
    static let questionSeconds: UInt16 = 60
    /// Wrong entries before a question ends.
    static let attemptLimit = 3
    /// How long an agent that starts may take before it says what it can.
    private static let startMilliseconds = 10_000

    private let queue: FairQueue<AccessJob>
    private var enclave: EnclaveClient
    private let turn: DerivationTurn
    private let agent: AgentConnection?
    private let onEnclaveGone: () -> Void
    private let scrub: () -> Void
    private var refused = RefusedApplications()
    private var given = GivenProofs()

    init(
        queue: FairQueue<AccessJob>, enclave: consuming EnclaveClient, turn: DerivationTurn,
        agent: AgentConnection?, scrub: @escaping () -> Void,
        onEnclaveGone: @escaping () -> Void
    ) {
        self.queue = queue
        self.enclave = enclave
        self.turn = turn
        self.agent = agent
        self.scrub = scrub
        self.onEnclaveGone = onEnclaveGone
    }

    /// Works until the process ends.
    mutating func run() {
        while true {
            guard let job = queue.take() else { continue }
            do throws(DaemonError) {
                try carryOut(job)
                job.answer(.success(.accessDone))
            } catch {
                if error == .enclave(.gone) { onEnclaveGone() }
                job.answer(.failure(error))
            }
            scrub()
        }
    }

    /// Asks, unless the application was refused too often a short time ago.
    private mutating func carryOut(_ job: AccessJob) throws(DaemonError) {
        let (user, application) = (job.userID, job.question.application)
        guard !refused.contains(application, user: user, at: .now) else { throw .nobodyToAsk }
        do throws(DaemonError) {
            try ask(
                job.question, job.proof, job.ways, userID: user, process: job.process,
                isIdentified: job.isIdentified, passcodeGiven: job.passcodeGiven)
            refused.note(isRefusal: false, application, user: user, at: .now)
        } catch {
            if error == .personCanceled || error == .enclave(.wrongPasscode) {
                refused.note(isRefusal: true, application, user: user, at: .now)
            }
            throw error
        }
    }

    // MARK: - Asking

    private mutating func ask(
        _ question: AccessQuestion, _ proof: PersonProof, _ demanded: PersonWays,
        userID: UInt32, process: Int32, isIdentified: Bool, passcodeGiven: () -> Void
    ) throws(DaemonError) {
        let ways = proof == .passcode ? try ways(demanded, question, userID) : []
        guard let agent else { throw .nobodyToAsk }
        empty()
        agent.wake()
        send(
            .ask(
                proof, ways, userID: userID, process: process, seconds: Self.questionSeconds,
                question))
        // The question's own time, and some for the agent to start and to say that it is over.
        let end =
            ContinuousClock.now + .seconds(Int(Self.questionSeconds))
            + .milliseconds(Self.startMilliseconds)
        var wrongCount = 0
        var missCount = 0
        while true {
            switch try reply(until: end) {
            case .answered: send(.nonce(try nonce(userID)))
            case .letter(let letter):
                do throws(EnclaveCallError) {
                    try bring(letter, question, proof, userID, isIdentified)
                    given.note(.passcode, question)
                    if proof == .passcode { passcodeGiven() }
                    return send(.accepted)
                } catch {
                    wrongCount += 1
                    guard error == .wrongPasscode, wrongCount < Self.attemptLimit else {
                        send(.ended)
                        throw Self.failure(error)
                    }
                    send(.wrong)
                }
            case .touched(let letter):
                do throws(EnclaveCallError) {
                    try enclave.approve(
                        question, letter: letter, userID: userID, isIdentified: isIdentified,
                        isTouch: true)
                    given.note(.touch, question)
                    return send(.accepted)
                } catch {
                    send(.ended)
                    throw Self.failure(error)
                }
            case .unrecognized:
                missCount += 1
                let counts = try noteMiss(userID)
                if counts, missCount < Self.attemptLimit {
                    send(.wrong)
                } else if ways.contains(.passcode) {
                    send(.passcodeOnly)
                } else {
                    send(.ended)
                    throw .enclave(.wrongPasscode)
                }
            case .canceled: throw .personCanceled
            case .timedOut: throw .personCanceled
            case .noWay, .gone: throw .nobodyToAsk
            }
        }
    }

    /// A letter that enclaved can't read, or that isn't for this question, proves nothing.
    private static func failure(_ error: EnclaveCallError) -> DaemonError {
        switch error {
        case .undecodable, .malformed, .staleChallenge, .passcodeUnacceptable, .wrongState:
            .enclave(.accessRefused)
        case _: DaemonError(error)
        }
    }

    /// How the person can answer. Without a passcode nothing could prove the person; a locked device
    /// must be unlocked first. Where several proofs are needed, one that was given isn't asked again.
    private mutating func ways(
        _ demanded: PersonWays, _ question: AccessQuestion, _ userID: UInt32
    ) throws(DaemonError) -> PersonWays {
        let status: EnclaveStatus
        do { status = try enclave.status(userID: userID) } catch { throw DaemonError(error) }
        guard status.isPasscodeSet else { throw .enclave(.accessRefused) }
        guard status.state == .unlocked else { throw .locked }
        let takesTouches = status.biometry != .off && !status.isBiometryLockedOut
        let possible = demanded.intersection(takesTouches ? .all : .passcode)
        let missing = possible.subtracting(given.ways(question))
        guard !possible.isEmpty else { throw .enclave(.accessRefused) }
        return missing.isEmpty ? possible : missing
    }

    /// Says to enclaved that the reader didn't know a finger.
    /// - Returns: Whether another one may count.
    private mutating func noteMiss(_ userID: UInt32) throws(DaemonError) -> Bool {
        do throws(EnclaveCallError) {
            try enclave.noteMiss(userID: userID)
            return true
        } catch {
            guard error == .accessRefused else { throw DaemonError(error) }
            return false
        }
    }

    private mutating func nonce(_ userID: UInt32) throws(DaemonError) -> [UInt8] {
        do { return try enclave.challenge(userID: userID) } catch { throw DaemonError(error) }
    }

    private mutating func bring(
        _ letter: [UInt8], _ question: AccessQuestion, _ proof: PersonProof, _ userID: UInt32,
        _ isIdentified: Bool
    ) throws(EnclaveCallError) {
        switch proof {
        case .passcode:
            turn.take()
            defer { turn.pass() }
            try enclave.approve(
                question, letter: letter, userID: userID, isIdentified: isIdentified)
        case .password: try enclave.supply(letter, under: question.scope, userID: userID)
        }
    }

    private func send(_ request: AgentRequest) { agent?.socket.send(request.encoded) }

    private func reply(until end: ContinuousClock.Instant) throws(DaemonError) -> AgentReply {
        let left = max(ContinuousClock.now.duration(to: end), .zero)
        guard let received = agent?.socket.receive(within: Int(left / .milliseconds(1))) else {
            throw .nobodyToAsk
        }
        switch received {
        case .message(let bytes):
            guard let reply = try? AgentReply(decoding: bytes) else { throw .nobodyToAsk }
            return reply
        case .timedOut:
            send(.ended)
            throw .nobodyToAsk
        case .end: throw .nobodyToAsk
        }
    }

    /// What is left of an earlier question doesn't answer this one.
    private func empty() {
        while true {
            guard case .message? = agent?.socket.receive(within: 0) else { return }
        }
    }
}

/// What was proven last for the items of a question.
private struct GivenProofs {
    private struct Name: Hashable {
        let scope: AccessScope
        let operation: AccessControl.Operation
        let subjects: [AccessSubject]

        init(_ question: AccessQuestion) {
            scope = question.scope
            operation = question.operation
            subjects = question.subjects
        }
    }

    /// More than this are forgotten: then a proof is only asked for once more.
    private static let limit = 256
    private var entries: [Name: PersonWays] = [:]

    func ways(_ question: AccessQuestion) -> PersonWays { entries[Name(question)] ?? [] }

    mutating func note(_ way: PersonWays, _ question: AccessQuestion) {
        guard !question.subjects.isEmpty else { return }
        if entries.count >= Self.limit { entries = [:] }
        entries[Name(question), default: []].formUnion(way)
    }
}
