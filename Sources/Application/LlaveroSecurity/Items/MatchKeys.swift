// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecurityWire
import TrustWire

/// The filters of a dictionary as they were given. What they mean for a class, and whether it has
/// them at all, is ``MatchFilter``'s.
struct MatchKeys {
    /// When a certificate must be valid.
    enum Moment {
        case now
        /// Seconds since 2001-01-01 00:00:00 UTC.
        case date(Double)
    }

    /// An element of a list of items to choose from.
    enum ListElement {
        case reference(ItemReference)
        case persistentReference(StoredReference)

        /// The class of the item that it means.
        var itemClass: ItemClass {
            switch self {
            case .reference(let object): object.itemClass
            case .persistentReference(let stored): stored.itemClass
            }
        }
    }

    private(set) var hasPolicy = false
    /// The policy by which a certificate must be usable; nil for none, and for one that isn't known.
    private(set) var policy: TrustPolicy?
    private(set) var hasIssuers = false
    /// The names that could be read, normalized.
    private(set) var issuers: Set<[UInt8]> = []
    private(set) var emailAddress: String?
    private(set) var isTrustedOnly = false
    private(set) var validOn: Moment?
    private(set) var host: String?
    private(set) var items: [ListElement]?

    /// Whether an item may be meant by its reference, which says by itself which one that is.
    var meansItemsByReference: Bool {
        (items ?? []).contains {
            if case .persistentReference = $0 { true } else { false }
        }
    }

    /// Not looked at yet: for classes without a subject these keys have no effect.
    private(set) var subjects: [(place: SubjectFilter.Place, value: AnyObject)] = []
    private(set) var subjectOptions: [(option: NSString.CompareOptions, value: AnyObject)] = []

    /// Takes the value of a match key.
    /// - Throws: `errSecParam` for one of the wrong type.
    mutating func read(_ key: QueryKey.MatchKey, _ value: AnyObject) throws(ItemFailure) {
        let wrongType = ItemFailure(errSecParam, .filter)
        switch key {
        case .policy:
            guard let object = value as? SecPolicy else { throw wrongType }
            hasPolicy = true
            policy = object.trustPolicy
            return
        case .issuers:
            hasIssuers = true
            issuers = Self.names(value)
        case .emailAddress:
            guard let text = value as? NSString else { throw wrongType }
            emailAddress = text as String
        case .trustedOnly:
            guard let isWanted = boolean(value) else { throw wrongType }
            isTrustedOnly = isWanted
        case .validOnDate:
            if value is NSNull {
                validOn = .now
            } else if let date = value as? NSDate, !date.timeIntervalSinceReferenceDate.isNaN {
                validOn = .date(date.timeIntervalSinceReferenceDate)
            } else {
                throw wrongType
            }
        case .host:
            guard let text = value as? NSString else { throw wrongType }
            host = text as String
        case .itemList: items = try Self.elements(value)
        case .subject(let place): subjects.append((place, value))
        case .subjectOption(let option): subjectOptions.append((option, value))
        // Keychains in it are the query's; another value has no effect.
        case .searchList, .other: break
        }
        if !isSendable(value) { throw wrongType }
    }

    /// The names of a list of issuers. What isn't a name is passed over, and a list without any
    /// filters nothing. Source: Apple's SecItem, as observed.
    private static func names(_ value: AnyObject) -> Set<[UInt8]> {
        guard let list = value as? NSArray else { return [] }
        var names: Set<[UInt8]> = []
        for index in 0..<list.count {
            guard let data = list.object(at: index) as AnyObject as? NSData,
                let name = DistinguishedName.normalizedContent(ofName: data.byteArray)
            else { continue }
            names.insert(name)
        }
        return names
    }

    /// The elements of a list of items.
    /// - Throws: `errSecParam` for what is no list, and for an element that means no item.
    static func elements(_ value: AnyObject) throws(ItemFailure) -> [ListElement] {
        guard let list = value as? NSArray else { throw ItemFailure(errSecParam, .filter) }
        var elements: [ListElement] = []
        for index in 0..<list.count {
            let object = list.object(at: index) as AnyObject
            if let item = object as? SecKeychainItem {
                elements.append(.persistentReference(.item(item.reference)))
            } else if let reference = ItemReference(object) {
                elements.append(.reference(reference))
            } else {
                elements.append(.persistentReference(try StoredReference(object)))
            }
        }
        return elements
    }
}
