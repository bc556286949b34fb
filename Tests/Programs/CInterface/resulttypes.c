// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Each value of each dictionary that a call returns has the type in the table, each returned value
// is in the table, and each entry of the table occurs. Argument: Tests/Vectors/result-types.tsv.

#include "check.h"

enum type {
    TEXT = 1, DATA = 2, NUMBER = 4, BOOLEAN = 8, DATE = 16, ARRAY = 32, ACCESS_CONTROL = 64,
    KEY = 128, CERTIFICATE = 256, IDENTITY = 512,
    KEYCHAIN_ITEM = 1024, POLICY = 2048, TRUST = 4096
};

static const struct {
    const char *name;
    enum type type;
} type_names[] = {
    {"text", TEXT}, {"data", DATA}, {"number", NUMBER}, {"boolean", BOOLEAN}, {"date", DATE},
    {"array", ARRAY}, {"access-control", ACCESS_CONTROL}, {"key", KEY},
    {"certificate", CERTIFICATE}, {"identity", IDENTITY}, {"keychain-item", KEYCHAIN_ITEM},
    {"policy", POLICY}, {"trust", TRUST},
};
enum { TYPES = sizeof type_names / sizeof *type_names };

/// 0 for any other type.
static unsigned type_of(CFTypeRef object) {
    const CFTypeID identifiers[TYPES] = {
        CFStringGetTypeID(), CFDataGetTypeID(), CFNumberGetTypeID(), CFBooleanGetTypeID(),
        CFDateGetTypeID(), CFArrayGetTypeID(), SecAccessControlGetTypeID(), SecKeyGetTypeID(),
        SecCertificateGetTypeID(), SecIdentityGetTypeID(), SecKeychainItemGetTypeID(),
        SecPolicyGetTypeID(), SecTrustGetTypeID(),
    };
    for (int index = 0; index < TYPES; index++) {
        if (is_type(object, identifiers[index])) return type_names[index].type;
    }
    return 0;
}

// MARK: - The table

struct row {
    char dictionary[16], key[64], classes[8], how[8];
    unsigned types, seen;
};

static struct row table[200];
static int row_count;

static void read_table(const char *path) {
    FILE *file = fopen(path, "r");
    char line[300], types[64];
    CHECK(file);
    while (file && row_count < 200 && fgets(line, sizeof line, file)) {
        if (*line == '#') continue;
        struct row *row = &table[row_count++];
        CHECK_NUMBER(sscanf(line, "%15s\t%63[^\t]\t%7s\t%63s\t%7s", row->dictionary, row->key,
                            row->classes, types, row->how),
                     5);
        for (char *name = strtok(types, ","); name; name = strtok(NULL, ",")) {
            unsigned type = 0;
            for (int index = 0; index < TYPES; index++) {
                if (strcmp(name, type_names[index].name) == 0) type = type_names[index].type;
            }
            CHECK(type);
            row->types |= type;
        }
    }
    if (file) fclose(file);
    CHECK(row_count > 90 && row_count < 200);
}

static struct row *row_of(const char *dictionary, const char *key, char class) {
    for (int index = 0; index < row_count; index++) {
        struct row *row = &table[index];
        if (strcmp(row->dictionary, dictionary) != 0) continue;
        if (strcmp(row->key, key) != 0 && strcmp(row->key, "*") != 0) continue;
        if (strchr(row->classes, class)) return row;
    }
    return NULL;
}

/// Each value of a dictionary; if it isn't an item's, the class is '-'.
static void check_values(const char *dictionary, char class, CFTypeRef result) {
    CHECK(is_type(result, CFDictionaryGetTypeID()));
    if (!is_type(result, CFDictionaryGetTypeID())) return;
    CFIndex count = CFDictionaryGetCount(result);
    const void **keys = calloc((size_t)count + 1, sizeof *keys);
    const void **values = calloc((size_t)count + 1, sizeof *values);
    CFDictionaryGetKeysAndValues(result, keys, values);
    for (CFIndex index = 0; index < count; index++) {
        char key[64] = "";
        CHECK(is_type(keys[index], CFStringGetTypeID()));
        CFStringGetCString(keys[index], key, sizeof key, kCFStringEncodingUTF8);
        struct row *row = row_of(dictionary, key, class);
        unsigned type = type_of(values[index]);
        bool is_right = row && type && (row->types & type) == type;
        CHECK(is_right);
        if (!is_right) fprintf(stderr, "(%s %c %s: %u)\n", dictionary, class, key, type);
        if (row) row->seen |= type;
    }
    free(keys);
    free(values);
}

