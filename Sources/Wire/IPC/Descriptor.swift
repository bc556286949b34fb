// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// An open file descriptor with one owner, closed when the owner releases it.
package struct Descriptor: ~Copyable, Sendable {
    /// The number, for calls; this value keeps the ownership.
    package let rawValue: Int32

    /// Takes ownership of an open descriptor.
    package init(owning rawValue: Int32) {
        precondition(rawValue >= 0)
        self.rawValue = rawValue
    }

    deinit { close(rawValue) }

    /// Ends the ownership without closing the descriptor.
    package consuming func release() -> Int32 {
        let rawValue = self.rawValue
        discard self
        return rawValue
    }
}

/// A system call failed.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The error number of the call.
    package let errno: Int32
    /// The name of the call, for the log.
    package let call: StaticString

    /// The error of the call that has just failed.
    package init(_ call: StaticString, errno: Int32 = Glibc.errno) {
        self.call = call
        self.errno = errno
    }

    package static func == (left: Self, right: Self) -> Bool { left.errno == right.errno }

    /// The call and the system's message for its error.
    package var description: String {
        "\(call): \(unsafe String(cString: strerror(errno)))"
    }
}
