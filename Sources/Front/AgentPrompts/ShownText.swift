// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Text of an application, as the person is shown it: it can't move the cursor, change colors, hide
/// what follows, or make a line of its own.
package enum ShownText {
    /// Longer texts are cut.
    package static let characterLimit = 256

    /// The text without anything that a terminal acts on.
    package static func neutral(_ text: String) -> String {
        var shown = ""
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < characterLimit else { return shown + "…" }
            shown.unicodeScalars.append(isHarmless(scalar) ? scalar : "\u{FFFD}")
            count += 1
        }
        return shown
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator, .nonspacingMark, .enclosingMark, .spacingMark:
            false
        default: true
        }
    }
}
