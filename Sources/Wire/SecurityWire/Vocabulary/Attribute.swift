// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// An attribute of an item. Raw values are Apple's `kSecAttr…` strings.
public enum Attribute: String, CaseIterable, Sendable {
    // Every class.
    case accessible = "pdmn"
    case accessGroup = "agrp"
    case synchronizable = "sync"
    case creationDate = "cdat"
    case modificationDate = "mdat"
    case label = "labl"
    case alias = "alis"
    case tokenID = "tkid"
    case syncViewHint = "vwht"
    case tombstone = "tomb"
    case multiUser = "musr"
    case sha1 = "sha1"
    case uuid = "UUID"

    // Passwords; some of keys, too.
    case description = "desc"
    case comment = "icmt"
    case creator = "crtr"
    case type = "type"
    case scriptCode = "scrp"
    case isInvisible = "invi"
    case isNegative = "nega"
    case hasCustomIcon = "cusi"
    case protocolName = "prot"
    case account = "acct"
    case service = "svce"
    case generic = "gena"
    case securityDomain = "sdmn"
    case server = "srvr"
    case networkProtocol = "ptcl"
    case authenticationType = "atyp"
    case port = "port"
    case path = "path"

    // Certificates.
    case certificateType = "ctyp"
    case certificateEncoding = "cenc"
    case subject = "subj"
    case issuer = "issr"
    case serialNumber = "slnr"
    case subjectKeyID = "skid"
    case publicKeyHash = "pkhh"

    // Keys.
    case keyClass = "kcls"
    case applicationLabel = "klbl"
    case applicationTag = "atag"
    case keySizeInBits = "bsiz"
    case effectiveKeySize = "esiz"
    case startDate = "sdat"
    case endDate = "edat"
    case isPermanent = "perm"
    case isPrivate = "priv"
    case isModifiable = "modi"
    case isSensitive = "sens"
    case wasAlwaysSensitive = "asen"
    case isExtractable = "extr"
    case wasNeverExtractable = "next"
    case canEncrypt = "encr"
    case canDecrypt = "decr"
    case canDerive = "drve"
    case canSign = "sign"
    case canVerify = "vrfy"
    case canSignRecover = "snrc"
    case canVerifyRecover = "vyrc"
    case canWrap = "wrap"
    case canUnwrap = "unwp"

    /// The type of an attribute's values.
    public enum ValueKind: Sendable {
        /// Text, data or a number, stored with its type.
        case blob
        /// Bytes.
        case data
        /// Text.
        case text
        /// An integer, or text that isn't a decimal integer.
        case number
        /// Seconds since 2001-01-01 00:00:00 UTC.
        case date
    }

    /// The type of this attribute's values. Source: Apple's SecItem, as observed.
    public var valueKind: ValueKind {
        switch self {
        case .label, .description, .comment, .alias, .protocolName, .account, .service, .generic,
            .securityDomain, .server, .authenticationType, .path, .applicationTag:
            .blob
        case .multiUser, .sha1, .subject, .issuer, .serialNumber, .subjectKeyID, .publicKeyHash,
            .applicationLabel:
            .data
        case .accessible, .accessGroup, .tokenID, .syncViewHint, .uuid: .text
        case .creationDate, .modificationDate, .startDate, .endDate: .date
        case .synchronizable, .creator, .type, .scriptCode, .isInvisible, .isNegative,
            .hasCustomIcon, .tombstone, .networkProtocol, .port, .certificateType,
            .certificateEncoding, .keyClass, .keySizeInBits, .effectiveKeySize, .isPermanent,
            .isPrivate, .isModifiable, .isSensitive, .wasAlwaysSensitive, .isExtractable,
            .wasNeverExtractable, .canEncrypt, .canDecrypt, .canDerive, .canSign, .canVerify,
            .canSignRecover, .canVerifyRecover, .canWrap, .canUnwrap:
            .number
        }
    }

    /// Whether items of a class have this attribute. An identity has those of its certificate and
    /// of its key.
    public func isKnown(in itemClass: ItemClass) -> Bool {
        switch itemClass {
        case .genericPassword: owners.contains(.genericPassword)
        case .internetPassword: owners.contains(.internetPassword)
        case .certificate: owners.contains(.certificate)
        case .key: owners.contains(.key)
        case .identity: !owners.isDisjoint(with: [.certificate, .key])
        }
    }

    /// The classes that store an attribute.
    private struct Owners: OptionSet {
        let rawValue: UInt8
        static let genericPassword = Owners(rawValue: 1)
        static let internetPassword = Owners(rawValue: 2)
        static let certificate = Owners(rawValue: 4)
        static let key = Owners(rawValue: 8)
        static let passwords: Owners = [.genericPassword, .internetPassword]
        static let all: Owners = [.passwords, .certificate, .key]
    }

    private var owners: Owners {
        switch self {
        case .accessible, .accessGroup, .synchronizable, .creationDate, .modificationDate, .label,
            .alias, .tokenID, .syncViewHint, .tombstone, .multiUser, .sha1, .uuid:
            .all
        case .creator, .type: [.passwords, .key]
        case .description, .comment, .scriptCode, .isInvisible, .isNegative, .hasCustomIcon,
            .protocolName, .account:
            .passwords
        case .service, .generic: .genericPassword
        case .securityDomain, .server, .networkProtocol, .authenticationType, .port, .path:
            .internetPassword
        case .certificateType, .certificateEncoding, .subject, .issuer, .serialNumber,
            .subjectKeyID, .publicKeyHash:
            .certificate
        case .keyClass, .applicationLabel, .applicationTag, .keySizeInBits, .effectiveKeySize,
            .startDate, .endDate, .isPermanent, .isPrivate, .isModifiable, .isSensitive,
            .wasAlwaysSensitive, .isExtractable, .wasNeverExtractable, .canEncrypt, .canDecrypt,
            .canDerive, .canSign, .canVerify, .canSignRecover, .canVerifyRecover, .canWrap,
            .canUnwrap:
            .key
        }
    }

    /// The attributes that every stored item of a class has, with their default values. Source:
    /// Apple's SecItem, as observed.
    public static func defaults(
        for itemClass: ItemClass
    ) -> [(attribute: Attribute, value: AttributeValue)] {
        switch itemClass {
        case .genericPassword: [(.account, .text("")), (.service, .text(""))]
        case .internetPassword:
            [
                (.account, .text("")), (.securityDomain, .text("")), (.server, .text("")),
                (.networkProtocol, .integer(0)), (.authenticationType, .text("")),
                (.port, .integer(0)), (.path, .text("")),
            ]
        case .certificate:
            [(.certificateType, .integer(0)), (.issuer, .data([])), (.serialNumber, .data([]))]
        case .key:
            [
                (.keyClass, .integer(0)), (.applicationLabel, .data([])),
                (.applicationTag, .text("")), (.creator, .integer(0)), (.type, .integer(0)),
                (.keySizeInBits, .integer(0)), (.effectiveKeySize, .integer(0)),
                (.startDate, .date(0)), (.endDate, .date(0)),
            ]
        case .identity: defaults(for: .key) + defaults(for: .certificate)
        }
    }
}
