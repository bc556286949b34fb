// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecurityWire

/// What a key of a dictionary means. One table for all calls and classes; what it doesn't list
/// goes by length and first letter, as Apple's SecItem, as observed says.
enum QueryKey {
    case itemClass
    case attribute(Attribute)
    case accessControl
    /// Four letters that no attribute has.
    case unknownAttribute
    /// An attribute that needs an entitlement that nobody has here, whatever the class.
    case entitledAttribute
    case sharingGroup
    /// `kSecUseDataProtectionKeychain`.
    case keychainChoice
    /// Keys that start with f.
    case ignored
    case limit
    case match(MatchKey)
    case returned(ReturnFlags)
    case use(UseKey)
    case valueData
    case valueReference
    case valuePersistentReference
    /// A key that no call takes.
    case forbidden(Letter)

    /// The letters that matter to ``forbidden(_:)``: in the changes of an update, a key of a
    /// known kind is an unknown attribute rather than a bad parameter.
    enum Letter { case known, other }

    /// A match key; each has its own check of the value.
    enum MatchKey {
        case policy, issuers, emailAddress, trustedOnly, validOnDate, host, itemList, searchList
        case subject(SubjectFilter.Place)
        case subjectOption(NSString.CompareOptions)
        /// Counted as a match key, otherwise without effect.
        case other

        /// Whether its value is a truth value.
        var isFlag: Bool {
            switch self {
            case .trustedOnly, .subjectOption: true
            case .policy, .issuers, .emailAddress, .validOnDate, .host, .itemList, .searchList,
                .subject, .other:
                false
            }
        }
    }

    /// A use key.
    enum UseKey {
        case itemList, authenticationUI, noAuthenticationUI, authenticationContext
        case credentialReference, operationPrompt, tombstones, hardwareBacked, keychain
        /// Keychains of the system, which need an entitlement.
        case systemKeychain
        /// Known, otherwise without effect.
        case other

        /// Whether its value is a truth value and nothing else.
        var isFlag: Bool {
            switch self {
            case .noAuthenticationUI: true
            case .hardwareBacked, .itemList, .authenticationUI, .authenticationContext,
                .credentialReference,
                .operationPrompt, .tombstones, .systemKeychain, .keychain, .other:
                false
            }
        }
    }

    /// What a key means.
    init(_ key: String) {
        if let known = Self.table[key] {
            self = known
            return
        }
        guard key.utf16.count != 4 else {
            self = .unknownAttribute
            return
        }
        guard key.utf16.count >= 2 else {
            self = .forbidden(.other)
            return
        }
        switch key.utf8.first {
        case UInt8(ascii: "m"): self = .match(.other)
        case UInt8(ascii: "f"): self = .ignored
        case UInt8(ascii: "c"), UInt8(ascii: "r"), UInt8(ascii: "u"), UInt8(ascii: "v"):
            self = .forbidden(.known)
        default: self = .forbidden(.other)
        }
    }

    /// Whether a dictionary with this key names attributes of items.
    var isAttribute: Bool {
        switch self {
        case .attribute, .accessControl, .unknownAttribute, .entitledAttribute, .sharingGroup: true
        case .itemClass, .keychainChoice, .ignored, .limit, .match, .returned, .use, .valueData,
            .valueReference,
            .valuePersistentReference, .forbidden:
            false
        }
    }

    private static let table: [String: QueryKey] = {
        var table: [String: QueryKey] = [
            "class": .itemClass, "accc": .accessControl, "nleg": .keychainChoice,
            "ggrp": .sharingGroup,
            "clip": .forbidden(.other), "data": .forbidden(.other), "v_pk": .forbidden(.other),
            "m_Limit": .limit, "m_Policy": .match(.policy), "m_Issuers": .match(.issuers),
            "m_EmailAddressIfPresent": .match(.emailAddress),
            "m_TrustedOnly": .match(.trustedOnly), "m_ValidOnDate": .match(.validOnDate),
            "m_HostOrSubdomainOfHost": .match(.host), "m_ItemList": .match(.itemList),
            "m_SubjectContains": .match(.subject(.anywhere)),
            "m_SubjectStartsWith": .match(.subject(.start)),
            "m_SubjectEndsWith": .match(.subject(.end)),
            "m_SubjectWholeString": .match(.subject(.whole)),
            "m_CaseInsensitive": .match(.subjectOption(.caseInsensitive)),
            "m_DiacriticInsensitive": .match(.subjectOption(.diacriticInsensitive)),
            "m_WidthInsensitive": .match(.subjectOption(.widthInsensitive)),
            "r_Data": .returned(.data), "r_Attributes": .returned(.attributes),
            "r_Ref": .returned(.reference), "r_PersistentRef": .returned(.persistentReference),
            "v_Data": .valueData, "v_Ref": .valueReference,
            "v_PersistentRef": .valuePersistentReference,
            "u_ItemList": .use(.itemList), "u_AuthUI": .use(.authenticationUI),
            "u_NoAuthUI": .use(.noAuthenticationUI), "u_AuthCtx": .use(.authenticationContext),
            "u_CredRef": .use(.credentialReference), "u_OpPrompt": .use(.operationPrompt),
            "u_Tomb": .use(.tombstones), "u_Keychain": .use(.keychain),
            "m_SearchList": .match(.searchList),
            "u_HardwareBacked": .use(.hardwareBacked), "u_SystemKeychain": .use(.systemKeychain),
            "u_SystemKeychainAlways": .use(.systemKeychain),
            "u_SyncBubbleKeychain": .use(.systemKeychain),
            "u_UserIndependentKeychain": .use(.other), "u_CallerName": .use(.other),
            "u_TokenRawItems": .use(.other), "u_CertWithIssuers": .use(.other),
        ]
        let entitled = [
            "sysb", "dspk", "pcss", "pcsk", "pcsi", "binn", "bini", "bin0", "bin1", "bin2", "bin3",
        ]
        for name in entitled { table[name] = .entitledAttribute }
        for attribute in Attribute.allCases { table[attribute.rawValue] = .attribute(attribute) }
        return table
    }()
}

/// What a call returns of each item; the four `kSecReturn…` keys.
struct ReturnFlags: OptionSet {
    let rawValue: UInt8
    static let data = ReturnFlags(rawValue: 1)
    static let attributes = ReturnFlags(rawValue: 2)
    static let reference = ReturnFlags(rawValue: 4)
    static let persistentReference = ReturnFlags(rawValue: 8)
}
