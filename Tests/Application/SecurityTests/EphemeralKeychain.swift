// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Synchronization
import TestSupport

/// The one keychain that `SecItem…` calls of this process go to. It ends with the process, whose
/// end of the pipe the service's command waits on.
final class EphemeralKeychain: Sendable {
    private let service: Mutex<TestService>

    /// A failure is each test's that needs it: they aren't skipped.
    static let shared = Result { try EphemeralKeychain() }

    private init() throws {
        let service = try TestService.start()
        unsafe setenv("LLAVERO_SOCKET", service.socketPath, 1)
        // The machine is busy with other tests.
        unsafe setenv("LLAVERO_DEADLINE_MS", "30000", 1)
        self.service = Mutex(service)
    }
}
