// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Keys of attributes. Source: Apple's `SecItem.h`; the values are observed.

// MARK: - Of every class

/// When the item's secret may be used.
@safe public nonisolated(unsafe) let kSecAttrAccessible: CFString = "pdmn"
/// What must be proven to use the item; a `SecAccessControl`.
@safe public nonisolated(unsafe) let kSecAttrAccessControl: CFString = "accc"
/// The access group that the item belongs to.
@safe public nonisolated(unsafe) let kSecAttrAccessGroup: CFString = "agrp"
/// Whether the item synchronizes.
@safe public nonisolated(unsafe) let kSecAttrSynchronizable: CFString = "sync"
/// When the item was added.
@safe public nonisolated(unsafe) let kSecAttrCreationDate: CFString = "cdat"
/// When the item was last changed.
@safe public nonisolated(unsafe) let kSecAttrModificationDate: CFString = "mdat"
/// The name that people see.
@safe public nonisolated(unsafe) let kSecAttrLabel: CFString = "labl"
/// A second name. Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrAlias: CFString = "alis"
/// The hardware token that holds the item.
@safe public nonisolated(unsafe) let kSecAttrTokenID: CFString = "tkid"
/// The object on the token. Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrTokenOID: CFString = "toid"
/// The same string as `kSecAttrTokenOID`.
@safe public nonisolated(unsafe) let kSecAttrSecureEnclaveKeyBlob: CFString = "toid"
/// The part of synchronization that carries the item.
@safe public nonisolated(unsafe) let kSecAttrSyncViewHint: CFString = "vwht"
/// Whether the row stands for a deleted item. Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrTombstone: CFString = "tomb"
/// The user that the row belongs to. Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrMultiUser: CFString = "musr"
/// The item's name in synchronization. Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrUUID: CFString = "UUID"
/// The bytes of the persistent reference.
@safe public nonisolated(unsafe) let kSecAttrPersistentReference: CFString = "persistref"
/// Apple's misspelling of `kSecAttrPersistentReference`.
@safe public nonisolated(unsafe) let kSecAttrPersistantReference: CFString = "persistref"
/// A digest of the attributes. Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrSHA1: CFString = "sha1"
/// Whether the item is bound to the system. Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrSysBound: CFString = "sysb"
/// The group that the item is shared with. Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrSharingGroup: CFString = "ggrp"
/// The value of `kSecAttrSharingGroup` for no group.
@safe public nonisolated(unsafe) let kSecAttrSharingGroupNone: CFString = ""
/// Private in Apple's headers; needs an entitlement.
@safe public nonisolated(unsafe) let kSecAttrDeriveSyncIDFromItemAttributes: CFString = "dspk"
/// Private in Apple's headers; needs an entitlement.
@safe public nonisolated(unsafe) let kSecAttrPCSPlaintextServiceIdentifier: CFString = "pcss"
/// Private in Apple's headers; needs an entitlement.
@safe public nonisolated(unsafe) let kSecAttrPCSPlaintextPublicKey: CFString = "pcsk"
/// Private in Apple's headers; needs an entitlement.
@safe public nonisolated(unsafe) let kSecAttrPCSPlaintextPublicIdentity: CFString = "pcsi"
/// The same string as `kSecUseDataProtectionKeychain`.
@safe public nonisolated(unsafe) let kSecAttrNoLegacy: CFString = "nleg"
/// Access of the file keychain; items here have no such attribute.
@safe public nonisolated(unsafe) let kSecAttrAccess: CFString = "acls"

// MARK: - Attributes of passwords

/// The account name.
@safe public nonisolated(unsafe) let kSecAttrAccount: CFString = "acct"
/// The service that a generic password is for.
@safe public nonisolated(unsafe) let kSecAttrService: CFString = "svce"
/// Data of the application's own, in a generic password.
@safe public nonisolated(unsafe) let kSecAttrGeneric: CFString = "gena"
/// The kind of the item.
@safe public nonisolated(unsafe) let kSecAttrDescription: CFString = "desc"
/// A comment.
@safe public nonisolated(unsafe) let kSecAttrComment: CFString = "icmt"
/// The creator, a four-character code as a number.
@safe public nonisolated(unsafe) let kSecAttrCreator: CFString = "crtr"
/// The type, a four-character code as a number.
@safe public nonisolated(unsafe) let kSecAttrType: CFString = "type"
/// The text encoding. Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrScriptCode: CFString = "scrp"
/// Whether lists omit the item.
@safe public nonisolated(unsafe) let kSecAttrIsInvisible: CFString = "invi"
/// Whether the item records that there is no password.
@safe public nonisolated(unsafe) let kSecAttrIsNegative: CFString = "nega"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrHasCustomIcon: CFString = "cusi"
/// The domain of an internet password.
@safe public nonisolated(unsafe) let kSecAttrSecurityDomain: CFString = "sdmn"
/// The server of an internet password.
@safe public nonisolated(unsafe) let kSecAttrServer: CFString = "srvr"
/// The protocol of an internet password.
@safe public nonisolated(unsafe) let kSecAttrProtocol: CFString = "ptcl"
/// The authentication scheme of an internet password.
@safe public nonisolated(unsafe) let kSecAttrAuthenticationType: CFString = "atyp"
/// The port of an internet password.
@safe public nonisolated(unsafe) let kSecAttrPort: CFString = "port"
/// The path of an internet password.
@safe public nonisolated(unsafe) let kSecAttrPath: CFString = "path"

