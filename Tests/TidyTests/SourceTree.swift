// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Testing

/// The source tree, as the tidy checks read it.
enum SourceTree {
    struct File {
        let path: String
        let lines: [Substring]

        var isGenerated: Bool { path.contains("/Generated/") }
        /// The target to which the file belongs: the folder below its group.
        var target: String {
            let folders = path.split(separator: "/").dropFirst(2)
            return folders.first { $0 != "Wrappers" }.map(String.init) ?? ""
        }
    }

    static let root: URL = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Files below a folder whose names have a given ending, by their path from the root.
    static func files(in folder: String, endingIn suffix: String) throws -> [File] {
        let base = root.appendingPathComponent(folder)
        guard let walker = FileManager.default.enumerator(atPath: base.path) else {
            throw CocoaError(.fileReadNoSuchFile)
        }
        var files: [File] = []
        for case let name as String in walker where name.hasSuffix(suffix) {
            var isFolder: ObjCBool = false
            let path = base.appendingPathComponent(name).path
            _ = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            // Archives and files in DER have no lines.
            let isBinary = [".gz", ".xz", ".p12", ".p7b", ".der", ".kdbx", ".1pux"]
                .contains(where: name.hasSuffix)
            if name.contains(".build/") || isBinary || isFolder.boolValue { continue }
            let text = try String(contentsOf: base.appendingPathComponent(name), encoding: .utf8)
            files.append(
                File(
                    path: folder + "/" + name,
                    lines: text.split(separator: "\n", omittingEmptySubsequences: false)))
        }
        try #require(!files.isEmpty, "\(folder) has no \(suffix) files: the check looks at nothing")
        return files
    }

    /// One file, by its path from the root.
    static func file(_ path: String) throws -> File {
        let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        return File(
            path: path, lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    }

    /// The lines of code (not of comments) that match.
    static func matches(
        _ files: [File], _ isMatch: (Substring) -> Bool
    ) -> [String] {
        files.flatMap { file in
            file.lines.enumerated().compactMap { number, line in
                let trimmed = line.drop { $0 == " " }
                guard !trimmed.hasPrefix("//"), isMatch(line) else { return nil }
                return "\(file.path):\(number + 1): \(trimmed)"
            }
        }
    }
}
