// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Synchronization
import TestSupport

/// The keychain for all `SecItem…` calls of this process. The service's command waits on a pipe,
/// and so ends with the process.
final class EphemeralKeychain: Sendable {
    private let service: Mutex<TestService>

    /// If it fails, each test that needs it fails: they aren't skipped.
    static let shared = Result { try EphemeralKeychain() }

    private init() throws {
        let service = try TestService.start()
        unsafe setenv("LLAVERO_SOCKET", service.socketPath, 1)
        // The machine is busy with other tests.
        unsafe setenv("LLAVERO_DEADLINE_MS", "30000", 1)
        self.service = Mutex(service)
    }
}
