// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Values of attributes. Source: Apple's `SecItem.h`; the values are observed.

// MARK: - kSecAttrSynchronizable

/// In a query: items that synchronize and items that don't.
@safe public nonisolated(unsafe) let kSecAttrSynchronizableAny: CFString = "syna"

// MARK: - kSecAttrAccessible

/// While the device is unlocked; the default.
@safe public nonisolated(unsafe) let kSecAttrAccessibleWhenUnlocked: CFString = "ak"
/// From the first unlock after a start.
@safe public nonisolated(unsafe) let kSecAttrAccessibleAfterFirstUnlock: CFString = "ck"
/// Always.
@safe public nonisolated(unsafe) let kSecAttrAccessibleAlways: CFString = "dk"
/// The same as `kSecAttrAccessibleAlways`. Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrAccessibleAlwaysPrivate: CFString = "dk"
/// While the device is unlocked; never on another device.
@safe public nonisolated(unsafe) let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "aku"
/// From the first unlock; never on another device.
@safe public nonisolated(unsafe) let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString =
    "cku"
/// Always; never on another device.
@safe public nonisolated(unsafe) let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString = "dku"
/// The same as `kSecAttrAccessibleAlwaysThisDeviceOnly`.
@safe public nonisolated(unsafe) let kSecAttrAccessibleAlwaysThisDeviceOnlyPrivate: CFString = "dku"
/// While unlocked, and only as long as a passcode is set.
@safe public nonisolated(unsafe) let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString =
    "akpu"
/// Private in Apple's headers; can't be stored.
@safe public nonisolated(unsafe) let kSecAttrAccessibleUntilReboot: CFString = "f"

// MARK: - kSecAttrAccessGroup

/// The group of items on hardware tokens.
@safe public nonisolated(unsafe) let kSecAttrAccessGroupToken: CFString = "com.apple.token"

// MARK: - kSecAttrTokenID

/// The enclave.
@safe public nonisolated(unsafe) let kSecAttrTokenIDSecureEnclave: CFString = "com.apple.setoken"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrTokenIDAppleKeyStore: CFString =
    "com.apple.setoken:aks"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrTokenIDSecureElement: CFString =
    "com.apple.secelemtoken"

// MARK: - kSecAttrKeyClass

/// A public key.
@safe public nonisolated(unsafe) let kSecAttrKeyClassPublic: CFString = "0"
/// A private key.
@safe public nonisolated(unsafe) let kSecAttrKeyClassPrivate: CFString = "1"
/// A symmetric key.
@safe public nonisolated(unsafe) let kSecAttrKeyClassSymmetric: CFString = "2"

// MARK: - kSecAttrKeyType

/// RSA.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeRSA: CFString = "42"
/// Elliptic curve.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeEC: CFString = "73"
/// Elliptic curve over a prime field.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeECSECPrimeRandom: CFString = "73"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeECSECPrimeRandomPKA: CFString = "2147483678"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeSecureEnclaveAttestation: CFString =
    "2147483679"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeSecureEnclaveAnonymousAttestation: CFString =
    "2147483680"
/// Ed25519.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeEd25519: CFString = "105"
/// X25519.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeX25519: CFString = "106"
/// Ed448.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeEd448: CFString = "107"
/// X448.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeX448: CFString = "108"
/// Kyber.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeKyber: CFString = "109"
/// ML-KEM.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeMLKEM: CFString = "110"
/// ML-DSA.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeMLDSA: CFString = "111"
/// DSA.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeDSA: CFString = "43"
/// Elliptic curve.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeECDSA: CFString = "73"
/// DES.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeDES: CFString = "14"
/// Triple DES.
@safe public nonisolated(unsafe) let kSecAttrKeyType3DES: CFString = "17"
/// RC2.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeRC2: CFString = "23"
/// RC4.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeRC4: CFString = "25"
/// CAST.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeCAST: CFString = "56"
/// AES.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeAES: CFString = "2147483649"
/// The size of ML-KEM-768.
@safe public nonisolated(unsafe) let kSecAttrKeySizeMLKEM768: CFString = "768"
/// The size of ML-KEM-1024.
@safe public nonisolated(unsafe) let kSecAttrKeySizeMLKEM1024: CFString = "1024"
/// The size of ML-DSA-65.
@safe public nonisolated(unsafe) let kSecAttrKeySizeMLDSA65: CFString = "65"
/// The size of ML-DSA-87.
@safe public nonisolated(unsafe) let kSecAttrKeySizeMLDSA87: CFString = "87"

