// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors
// Made by Scripts/generate-c-interface; edits here are lost.

// Items: passwords, keys, certificates and identities in the keychain.

#ifndef SECURITY_SECITEM_H
#define SECURITY_SECITEM_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// When the item's secret may be used.
CF_EXPORT const CFStringRef kSecAttrAccessible;

/// What must be proven to use the item; a SecAccessControl.
CF_EXPORT const CFStringRef kSecAttrAccessControl;

/// The access group that the item belongs to.
CF_EXPORT const CFStringRef kSecAttrAccessGroup;

/// Whether the item synchronizes.
CF_EXPORT const CFStringRef kSecAttrSynchronizable;

/// When the item was added.
CF_EXPORT const CFStringRef kSecAttrCreationDate;

/// When the item was last changed.
CF_EXPORT const CFStringRef kSecAttrModificationDate;

/// The name that people see.
CF_EXPORT const CFStringRef kSecAttrLabel;

/// A second name. Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrAlias;

/// The hardware token that holds the item.
CF_EXPORT const CFStringRef kSecAttrTokenID;

/// The object on the token. Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrTokenOID;

/// The same string as kSecAttrTokenOID.
CF_EXPORT const CFStringRef kSecAttrSecureEnclaveKeyBlob;

/// The part of synchronization that carries the item.
CF_EXPORT const CFStringRef kSecAttrSyncViewHint;

/// Whether the row stands for a deleted item. Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrTombstone;

/// The user that the row belongs to. Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrMultiUser;

/// The item's name in synchronization. Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrUUID;

/// The bytes of the persistent reference.
CF_EXPORT const CFStringRef kSecAttrPersistentReference;

/// Apple's misspelling of kSecAttrPersistentReference.
CF_EXPORT const CFStringRef kSecAttrPersistantReference;

/// A digest of the attributes. Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrSHA1;

/// Whether the item is bound to the system. Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrSysBound;

/// The group that the item is shared with. Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrSharingGroup;

/// The value of kSecAttrSharingGroup for no group.
CF_EXPORT const CFStringRef kSecAttrSharingGroupNone;

/// Private in Apple's headers; needs an entitlement.
CF_EXPORT const CFStringRef kSecAttrDeriveSyncIDFromItemAttributes;

/// Private in Apple's headers; needs an entitlement.
CF_EXPORT const CFStringRef kSecAttrPCSPlaintextServiceIdentifier;

/// Private in Apple's headers; needs an entitlement.
CF_EXPORT const CFStringRef kSecAttrPCSPlaintextPublicKey;

/// Private in Apple's headers; needs an entitlement.
CF_EXPORT const CFStringRef kSecAttrPCSPlaintextPublicIdentity;

/// The same string as kSecUseDataProtectionKeychain.
CF_EXPORT const CFStringRef kSecAttrNoLegacy;

/// Access of the file keychain; items here have no such attribute.
CF_EXPORT const CFStringRef kSecAttrAccess;

/// The account name.
CF_EXPORT const CFStringRef kSecAttrAccount;

/// The service that a generic password is for.
CF_EXPORT const CFStringRef kSecAttrService;

/// Data of the application's own, in a generic password.
CF_EXPORT const CFStringRef kSecAttrGeneric;

/// The kind of the item.
CF_EXPORT const CFStringRef kSecAttrDescription;

/// A comment.
CF_EXPORT const CFStringRef kSecAttrComment;

/// The creator, a four-character code as a number.
CF_EXPORT const CFStringRef kSecAttrCreator;

/// The type, a four-character code as a number.
CF_EXPORT const CFStringRef kSecAttrType;

/// The text encoding. Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrScriptCode;

/// Whether lists omit the item.
CF_EXPORT const CFStringRef kSecAttrIsInvisible;

/// Whether the item records that there is no password.
CF_EXPORT const CFStringRef kSecAttrIsNegative;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrHasCustomIcon;

/// The domain of an internet password.
CF_EXPORT const CFStringRef kSecAttrSecurityDomain;

/// The server of an internet password.
CF_EXPORT const CFStringRef kSecAttrServer;

/// The protocol of an internet password.
CF_EXPORT const CFStringRef kSecAttrProtocol;

/// The authentication scheme of an internet password.
CF_EXPORT const CFStringRef kSecAttrAuthenticationType;

/// The port of an internet password.
CF_EXPORT const CFStringRef kSecAttrPort;

/// The path of an internet password.
CF_EXPORT const CFStringRef kSecAttrPath;

