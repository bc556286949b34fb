// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import TestSupport
import Testing
import TrustWire

/// Suites of path validation that others publish, through securityd and trustd.
@Suite(.serialized) struct TrustSuiteTests {
    /// Which way a suite's cases come out.
    private struct Count {
        var right = 0
        var acceptedWrongly: [String] = []
        var refusedWrongly: [String] = []
    }

    private func count(
        _ cases: [TrustCases.Case], _ service: TestService
    ) throws -> Count {
        var count = Count()
        for item in cases {
            var isTrusted = false
            do throws(KeychainError) {
                isTrusted = try service.keychain.evaluate(item.question).isTrusted
            } catch {
                // A leaf that can't be read isn't trusted; anything else is no answer.
                try #require(error.reason == .invalidRequest, "\(item.id): \(error)")
            }
            switch (isTrusted, item.isGood) {
            case (true, false): count.acceptedWrongly.append(item.id)
            case (false, true): count.refusedWrongly.append(item.id)
            case (true, true), (false, false): count.right += 1
            }
        }
        return count
    }

    private func say(_ name: String, _ count: Count, of total: Int) {
        print(
            "\(name): \(count.right) of \(total) right;",
            "taken wrongly \(count.acceptedWrongly.count): \(count.acceptedWrongly);",
            "refused wrongly \(count.refusedWrongly.count): \(count.refusedWrongly)")
    }

    /// Two cases with DSA and one of an indirect revocation list differ.
    @Test func pkitsComesOutAsPublished() throws {
        try TemporaryDirectory.lend { directory in
            let cases = try TrustCases.pkits(into: directory)
            #expect(cases.count == 223)
            let file = directory + "/trust.conf"
            try "crls = \(directory)/crls\n".write(
                toFile: file, atomically: true, encoding: .utf8)
            var options = TestService.Options()
            options.trustConfiguration = file
            try TestService.run(options) { service in
                let count = try count(cases, service)
                say("PKITS", count, of: cases.count)
                #expect(count.right >= 220)
                #expect(count.acceptedWrongly == [])
            }
        }
    }

    /// What may be accepted although limbo refuses it: Documentation/differences.md.
    private static let accepted = ["webpki::cn", "webpki::aki", "crl::"]

    @Test func limboComesOutAsPublished() throws {
        let cases = try TrustCases.limbo("limbo")
        #expect(cases.count == 208)
        let withLists = cases.filter { !$0.lists.isEmpty }
        var total = try TestService.run { service in
            try count(cases.filter { $0.lists.isEmpty }, service)
        }
        for item in withLists {
            let one = try TemporaryDirectory.lend { directory in
                for (number, list) in item.lists.enumerated() {
                    try list.write(
                        toFile: directory + "/\(number).pem", atomically: true, encoding: .utf8)
                }
                let file = directory + "/trust.conf"
                try "crls = \(directory)\n".write(toFile: file, atomically: true, encoding: .utf8)
                var options = TestService.Options()
                options.trustConfiguration = file
                return try TestService.run(options) { try count([item], $0) }
            }
            total.right += one.right
            total.acceptedWrongly += one.acceptedWrongly
            total.refusedWrongly += one.refusedWrongly
        }
        say("limbo", total, of: cases.count)
        #expect(total.right >= 165)
    }

    @Test func everyPathOfBetterTLSIsFound() throws {
        let cases = try TrustCases.limbo("path-building")
        #expect(cases.count == 81)
        try TestService.run { service in
            let count = try count(cases, service)
            say("BetterTLS path building", count, of: cases.count)
            #expect(count.right == 81)
        }
    }

    @Test func noNameConstraintOfBetterTLSIsPassedBy() throws {
        let cases = try TrustCases.limbo("name-constraints")
        #expect(cases.count == 396)
        try TestService.run { service in
            let count = try count(cases, service)
            say("BetterTLS name constraints, each 24th", count, of: cases.count)
            #expect(count.acceptedWrongly == [])
            // 88 of 9,491 in all.
            #expect(count.refusedWrongly.count <= 8)
        }
    }
}
