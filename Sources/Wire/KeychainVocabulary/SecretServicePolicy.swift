// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Who shares secrets of the Secret Service with whom: `secret-service.conf` (STORAGE.md, "Secret
/// Service").
package struct SecretServicePolicy: Equatable, Sendable {
    /// Programs that share items with these schemas.
    package struct Family: Equatable, Sendable {
        /// Its name, which is part of the name of its group.
        package let name: String
        /// The values of `xdg:schema`.
        package internal(set) var schemas: [String]
        /// Real paths of programs; one that ends with a slash is every program below.
        package let paths: [String]

        /// Whether the program at a real path belongs to it.
        package func admits(_ path: String) -> Bool {
            paths.contains { known in
                known == path || known.hasSuffix("/") && path.utf8.starts(with: known.utf8)
            }
        }
    }

    /// Whether an application's secrets are its own.
    package private(set) var isIsolating = true
    /// Schemas of items that every program without a sandbox shares.
    package private(set) var sharedSchemas: Set<String> = []
    /// The families, those that are shipped included.
    package private(set) var families = shippedFamilies
    /// The programs that may ask for keys of the portal.
    package private(set) var portals: [String] = []

    /// What holds without a file.
    package init() {}

    /// The families of a program without a sandbox, by its real path.
    package func families(ofPath path: String) -> [Family] {
        families.filter { $0.admits(path) }
    }
}

// MARK: - Limits

extension SecretServicePolicy {
    /// A line for each of a distribution's programs fits many times.
    package static let byteLimit = 64 * 1024
    /// More families than desktops have.
    package static let familyLimit = 64
    /// In one family.
    package static let schemaLimit = 64
    /// In one family; a directory stands for all of its programs.
    package static let pathLimit = 256
    /// Lines `share`.
    package static let sharedLimit = 256
    private static let nameByteLimit = 64
    private static let schemaByteLimit = 255
    private static let pathByteLimit = 4096
}

/// Why a policy file is left out.
package struct PolicyProblem: Error, Equatable, Sendable {
    /// The rule that it breaks.
    package enum Kind: String, Sendable {
        case tooLarge = "the file is too large"
        case notText = "the line isn't UTF-8"
        case unknownWord = "the line begins with an unknown word"
        case wrongWords = "the line has too few or too many words"
        case wrongName = "the name of a family is 1 to 64 of a-z, 0-9, period and hyphen"
        case wrongSchema = "a schema is 1 to 255 bytes"
        case wrongPath = "a path must be absolute and plain"
        case twice = "this was said before"
        case tooMany = "there are too many of these"
    }

    /// Counted from 1; 0 is the whole file.
    package let line: Int
    /// What is wrong there.
    package let kind: Kind

    init(_ line: Int, _ kind: Kind) {
        self.line = line
        self.kind = kind
    }
}

// MARK: - Parsing