/// The subject's name, normalized.
CF_EXPORT const CFStringRef kSecAttrSubject;

/// The issuer's name, normalized.
CF_EXPORT const CFStringRef kSecAttrIssuer;

/// The serial number's bytes.
CF_EXPORT const CFStringRef kSecAttrSerialNumber;

/// The subject key identifier.
CF_EXPORT const CFStringRef kSecAttrSubjectKeyID;

/// The SHA-1 digest of the public key.
CF_EXPORT const CFStringRef kSecAttrPublicKeyHash;

/// The X.509 version, 1 to 3.
CF_EXPORT const CFStringRef kSecAttrCertificateType;

/// The encoding; 3 is DER.
CF_EXPORT const CFStringRef kSecAttrCertificateEncoding;

/// Not an attribute of any class here.
CF_EXPORT const CFStringRef kSecAttrCRLType;

/// Not an attribute of any class here.
CF_EXPORT const CFStringRef kSecAttrCRLEncoding;

/// Public, private or symmetric.
CF_EXPORT const CFStringRef kSecAttrKeyClass;

/// The SHA-1 digest of the public key.
CF_EXPORT const CFStringRef kSecAttrApplicationLabel;

/// The application's own name for the key.
CF_EXPORT const CFStringRef kSecAttrApplicationTag;

/// The same string as kSecAttrCreator.
CF_EXPORT const CFStringRef kSecAttrKeyCreator;

/// The algorithm; the same string as kSecAttrType.
CF_EXPORT const CFStringRef kSecAttrKeyType;

/// The size in bits.
CF_EXPORT const CFStringRef kSecAttrKeySizeInBits;

/// The effective size for strength, in bits.
CF_EXPORT const CFStringRef kSecAttrEffectiveKeySize;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrStartDate;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrEndDate;

/// Whether the key is stored.
CF_EXPORT const CFStringRef kSecAttrIsPermanent;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrIsPrivate;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrIsModifiable;

/// Whether the key leaves the keychain only wrapped.
CF_EXPORT const CFStringRef kSecAttrIsSensitive;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrWasAlwaysSensitive;

/// Whether the key may leave the keychain.
CF_EXPORT const CFStringRef kSecAttrIsExtractable;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrWasNeverExtractable;

/// Whether the key encrypts.
CF_EXPORT const CFStringRef kSecAttrCanEncrypt;

/// Whether the key decrypts.
CF_EXPORT const CFStringRef kSecAttrCanDecrypt;

/// Whether keys are derived from it.
CF_EXPORT const CFStringRef kSecAttrCanDerive;

/// Whether the key signs.
CF_EXPORT const CFStringRef kSecAttrCanSign;

/// Whether the key verifies.
CF_EXPORT const CFStringRef kSecAttrCanVerify;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrCanSignRecover;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrCanVerifyRecover;

/// Whether the key wraps others.
CF_EXPORT const CFStringRef kSecAttrCanWrap;

/// Whether the key unwraps others.
CF_EXPORT const CFStringRef kSecAttrCanUnwrap;

/// A parameter of key derivation; not an attribute of items.
CF_EXPORT const CFStringRef kSecAttrPRF;

/// A parameter of key derivation; not an attribute of items.
CF_EXPORT const CFStringRef kSecAttrSalt;

/// A parameter of key derivation; not an attribute of items.
CF_EXPORT const CFStringRef kSecAttrRounds;

/// Not an attribute of any class here.
CF_EXPORT const CFStringRef kSecAttrVolume;

/// Not an attribute of any class here.
CF_EXPORT const CFStringRef kSecAttrAddress;

/// Not an attribute of any class here.
CF_EXPORT const CFStringRef kSecAttrAFPServerSignature;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecDataInetExtraNotes;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecDataInetExtraHistory;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecDataInetExtraClientDefined0;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecDataInetExtraClientDefined1;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecDataInetExtraClientDefined2;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecDataInetExtraClientDefined3;

/// In a query: items that synchronize and items that don't.
CF_EXPORT const CFStringRef kSecAttrSynchronizableAny;

/// While the device is unlocked; the default.
CF_EXPORT const CFStringRef kSecAttrAccessibleWhenUnlocked;

/// From the first unlock after a start.
CF_EXPORT const CFStringRef kSecAttrAccessibleAfterFirstUnlock;

/// Always.
CF_EXPORT const CFStringRef kSecAttrAccessibleAlways;

