// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire

/// Why a request failed, before this becomes a reply.
enum Refusal: Error {
    case status(EnclaveStatusCode)
    case throttled(seconds: UInt32)
    /// The state of the disk is unknown: no reply would be true.
    case ended

    /// The answer to the request.
    /// - Parameter lockCount: The user's.
    /// - Returns: A reply, unless the process has to end.
    func answer(lockCount: UInt32) -> EnclaveAnswer {
        switch self {
        case .status(.locked): .reply(.locked(lockCount: lockCount))
        case .status(let code): .reply(.failure(code))
        case .throttled(let seconds): .reply(.throttled(seconds: seconds))
        case .ended: .ended
        }
    }

    /// The status of one row.
    var statusCode: EnclaveStatusCode {
        switch self {
        case .status(let code): code
        case .throttled: .throttled
        case .ended: .stateNotWritten
        }
    }
}
