// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Which access groups entitlements give. Source: Apple's securityd, as observed.
package enum AccessGroups {
    /// The group of items that live in tokens: everybody who names it may read it, nobody writes it.
    package static let token = "com.apple.token"

    /// The access groups of a program, the default for what it adds first.
    ///
    /// In this order: `keychain-access-groups`, the associated application identifiers, the
    /// application identifier, the application groups; the token group comes last wherever it
    /// stands. Apple lets programs of its own hold `*`, every group; nobody holds it here.
    package static func of(_ entitlements: Entitlements) -> [String] {
        var groups = entitlements.texts("keychain-access-groups") ?? []
        groups +=
            entitlements.texts("com.apple.developer.associated-application-identifier") ?? []
        let application =
            entitlements.text("application-identifier")
            ?? entitlements.text("com.apple.application-identifier")
        if let application { groups.append(application) }
        if !entitlements.isSet("com.apple.developer.on-demand-install-capable") {
            groups += entitlements.texts("com.apple.security.application-groups") ?? []
        }
        let holdsToken = groups.contains(token)
        var seen: Set<String> = ["", "*", token]
        groups.removeAll { !seen.insert($0).inserted }
        return holdsToken ? groups + [token] : groups
    }
}
