// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// What locks a user's keychain, and whether a login sets its first passcode. The file is described
/// in Documentation/sessions.md.
package struct SessionOptions: Hashable, Sendable {
    /// The longest file that is read.
    package static let byteCountLimit = 16 * 1024

    /// The events that lock.
    package var lockOn: Set<LockCause> = Set(LockCause.allCases)
    /// Those of them that wait for the grace period of the user's settings.
    package var afterGrace: Set<LockCause> = [.lock, .idle]
    /// A login makes its password the first passcode.
    package var setsFirstPasscode = true

    /// Without a file, everything locks.
    package init() {}

    /// Reads a file.
    /// - Parameters:
    ///   - text: Its content.
    ///   - defaults: For what it doesn't say.
    /// - Returns: The options, and the numbers of the lines that aren't understood. What such a line
    ///   would have changed stays as `defaults` has it.
    package static func reading(
        _ text: String, over defaults: SessionOptions = SessionOptions()
    ) -> (options: SessionOptions, unknownLines: [Int]) {
        var options = defaults
        var unknown: [Int] = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let content = line.prefix { $0 != "#" }
            let words = content.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
            guard !words.isEmpty else { continue }
            if !options.set(words) { unknown.append(index + 1) }
        }
        return (options, unknown)
    }

    /// - Returns: Whether the line is understood.
    private mutating func set(_ words: [String]) -> Bool {
        guard words.count >= 3, words[1] == "=" else { return false }
        let values = words.dropFirst(2)
        switch words[0] {
        case "lock-on":
            guard let causes = Self.causes(values) else { return false }
            lockOn = causes
        case "after-grace":
            guard let causes = Self.causes(values), causes.isSubset(of: [.lock, .idle]) else {
                return false
            }
            afterGrace = causes
        case "first-passcode":
            switch values.joined(separator: " ") {
            case "login": setsFirstPasscode = true
            case "none": setsFirstPasscode = false
            default: return false
            }
        default: return false
        }
        return true
    }

    private static func causes(_ words: ArraySlice<String>) -> Set<LockCause>? {
        if words.elementsEqual(["none"]) { return [] }
        let causes = words.compactMap { LockCause(rawValue: $0) }
        return causes.count == words.count ? Set(causes) : nil
    }
}
