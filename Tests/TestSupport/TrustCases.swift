// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Foundation
package import TrustWire

/// Cases of path validation that others publish (Tests/Vectors/x509-limbo, Tests/Vectors/pkits).
package enum TrustCases {
    /// A case: a question, and whether the chain is good.
    package struct Case: Sendable {
        package let id: String
        package let features: [String]
        package let question: TrustQuestion
        package let isGood: Bool
        /// PEM of the revocation lists that belong to it.
        package let lists: [String]
    }

    private static let vectors = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Vectors")

    // MARK: - limbo

    private struct Document: Decodable {
        let testcases: [Entry]
    }

    private struct Entry: Decodable {
        struct Name: Decodable {
            let kind: String
            let value: String
        }

        // The names of the published schema.
        let id: String
        let features: [String]
        let validationKind: String
        let trustedCerts: [String]
        let untrustedIntermediates: [String]
        let peerCertificate: String
        let validationTime: String?
        let expectedResult: String
        let expectedPeerName: Name?
        let crls: [String]
    }

    /// The cases of a file below `Tests/Vectors/x509-limbo`.
    package static func limbo(_ file: String) throws -> [Case] {
        let path = vectors.appendingPathComponent("x509-limbo/\(file).json.xz").path
        let unpacked = try output("xz", ["-dc", path])
        let format = ISO8601DateFormatter()
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Document.self, from: unpacked).testcases.map { entry in
            // A fraction of a second doesn't count.
            let text = entry.validationTime?.replacing(/\.[0-9]+/, with: "")
            let time = text.flatMap(format.date(from:)) ?? Date()
            var policies: [TrustPolicy] = []
            if entry.validationKind == "SERVER" {
                policies.append(
                    TrustPolicy(
                        .sslServer, names: entry.expectedPeerName.map { [$0.value] } ?? []))
            } else {
                policies.append(TrustPolicy(.sslClient))
            }
            if !entry.crls.isEmpty {
                policies.append(
                    TrustPolicy(.revocation, revocation: [.crl, .requiresPositiveAnswer]))
            }
            var question = TrustQuestion(
                time: Int64(time.timeIntervalSince1970),
                certificates: der([entry.peerCertificate] + entry.untrustedIntermediates),
                policies: policies)
            question.anchors = der(entry.trustedCerts)
            question.options = .givenAnchorsOnly
            return Case(
                id: entry.id, features: entry.features, question: question,
                isGood: entry.expectedResult == "SUCCESS", lists: entry.crls)
        }
    }

    private static func der(_ texts: [String]) -> [[UInt8]] {
        texts.map { PEMText.blocks("CERTIFICATE", in: Array($0.utf8)).first ?? [] }
    }

    // MARK: - PKITS

    /// Unpacks PKITS.
    /// - Parameter directory: Receives its folders `certs` and `crls`.
    /// - Returns: A case for each end entity. Positive answers on revocation are required.
    /// - Throws: when it can't be unpacked or read.
    package static func pkits(into directory: String) throws -> [Case] {
        let archive = vectors.appendingPathComponent("pkits/pkits.tar.xz").path
        _ = try output("tar", ["-xJf", archive, "-C", directory])
        let folder = directory + "/certs"
        var all: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            all[name] = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
        }
        let anchor = all["TrustAnchorRootCertificate.crt"] ?? []
        // Who signs lists for others is in no path.
        let signers = all.filter { name, _ in
            ["cRLIssuer", "CRLSigning", "indirectCRL"].contains { name.contains($0) }
                && !name.hasSuffix("EE.crt")
        }.keys
        let issuers = try String(
            contentsOf: vectors.appendingPathComponent("pkits/issuers.tsv"), encoding: .utf8)
        var authorities: [String: [[UInt8]]] = [:]
        for line in issuers.split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            let names = Set(fields[1].split(separator: " ").map { $0 + ".crt" }).union(signers)
            authorities[String(fields[0])] = names.sorted().compactMap { all[$0] }
        }
        let table = try String(
            contentsOf: vectors.appendingPathComponent("pkits/pkits.tsv"), encoding: .utf8)
        return table.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            let fields = line.split(separator: "\t").map(String.init)
            guard fields.count >= 2, let leaf = all[fields[0] + ".crt"] else { return nil }
            var question = TrustQuestion(
                // 2020-01-01.
                time: 1_577_836_800, certificates: [leaf] + (authorities[fields[0]] ?? []),
                policies: [
                    TrustPolicy(.basic),
                    TrustPolicy(.revocation, revocation: [.crl, .requiresPositiveAnswer]),
                ])
            question.anchors = [anchor]
            question.options = .givenAnchorsOnly
            return Case(
                id: fields[0], features: [], question: question, isGood: fields[1] == "valid",
                lists: [])
        }
    }

    // MARK: - Programs

    /// Runs a program.
    /// - Returns: What it writes.
    /// - Throws: if its exit status isn't 0.
    package static func output(
        _ program: String, _ arguments: [String], in directory: String? = nil
    ) throws -> Data {
        let place = directory.map { ["-C", $0] } ?? []
        let process = try TestProcess("/usr/bin/env", place + [program] + arguments)
        defer { process.end() }
        process.closeInput()
        let data = Data(try process.readAllBytes(within: .seconds(120)))
        let ending = try process.wait(within: .seconds(120))
        guard ending == .exit(0) else {
            throw TestFailure("\(program) \(arguments): \(ending), \(process.errorText)")
        }
        return data
    }
}
