// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// Programs in C that go through the values of all results.
@Suite struct KeyProgramTests {
    /// Compiles a program, runs it against a keychain of its own, and reads its last line.
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

    @Test func everyValueOfEveryResultHasApplesType() throws {
        let table = Binaries.packageRoot + "/Tests/Vectors/result-types.tsv"
        try check("resulttypes.c", [table], claims: 5_200)
    }
}
