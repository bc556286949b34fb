// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors
// Made by Scripts/generate-c-interface; edits here are lost.

// Keychains with passwords of their own, and passwords by the older calls.

#ifndef SECURITY_SECKEYCHAIN_H
#define SECURITY_SECKEYCHAIN_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// When a keychain locks by itself.
typedef struct SecKeychainSettings {
    /// SEC_KEYCHAIN_SETTINGS_VERS1.
    uint32_t version;
    /// Whether it locks before the machine sleeps.
    Boolean lockOnSleep;
    /// Whether the interval is in use; only shown again.
    Boolean useLockInterval;
    /// After so many seconds without use it locks; 0x7FFFFFFF is never.
    uint32_t lockInterval;
} SecKeychainSettings;

/// The one version of SecKeychainSettings.
#define SEC_KEYCHAIN_SETTINGS_VERS1 1

/// The state of a keychain, in bits.
typedef uint32_t SecKeychainStatus;

/// Whose search list and default keychain.
typedef CF_ENUM(int, SecPreferencesDomain) {
    /// The user's.
    kSecPreferencesDomainUser = 0,
    /// The machine's, for its services; it can't be changed.
    kSecPreferencesDomainSystem = 1,
    /// That of all users; it can't be changed.
    kSecPreferencesDomainCommon = 2,
    /// That of smart cards, which has no keychain.
    kSecPreferencesDomainDynamic = 3,
};

/// The protocol of an internet password.
typedef CF_ENUM(uint32_t, SecProtocolType) {
    /// FTP.
    kSecProtocolTypeFTP = 1718906912,
    /// FTP, with an account.
    kSecProtocolTypeFTPAccount = 1718906977,
    /// HTTP.
    kSecProtocolTypeHTTP = 1752462448,
    /// IRC.
    kSecProtocolTypeIRC = 1769104160,
    /// NNTP.
    kSecProtocolTypeNNTP = 1852732528,
    /// POP3.
    kSecProtocolTypePOP3 = 1886351411,
    /// SMTP.
    kSecProtocolTypeSMTP = 1936553072,
    /// SOCKS.
    kSecProtocolTypeSOCKS = 1936685088,
    /// IMAP.
    kSecProtocolTypeIMAP = 1768776048,
    /// LDAP.
    kSecProtocolTypeLDAP = 1818517872,
    /// AFP over AppleTalk.
    kSecProtocolTypeAppleTalk = 1635019883,
    /// AFP over TCP.
    kSecProtocolTypeAFP = 1634103328,
    /// Telnet.
    kSecProtocolTypeTelnet = 1952803950,
    /// SSH.
    kSecProtocolTypeSSH = 1936943136,
    /// FTP over TLS.
    kSecProtocolTypeFTPS = 1718906995,
    /// HTTP over TLS.
    kSecProtocolTypeHTTPS = 1752461427,
    /// A proxy for HTTP.
    kSecProtocolTypeHTTPProxy = 1752461432,
    /// A proxy for HTTP over TLS.
    kSecProtocolTypeHTTPSProxy = 1752462200,
    /// A proxy for FTP.
    kSecProtocolTypeFTPProxy = 1718907000,
    /// CIFS.
    kSecProtocolTypeCIFS = 1667851891,
    /// SMB.
    kSecProtocolTypeSMB = 1936548384,
    /// RTSP.
    kSecProtocolTypeRTSP = 1920234352,
    /// A proxy for RTSP.
    kSecProtocolTypeRTSPProxy = 1920234360,
    /// DAAP.
    kSecProtocolTypeDAAP = 1684103536,
    /// Apple events.
    kSecProtocolTypeEPPC = 1701867619,
    /// IPP.
    kSecProtocolTypeIPP = 1768976416,
    /// NNTP over TLS.
    kSecProtocolTypeNNTPS = 1853124723,
    /// LDAP over TLS.
    kSecProtocolTypeLDAPS = 1818521715,
    /// Telnet over TLS.
    kSecProtocolTypeTelnetS = 1952803955,
    /// IMAP over TLS.
    kSecProtocolTypeIMAPS = 1768779891,
    /// IRC over TLS.
    kSecProtocolTypeIRCS = 1769104243,
    /// POP3 over TLS.
    kSecProtocolTypePOP3S = 1886351475,
    /// CVS's server.
    kSecProtocolTypeCVSpserver = 1668707184,
    /// Subversion.
    kSecProtocolTypeSVN = 1937141280,
    /// In a search: any.
    kSecProtocolTypeAny = 0,
};