/// The same as kSecAttrAccessibleAlways. Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrAccessibleAlwaysPrivate;

/// While the device is unlocked; never on another device.
CF_EXPORT const CFStringRef kSecAttrAccessibleWhenUnlockedThisDeviceOnly;

/// From the first unlock; never on another device.
CF_EXPORT const CFStringRef kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly;

/// Always; never on another device.
CF_EXPORT const CFStringRef kSecAttrAccessibleAlwaysThisDeviceOnly;

/// The same as kSecAttrAccessibleAlwaysThisDeviceOnly.
CF_EXPORT const CFStringRef kSecAttrAccessibleAlwaysThisDeviceOnlyPrivate;

/// While unlocked, and only as long as a passcode is set.
CF_EXPORT const CFStringRef kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly;

/// Private in Apple's headers; can't be stored.
CF_EXPORT const CFStringRef kSecAttrAccessibleUntilReboot;

/// The group of items on hardware tokens.
CF_EXPORT const CFStringRef kSecAttrAccessGroupToken;

/// The enclave.
CF_EXPORT const CFStringRef kSecAttrTokenIDSecureEnclave;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrTokenIDAppleKeyStore;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrTokenIDSecureElement;

/// A public key.
CF_EXPORT const CFStringRef kSecAttrKeyClassPublic;

/// A private key.
CF_EXPORT const CFStringRef kSecAttrKeyClassPrivate;

/// A symmetric key.
CF_EXPORT const CFStringRef kSecAttrKeyClassSymmetric;

/// RSA.
CF_EXPORT const CFStringRef kSecAttrKeyTypeRSA;

/// Elliptic curve.
CF_EXPORT const CFStringRef kSecAttrKeyTypeEC;

/// Elliptic curve over a prime field.
CF_EXPORT const CFStringRef kSecAttrKeyTypeECSECPrimeRandom;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrKeyTypeECSECPrimeRandomPKA;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrKeyTypeSecureEnclaveAttestation;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecAttrKeyTypeSecureEnclaveAnonymousAttestation;

/// Ed25519.
CF_EXPORT const CFStringRef kSecAttrKeyTypeEd25519;

/// X25519.
CF_EXPORT const CFStringRef kSecAttrKeyTypeX25519;

/// Ed448.
CF_EXPORT const CFStringRef kSecAttrKeyTypeEd448;

/// X448.
CF_EXPORT const CFStringRef kSecAttrKeyTypeX448;

/// Kyber.
CF_EXPORT const CFStringRef kSecAttrKeyTypeKyber;

/// ML-KEM.
CF_EXPORT const CFStringRef kSecAttrKeyTypeMLKEM;

/// ML-DSA.
CF_EXPORT const CFStringRef kSecAttrKeyTypeMLDSA;

/// DSA.
CF_EXPORT const CFStringRef kSecAttrKeyTypeDSA;

/// Elliptic curve.
CF_EXPORT const CFStringRef kSecAttrKeyTypeECDSA;

/// DES.
CF_EXPORT const CFStringRef kSecAttrKeyTypeDES;

/// Triple DES.
CF_EXPORT const CFStringRef kSecAttrKeyType3DES;

/// RC2.
CF_EXPORT const CFStringRef kSecAttrKeyTypeRC2;

/// RC4.
CF_EXPORT const CFStringRef kSecAttrKeyTypeRC4;

/// CAST.
CF_EXPORT const CFStringRef kSecAttrKeyTypeCAST;

/// AES.
CF_EXPORT const CFStringRef kSecAttrKeyTypeAES;

/// The size of ML-KEM-768.
CF_EXPORT const CFStringRef kSecAttrKeySizeMLKEM768;

/// The size of ML-KEM-1024.
CF_EXPORT const CFStringRef kSecAttrKeySizeMLKEM1024;

/// The size of ML-DSA-65.
CF_EXPORT const CFStringRef kSecAttrKeySizeMLDSA65;

/// The size of ML-DSA-87.
CF_EXPORT const CFStringRef kSecAttrKeySizeMLDSA87;

/// A value of kSecAttrProtocol: FTP.
CF_EXPORT const CFStringRef kSecAttrProtocolFTP;

/// A value of kSecAttrProtocol: FTPAccount.
CF_EXPORT const CFStringRef kSecAttrProtocolFTPAccount;

/// A value of kSecAttrProtocol: HTTP.
CF_EXPORT const CFStringRef kSecAttrProtocolHTTP;