/// All entries of the table occurred.
static void check_seen(void) {
    for (int index = 0; index < row_count; index++) {
        const struct row *row = &table[index];
        unsigned expected = strcmp(row->how, "unseen") == 0 ? 0 : row->types;
        CHECK_NUMBER(row->seen, expected);
        if (row->seen != expected) fprintf(stderr, "(%s %s)\n", row->dictionary, row->key);
    }
}

// MARK: - Items

static CFStringRef class_of(char class) {
    switch (class) {
    case 'G': return kSecClassGenericPassword;
    case 'I': return kSecClassInternetPassword;
    case 'C': return kSecClassCertificate;
    case 'K': return kSecClassKey;
    default: return kSecClassIdentity;
    }
}

static void ask_for_all(CFMutableDictionaryRef query) {
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
    CFDictionarySetValue(query, kSecReturnRef, kCFBooleanTrue);
    CFDictionarySetValue(query, kSecReturnPersistentRef, kCFBooleanTrue);
}

/// Adds an item, and checks the results of the add and of each way to copy it.
static void check_item(char class, CFMutableDictionaryRef item) {
    ask_for_all(item);
    CFTypeRef added = NULL, found = NULL;
    CHECK_NUMBER(SecItemAdd(item, &added), errSecSuccess);
    // For an identity, an add returns only the persistent reference.
    if (class != 'N') check_values("item", class, added);
    if (added) CFRelease(added);
    CFMutableDictionaryRef query = entries(kSecClass, class_of(class), NULL);
    ask_for_all(query);
    CHECK_NUMBER(SecItemCopyMatching(query, &found), errSecSuccess);
    check_values("item", class, found);
    if (found) CFRelease(found);
    found = NULL;
    CFDictionarySetValue(query, kSecMatchLimit, kSecMatchLimitAll);
    CFDictionaryRemoveValue(query, kSecReturnData);
    CHECK_NUMBER(SecItemCopyMatching(query, &found), errSecSuccess);
    // A key that is stored twice gives two identities.
    CHECK(is_type(found, CFArrayGetTypeID()));
    CHECK_NUMBER(CFArrayGetCount(found), class == 'N' ? 2 : 1);
    for (CFIndex index = 0; found && index < CFArrayGetCount(found); index++) {
        check_values("item", class, CFArrayGetValueAtIndex(found, index));
    }
    if (found) CFRelease(found);
    CFRelease(query);
    query = entries(kSecClass, class_of(class), NULL);
    CHECK_NUMBER(SecItemDelete(query), errSecSuccess);
    CFRelease(query);
    CFRelease(item);
}

static CFTypeRef value(unsigned type, unsigned variant) {
    switch (type) {
    case DATA: return data_of("value");
    case DATE: return CFDateCreate(NULL, 1000.5);
    case NUMBER:
        // A flag may be passed as a truth value, and a number as text: numbers are returned.
        if (variant == 0) return CFRetain(kCFBooleanTrue);
        return variant == 1 ? CFRetain(CFSTR("1")) : (CFTypeRef)number_of(1);
    default: return CFRetain(CFSTR("value"));
    }
}

/// An item with every attribute of its class. Attributes that keep the type of their value have
/// another type in each variant.
static CFMutableDictionaryRef full_item(char class, unsigned variant) {
    static const unsigned kinds[] = {TEXT, DATA, NUMBER};
    CFMutableDictionaryRef item = entries(kSecClass, class_of(class), NULL);
    for (int index = 0; index < row_count; index++) {
        const struct row *row = &table[index];
        if (strcmp(row->how, "given") != 0 || !strchr(row->classes, class)) continue;
        unsigned type = row->types & kinds[variant] ? kinds[variant] : row->types;
        if (row->types == (NUMBER | TEXT) && type == row->types) type = NUMBER;
        // For attributes that accept only numbers, each variant passes another type that converts
        // to one.
        CFTypeRef given = value(type, row->types == NUMBER ? variant : 2);
        CFStringRef key = CFStringCreateWithCString(NULL, row->key, kCFStringEncodingUTF8);
        CFDictionarySetValue(item, key, given);
        CFRelease(key);
        CFRelease(given);
    }
    CFDataRef secret = data_of("secret");
    CFDictionarySetValue(item, kSecValueData, secret);
    CFRelease(secret);
    return item;
}

