// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import TestSupport
import Testing

@Suite struct StatusTests {
    /// Numbers and texts that scripts depend on. Source: macOS's security, as observed.
    private static let texts: [(OSStatus, Int32, String)] = [
        (errSecItemNotFound, -25300, "The specified item could not be found in the keychain."),
        (errSecDuplicateItem, -25299, "The specified item already exists in the keychain."),
        (errSecAuthFailed, -25293, "The user name or passphrase you entered is not correct."),
        (errSecInteractionNotAllowed, -25308, "User interaction is not allowed."),
        (errSecNoSuchKeychain, -25294, "The specified keychain could not be found."),
        (errSecUserCanceled, -128, "User canceled the operation."),
        (
            errSecParam, -50,
            "One or more parameters passed to a function were not valid."
        ),
        (errSecDecode, -26275, "Unable to decode the provided data."),
        (errSecMissingEntitlement, -34018, "A required entitlement isn't present."),
        (errSecInteractionRequired, -25315, "User interaction is required."),
        (errSecNoAccessForItem, -25243, "The specified item has no access control."),
    ]

    @Test func statusesHaveApplesNumbersAndTexts() {
        for (status, number, text) in Self.texts {
            #expect(status == number)
            #expect(SecCopyErrorMessageString(status, nil) as String? == text)
        }
    }

    @Test func anUnknownStatusIsToldByItsNumber() {
        #expect(SecCopyErrorMessageString(-1, nil) as String? == "OSStatus -1")
        #expect(SecCopyErrorMessageString(.min, nil) as String? == "OSStatus -2147483648")
        #expect(SecCopyErrorMessageString(.max, nil) as String? == "OSStatus 2147483647")
    }

    @Test func aStatusOfAnotherLayerHasASentence() {
        #expect(
            SecCopyErrorMessageString(errSecCertificateExpired, nil) as String?
                == "Certificate expired.")
        #expect(
            SecCopyErrorMessageString(errSecInvalidCRLIndex, nil) as String?
                == "Invalid CRL index.")
        #expect(errSecServiceNotAvailable == -67585)
        #expect(errSecVerifyFailed == -67808)
        #expect(errSecMissingQualifiedCertStatement == -67904)
    }

    @Test func aStatusThatHoldsAnErrnoGivesTheSystemsText() {
        #expect(
            SecCopyErrorMessageString(100_002, nil) as String?
                == "UNIX[No such file or directory]")
    }

    // MARK: - Secure Transport

    @Test func secureTransportsCodesHaveApplesNumbers() throws {
        let table = Binaries.packageRoot + "/Tests/Vectors/ssl-status.tsv"
        let rows = try String(contentsOfFile: table, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.map { $0.split(separator: "\t") }
        #expect(rows.count == 76)
        #expect(rows.map { String($0[0]) } == SecureTransportCodes.all.map(\.name))
        for (row, code) in zip(rows, SecureTransportCodes.all) {
            #expect(OSStatus(row[1]) == code.number, "\(code.name)")
        }
    }

    // MARK: - Trust settings

    /// Source: Apple's SecTrustSettings.h; macros, which Swift imports as `String`.
    @Test func theKeysOfTrustSettingsAreTheirNames() {
        let keys: [String] = [
            kSecTrustSettingsPolicy, kSecTrustSettingsApplication, kSecTrustSettingsPolicyString,
            kSecTrustSettingsKeyUsage, kSecTrustSettingsAllowedError, kSecTrustSettingsResult,
        ]
        let names = ["Policy", "Application", "PolicyString", "KeyUsage", "AllowedError", "Result"]
        #expect(keys == names.map { "kSecTrustSettings" + $0 })
    }
}