/// The authentication of an internet password.
typedef CF_ENUM(uint32_t, SecAuthenticationType) {
    /// NTLM.
    kSecAuthenticationTypeNTLM = 1853123693,
    /// MSN.
    kSecAuthenticationTypeMSN = 1836281441,
    /// Distributed Password.
    kSecAuthenticationTypeDPA = 1685086561,
    /// Remote Password.
    kSecAuthenticationTypeRPA = 1919967585,
    /// HTTP's basic authentication.
    kSecAuthenticationTypeHTTPBasic = 1752462448,
    /// HTTP's digest authentication.
    kSecAuthenticationTypeHTTPDigest = 1752462436,
    /// A form on a page.
    kSecAuthenticationTypeHTMLForm = 1718579821,
    /// The usual one.
    kSecAuthenticationTypeDefault = 1684434036,
    /// In a search: any.
    kSecAuthenticationTypeAny = 0,
};

CF_ENUM(SecKeychainStatus) {
    /// It is unlocked.
    kSecUnlockStateStatus = 1,
    /// It can be read.
    kSecReadPermStatus = 2,
    /// It can be written.
    kSecWritePermStatus = 4,
};

/// The version of this interface.
/// - Parameter returnVers: Set to 0x02028000, that of macOS.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecKeychainGetVersion(uint32_t *returnVers);

/// Makes the object of a keychain, whether or not there is one at the path.
/// - Parameters:
///   - pathName: A path; one that doesn't begin with a slash is below ~/Library/Keychains.
///   - keychain: Set to the object.
/// - Returns: errSecSuccess; errSecParam for an empty path.
CF_EXPORT OSStatus SecKeychainOpen(
    const char *pathName, SecKeychainRef _Nullable *_Nonnull keychain);

/// Makes a keychain. It is unlocked then, and isn't in the search list.
/// - Parameters:
///   - pathName: As in SecKeychainOpen. The file there is a mark; the items are in the service.
///   - passwordLength: The byte count of the password: 0 to 1023.
///   - password: The password.
///   - promptUser: True: the person chooses the password. There is no such question here.
///   - initialAccess: NULL.
///   - keychain: Set to the keychain.
/// - Returns: errSecSuccess; errSecDuplicateKeychain; errSecParam without a password;
///   errSecInteractionNotAllowed where the person is to be asked; errSecWrPerm for a folder that
///   can't be written; errSecNotAvailable when no service answers.
CF_EXPORT OSStatus SecKeychainCreate(
    const char *pathName, uint32_t passwordLength, const void *_Nullable password,
    Boolean promptUser, SecAccessRef _Nullable initialAccess,
    SecKeychainRef _Nullable *_Nonnull keychain);

/// Deletes a keychain with its items and its keys, for good. It leaves the search list. The object stays
/// valid.
/// - Parameter keychainOrArray: The keychain.
/// - Returns: errSecSuccess; errSecInvalidKeychain for NULL; errSecNoSuchKeychain;
///   errSecReadOnly for login; errSecMissingEntitlement when it has items of another program's group,
///   or another program has made it and this one hasn't unlocked it.
CF_EXPORT OSStatus SecKeychainDelete(SecKeychainRef _Nullable keychainOrArray);