/// A value of kSecAttrProtocol: IRC.
CF_EXPORT const CFStringRef kSecAttrProtocolIRC;

/// A value of kSecAttrProtocol: NNTP.
CF_EXPORT const CFStringRef kSecAttrProtocolNNTP;

/// A value of kSecAttrProtocol: POP3.
CF_EXPORT const CFStringRef kSecAttrProtocolPOP3;

/// A value of kSecAttrProtocol: SMTP.
CF_EXPORT const CFStringRef kSecAttrProtocolSMTP;

/// A value of kSecAttrProtocol: SOCKS.
CF_EXPORT const CFStringRef kSecAttrProtocolSOCKS;

/// A value of kSecAttrProtocol: IMAP.
CF_EXPORT const CFStringRef kSecAttrProtocolIMAP;

/// A value of kSecAttrProtocol: LDAP.
CF_EXPORT const CFStringRef kSecAttrProtocolLDAP;

/// A value of kSecAttrProtocol: AppleTalk.
CF_EXPORT const CFStringRef kSecAttrProtocolAppleTalk;

/// A value of kSecAttrProtocol: AFP.
CF_EXPORT const CFStringRef kSecAttrProtocolAFP;

/// A value of kSecAttrProtocol: Telnet.
CF_EXPORT const CFStringRef kSecAttrProtocolTelnet;

/// A value of kSecAttrProtocol: SSH.
CF_EXPORT const CFStringRef kSecAttrProtocolSSH;

/// A value of kSecAttrProtocol: FTPS.
CF_EXPORT const CFStringRef kSecAttrProtocolFTPS;

/// A value of kSecAttrProtocol: HTTPS.
CF_EXPORT const CFStringRef kSecAttrProtocolHTTPS;

/// A value of kSecAttrProtocol: HTTPProxy.
CF_EXPORT const CFStringRef kSecAttrProtocolHTTPProxy;

/// A value of kSecAttrProtocol: HTTPSProxy.
CF_EXPORT const CFStringRef kSecAttrProtocolHTTPSProxy;

/// A value of kSecAttrProtocol: FTPProxy.
CF_EXPORT const CFStringRef kSecAttrProtocolFTPProxy;

/// A value of kSecAttrProtocol: SMB.
CF_EXPORT const CFStringRef kSecAttrProtocolSMB;

/// A value of kSecAttrProtocol: RTSP.
CF_EXPORT const CFStringRef kSecAttrProtocolRTSP;

/// A value of kSecAttrProtocol: RTSPProxy.
CF_EXPORT const CFStringRef kSecAttrProtocolRTSPProxy;

/// A value of kSecAttrProtocol: DAAP.
CF_EXPORT const CFStringRef kSecAttrProtocolDAAP;

/// A value of kSecAttrProtocol: EPPC.
CF_EXPORT const CFStringRef kSecAttrProtocolEPPC;

/// A value of kSecAttrProtocol: IPP.
CF_EXPORT const CFStringRef kSecAttrProtocolIPP;

/// A value of kSecAttrProtocol: NNTPS.
CF_EXPORT const CFStringRef kSecAttrProtocolNNTPS;

/// A value of kSecAttrProtocol: LDAPS.
CF_EXPORT const CFStringRef kSecAttrProtocolLDAPS;

/// A value of kSecAttrProtocol: TelnetS.
CF_EXPORT const CFStringRef kSecAttrProtocolTelnetS;

/// A value of kSecAttrProtocol: IMAPS.
CF_EXPORT const CFStringRef kSecAttrProtocolIMAPS;

/// A value of kSecAttrProtocol: IRCS.
CF_EXPORT const CFStringRef kSecAttrProtocolIRCS;

/// A value of kSecAttrProtocol: POP3S.
CF_EXPORT const CFStringRef kSecAttrProtocolPOP3S;

/// Windows NT LAN Manager.
CF_EXPORT const CFStringRef kSecAttrAuthenticationTypeNTLM;

/// Microsoft Network.
CF_EXPORT const CFStringRef kSecAttrAuthenticationTypeMSN;

/// Distributed password.
CF_EXPORT const CFStringRef kSecAttrAuthenticationTypeDPA;

/// Remote password.
CF_EXPORT const CFStringRef kSecAttrAuthenticationTypeRPA;

/// HTTP Basic.
CF_EXPORT const CFStringRef kSecAttrAuthenticationTypeHTTPBasic;

/// HTTP Digest.
CF_EXPORT const CFStringRef kSecAttrAuthenticationTypeHTTPDigest;

