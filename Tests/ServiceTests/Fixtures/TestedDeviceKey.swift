// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import TestSupport

/// The device key of a service under test.
enum TestedDeviceKey: CaseIterable, Sendable {
    case file
    case swtpm

    /// Provides the service's device-key option; a TPM runs for the same time.
    func lend<R>(_ body: (_ deviceKey: String) throws -> R) throws -> R {
        switch self {
        case .file: try body("file")
        case .swtpm: try TestTPM.run { try body($0.deviceKeyArgument) }
        }
    }
}
