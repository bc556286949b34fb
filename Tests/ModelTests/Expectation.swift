// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation

/// The model's expectation of a call.
struct Expectation: Sendable {
    /// The call fails with one of these; the specification doesn't say which of several errors
    /// takes precedence.
    var errors: Set<Int32> = []
    /// The call may succeed.
    var canSucceed: Bool { errors.isEmpty || isOpen }
    /// The specification leaves open whether it succeeds.
    var isOpen = false
    /// The specification doesn't define the effect on the items: such a call isn't made.
    var isUnclear = false
    /// The result of a success.
    var shape = Shape.anything

    static func failure(_ errors: Int32...) -> Expectation { Expectation(errors: Set(errors)) }
    static func success(_ shape: Shape) -> Expectation { Expectation(shape: shape) }
}

/// The expected shape of a result.
indirect enum Shape: Sendable {
    /// Nil.
    case nothing
    /// Nil, or unchanged.
    case unchanged
    case exactly(Value)
    case reference(Reference)
    /// The time at which an item was added.
    case created(ItemName)
    /// The time of an item's latest change; each has a number.
    case modified(ItemName, Int)
    /// 20 bytes.
    case digest
    case accessControl
    /// A certificate object of these bytes.
    case certificate(Data)
    /// An identity of this certificate and this key.
    case identity(certificate: Data, key: Data)
    /// Any object.
    case object
    case dictionary([String: Shape], optional: [String: Shape])
    case array([Shape], isOrdered: Bool)
    /// Not specified.
    case anything
}

/// The system's answer.
indirect enum Observed: Sendable {
    /// The result was not changed.
    case untouched
    case nothing
    case value(Value)
    case certificate(Data)
    case identity(certificate: Data, key: Data)
    case accessControl
    case array([Observed])
    case dictionary([String: Observed])
    /// An object of this class.
    case object(String)
}

/// One answer of the system.
struct Answer: Sendable {
    var status: Int32
    var result: Observed
    /// The start and the end of the call, in seconds since 2001.
    var began = 0.0
    var ended = 0.0
}

/// Compares answers with expectations, and records values of items: references and dates can't be
/// predicted, but must not change.
struct Comparison: Sendable {
    private(set) var references: [ItemName: Data] = [:]
    private var named: [Data: ItemName] = [:]
    private var created: [ItemName: Double] = [:]
    private var modified: [ItemName: (revision: Int, date: Double)] = [:]
    private var window = 0.0...0.0

    /// The difference; nil when there is none.
    mutating func difference(_ expected: Expectation, _ answer: Answer) -> String? {
        window = (answer.began - 0.01)...(max(answer.began, answer.ended) + 0.01)
        if answer.status != 0 {
            guard expected.errors.contains(answer.status) else {
                let wanted = expected.errors.isEmpty ? "success" : "\(expected.errors.sorted())"
                return "status \(answer.status) instead of \(wanted)"
            }
            if case .untouched = answer.result { return nil }
            return "the result was touched although the status is \(answer.status)"
        }
        guard expected.canSucceed else {
            return "success instead of \(expected.errors.sorted())"
        }
        return difference(expected.shape, answer.result, at: "result")
    }

    private mutating func difference(
        _ shape: Shape, _ observed: Observed, at place: String
    ) -> String? {
        let mismatch = "\(place): \(observed) instead of \(shape)"
        switch (shape, observed) {
        case (.anything, _), (.nothing, .nothing), (.unchanged, .nothing), (.unchanged, .untouched),
            (.accessControl, .accessControl), (.object, .object), (.object, .certificate):
            return nil
        case (.exactly(let value), .value(let other)):
            return Self.areIdentical(value, other) ? nil : mismatch
        case (.digest, .value(.data(let data))):
            return data.count == 20 ? nil : mismatch
        case (.certificate(let data), .certificate(let other)):
            return data == other ? nil : mismatch
        case (.identity(let certificate, let key), .identity(let other, let otherKey)):
            return certificate == other && key == otherKey ? nil : mismatch
        case (.reference(let reference), .value(.data(let data))):
            return learn(reference, data) ? nil : mismatch
        case (.created(let name), .value(.date(let date))):
            return learnCreation(of: name, date) ? nil : mismatch
        case (.modified(let name, let revision), .value(.date(let date))):
            return learnChange(of: name, revision, date) ? nil : mismatch
        case (.array(let shapes, let isOrdered), .array(let others)):
            guard shapes.count == others.count else {
                return "\(place): \(others.count) elements instead of \(shapes.count)"
            }
            return isOrdered
                ? orderedDifference(shapes, others, at: place)
                : unorderedDifference(shapes, others, at: place)
        case (.dictionary(let required, let optional), .dictionary(let other)):
            return difference(required, optional, other, at: place)
        default:
            return mismatch
        }
    }