// MARK: - kSecAttrProtocol: four characters, padded with spaces

/// A value of `kSecAttrProtocol`: FTP.
@safe public nonisolated(unsafe) let kSecAttrProtocolFTP: CFString = "ftp "
/// A value of `kSecAttrProtocol`: FTPAccount.
@safe public nonisolated(unsafe) let kSecAttrProtocolFTPAccount: CFString = "ftpa"
/// A value of `kSecAttrProtocol`: HTTP.
@safe public nonisolated(unsafe) let kSecAttrProtocolHTTP: CFString = "http"
/// A value of `kSecAttrProtocol`: IRC.
@safe public nonisolated(unsafe) let kSecAttrProtocolIRC: CFString = "irc "
/// A value of `kSecAttrProtocol`: NNTP.
@safe public nonisolated(unsafe) let kSecAttrProtocolNNTP: CFString = "nntp"
/// A value of `kSecAttrProtocol`: POP3.
@safe public nonisolated(unsafe) let kSecAttrProtocolPOP3: CFString = "pop3"
/// A value of `kSecAttrProtocol`: SMTP.
@safe public nonisolated(unsafe) let kSecAttrProtocolSMTP: CFString = "smtp"
/// A value of `kSecAttrProtocol`: SOCKS.
@safe public nonisolated(unsafe) let kSecAttrProtocolSOCKS: CFString = "sox "
/// A value of `kSecAttrProtocol`: IMAP.
@safe public nonisolated(unsafe) let kSecAttrProtocolIMAP: CFString = "imap"
/// A value of `kSecAttrProtocol`: LDAP.
@safe public nonisolated(unsafe) let kSecAttrProtocolLDAP: CFString = "ldap"
/// A value of `kSecAttrProtocol`: AppleTalk.
@safe public nonisolated(unsafe) let kSecAttrProtocolAppleTalk: CFString = "atlk"
/// A value of `kSecAttrProtocol`: AFP.
@safe public nonisolated(unsafe) let kSecAttrProtocolAFP: CFString = "afp "
/// A value of `kSecAttrProtocol`: Telnet.
@safe public nonisolated(unsafe) let kSecAttrProtocolTelnet: CFString = "teln"
/// A value of `kSecAttrProtocol`: SSH.
@safe public nonisolated(unsafe) let kSecAttrProtocolSSH: CFString = "ssh "
/// A value of `kSecAttrProtocol`: FTPS.
@safe public nonisolated(unsafe) let kSecAttrProtocolFTPS: CFString = "ftps"
/// A value of `kSecAttrProtocol`: HTTPS.
@safe public nonisolated(unsafe) let kSecAttrProtocolHTTPS: CFString = "htps"
/// A value of `kSecAttrProtocol`: HTTPProxy.
@safe public nonisolated(unsafe) let kSecAttrProtocolHTTPProxy: CFString = "htpx"
/// A value of `kSecAttrProtocol`: HTTPSProxy.
@safe public nonisolated(unsafe) let kSecAttrProtocolHTTPSProxy: CFString = "htsx"
/// A value of `kSecAttrProtocol`: FTPProxy.
@safe public nonisolated(unsafe) let kSecAttrProtocolFTPProxy: CFString = "ftpx"
/// A value of `kSecAttrProtocol`: SMB.
@safe public nonisolated(unsafe) let kSecAttrProtocolSMB: CFString = "smb "
/// A value of `kSecAttrProtocol`: RTSP.
@safe public nonisolated(unsafe) let kSecAttrProtocolRTSP: CFString = "rtsp"
/// A value of `kSecAttrProtocol`: RTSPProxy.
@safe public nonisolated(unsafe) let kSecAttrProtocolRTSPProxy: CFString = "rtsx"
/// A value of `kSecAttrProtocol`: DAAP.
@safe public nonisolated(unsafe) let kSecAttrProtocolDAAP: CFString = "daap"
/// A value of `kSecAttrProtocol`: EPPC.
@safe public nonisolated(unsafe) let kSecAttrProtocolEPPC: CFString = "eppc"
/// A value of `kSecAttrProtocol`: IPP.
@safe public nonisolated(unsafe) let kSecAttrProtocolIPP: CFString = "ipp "
/// A value of `kSecAttrProtocol`: NNTPS.
@safe public nonisolated(unsafe) let kSecAttrProtocolNNTPS: CFString = "ntps"
/// A value of `kSecAttrProtocol`: LDAPS.
@safe public nonisolated(unsafe) let kSecAttrProtocolLDAPS: CFString = "ldps"
/// A value of `kSecAttrProtocol`: TelnetS.
@safe public nonisolated(unsafe) let kSecAttrProtocolTelnetS: CFString = "tels"
/// A value of `kSecAttrProtocol`: IMAPS.
@safe public nonisolated(unsafe) let kSecAttrProtocolIMAPS: CFString = "imps"
/// A value of `kSecAttrProtocol`: IRCS.
@safe public nonisolated(unsafe) let kSecAttrProtocolIRCS: CFString = "ircs"
/// A value of `kSecAttrProtocol`: POP3S.
@safe public nonisolated(unsafe) let kSecAttrProtocolPOP3S: CFString = "pops"

