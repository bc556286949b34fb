// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// Memory that the library leaks, as valgrind reports it. There is no suppression list: the
/// toolchain's runtime leaks nothing either.
@Suite struct CLeakTests {
    /// The leaks at the end.
    private struct Remains {
        var lost: Int
        var blocks: Int
        var ending: TestProcess.Ending
    }

    /// Runs `leaks` under valgrind; other tests check for uninitialized values.
    private func remains(
        _ program: CProgram, _ arguments: [String], _ directory: String
    ) throws -> Remains {
        let service = try TestService.start()
        defer { _ = try? service.stop() }
        let log = directory + "/valgrind"
        let result = try program.run(
            arguments, service: service,
            under: [
                "valgrind", "--leak-check=full", "--undef-value-errors=no",
                "--errors-for-leak-kinds=definite", "--error-exitcode=9", "--log-file=\(log)",
            ], within: .seconds(900))
        let text = try String(contentsOfFile: log, encoding: .utf8)
        let numbers = { (line: String) throws -> [Int] in
            let found = try #require(text.split(separator: "\n").last { $0.contains(line) })
            return found.replacing(",", with: "").split(separator: " ").compactMap { Int($0) }
        }
        let claims = result.output.contains(", 0 failures") || result.output.contains(" 0 failures")
        #expect(claims, "\(result.output)\(result.errors)")
        return Remains(
            lost: try #require(numbers("definitely lost:").first),
            blocks: try #require(numbers("in use at exit:").last), ending: result.ending)
    }

    @Test func tenThousandCallsLeaveNothingBehind() throws {
        try TemporaryDirectory.lend { directory in
            let program = try CProgram("leaks.c", in: directory)
            let few = try remains(program, ["5"], directory)
            // 10208 calls.
            let many = try remains(program, ["440"], directory)
            #expect(many.lost == 0)
            #expect(many.ending == .exit(0))
            // Reachable memory doesn't grow either.
            #expect(many.blocks <= few.blocks + 50)
        }
    }

    /// The control: a leak is detected.
    @Test func oneForgottenObjectIsFound() throws {
        try TemporaryDirectory.lend { directory in
            let program = try CProgram("leaks.c", in: directory)
            let forgotten = try remains(program, ["1", "forget"], directory)
            #expect(forgotten.lost > 0)
            #expect(forgotten.ending == .exit(9))
        }
    }
}
