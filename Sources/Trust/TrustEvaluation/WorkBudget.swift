// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// How much one question may cost. Chains can be made so that the number of paths doubles with each
/// certificate; what is left when the budget is used up isn't looked at, and so not trusted.
struct WorkBudget {
    /// Signatures that are checked to choose between issuers of one name.
    static let signatureLimit = 256
    /// Complete paths that libcrypto gets.
    static let pathLimit = 64
    /// Beginnings of paths that are extended.
    static let extensionLimit = 4096
    /// Certificates of a path: more than any real one.
    static let depthLimit = 24
    /// Of this thread's processor time.
    static let timeLimit = Duration.milliseconds(1500)

    private var signatures = 0
    private var paths = 0
    private var extensions = 0
    private let start = Self.threadTime()

    init() {}

    mutating func takesSignature() -> Bool {
        signatures += 1
        return signatures <= Self.signatureLimit && !isOver
    }

    mutating func takesPath() -> Bool {
        paths += 1
        return paths <= Self.pathLimit && !isOver
    }

    mutating func takesExtension() -> Bool {
        extensions += 1
        return extensions <= Self.extensionLimit && !(extensions % 64 == 0 && isOver)
    }

    private var isOver: Bool { Self.threadTime() - start > Self.timeLimit }

    private static func threadTime() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
