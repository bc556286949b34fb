// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import LocalAuthentication
import Security
import Testing

/// Every match, use, value and return key in each of the four calls, by the rules of both keychains: which
/// status it has, and that a call which says success has done what was asked for, and nothing else. Source:
/// Apple's SecItem, as observed, and the lines of Documentation/differences.md.
@Suite struct QueryKeyTests {
    /// The statuses of the calls, in this order.
    struct Statuses {
        var add: OSStatus
        var copy: OSStatus
        var update: OSStatus
        var delete: OSStatus
        /// Of an update that has the key among its changes.
        var changes: OSStatus = errSecNoSuchAttr

        init(_ add: OSStatus, _ copy: OSStatus, _ update: OSStatus, _ delete: OSStatus) {
            self.add = add
            self.copy = copy
            self.update = update
            self.delete = delete
        }

        /// The same status for all but changes.
        init(_ status: OSStatus) { self.init(status, status, status, status) }
    }

    /// A key with a value; what is true of both keychains, or of each.
    struct Row {
        let key: String
        let value: (ConformanceKeychain) throws -> Any
        var lax: Statuses
        var strict: Statuses

        init(_ key: String, _ value: Any, _ lax: Statuses, strict: Statuses? = nil) {
            self.init(key, made: { _ in value }, lax, strict: strict)
        }

        init(
            _ key: String, made value: @escaping (ConformanceKeychain) throws -> Any,
            _ lax: Statuses,
            strict: Statuses? = nil
        ) {
            self.key = key
            self.value = value
            self.lax = lax
            self.strict = strict ?? lax
        }
    }

    private static let taken = Statuses(errSecSuccess)
    private static let refused = Statuses(errSecParam)
    /// A match key that a copy takes: the other calls refuse it, since they would do more without it.
    private static func match(_ copy: OSStatus) -> Statuses {
        Statuses(errSecParam, copy, errSecParam, errSecParam)
    }

    // MARK: - The table

    private static func returns() -> [Row] {
        let keys = ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"]
        return keys.flatMap { key in
            [
                Row(key, true, taken), Row(key, false, taken), Row(key, "true", refused),
                Row(key, 1, taken, strict: refused),
            ]
        } + [Row("r_Foo", true, refused)]
    }

    private static func uses() -> [Row] {
        let unentitled = Statuses(errSecMissingEntitlement)
        return [
            Row("u_Keychain", "login", refused), Row("u_Foo", true, refused),
            Row("u_OpPrompt", "why", taken), Row("u_OpPrompt", 1, refused),
            Row("u_NoAuthUI", true, taken), Row("u_NoAuthUI", 1, taken, strict: refused),
            Row("u_AuthUI", "u_AuthUIA", taken), Row("u_AuthUI", "u_AuthUIF", taken),
            Row("u_AuthUI", "u_AuthUIS", match(errSecSuccess)),
            Row("u_AuthCtx", LAContext(), taken), Row("u_AuthCtx", "x", refused),
            Row("u_CredRef", Data([1]), refused),
            Row("u_Tomb", true, taken), Row("u_Tomb", 0, taken), Row("u_Tomb", "x", refused),
            Row("u_SystemKeychain", true, unentitled), Row("u_SystemKeychain", false, taken),
            Row("u_SystemKeychainAlways", true, unentitled),
            Row("u_SyncBubbleKeychain", 1, unentitled), Row("u_SyncBubbleKeychain", 0, taken),
            Row("u_UserIndependentKeychain", true, taken), Row("u_CallerName", "x", taken),
            Row("u_TokenRawItems", true, taken), Row("u_CertWithIssuers", true, taken),
            // No hardware backs the keychain of a test.
            Row(
                "u_HardwareBacked", true,
                Statuses(errSecUnimplemented, errSecParam, errSecParam, errSecParam)),
            Row(
                "u_HardwareBacked", false,
                Statuses(errSecSuccess, errSecParam, errSecParam, errSecParam)),
            // The data protection keychain doesn't look at the list of a delete.
            Row(
                "u_ItemList", [Any](),
                Statuses(errSecParam, errSecParam, errSecParam, errSecItemNotFound),
                strict: Statuses(errSecParam, errSecParam, errSecParam, errSecSuccess)),
        ]
    }