/// A form in a page.
CF_EXPORT const CFStringRef kSecAttrAuthenticationTypeHTMLForm;

/// The default.
CF_EXPORT const CFStringRef kSecAttrAuthenticationTypeDefault;

/// HMAC with SHA-1.
CF_EXPORT const CFStringRef kSecAttrPRFHmacAlgSHA1;

/// HMAC with SHA-224.
CF_EXPORT const CFStringRef kSecAttrPRFHmacAlgSHA224;

/// HMAC with SHA-256.
CF_EXPORT const CFStringRef kSecAttrPRFHmacAlgSHA256;

/// HMAC with SHA-384.
CF_EXPORT const CFStringRef kSecAttrPRFHmacAlgSHA384;

/// HMAC with SHA-512.
CF_EXPORT const CFStringRef kSecAttrPRFHmacAlgSHA512;

/// Key: the class of the item; one of the values below.
CF_EXPORT const CFStringRef kSecClass;

/// A password, token or other secret of an application.
CF_EXPORT const CFStringRef kSecClassGenericPassword;

/// A password for a server.
CF_EXPORT const CFStringRef kSecClassInternetPassword;

/// An X.509 certificate.
CF_EXPORT const CFStringRef kSecClassCertificate;

/// A cryptographic key.
CF_EXPORT const CFStringRef kSecClassKey;

/// A certificate with its private key.
CF_EXPORT const CFStringRef kSecClassIdentity;

/// Private in Apple's headers; there is no such class here.
CF_EXPORT const CFStringRef kSecClassAppleSharePassword;

/// How many items: one of the next two, or a number.
CF_EXPORT const CFStringRef kSecMatchLimit;

/// One item; the default.
CF_EXPORT const CFStringRef kSecMatchLimitOne;

/// All items, as an array.
CF_EXPORT const CFStringRef kSecMatchLimitAll;

/// A policy that the certificate must satisfy; not offered yet.
CF_EXPORT const CFStringRef kSecMatchPolicy;

/// Names, one of which must be in the certificate's chain.
CF_EXPORT const CFStringRef kSecMatchIssuers;

/// An address that the certificate must have.
CF_EXPORT const CFStringRef kSecMatchEmailAddressIfPresent;

/// True: only certificates that are trusted; not offered yet.
CF_EXPORT const CFStringRef kSecMatchTrustedOnly;

/// Only certificates that are valid then; null is now.
CF_EXPORT const CFStringRef kSecMatchValidOnDate;

/// Internet passwords whose server is a host or below it. Private in Apple's headers.
CF_EXPORT const CFStringRef kSecMatchHostOrSubdomainOfHost;

/// Items to choose from: an array of persistent references, certificates, keys or identities.
CF_EXPORT const CFStringRef kSecMatchItemList;

/// An array of SecKeychain: only items of these are meant. A list without any, and calls to the data
/// protection keychain, pass over it.
CF_EXPORT const CFStringRef kSecMatchSearchList;

/// Text somewhere in the certificate's subject.
CF_EXPORT const CFStringRef kSecMatchSubjectContains;

/// Text that the certificate's subject starts with.
CF_EXPORT const CFStringRef kSecMatchSubjectStartsWith;

/// Text that the certificate's subject ends with.
CF_EXPORT const CFStringRef kSecMatchSubjectEndsWith;

/// Text that is the certificate's subject.
CF_EXPORT const CFStringRef kSecMatchSubjectWholeString;

/// Whether the text sought in a subject may differ by case.
CF_EXPORT const CFStringRef kSecMatchCaseInsensitive;

/// Whether the text sought in a subject may differ by accents.
CF_EXPORT const CFStringRef kSecMatchDiacriticInsensitive;

/// Whether the text sought in a subject may differ by full and half width.
CF_EXPORT const CFStringRef kSecMatchWidthInsensitive;

/// Return the secret.
CF_EXPORT const CFStringRef kSecReturnData;

/// Return the attributes.
CF_EXPORT const CFStringRef kSecReturnAttributes;

/// Return an object: a certificate, key or identity. For a password it is a SecKeychainItem,
/// unless the query is for the data protection keychain.
CF_EXPORT const CFStringRef kSecReturnRef;

/// Return the persistent reference.
CF_EXPORT const CFStringRef kSecReturnPersistentRef;

/// The secret.
CF_EXPORT const CFStringRef kSecValueData;

/// A certificate, key or identity.
CF_EXPORT const CFStringRef kSecValueRef;

