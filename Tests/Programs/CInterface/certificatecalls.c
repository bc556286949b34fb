// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Fields of certificates, the preferences of a user, and requests.

#include "check.h"

#include <Security/SecCertificateOIDs.h>
#include <Security/SecCertificateRequest.h>

static CFTypeRef value_of(CFDictionaryRef values, CFStringRef key) {
    CFTypeRef field = CFDictionaryGetValue(values, key);
    CHECK(is_type(field, CFDictionaryGetTypeID()));
    return field ? CFDictionaryGetValue(field, kSecPropertyKeyValue) : NULL;
}

static void check_fields(void) {
    SecCertificateRef certificate = sample_certificate();
    const void *names[] = {kSecOIDX509V1SubjectName, kSecOIDX509V1ValidityNotAfter,
                           CFSTR("1.2.3.4.5")};
    CFArrayRef keys = CFArrayCreate(NULL, names, 3, &kCFTypeArrayCallBacks);
    CFErrorRef error = NULL;
    CFDictionaryRef values = SecCertificateCopyValues(certificate, keys, &error);
    CHECK(values && !error);
    CHECK_NUMBER(CFDictionaryGetCount(values), 2);
    CFArrayRef subject = value_of(values, kSecOIDX509V1SubjectName);
    CHECK(is_type(subject, CFArrayGetTypeID()) && CFArrayGetCount(subject) > 0);
    CFDictionaryRef first = CFArrayGetValueAtIndex(subject, 0);
    CFStringRef label = CFDictionaryGetValue(first, kSecPropertyKeyLabel);
    CHECK(is_type(label, CFStringGetTypeID()) && CFStringHasPrefix(label, CFSTR("2.5.4.")));
    double seconds = 0;
    CHECK(CFNumberGetValue(value_of(values, kSecOIDX509V1ValidityNotAfter), kCFNumberDoubleType,
                           &seconds));
    CFDateRef date = SecCertificateCopyNotValidAfterDate(certificate);
    CHECK(seconds == CFDateGetAbsoluteTime(date));
    CFRelease(date);
    CFRelease(values);
    CFRelease(keys);

    CFNumberRef number = number_of(1);
    const void *wrong[] = {number};
    keys = CFArrayCreate(NULL, wrong, 1, &kCFTypeArrayCallBacks);
    CHECK(!SecCertificateCopyValues(certificate, keys, &error) && error);
    CHECK_NUMBER(CFErrorGetCode(error), errSecParam);
    CHECK(!SecCertificateCopyValues(certificate, keys, NULL));
    CFRelease(error);
    CFRelease(keys);
    CFRelease(number);

    CFStringRef one = SecCertificateCopyLongDescription(NULL, certificate, NULL);
    CFStringRef other = SecCertificateCopyShortDescription(NULL, certificate, NULL);
    CHECK(one && other && CFEqual(one, other));
    CFRelease(one);
    CFRelease(other);
    CFRelease(certificate);
}

static void check_preferences(void) {
    SecCertificateRef certificate = sample_certificate(), found = NULL;
    SecKeyRef key = sample_key();
    SecIdentityRef identity = SecIdentityCreate(NULL, certificate, key), preferred = NULL;
    CFStringRef name = CFSTR("https://preferred.example/");
    CHECK_NUMBER(SecIdentitySetPreferred(identity, name, NULL), errSecInvalidItemRef);
    CFDictionaryRef item = entries(kSecValueRef, identity, NULL);
    CHECK_NUMBER(SecItemAdd(item, NULL), errSecSuccess);
    CHECK(!SecIdentityCopyPreferred(name, NULL, NULL));
    CHECK_NUMBER(SecIdentitySetPreferred(identity, name, NULL), errSecSuccess);
    preferred = SecIdentityCopyPreferred(CFSTR("https://preferred.example/page"), NULL, NULL);
    CHECK(preferred && CFEqual(preferred, identity));
    if (preferred) CFRelease(preferred);
    preferred = NULL;
    CHECK_NUMBER(SecIdentityCopyPreference(name, 0, NULL, &preferred), errSecSuccess);
    CHECK(preferred && CFEqual(preferred, identity));
    if (preferred) CFRelease(preferred);
    CHECK_NUMBER(SecIdentityCopyPreference(name, 4, NULL, &preferred), errSecItemNotFound);
    CHECK_NUMBER(SecCertificateSetPreference(certificate, name, 4, NULL), errSecSuccess);
    CHECK_NUMBER(SecCertificateCopyPreference(name, 4, &found), errSecSuccess);
    CHECK(found && CFEqual(found, certificate));
    if (found) CFRelease(found);
    const void *uses[] = {kSecAttrCanSign};
    CFArrayRef list = CFArrayCreate(NULL, uses, 1, &kCFTypeArrayCallBacks);
    found = SecCertificateCopyPreferred(name, list);
    CHECK(found && CFEqual(found, certificate));
    if (found) CFRelease(found);
    CHECK_NUMBER(SecCertificateSetPreferred(NULL, name, list), errSecSuccess);
    CHECK(!SecCertificateCopyPreferred(name, list));
    CHECK_NUMBER(SecIdentitySetPreferred(NULL, name, NULL), errSecSuccess);
    CHECK(!SecIdentityCopyPreferred(name, NULL, NULL));
    CHECK_NUMBER(SecItemDelete(item), errSecSuccess);
    CFStringRef domain = NULL;
    CHECK_NUMBER(SecIdentityCopySystemIdentity(kSecIdentityDomainKerberosKDC, &preferred, &domain),
                 errSecItemNotFound);
    CFTypeRef objects[] = {list, item, identity, key, certificate};
    for (int index = 0; index < 5; index++) CFRelease(objects[index]);
}

static void check_requests(void) {
    SecKeyRef key = sample_key();
    const void *pair[] = {kSecOidCommonName, CFSTR("www.example.com")};
    CFArrayRef attribute = CFArrayCreate(NULL, pair, 2, &kCFTypeArrayCallBacks);
    const void *attributes[] = {attribute};
    CFArrayRef name = CFArrayCreate(NULL, attributes, 1, &kCFTypeArrayCallBacks);
    const void *names[] = {name};
    CFArrayRef subject = CFArrayCreate(NULL, names, 1, &kCFTypeArrayCallBacks);
    CFDictionaryRef hosts = entries(kSecSubjectAltNameDNSName, CFSTR("www.example.com"), NULL);
    CFDictionaryRef parameters = entries(kSecSubjectAltName, hosts, NULL);
    CFDataRef request = SecGenerateCertificateRequest(subject, parameters, NULL, key);
    CHECK(is_type(request, CFDataGetTypeID()) && CFDataGetLength(request) > 200);
    SecCertificateRef made = SecGenerateSelfSignedCertificate(subject, parameters, NULL, key);
    CHECK(is_type(made, SecCertificateGetTypeID()));
    SecIdentityRef identity = made ? SecIdentityCreate(NULL, made, key) : NULL;
    CHECK(identity);
    CFStringRef summary = made ? SecCertificateCopySubjectSummary(made) : NULL;
    CHECK(summary && CFEqual(summary, CFSTR("www.example.com")));
    // A relative name that is no array.
    CHECK(!SecGenerateCertificateRequest(attribute, parameters, NULL, key));
    CFTypeRef objects[] = {summary, identity, made,    request,   parameters,
                           hosts,   subject,  name,    attribute, key};
    for (int index = 0; index < 10; index++) {
        if (objects[index]) CFRelease(objects[index]);
    }
}

int main(void) {
    check_fields();
    check_preferences();
    check_requests();
    return finish();
}
