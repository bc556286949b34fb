// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// An attribute of an item. Raw values are Apple's `kSecAttr…` strings.
public enum Attribute: String, CaseIterable, Sendable {
    case accessible = "pdmn"
    case accessGroup = "agrp"
    case synchronizable = "sync"
    case creationDate = "cdat"
    case modificationDate = "mdat"
    case label = "labl"
    case description = "desc"
    case comment = "icmt"
    case creator = "crtr"
    case type = "type"
    case scriptCode = "scrp"
    case alias = "alis"
    case isInvisible = "invi"
    case isNegative = "nega"
    case hasCustomIcon = "cusi"
    case protocolName = "prot"
    case account = "acct"
    case service = "svce"
    case generic = "gena"
    case tokenID = "tkid"
    case syncViewHint = "vwht"
    case tombstone = "tomb"
    case multiUser = "musr"
    case sha1 = "sha1"

    /// Which values an attribute takes.
    public enum ValueKind: Sendable {
        /// Text, data or a number, kept with the type given.
        case blob
        /// Bytes.
        case data
        /// Text.
        case text
        /// An integer, or text that is no decimal integer.
        case number
        /// Seconds since 2001-01-01 00:00:00 UTC.
        case date
    }

    /// Which values this attribute takes. Source: Apple's SecItem, as observed.
    public var valueKind: ValueKind {
        switch self {
        case .label, .description, .comment, .alias, .protocolName, .account, .service, .generic:
            .blob
        case .multiUser, .sha1: .data
        case .accessible, .accessGroup, .tokenID, .syncViewHint: .text
        case .synchronizable, .creator, .type, .scriptCode, .isInvisible, .isNegative,
            .hasCustomIcon, .tombstone:
            .number
        case .creationDate, .modificationDate: .date
        }
    }

    /// Whether items of a class have this attribute.
    public func isKnown(in itemClass: ItemClass) -> Bool {
        switch self {
        case .accessible, .accessGroup, .synchronizable, .creationDate, .modificationDate, .label,
            .alias, .tokenID, .syncViewHint, .tombstone, .multiUser, .sha1:
            true
        case .creator, .type: itemClass != .certificate
        case .description, .comment, .scriptCode, .isInvisible, .isNegative, .hasCustomIcon,
            .protocolName, .account:
            itemClass == .genericPassword || itemClass == .internetPassword
        case .service, .generic: itemClass == .genericPassword
        }
    }
}
