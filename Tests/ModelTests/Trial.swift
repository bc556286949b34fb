// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Keychain
import Security
import TestSupport

/// Random calls against a service, compared with the model.
struct Trial {
    /// Makes a new service.
    typealias Lender = (_ body: (System.Keychain) throws -> Void) throws -> Void

    /// The result of a trial.
    struct Difference: Error, CustomStringConvertible {
        let seed: UInt64
        let step: Int
        let text: String
        let trace: [Call]

        var description: String {
            """
            The system and the model differ at step \(step) of seed \(seed): \(text)
            A trace that shows it:
            \(trace.map { "  \($0)" }.joined(separator: "\n"))
            """
        }
    }

    let groups: [String]
    let seed: UInt64
    /// The device has a passcode and is locked from time to time.
    var locks = false
    let lend: Lender

    /// The time limit for shortening a trace.
    private static let shrinkingSeconds = 60.0

    /// `LLAVERO_MODEL_SEED`, else a new one.
    static let seed: UInt64 =
        ProcessInfo.processInfo.environment["LLAVERO_MODEL_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: 0...0xFFFF_FFFF)

    /// `LLAVERO_MODEL_CALLS`, else the default.
    static let calls: Int =
        ProcessInfo.processInfo.environment["LLAVERO_MODEL_CALLS"].flatMap { Int($0) } ?? 200_000

    /// The released daemons; their syncs are fast if there is a file system in memory.
    static func lendDaemons(_ body: (System.Keychain) throws -> Void) throws {
        try lendDirectory { directory in
            try TestService.run(.init(.ephemeral, directory: directory)) { service in
                try body(System.Keychain(calls: ItemCalls(service.keychain)))
            }
        }
    }

    /// securityd's pipeline in this process, where the test chooses the caller's groups.
    static func lendService(
        _ groups: [String], _ body: (System.Keychain) throws -> Void
    ) throws {
        try lendDirectory { directory in
            let service = try InProcessService(stateDirectory: directory)
            defer { service.stopEnclave() }
            let names = groups.map { Entitlements.Value.text($0) }
            let client = InProcessService.Client(
                userID: 1000, entitlements: Entitlements(["keychain-access-groups": .list(names)]))
            let connection = try service.connect(client)
            try service.passcode(.set, "passcode", client)
            try body(
                System.Keychain(
                    calls: ItemCalls(connection), lock: { try connection.lock() },
                    unlock: { try service.passcode(.unlock, "passcode", client) }))
        }
    }

    private static func lendDirectory(_ body: (String) throws -> Void) throws {
        let parent = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"
        let path = "\(parent)/lltest-model-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    /// The groups of an unsigned program of this user.
    static let daemonGroups = ["unsigned.\(geteuid())"]

    /// Makes calls until there is a difference.
    /// - Returns: The calls and the answers.
    /// - Throws: ``Difference``, when `isStrict`.
    @discardableResult
    func run(_ count: Int, isStrict: Bool = true, keeps: Bool = false) throws -> [Session.Entry] {
        var kept: [Session.Entry] = []
        var history: [Call] = []
        var episode = 0
        var found: (step: Int, text: String)?
        try lend { keychain in
            var session = try session(keychain)
            var generator = Generator(seed: seed, groups: groups, locks: locks)
            for step in 1...count {
                let (entry, difference) = session.run(generator.next(session.model))
                if keeps { kept.append(entry) }
                if session.model.items.isEmpty { episode = history.count }
                history.append(entry.call)
                if let difference {
                    found = (step, difference)
                    return
                }
            }
        }
        guard let found, isStrict else { return kept }
        let recent = Array(history[episode...])
        let trace = try shrink(try isEnough(recent) ? recent : history)
        throw Difference(
            seed: seed, step: found.step, text: trace.text ?? found.text, trace: trace.calls)
    }

    private func session(_ keychain: System.Keychain) throws -> Session {
        Session(try System(keychain), groups: groups, hasPasscode: locks, seed: seed)
    }

    // MARK: - Shrinking

    /// Whether a trace shows a difference on a new service.
    private func isEnough(_ trace: [Call]) throws -> Bool {
        var isFound = false
        try lend { keychain in
            var session = try session(keychain)
            isFound = Self.difference(&session, trace, 0) != nil
        }
        return isFound
    }

    private func shrink(_ trace: [Call]) throws -> (calls: [Call], text: String?) {
        var shrinker = Shrinker(trace)
        var text: String?
        var isDone = false
        let deadline = Date(timeIntervalSinceNow: Self.shrinkingSeconds)
        while !isDone {
            // After a difference the model no longer matches the service's state: make a new one.
            try lend { keychain in
                var session = try session(keychain)
                var base = 0
                while Date() < deadline, let candidate = shrinker.candidate() {
                    base += 1_000_000
                    if let difference = Self.difference(&session, candidate, base) {
                        text = difference
                        shrinker.accept(candidate)
                        return
                    }
                    shrinker.reject()
                    if locks { _ = session.run(Call(operation: .unlock)) }
                    for call in Generator.reset() { _ = session.run(call) }
                }
                isDone = true
            }
        }
        return (shrinker.trace, text)
    }

    /// Runs a trace with other step numbers.
    private static func difference(
        _ session: inout Session, _ trace: [Call], _ base: Int
    ) -> String? {
        func moved(_ value: Value) -> Value {
            switch value {
            case .array(let values): return .array(values.map(moved))
            case .reference(var reference):
                reference.item?.step += base
                return .reference(reference)
            default: return value
            }
        }
        for call in trace {
            var call = call
            call.step += base
            call.query = call.query.mapValues(moved)
            if let difference = session.run(call).difference { return difference }
        }
        return nil
    }
}
