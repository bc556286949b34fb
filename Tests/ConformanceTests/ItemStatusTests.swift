// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// The status codes that calls on items can return, with their names and texts.
@Suite struct ItemStatusTests {
    private static let codes: [(OSStatus, OSStatus)] = [
        (errSecSuccess, 0), (errSecUnimplemented, -4), (errSecDiskFull, -34), (errSecIO, -36),
        (errSecOpWr, -49), (errSecParam, -50), (errSecWrPerm, -61), (errSecAllocate, -108),
        (errSecUserCanceled, -128), (errSecBadReq, -909), (errSecInternalComponent, -2070),
        (errSecCoreFoundationUnknown, -4960), (errSecACLNotSimple, -25240),
        (errSecPolicyNotFound, -25241), (errSecInvalidTrustSetting, -25242),
        (errSecNoAccessForItem, -25243), (errSecInvalidOwnerEdit, -25244),
        (errSecTrustNotAvailable, -25245), (errSecUnsupportedFormat, -25256),
        (errSecUnknownFormat, -25257), (errSecKeyIsSensitive, -25258),
        (errSecMultiplePrivKeys, -25259), (errSecPassphraseRequired, -25260),
        (errSecInvalidPasswordRef, -25261), (errSecInvalidTrustSettings, -25262),
        (errSecNoTrustSettings, -25263), (errSecPkcs12VerifyFailure, -25264),
        (errSecNotAvailable, -25291), (errSecReadOnly, -25292), (errSecAuthFailed, -25293),
        (errSecNoSuchKeychain, -25294), (errSecInvalidKeychain, -25295),
        (errSecDuplicateKeychain, -25296), (errSecDuplicateCallback, -25297),
        (errSecInvalidCallback, -25298), (errSecDuplicateItem, -25299),
        (errSecItemNotFound, -25300), (errSecBufferTooSmall, -25301),
        (errSecDataTooLarge, -25302), (errSecNoSuchAttr, -25303), (errSecInvalidItemRef, -25304),
        (errSecInvalidSearchRef, -25305), (errSecNoSuchClass, -25306),
        (errSecNoDefaultKeychain, -25307), (errSecInteractionNotAllowed, -25308),
        (errSecReadOnlyAttr, -25309), (errSecWrongSecVersion, -25310),
        (errSecKeySizeNotAllowed, -25311), (errSecNoStorageModule, -25312),
        (errSecNoCertificateModule, -25313), (errSecNoPolicyModule, -25314),
        (errSecInteractionRequired, -25315), (errSecDataNotAvailable, -25316),
        (errSecDataNotModifiable, -25317), (errSecCreateChainFailed, -25318),
        (errSecInvalidPrefsDomain, -25319), (errSecInDarkWake, -25320),
        (errSecNotSigner, -26267), (errSecDecode, -26275), (errSecMissingEntitlement, -34018),
        (errSecRestrictedAPI, -34020), (errSecServiceNotAvailable, -67585),
        (errSecInsufficientClientID, -67586), (errSecDeviceReset, -67587),
        (errSecDeviceFailed, -67588), (errSecRecordModified, -67638), (errSecVerifyFailed, -67808),
    ]

    @Test func eachCodeHasItsValue() {
        for (name, value) in Self.codes { #expect(name == value) }
    }

    @Test func eachCodeHasATextOfItsOwn() throws {
        var texts: Set<String> = []
        for (code, _) in Self.codes {
            let message = SecCopyErrorMessageString(code, nil)
            let text = try #require(message) as String
            #expect(!text.isEmpty && !text.contains("\(code)"), "\(code)")
            texts.insert(text)
        }
        #expect(texts.count > Self.codes.count * 9 / 10)
    }

    @Test func anyOtherCodeHasATextWithItsNumber() throws {
        for code: OSStatus in [-1, 1, -99_999, -25_399, .min, .max] {
            let message = SecCopyErrorMessageString(code, nil)
            let text = try #require(message) as String
            #expect(text.contains("\(code)"), "\(code)")
        }
    }
}
