// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeSigning
import FoundationEssentials

/// The `Info.plist` beside a program, from which Foundation takes `Bundle.main.bundleIdentifier`.
/// All programs of a folder share it. No decision depends on it: the identity is in the signature.
struct BundleInformation {
    /// Why it isn't written.
    struct Conflict: Error, CustomStringConvertible {
        let path: String
        let identifier: String

        var description: String {
            "\(path) is there and isn't one of \(identifier). Sign in a folder of its own, or without "
                + "--info-plist."
        }
    }

    private struct Content: Codable, Equatable {
        let identifier: String

        enum CodingKeys: String, CodingKey { case identifier = "CFBundleIdentifier" }
    }

    private let path: String
    /// Nil when a file with the identifier exists.
    private let bytes: [UInt8]?

    /// Examines the existing file.
    /// - Parameters:
    ///   - program: The program's path.
    ///   - identifier: The bundle identifier.
    /// - Throws: ``Conflict`` when there is a file with another identifier or none.
    init(beside program: String, _ identifier: String) throws {
        path =
            URL(fileURLWithPath: program).deletingLastPathComponent()
            .appendingPathComponent("Info.plist").path
        let content = Content(identifier: identifier)
        guard !FileManager.default.fileExists(atPath: path) else {
            let data = try Data(DeveloperDirectory.read(path))
            guard (try? PropertyListDecoder().decode(Content.self, from: data)) == content else {
                throw Conflict(path: path, identifier: identifier)
            }
            bytes = nil
            return
        }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        bytes = Array(try encoder.encode(content))
    }

    /// Writes the file if there is none.
    /// - Throws: What `DeveloperDirectory.write` throws.
    func write() throws {
        guard let bytes else { return }
        try DeveloperDirectory.write(bytes, path, mode: 0o644)
    }
}