    private static func limits() -> [Row] {
        [
            Row("m_Limit", "m_LimitOne", match(errSecSuccess)),
            Row(
                "m_Limit", "m_LimitAll",
                Statuses(errSecParam, errSecSuccess, errSecSuccess, errSecSuccess)),
            Row("m_Limit", 1, match(errSecSuccess)), Row("m_Limit", 2, match(errSecSuccess)),
            Row("m_Limit", 0, match(errSecItemNotFound)), Row("m_Limit", "all", refused),
            Row("m_Limit", true, refused),
        ]
    }

    /// Match keys with what a class makes of them.
    private static func matches(_ item: ItemKind) -> [Row] {
        let isCertificate = item == .certificate
        // A filter of certificates has no effect on other classes.
        let filter = match(isCertificate ? errSecItemNotFound : errSecSuccess)
        let flag = match(errSecSuccess)
        var rows = [
            Row("m_Policy", "x", refused),
            Row(
                "m_Issuers", [Data([1])], match(isCertificate ? errSecSuccess : errSecUnimplemented)
            ),
            Row("m_EmailAddressIfPresent", "nobody@example.org", filter),
            Row("m_EmailAddressIfPresent", 1, refused),
            Row("m_ValidOnDate", Date(timeIntervalSinceReferenceDate: -3e9), filter),
            Row("m_ValidOnDate", "now", refused),
            Row("m_TrustedOnly", false, flag), Row("m_TrustedOnly", 0, flag, strict: refused),
            Row("m_HostOrSubdomainOfHost", "example.org", match(errSecUnimplemented)),
            Row("m_HostOrSubdomainOfHost", 1, refused),
            Row("m_SearchList", [Any](), match(errSecSuccess)),
            Row("m_Foo", 1, match(errSecSuccess)),
            Row(
                "m_ItemList", [Any](),
                Statuses(errSecParam, errSecItemNotFound, errSecItemNotFound, errSecItemNotFound),
                strict: match(errSecItemNotFound)),
            Row("m_ItemList", "x", refused), Row("m_ItemList", ["x"], refused),
        ]
        // What trustd says about certificates, MatchFilterTests ask.
        if !isCertificate {
            rows += [
                Row("m_Policy", SecPolicyCreateBasicX509(), match(errSecUnimplemented)),
                Row("m_TrustedOnly", true, match(errSecSuccess)),
            ]
        }
        for place in ["Contains", "StartsWith", "EndsWith", "WholeString"] {
            rows.append(Row("m_Subject" + place, "Nobody", filter))
        }
        for option in ["Case", "Diacritic", "Width"] {
            let key = "m_\(option)Insensitive"
            rows += [
                Row(key, true, flag), Row(key, 1, flag, strict: isCertificate ? refused : flag),
            ]
        }
        return rows
    }

