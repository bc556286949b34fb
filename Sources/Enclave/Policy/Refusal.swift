// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire

/// Why a request isn't done, on its way to the reply.
enum Refusal: Error {
    case status(EnclaveStatusCode)
    case throttled(seconds: UInt32)

    /// The reply that says so.
    var reply: EnclaveReply {
        switch self {
        case .status(let code): .failure(code)
        case .throttled(let seconds): .throttled(seconds: seconds)
        }
    }
}
