// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Headers and names that a source for the Mac uses beside the keychain.

#include <AssertMacros.h>
#include <Availability.h>
#include <AvailabilityMacros.h>
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
// Each of these would be true of a name that isn't defined, since both sides were 0 then.
#if __MAC_OS_X_VERSION_MIN_REQUIRED >= __MAC_10_9 || __MAC_OS_X_VERSION_MIN_REQUIRED >= __MAC_10_10_2
#error "No version of macOS is built for."
#endif
#if __MAC_OS_X_VERSION_MIN_REQUIRED >= __MAC_10_14_4 || __MAC_OS_X_VERSION_MAX_ALLOWED >= __MAC_10_16
#error "No version of macOS is built for."
#endif
#if __MAC_OS_X_VERSION_MIN_REQUIRED >= __MAC_11_3 || __MAC_OS_X_VERSION_MAX_ALLOWED >= __MAC_15_4
#error "No version of macOS is built for."
#endif
#if MAC_OS_X_VERSION_MIN_REQUIRED >= MAC_OS_X_VERSION_10_9 || \
    MAC_OS_X_VERSION_MAX_ALLOWED >= MAC_OS_X_VERSION_10_12_4
#error "No version of macOS is built for."
#endif
#if MAC_OS_X_VERSION_MIN_REQUIRED >= MAC_OS_VERSION_11_0 || \
    MAC_OS_X_VERSION_MAX_ALLOWED >= MAC_OS_VERSION_26_0
#error "No version of macOS is built for."
#endif
#if __IPHONE_OS_VERSION_MIN_REQUIRED >= __IPHONE_9_0 || __IPHONE_OS_VERSION_MIN_REQUIRED >= __IPHONE_11_3
#error "No version of iOS is built for."
#endif
#if __TV_OS_VERSION_MIN_REQUIRED >= __TVOS_10_0_1 || __TV_OS_VERSION_MIN_REQUIRED >= __TVOS_11_0
#error "No version of tvOS is built for."
#endif
#if __WATCH_OS_VERSION_MIN_REQUIRED >= __WATCHOS_3_1_1 || __WATCH_OS_VERSION_MIN_REQUIRED >= __WATCHOS_6_0
#error "No version of watchOS is built for."
#endif
#if __VISION_OS_VERSION_MIN_REQUIRED >= __VISIONOS_1_0 || __BRIDGE_OS_VERSION_MIN_REQUIRED >= __BRIDGEOS_2_0
#error "No version of visionOS or bridgeOS is built for."
#endif
#if __DRIVERKIT_VERSION_MIN_REQUIRED >= __DRIVERKIT_19_0
#error "No version of DriverKit is built for."
#endif

static int old_call(void) API_DEPRECATED("no more", macos(10.2, 10.15)) API_AVAILABLE(macos(10.2));
static int old_call(void) { return 1; }
static int older_call(void) AVAILABLE_MAC_OS_X_VERSION_10_4_AND_LATER_BUT_DEPRECATED_IN_MAC_OS_X_VERSION_10_9;
static int older_call(void) { return 2; }

check_compile_time(sizeof(OSStatus) == 4);

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

/// The same by the other names.
static int jumps_otherwise(int code, bool claim) {
    int result = -1;
    check_string(claim, "text");
    check_noerr_string(code, "text");
    ncheck(!claim);
    ncheck_string(!claim, "text");
    verify_string(claim, "text");
    verify_noerr_string(code, "text");
    nverify(!claim);
    nverify_string(!claim, "text");
    require_noerr_action_string(code == 7 ? 0 : code, out, result = -2, "text");
    require_action_string(claim, out, result = -3, "text");
    nrequire_action_string(code == 7, out, result = -4, "text");
    nrequire_string(code == 7, out, "text");
    result = 0;
out:
    return result;
}