static void check_items(void) {
    for (const char *class = "GICK"; *class; class++) {
        for (unsigned variant = 0; variant < 3; variant++) {
            check_item(*class, full_item(*class, variant));
        }
    }
    SecCertificateRef certificate = sample_certificate();
    SecKeyRef key = sample_key(), public_key = SecKeyCopyPublicKey(key);
    SecIdentityRef identity = SecIdentityCreate(NULL, certificate, key);
    check_item('C', entries(kSecValueRef, certificate, NULL));
    check_item('K', entries(kSecValueRef, key, NULL));
    check_item('K', entries(kSecValueRef, public_key, NULL));
    // With a key that has attributes which an identity's own add refuses.
    for (unsigned variant = 0; variant < 3; variant++) {
        CFMutableDictionaryRef half = full_item('K', variant);
        CFDictionaryRemoveValue(half, kSecAttrKeyClass);
        CFDictionaryRemoveValue(half, kSecAttrKeyType);
        CFDictionaryRemoveValue(half, kSecValueData);
        CFDictionarySetValue(half, kSecValueRef, key);
        CHECK_NUMBER(SecItemAdd(half, NULL), errSecSuccess);
        CFRelease(half);
        check_item('N', entries(kSecValueRef, identity, NULL));
    }
    CFTypeRef objects[] = {identity, public_key, key, certificate};
    for (int index = 0; index < 4; index++) CFRelease(objects[index]);
}

// MARK: - Keys

static void check_key(SecKeyRef key) {
    CHECK(is_type(key, SecKeyGetTypeID()));
    if (!key) return;
    CFDictionaryRef attributes = SecKeyCopyAttributes(key);
    check_values("key", '-', attributes);
    // The constants with which C programs compare them.
    CFTypeRef can_sign = CFDictionaryGetValue(attributes, kSecAttrCanSign);
    CFTypeRef class = CFDictionaryGetValue(attributes, kSecAttrKeyClass);
    bool is_private = CFEqual(class, kSecAttrKeyClassPrivate);
    CHECK(can_sign == (is_private ? kCFBooleanTrue : kCFBooleanFalse));
    CFRelease(attributes);
}

static void check_pair(SecKeyRef key) {
    check_key(key);
    SecKeyRef public_key = SecKeyCopyPublicKey(key);
    check_key(public_key);
    CFRelease(public_key);
    CFRelease(key);
}

static SecKeyRef made_key(CFStringRef type, int bits, CFStringRef token) {
    CFNumberRef size = number_of(bits);
    CFMutableDictionaryRef parameters = entries(
        kSecAttrKeyType, type, kSecAttrKeySizeInBits, size, kSecAttrIsPermanent, kCFBooleanTrue,
        NULL);
    if (token) CFDictionarySetValue(parameters, kSecAttrTokenID, token);
    SecKeyRef key = SecKeyCreateRandomKey(parameters, NULL);
    CFRelease(parameters);
    CFRelease(size);
    return key;
}

/// Keys of all kinds, and the stored items of those that are generated.
static void check_keys(void) {
    check_pair(sample_key());
    check_pair(made_key(kSecAttrKeyTypeRSA, 2048, NULL));
    check_pair(made_key(kSecAttrKeyTypeECSECPrimeRandom, 384, NULL));
    check_pair(made_key(kSecAttrKeyTypeECSECPrimeRandom, 256, kSecAttrTokenIDSecureEnclave));
    CFDataRef bytes = data_of("sixteen bytes...");
    CFDictionaryRef attributes = entries(kSecAttrKeyType, kSecAttrKeyTypeAES, kSecAttrKeyClass,
                                         kSecAttrKeyClassSymmetric, NULL);
    SecKeyRef symmetric = SecKeyCreateWithData(bytes, attributes, NULL);
    check_key(symmetric);
    SecCertificateRef certificate = sample_certificate();
    SecKeyRef certified = SecCertificateCopyKey(certificate);
    check_key(certified);
    CFMutableDictionaryRef query =
        entries(kSecClass, kSecClassKey, kSecMatchLimit, kSecMatchLimitAll, NULL);
    ask_for_all(query);
    CFTypeRef found = NULL;
    CHECK_NUMBER(SecItemCopyMatching(query, &found), errSecSuccess);
    CHECK_NUMBER(CFArrayGetCount(found), 6);
    for (CFIndex index = 0; index < CFArrayGetCount(found); index++) {
        CFDictionaryRef item = CFArrayGetValueAtIndex(found, index);
        check_values("item", 'K', item);
        check_key((SecKeyRef)CFDictionaryGetValue(item, kSecValueRef));
        // For a stored key the same flag is a number.
        CHECK(is_type(CFDictionaryGetValue(item, kSecAttrCanSign), CFNumberGetTypeID()));
    }
    CFTypeRef objects[] = {found, query, certified, certificate, symmetric, attributes, bytes};
    for (int index = 0; index < 7; index++) CFRelease(objects[index]);
    query = entries(kSecClass, kSecClassKey, NULL);
    CHECK_NUMBER(SecItemDelete(query), errSecSuccess);
    CFRelease(query);
}