extension SecretServicePolicy {
    /// Reads a file.
    /// - Throws: ``PolicyProblem`` for the first line that breaks a rule; then none of it counts.
    package init(parsing text: [UInt8]) throws(PolicyProblem) {
        self.init()
        guard text.count <= Self.byteLimit else { throw PolicyProblem(0, .tooLarge) }
        var reading = Reading()
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            do throws(Break) { try reading.take(line) } catch {
                throw PolicyProblem(index + 1, error.kind)
            }
        }
        isIsolating = reading.isIsolating ?? true
        sharedSchemas = reading.shared
        portals = reading.portals
        // What the file says of a schema replaces what is shipped.
        let said = reading.shared.union(reading.families.flatMap(\.schemas))
        let names = Set(reading.families.map(\.name))
        families = Self.shippedFamilies.compactMap { family in
            guard !names.contains(family.name) else { return nil }
            var family = family
            family.schemas.removeAll(where: said.contains)
            return family.schemas.isEmpty ? nil : family
        }
        families += reading.families
    }

    private struct Break: Error {
        let kind: PolicyProblem.Kind
    }

    /// What was read so far.
    private struct Reading {
        var isIsolating: Bool?
        var shared: Set<String> = []
        var families: [Family] = []
        var portals: [String] = []

        mutating func take(_ line: ArraySlice<UInt8>) throws(Break) {
            guard let text = String(validating: line, as: UTF8.self), !line.contains(0) else {
                throw Break(kind: .notText)
            }
            let words = text.split { $0 == " " || $0 == "\t" }.map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { return }
            switch first {
            case "isolation": try takeIsolation(words)
            case "share": try takeShared(words)
            case "family": try takeFamily(words)
            case "portal": try takePortals(words)
            default: throw Break(kind: .unknownWord)
            }
        }

        private mutating func takeIsolation(_ words: [String]) throws(Break) {
            guard words.count == 2, words[1] == "on" || words[1] == "off" else {
                throw Break(kind: .wrongWords)
            }
            guard isIsolating == nil else { throw Break(kind: .twice) }
            isIsolating = words[1] == "on"
        }

        private mutating func takeShared(_ words: [String]) throws(Break) {
            guard words.count == 2 else { throw Break(kind: .wrongWords) }
            try claim([words[1]])
            guard shared.count < SecretServicePolicy.sharedLimit else {
                throw Break(kind: .tooMany)
            }
            shared.insert(words[1])
        }

        private mutating func takeFamily(_ words: [String]) throws(Break) {
            guard let colon = words.firstIndex(of: ":"), colon > 2, colon + 1 < words.count else {
                throw Break(kind: .wrongWords)
            }
            let name = words[1]
            guard SecretServicePolicy.isName(name) else { throw Break(kind: .wrongName) }
            guard !families.contains(where: { $0.name == name }) else { throw Break(kind: .twice) }
            let schemas = Array(words[2..<colon])
            let paths = Array(words[(colon + 1)...])
            guard families.count < SecretServicePolicy.familyLimit,
                schemas.count <= SecretServicePolicy.schemaLimit,
                paths.count <= SecretServicePolicy.pathLimit
            else { throw Break(kind: .tooMany) }
            try claim(schemas)
            guard paths.allSatisfy(SecretServicePolicy.isPath) else {
                throw Break(kind: .wrongPath)
            }
            families.append(Family(name: name, schemas: schemas, paths: paths))
        }

        private mutating func takePortals(_ words: [String]) throws(Break) {
            let paths = words.dropFirst()
            guard !paths.isEmpty else { throw Break(kind: .wrongWords) }
            guard portals.count + paths.count <= SecretServicePolicy.pathLimit else {
                throw Break(kind: .tooMany)
            }
            guard paths.allSatisfy({ SecretServicePolicy.isPath($0) && !$0.hasSuffix("/") }) else {
                throw Break(kind: .wrongPath)
            }
            portals += paths
        }

        /// Each schema is said once.
        private func claim(_ schemas: [String]) throws(Break) {
            guard schemas.allSatisfy(SecretServicePolicy.isSchema) else {
                throw Break(kind: .wrongSchema)
            }
            let known = shared.union(families.flatMap(\.schemas))
            guard Set(schemas).count == schemas.count, known.isDisjoint(with: schemas) else {
                throw Break(kind: .twice)
            }
        }
    }

    private static func isName(_ name: String) -> Bool {
        1...nameByteLimit ~= name.utf8.count
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private static func isSchema(_ schema: String) -> Bool {
        schema != ":" && 1...schemaByteLimit ~= schema.utf8.count
    }

    private static func isPath(_ path: String) -> Bool {
        guard path.hasPrefix("/"), path.utf8.count <= pathByteLimit else { return false }
        var parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        // A directory.
        if parts.last?.isEmpty == true { parts.removeLast() }
        return !parts.isEmpty && parts.allSatisfy { !["", ".", ".."].contains($0) }
    }
}
