// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Keys of queries that aren't attributes. Source: Apple's `SecItem.h`; the values are observed.

// MARK: - Which items

/// How many items: one of the next two, or a number.
@safe public nonisolated(unsafe) let kSecMatchLimit: CFString = "m_Limit"
/// One item; the default.
@safe public nonisolated(unsafe) let kSecMatchLimitOne: CFString = "m_LimitOne"
/// All items, as an array.
@safe public nonisolated(unsafe) let kSecMatchLimitAll: CFString = "m_LimitAll"
/// A policy that the certificate must satisfy; not offered yet.
@safe public nonisolated(unsafe) let kSecMatchPolicy: CFString = "m_Policy"
/// Names, one of which must be in the certificate's chain.
@safe public nonisolated(unsafe) let kSecMatchIssuers: CFString = "m_Issuers"
/// An address that the certificate must have.
@safe public nonisolated(unsafe) let kSecMatchEmailAddressIfPresent: CFString =
    "m_EmailAddressIfPresent"
/// True: only certificates that are trusted; not offered yet.
@safe public nonisolated(unsafe) let kSecMatchTrustedOnly: CFString = "m_TrustedOnly"
/// Only certificates that are valid then; null is now.
@safe public nonisolated(unsafe) let kSecMatchValidOnDate: CFString = "m_ValidOnDate"
/// Internet passwords whose server is a host or below it. Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecMatchHostOrSubdomainOfHost: CFString =
    "m_HostOrSubdomainOfHost"
/// Items to choose from: an array of persistent references, certificates, keys or identities.
@safe public nonisolated(unsafe) let kSecMatchItemList: CFString = "m_ItemList"
/// An array of `SecKeychain`: only items of these are meant. A list without any, and calls to the data
/// protection keychain, pass over it.
@safe public nonisolated(unsafe) let kSecMatchSearchList: CFString = "m_SearchList"
/// Text somewhere in the certificate's subject.
@safe public nonisolated(unsafe) let kSecMatchSubjectContains: CFString = "m_SubjectContains"
/// Text that the certificate's subject starts with.
@safe public nonisolated(unsafe) let kSecMatchSubjectStartsWith: CFString = "m_SubjectStartsWith"
/// Text that the certificate's subject ends with.
@safe public nonisolated(unsafe) let kSecMatchSubjectEndsWith: CFString = "m_SubjectEndsWith"
/// Text that is the certificate's subject.
@safe public nonisolated(unsafe) let kSecMatchSubjectWholeString: CFString = "m_SubjectWholeString"
/// Whether the text sought in a subject may differ by case.
@safe public nonisolated(unsafe) let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive"
/// Whether the text sought in a subject may differ by accents.
@safe public nonisolated(unsafe) let kSecMatchDiacriticInsensitive: CFString =
    "m_DiacriticInsensitive"
/// Whether the text sought in a subject may differ by full and half width.
@safe public nonisolated(unsafe) let kSecMatchWidthInsensitive: CFString = "m_WidthInsensitive"

// MARK: - What to return

/// Return the secret.
@safe public nonisolated(unsafe) let kSecReturnData: CFString = "r_Data"
/// Return the attributes.
@safe public nonisolated(unsafe) let kSecReturnAttributes: CFString = "r_Attributes"
/// Return an object: a certificate, key or identity. For a password it is a `SecKeychainItem`,
/// unless the query is for the data protection keychain.
@safe public nonisolated(unsafe) let kSecReturnRef: CFString = "r_Ref"
/// Return the persistent reference.
@safe public nonisolated(unsafe) let kSecReturnPersistentRef: CFString = "r_PersistentRef"

// MARK: - Values to store or to find

/// The secret.
@safe public nonisolated(unsafe) let kSecValueData: CFString = "v_Data"
/// A certificate, key or identity.
@safe public nonisolated(unsafe) let kSecValueRef: CFString = "v_Ref"
/// A persistent reference.
@safe public nonisolated(unsafe) let kSecValuePersistentRef: CFString = "v_PersistentRef"

// MARK: - Options of the operation

/// True: the keychain login, whatever the search list and the default keychain are, with strict rules of
/// types. Otherwise the search list and the default keychain.
@safe public nonisolated(unsafe) let kSecUseDataProtectionKeychain: CFString = "nleg"
/// The items that a delete means, by the file keychain's rules; other calls refuse it.
@safe public nonisolated(unsafe) let kSecUseItemList: CFString = "u_ItemList"
/// A `SecKeychain`: where a new item is stored, in place of the default keychain. In a query: the only
/// keychain that is searched. Calls to the data protection keychain refuse it.
@safe public nonisolated(unsafe) let kSecUseKeychain: CFString = "u_Keychain"
/// Why the person is asked to authenticate.
@safe public nonisolated(unsafe) let kSecUseOperationPrompt: CFString = "u_OpPrompt"
/// True: the same as `kSecUseAuthenticationUIFail`.
@safe public nonisolated(unsafe) let kSecUseNoAuthenticationUI: CFString = "u_NoAuthUI"
/// Whether the person may be asked; one of the next three.
@safe public nonisolated(unsafe) let kSecUseAuthenticationUI: CFString = "u_AuthUI"
/// Ask; the default.
@safe public nonisolated(unsafe) let kSecUseAuthenticationUIAllow: CFString = "u_AuthUIA"
/// Don't ask: `errSecInteractionNotAllowed`.
@safe public nonisolated(unsafe) let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF"
/// Don't ask: omit such items.
@safe public nonisolated(unsafe) let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"
/// An authentication that has taken place.
@safe public nonisolated(unsafe) let kSecUseAuthenticationContext: CFString = "u_AuthCtx"
/// For an add, true: the item is stored only if hardware protects the keychain (a TPM of the
/// machine holds its device key); else `errSecUnimplemented`, and nothing is stored. Not a key of
/// Apple's.
@safe public nonisolated(unsafe) let kSecUseHardwareBackedStorage: CFString = "u_HardwareBacked"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecUseCredentialReference: CFString = "u_CredRef"
/// Without effect here.
@safe public nonisolated(unsafe) let kSecUseUserIndependentKeychain: CFString =
    "u_UserIndependentKeychain"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecUseTombstones: CFString = "u_Tomb"
/// Private in Apple's headers; needs an entitlement.
@safe public nonisolated(unsafe) let kSecUseSystemKeychain: CFString = "u_SystemKeychain"
/// Private in Apple's headers; needs an entitlement.
@safe public nonisolated(unsafe) let kSecUseSystemKeychainAlways: CFString =
    "u_SystemKeychainAlways"
/// Private in Apple's headers; needs an entitlement.
@safe public nonisolated(unsafe) let kSecUseSyncBubbleKeychain: CFString = "u_SyncBubbleKeychain"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecUseCallerName: CFString = "u_CallerName"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecUseTokenRawItems: CFString = "u_TokenRawItems"
/// Private in Apple's headers.
@safe public nonisolated(unsafe) let kSecUseCertificatesWithMatchIssuers: CFString =
    "u_CertWithIssuers"