// MARK: - Of certificates

/// The subject's name, normalized.
@safe public nonisolated(unsafe) let kSecAttrSubject: CFString = "subj"
/// The issuer's name, normalized.
@safe public nonisolated(unsafe) let kSecAttrIssuer: CFString = "issr"
/// The serial number's bytes.
@safe public nonisolated(unsafe) let kSecAttrSerialNumber: CFString = "slnr"
/// The subject key identifier.
@safe public nonisolated(unsafe) let kSecAttrSubjectKeyID: CFString = "skid"
/// The SHA-1 digest of the public key.
@safe public nonisolated(unsafe) let kSecAttrPublicKeyHash: CFString = "pkhh"
/// The X.509 version, 1 to 3.
@safe public nonisolated(unsafe) let kSecAttrCertificateType: CFString = "ctyp"
/// The encoding; 3 is DER.
@safe public nonisolated(unsafe) let kSecAttrCertificateEncoding: CFString = "cenc"
/// Not an attribute of any class here.
@safe public nonisolated(unsafe) let kSecAttrCRLType: CFString = "crlt"
/// Not an attribute of any class here.
@safe public nonisolated(unsafe) let kSecAttrCRLEncoding: CFString = "crle"

// MARK: - Of keys

/// Public, private or symmetric.
@safe public nonisolated(unsafe) let kSecAttrKeyClass: CFString = "kcls"
/// The SHA-1 digest of the public key.
@safe public nonisolated(unsafe) let kSecAttrApplicationLabel: CFString = "klbl"
/// The application's own name for the key.
@safe public nonisolated(unsafe) let kSecAttrApplicationTag: CFString = "atag"
/// The same string as `kSecAttrCreator`.
@safe public nonisolated(unsafe) let kSecAttrKeyCreator: CFString = "crtr"
/// The algorithm; the same string as `kSecAttrType`.
@safe public nonisolated(unsafe) let kSecAttrKeyType: CFString = "type"
/// The size in bits.
@safe public nonisolated(unsafe) let kSecAttrKeySizeInBits: CFString = "bsiz"
/// The effective size for strength, in bits.
@safe public nonisolated(unsafe) let kSecAttrEffectiveKeySize: CFString = "esiz"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrStartDate: CFString = "sdat"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrEndDate: CFString = "edat"
/// Whether the key is stored.
@safe public nonisolated(unsafe) let kSecAttrIsPermanent: CFString = "perm"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrIsPrivate: CFString = "priv"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrIsModifiable: CFString = "modi"
/// Whether the key leaves the keychain only wrapped.
@safe public nonisolated(unsafe) let kSecAttrIsSensitive: CFString = "sens"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrWasAlwaysSensitive: CFString = "asen"
/// Whether the key may leave the keychain.
@safe public nonisolated(unsafe) let kSecAttrIsExtractable: CFString = "extr"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrWasNeverExtractable: CFString = "next"
/// Whether the key encrypts.
@safe public nonisolated(unsafe) let kSecAttrCanEncrypt: CFString = "encr"
/// Whether the key decrypts.
@safe public nonisolated(unsafe) let kSecAttrCanDecrypt: CFString = "decr"
/// Whether keys are derived from it.
@safe public nonisolated(unsafe) let kSecAttrCanDerive: CFString = "drve"
/// Whether the key signs.
@safe public nonisolated(unsafe) let kSecAttrCanSign: CFString = "sign"
/// Whether the key verifies.
@safe public nonisolated(unsafe) let kSecAttrCanVerify: CFString = "vrfy"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrCanSignRecover: CFString = "snrc"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecAttrCanVerifyRecover: CFString = "vyrc"
/// Whether the key wraps others.
@safe public nonisolated(unsafe) let kSecAttrCanWrap: CFString = "wrap"
/// Whether the key unwraps others.
@safe public nonisolated(unsafe) let kSecAttrCanUnwrap: CFString = "unwp"
/// A parameter of key derivation; not an attribute of items.
@safe public nonisolated(unsafe) let kSecAttrPRF: CFString = "prf"
/// A parameter of key derivation; not an attribute of items.
@safe public nonisolated(unsafe) let kSecAttrSalt: CFString = "salt"
/// A parameter of key derivation; not an attribute of items.
@safe public nonisolated(unsafe) let kSecAttrRounds: CFString = "rounds"
/// Attributes of the private half, in key generation.
@safe public nonisolated(unsafe) let kSecPrivateKeyAttrs: CFString = "private"
/// Attributes of the public half, in key generation.
@safe public nonisolated(unsafe) let kSecPublicKeyAttrs: CFString = "public"

// MARK: - That no class has

/// Not an attribute of any class here.
@safe public nonisolated(unsafe) let kSecAttrVolume: CFString = "volm"
/// Not an attribute of any class here.
@safe public nonisolated(unsafe) let kSecAttrAddress: CFString = "addr"
/// Not an attribute of any class here.
@safe public nonisolated(unsafe) let kSecAttrAFPServerSignature: CFString = "afps"

// MARK: - Data beside an internet password; they need an entitlement

/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecDataInetExtraNotes: CFString = "binn"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecDataInetExtraHistory: CFString = "bini"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecDataInetExtraClientDefined0: CFString = "bin0"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecDataInetExtraClientDefined1: CFString = "bin1"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecDataInetExtraClientDefined2: CFString = "bin2"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecDataInetExtraClientDefined3: CFString = "bin3"
