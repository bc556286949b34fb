// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Testing

/// Tests that store, find and delete the certificate `p256-issued` or set what counts for it run one at
/// a time, also those of different suites: the process has one keychain.
struct SharedCertificateTrait: SuiteTrait, TestTrait, TestScoping {
    private static let turns = Turns()

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await Self.turns.take()
        do { try await function() } catch {
            await Self.turns.giveBack()
            throw error
        }
        await Self.turns.giveBack()
    }

    private actor Turns {
        private var isTaken = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func take() async {
            if isTaken {
                await withCheckedContinuation { waiting.append($0) }
            } else {
                isTaken = true
            }
        }

        func giveBack() {
            if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
        }
    }
}

extension Trait where Self == SharedCertificateTrait {
    /// One at a time, of all tests with this trait.
    static var usesSharedCertificate: Self { SharedCertificateTrait() }
}
