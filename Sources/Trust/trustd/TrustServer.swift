// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import TrustEvaluation
import TrustWire

/// Answers the questions of one connection, one after the other.
struct TrustServer {
    private let files: TrustFiles
    private let socket: Int32
    /// Whether the network may be asked for.
    private let fetches: Bool
    /// The settings of the last question, which are those of the next one until they change.
    private var user: SettingsSet?
    private var machine: SettingsSet?
    private var memory = AnswerMemory()

    init(_ files: TrustFiles, socket: Int32, fetches: Bool) {
        self.files = files
        self.fetches = fetches
        self.socket = socket
    }

    /// Works until the connection ends.
    mutating func run() {
        while let (message, number) = TrustStream.receive(
            socket, limit: TrustLimits.callByteCount)
        {
            let delivery = unsafe message.withUnsafeBytes { bytes in
                unsafe try? TrustDelivery(decoding: bytes)
            }
            guard case .call(let call) = delivery else { return }
            let reply = reply(to: call, number: number).encoded()
            guard
                TrustStream.send(
                    socket, TrustResponse.reply(reply).encoded(), number: number)
            else { return }
        }
    }

    /// The reply to a call; what isn't a request has no certificate that can be judged.
    private mutating func reply(to call: TrustCall, number: UInt32) -> TrustReply {
        let request = unsafe call.question.withUnsafeBytes {
            unsafe try? TrustRequest(decoding: $0)
        }
        switch request {
        case nil: return .unreadableCertificate
        case .systemRoots:
            return .systemRoots(files.judge(usesLists: false).judge.roots.certificates.map(\.der))
        case .evaluate(let question):
            // Without settings that exist there is no verdict.
            guard take(call) else { return .unreadableSettings }
            return evaluate(question, call, number: number)
        }
    }

    private mutating func evaluate(
        _ question: TrustQuestion, _ call: TrustCall, number: UInt32
    ) -> TrustReply {
        let (judge, version) = files.judge(usesLists: true)
        let key = AnswerMemory.Key(question, call, filesVersion: version)
        if let known = memory.answer(key, at: question.time) { return .evaluated(known) }
        let settings = SettingsJudge(user: user, machine: machine, askers: call.askers)
        let socket = socket
        var hasLookedUp = false
        var hasFetched = false
        let fetch: (FetchRequest) -> [UInt8]? = { request in
            hasFetched = true
            return Self.fetch(request, socket, number)
        }
        let answer = judge.answer(
            question, settings: settings,
            lookUp: {
                hasLookedUp = true
                return Self.lookUp($0, socket, number)
            }, fetch: fetches ? fetch : nil)
        guard let answer else { return .unreadableCertificate }
        // What securityd finds, or isn't found in the network, may be there the next time.
        if !hasLookedUp, !hasFetched || answer.revocation == .noneRevoked {
            memory.keep(answer, key, at: question.time, byteCount: call.question.count)
        }
        return .evaluated(answer)
    }

    /// - Returns: Whether the settings could be read.
    private mutating func take(_ call: TrustCall) -> Bool {
        if user?.encoded != call.userSettings { user = SettingsSet(call.userSettings) }
        if machine?.encoded != call.machineSettings { machine = SettingsSet(call.machineSettings) }
        return user != nil && machine != nil
    }

    /// Asks securityd for certificates.
    private static func lookUp(_ subject: [UInt8], _ socket: Int32, _ number: UInt32) -> [[UInt8]] {
        let answer = ask(
            .lookUp(subject: subject), socket, number, limit: TrustLimits.callByteCount)
        guard case .issuers(let issuers) = answer else { _exit(1) }
        return issuers
    }

    /// Asks securityd for something of the network.
    private static func fetch(
        _ request: FetchRequest, _ socket: Int32, _ number: UInt32
    ) -> [UInt8]? {
        // A kind, and whether there is something.
        let answer = ask(
            .fetch(request.encoded()), socket, number, limit: FetchLimits.byteCount + 2)
        guard case .fetched(let content) = answer else { _exit(1) }
        return content
    }

    private static func ask(
        _ response: TrustResponse, _ socket: Int32, _ number: UInt32, limit: Int
    ) -> TrustDelivery? {
        guard TrustStream.send(socket, response.encoded(), number: number),
            let (message, answered) = TrustStream.receive(socket, limit: limit),
            answered == number
        else { _exit(1) }
        return unsafe message.withUnsafeBytes { unsafe try? TrustDelivery(decoding: $0) }
    }
}
