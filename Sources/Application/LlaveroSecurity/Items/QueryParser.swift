// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import SecurityWire

/// A dictionary of one of the calls, read and checked by the rules that all calls share.
/// What one call alone refuses is in `ParsedQuery+Requests.swift`.
struct ParsedQuery {
    /// What the dictionary is for.
    enum Purpose: Equatable {
        /// The new item of an add.
        case item
        /// Which items are meant: copy, update and delete.
        case query
        /// What an update changes in items of a class.
        case changes(ItemClass)
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
    /// The rules of the query that the changes of an update belong to; nil for any other dictionary.
    private let givenRules: ItemRules?
    /// The class that is meant: an identity's where its reference is given, else the caller's, else
    /// a reference's.
    private(set) var itemClass = ItemClass.genericPassword
    /// The attributes that the dictionary gives; those of ``reference`` come later.
    private(set) var attributes = ItemAttributes()
    private(set) var accessControl: SecAccessControl?
    private(set) var synchronizable: Synchronizable?
    private(set) var limit: Limit?
    private(set) var matches = MatchKeys()
    private(set) var hasMatchKeys = false
    private(set) var hasItemList = false
    /// `kSecUseItemList`, where the file keychain's rules hold: the items that a delete means.
    private(set) var usedItems: [MatchKeys.ListElement]?
    /// `kSecUseKeychain`.
    private(set) var keychain: SecKeychain?
    /// `kSecMatchSearchList`, where it has keychains.
    private(set) var searchList: [SecKeychain]?
    /// The keychain of the object that stands for a password; nil is login.
    private(set) var keychainOfObject: UserKeychain?
    /// Among changes: whether the items become tombstones.
    private(set) var makesTombstones: Bool?
    private(set) var skipsAuthentication = false
    /// Whether the person may be asked.
    private(set) var mayAsk = true
    /// The reason that the person is shown.
    private(set) var prompt: String?
    /// `kSecUseAuthenticationContext`.
    private(set) var context: AccessContext?
    private(set) var usesTombstones: Bool?
    private(set) var demandsHardware = false
    private(set) var returns: ReturnFlags = []
    private(set) var secret: Secret?
    private(set) var reference: ItemReference?
    private(set) var persistentReference: StoredReference?
    /// Whether the caller names a class.
    var namesClass: Bool { namedClass != nil }
    /// Whether the reference is of an object that stands for a password.
    private(set) var isMeantByObject = false
    private var usesDataProtection: Bool?
    /// What one keychain's rules take and the other's don't: read when it is known which are meant.
    private var ambiguous: [(key: QueryKey, value: AnyObject)] = []
    private var namedClass: ItemClass?
    /// Attributes with values that they don't take; whether the class has them at all comes first.
    private var refused: [(attribute: Attribute, failure: ItemFailure)] = []
    private var attributeKeyCount = 0
    private var attributesByteCount = 0

    /// Reads a dictionary.
    /// - Parameters:
    ///   - dictionary: The dictionary.
    ///   - purpose: What it is for.
    ///   - rules: Of changes, those of the query.
    /// - Throws: The failure that speaks first, see ``ItemFailure/Rank``.
    init(
        _ dictionary: NSDictionary, for purpose: Purpose, by rules: ItemRules? = nil
    ) throws(ItemFailure) {
        self.purpose = purpose
        givenRules = rules
        guard dictionary.count <= NSDictionary.maximumKeyCount else {
            throw ItemFailure(errSecParam)
        }
        var first: ItemFailure?
        func note(_ failure: ItemFailure) {
            if first.map(failure.precedes) ?? true { first = failure }
        }
        dictionary.forEachEntry { key, value in
            do throws(ItemFailure) { try read(Self.key(key), value) } catch { note(error) }
        }
        for (key, value) in ambiguous {
            do throws(ItemFailure) { try readAmbiguous(key, value) } catch { note(error) }
        }
        do throws(ItemFailure) { itemClass = try meantClass() } catch {
            // Without a class there is none; with a class that isn't one that was told already.
            if first?.rank != .itemClass { note(error) }
        }
        for (attribute, failure) in refused {
            note(attribute.isKnown(in: itemClass) ? failure : ItemFailure(errSecNoSuchAttr))
        }
        if let first { throw first }
        guard attributeKeyCount <= itemClass.attributeCount else { throw ItemFailure(errSecParam) }
        try checkAccessControl()
        try check(attributes)
        try checkSize()
    }

    /// Which keychain's rules hold.
    var rules: ItemRules {
        if let givenRules { return givenRules }
        if meansLogin { return .dataProtection }
        let isMeant =
            usesDataProtection == nil && persistentReference != nil && !isMeantByObject
        return isMeant ? .dataProtection : .fileKeychain
    }

    /// Whether items that other programs grant may be meant: unless the data protection keychain is. A
    /// persistent reference may be of such an item.
    var mayMeanGranted: Bool {
        rules == .fileKeychain || (persistentReference != nil && usesDataProtection != true)
    }

