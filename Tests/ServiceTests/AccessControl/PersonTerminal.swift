// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport

/// An application with protected items, on a terminal of its own, and the person at that terminal.
final class PersonTerminal {
    /// What came of a step.
    struct Step: Equatable {
        let text: String
        let result: String
        let milliseconds: Int
    }

    private let process: TestProcess
    /// Whether the person answers a question without waiting for the reason.
    var answersWithoutReason = false
    /// The reader of fingerprints, if the machine has one.
    var reader: VirtualReader?
    private var finger: String?
    private var missCount = 0
    private var afterMisses: String?
    /// What happens when the reader waits for a finger, in place of the person's touch.
    var onTouch: (() throws -> Void)?
    /// All lines that the terminal showed.
    private(set) var lines: [String] = []
    /// How often the person was asked.
    private(set) var questionCount = 0

    /// Starts the application with its steps.
    /// - Parameters:
    ///   - service: The service that it uses.
    ///   - steps: See `TestPerson`.
    ///   - hasTerminal: Whether it has one.
    ///   - program: The program; nil is `TestPerson`.
    /// - Throws: When it can't be started.
    init(
        _ service: TestService, _ steps: [String], hasTerminal: Bool = true, program: String? = nil
    ) throws {
        var options = TestProcess.Options()
        options.environment = [
            "LLAVERO_SOCKET": service.socketPath,
            "LLAVERO_DEADLINE_MS": "60000",
        ]
        let program = try program ?? Self.program()
        guard hasTerminal else {
            process = try TestProcess("/usr/bin/setsid", ["--wait", program] + steps, options)
            return
        }
        let words = ([program] + steps).map { "'\($0)'" }.joined(separator: " ")
        process = try TestProcess(
            "/usr/bin/script", ["-qefc", "exec \(words)", "/dev/null"], options)
    }

    deinit { process.end() }

    static func program() throws -> String {
        (try Binaries.launcher() as NSString).deletingLastPathComponent + "/TestPerson"
    }

    /// Runs all steps. `answers` are what the person types at each question, in order; Return is added.
    /// Nil is Control-C.
    /// - Returns: The steps with their results.
    /// - Throws: When the application says nothing, or can't be started.
    static func run(
        _ service: TestService, _ steps: [String], answers: [String?] = [],
        hasTerminal: Bool = true, program: String? = nil, asksWithoutReason: Bool = false,
        reader: VirtualReader? = nil
    ) throws -> (steps: [String], questions: Int, lines: [String]) {
        let terminal = try PersonTerminal(
            service, steps, hasTerminal: hasTerminal, program: program)
        terminal.answersWithoutReason = asksWithoutReason
        terminal.reader = reader
        var rest = answers[...]
        var results: [String] = []
        while results.count < steps.count {
            switch try terminal.next({ Answer(rest.popFirst() ?? .some("unexpected")) }) {
            case .step(let step): results.append("\(step.text) \(step.result)")
            case .question: continue
            }
        }
        return (results, terminal.questionCount, terminal.lines)
    }

    /// What the person does at a question.
    enum Answer {
        case entry(String)
        /// The same where the reader isn't asked.
        case passcodeAlone(String)
        case cancel
        /// The person touches the reader with a finger; and types this when it was unknown thrice.
        case touch(String, then: String? = nil)
        /// The person doesn't answer.
        case nothing

        /// `touch:NAME[:TEXT]` is a finger, `passcode:TEXT` an entry without a choice; nil is Control-C.
        init(_ text: String?) {
            guard let text else {
                self = .cancel
                return
            }
            let parts = text.split(separator: ":", maxSplits: 2).map(String.init)
            switch parts.first {
            case "touch" where parts.count > 1:
                self = .touch(parts[1], then: parts.count > 2 ? parts[2] : nil)
            case "passcode" where parts.count == 2: self = .passcodeAlone(parts[1])
            default: self = .entry(text)
            }
        }

        fileprivate var typed: String? {
            switch self {
            case .entry(let text), .passcodeAlone(let text): text + "\r"
            case .cancel: "\u{3}"
            case .touch, .nothing: nil
            }
        }
    }

    enum Event: Equatable {
        case step(Step)
        case question

        var isStep: Bool { if case .step = self { true } else { false } }
    }

    /// The next step that is over, or the next question; a question is answered.
    func next(_ answer: () -> Answer) throws -> Event {
        while true {
            let line = try process.readLine().trimmingCharacters(in: .whitespacesAndNewlines)
            lines.append(line)
            if let range = line.range(of: "=> ") {
                return .step(try Self.step(String(line[range.upperBound...])))
            }
            if line.contains(" asks to ") { questionCount += 1 }
            if line.contains("Touch the fingerprint reader") || line.hasSuffix("Touch it again.") {
                try onTouch?()
                if let finger { try reader?.scan(finger) }
            }
            if line.contains("No finger was recognized.") {
                missCount += 1
                if missCount == 3, let afterMisses { process.write(afterMisses + "\r") }
            }
            // The last line of each question, and that after a wrong entry.
            let isLast = answersWithoutReason ? " asks to " : "It says: "
            if line.contains(isLast) || line.hasSuffix("That was wrong.") {
                try give(answer())
                return .question
            }
        }
    }

    /// The person types this now.
    func type(_ text: String) { process.write(text) }

    private func give(_ answer: Answer) throws {
        finger = nil
        missCount = 0
        if case .touch(let name, let entry) = answer {
            finger = name
            afterMisses = entry
        } else if let typed = answer.typed {
            // Where the reader is asked first, Return leads to the passcode.
            if reader != nil, case .entry = answer { process.write("\r") }
            process.write(typed)
        }
    }

    private static func step(_ text: String) throws -> Step {
        guard let mark = text.range(of: " (", options: .backwards) else {
            throw TestFailure("\(text) is no step.")
        }
        let words = text[..<mark.lowerBound].split(separator: " ", maxSplits: 1)
        let number = Int(text[mark.upperBound...].prefix { $0.isNumber }) ?? 0
        return Step(
            text: String(words.first ?? ""), result: words.count > 1 ? String(words[1]) : "",
            milliseconds: number)
    }
}
