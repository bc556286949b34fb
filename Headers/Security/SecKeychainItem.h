// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors
// Made by Scripts/generate-c-interface; edits here are lost.

// Passwords as objects.

#ifndef SECURITY_SECKEYCHAINITEM_H
#define SECURITY_SECKEYCHAINITEM_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// The number of an attribute: a SecItemAttr.
typedef uint32_t SecKeychainAttrType;

/// An attribute of an item, and its bytes.
typedef struct SecKeychainAttribute {
    SecKeychainAttrType tag;
    uint32_t length;
    void *_Nullable data;
} SecKeychainAttribute;

/// Attributes of an item.
typedef struct SecKeychainAttributeList {
    uint32_t count;
    SecKeychainAttribute *_Nullable attr;
} SecKeychainAttributeList;

/// The class of an item.
typedef CF_ENUM(uint32_t, SecItemClass) {
    /// An internet password.
    kSecInternetPasswordItemClass = 1768842612,
    /// A generic password.
    kSecGenericPasswordItemClass = 1734700656,
    /// A password of AppleShare; no item has it.
    kSecAppleSharePasswordItemClass = 1634953328,
    /// A certificate.
    kSecCertificateItemClass = 0x80001000U,
    /// A public key.
    kSecPublicKeyItemClass = 15,
    /// A private key.
    kSecPrivateKeyItemClass = 16,
    /// A symmetric key.
    kSecSymmetricKeyItemClass = 17,
};

/// An attribute of an item.
typedef CF_ENUM(uint32_t, SecItemAttr) {
    /// When it was made: 16 bytes, YYYYMMDDHHMMSSZ and a zero.
    kSecCreationDateItemAttr = 1667522932,
    /// When it was changed, likewise.
    kSecModDateItemAttr = 1835295092,
    /// The kind.
    kSecDescriptionItemAttr = 1684370275,
    /// The comment.
    kSecCommentItemAttr = 1768123764,
    /// Four characters of the program that made it.
    kSecCreatorItemAttr = 1668445298,
    /// Four characters of its type.
    kSecTypeItemAttr = 1954115685,
    /// The script of its texts.
    kSecScriptCodeItemAttr = 1935897200,
    /// The name that people see.
    kSecLabelItemAttr = 1818321516,
    /// Whether it is hidden: 4 bytes.
    kSecInvisibleItemAttr = 1768846953,
    /// Whether it has no valid password: 4 bytes.
    kSecNegativeItemAttr = 1852139361,
    /// Whether it has an icon of its own: 4 bytes.
    kSecCustomIconItemAttr = 1668641641,
    /// The account.
    kSecAccountItemAttr = 1633903476,
    /// The service.
    kSecServiceItemAttr = 1937138533,
    /// Bytes of the program.
    kSecGenericItemAttr = 1734700641,
    /// The security domain.
    kSecSecurityDomainItemAttr = 1935961454,
    /// The server.
    kSecServerItemAttr = 1936881266,
    /// The authentication: 4 bytes.
    kSecAuthenticationTypeItemAttr = 1635023216,
    /// The port: 4 bytes.
    kSecPortItemAttr = 1886351988,
    /// The path.
    kSecPathItemAttr = 1885434984,
    /// Of AppleShare: no item has it.
    kSecVolumeItemAttr = 1986817381,
    /// Of AppleShare: no item has it.
    kSecAddressItemAttr = 1633969266,
    /// Of AppleShare: no item has it.
    kSecSignatureItemAttr = 1936943463,
    /// The protocol: 4 bytes.
    kSecProtocolItemAttr = 1886675820,
};

/// The type of objects that stand for passwords.
CF_EXPORT CFTypeID SecKeychainItemGetTypeID(void);

/// Changes a password's attributes, its secret, or both.
/// - Parameters:
///   - itemRef: The item.
///   - attrList: The attributes; NULL: none changes.
///   - length: The byte count of the new secret.
///   - data: The new secret; NULL: it stays.
/// - Returns: errSecSuccess; errSecInvalidItemRef for an item that was deleted; errSecNoSuchAttr for
///   an attribute that the class doesn't have; errSecParam for a number that isn't 4 bytes and for dates;
///   errSecDuplicateItem; errSecInteractionNotAllowed for a locked keychain.
CF_EXPORT OSStatus SecKeychainItemModifyContent(
    SecKeychainItemRef itemRef, const SecKeychainAttributeList *_Nullable attrList, uint32_t length,
    const void *_Nullable data);

/// A password's class, attributes and secret.
/// - Parameters:
///   - itemRef: The item.
///   - itemClass: Set to the class.
///   - attrList: Attributes with their tags; their bytes are set. NULL bytes: the item hasn't this attribute.
///   - length: Set to the byte count of the secret.
///   - outData: Set to the secret; NULL: it isn't read.
/// - Returns: errSecSuccess; errSecInvalidItemRef for an item that was deleted; errSecNoSuchAttr for
///   an attribute that the class doesn't have; errSecInteractionNotAllowed for the secret of a locked
///   keychain. SecKeychainItemFreeContent frees attributes and secret.
CF_EXPORT OSStatus SecKeychainItemCopyContent(
    SecKeychainItemRef itemRef, SecItemClass *_Nullable itemClass,
    SecKeychainAttributeList *_Nullable attrList, uint32_t *_Nullable length,
    void *_Nullable *_Nullable outData);

/// Frees what SecKeychainItemCopyContent and the functions that find passwords have given,
/// and wipes it.
/// - Parameters:
///   - attrList: Attributes; their bytes are freed. May be NULL.
///   - data: The secret. May be NULL.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecKeychainItemFreeContent(
    SecKeychainAttributeList *_Nullable attrList, void *_Nullable data);

/// Deletes a password.
/// - Parameter itemRef: The item.
/// - Returns: errSecSuccess; errSecInvalidItemRef for an item that was deleted before.
CF_EXPORT OSStatus SecKeychainItemDelete(SecKeychainItemRef itemRef);

/// The keychain of a password.
/// - Parameters:
///   - itemRef: The item.
///   - keychainRef: Set to the keychain.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecKeychainItemCopyKeychain(
    SecKeychainItemRef itemRef, SecKeychainRef _Nullable *_Nonnull keychainRef);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
