// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Headers and names that a source for the Mac uses beside the keychain.

#include <AssertMacros.h>
#include <Availability.h>
#include <CoreFoundation/CoreFoundation.h>
#include <Security/SecTrustSettings.h>
#include <Security/Security.h>
#include <TargetConditionals.h>

#include "check.h"

#if TARGET_OS_MAC || TARGET_OS_OSX || TARGET_OS_IPHONE || TARGET_OS_SIMULATOR || TARGET_OS_MACCATALYST
#error "This is none of Apple's systems."
#endif
#if !TARGET_OS_LINUX || !TARGET_RT_64_BIT || TARGET_RT_LITTLE_ENDIAN == TARGET_RT_BIG_ENDIAN
#error "This is Linux."
#endif
#if __MAC_OS_X_VERSION_MIN_REQUIRED >= __MAC_10_9 || __IPHONE_OS_VERSION_MIN_REQUIRED >= __IPHONE_9_0
#error "No version of macOS or iOS is built for."
#endif

static int old_call(void) API_DEPRECATED("no more", macos(10.2, 10.15)) API_AVAILABLE(macos(10.2));
static int old_call(void) { return 1; }

/// -1 if it didn't reach its end.
static int jumps(int code, bool claim) {
    int result = -1;
    check(claim);
    require_noerr(code, out);
    require(claim, out);
    require_noerr_action(code, out, result = -2);
    require_action_quiet(claim, out, result = -3);
    __Require_Quiet(claim, out);
    verify_noerr(code);
    result = 0;
out:
    return result;
}

int main(void) {
    CHECK_NUMBER(jumps(0, true), 0);
    CHECK_NUMBER(jumps(5, true), -1);
    CHECK_NUMBER(jumps(0, false), -1);
    CHECK_NUMBER(old_call(), 1);
    // Secure Transport's codes. Source: Apple's headers.
    CHECK_NUMBER(errSSLProtocol, -9800);
    CHECK_NUMBER(errSSLCrypto, -9809);
    CHECK_NUMBER(errSSLPeerBadCert, -9825);
    CHECK_NUMBER(errSSLPeerAuthCompleted, -9841);
    CHECK_NUMBER(errSSLServerAuthCompleted, -9841);
    CHECK_NUMBER(errSSLHostNameMismatch, -9843);
    CHECK_NUMBER(errSSLUnexpectedRecord, -9849);
    CHECK_NUMBER(errSSLUnrecognizedName, -9865);
    CHECK_NUMBER(errSSLATSViolation, -9880);
    CHECK_NUMBER(errSSLATSCertificateTrustViolation, -9886);
    CHECK_NUMBER(errSSLEarlyDataRejected, -9890);
    const CFStringRef keys[] = {
        kSecTrustSettingsPolicy,       kSecTrustSettingsApplication,
        kSecTrustSettingsPolicyString, kSecTrustSettingsKeyUsage,
        kSecTrustSettingsAllowedError, kSecTrustSettingsResult,
    };
    CFStringRef name = CFStringCreateWithCString(
        NULL, "kSecTrustSettingsAllowedError", kCFStringEncodingUTF8);
    CHECK(CFEqual(keys[4], name));
    CFRelease(name);
    return finish();
}
