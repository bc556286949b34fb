// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import TestSupport
import Testing

extension ServiceTests {
    @Suite struct Forks {
        /// Both the connection and the memory for secrets have locks that another thread may hold
        /// at a fork.
        @Test func eachChildOfABusyProgramIsServedAndItsParentUndisturbed() throws {
            try TestService.run { service in
                let application = try Binaries.testApplication()
                let stored = try TestProcess.run(
                    application, [service.socketPath, "add", "fork", "secret"])
                #expect(stored.output == "ok\n")
                let result = try TestProcess.run(
                    application, [service.socketPath, "fork", "fork"], within: .seconds(120))
                #expect(result.errors == "")
                #expect(result.output == "60 of 60 children, 0 failures\n")
                #expect(result.ending == .exit(0))
            }
        }
    }
}
