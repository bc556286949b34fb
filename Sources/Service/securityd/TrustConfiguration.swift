// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FetchRules
import Foundation

/// Where the roots and the revocation lists of the machine are: `/etc/llavero/trust.conf`, or for an
/// ephemeral keychain a file that its user names.
///
/// A line is `roots = FILE`, `crls = FOLDER` or `fetch = off|on|RANGES`; `#` begins a comment. A user's
/// own file may have `fetch` alone: roots would go past what the administrator trusts.
struct TrustConfiguration: Equatable {
    /// The bundle of roots, PEM.
    var roots = "/etc/ssl/certs/ca-certificates.crt"
    /// The folder of revocation lists.
    var lists: String?
    /// What may be fetched from the network.
    var fetch = FetchRules.off

    private static let machineFile = "/etc/llavero/trust.conf"
    private static let largestByteCount = 64 * 1024

    /// Debian's bundle, and no lists.
    init() {}

    /// The machine's configuration. A file that can't be understood is reported, and then no root is
    /// trusted.
    /// - Parameter root: What the file is below; empty for the system itself.
    /// - Returns: The file's, or Debian's bundle without a file.
    static func ofMachine(below root: String = "") -> TrustConfiguration {
        let machineFile = root + machineFile
        guard FileManager.default.fileExists(atPath: machineFile) else {
            return TrustConfiguration()
        }
        do throws(Options.Problem) { return try TrustConfiguration(file: machineFile) } catch {
            say(error.text)
            var none = TrustConfiguration()
            none.roots = "/dev/null"
            return none
        }
    }

    /// The machine's configuration, and of the user's file what may be fetched. A file of the user that
    /// can't be understood is reported, and then nothing is fetched.
    /// - Parameter environment: Names the user's folder.
    /// - Returns: What counts for the user's own service.
    static func ofUser(_ environment: [String: String]) -> TrustConfiguration {
        var configuration = ofMachine()
        let named = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let folder = named ?? environment["HOME"].map({ $0 + "/.config" }) else {
            return configuration
        }
        let file = folder + "/llavero/trust.conf"
        guard FileManager.default.fileExists(atPath: file) else { return configuration }
        do throws(Options.Problem) {
            let own = try TrustConfiguration(file: file, names: ["fetch"])
            configuration.fetch = own.fetch
        } catch {
            say(error.text)
            configuration.fetch = .off
        }
        return configuration
    }

    /// Reads a file.
    /// - Parameters:
    ///   - file: Its path.
    ///   - names: The names that it may have.
    /// - Throws: for a file that can't be read or understood.
    init(
        file: String, names: [String] = ["roots", "crls", "fetch"]
    ) throws(Options.Problem) {
        guard let handle = FileHandle(forReadingAtPath: file),
            // Of an empty file, nothing comes.
            let data = try? handle.read(upToCount: Self.largestByteCount + 1) ?? Data(),
            data.count <= Self.largestByteCount, let text = String(data: data, encoding: .utf8)
        else { throw Options.Problem(text: "\(file) can't be read.") }
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let words = line.prefix { $0 != "#" }.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false
            ).map { $0.trimmingCharacters(in: .whitespaces) }
            guard words != [""] else { continue }
            guard words.count == 2, names.contains(words[0]) else {
                throw Options.Problem(
                    text: "Line \(number + 1) of \(file) isn't NAME = VALUE with a name of: "
                        + "\(names.joined(separator: ", ")).")
            }
            if words[0] == "fetch" {
                guard let rules = FetchRules(words[1]) else {
                    throw Options.Problem(
                        text: "Line \(number + 1) of \(file) isn't fetch = off, on or ranges of "
                            + "addresses.")
                }
                fetch = rules
                continue
            }
            guard words[1].hasPrefix("/") else {
                throw Options.Problem(
                    text: "Line \(number + 1) of \(file) isn't NAME = ABSOLUTE PATH.")
            }
            if words[0] == "roots" { roots = words[1] } else { lists = words[1] }
        }
    }

    /// How the supervisor tells it to the worker.
    var words: [String] {
        ["--roots", roots, "--crls", lists ?? "-", "--fetch", fetch.text]
    }

    /// How many they are.
    static let wordCount = 6

    /// Reads those words.
    init(words: ArraySlice<String>) throws(Options.Problem) {
        let words = Array(words)
        guard words.count == Self.wordCount, words[0] == "--roots", words[2] == "--crls",
            words[4] == "--fetch", let fetch = FetchRules(words[5])
        else { throw Options.Problem(text: "--worker is the supervisor's own.") }
        self.fetch = fetch
        roots = words[1]
        lists = words[3] == "-" ? nil : words[3]
    }

    /// The arguments of trustd where nothing is fetched.
    var arguments: [String] { ["--roots", roots] + (lists.map { ["--crls", $0] } ?? []) }
}