// MARK: - The other calls

static void check_policy(SecPolicyRef policy) {
    CHECK(is_type(policy, SecPolicyGetTypeID()));
    CFDictionaryRef properties = SecPolicyCopyProperties(policy);
    check_values("policy", '-', properties);
    CFRelease(properties);
    CFRelease(policy);
}

static void check_policies(void) {
    check_policy(SecPolicyCreateBasicX509());
    check_policy(SecPolicyCreateSSL(false, CFSTR("example.com")));
    check_policy(SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod));
    // A truth value is returned, even if a number was passed.
    CFNumberRef one = number_of(1);
    CFDictionaryRef properties =
        entries(kSecPolicyTeamIdentifier, CFSTR("TEAM"), kSecPolicyClient, one, NULL);
    check_policy(SecPolicyCreateWithProperties(kSecPolicyAppleIDValidation, properties));
    CFRelease(properties);
    CFRelease(one);
}

static void check_error(CFErrorRef error) {
    CHECK(is_type(error, CFErrorGetTypeID()));
    if (!error) return;
    CFDictionaryRef information = CFErrorCopyUserInfo(error);
    check_values("error", '-', information);
    CFRelease(information);
    CFRelease(error);
}

static void check_errors(void) {
    CFDictionaryRef none = entries(NULL);
    CFErrorRef error = NULL;
    CHECK(!SecKeyCreateRandomKey(none, &error));
    check_error(error);
    CFDataRef nonsense = data_of("nonsense");
    SecKeyRef key = sample_key();
    error = NULL;
    CHECK(!SecKeyCreateDecryptedData(
        key, kSecKeyAlgorithmECIESEncryptionCofactorX963SHA256AESGCM, nonsense, &error));
    check_error(error);
    error = NULL;
    CHECK(!SecAccessControlCreateWithFlags(NULL, CFSTR("unknown"), 0, &error));
    check_error(error);
    CFRelease(key);
    CFRelease(nonsense);
    CFRelease(none);
}

static void check_task(void) {
    SecTaskRef task = SecTaskCreateFromSelf(NULL);
    const void *names[] = {CFSTR("application-identifier"), CFSTR("keychain-access-groups")};
    CFArrayRef list = CFArrayCreate(NULL, names, 2, &kCFTypeArrayCallBacks);
    CFDictionaryRef values = SecTaskCopyValuesForEntitlements(task, list, NULL);
    check_values("task", '-', values);
    CFRelease(values);
    CFRelease(list);
    CFRelease(task);
}

/// Each dictionary of an array.
static void check_all(const char *dictionary, CFArrayRef list) {
    CHECK(is_type(list, CFArrayGetTypeID()));
    if (!is_type(list, CFArrayGetTypeID())) return;
    CHECK(CFArrayGetCount(list) > 0);
    for (CFIndex index = 0; index < CFArrayGetCount(list); index++) {
        check_values(dictionary, '-', CFArrayGetValueAtIndex(list, index));
    }
}

static void check_trust(void) {
    SecCertificateRef certificate = sample_certificate();
    SecPolicyRef policy = SecPolicyCreateBasicX509();
    SecTrustRef trust = NULL;
    CHECK_NUMBER(SecTrustCreateWithCertificates(certificate, policy, &trust), errSecSuccess);
    // It has no issuer here, so there is a failed check.
    CFDictionaryRef result = SecTrustCopyResult(trust);
    check_values("trust", '-', result);
    if (result) check_all("check", CFDictionaryGetValue(result, CFSTR("TrustResultDetails")));
    CFArrayRef properties = SecTrustCopyProperties(trust);
    check_all("property", properties);
    CFTypeRef objects[] = {properties, result, trust, policy, certificate};
    for (int index = 0; index < 5; index++) {
        if (objects[index]) CFRelease(objects[index]);
    }
}

