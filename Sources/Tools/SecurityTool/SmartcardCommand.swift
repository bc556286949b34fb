// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

extension Command {
    /// `security list-smartcards`: no card is ever a keychain here.
    static let listSmartcards = Command(
        name: "list-smartcards", help: "Display available smartcards.",
        run: { words, _ in Smartcards.list(words) })
}

private enum Smartcards {
    static func list(_ words: Words) -> Int32 {
        guard words.count == 1 else { return Command.listSmartcards.usageError() }
        complain("No smartcards found.")
        return 0
    }
}