/// Source: AvailabilityVersions.h and AvailabilityMacros.h of macOS.
static const long versions[][2] = {
    {__MAC_10_0, 1000},
    {__MAC_10_9, 1090},
    {__MAC_10_10, 101000},
    {__MAC_10_10_2, 101002},
    {__MAC_10_14_4, 101404},
    {__MAC_10_16, 101600},
    {__MAC_11_0, 110000},
    {__MAC_15_4, 150400},
    {__MAC_26_0, 260000},
    {MAC_OS_X_VERSION_10_4, 1040},
    {MAC_OS_X_VERSION_10_11_4, 101104},
    {MAC_OS_X_VERSION_10_15_1, 101501},
    {MAC_OS_VERSION_11_0, 110000},
    {MAC_OS_VERSION_14_6, 140600},
    {__IPHONE_2_0, 20000},
    {__IPHONE_8_4, 80400},
    {__IPHONE_11_3, 110300},
    {__IPHONE_17_4, 170400},
    {__TVOS_9_0, 90000},
    {__TVOS_10_0_1, 100001},
    {__TVOS_18_0, 180000},
    {__WATCHOS_1_0, 10000},
    {__WATCHOS_3_1_1, 30101},
    {__WATCHOS_10_5, 100500},
    {__VISIONOS_1_0, 10000},
    {__VISIONOS_2_4, 20400},
    {__BRIDGEOS_2_0, 20000},
    {__DRIVERKIT_19_0, 190000},
    {__MAC_NA, 9999},
    {__IPHONE_NA, 99999},
    {__API_TO_BE_DEPRECATED, 100000},
};

/// The keys of trust settings are their names. Source: SecTrustSettings.h of macOS.
static void check_keys(void) {
    const CFStringRef keys[] = {
        kSecTrustSettingsPolicy,       kSecTrustSettingsApplication,
        kSecTrustSettingsPolicyString, kSecTrustSettingsKeyUsage,
        kSecTrustSettingsAllowedError, kSecTrustSettingsResult,
    };
    const char *const names[] = {
        "kSecTrustSettingsPolicy",       "kSecTrustSettingsApplication",
        "kSecTrustSettingsPolicyString", "kSecTrustSettingsKeyUsage",
        "kSecTrustSettingsAllowedError", "kSecTrustSettingsResult",
    };
    for (size_t index = 0; index < sizeof keys / sizeof *keys; index++) {
        CFStringRef name = CFStringCreateWithCString(NULL, names[index], kCFStringEncodingUTF8);
        CHECK(CFEqual(keys[index], name));
        CFRelease(name);
    }
}

/// CFSTR has ASCII. Of other text it takes each byte for a letter, and CFStringCreateWithCString is the way.
static void check_texts(void) {
    CFStringRef plain = CFStringCreateWithCString(NULL, "plain", kCFStringEncodingUTF8);
    CHECK(CFEqual(CFSTR("plain"), plain));
    CHECK_NUMBER(CFStringGetLength(CFSTR("plain")), 5);
    CHECK_NUMBER(CFStringGetLength(CFSTR("")), 0);
    CHECK(CFEqual(CFSTR("pl" "ain"), CFSTR("plain")));
    CHECK_NUMBER(CFHash(CFSTR("plain")), CFHash(plain));
    CFStringRef letter = CFStringCreateWithCString(NULL, "\u017c", kCFStringEncodingUTF8);
    CHECK_NUMBER(CFStringGetLength(letter), 1);
    CHECK(CFStringGetLength(CFSTR("\u017c")) != 1);
    CHECK(!CFEqual(CFSTR("\u017c"), letter));
    CFRelease(letter);
    CFRelease(plain);
}

int main(void) {
    CHECK_NUMBER(jumps(0, true), 0);
    CHECK_NUMBER(jumps(5, true), -1);
    CHECK_NUMBER(jumps(0, false), -1);
    CHECK_NUMBER(jumps_otherwise(0, true), 0);
    CHECK_NUMBER(jumps_otherwise(5, true), -2);
    CHECK_NUMBER(jumps_otherwise(0, false), -3);
    CHECK_NUMBER(jumps_otherwise(7, true), -4);
    CHECK_NUMBER(old_call(), 1);
    CHECK_NUMBER(older_call(), 2);
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
    for (size_t index = 0; index < sizeof versions / sizeof *versions; index++) {
        CHECK_NUMBER(versions[index][0], versions[index][1]);
    }
    check_keys();
    check_texts();
    return finish();
}
