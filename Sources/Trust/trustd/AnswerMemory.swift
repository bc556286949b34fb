// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import TrustWire

/// The last answers of a connection: the same question is often asked again, once for each connection of
/// a program. An answer counts until a date passes at which it could be another one, and only while
/// roots, lists and settings are the same.
struct AnswerMemory {
    /// What must be the same, besides the time.
    struct Key: Hashable {
        private let question: [UInt8]
        private let userSettings: [UInt8]
        private let machineSettings: [UInt8]
        private let askers: [String]
        private let filesVersion: Int

        init(_ question: TrustQuestion, _ call: TrustCall, filesVersion: Int) {
            var timeless = question
            timeless.time = 0
            self.question = TrustRequest.evaluate(timeless).encoded()
            userSettings = call.userSettings
            machineSettings = call.machineSettings
            askers = call.askers
            self.filesVersion = filesVersion
        }
    }

    private struct Entry {
        let answer: TrustAnswer
        let from: Int64
    }

    private static let count = 32
    /// In seconds. A list of revoked certificates may begin to count at a date that no answer names.
    private static let longest: Int64 = 60
    /// Larger questions are too rare to be kept.
    private static let largestByteCount = 64 * 1024

    private var entries: [Key: Entry] = [:]

    /// The answer for a time; nil if it isn't known.
    func answer(_ key: Key, at time: Int64) -> TrustAnswer? {
        guard let entry = entries[key], entry.from <= time, time < entry.answer.validUntil else {
            return nil
        }
        // Any program chooses the times.
        let (age, isTooLong) = time.subtractingReportingOverflow(entry.from)
        guard !isTooLong, age < Self.longest else { return nil }
        return entry.answer
    }

    /// Keeps an answer that was made for a time.
    mutating func keep(_ answer: TrustAnswer, _ key: Key, at time: Int64, byteCount: Int) {
        guard byteCount <= Self.largestByteCount else { return }
        if entries.count >= Self.count { entries = [:] }
        entries[key] = Entry(answer: answer, from: time)
    }
}