    /// Whether the data protection keychain is meant, which is login alone.
    var meansLogin: Bool {
        if let usesDataProtection { return usesDataProtection }
        if case .value(true)? = synchronizable { return true }
        return accessControl != nil || attributes[.tokenID] != nil
            || attributes[.accessGroup] == .text("com.apple.token")
    }

    /// Whether a query names an attribute, itself or by a certificate, key or identity.
    var hasAttributes: Bool { attributeKeyCount > 0 || reference != nil }

    /// The dictionary's attributes, and where it gives none those of a reference.
    func attributes(with derived: ItemAttributes) throws(ItemFailure) -> ItemAttributes {
        try check(derived)
        var result = derived
        result.merge(attributes)
        return result
    }

    /// - Throws: `errSecNoSuchAttr` for an attribute that items of the class don't have.
    func check(
        _ attributes: ItemAttributes, in itemClass: ItemClass? = nil
    ) throws(ItemFailure) {
        let itemClass = itemClass ?? self.itemClass
        let areKnown = attributes.entries.allSatisfy { $0.attribute.isKnown(in: itemClass) }
        if !areKnown { throw ItemFailure(errSecNoSuchAttr) }
    }

    private func meantClass() throws(ItemFailure) -> ItemClass {
        if case .changes(let itemClass) = purpose { return itemClass }
        if case .identity? = reference { return .identity }
        // An add refuses any persistent reference later, and for that reason.
        if purpose == .query, let namedClass, let persistentReference,
            persistentReference.itemClass != namedClass
        {
            throw ItemFailure(isMeantByObject ? errSecNoSuchAttr : errSecNoSuchClass)
        }
        let meant = namedClass ?? reference?.itemClass ?? persistentReference?.itemClass
        if let meant { return meant }
        // A list says itself what its items are; an empty one means none, of any class.
        guard let usedItems else { throw ItemFailure(errSecParam, .itemClass) }
        return usedItems.first?.itemClass ?? .genericPassword
    }

    private static func key(_ object: AnyObject) throws(ItemFailure) -> QueryKey {
        if let text = object as? NSString { return QueryKey(text as String) }
        throw ItemFailure(object is NSNumber ? errSecNoSuchAttr : errSecParam)
    }

    private mutating func read(_ key: QueryKey, _ value: AnyObject) throws(ItemFailure) {
        if case .changes = purpose { try Self.checkChange(key) }
        if key.isAttribute { attributeKeyCount += 1 }
        switch key {
        case .itemClass:
            if case .changes = purpose {
                ambiguous.append((key, value))
            } else {
                namedClass = try ItemClass(value)
            }
        case .keychainChoice:
            try checkSendable(value)
            usesDataProtection = (value as? NSNumber)?.boolValue
        case .attribute(let attribute):
            do throws(ItemFailure) { try read(attribute, value) } catch {
                guard error.rank == .key else { throw error }
                refused.append((attribute, error))
            }
        case .accessControl:
            accessControl = value as? SecAccessControl
            if accessControl == nil { throw ItemFailure(errSecParam, .accessControl) }
        case .unknownAttribute: throw ItemFailure(errSecNoSuchAttr)
        case .entitledAttribute, .sharingGroup:
            throw ItemFailure(errSecMissingEntitlement, .entitlement)
        case .ignored: try checkSendable(value)
        case .limit: limit = try Limit(value)
        case .match(let match):
            if case .searchList = match, (value as? NSArray)?.firstObject is SecKeychain {
                return ambiguous.append((key, value))
            }
            if case .itemList = match {} else { hasMatchKeys = true }
            if match.isFlag, isPlainNumber(value) { return ambiguous.append((key, value)) }
            try matches.read(match, value)
        case .returned(let flag):
            if isPlainNumber(value) { return ambiguous.append((key, value)) }
            guard let isWanted = boolean(value) else { throw ItemFailure(errSecParam) }
            if isWanted { returns.insert(flag) }
        case .use(let use):
            if use.isFlag, isPlainNumber(value) { return ambiguous.append((key, value)) }
            if case .itemList = use {
                hasItemList = true
                return ambiguous.append((key, value))
            }
            if case .keychain = use { return ambiguous.append((key, value)) }
            try read(use, value)
        case .valueData:
            if value is NSString { return ambiguous.append((key, value)) }
            try readSecret(value)
        case .valueReference:
            if let item = value as? SecKeychainItem {
                persistentReference = .item(item.reference)
                keychainOfObject = item.keychain
                isMeantByObject = true
                return
            }
            reference = ItemReference(value)
            if reference == nil { throw ItemFailure(errSecParam, .reference) }
        case .valuePersistentReference: persistentReference = try StoredReference(value)
        case .forbidden: throw ItemFailure(errSecParam, .forbidden)
        }
    }

