// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// Programs in C that make the calls on keys, and check the values of all results.
@Suite struct KeyProgramTests {
    /// Compiles a program, runs it with a separate keychain, and reads its last line.
    private func check(_ source: String, _ arguments: [String], claims: Int) throws {
        try TemporaryDirectory.lend { directory in
            let program = try CProgram(source, in: directory)
            let service = try TestService.start()
            defer { _ = try? service.stop() }
            let result = try program.run(arguments, service: service)
            #expect(result.ending == .exit(0), "\(result.errors)")
            let line = result.output.split(separator: "\n").last { $0.hasSuffix(" failures") }
            let numbers = (line ?? "").split(separator: " ").compactMap { Int($0) }
            try #require(numbers.count == 2, "\(result.output)\(result.errors)")
            #expect(numbers[0] >= claims)
            #expect(numbers[1] == 0)
        }
    }

    private struct Messages: Decodable {
        struct Message: Decodable {
            let keyType: String
            let bits: Int
            let algorithm: String
            let privateKey: String
            let ciphertext: String

            /// Whether its curve is supported.
            var opens: Bool { bits != 192 }
        }

        let vectors: [Message]
    }

    @Test func callsOnKeysAnswerAsApplesDoAndItsMessagesOpen() throws {
        let path = Binaries.packageRoot + "/Tests/Vectors/seckey/known-messages.json"
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let messages = try JSONDecoder().decode(Messages.self, from: data).vectors
        #expect(messages.count == 20)
        #expect(messages.filter(\.opens).count == 15)
        let arguments = messages.flatMap {
            [$0.keyType, $0.algorithm, $0.privateKey, $0.ciphertext, $0.opens ? "1" : "0"]
        }
        try check("keycalls.c", arguments, claims: 330)
    }

    @Test func fieldsAndPreferencesOfCertificatesAreReached() throws {
        try check("certificatecalls.c", [], claims: 35)
    }

    @Test func everyValueOfEveryResultHasApplesType() throws {
        let table = Binaries.packageRoot + "/Tests/Vectors/result-types.tsv"
        try check("resulttypes.c", [table], claims: 5_200)
    }
}
