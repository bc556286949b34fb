// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecurityWire
import TestSupport
import Testing

/// A folder for sealed files, and files in it.
struct SealedFolder {
    let path: String

    /// Provides a service and a folder.
    static func run(_ body: (TestService, SealedFolder) throws -> Void) throws {
        try TemporaryDirectory.lend { path in
            try TestService.run { try body($0, SealedFolder(path: path)) }
        }
    }

    func file(_ name: String) -> String { path + "/" + name }

    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name))))
    }

    func write(_ bytes: some Sequence<UInt8>, _ name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    }

    /// The names in it.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    /// Bytes without a repetition.
    static func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            unsafe withUnsafeBytes(of: random.next()) { unsafe bytes.append(contentsOf: $0) }
        }
        return [UInt8](bytes.prefix(count))
    }

    /// Seals bytes as a file with chunks of 4 KiB.
    func seal(
        _ bytes: [UInt8], _ name: String, _ files: SealedFiles,
        _ protection: FileProtection = .completeUntilFirstUserAuthentication,
        replacing: Bool = false
    ) throws {
        var writer = try files.create(file(name), protection: protection, replacing: replacing)
        try writer.write(bytes)
        try writer.finish()
    }
}

extension SealedFiles {
    /// With the smallest chunks, so that small files have several.
    static func small(_ keychain: KeychainConnection, keyName: String = "") -> SealedFiles {
        SealedFiles(keychain, keyName: keyName, chunkBits: 12)
    }
}

/// The error of a failed call on sealed files; nil when it succeeded.
func sealedFailure<R>(_ body: () throws -> R) -> SealedFileError? {
    do { _ = try body() } catch let error as SealedFileError { return error } catch {
        Issue.record("\(error)")
    }
    return nil
}

extension SealedFileError {
    /// Why the keychain returned no key; nil for any other error.
    var reason: FailureReason? {
        guard case .keychain(let error) = self else { return nil }
        return error.reason
    }

    /// Whether the error says that the file isn't what was sealed.
    var isDamage: Bool {
        switch self {
        case .damaged, .notSealed, .newerVersion: true
        default: false
        }
    }
}
