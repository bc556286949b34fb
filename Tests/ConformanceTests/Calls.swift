// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// A query, an item or changes, with Apple's strings as keys.
typealias Entries = [String: Any]

/// The outcome of a call.
struct Answer {
    let status: OSStatus
    /// The result; nil when the call set none.
    let object: AnyObject?

    var data: Data? { object as? Data }
    var dictionary: Entries? { object as? Entries }
    var dictionaries: [Entries]? { object as? [Entries] }
    var array: NSArray? { object as? NSArray }
}

extension ConformanceKeychain {
    /// A dictionary for the data protection keychain, unless it names one itself.
    static func strict(_ dictionary: NSDictionary) -> NSDictionary {
        // Some tests are about the number of keys.
        guard dictionary["nleg"] == nil, dictionary.count < 100,
            let copy = dictionary.mutableCopy() as? NSMutableDictionary
        else { return dictionary }
        copy["nleg"] = true
        return copy
    }

    /// Adds an item and ignores the result.
    func add(_ item: Entries) -> OSStatus {
        unsafe calls.add(Self.strict(item as NSDictionary), nil)
    }

    /// Adds an item.
    func added(_ item: Entries) -> Answer { added(item as NSDictionary) }

    /// Adds an item.
    func added(_ item: NSDictionary) -> Answer {
        unsafe answer { unsafe calls.add(Self.strict(item), $0) }
    }

    /// Finds items.
    func copy(_ query: Entries) -> Answer { copy(query as NSDictionary) }

    /// Finds items.
    func copy(_ query: NSDictionary) -> Answer {
        unsafe answer { unsafe calls.copyMatching(Self.strict(query), $0) }
    }

    /// Whether something matches, as a status.
    func find(_ query: Entries) -> OSStatus {
        unsafe calls.copyMatching(Self.strict(query as NSDictionary), nil)
    }

    /// Changes items.
    func update(_ query: Entries, _ changes: Entries) -> OSStatus {
        calls.update(Self.strict(query as NSDictionary), changes as NSDictionary)
    }

    /// Deletes items.
    func delete(_ query: Entries) -> OSStatus { calls.delete(Self.strict(query as NSDictionary)) }

    /// The statuses of all four calls with one dictionary: add, copy, update and delete.
    func all(_ dictionary: NSDictionary) -> [OSStatus] {
        [
            added(dictionary).status, copy(dictionary).status,
            calls.update(Self.strict(dictionary), ["labl": "changed"] as NSDictionary),
            calls.delete(Self.strict(dictionary)),
        ]
    }

    /// The statuses of all four calls with one dictionary: add, copy, update and delete.
    func all(_ dictionary: Entries) -> [OSStatus] { all(dictionary as NSDictionary) }

    /// A call must not touch the result of a call that fails.
    private func answer(
        _ call: (UnsafeMutablePointer<CFTypeRef?>) -> OSStatus
    ) -> Answer {
        let untouched = NSObject()
        var result: CFTypeRef? = untouched
        let status = unsafe call(&result)
        if status != errSecSuccess {
            #expect(result === untouched, "a call that fails leaves the result alone")
        }
        return Answer(status: status, object: result === untouched ? nil : result)
    }
}

extension ConformanceKeychain {
    /// An item's attributes.
    func attributes(_ query: Entries) throws -> Entries {
        let answer = copy(query.merging(["r_Attributes": true]) { $1 })
        #expect(answer.status == errSecSuccess)
        return try #require(answer.dictionary)
    }

    /// One of an item's attributes.
    func attribute(_ key: String, _ query: Entries) -> Any? {
        let answer = copy(query.merging(["r_Attributes": true]) { $1 })
        #expect(answer.status == errSecSuccess)
        return answer.dictionary?[key]
    }

    /// An item's secret.
    func data(_ query: Entries) -> Data? {
        let answer = copy(query.merging(["r_Data": true]) { $1 })
        #expect(answer.status == errSecSuccess)
        return answer.data
    }

    /// An item's persistent reference.
    func reference(_ query: Entries) throws -> Data {
        try #require(copy(query.merging(["r_PersistentRef": true]) { $1 }).data)
    }

    /// How many items match.
    func count(_ query: Entries) -> Int {
        let all: Entries = ["m_Limit": "m_LimitAll", "r_PersistentRef": true]
        let answer = copy(query.merging(all) { $1 })
        if answer.status == errSecItemNotFound { return 0 }
        #expect(answer.status == errSecSuccess)
        return answer.array?.count ?? -1
    }

    /// How many items of any class there are.
    var itemCount: Int {
        ["genp", "inet", "cert", "keys"].map { count(["class": $0, "sync": "syna"]) }.reduce(0, +)
    }
}

/// Four times the same status.
func every(_ status: OSStatus) -> [OSStatus] { [OSStatus](repeating: status, count: 4) }

/// `left` with the entries of `right`, which take precedence.
func + (left: Entries, right: Entries) -> Entries { left.merging(right) { $1 } }

/// Text as bytes.
func bytes(_ text: String) -> Data { Data(text.utf8) }

/// A mutable copy.
func mutable(_ dictionary: NSDictionary) -> NSMutableDictionary {
    dictionary.mutableCopy() as? NSMutableDictionary ?? NSMutableDictionary()
}
