// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A code block of the documentation that can be run.
struct Sample: Sendable {
    /// Its name in the test.
    let name: String
    /// Runs it.
    let run: @Sendable () async throws -> Void
}

/// A code block of the documentation doesn't do what its page says.
struct SampleFailure: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// Throws unless a condition holds.
func expect(_ condition: Bool, _ message: String) throws {
    if !condition { throw SampleFailure(message) }
}