    /// Values, and lists of what stands for the first item of a class of passwords.
    private static func values(_ item: ItemKind) -> [Row] {
        let object = { (keychain: ConformanceKeychain) throws -> Any in
            var result: CFTypeRef?
            let query = item.query(1) + ["r_Ref": true]
            #expect(
                unsafe keychain.calls.copyMatching(query as NSDictionary, &result) == errSecSuccess)
            return try #require(result as? SecKeychainItem)
        }
        let reference = { (keychain: ConformanceKeychain) throws -> Any in
            try keychain.reference(item.query(1))
        }
        // It is what changes may have, too.
        var secret = taken
        secret.changes = errSecSuccess
        var noSecret = refused
        noSecret.changes = errSecParam
        let selecting = Statuses(errSecParam, errSecSuccess, errSecSuccess, errSecSuccess)
        let byList = { (keychain: ConformanceKeychain) throws -> Any in [try object(keychain)] }
        let used = Statuses(errSecParam, errSecParam, errSecParam, errSecSuccess)
        return [
            Row("v_Data", Data([9]), secret), Row("v_Data", "text", secret, strict: noSecret),
            Row("v_Data", 1, noSecret), Row("v_Foo", "x", refused),
            Row("v_Ref", made: object, selecting), Row("v_Ref", "x", refused),
            // With attributes a copy refuses it.
            Row(
                "v_PersistentRef", made: reference,
                Statuses(errSecParam, errSecParam, errSecSuccess, errSecSuccess)),
            Row("v_PersistentRef", "x", refused),
            Row("m_ItemList", made: byList, selecting, strict: match(errSecSuccess)),
            Row("u_ItemList", made: byList, used),
        ]
    }

    // MARK: - The check

    /// What an item is now: it changes with every write to it.
    private static func state(_ keychain: ConformanceKeychain, _ query: Entries) throws
        -> [AnyHashable]
    {
        let found = try keychain.attributes(query)
        return [
            try #require(found["mdat"] as? Date), try #require(found["sha1"] as? Data),
            keychain.data(query), found["labl"] as? String,
        ]
    }

    private static func check(
        _ row: Row, _ item: ItemKind, _ way: Entries, _ expected: Statuses,
        _ keychain: ConformanceKeychain
    ) throws {
        let value = try row.value(keychain)
        let comment: Comment = "\(row.key) \(value), \(way)"
        let other = try state(keychain, item.query(2))
        func entry() throws -> Entries { way + [row.key: try row.value(keychain)] }
        func expectTheRestIsAsItWas() throws {
            #expect(try state(keychain, item.query(2)) == other, comment)
        }

        let added = unsafe keychain.calls.add(item.sample(3) + (try entry()) as NSDictionary, nil)
        #expect(added == expected.add, comment)
        #expect(
            (keychain.find(item.query(3)) == errSecSuccess) == (added == errSecSuccess), comment)
        if added == errSecSuccess {
            #expect(keychain.delete(item.query(3) + ["u_Tomb": false]) == errSecSuccess)
        }
        try expectTheRestIsAsItWas()

        var one = try state(keychain, item.query(1))
        var query = item.query(1) + (try entry())
        if !row.key.hasPrefix("r_") { query["r_PersistentRef"] = true }
        var result: CFTypeRef?
        let copied = unsafe keychain.calls.copyMatching(query as NSDictionary, &result)
        #expect(copied == expected.copy, comment)
        if copied == errSecSuccess, !row.key.hasPrefix("r_") {
            let reference = try keychain.reference(item.query(1))
            #expect(result as? Data == reference || result as? [Data] == [reference], comment)
        }
        #expect(try state(keychain, item.query(1)) == one, comment)

        let updated = keychain.calls.update(
            item.query(1) + (try entry()) as NSDictionary, ["labl": "changed"] as NSDictionary)
        #expect(updated == expected.update, comment)
        let label = keychain.attribute("labl", item.query(1)) as? String
        #expect((label == "changed") == (updated == errSecSuccess), comment)
        #expect((try state(keychain, item.query(1)) == one) == (updated != errSecSuccess), comment)
        try expectTheRestIsAsItWas()

        one = try state(keychain, item.query(1))
        let changes: Entries = ["labl": "else", row.key: try row.value(keychain)]
        let changed = keychain.calls.update(
            item.query(1) + way as NSDictionary, changes as NSDictionary)
        #expect(changed == expected.changes, comment)
        #expect((try state(keychain, item.query(1)) == one) == (changed != errSecSuccess), comment)
        try expectTheRestIsAsItWas()

        one = try state(keychain, item.query(1))
        let deleted = keychain.calls.delete(item.query(1) + (try entry()) as NSDictionary)
        #expect(deleted == expected.delete, comment)
        if deleted == errSecSuccess {
            #expect(keychain.find(item.query(1)) == errSecItemNotFound, comment)
            try item.put(1, into: keychain, ["labl": "old"])
        } else {
            #expect(try state(keychain, item.query(1)) == one, comment)
            #expect(keychain.update(item.query(1), ["labl": "old"]) == errSecSuccess)
        }
        try expectTheRestIsAsItWas()
        #expect(keychain.itemCount == 2, comment)
    }

    @Test(arguments: KeychainKind.allCases, [ItemKind.genericPassword, .certificate])
    func eachKeyHasItsStatusAndNoSuccessWithoutTheDeed(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for number in [1, 2] { try item.put(number, into: keychain, ["labl": "old"]) }
            var rows = Self.limits() + Self.matches(item) + Self.returns() + Self.uses()
            if item.isPassword { rows += Self.values(item) }
            #expect(rows.count >= 75)
            for row in rows {
                try Self.check(row, item, [:], row.lax, keychain)
                try Self.check(row, item, ["nleg": true], row.strict, keychain)
            }
        }
    }
}
