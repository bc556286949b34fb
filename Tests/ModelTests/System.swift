// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

/// The tested system: the four calls on some connection.
struct System {
    /// The four calls, and how to lock and unlock the device if a trial does.
    struct Keychain {
        let calls: ItemCalls
        var lock: () throws -> Void = {}
        var unlock: () throws -> Void = {}
    }

    private let keychain: Keychain
    private let bridge: Bridge
    /// Unchanged as long as no other value is stored there.
    private let sentinel = NSObject()

    init(_ keychain: Keychain) throws {
        self.keychain = keychain
        bridge = try Bridge()
    }

    /// Makes a call.
    /// - Parameters:
    ///   - call: Its references are all known.
    ///   - bytes: A reference's bytes.
    /// - Returns: The system's answer.
    func perform(_ call: Call, _ bytes: (Reference) -> Data) -> Answer {
        let calls = keychain.calls
        let query = Self.strict(bridge.dictionary(call.query, bytes))
        var answer = Answer(status: 0, result: .untouched)
        answer.began = Date().timeIntervalSinceReferenceDate
        switch call.operation {
        case .add: unsafe withResult(call, &answer) { unsafe calls.add(query, $0) }
        case .copy: unsafe withResult(call, &answer) { unsafe calls.copyMatching(query, $0) }
        case .update:
            answer.status = calls.update(query, bridge.dictionary(call.changes, bytes))
        case .delete: answer.status = calls.delete(query)
        case .lock: answer.status = Self.status(keychain.lock)
        case .unlock: answer.status = Self.status(keychain.unlock)
        }
        answer.ended = Date().timeIntervalSinceReferenceDate
        return answer
    }

    /// The model describes the data protection keychain.
    private static func strict(_ dictionary: CFDictionary) -> CFDictionary {
        // Some calls are about the number of keys.
        guard dictionary["nleg"] == nil, dictionary.count < 100,
            let copy = dictionary.mutableCopy() as? NSMutableDictionary
        else { return dictionary }
        copy["nleg"] = true
        return copy
    }

    private static func status(_ body: () throws -> Void) -> OSStatus {
        do { try body() } catch { return errSecInternalComponent }
        return errSecSuccess
    }

    private func withResult(
        _ call: Call, _ answer: inout Answer,
        _ body: (UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus
    ) {
        if call.ignoresResult {
            answer.status = body(nil)
            return
        }
        var result: CFTypeRef? = sentinel
        answer.status = unsafe body(&result)
        answer.result = result === sentinel ? .untouched : Bridge.observed(result)
    }
}

/// Runs calls on the system and the model side by side.
struct Session {
    /// The calls and the answers.
    struct Entry: Sendable {
        let call: Call
        let answer: Answer
    }

    private let system: System
    private(set) var model: Model
    private var comparison = Comparison()
    private var random: SplitMix64

    init(_ system: System, groups: [String], hasPasscode: Bool, seed: UInt64) {
        self.system = system
        model = Model(groups: groups, hasPasscode: hasPasscode)
        random = SplitMix64(seed: seed &+ 1)
    }

    /// Makes one call.
    /// - Returns: The call with its references resolved, the answer, and the difference.
    mutating func run(_ drawn: Call) -> (entry: Entry, difference: String?) {
        let call = resolve(drawn)
        var next = model
        let expected = next.apply(call)
        if expected.isUnclear {
            return (Entry(call: call, answer: Answer(status: 0, result: .untouched)), nil)
        }
        model = next
        let (known, rows) = (comparison.references, model.rows)
        let unknown = Data((0..<16).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        let answer = system.perform(call) { reference in
            let prefix = Data(reference.itemClass.rawValue.utf8)
            switch reference.form {
            case .long: return prefix + (reference.item.flatMap { known[$0] } ?? unknown)
            case .short:
                let row = reference.item.flatMap { rows[$0] } ?? 1 << 40
                return prefix
                    + Data((0..<8).map { UInt8(truncatingIfNeeded: row >> (56 - 8 * $0)) })
            }
        }
        let difference = Self.difference(expected, answer, call, &comparison)
        return (Entry(call: call, answer: answer), difference)
    }

    /// The difference, with some results ignored.
    static func difference(
        _ expected: Expectation, _ answer: Answer, _ call: Call, _ comparison: inout Comparison
    ) -> String? {
        var expected = expected
        if answer.status == 0, case .untouched = answer.result,
            call.ignoresResult || ![.add, .copy].contains(call.operation)
        {
            expected.shape = .anything
        }
        return comparison.difference(expected, answer)
    }

    /// A reference with unknown bytes becomes one to a missing item.
    private func resolve(_ call: Call) -> Call {
        var call = call
        call.query = call.query.mapValues(resolve)
        return call
    }

    private func resolve(_ value: Value) -> Value {
        switch value {
        case .array(let values): return .array(values.map(resolve))
        case .reference(var reference):
            let isKnown =
                reference.item.map {
                    reference.form == .long
                        ? comparison.references[$0] != nil : model.rows[$0] != nil
                } ?? true
            if !isKnown { reference.item = nil }
            return .reference(reference)
        default: return value
        }
    }
}