    /// Reads what is strictly an error, and in the file keychain isn't.
    private mutating func readAmbiguous(
        _ key: QueryKey, _ value: AnyObject
    ) throws(ItemFailure) {
        let isLax = rules == .fileKeychain
        switch key {
        case .itemClass:
            // A dictionary that was stored may be given again as the changes.
            guard isLax, case .changes(let itemClass) = purpose,
                (value as? NSString).map({ $0 as String }) == itemClass.rawValue
            else { throw ItemFailure(errSecNoSuchAttr) }
        case .valueData:
            guard isLax, let text = value as? NSString else { throw ItemFailure(errSecParam) }
            if purpose != .query { secret = try Secret(text: text) }
        case .match(.searchList):
            if isLax { searchList = try SecKeychain.list(value) } else { hasMatchKeys = true }
        case .match(let match):
            try matches.read(match, isLax ? truth(value) : value)
        case .use(.keychain):
            guard isLax, let named = value as? SecKeychain else {
                throw ItemFailure(errSecParam, .forbidden)
            }
            keychain = named
        case .use(.itemList):
            if isLax { usedItems = try MatchKeys.elements(value) } else { try checkSendable(value) }
        case .use(let use): try read(use, isLax ? truth(value) : value)
        case .returned(let flag):
            guard isLax, let isWanted = boolean(truth(value)) else {
                throw ItemFailure(errSecParam)
            }
            if isWanted { returns.insert(flag) }
        default: break
        }
    }

    private func isPlainNumber(_ value: AnyObject) -> Bool {
        value is NSNumber && boolean(value) == nil
    }

    private func truth(_ value: AnyObject) -> AnyObject {
        NSNumber(value: (value as? NSNumber)?.boolValue ?? false)
    }

    /// Keys that aren't attributes don't belong into the changes of an update.
    private static func checkChange(_ key: QueryKey) throws(ItemFailure) {
        switch key {
        case .attribute, .accessControl, .unknownAttribute, .entitledAttribute, .ignored,
            .keychainChoice, .valueData, .itemClass, .forbidden(.other):
            return
        case .sharingGroup: throw ItemFailure(errSecParam, .forbidden)
        case .limit, .match, .returned, .use, .valueReference,
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
        if attribute == .issuer, !(value is NSData) { throw ItemFailure(errSecParam, .filter) }
        var value = try AttributeValue(value, for: attribute)
        attributesByteCount += value.byteCount
        switch (attribute, value) {
        case (.accessible, .text(let code)) where Accessibility(code: code) == nil:
            throw ItemFailure(errSecParam)
        case (.issuer, .data(let name)):
            // Either a whole name, or already what a name is stored as.
            if let content = DistinguishedName.normalizedContent(ofName: name) {
                value = .data(content)
            }
        default: break
        }
        if case .changes = purpose, attribute == .tombstone {
            makesTombstones = value != .integer(0)
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
        case (.item, .multiUser), (.item, .sha1): false
        case (.changes, .tombstone), (.changes, .multiUser), (.changes, .sha1): false
        case (.item, .tombstone), (.query, .tombstone): value != .integer(0)
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
        case .itemList, .keychain: break
        case .authenticationUI:
            if (value as? NSString) == "u_AuthUIS" { skipsAuthentication = true }
            if (value as? NSString) == "u_AuthUIF" { mayAsk = false }
        case .noAuthenticationUI:
            guard let isForbidden = boolean(value) else { throw ItemFailure(errSecParam) }
            if isForbidden { mayAsk = false }
        case .operationPrompt:
            guard let text = value as? NSString else { throw ItemFailure(errSecParam) }
            prompt = text as String
        case .authenticationContext:
            guard let context = value as? any AuthenticationContext else {
                throw ItemFailure(errSecParam, .authentication)
            }
            if context.isInvalidated { throw ItemFailure(errSecAuthFailed, .authentication) }
            self.context = context.accessContext
            return
        case .credentialReference:
            // A context is the only way to prove something here.
            throw ItemFailure(errSecParam, .authentication)
        case .systemKeychain:
            guard let number = value as? NSNumber else { throw ItemFailure(errSecParam) }
            if number.boolValue { throw ItemFailure(errSecMissingEntitlement, .entitlement) }
        case .tombstones:
            guard let number = value as? NSNumber else { throw ItemFailure(errSecParam) }
            usesTombstones = number.boolValue
        case .hardwareBacked:
            guard purpose == .item, let isDemanded = boolean(value) else {
                throw ItemFailure(errSecParam)
            }
            demandsHardware = isDemanded
        case .other: break
        }
        try checkSendable(value)
    }

    private func checkSendable(_ value: AnyObject) throws(ItemFailure) {
        if !isSendable(value) { throw ItemFailure(errSecParam) }
    }

    /// What is certainly too large isn't sent.
    private func checkSize() throws(ItemFailure) {
        let limit = ItemLimits.attributesByteCount
        // To encode is to copy, which is for those near the limit only.
        guard attributesByteCount > limit / 2 else { return }
        guard attributesByteCount <= limit, attributes.serialized().count <= limit else {
            throw ItemFailure(errSecDataTooLarge)
        }
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
