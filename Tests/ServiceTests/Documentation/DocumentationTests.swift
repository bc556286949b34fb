// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import TestSupport
import Testing

extension ServiceTests {
    @Suite struct Documentation {
        /// `TidyTests` checks that this is all the code of the pages.
        @Test func theCodeOfEveryPageDoesWhatThePageSays() throws {
            try TestService.run { service in
                var options = TestProcess.Options()
                options.environment = ["LLAVERO_SOCKET": service.socketPath]
                let result = try TestProcess.run(
                    Binaries.documentationSamples(), [], options, within: .seconds(60))
                #expect(result.errors == "")
                #expect(result.ending == .exit(0), "\(result.output)")
                #expect(result.output.hasPrefix("ok "))
            }
        }
    }
}