/// Changes when a keychain locks by itself.
/// - Parameters:
///   - keychain: The keychain; NULL is the default one.
///   - newSettings: The settings, of version SEC_KEYCHAIN_SETTINGS_VERS1.
/// - Returns: errSecSuccess; errSecParam for another version; errSecNoSuchKeychain;
///   errSecInteractionNotAllowed for a locked one; errSecUnimplemented for login, which locks with the
///   device.
CF_EXPORT OSStatus SecKeychainSetSettings(
    SecKeychainRef _Nullable keychain, const SecKeychainSettings *newSettings);

/// When a keychain locks by itself.
/// - Parameters:
///   - keychain: The keychain; NULL is the default one.
///   - outSettings: Set to the settings.
/// - Returns: errSecSuccess; errSecNoSuchKeychain; errSecInteractionNotAllowed for a locked one.
CF_EXPORT OSStatus SecKeychainCopySettings(
    SecKeychainRef _Nullable keychain, SecKeychainSettings *outSettings);

/// Unlocks a keychain.
/// - Parameters:
///   - keychain: The keychain; NULL is the default one.
///   - passwordLength: The byte count of the password.
///   - password: The password; of login, the device's passcode.
///   - usePassword: False: the person is asked, for which there is no question here.
/// - Returns: errSecSuccess; errSecAuthFailed for a wrong password, for none, and where the person is
///   to be asked; errSecNoSuchKeychain.
CF_EXPORT OSStatus SecKeychainUnlock(
    SecKeychainRef _Nullable keychain, uint32_t passwordLength, const void *_Nullable password,
    Boolean usePassword);

/// Locks a keychain; login with the device.
/// - Parameter keychain: The keychain; NULL is the default one.
/// - Returns: errSecSuccess; errSecNoSuchKeychain.
CF_EXPORT OSStatus SecKeychainLock(SecKeychainRef _Nullable keychain);

/// Locks all keychains of the user, and the device.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecKeychainLockAll(void);

/// The state of a keychain.
/// - Parameters:
///   - keychain: The keychain; NULL is the default one.
///   - keychainStatus: Set to bits: kSecUnlockStateStatus and others. Without
///     kSecWritePermStatus the folder can't be written.
/// - Returns: errSecSuccess; errSecNoSuchKeychain; errSecInvalidKeychain.
CF_EXPORT OSStatus SecKeychainGetStatus(
    SecKeychainRef _Nullable keychain, SecKeychainStatus *keychainStatus);

/// The path of a keychain.
/// - Parameters:
///   - keychain: The keychain, which needn't be there; NULL is the default one.
///   - ioPathLength: The size of the buffer; set to the byte count of the path.
///   - pathName: Set to the path and a zero byte.
/// - Returns: errSecSuccess; errSecBufferTooSmall; errSecNoDefaultKeychain.
CF_EXPORT OSStatus SecKeychainGetPath(
    SecKeychainRef _Nullable keychain, uint32_t *ioPathLength, char *pathName);

/// Says whether the person may be asked to unlock a keychain. Nobody is asked here: with false, what needs
/// a locked keychain answers errSecAuthFailed, and else errSecInteractionNotAllowed.
/// - Parameter state: Whether.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecKeychainSetUserInteractionAllowed(Boolean state);

/// Whether the person may be asked to unlock a keychain.
/// - Parameter state: Set to what SecKeychainSetUserInteractionAllowed has said; true at first.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecKeychainGetUserInteractionAllowed(Boolean *state);

/// The keychain that takes new items.
/// - Parameter keychain: Set to the keychain.
/// - Returns: errSecSuccess; errSecNoDefaultKeychain; errSecNoSuchKeychain when it isn't there.
CF_EXPORT OSStatus SecKeychainCopyDefault(SecKeychainRef _Nullable *_Nonnull keychain);

/// Sets the keychain that takes new items of this user's programs.
/// - Parameter keychain: The keychain; NULL: none.
/// - Returns: errSecSuccess; errSecNoSuchKeychain; errSecInvalidKeychain;
///   errSecMissingEntitlement for a program that may not.
CF_EXPORT OSStatus SecKeychainSetDefault(SecKeychainRef _Nullable keychain);

