// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecretBytes
import SecurityWire

/// A dictionary of one of the calls, read and checked by the rules that all calls share
///. What one call alone refuses is in `ItemRequests.swift`.
struct ParsedQuery {
    /// What the dictionary is for.
    enum Purpose {
        /// The new item of an add.
        case item
        /// Which items are meant: copy, update and delete.
        case query
        /// What an update changes.
        case changes
    }

    /// How many items, and whether as an array.
    enum Limit: Equatable {
        case one
        case all
        case number(Int)
    }

    /// The value of `kSecAttrSynchronizable`.
    enum Synchronizable {
        case value(Bool)
        case any
    }

    private let purpose: Purpose
    private(set) var itemClass: ItemClass?
    private(set) var attributes = ItemAttributes()
    private(set) var accessControl: SecAccessControl?
    private(set) var synchronizable: Synchronizable?
    private(set) var limit: Limit?
    private(set) var hasMatchKeys = false
    private(set) var hasItemList = false
    private(set) var hasAttributes = false
    private(set) var skipsAuthentication = false
    private(set) var returns: ReturnFlags = []
    private(set) var secret: Secret?
    private(set) var persistentReference: PersistentReference?
    private var reference: AnyObject?
    private var attributesByteCount = 0

    /// Reads a dictionary.
    /// - Throws: The failure that speaks first, see ``ItemFailure/Rank``.
    init(_ dictionary: NSDictionary, for purpose: Purpose) throws(ItemFailure) {
        self.purpose = purpose
        guard dictionary.count <= NSDictionary.maximumKeyCount else {
            throw ItemFailure(errSecParam)
        }
        var first: ItemFailure?
        dictionary.forEachEntry { key, value in
            do throws(ItemFailure) {
                try read(Self.key(key), value)
            } catch {
                if first.map(error.precedes) ?? true { first = error }
            }
        }
        if let first { throw first }
        try checkReference()
        try checkAccessControl()
    }

    private static func key(_ object: AnyObject) throws(ItemFailure) -> QueryKey {
        if let text = object as? NSString { return QueryKey(text as String) }
        throw ItemFailure(object is NSNumber ? errSecNoSuchAttr : errSecParam)
    }

    private mutating func read(_ key: QueryKey, _ value: AnyObject) throws(ItemFailure) {
        if purpose == .changes { try Self.checkChange(key) }
        if key.isAttribute { hasAttributes = true }
        switch key {
        case .itemClass: itemClass = try ItemClass(value)
        case .attribute(let attribute): try read(attribute, value)
        case .accessControl:
            accessControl = value as? SecAccessControl
            if accessControl == nil { throw ItemFailure(errSecParam, .accessControl) }
        case .unknownAttribute: throw ItemFailure(errSecNoSuchAttr)
        case .entitledAttribute, .sharingGroup:
            throw ItemFailure(errSecMissingEntitlement, .entitlement)
        case .ignored: if !isSendable(value) { throw ItemFailure(errSecParam) }
        case .limit: limit = try Limit(value)
        case .match(let match):
            hasMatchKeys = true
            try Self.check(match, value)
        case .returned(let flag):
            guard let isWanted = boolean(value) else { throw ItemFailure(errSecParam) }
            if isWanted { returns.insert(flag) }
        case .use(let use): try read(use, value)
        case .valueData: try readSecret(value)
        case .valueReference: reference = value
        case .valuePersistentReference: persistentReference = try PersistentReference(value)
        case .forbidden: throw ItemFailure(errSecParam, .forbidden)
        }
    }

    /// Keys that aren't attributes don't belong into the changes of an update.
    private static func checkChange(_ key: QueryKey) throws(ItemFailure) {
        switch key {
        case .attribute, .accessControl, .unknownAttribute, .entitledAttribute, .ignored,
            .valueData, .forbidden(.other):
            return
        case .sharingGroup: throw ItemFailure(errSecParam, .forbidden)
        case .itemClass, .limit, .match, .returned, .use, .valueReference,
            .valuePersistentReference, .forbidden(.known):
            throw ItemFailure(errSecNoSuchAttr)
        }
    }

    private mutating func read(
        _ attribute: Attribute, _ value: AnyObject
    ) throws(ItemFailure) {
        if attribute == .synchronizable, (value as? NSString) == "syna" {
            synchronizable = .any
            return
        }
        let value = try AttributeValue(value, for: attribute)
        attributesByteCount += value.byteCount
        guard attributesByteCount <= ItemLimits.attributesByteCount else {
            throw ItemFailure(errSecDataTooLarge)
        }
        if attribute == .accessible {
            guard case .text(let code) = value, Accessibility(code: code) != nil else {
                throw ItemFailure(errSecParam)
            }
        }
        if attribute == .synchronizable {
            synchronizable = .value(value != .integer(0))
        } else if keeps(attribute, value) {
            attributes[attribute] = value
        }
    }

