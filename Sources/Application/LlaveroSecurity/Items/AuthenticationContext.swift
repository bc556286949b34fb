// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// What `kSecUseAuthenticationContext` takes: the context of LocalAuthentication, which this module
/// can't import.
package protocol AuthenticationContext: AnyObject {
    /// Whether it was ended: nothing can be proven in it any more.
    var isInvalidated: Bool { get }
}

extension SecAccessControl {
    /// Whether nothing needs to be proven for what it guards.
    package var asksForNothing: Bool { isTrivialForKeys }
}