    private mutating func orderedDifference(
        _ shapes: [Shape], _ others: [Observed], at place: String
    ) -> String? {
        for index in shapes.indices {
            if let difference = difference(shapes[index], others[index], at: "\(place)[\(index)]") {
                return difference
            }
        }
        return nil
    }

    private mutating func unorderedDifference(
        _ shapes: [Shape], _ others: [Observed], at place: String
    ) -> String? {
        var left = others
        for shape in shapes {
            var found: Int?
            for index in left.indices where found == nil {
                var trial = self
                if trial.difference(shape, left[index], at: place) == nil {
                    found = index
                    self = trial
                }
            }
            guard let found else { return "\(place): none of \(left) is \(shape)" }
            left.remove(at: found)
        }
        return nil
    }

    private mutating func difference(
        _ required: [String: Shape], _ optional: [String: Shape], _ other: [String: Observed],
        at place: String
    ) -> String? {
        for (key, shape) in required.sorted(by: { $0.key < $1.key }) {
            guard let value = other[key] else { return "\(place): \(key) is missing" }
            if let difference = difference(shape, value, at: "\(place).\(key)") {
                return difference
            }
        }
        for (key, value) in other where required[key] == nil {
            guard let shape = optional[key] else {
                return "\(place): \(key) is there, \(value)"
            }
            if let difference = difference(shape, value, at: "\(place).\(key)") {
                return difference
            }
        }
        return nil
    }

    /// Equal bytes of the same type: for Swift, text in other normal forms is equal.
    static func areIdentical(_ first: Value, _ second: Value) -> Bool {
        switch (first, second) {
        case (.string(let first), .string(let second)): Array(first.utf8) == Array(second.utf8)
        default: first == second
        }
    }

    // MARK: - Recorded values

    private mutating func learn(_ reference: Reference, _ data: Data) -> Bool {
        guard data.count == 20, data.prefix(4) == Data(reference.itemClass.rawValue.utf8),
            let name = reference.item
        else { return false }
        let unique = Data(data.dropFirst(4))
        if let known = references[name] { return known == unique }
        if let owner = named[unique], owner != name { return false }
        references[name] = unique
        named[unique] = name
        return true
    }

    private mutating func learnCreation(of name: ItemName, _ date: Double) -> Bool {
        if let known = created[name] { return known == date }
        created[name] = date
        return date <= window.upperBound
    }

    private mutating func learnChange(of name: ItemName, _ revision: Int, _ date: Double) -> Bool {
        if let known = modified[name] {
            if known.revision == revision { return known.date == date }
            // Strictly greater, by a millisecond at least for each change.
            let least = known.date + 0.000_9 * Double(revision - known.revision)
            guard revision > known.revision, date >= least else { return false }
        }
        modified[name] = (revision, date)
        return true
    }
}

// MARK: - As text

extension Shape: CustomStringConvertible {
    var description: String {
        switch self {
        case .nothing: "nothing"
        case .unchanged: "nothing or the old result"
        case .exactly(let value): "\(value)"
        case .reference(let reference): "\(reference)"
        case .created(let name): "when step \(name.step) added it"
        case .modified(let name, let revision):
            "when it was changed, revision \(revision) of step \(name.step)"
        case .digest: "a digest"
        case .accessControl: "an access control"
        case .certificate: "a certificate"
        case .identity: "an identity"
        case .object: "an object"
        case .dictionary(let required, let optional):
            "{\(required.keys.sorted().joined(separator: " "))"
                + " (\(optional.keys.sorted().joined(separator: " ")))}"
        case .array(let elements, _): "\(elements)"
        case .anything: "anything"
        }
    }
}

extension Observed: CustomStringConvertible {
    var description: String {
        switch self {
        case .untouched: "the old result"
        case .nothing: "nothing"
        case .value(let value): "\(value)"
        case .certificate: "a certificate"
        case .identity: "an identity"
        case .accessControl: "an access control"
        case .array(let elements): "\(elements)"
        case .dictionary(let content):
            "{\(content.keys.sorted().joined(separator: " "))}"
        case .object(let name): "an object of \(name)"
        }
    }
}