    /// Whether an attribute has an effect. The service sets some itself, whatever the caller says;
    /// in a query, "no tombstone" and "no other user" are what it means anyway.
    private func keeps(_ attribute: Attribute, _ value: AttributeValue) -> Bool {
        switch (purpose, attribute) {
        case (.item, .creationDate), (.item, .modificationDate), (.changes, .modificationDate):
            false
        case (.item, .tombstone), (.item, .multiUser), (.item, .sha1): false
        case (.changes, .tombstone), (.changes, .multiUser), (.changes, .sha1): false
        case (.query, .tombstone): value != .integer(0)
        case (.query, .multiUser): value != .data([])
        default: true
        }
    }

    private mutating func readSecret(_ value: AnyObject) throws(ItemFailure) {
        guard value is NSData else { throw ItemFailure(errSecParam) }
        // In a query the secret is no filter.
        if purpose != .query { secret = try Secret(value) }
    }

    private mutating func read(
        _ use: QueryKey.UseKey, _ value: AnyObject
    ) throws(ItemFailure) {
        switch use {
        case .itemList: hasItemList = true
        case .authenticationUI:
            if (value as? NSString) == "u_AuthUIS" { skipsAuthentication = true }
        case .noAuthenticationUI: if boolean(value) == nil { throw ItemFailure(errSecParam) }
        case .operationPrompt: if !(value is NSString) { throw ItemFailure(errSecParam) }
        case .authenticationContext, .credentialReference:
            // There is no item yet that an authentication could open.
            throw ItemFailure(errSecParam, .authentication)
        case .systemKeychain:
            guard let number = value as? NSNumber else { throw ItemFailure(errSecParam) }
            if number.boolValue { throw ItemFailure(errSecMissingEntitlement, .entitlement) }
        case .tombstones:
            guard let number = value as? NSNumber else { throw ItemFailure(errSecParam) }
            if number.boolValue { throw ItemFailure(errSecUnimplemented) }
        case .other: break
        }
        if !isSendable(value) { throw ItemFailure(errSecParam) }
    }

    /// Filters on certificates and servers: the type first, then whether the class has them.
    private static func check(
        _ match: QueryKey.MatchKey, _ value: AnyObject
    ) throws(ItemFailure) {
        let isOfItsType =
            switch match {
            case .policy: false
            case .issuers, .other: isSendable(value)
            case .emailAddress, .host: value is NSString
            case .trustedOnly: boolean(value) != nil
            case .validOnDate: value is NSDate || value is NSNull
            }
        guard isOfItsType else { throw ItemFailure(errSecParam, .filter) }
        switch match {
        case .issuers, .host: throw ItemFailure(errSecUnimplemented, .filter)
        case .policy, .emailAddress, .trustedOnly, .validOnDate, .other: return
        }
    }

    // MARK: - Checks over several keys

    /// A certificate stands for attributes that a generic password doesn't have, or, without a
    /// class, for a class that isn't offered yet. Nothing else is a reference.
    private func checkReference() throws(ItemFailure) {
        guard let reference else { return }
        guard reference is SecCertificate else { throw ItemFailure(errSecParam, .reference) }
        throw ItemFailure(itemClass == nil ? errSecUnimplemented : errSecNoSuchAttr, .reference)
    }

    /// An accessibility beside an access control is taken only where both say the same and the
    /// access control says nothing else, as in a returned dictionary.
    private func checkAccessControl() throws(ItemFailure) {
        guard let accessControl else { return }
        if let accessibility = attributes.accessibility {
            let isSame =
                accessControl.operations == nil
                && accessControl.accessibilityCode == accessibility.code
            if !isSame { throw ItemFailure(errSecParam) }
        }
        if purpose != .query, accessControl.operations != nil, case .value(true)? = synchronizable {
            throw ItemFailure(errSecParam)
        }
    }
}

extension ParsedQuery.Limit {
    fileprivate init(_ object: AnyObject) throws(ItemFailure) {
        if let text = object as? NSString {
            switch text as String {
            case "m_LimitOne": self = .one
            case "m_LimitAll": self = .all
            default: throw ItemFailure(errSecParam)
            }
            return
        }
        guard let number = object as? NSNumber, !isBoolean(number) else {
            throw ItemFailure(errSecParam)
        }
        let value = number.doubleValue
        guard value.isFinite else { throw ItemFailure(errSecParam) }
        // A negative number is SQLite's "no limit"; numbers that no keychain reaches are the same.
        if value <= -1 || value >= Double(Int32.max) {
            self = .all
        } else {
            let count = Int(value)
            self = count == 1 ? .one : .number(count)
        }
    }
}