static void check_trust_settings(void) {
    SecCertificateRef certificate = sample_certificate();
    SecPolicyRef policy = SecPolicyCreateSSL(true, NULL);
    CFNumberRef usage = number_of(kSecTrustSettingsKeyUseSignature);
    CFNumberRef expired = number_of((int)errSecCertificateExpired);
    CFNumberRef deny = number_of(kSecTrustSettingsResultDeny);
    CFDictionaryRef rule = entries(
        kSecTrustSettingsPolicy, policy, kSecTrustSettingsPolicyString, CFSTR("example.com"),
        kSecTrustSettingsKeyUsage, usage, kSecTrustSettingsAllowedError, expired,
        kSecTrustSettingsResult, deny, NULL);
    CFArrayRef found = NULL;
    CHECK_NUMBER(
        SecTrustSettingsCopyTrustSettings(certificate, kSecTrustSettingsDomainUser, &found),
        errSecNoTrustSettings);
    CHECK(!found);
    CHECK_NUMBER(SecTrustSettingsSetTrustSettings(certificate, kSecTrustSettingsDomainUser, rule),
                 errSecSuccess);
    CHECK_NUMBER(
        SecTrustSettingsCopyTrustSettings(certificate, kSecTrustSettingsDomainUser, &found),
        errSecSuccess);
    check_all("setting", found);
    CHECK_NUMBER(SecTrustSettingsRemoveTrustSettings(certificate, kSecTrustSettingsDomainUser),
                 errSecSuccess);
    CFTypeRef objects[] = {found, rule, deny, expired, usage, policy, certificate};
    for (int index = 0; index < 7; index++) {
        if (objects[index]) CFRelease(objects[index]);
    }
}

/// A field of a certificate: its dictionary, and those in its value.
static void check_field(CFTypeRef field) {
    check_values("field", '-', field);
    CFTypeRef type = CFDictionaryGetValue(field, kSecPropertyKeyType);
    CFTypeRef value = CFDictionaryGetValue(field, kSecPropertyKeyValue);
    if (CFEqual(type, kSecPropertyTypeSection)) {
        CHECK(is_type(value, CFArrayGetTypeID()));
        for (CFIndex index = 0; index < CFArrayGetCount(value); index++) {
            check_field(CFArrayGetValueAtIndex(value, index));
        }
    }
    const struct {
        CFStringRef type;
        CFTypeID of;
    } types[] = {
        {kSecPropertyTypeString, CFStringGetTypeID()}, {kSecPropertyTypeData, CFDataGetTypeID()},
        {kSecPropertyTypeNumber, CFNumberGetTypeID()}, {kSecPropertyTypeArray, CFArrayGetTypeID()},
        {kSecPropertyTypeSection, CFArrayGetTypeID()},
    };
    bool is_known = false;
    for (int index = 0; index < 5; index++) {
        if (!CFEqual(type, types[index].type)) continue;
        is_known = true;
        CHECK(is_type(value, types[index].of));
    }
    CHECK(is_known);
}

static void check_certificate(void) {
    SecCertificateRef certificate = sample_certificate();
    CFDictionaryRef values = SecCertificateCopyValues(certificate, NULL, NULL);
    CHECK(is_type(values, CFDictionaryGetTypeID()));
    if (values) {
        CFIndex count = CFDictionaryGetCount(values);
        CHECK(count > 12);
        const void **fields = calloc((size_t)count, sizeof *fields);
        CFDictionaryGetKeysAndValues(values, NULL, fields);
        for (CFIndex index = 0; index < count; index++) check_field(fields[index]);
        free(fields);
        CFRelease(values);
    }
    CFRelease(certificate);
}

static void check_import(void) {
    SecCertificateRef certificate = sample_certificate();
    SecKeyRef key = sample_key();
    SecIdentityRef identity = SecIdentityCreate(NULL, certificate, key);
    SecItemImportExportKeyParameters parameters = {.passphrase = CFSTR("secret")};
    CFDataRef file = NULL;
    CHECK_NUMBER(SecItemExport(identity, kSecFormatPKCS12, 0, NULL, &file),
                 errSecPassphraseRequired);
    CHECK(!file);
    CHECK_NUMBER(SecItemExport(identity, kSecFormatPKCS12, 0, &parameters, &file), errSecSuccess);
    CFDictionaryRef options = entries(kSecImportExportPassphrase, CFSTR("secret"), NULL);
    CFDictionaryRef none = entries(NULL);
    CFArrayRef items = NULL;
    CHECK_NUMBER(SecPKCS12Import(file, none, &items), errSecAuthFailed);
    CHECK(!items);
    CHECK_NUMBER(SecPKCS12Import(file, options, &items), errSecSuccess);
    check_all("import", items);
    CFTypeRef objects[] = {items, none, options, file, identity, key, certificate};
    for (int index = 0; index < 7; index++) {
        if (objects[index]) CFRelease(objects[index]);
    }
}

int main(int count, char **arguments) {
    CHECK_NUMBER(count, 2);
    if (count != 2) return finish();
    read_table(arguments[1]);
    check_items();
    check_keys();
    check_policies();
    check_errors();
    check_task();
    check_trust();
    check_trust_settings();
    check_certificate();
    check_import();
    check_seen();
    return finish();
}
