// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation

/// A text that a certificate's subject must have.
///
/// Apple's documentation names the keys and its daemon ignores them; what is compared here are
/// the texts of the subject (common name, organization, …), each by itself.
struct SubjectFilter {
    /// Where the text must be.
    enum Place {
        case anywhere, start, end, whole
    }

    let place: Place
    let text: String
    /// What may differ: case, accents, width.
    let options: NSString.CompareOptions

    /// Whether one of a subject's texts has it.
    func passes(_ subject: [String]) -> Bool { subject.contains(where: matches) }

    private func matches(_ candidate: String) -> Bool {
        let candidate = NSString(string: candidate)
        if place == .whole { return candidate.compare(text, options: options) == .orderedSame }
        // Foundation finds an empty text nowhere.
        if text.isEmpty { return true }
        let place: NSString.CompareOptions =
            switch place {
            case .anywhere, .whole: []
            case .start: .anchored
            case .end: [.anchored, .backwards]
            }
        return candidate.range(of: text, options: options.union(place)).location != NSNotFound
    }
}
