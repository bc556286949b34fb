// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import EnclaveWire
package import IPC
import KeychainVocabulary
package import SecretBytes

/// Asks the person, one question at a time, for securityd. It holds no key: what the person enters
/// leaves it only sealed to enclaved.
package struct Agent: ~Copyable {
    private let socket: MessageSocket
    private let keyPath: String
    private let pinentry: String?
    private let session: AgentSession
    private let touchKey: Secret?

    /// How long securityd may take to answer within a question.
    private static let replyMilliseconds = 35_000
    private static let idleMilliseconds = 24 * 60 * 60 * 1000

    /// - Parameters:
    ///   - socket: The connection to securityd.
    ///   - keyPath: The file with enclaved's public key.
    ///   - pinentry: The program that the owner wants to be asked by; nil is the terminal, or a
    ///     window where there is none.
    ///   - session: The session whose windows it may open.
    ///   - touchKey: Shows to enclaved who says that a finger was recognized; without it none is
    ///     waited for.
    package init(
        socket: consuming MessageSocket, keyPath: String, pinentry: String?, session: AgentSession,
        touchKey: Secret?
    ) {
        self.touchKey = touchKey
        self.socket = socket
        self.keyPath = keyPath
        self.pinentry = pinentry
        self.session = session
    }

    /// Works until securityd has ended.
    package func run() {
        while true {
            switch socket.receive(within: Self.idleMilliseconds) {
            case .timedOut: continue
            case .end: return
            case .message(let bytes):
                // A late reply to a question that has ended.
                guard
                    case .ask(
                        let proof, let ways, let userID, let process, let seconds, let question)? =
                        try? AgentRequest(decoding: bytes)
                else { continue }
                send(
                    ask(
                        question, proof, ways, userID: userID, process: process,
                        until: .now + .seconds(Int(seconds))))
            }
        }
    }

    private func send(_ reply: AgentReply?) { if let reply { socket.send(reply.encoded) } }

    /// - Returns: How the question ended; nil if securityd ended it.
    private func ask(
        _ question: AccessQuestion, _ proof: PersonProof, _ ways: PersonWays, userID: UInt32,
        process: Int32, until end: ContinuousClock.Instant
    ) -> AgentReply? {
        guard let prompt = prompt(for: process) else { return .noWay }
        prompt.begin(Wording.lines(question, proof))
        if ways.contains(.touch) {
            let answer = touch(
                prompt, question, userID: userID, hasPasscode: ways.contains(.passcode),
                until: end)
            switch answer {
            case .passcode: break
            case .ended(let reply): return reply
            }
        }
        while true {
            switch prompt.read(Wording.prompt(proof), until: end) {
            case .canceled: return .canceled
            case .timedOut: return .timedOut
            case .impossible: return .noWay
            case .entry(let entry):
                send(.answered)
                guard case .nonce(let nonce)? = reply(),
                    let letter = ApprovalLetter.seal(
                        entry, proof, question, nonce: nonce, userID: userID, keyPath: keyPath)
                else { return .noWay }
                send(.letter(letter))
            }
            switch reply() {
            case .accepted?: return nil
            case .wrong?: prompt.wrong(Wording.wrong)
            case .ended?:
                prompt.end(Wording.ended)
                return nil
            case .nonce?, .ask?, .passcodeOnly?, nil: return .noWay
            }
        }
    }

    /// How waiting for a finger ended.
    private enum TouchResult {
        /// The passcode is asked for.
        case passcode
        /// The question is over; nil if securityd ended it.
        case ended(AgentReply?)
    }

    /// Waits for a finger that the reader knows; the person may choose the passcode.
    private func touch(
        _ prompt: any PersonPrompt, _ question: AccessQuestion, userID: UInt32, hasPasscode: Bool,
        until end: ContinuousClock.Instant
    ) -> TouchResult {
        let otherWay: TouchResult = hasPasscode ? .passcode : .ended(.noWay)
        guard prompt.canWait, let touchKey, let reader = FingerprintReader(session) else {
            return otherWay
        }
        let line = hasPasscode ? Wording.touchOrPasscode : Wording.touch
        while true {
            switch prompt.wait(for: reader, line, hasPasscode: hasPasscode, until: end) {
            case .recognized:
                return .ended(bringTouch(touchKey, prompt, question, userID: userID))
            case .otherWay: return otherWay
            case .canceled: return .ended(.canceled)
            case .timedOut: return .ended(.timedOut)
            case .unrecognized:
                // Before the question can end, and the application can write to the terminal.
                prompt.wrong(Wording.unrecognized)
                send(.unrecognized)
                switch reply() {
                case .wrong?: continue
                case .passcodeOnly?: return otherWay
                case .ended?:
                    prompt.end(Wording.ended)
                    return .ended(nil)
                case .nonce?, .ask?, .accepted?, nil: return .ended(.noWay)
                }
            }
        }
    }

    /// - Returns: How the question ended; nil if securityd ended it.
    private func bringTouch(
        _ touchKey: Secret, _ prompt: any PersonPrompt, _ question: AccessQuestion, userID: UInt32
    ) -> AgentReply? {
        send(.answered)
        guard case .nonce(let nonce)? = reply(),
            let letter = ApprovalLetter.sealTouch(
                with: touchKey.bytes, question, nonce: nonce, userID: userID, keyPath: keyPath)
        else { return .noWay }
        send(.touched(letter))
        if case .ended? = reply() { prompt.end(Wording.ended) }
        return nil
    }

    /// The way to ask the person at the session of a process, and no other.
    private func prompt(for process: Int32) -> (any PersonPrompt)? {
        if let pinentry { return PinentryPrompt(pinentry, of: process, session) }
        if let terminal = TerminalPrompt(of: process) { return terminal }
        return PinentryPrompt(windowFor: process, session)
    }

    private func reply() -> AgentRequest? {
        guard case .message(let bytes) = socket.receive(within: Self.replyMilliseconds) else {
            return nil
        }
        return try? AgentRequest(decoding: bytes)
    }
}

/// What the person reads.
package enum Wording {
    static let wrong = "That was wrong."
    static let ended = "The request is refused."
    static let unrecognized = "No finger was recognized."
    static let touch = "Touch the fingerprint reader (Control-C cancels)."
    static let touchOrPasscode = "Touch the fingerprint reader, or press Return for the passcode."

    /// The question: who asks, for what, and the given reason.
    package static func lines(_ question: AccessQuestion, _ proof: PersonProof) -> [String] {
        var lines = [
            "Keychain: \(ShownText.neutral(question.application)) asks to "
                + "\(task(question))."
        ]
        let purpose = ShownText.neutral(question.purpose)
        if !purpose.isEmpty { lines.append("It says: \"\(purpose)\"") }
        return lines
    }

    static func prompt(_ proof: PersonProof) -> String {
        switch proof {
        case .passcode: "Passcode of this device (Return alone cancels): "
        case .password: "Password for this item (Return alone cancels): "
        }
    }

    private static func task(_ question: AccessQuestion) -> String {
        let count = question.subjects.count
        guard count > 0 else { return "know that you are here" }
        let items = count == 1 ? "a protected item" : "\(count) protected items"
        switch question.operation {
        case .decrypt: return "use \(items)"
        case .encrypt: return "store \(items)"
        case .delete: return "delete \(items)"
        case .sign: return "sign with \(items)"
        case .computeKey, .decapsulate: return "agree on a key with \(items)"
        case .attest, .fallback: return "use \(items)"
        }
    }
}