/// The keychains that are searched, in their order.
/// - Parameter searchList: Set to an array of SecKeychain.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecKeychainCopySearchList(CFArrayRef _Nullable *_Nonnull searchList);

/// Sets the keychains that this user's programs search. Those that aren't there are left out.
/// - Parameter searchList: An array of SecKeychain.
/// - Returns: errSecSuccess; errSecParam for another array; errSecMissingEntitlement for a program
///   that may not.
CF_EXPORT OSStatus SecKeychainSetSearchList(CFArrayRef searchList);

/// The keychain of a domain that takes new items.
/// - Parameters:
///   - domain: The domain.
///   - keychain: Set to the keychain.
/// - Returns: As SecKeychainCopyDefault; errSecInvalidPrefsDomain.
CF_EXPORT OSStatus SecKeychainCopyDomainDefault(
    SecPreferencesDomain domain, SecKeychainRef _Nullable *_Nonnull keychain);

/// Sets the keychain of a domain that takes new items.
/// - Parameters:
///   - domain: The user's.
///   - keychain: The keychain; NULL: none.
/// - Returns: As SecKeychainSetDefault; errSecUnimplemented for another domain.
CF_EXPORT OSStatus SecKeychainSetDomainDefault(
    SecPreferencesDomain domain, SecKeychainRef _Nullable keychain);

/// The keychains of a domain that are searched.
/// - Parameters:
///   - domain: The domain.
///   - searchList: Set to an array of SecKeychain.
/// - Returns: errSecSuccess; errSecInvalidPrefsDomain.
CF_EXPORT OSStatus SecKeychainCopyDomainSearchList(
    SecPreferencesDomain domain, CFArrayRef _Nullable *_Nonnull searchList);

/// Sets the keychains of a domain that are searched.
/// - Parameters:
///   - domain: The user's.
///   - searchList: An array of SecKeychain.
/// - Returns: As SecKeychainSetSearchList; errSecUnimplemented for another domain.
CF_EXPORT OSStatus SecKeychainSetDomainSearchList(
    SecPreferencesDomain domain, CFArrayRef searchList);

/// Chooses the domain of calls that name none, in this process.
/// - Parameter domain: The domain.
/// - Returns: errSecSuccess; errSecInvalidPrefsDomain.
CF_EXPORT OSStatus SecKeychainSetPreferenceDomain(SecPreferencesDomain domain);

/// The domain of calls that name none, in this process.
/// - Parameter domain: Set to the domain; at first the user's.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecKeychainGetPreferenceDomain(SecPreferencesDomain *domain);

/// Stores a generic password.
/// - Parameters:
///   - keychain: Where; NULL is the default keychain.
///   - serviceNameLength: The byte count of the service.
///   - serviceName: The service.
///   - accountNameLength: The byte count of the account.
///   - accountName: The account.
///   - passwordLength: The byte count of the password.
///   - passwordData: The password.
///   - itemRef: Set to the item; left alone when the call fails.
/// - Returns: errSecSuccess; errSecDuplicateItem, and the item that is there isn't changed;
///   errSecInteractionNotAllowed for a locked keychain; errSecNoSuchKeychain; errSecParam for names
///   that aren't UTF-8.
CF_EXPORT OSStatus SecKeychainAddGenericPassword(
    SecKeychainRef _Nullable keychain, uint32_t serviceNameLength,
    const char *_Nullable serviceName, uint32_t accountNameLength,
    const char *_Nullable accountName, uint32_t passwordLength, const void *_Nullable passwordData,
    SecKeychainItemRef _Nullable *_Nullable itemRef);

