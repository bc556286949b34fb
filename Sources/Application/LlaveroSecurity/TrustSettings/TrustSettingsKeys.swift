// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Keys of a dictionary of trust settings. Macros in Apple's `SecTrustSettings.h`, which Swift imports as
// `String`.

/// The policy that a setting is for.
public let kSecTrustSettingsPolicy: String = "kSecTrustSettingsPolicy"
/// The program that a setting is for.
public let kSecTrustSettingsApplication: String = "kSecTrustSettingsApplication"
/// What the policy is applied to: a host name or an e-mail address.
public let kSecTrustSettingsPolicyString: String = "kSecTrustSettingsPolicyString"
/// For which uses of its key the setting is; a number of ``SecTrustSettingsKeyUsage``.
public let kSecTrustSettingsKeyUsage: String = "kSecTrustSettingsKeyUsage"
/// A result code that doesn't count.
public let kSecTrustSettingsAllowedError: String = "kSecTrustSettingsAllowedError"
/// What the setting says; a number of ``SecTrustSettingsResult``.
public let kSecTrustSettingsResult: String = "kSecTrustSettingsResult"
