// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Testing

/// Signatures that another implementation of CODE-SIGNING.md made.
@Suite struct VectorTests {
    struct File: Decodable {
        let cases: [Case]
    }

    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let program: Data
        let codeDigest: String
        let trusted: Data
        let now: Int64
        let device: String
        let groups: [String]?
        var testDescription: String { name }
    }

    static var cases: [Case] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Vectors/code-signing/vectors.json")
        let decoded = (try? Data(contentsOf: file)).flatMap {
            try? JSONDecoder().decode(File.self, from: $0)
        }
        return decoded?.cases ?? []
    }

    @Test func vectorsAreThere() { #expect(Self.cases.count >= 25) }

    @Test(arguments: cases)
    func anotherImplementationAgrees(_ vector: Case) throws {
        let executable = try inspect([UInt8](vector.program))
        #expect(
            executable.codeDigest.map { String(format: "%02x", $0) }.joined() == vector.codeDigest)
        let device = stride(from: 0, to: 64, by: 2).map { place -> UInt8 in
            UInt8(vector.device.dropFirst(place).prefix(2), radix: 16) ?? 0
        }
        let groups: [String]?
        do {
            let teams = try TrustedTeams(decoding: [UInt8](vector.trusted))
            let application = try teams.admit(
                executable.signature.get(), now: vector.now, device: device)
            groups = AccessGroups.of(application.entitlements)
        } catch { groups = nil }
        #expect(groups == vector.groups)
    }
}
