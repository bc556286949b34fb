// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import TestSupport

/// What makes the device key of a service under test.
enum TestedDeviceKey: CaseIterable, Sendable {
    case file
    case swtpm

    /// Lends what a service is told of its device key; a TPM runs as long.
    func lend<R>(_ body: (_ deviceKey: String) throws -> R) throws -> R {
        switch self {
        case .file: try body("file")
        case .swtpm: try TestTPM.run { try body($0.deviceKeyArgument) }
        }
    }
}