/// Finds a generic password: the first in the order of the keychains.
/// - Parameters:
///   - keychainOrArray: A keychain, or an array of them; NULL is the search list.
///   - serviceNameLength: The byte count of the service.
///   - serviceName: The service; NULL: any.
///   - accountNameLength: The byte count of the account.
///   - accountName: The account; NULL: any.
///   - passwordLength: Set to the byte count of the password.
///   - passwordData: Set to the password, which SecKeychainItemFreeContent frees; NULL: it isn't
///     read.
///   - itemRef: Set to the item.
/// - Returns: errSecSuccess; errSecItemNotFound; errSecInteractionNotAllowed for the password of a
///   locked keychain, errSecAuthFailed after SecKeychainSetUserInteractionAllowed with false.
CF_EXPORT OSStatus SecKeychainFindGenericPassword(
    CFTypeRef _Nullable keychainOrArray, uint32_t serviceNameLength,
    const char *_Nullable serviceName, uint32_t accountNameLength,
    const char *_Nullable accountName, uint32_t *_Nullable passwordLength,
    void *_Nullable *_Nullable passwordData, SecKeychainItemRef _Nullable *_Nullable itemRef);

/// Stores an internet password.
/// - Parameters:
///   - keychain: Where; NULL is the default keychain.
///   - serverNameLength: The byte count of the server.
///   - serverName: The server.
///   - securityDomainLength: The byte count of the security domain.
///   - securityDomain: The security domain; may be NULL.
///   - accountNameLength: The byte count of the account.
///   - accountName: The account.
///   - pathLength: The byte count of the path.
///   - path: The path; may be NULL.
///   - port: The port; 0: none.
///   - protocolType: The protocol.
///   - authenticationType: The authentication.
///   - passwordLength: The byte count of the password.
///   - passwordData: The password.
///   - itemRef: Set to the item; left alone when the call fails.
/// - Returns: As SecKeychainAddGenericPassword.
CF_EXPORT OSStatus SecKeychainAddInternetPassword(
    SecKeychainRef _Nullable keychain, uint32_t serverNameLength, const char *_Nullable serverName,
    uint32_t securityDomainLength, const char *_Nullable securityDomain, uint32_t accountNameLength,
    const char *_Nullable accountName, uint32_t pathLength, const char *_Nullable path,
    uint16_t port, SecProtocolType protocolType, SecAuthenticationType authenticationType,
    uint32_t passwordLength, const void *_Nullable passwordData,
    SecKeychainItemRef _Nullable *_Nullable itemRef);

/// Finds an internet password: the first in the order of the keychains.
/// - Parameters:
///   - keychainOrArray: A keychain, or an array of them; NULL is the search list.
///   - serverNameLength: The byte count of the server.
///   - serverName: The server; NULL: any.
///   - securityDomainLength: The byte count of the security domain.
///   - securityDomain: The security domain; NULL: any.
///   - accountNameLength: The byte count of the account.
///   - accountName: The account; NULL: any.
///   - pathLength: The byte count of the path.
///   - path: The path; NULL: any.
///   - port: The port; 0: any.
///   - protocolType: The protocol.
///   - authenticationType: The authentication.
///   - passwordLength: Set to the byte count of the password.
///   - passwordData: Set to the password, which SecKeychainItemFreeContent frees; NULL: it isn't
///     read.
///   - itemRef: Set to the item.
/// - Returns: As SecKeychainFindGenericPassword.
CF_EXPORT OSStatus SecKeychainFindInternetPassword(
    CFTypeRef _Nullable keychainOrArray, uint32_t serverNameLength,
    const char *_Nullable serverName, uint32_t securityDomainLength,
    const char *_Nullable securityDomain, uint32_t accountNameLength,
    const char *_Nullable accountName, uint32_t pathLength, const char *_Nullable path,
    uint16_t port, SecProtocolType protocolType, SecAuthenticationType authenticationType,
    uint32_t *_Nullable passwordLength, void *_Nullable *_Nullable passwordData,
    SecKeychainItemRef _Nullable *_Nullable itemRef);

/// The type of keychains.
CF_EXPORT CFTypeID SecKeychainGetTypeID(void);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
