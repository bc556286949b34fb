// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Testing

/// The numbers of messages in the journal.
@Suite struct LogMessageTests {
    private static let source = "Sources/Wire/IPC/ServiceLog.swift"

    private static func numbers(in path: String) throws -> [String] {
        try SourceTree.file(path).lines.flatMap { line in
            line.matches(of: /\b[0-9a-f]{32}\b/).map { String($0.output) }
        }
    }

    @Test func eachMessageIsExplained() throws {
        let numbers = try Self.numbers(in: Self.source)
        #expect(numbers.count >= 20)
        #expect(Set(numbers).count == numbers.count)
        let catalog = try SourceTree.file("Packaging/journal/llavero.catalog").lines
        let explained = catalog.filter { $0.hasPrefix("-- ") }.map { String($0.dropFirst(3)) }
        #expect(explained.sorted() == numbers.sorted())
        let page = try Self.numbers(in: "Documentation/log-messages.md")
        #expect(Set(page) == Set(numbers))
    }

    /// The subjects of both are the same.
    @Test func pageAndCatalogAgree() throws {
        let catalog = try SourceTree.file("Packaging/journal/llavero.catalog").lines
        let page = try SourceTree.file("Documentation/log-messages.md").lines
        for (index, line) in catalog.enumerated() where line.hasPrefix("-- ") {
            let number = line.dropFirst(3)
            let subject = catalog[index + 1].dropFirst("Subject: ".count)
            #expect(page.contains { $0.hasPrefix("| \(subject) |") && $0.contains(number) })
        }
    }

    /// A number never gets another meaning; a program may wait for it.
    @Test func eachMessageIsUsed() throws {
        let names = try SourceTree.file(Self.source).lines.compactMap { line in
            line.firstMatch(of: /case (\w+) = "/).map { String($0.output.1) }
        }
        #expect(names.count >= 20)
        let files = try SourceTree.files(in: "Sources", endingIn: ".swift")
            .filter { $0.path != Self.source }
        for name in names {
            let isUsed = files.contains { file in file.lines.contains { $0.contains(".\(name)") } }
            #expect(isUsed, "\(name)")
        }
    }
}
