// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import FoundationEssentials

/// The names of leases.
enum LeaseName {
    /// A digest that replaces a long name.
    static func digest(_ name: String) -> String {
        let digits = Array("0123456789abcdef")
        return SHA256.hash(data: Data(name.utf8)).map { byte in
            String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
        }.joined()
    }
}