/// A persistent reference.
CF_EXPORT const CFStringRef kSecValuePersistentRef;

/// True: the keychain login, whatever the search list and the default keychain are, with strict rules of
/// types. Otherwise the search list and the default keychain.
CF_EXPORT const CFStringRef kSecUseDataProtectionKeychain;

/// The items that a delete means, by the file keychain's rules; other calls refuse it.
CF_EXPORT const CFStringRef kSecUseItemList;

/// A SecKeychain: where a new item is stored, in place of the default keychain. In a query: the only
/// keychain that is searched. Calls to the data protection keychain refuse it.
CF_EXPORT const CFStringRef kSecUseKeychain;

/// Why the person is asked to authenticate.
CF_EXPORT const CFStringRef kSecUseOperationPrompt;

/// True: the same as kSecUseAuthenticationUIFail.
CF_EXPORT const CFStringRef kSecUseNoAuthenticationUI;

/// Whether the person may be asked; one of the next three.
CF_EXPORT const CFStringRef kSecUseAuthenticationUI;

/// Ask; the default.
CF_EXPORT const CFStringRef kSecUseAuthenticationUIAllow;

/// Don't ask: errSecInteractionNotAllowed.
CF_EXPORT const CFStringRef kSecUseAuthenticationUIFail;

/// Don't ask: omit such items.
CF_EXPORT const CFStringRef kSecUseAuthenticationUISkip;

/// An authentication that has taken place.
CF_EXPORT const CFStringRef kSecUseAuthenticationContext;

/// For an add, true: the item is stored only if hardware protects the keychain (a TPM of the
/// machine holds its device key); else errSecUnimplemented, and nothing is stored. Not a key of
/// Apple's.
CF_EXPORT const CFStringRef kSecUseHardwareBackedStorage;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecUseCredentialReference;

/// Without effect here.
CF_EXPORT const CFStringRef kSecUseUserIndependentKeychain;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecUseTombstones;

/// Private in Apple's headers; needs an entitlement.
CF_EXPORT const CFStringRef kSecUseSystemKeychain;

/// Private in Apple's headers; needs an entitlement.
CF_EXPORT const CFStringRef kSecUseSystemKeychainAlways;

/// Private in Apple's headers; needs an entitlement.
CF_EXPORT const CFStringRef kSecUseSyncBubbleKeychain;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecUseCallerName;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecUseTokenRawItems;

/// Private in Apple's headers.
CF_EXPORT const CFStringRef kSecUseCertificatesWithMatchIssuers;

/// Stores an item.
/// - Parameters:
///   - attributes: The item: kSecClass, its attributes, its secret under kSecValueData, and
///     what to return.
///   - result: Set to what was asked for; left alone when the call fails.
/// - Returns: errSecSuccess; errSecDuplicateItem; errSecInteractionNotAllowed while the
///   device is locked; errSecNotAvailable when no service answers; errSecIO when the answer was
///   lost and it can't be known whether the item was stored.
CF_EXPORT OSStatus SecItemAdd(CFDictionaryRef attributes, CFTypeRef _Nullable *_Nullable result);

/// Finds items.
/// - Parameters:
///   - query: Which items, how many (kSecMatchLimit, else one: the oldest), what to return.
///   - result: Set to an object, a dictionary, or an array when a limit other than one is given;
///     to NULL when nothing was asked for; left alone when the call fails.
/// - Returns: errSecSuccess; errSecItemNotFound; errSecInteractionNotAllowed when an item
///   that matches can't be opened while the device is locked; errSecNotAvailable when no service
///   answers.
CF_EXPORT OSStatus SecItemCopyMatching(
    CFDictionaryRef query, CFTypeRef _Nullable *_Nullable result);

/// Changes every item that a query matches, or none.
/// - Parameters:
///   - query: Which items.
///   - attributesToUpdate: Their new attributes and, under kSecValueData, secret.
/// - Returns: errSecSuccess; errSecItemNotFound; errSecDuplicateItem when an item with the new
///   primary key exists; else as SecItemAdd.
CF_EXPORT OSStatus SecItemUpdate(CFDictionaryRef query, CFDictionaryRef attributesToUpdate);

/// Deletes every item that a query matches.
/// - Parameter query: Which items.
/// - Returns: errSecSuccess; errSecItemNotFound; errSecNotAvailable when no service answers.
CF_EXPORT OSStatus SecItemDelete(CFDictionaryRef query);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
