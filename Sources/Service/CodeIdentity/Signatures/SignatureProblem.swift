// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Why a program doesn't count as signed. The raw value is how it is told to people.
package enum SignatureProblem: String, Error, Sendable, CaseIterable {
    case absent = "there is no signature"
    case notAnExecutable = "the file isn't a 64-bit little-endian ELF program"
    case malformed = "the signature is damaged"
    case signatureInvalid = "a signature doesn't match what it signs"
    case codeChanged = "the program was changed after signing"
    case entitlementsChanged = "the entitlements were changed after signing"
    case entitlementsUnreadable = "the entitlements aren't a property list"
    case wrongUsage = "a certificate was used for what it isn't for"
    case wrongTeam = "the certificates and the signature name different teams"
    case teamNotTrusted = "this device doesn't trust the team"
    case rootNotTrusted = "the team's identifier is another team's on this device"
    case outsideValidity = "a certificate has expired or isn't valid yet"
    case revoked = "the certificate was revoked"
    case profileOfAnotherTeam = "the provisioning profile is another team's"
    case profileExpired = "the provisioning profile has expired"
    case profileForOtherDevices = "the provisioning profile isn't for this device"
    case profileForOtherApplications = "the provisioning profile isn't for this application"
    case unreadable = "the program's file can't be read"
}
