// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation

/// Where the roots and the revocation lists of the machine are: `/etc/llavero/trust.conf`, or for an
/// ephemeral keychain a file that its user names.
///
/// A line is `roots = FILE` or `crls = FOLDER`; `#` begins a comment. A user's own file can't name
/// roots, since it would go past what the administrator trusts.
struct TrustConfiguration: Equatable {
    /// The bundle of roots, PEM.
    var roots = "/etc/ssl/certs/ca-certificates.crt"
    /// The folder of revocation lists.
    var lists: String?

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

    /// Reads a file.
    init(file: String) throws(Options.Problem) {
        guard let handle = FileHandle(forReadingAtPath: file),
            let data = try? handle.read(upToCount: Self.largestByteCount + 1),
            data.count <= Self.largestByteCount, let text = String(data: data, encoding: .utf8)
        else { throw Options.Problem(text: "\(file) can't be read.") }
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let words = line.prefix { $0 != "#" }.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false
            ).map { $0.trimmingCharacters(in: .whitespaces) }
            guard words != [""] else { continue }
            guard words.count == 2, words[1].hasPrefix("/") else {
                throw Options.Problem(
                    text: "Line \(number + 1) of \(file) isn't NAME = ABSOLUTE PATH.")
            }
            switch words[0] {
            case "roots": roots = words[1]
            case "crls": lists = words[1]
            default:
                throw Options.Problem(
                    text: "Line \(number + 1) of \(file) has a name that isn't roots or crls.")
            }
        }
    }

    /// How the supervisor tells it to the worker.
    var words: [String] { ["--roots", roots, "--crls", lists ?? "-"] }

    /// Reads those words.
    init(words: ArraySlice<String>) throws(Options.Problem) {
        let words = Array(words)
        guard words.count == 4, words[0] == "--roots", words[2] == "--crls" else {
            throw Options.Problem(text: "--worker is the supervisor's own.")
        }
        roots = words[1]
        lists = words[3] == "-" ? nil : words[3]
    }

    /// The arguments of trustd.
    var arguments: [String] { ["--roots", roots] + (lists.map { ["--crls", $0] } ?? []) }
}
