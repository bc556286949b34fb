// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import TrustWire

/// Why certificates couldn't be exported, as a sentence.
struct ExportFailure: Error {
    let text: String
}

/// The exported certificates: which there are, which there must be, and the machine's list.
struct TrustExport {
    private static let folder = "/usr/local/share/ca-certificates/llavero"
    private static let list = "/etc/ssl/certs/ca-certificates.crt"
    private static let program = "/usr/sbin/update-ca-certificates"
    private static let prefix = "llavero-"
    private static let suffix = ".crt"
    /// Of a file that update-ca-certificates doesn't read any more, while the list may still have its
    /// certificate.
    private static let removedSuffix = ".removed"
    private static let digestLength = 64

    private let root: String
    /// By the names of their files.
    private let wanted: [String: [UInt8]]
    private let added: [String]
    /// Those that the list must not have any more, also where an earlier run has failed after it had
    /// renamed their files.
    private let removed: [String]
    /// Those of which a renamed file is there.
    private let renamed: Set<String>

    /// - Parameters:
    ///   - root: What all paths are below; empty for the system itself.
    ///   - wanted: The certificates that must be there, DER.
    /// - Throws: when that system has no update-ca-certificates.
    init(root: String, wanted: [[UInt8]]) throws(ExportFailure) {
        self.root = root
        var names: [String: [UInt8]] = [:]
        for certificate in wanted {
            let digest = ExternalTrustSettings.hex(CertificateOutline.sha256(certificate))
            names[Self.prefix + digest.lowercased() + Self.suffix] = certificate
        }
        self.wanted = names
        let folder = root + Self.folder
        let found = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let ours = Set(found.filter(Self.isOurs))
        renamed = Set(
            found.filter { $0.hasSuffix(Self.removedSuffix) }
                .map { String($0.dropLast(Self.removedSuffix.count)) }.filter(Self.isOurs))
        added = names.keys.filter { name in
            let text = try? String(contentsOfFile: folder + "/" + name, encoding: .utf8)
            return text != names[name].map { PEMText.block("CERTIFICATE", $0) }
        }.sorted()
        removed = ours.union(renamed).subtracting(names.keys).sorted()
        guard FileManager.default.isExecutableFile(atPath: root + Self.program) else {
            throw ExportFailure(text: "\(root + Self.program) is missing; it is in ca-certificates")
        }
    }

    /// A file that this program has written, by its name; no other is touched.
    private static func isOurs(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
        let digest = name.dropFirst(prefix.count).dropLast(suffix.count)
        return digest.count == digestLength
            && digest.allSatisfy { $0.isHexDigit && !$0.isUppercase }
    }

    /// What has been done.
    var summary: String {
        "\(added.count) added, \(removed.count) removed; \(wanted.count) exported in all."
    }

    /// Writes, removes, and has the machine's list made again.
    ///
    /// What is removed is first renamed and deleted last, when the list is seen to be without it. So
    /// a run that fails in between leaves a trace, and the next one doesn't take the old list for a
    /// right one.
    func carryOut() throws(ExportFailure) {
        let folder = root + Self.folder
        do {
            if !wanted.isEmpty {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o755])
            }
            for name in added {
                guard let certificate = wanted[name] else { continue }
                try PEMText.block("CERTIFICATE", certificate).write(
                    toFile: folder + "/" + name, atomically: true, encoding: .utf8)
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o644], ofItemAtPath: folder + "/" + name)
            }
        } catch {
            throw ExportFailure(text: "\(folder) can't be written: \(error.localizedDescription)")
        }
        for name in removed { try putAside(folder + "/" + name) }
        if try !listIsRight() || !added.isEmpty || !removed.isEmpty {
            // Only a list that is made from nothing lacks what was removed.
            try update(fresh: !removed.isEmpty)
            guard try listIsRight() else {
                throw ExportFailure(
                    text: "\(root + Self.list) isn't what it should be after update-ca-certificates"
                )
            }
        }
        for name in renamed.union(removed) {
            let path = folder + "/" + name + Self.removedSuffix
            guard unsafe unlink(path) == 0 || errno == ENOENT else {
                throw ExportFailure(text: "\(path) can't be deleted")
            }
        }
    }

    /// Renames a file, in one step; an earlier run may have done that.
    private func putAside(_ path: String) throws(ExportFailure) {
        guard unsafe rename(path, path + Self.removedSuffix) == 0 || errno == ENOENT else {
            throw ExportFailure(text: "\(path) can't be renamed")
        }
    }

    /// The script also succeeds where it did nothing, so its exit status isn't enough.
    private func update(fresh: Bool) throws(ExportFailure) {
        let process = Process()
        var words = [Self.program] + (fresh ? ["--fresh"] : [])
        if !root.isEmpty { words = ["/usr/sbin/chroot", root] + words }
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        do { try process.run() } catch {
            throw ExportFailure(text: "\(words[0]) can't be started")
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ExportFailure(
                text: "update-ca-certificates failed with \(process.terminationStatus)")
        }
    }

    /// Whether the machine's list has every wanted certificate.
    private func listIsRight() throws(ExportFailure) -> Bool {
        let path = root + Self.list
        guard let data = FileManager.default.contents(atPath: path) else {
            if wanted.isEmpty { return true }
            throw ExportFailure(text: "\(path) can't be read")
        }
        let listed = Set(PEMText.blocks("CERTIFICATE", in: [UInt8](data)))
        return wanted.values.allSatisfy(listed.contains) && !removedIsListed(listed)
    }

    /// A removed certificate that is still in the list must be another package's.
    private func removedIsListed(_ listed: Set<[UInt8]>) -> Bool {
        let removed = Set(removed)
        return listed.contains { certificate in
            let digest = ExternalTrustSettings.hex(CertificateOutline.sha256(certificate))
            return removed.contains(Self.prefix + digest.lowercased() + Self.suffix)
        }
    }
}