// MARK: - kSecAttrAuthenticationType

/// Windows NT LAN Manager.
@safe public nonisolated(unsafe) let kSecAttrAuthenticationTypeNTLM: CFString = "ntlm"
/// Microsoft Network.
@safe public nonisolated(unsafe) let kSecAttrAuthenticationTypeMSN: CFString = "msna"
/// Distributed password.
@safe public nonisolated(unsafe) let kSecAttrAuthenticationTypeDPA: CFString = "dpaa"
/// Remote password.
@safe public nonisolated(unsafe) let kSecAttrAuthenticationTypeRPA: CFString = "rpaa"
/// HTTP Basic.
@safe public nonisolated(unsafe) let kSecAttrAuthenticationTypeHTTPBasic: CFString = "http"
/// HTTP Digest.
@safe public nonisolated(unsafe) let kSecAttrAuthenticationTypeHTTPDigest: CFString = "httd"
/// A form in a page.
@safe public nonisolated(unsafe) let kSecAttrAuthenticationTypeHTMLForm: CFString = "form"
/// The default.
@safe public nonisolated(unsafe) let kSecAttrAuthenticationTypeDefault: CFString = "dflt"

// MARK: - kSecAttrPRF: parameters of key derivation, not of items

/// HMAC with SHA-1.
@safe public nonisolated(unsafe) let kSecAttrPRFHmacAlgSHA1: CFString = "hsha1"
/// HMAC with SHA-224.
@safe public nonisolated(unsafe) let kSecAttrPRFHmacAlgSHA224: CFString = "hsha224"
/// HMAC with SHA-256.
@safe public nonisolated(unsafe) let kSecAttrPRFHmacAlgSHA256: CFString = "hsha256"
/// HMAC with SHA-384.
@safe public nonisolated(unsafe) let kSecAttrPRFHmacAlgSHA384: CFString = "hsha384"
/// HMAC with SHA-512.
@safe public nonisolated(unsafe) let kSecAttrPRFHmacAlgSHA512: CFString = "hsha512"
