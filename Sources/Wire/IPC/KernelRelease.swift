// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// The version of a Linux kernel, as far as it says what the kernel does.
package struct KernelRelease: Comparable, Sendable {
    package let major: Int
    package let minor: Int

    package init(_ major: Int, _ minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Reads what `uname` says, such as `6.1.0-56-cloud-amd64`; nil if that is no version.
    package init?(text: String) {
        let parts = text.split(separator: ".", maxSplits: 2)
        guard parts.count >= 2, let major = Int(parts[0]),
            let minor = Int(parts[1].prefix { $0.isASCII && $0.isNumber })
        else { return nil }
        self.init(major, minor)
    }

    package static func < (left: KernelRelease, right: KernelRelease) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    /// That of this machine; nil if it can't be told.
    package static let running: KernelRelease? = {
        var name = utsname()
        guard unsafe uname(&name) == 0 else { return nil }
        return unsafe withUnsafeBytes(of: &name.release) { bytes in
            unsafe KernelRelease(text: String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
        }
    }()
}
