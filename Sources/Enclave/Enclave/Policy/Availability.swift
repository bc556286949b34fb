// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import SecretBytes

/// Whether a class key may be used now. No other code decides it.
enum Availability {
    case usable(Secret)
    case locked
    /// The keybag has no such class.
    case missing

    /// - Parameters:
    ///   - protectionClass: The class.
    ///   - keys: What is open.
    ///   - keybag: What exists.
    init(of protectionClass: ProtectionClass, in keys: OpenKeys, of keybag: Keybag) {
        if let key = keys[protectionClass] {
            self = .usable(key)
        } else {
            self = keybag.classes.contains(protectionClass) ? .locked : .missing
        }
    }
}
