// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Sandbox
import SecretBytes

extension EnclaveWalls {
    /// The restrictions that the sandbox has established.
    init(_ walls: Sandbox.Walls) {
        let landlock: Landlock =
            switch walls.landlockMissing {
            case nil: .stands
            case .notInKernel: .notInKernel
            case .switchedOff: .switchedOff
            case .forbidden: .forbidden
            }
        self.init(
            landlock: landlock, landlockVersion: UInt8(clamping: walls.landlockVersion),
            filtersSystemCalls: walls.filtersSystemCalls)
    }

    /// One line for the log.
    var description: String {
        let files =
            switch landlock {
            case .stands: "Landlock version \(landlockVersion)"
            case .notInKernel: "no Landlock (the kernel has none): files are fenced by their modes"
            case .switchedOff:
                "no Landlock (the kernel was started without): files are fenced by their modes"
            case .forbidden:
                "no Landlock (its calls are forbidden here): files are fenced by their modes"
            case .unknown: "no Landlock"
            }
        let calls = filtersSystemCalls ? "system call filter" : "no system call filter"
        let memory =
            switch SecretMemory.kind {
            case .secretMemory: "secret memory"
            case .lockedMemory: "locked memory"
            case .pagedMemory: "memory that may be swapped"
            }
        return "walls: \(files); \(calls); \(memory)"
    }
}
